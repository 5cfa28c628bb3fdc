/* What a pass costs:
 * bench_pass [speed|iterations|threads|growth|scale ROWS COLS IBOUND]
 *
 *   speed       forward + backward on one core, per clique entry and per clique
 *   iterations  one optimiser iteration on 10x10 and 40x40 grids, and gauges' share
 *   threads     one and two threads, by the clock on the wall
 *   growth      CSV: how seconds and bytes grow with the variables and the ibound
 *   scale       one pass on a large grid
 *
 * Without arguments the first two. Times are processor times but for threads. */
#include "bench.h"

#include "tighten/attempt.h"
#include "tighten/tighten_internal.h"
#include "pass/kernel.h"
#include "pass/layout.h"

#include <string.h>

typedef struct rig {
    zb_tree *tree;
    zb_pass *pass;
    double seconds_tree, seconds_pass; /* to set up */
} rig;

static rig rig_new(const zb_model *model, zb_order kind, int ibound, zb_pass_spec spec)
{
    rig r;
    zb_scopes *scopes;
    double start = cpu_now();
    int *order = malloc((size_t)zb_model_nvars(model) * sizeof *order);
    zb_order_request req = { .kind = kind, .ibound = ibound, .seed = 1, .tries = 1 };
    zb_split_spec ss = { .ibound = ibound };
    must(zb_scopes_new(&scopes, model), "scopes");
    must(zb_order_make(scopes, &req, order, NULL), "order");
    must(zb_tree_new(&r.tree, scopes, order, &ss), "tree");
    zb_scopes_free(scopes);
    free(order);
    r.seconds_tree = cpu_now() - start;
    start = cpu_now();
    must(zb_pass_new(&r.pass, r.tree, &spec), "pass");
    double table[64];
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        zb_layout_factor(r.tree, model, f, table);
        zb_pass_set_log(r.pass, f, table);
    }
    r.seconds_pass = cpu_now() - start;
    return r;
}

static void rig_free(rig *r)
{
    zb_pass_free(r->pass);
    zb_tree_free(r->tree);
}

/* The quickest of several passes: forward, and backward where it is prepared. */
static double time_pass(rig *r, double least)
{
    double best = INFINITY, begin = cpu_now();
    for (int i = 0; i < 3 || cpu_now() - begin < least; i++) {
        double start = cpu_now();
        zb_pass_forward(r->pass);
        if (zb_pass_options(r->pass)->gradient)
            zb_pass_backward(r->pass);
        best = fmin(best, cpu_now() - start);
    }
    return best;
}

static void speed_line(const char *name, const zb_model *model, zb_order order,
                       int ibound, zb_pass_spec spec)
{
    rig r = rig_new(model, order, ibound, spec);
    double s = time_pass(&r, 0.5);
    printf("| %s | %d | %s | %s | %d | %.0f | %.3g | %.2f | %.0f | %.3g |\n", name,
           ibound, zb_order_name(order),
           !spec.gradient ? "forward"
           : spec.shared  ? "weights, shifts by scope"
                          : "weights",
           r.tree->nnodes, r.tree->splits, r.tree->entries, 1e9 * s / r.tree->entries,
           1e9 * s / r.tree->nnodes, 1e3 * s);
    rig_free(&r);
}

/* A yardstick for the machine at this moment: nanoseconds per exponential. */
static double exp_cost(void)
{
    enum { MANY = 4096 };
    double x[MANY], y[MANY], best = INFINITY;
    for (int i = 0; i < MANY; i++)
        x[i] = -i * 1e-3;
    for (int round = 0; round < 2000; round++) {
        double start = cpu_now();
        zb_kernel_exp(MANY, x, 0, y);
        best = fmin(best, cpu_now() - start);
    }
    return 1e9 * best / MANY;
}

static void speed(void)
{
    printf("one exponential: %.2f ns\n\n", exp_cost());
    static const struct {
        int rows, cols, ibound;
        zb_order order;
    } at[] = { { 40, 40, 16, ZB_ORDER_NATURAL },
               { 20, 20, 16, ZB_ORDER_NATURAL },
               { 100, 100, 4, ZB_ORDER_NATURAL },
               { 100, 100, 4, ZB_ORDER_MINSPLIT },
               { 40, 40, 10, ZB_ORDER_NATURAL } };
    printf(
        "| model | ibound | order | moved | cliques | splits | entries | ns per entry "
        "| ns per clique | ms |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        char name[40];
        zb_model *model = spin_glass(at[i].rows, at[i].cols);
        snprintf(name, sizeof name, "grid %dx%d", at[i].rows, at[i].cols);
        zb_pass_spec spec = { .side = ZB_SIDE_UPPER, .threads = 1 };
        speed_line(name, model, at[i].order, at[i].ibound, spec);
        spec.gradient = true;
        speed_line(name, model, at[i].order, at[i].ibound, spec);
        spec.theta = spec.shared = true;
        speed_line(name, model, at[i].order, at[i].ibound, spec);
        zb_model_free(model);
    }
}

