/* What a draw costs: grids by side and ibound, nanoseconds per variable and draw on one
 * core, and what the draws say. */
#include "bench.h"
#include "sample/confidence.h"
#include "sample/source.h"

#include <math.h>

static zb_source make(const zb_model *model, int ibound)
{
    zb_options opt = zb_options_default();
    zb_source source;
    zb_run run;
    opt.ibound = ibound;
    opt.iterations = 60;
    must(zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1), "run");
    must(zb_source_find(&source, model, &opt, &run), "bound");
    zb_run_close(&run);
    return source;
}

static void measure(int side, int ibound)
{
    enum { BATCHES = 40 };
    zb_model *model = spin_glass(side, side);
    zb_source s = make(model, ibound);
    zb_batch *b;
    zb_confidence c;
    must(zb_batch_new(&b, s.proposal, false), "batch");
    zb_confidence_open(&c, 1e-6);
    double best = INFINITY;
    for (uint64_t k = 0; k < BATCHES; k++) {
        double start = zb_now();
        zb_proposal_draw(s.proposal, 1, k, b, NULL);
        best = fmin(best, zb_now() - start);
        must(zb_confidence_add(&c, ZB_LANES, b->log_ratio, NULL), "draws");
    }
    double start = zb_now();
    zb_confidence_update(&c, NULL);
    double update = zb_now() - start;
    printf("| %dx%d | %d | %.1f | %.0f | %.2f | %.3f | %.0f %% | %.3f | %.0f |\n", side,
           side, ibound, 1e9 * best / ZB_LANES / zb_model_nvars(model), ZB_LANES / best,
           -c.log_mean, c.upper - c.lower, 100 * c.effective / (double)c.count, c.error,
           1e3 * update);
    zb_confidence_close(&c);
    zb_batch_free(b);
    zb_source_close(&s);
    zb_model_free(model);
}

int main(void)
{
    printf("| grid | ibound | ns | draws/s | ln U less the estimate | bracket | "
           "effective | error | ms for it |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int ibound = 6; ibound <= 14; ibound += 2)
        measure(40, ibound);
    measure(20, 10);
    measure(100, 10);
    return 0;
}
