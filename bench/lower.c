/* Lower bounds on the reference spin glasses and 3-regular models: lower [PASSES]
 *
 * Mean of ln Z - bound over the instances of ../shared/reference, ibound 4, w-theta and
 * wG: on the original models with form and order left to the program, and on the
 * Forney-style files as they stand, in the order of their numbers. */
#include "bench.h"

#include "../tests/reference.h"

#include <math.h>

static const char FOLDER[] = "../shared/reference";

/* Instances appear in many rows: the rows of one method and form list each once. */
static double mean_gap(const reference *all, const char *form, double coupling,
                       zb_method method, bool free_form, int passes)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < all->count; i++) {
        reference_row a = all->row[i];
        if (strcmp(a.method, "mbe") != 0 || a.ibound != 4 ||
            strcmp(a.form, form) != 0 ||
            fabs(strtod(a.coupling, NULL) - coupling) > 1e-9)
            continue;
        zb_options opt = reference_options(&a);
        zb_model *model;
        zb_result r;
        zb_error err = { "" };
        opt.method = method;
        opt.side = ZB_SIDE_LOWER;
        opt.iterations = passes;
        opt.threads = 1;
        if (free_form) {
            opt.form = ZB_FORM_AUTO;
            opt.order = ZB_ORDER_AUTO;
        }
        must(reference_model(&model, FOLDER, &a, &err), err.text);
        must(zb_solve(model, &opt, NULL, &r, &err), err.text);
        zb_model_free(model);
        if (r.log_lower > a.log_z + 1e-9 * fabs(a.log_z)) {
            printf("WRONG SIDE: %s T=%s seed %d\n", a.family, a.coupling, a.seed);
            exit(1);
        }
        sum += a.log_z - r.log_lower;
        n++;
    }
    return sum / n;
}

static void table(const reference *all, const char *form, bool free_form, int passes)
{
    static const double couplings[] = { 0.2, 0.5, 1, 1.5, 2 };
    printf("\n## %s, %s file, %s\n\n| T | w-theta | wG |\n|---|---|---|\n",
           all->row[0].family, form,
           free_form ? "form and order free" : "as it stands, natural order");
    for (int t = 0; t < 5; t++) {
        printf(
            "| %.1f | %.3f | %.3f |\n", couplings[t],
            mean_gap(all, form, couplings[t], ZB_METHOD_WMBE_WTHETA, free_form, passes),
            mean_gap(all, form, couplings[t], ZB_METHOD_WMBE_WG, free_form, passes));
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 300;
    reference ising = reference_read("../shared/reference/ising.csv"),
              regular = reference_read("../shared/reference/regular3.csv");
    if (ising.count == 0) {
        printf("skipped: %s is not here\n", FOLDER);
        return 0;
    }
    printf("# Lower bounds at ibound 4: mean of ln(Z / Z_LB), %d passes\n", passes);
    table(&ising, "original", true, passes);
    table(&ising, "forney", true, passes);
    table(&ising, "forney", false, passes);
    table(&regular, "forney", true, passes);
    table(&regular, "forney", false, passes);
    free(ising.row);
    free(regular.row);
    return 0;
}
