/* What work over ranks costs, measured with threads as ranks (the same code as under
 * MPI), and what that means for many more of them: docs/scale.md.
 *
 *   bench/scale            measures slices, draws and passes on 1, 2, 4, 8 ranks
 *   bench/scale tree       SIDE IBOUND: passes over the tree of a grid alone
 *   bench/scale simulate   TASKS SECONDS LETTER LATENCY: the time of so many tasks of
 * so many seconds on 1 .. 100 000 ranks */
#include "steered.h"
#include "thread_ranks.h"
#include "auto/slice.h"
#include "base/rng.h"
#include "ranks/farm.h"

#include <stdio.h>

static const int SIZES[] = { 1, 2, 4, 8 };

static zb_model *grid(int side)
{
    zb_ising_spec spec = {
        .rows = side, .cols = side, .coupling = 1, .field = 0.5, .seed = 1
    };
    zb_model *model = NULL;
    return zb_generate_ising(&model, &spec) == ZB_OK ? model : NULL;
}

/* ---- slices ---------------------------------------------------------------------- */

static void slices(int side, int cut)
{
    zb_model *model = grid(side);
    int n = side * side, *order = zb_alloc((size_t)n, sizeof *order), var[16];
    for (int v = 0; v < n; v++)
        order[v] = v;
    for (int i = 0; i < cut; i++) /* down the middle column */
        var[i] = side / 2 + side * (i * side / cut);
    zb_cutset cutset = { .count = cut, .var = var, .slices = ldexp(1, cut) };
    printf("%d slices of a %dx%d grid\n ranks  seconds    bytes  letters\n", 1 << cut,
           side, side);
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        thread_ranks t;
        zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], 0);
        zb_run run = open_run(NULL, 0, 1);
        zb_ball z;
        bool complete;
        run.ranks = zb_ranks_enter(ranks, UINT64_MAX);
        zb_slices s = {
            .model = model, .cutset = &cutset, .order = order, .run = &run
        };
        double before = zb_now();
        if (zb_slices_all(&s, &z, &complete) != ZB_OK || !complete)
            puts("failed");
        printf("%6d %8.3f %8llu %8llu  %.17g\n", SIZES[k], zb_now() - before,
               (unsigned long long)ranks->bytes, (unsigned long long)ranks->letters,
               z.mid);
        zb_run_close(&run);
        thread_ranks_close(&t);
    }
    zb_free(order);
    zb_model_free(model);
}

/* ---- draws ----------------------------------------------------------------------- */

static void draws(int side, int rounds)
{
    zb_model *model = grid(side);
    printf("draws of a %dx%d grid\n ranks  seconds  samples  letters\n", side, side);
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        thread_ranks t;
        zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], 0);
        zb_run run = open_run(NULL, 0, 1);
        zb_options opt = zb_options_default();
        steered s;
        opt.time = 0;
        opt.threads = 1;
        run.ranks = zb_ranks_enter(ranks, UINT64_MAX);
        if (steered_open(&s, model, &opt, &run) != ZB_OK ||
            steered_bound(&s, ZB_FORM_ORIGINAL, 8, 1) != ZB_OK)
            puts("failed");
        double before = zb_now();
        for (int i = 0; i < rounds; i++)
            if (zb_draws_run(&s.p, INFINITY, s.p.ledger.work.threads) != ZB_OK)
                puts("failed");
        printf("%6d %8.3f %8zu %8llu  %.17g\n", SIZES[k], zb_now() - before,
               s.p.draws[0].confidence.count, (unsigned long long)ranks->letters,
               s.p.draws[0].lower);
        steered_close(&s);
        zb_run_close(&run);
        thread_ranks_close(&t);
    }
    zb_model_free(model);
}

/* ---- simulation ------------------------------------------------------------------ */

/* The farm as it is: rank 0's office answers one letter at a time, which takes `letter`
   seconds; a way takes `latency`. Each asker gets as many tasks as take 0.02 s, but no
   more than a share of what is left (src/ranks/farm.c). Task times vary by a factor of
   two either way. */
typedef struct event {
    double at;
} event;

static bool sooner(const event *a, const event *b) { return a->at < b->at; }

