/* The methods against the reference tables: paper [all]
 *
 * Reads ../shared/reference and writes Markdown. Without `all` one temperature. Errors
 * are means of ln(Z_UB / Z) over the table's instances, which are bounded as they stand
 * (Forney-style), in the order of their numbers. */
#include "bench.h"

#include "../tests/reference.h"

#include <math.h>

static const char FOLDER[] = "../shared/reference";
static const char *const METHOD[] = { "wmbe-w", "wmbe-theta", "wmbe-wtheta", "wmbe-g",
                                      "wmbe-wg" };
static const double COUPLING[] = { 0.2, 0.5, 1, 1.5, 2 };
enum { METHODS = 5, COUPLINGS = 5, ROWS = 16 };

typedef struct race { /* when an instance's target was reached */
    double target;
    int64_t pass, reached;
} race;

static bool look(void *context, const zb_progress *at)
{
    race *r = context;
    r->pass++;
    if (r->reached < 0 && at->log_upper <= r->target)
        r->reached = r->pass;
    return true;
}

static double solve(const reference_row *a, zb_options opt, race *r)
{
    zb_model *model;
    zb_result z;
    zb_error err = { "" };
    zb_observer observer = { .context = r, .progress = look };
    must(reference_model(&model, FOLDER, a, &err), err.text);
    must(zb_solve(model, &opt, r != NULL ? &observer : NULL, &z, &err), err.text);
    zb_model_free(model);
    if (z.log_upper < a->log_z - 1e-9 * fabs(a->log_z)) {
        printf("WRONG SIDE: %s T=%s seed %d %s\n", a->family, a->coupling, a->seed,
               a->method);
        exit(1);
    }
    return z.log_upper;
}

static int select_rows(const reference *all, const char *method, const char *optimizer,
                       int ibound, double coupling, const reference_row **out)
{
    int n = 0;
    for (int i = 0; i < all->count && n < ROWS; i++) {
        const reference_row *a = &all->row[i];
        if (strcmp(a->method, method) == 0 && strcmp(a->optimizer, optimizer) == 0 &&
            strcmp(a->form, "forney") == 0 && a->ibound == ibound &&
            fabs(strtod(a->coupling, NULL) - coupling) < 1e-9)
            out[n++] = a;
    }
    return n;
}

typedef struct order_count {
    int instances, wg_best, g_theta, g_wtheta;
} order_count;

/* The paper's schedule: our mean error beside the table's, and the orderings. */
static void paper_rows(const reference *all, int ibound, double coupling,
                       order_count *count, double *above, double *below)
{
    double got[METHODS][ROWS];
    int n = 0;
    printf("| %s | %d | %.1f ", all->row[0].family, ibound, coupling);
    for (int m = 0; m < METHODS; m++) {
        const reference_row *row[ROWS];
        double mine = 0, table = 0;
        n = select_rows(all, METHOD[m], "paper", ibound, coupling, row);
        for (int i = 0; i < n; i++) {
            got[m][i] = solve(row[i], reference_options(row[i]), NULL) - row[i]->log_z;
            mine += got[m][i] / n;
            table += (row[i]->log_upper - row[i]->log_z) / n;
        }
        printf("| %.3f (%.3f) ", mine, table);
        *above = fmax(*above, mine / table - 1);
        *below = fmax(*below, 1 - mine / table);
    }
    printf("|\n");
    fflush(stdout);
    for (int i = 0; i < n; i++) {
        count->instances++;
        count->wg_best += got[4][i] <= got[0][i] && got[4][i] <= got[1][i] &&
                          got[4][i] <= got[2][i] && got[4][i] <= got[3][i];
        count->g_theta += got[3][i] <= got[1][i];
        count->g_wtheta += got[3][i] <= got[2][i];
    }
}

static void paper_table(const reference *all, bool whole)
{
    order_count count = { 0 };
    double above = 0, below = 0;
    printf("\n| family | ibound | T | w | theta | w-theta | G | wG "
           "|\n|---|---|---|---|---|---|---|---|\n");
    for (int ibound = 4; ibound <= 6; ibound += 2)
        for (int t = 0; t < COUPLINGS; t++)
            if (whole || COUPLING[t] == 1)
                paper_rows(all, ibound, COUPLING[t], &count, &above, &below);
    printf(
        "\nMeans are at most %.2f %% above the table's and %.2f %% below: the table "
        "has the last point of the schedule, here the best one on the way is kept. Of "
        "%d instances: wG best in %d, G at or below theta in %d, G at or below w-theta "
        "in %d.\n",
        100 * above, 100 * below, count.instances, count.wg_best, count.g_theta,
        count.g_wtheta);
}

/* The default optimiser, wmbe-wg. */
static void default_rows(const reference *all, int ibound, double coupling)
{
    const reference_row *adam[ROWS], *paper[ROWS];
    int n = select_rows(all, "wmbe-wg", "adam", ibound, coupling, adam);
    double table = 0, target = 0, mine = 0, quick = 0;
    int64_t latest = 0;
    select_rows(all, "wmbe-wg", "paper", ibound, coupling, paper);
    for (int i = 0; i < n; i++) {
        race r = { .target = paper[i]->log_upper, .reached = -1 };
        zb_options opt = reference_options(adam[i]);
        opt.iterations = 300;
        mine += (solve(adam[i], opt, &r) - adam[i]->log_z) / n;
        latest = r.reached < 0 ? 301 : r.reached > latest ? r.reached : latest;
        opt.iterations = 60;
        quick += (solve(adam[i], opt, NULL) - adam[i]->log_z) / n;
        table += (adam[i]->log_upper - adam[i]->log_z) / n;
        target += (paper[i]->log_upper - paper[i]->log_z) / n;
    }
    printf("| %s | %d | %.1f | %.3f | %.3f | %s | %.3f | %.3f | %s | %lld |\n",
           all->row[0].family, ibound, coupling, mine, table,
           mine <= table ? "yes" : "NO", quick, target, quick <= target ? "yes" : "NO",
           (long long)latest);
    fflush(stdout);
}

static void default_table(const reference *all, bool whole)
{
    printf(
        "\n| family | ibound | T | 300 passes | table's Adam | at or below | 60 passes "
        "| paper's steps, to their end | at or below | last instance to reach it, of "
        "300 |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (int ibound = 4; ibound <= 6; ibound += 2)
        for (int t = 0; t < COUPLINGS; t++)
            if (whole || COUPLING[t] == 1)
                default_rows(all, ibound, COUPLING[t]);
}

int main(int argc, char **argv)
{
    bool whole = argc > 1 && strcmp(argv[1], "all") == 0;
    static const char *const files[] = { "ising.csv", "regular3.csv" };
    for (int i = 0; i < 2; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", FOLDER, files[i]);
        reference all = reference_read(path);
        if (all.count == 0) {
            printf("skipped: %s is not here\n", path);
            continue;
        }
        if (i == 0)
            printf("# Methods against the reference tables\n");
        printf("\n## %s: the paper's schedule, mean error (the table's)\n",
               all.row[0].family);
        paper_table(&all, whole);
        printf("\n## %s: the default optimiser, wmbe-wg, mean error\n",
               all.row[0].family);
        default_table(&all, whole);
        free(all.row);
    }
    return 0;
}