/* ---- whole iterations ------------------------------------------------------------ */

typedef struct timing {
    double ms;
    int cliques;
    size_t bytes;
} timing;

static timing time_iteration(const zb_model *model, zb_form form, zb_order order,
                             int ibound, bool gauges)
{
    zb_attempt_spec spec = { .form = form,
                             .order = order,
                             .seed = 1,
                             .ibound = ibound,
                             .tighten = { .side = ZB_SIDE_UPPER,
                                          .weights = true,
                                          .theta = true,
                                          .gauges = gauges,
                                          .shared = true,
                                          .threads = 1 } };
    zb_descent run = { .rates = { { .2, .1, .2 } }, .tolerance = -1 };
    zb_attempt *a;
    zb_stop stop;
    timing t = { .ms = INFINITY };
    must(zb_attempt_new(&a, model, &spec, 0, NULL), "attempt");
    for (int round = 0; round < 5; round++) {
        int64_t before = a->passes;
        double start = cpu_now();
        run.iterations = a->tree->entries > 1e6 ? 5 : 100;
        must(zb_attempt_descend(a, run, &stop), "descend");
        t.ms = fmin(t.ms, 1e3 * (cpu_now() - start) / (double)(a->passes - before));
    }
    t.cliques = a->tree->nnodes;
    t.bytes = zb_pass_bytes(a->tighten->pass);
    zb_attempt_free(a);
    return t;
}

static void iterations(void)
{
    static const double merlin[2][3] = { { 1.4, 1.8, 4 }, { 38, NAN, 141 } };
    static const int side[2] = { 10, 40 }, clique[3] = { 5, 7, 11 };
    printf(
        "\n| model | largest clique | cliques | wmbe-wtheta ms per iteration | merlin "
        "ms | times quicker | MB |\n|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < 2; i++) {
        zb_model *model = spin_glass(side[i], side[i]);
        for (int k = 0; k < 3; k++) {
            timing t = time_iteration(model, ZB_FORM_ORIGINAL, ZB_ORDER_MINFILL,
                                      clique[k], false);
            printf("| grid %dx%d | %d | %d | %.4f | ", side[i], side[i], clique[k],
                   t.cliques, t.ms);
            if (isnan(merlin[i][k]))
                printf("| ");
            else
                printf("%g | %.0f ", merlin[i][k], merlin[i][k] / t.ms);
            printf("| %.2f |\n", 1e-6 * (double)t.bytes);
        }
        zb_model_free(model);
    }
    printf("\n| model, lattice form | ibound | wmbe-wtheta ms | wmbe-wg ms | ratio "
           "|\n|---|---|---|---|---|\n");
    for (int i = 0; i < 2; i++)
        for (int ibound = 6; ibound <= 12; ibound += 2) {
            zb_model *model = spin_glass(side[i], side[i]);
            timing plain = time_iteration(model, ZB_FORM_LATTICE, ZB_ORDER_NATURAL,
                                          ibound, false),
                   gauged = time_iteration(model, ZB_FORM_LATTICE, ZB_ORDER_NATURAL,
                                           ibound, true);
            printf("| grid %dx%d | %d | %.4f | %.4f | %.2f |\n", side[i], side[i],
                   ibound, plain.ms, gauged.ms, gauged.ms / plain.ms);
            zb_model_free(model);
        }
}

/* ---- threads --------------------------------------------------------------------- */

static double wall_of(rig *r)
{
    double start = zb_now();
    zb_pass_forward(r->pass);
    if (zb_pass_options(r->pass)->gradient)
        zb_pass_backward(r->pass);
    return zb_now() - start;
}