static double simulate(double tasks, double seconds, double letter, double latency,
                       int ranks)
{
    event *heap = malloc((size_t)ranks * sizeof *heap);
    zb_rng rng = zb_rng_seed(1);
    double office = 0, end = 0, left = tasks;
    for (int i = 0; i < ranks; i++)
        heap[i] = (event){ latency };
    while (left > 0) {
        double many = fmin(fmax(1, 0.02 / seconds), fmax(1, left / (4.0 * ranks)));
        many = fmin(floor(many), left);
        office = fmax(office, heap[0].at) + letter;
        double work = 0, pieces = fmin(many, 16);
        for (int k = 0; k < (int)pieces; k++)
            work += many / pieces * seconds * exp2(2 * zb_rng_uniform(&rng) - 1);
        heap[0].at = office + 2 * latency + work;
        end = fmax(end, heap[0].at);
        left -= many;
        for (int i = 0;;) { /* down the heap */
            int child = 2 * i + 1;
            if (child + 1 < ranks && sooner(&heap[child + 1], &heap[child]))
                child++;
            if (child >= ranks || !sooner(&heap[child], &heap[i]))
                break;
            event swap = heap[i];
            heap[i] = heap[child];
            heap[child] = swap;
            i = child;
        }
    }
    free(heap);
    return end;
}

/* ---- passes over a tree ---------------------------------------------------------- */

typedef struct cost {
    double seconds, bytes, letters, upper;
} cost;

/* Of so many iterations. */
static cost pass_cost(const zb_model *model, int ibound, bool gauged, int iterations,
                      int ranks)
{
    thread_ranks t;
    zb_options opt = zb_options_default();
    zb_result r;
    opt.ranks = thread_ranks_open(&t, ranks, 0);
    opt.method = gauged ? ZB_METHOD_WMBE_WG : ZB_METHOD_WMBE_WTHETA;
    opt.form = gauged ? ZB_FORM_FORNEY : ZB_FORM_ORIGINAL;
    opt.order = ZB_ORDER_MINFILL;
    opt.side = ZB_SIDE_UPPER;
    opt.time = 0;
    opt.tolerance = 0;
    opt.threads = 1;
    opt.ibound = ibound;
    opt.iterations = iterations;
    if (zb_solve(model, &opt, NULL, &r, NULL) != ZB_OK)
        puts("failed");
    cost c = { .seconds = r.seconds, .upper = r.log_upper };
    for (int i = 0; i < ranks; i++) {
        c.bytes += (double)t.at[i].ranks->bytes;
        c.letters += (double)t.at[i].ranks->letters;
    }
    thread_ranks_close(&t);
    return c;
}

static void passes(int side, int ibound, bool gauged)
{
    enum { FEW = 2, MANY = 12 };
    zb_model *model = grid(side);
    printf(
        "passes over a %dx%d grid, ibound %d%s, each way up and down\n ranks  seconds"
        "   letters      bytes\n",
        side, side, ibound, gauged ? ", gauges" : "");
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        cost few = pass_cost(model, ibound, gauged, FEW, SIZES[k]),
             many = pass_cost(model, ibound, gauged, MANY, SIZES[k]);
        double n = MANY - FEW;
        printf("%6d %8.3f %9.0f %10.0f  %.17g\n", SIZES[k],
               (many.seconds - few.seconds) / n, (many.letters - few.letters) / n,
               (many.bytes - few.bytes) / n, many.upper);
    }
    zb_model_free(model);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "tree") == 0) {
        passes(atoi(argv[2]), atoi(argv[3]), false);
        passes(atoi(argv[2]), atoi(argv[3]), true);
        return 0;
    }
    if (argc == 6 && strcmp(argv[1], "simulate") == 0) {
        double tasks = atof(argv[2]), seconds = atof(argv[3]), letter = atof(argv[4]),
               latency = atof(argv[5]);
        double one = simulate(tasks, seconds, letter, latency, 1);
        for (int ranks = 1; ranks <= 100000; ranks *= 10) {
            double s = simulate(tasks, seconds, letter, latency, ranks);
            printf("%6d ranks %12.4g s, efficiency %.3f\n", ranks, s, one / s / ranks);
        }
        return 0;
    }
    slices(18, 7);
    draws(30, 8);
    passes(100, 10, false);
    return 0;
}
