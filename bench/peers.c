/* The peers' ground: 10x10 spin glasses, largest clique 5, 7 and 11, at most 300
 * passes, form and order left to the program: peers [PASSES]
 *
 * Reads ../shared/reference and writes Markdown. Peers: the best values published for
 * merlin, bucket-renormalization and pyGMs after 100 iterations, seed 0 (upper bounds),
 * means over three seeds (lower bounds). Times are processor times, the search for a
 * form and an order included. */
#include "bench.h"

#include <math.h>
#include <unistd.h>

static const double LOG_Z[3][2] = { { 90.44972264840713, 89.32232291564561 },
                                    { 139.45562959708923, 134.38016836004786 },
                                    { 260.20868842004984, 245.87116985578402 } };
static const double COUPLING[3] = { 0.5, 1, 2 };
static const int CLIQUE[3] = { 5, 7, 11 };
/* by clique, then coupling */
static const double UPPER[3][3] = { { 0.66, 2.88, 7.33 },
                                    { 0.34, 1.40, 2.93 },
                                    { 0.023, 0.036, 0.019 } };
static const double LOWER[3][3] = { { 3.14, 3.39, 9.00 },
                                    { 1.25, 1.84, 3.13 },
                                    { 0.054, 0.146, 0.110 } };

static bool count(void *context, const zb_progress *at)
{
    (void)at;
    ++*(int64_t *)context;
    return true;
}

static zb_model *instance(int t, int seed)
{
    char path[200];
    zb_model *model;
    zb_error err = { "" };
    snprintf(path, sizeof path, "../shared/reference/grid10_T%.1f_s%d.uai", COUPLING[t],
             seed);
    must(zb_model_read(&model, path, &err), err.text);
    return model;
}

static double line(int t, int seed, zb_side side, zb_method method, int clique,
                   int passes, double peer)
{
    zb_model *model = instance(t, seed);
    zb_options opt = zb_options_default();
    zb_result r;
    zb_error err = { "" };
    int64_t spent = 0;
    zb_observer observer = { .context = &spent, .progress = count };
    opt.method = method;
    opt.side = side;
    opt.ibound = clique;
    opt.iterations = passes;
    opt.threads = 1;
    double start = cpu_now();
    must(zb_solve(model, &opt, &observer, &r, &err), err.text);
    double seconds = cpu_now() - start, z = LOG_Z[t][seed],
           gap = side == ZB_SIDE_UPPER ? r.log_upper - z : z - r.log_lower;
    if (gap < -1e-9 * z) {
        printf("WRONG SIDE\n");
        exit(1);
    }
    printf(
        "| %.1f | %d | %d | %s | %s | %s | %d | %.5f | %g | %.2f | %lld | %.3f | %.3f "
        "|\n",
        COUPLING[t], seed, clique, zb_method_name(method), zb_form_name(r.form),
        zb_order_name(r.order), r.width + 1, gap, peer, gap / peer, (long long)spent,
        seconds, 1e3 * seconds / (double)(spent > 0 ? spent : 1));
    fflush(stdout);
    zb_model_free(model);
    return gap;
}

static void table(zb_side side, int passes)
{
    printf(
        "\n| T | seed | clique | method | form | order | largest clique | gap | best "
        "peer | ratio | passes | s | ms per pass "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 3; k++)
            for (int t = 0; t < 3; t++)
                for (int seed = 0; seed < 2; seed++)
                    line(t, seed, side, m ? ZB_METHOD_WMBE_WG : ZB_METHOD_WMBE_WTHETA,
                         CLIQUE[k], passes,
                         side == ZB_SIDE_UPPER ? UPPER[k][t] : LOWER[k][t]);
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 300;
    if (access("../shared/reference/grid10_T1.0_s0.uai", R_OK) != 0) {
        printf("skipped: ../shared/reference is not here\n");
        return 0;
    }
    printf("# 10x10 spin glasses against the peers, at most %d passes\n", passes);
    printf("\n## Upper bounds: ln(Z_UB / Z)\n");
    table(ZB_SIDE_UPPER, passes);
    printf("\n## Lower bounds: ln(Z / Z_LB)\n");
    table(ZB_SIDE_LOWER, passes);
    return 0;
}