/* One and two threads take turns, so that other work on the machine meets both. */
static void threads_line(int side, int ibound, bool gradient)
{
    zb_model *model = spin_glass(side, side);
    double best[2] = { INFINITY, INFINITY };
    rig r[2];
    int divided = 0;
    for (int i = 0; i < 2; i++) {
        zb_pass_spec spec = { .side = ZB_SIDE_UPPER,
                              .gradient = gradient,
                              .theta = gradient,
                              .shared = gradient,
                              .threads = i + 1 };
        r[i] = rig_new(model, ZB_ORDER_NATURAL, ibound, spec);
    }
    double begin = zb_now();
    for (int round = 0; round < 5 || zb_now() - begin < 3; round++)
        for (int i = 0; i < 2; i++)
            best[i] = fmin(best[i], wall_of(&r[i]));
    for (int k = 0; k < r[0].tree->nnodes; k++)
        divided += zb_pass_parts(r[0].pass, k) > 1;
    printf("| grid %dx%d | %d | %s | %d | %d | %.4g | %.4g | %.2f |\n", side, side,
           ibound, gradient ? "both" : "forward", r[0].tree->nnodes, divided,
           1e3 * best[0], 1e3 * best[1], best[0] / best[1]);
    fflush(stdout);
    for (int i = 0; i < 2; i++)
        rig_free(&r[i]);
    zb_model_free(model);
}

static void threads(void)
{
    printf("| model | ibound | passes | cliques | divided | one thread, ms | two, ms | "
           "times quicker |\n|---|---|---|---|---|---|---|---|\n");
    static const int at[][2] = { { 10, 5 },  { 40, 10 }, { 100, 10 },
                                 { 20, 16 }, { 40, 16 }, { 20, 18 } };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        for (int gradient = 0; gradient < 2; gradient++)
            threads_line(at[i][0], at[i][1], gradient);
}

/* ---- growth ---------------------------------------------------------------------- */

static void grow_line(const char *series, int rows, int cols, int ibound, bool gradient)
{
    zb_model *model = spin_glass(rows, cols);
    zb_pass_spec spec = { .side = ZB_SIDE_UPPER,
                          .gradient = gradient,
                          .theta = gradient,
                          .shared = gradient,
                          .threads = 1 };
    rig r = rig_new(model, ZB_ORDER_NATURAL, ibound, spec);
    double s = time_pass(&r, 0.1);
    printf("%s,%d,%d,%s,%.0f,%.4g,%zu,%.3g,%.3g\n", series, rows * cols, ibound,
           gradient ? "both" : "forward", r.tree->entries, s, zb_pass_bytes(r.pass),
           r.seconds_tree, r.seconds_pass);
    fflush(stdout);
    rig_free(&r);
    zb_model_free(model);
}

static void growth(void)
{
    printf("series,variables,ibound,passes,entries,cpu_seconds,bytes,cpu_tree,cpu_"
           "plan\n");
    for (int n = 10; n <= 640; n *= 2)
        for (int gradient = 0; gradient < 2; gradient++)
            grow_line("variables", n, n, 10, gradient);
    for (int ibound = 2; ibound <= 18; ibound += 2)
        for (int gradient = 0; gradient < 2; gradient++)
            grow_line("ibound", 60, 60, ibound, gradient);
}

static void scale(int rows, int cols, int ibound)
{
    double start = cpu_now();
    zb_model *model = spin_glass(rows, cols);
    printf("grid %dx%d: made in %.2f s\n", rows, cols, cpu_now() - start);
    for (int gradient = 0; gradient < 2; gradient++) {
        zb_pass_spec spec = { .side = ZB_SIDE_UPPER,
                              .gradient = gradient,
                              .theta = gradient,
                              .shared = gradient,
                              .threads = 1 };
        rig r = rig_new(model, ZB_ORDER_NATURAL, ibound, spec);
        start = cpu_now();
        double bound = zb_pass_forward(r.pass), forward = cpu_now() - start;
        if (gradient)
            zb_pass_backward(r.pass);
        printf("ibound %d, %s: %d cliques, %.0f splits, %.4g entries; order and tree "
               "%.2f s, plan %.2f s; forward %.2f s, backward %.2f s; %.4g GB; ln Z <= "
               "%.10g\n",
               ibound, gradient ? "forward and backward" : "forward only",
               r.tree->nnodes, r.tree->splits, r.tree->entries, r.seconds_tree,
               r.seconds_pass, forward, cpu_now() - start - forward,
               1e-9 * (double)zb_pass_bytes(r.pass), bound);
        fflush(stdout);
        rig_free(&r);
    }
    zb_model_free(model);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "growth") == 0)
        growth();
    else if (strcmp(what, "scale") == 0)
        scale(argc > 2 ? atoi(argv[2]) : 1000, argc > 3 ? atoi(argv[3]) : 1000,
              argc > 4 ? atoi(argv[4]) : 10);
    if (*what == '\0' || strcmp(what, "speed") == 0)
        speed();
    if (*what == '\0' || strcmp(what, "iterations") == 0)
        iterations();
    return 0;
}
