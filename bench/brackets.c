/* Brackets on the public models at every ibound: brackets [GIGABYTES [SECONDS
 * [NAME...]]]
 *
 * Method wmbe, both sides, min-fill orders, ibound from 2 up to the largest whose
 * tables fit, until nothing is split or a run takes more than SECONDS. Every bracket
 * must contain the known ln Z. One row per model; NAME: only models whose path contains
 * one of them.
 */
#include "shared_data.h"

typedef struct summary {
    int runs, wrong, looser_upper, looser_lower, trusted;
} summary;

static bool run(const zb_model *model, int ibound, uint64_t memory, zb_result *r)
{
    zb_options opt = zb_options_default();
    zb_error err = { "" };
    opt.method = ZB_METHOD_WMBE;
    opt.order = ZB_ORDER_MINFILL;
    opt.ibound = ibound;
    opt.memory = memory;
    zb_status status = zb_solve(model, &opt, NULL, r, &err);
    if (status != ZB_OK && status != ZB_ELIMIT)
        must(status, err.text);
    return status == ZB_OK;
}

static void print_bracket(int ibound, const zb_result *r, known k)
{
    double middle = isfinite(k.slack) ? k.log_z : 0;
    if (r->log_lower == -INFINITY)
        printf(" %d: -inf", ibound);
    else
        printf(" %d: %+.3g", ibound, r->log_lower - middle);
    printf(" %+.3g;", r->log_upper - middle);
    fflush(stdout);
}

static void climb(const char *path, uint64_t memory, double seconds, summary *sum)
{
    zb_model *model = read_shared(path);
    known k = look_up(path);
    zb_result r, last = { .log_lower = -INFINITY, .log_upper = INFINITY };
    double start = 0;
    int ibound = 2;
    printf("| %.*s | %d | ", (int)strlen(base_name(path)) - 7, base_name(path),
           zb_model_nvars(model));
    sum->trusted += isfinite(k.slack);
    if (isfinite(k.slack))
        printf("%.*f |", k.slack > 1e-6 ? 3 : 6, k.log_z);
    else
        printf("? |");
    for (;; ibound++) {
        start = cpu_now();
        if (!run(model, ibound, memory, &r))
            break;
        if (r.ibound > ibound)
            ibound = r.ibound; /* raised to the largest factor */
        sum->runs++;
        bool wrong = r.log_lower > r.log_upper + 1e-9 * fabs(r.log_upper) ||
                     r.log_upper < k.log_z - k.slack || r.log_lower > k.log_z + k.slack;
        sum->wrong += wrong;
        sum->looser_upper += r.log_upper > last.log_upper + 1e-9;
        sum->looser_lower += r.log_lower < last.log_lower - 1e-9;
        last = r;
        print_bracket(ibound, &r, k);
        if (wrong)
            printf(" WRONG SIDE (%.12g %.12g);", r.log_lower, r.log_upper);
        if (r.exact || cpu_now() - start > seconds)
            break;
    }
    printf(" | %s |\n", r.exact && last.exact         ? "exact"
                        : cpu_now() - start > seconds ? "time"
                                                      : "memory");
    fflush(stdout);
    zb_model_free(model);
}

static bool wanted(const char *path, int names, char **name)
{
    for (int i = 0; i < names; i++)
        if (strstr(path, name[i]) != NULL)
            return true;
    return names <= 0;
}

int main(int argc, char **argv)
{
    double gigabytes = argc > 1 ? atof(argv[1]) : 0.25,
           seconds = argc > 2 ? atof(argv[2]) : 1;
    summary sum = { 0 };
    glob_t found;
    if (glob("../shared/data/*/*.uai.gz", 0, NULL, &found) != 0) {
        printf("skipped: ../shared/data is not here\n");
        return 0;
    }
    printf(
        "# Brackets by wmbe at every ibound, tables within %g GB\n\nBounds less the "
        "known ln Z (as they are where none can be trusted), lower and upper. The last "
        "column says what ended the climb: nothing left to split, the next ibound does "
        "not fit, or a run of more than %g s.\n\n| model | variables | ln Z | ibound: "
        "lower upper | end |\n|---|---|---|---|---|\n",
        gigabytes, seconds);
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (wanted(found.gl_pathv[i], argc - 3, argv + 3))
            climb(found.gl_pathv[i], (uint64_t)(gigabytes * 0x1p30), seconds, &sum);
    printf(
        "\n%d brackets, %d models with a trusted ln Z: %d on the wrong side. From one "
        "ibound to the next the upper bound grew %d times and the lower bound fell %d "
        "times: each ibound has an order and a partition of its own.\n",
        sum.runs, sum.trusted, sum.wrong, sum.looser_upper, sum.looser_lower);
    globfree(&found);
    return sum.wrong > 0;
}
