/* Budgets are promises, in every phase: a run that is told to stop ends within 0.3 s,
 * one with a time limit within the limit and 5 % and 0.2 s, and memory stays within its
 * limit. Everything is measured in processor time of the process, which a busy machine
 * does not stretch, with one thread, so that it is at most the time on the wall.
 *
 * ZB_TEST_MOMENTS is the number of moments at which each phase is stopped. */
#include "base/account.h"
#include "base/rng.h"
#include "test.h"

#include <stdlib.h>
#include <time.h>

typedef struct scene { /* a model that spends long in some phase, and how to get there
                        */
    const char *name;
    zb_model *(*model)(void);
    zb_method method;
    zb_order order;
    zb_side side;
    int ibound;
    uint64_t memory;
} scene;

/* ---- models ---------------------------------------------------------------------- */

static zb_model *new_binary(int n)
{
    zb_model *model;
    int *card = malloc((size_t)n * sizeof *card);
    for (int v = 0; v < n; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    free(card);
    return model;
}

static zb_model *grid(int side, double coupling)
{
    zb_ising_spec spec = {
        .rows = side, .cols = side, .coupling = coupling, .field = 0.1, .seed = 1
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    return model;
}

static zb_model *grid28(void) { return grid(28, 1); }
static zb_model *grid90(void) { return grid(90, 1); }
static zb_model *grid300(void) { return grid(300, 1); }

static void add_pair(zb_model *model, int u, int v, zb_rng *rng, double spread)
{
    double value[4];
    for (int i = 0; i < 4; i++)
        value[i] = exp(spread * (zb_rng_uniform(rng) - 0.5));
    assert_int_equal(zb_model_add(model, 2, (int[]){ u, v }, value), ZB_OK);
}

static zb_model *triangles(int count, double spread)
{
    zb_rng rng = zb_rng_seed(1);
    zb_model *model = new_binary(3 * count);
    for (int t = 0; t < count; t++)
        for (int i = 0; i < 3; i++)
            add_pair(model, 3 * t + i, 3 * t + (i + 1) % 3, &rng, spread);
    return model;
}

static zb_model *many_triangles(void) { return triangles(30000, 1e-9); }

/* Hard components, several hundred of them. */
static zb_model *many_cliques(void)
{
    zb_rng rng = zb_rng_seed(2);
    enum { COUNT = 200, EACH = 24 };
    zb_model *model = new_binary(COUNT * EACH);
    for (int c = 0; c < COUNT; c++)
        for (int u = 0; u < EACH; u++)
            for (int v = 0; v < u; v++)
                add_pair(model, c * EACH + u, c * EACH + v, &rng, 2);
    return model;
}

static zb_model *complete(void)
{
    zb_rng rng = zb_rng_seed(3);
    enum { N = 500 };
    zb_model *model = new_binary(N);
    for (int u = 0; u < N; u++)
        for (int v = 0; v < u; v++)
            add_pair(model, u, v, &rng, 0.5);
    return model;
}

static zb_model *random_factors(int n, int m, int arity, int card, double zeros)
{
    zb_random_spec spec = { .variables = n,
                            .factors = m,
                            .arity = arity,
                            .cardinality = card,
                            .zeros = zeros,
                            .seed = 5 };
    zb_model *model;
    assert_int_equal(zb_generate_random(&model, &spec), ZB_OK);
    return model;
}

static zb_model *wide_values(void) { return random_factors(60, 110, 2, 81, 0); }
static zb_model *constraints(void) { return random_factors(4000, 9000, 3, 2, 0.12); }
static zb_model *sparse_triples(void) { return random_factors(3000, 4500, 3, 3, 0.02); }

/* Clauses of three literals, four to a variable: satisfiable, far too many to count. */
static zb_model *formula(void)
{
    zb_rng rng = zb_rng_seed(7);
    enum { N = 3000 };
    zb_model *model = new_binary(N);
    for (int c = 0; c < 3 * N; c++) {
        int scope[3];
        double value[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
        for (int i = 0; i < 3; i++)
            do
                scope[i] = zb_rng_below(&rng, N);
            while ((i > 0 && scope[i] == scope[0]) || (i > 1 && scope[i] == scope[1]));
        value[1 + zb_rng_below(&rng, 7)] = 0;
        assert_int_equal(zb_model_add(model, 3, scope, value), ZB_OK);
    }
    return model;
}

static zb_model *pedigree(void)
{
    zb_pedigree_spec spec = { .founders = 40,
                              .children = 300,
                              .loci = 12,
                              .alleles = 4,
                              .typed = 0.4,
                              .seed = 3 };
    zb_model *model;
    assert_int_equal(zb_generate_pedigree(&model, &spec), ZB_OK);
    return model;
}

static const scene scenes[] = {
    { "exact elimination", grid28, ZB_METHOD_BE, 0, 0, 0, 0 },
    { "order search for elimination", sparse_triples, ZB_METHOD_BE, 0, 0, 0, 0 },
    { "order of a complete graph", complete, ZB_METHOD_BE, 0, 0, 0, 0 },
    { "reductions of a pedigree", pedigree, ZB_METHOD_BE, 0, 0, 0, 0 },
    { "slices", grid28, ZB_METHOD_AUTO, 0, 0, 0, 40 << 20 },
    { "counting", formula, ZB_METHOD_AUTO, 0, 0, 0, 0 },
    { "constraints", constraints, ZB_METHOD_AUTO, 0, 0, 0, 0 },
    { "pedigree", pedigree, ZB_METHOD_AUTO, 0, 0, 0, 0 },
    { "grid", grid90, ZB_METHOD_AUTO, 0, 0, 0, 100 << 20 },
    { "large grid", grid300, ZB_METHOD_AUTO, 0, 0, 0, 0 },
    { "complete graph", complete, ZB_METHOD_AUTO, 0, 0, 0, 0 },
    { "many components", many_cliques, ZB_METHOD_AUTO, 0, 0, 0, 0 },
    { "cardinality 81", wide_values, ZB_METHOD_AUTO, 0, 0, 0, 500 << 20 },
    { "triples", sparse_triples, ZB_METHOD_AUTO, 0, 0, 0, 0 },
    { "mbe on triangles", many_triangles, ZB_METHOD_MBE, 0, 0, 2, 0 },
    { "wmbe on triangles", many_triangles, ZB_METHOD_WMBE, 0, 0, 2, 0 },
    { "minfill", grid300, ZB_METHOD_WMBE, ZB_ORDER_MINFILL, 0, 6, 0 },
    { "mindegree", complete, ZB_METHOD_WMBE, ZB_ORDER_MINDEGREE, 0, 6, 0 },
    { "minweight", sparse_triples, ZB_METHOD_WMBE, ZB_ORDER_MINWEIGHT, 0, 6, 0 },
    { "minsplit", grid300, ZB_METHOD_WMBE, ZB_ORDER_MINSPLIT, 0, 6, 0 },
    { "sweep", grid300, ZB_METHOD_WMBE, ZB_ORDER_SWEEP, 0, 6, 0 },
    { "natural", grid300, ZB_METHOD_WMBE, ZB_ORDER_NATURAL, 0, 6, 0 },
    { "random order", grid90, ZB_METHOD_WMBE, ZB_ORDER_RANDOM, 0, 6, 0 },
    { "weights", grid90, ZB_METHOD_WMBE_W, 0, 0, 8, 0 },
    { "shifts", grid90, ZB_METHOD_WMBE_THETA, 0, 0, 8, 0 },
    { "weights and shifts, below", grid90, ZB_METHOD_WMBE_WTHETA, 0, ZB_SIDE_LOWER, 8,
      0 },
    { "large tables", grid28, ZB_METHOD_WMBE_WTHETA, 0, 0, 22, 0 },
    { "gauges", grid90, ZB_METHOD_WMBE_G, 0, 0, 6, 0 },
    { "weights and gauges", sparse_triples, ZB_METHOD_WMBE_WG, 0, 0, 6, 0 },
    { "forests", grid300, ZB_METHOD_TRBP, 0, 0, 0, 0 },
    { "forests of a complete graph", complete, ZB_METHOD_TRBP, 0, 0, 0, 0 },
    { "belief propagation", grid300, ZB_METHOD_BP, 0, 0, 0, 0 },
    { "mean field", grid300, ZB_METHOD_MF, 0, 0, 0, 0 },
    { "mean field with zeros", formula, ZB_METHOD_MF, 0, 0, 0, 0 },
};

/* ---- the watchdog ---------------------------------------------------------------- */

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static zb_options options(const scene *s)
{
    zb_options opt = zb_options_default();
    opt.method = s->method;
    opt.order = s->order;
    opt.side = s->side;
    opt.ibound = s->ibound;
    opt.memory = s->memory;
    opt.threads = 1;
    opt.time = 0;
    return opt;
}

static bool not_yet(void *context, const zb_progress *at)
{
    (void)at;
    return processor_seconds() < *(double *)context;
}

static void check_stop(const scene *s, const zb_model *model, double after)
{
    zb_options opt = options(s);
    zb_result r;
    double end = processor_seconds() + after;
    zb_observer observer = { .context = &end, .progress = not_yet };
    zb_status status = zb_solve(model, &opt, &observer, &r, NULL);
    double late = processor_seconds() - end;
    CHECK(status == ZB_OK || status == ZB_ELIMIT, "%s: %s", s->name,
          zb_status_text(status));
    CHECK(late < 0.3, "%s: told to stop after %.2f s, it took %.2f s to end", s->name,
          after, late);
}

static void check_limits(const scene *s, const zb_model *model, double seconds)
{
    zb_options opt = options(s);
    zb_result r;
    double begin = processor_seconds();
    opt.time = seconds;
    uint64_t before = zb_account_used();
    zb_status status = zb_solve(model, &opt, NULL, &r, NULL);
    double spent = processor_seconds() - begin;
    CHECK(status == ZB_OK || status == ZB_ELIMIT, "%s: %s", s->name,
          zb_status_text(status));
    CHECK(spent < 1.05 * seconds + 0.2, "%s: %.2f s instead of %.2f", s->name, spent,
          seconds);
    CHECK(zb_account_used() == before, "%s: memory is lost", s->name);
    CHECK(s->memory == 0 || zb_account_peak() < s->memory, "%s: %.3g bytes", s->name,
          (double)zb_account_peak());
}

/* Deep runs stop each phase at many moments; an ordinary one at two. */
static void every_phase_ends_when_told(void **state)
{
    (void)state;
    const char *text = getenv("ZB_TEST_MOMENTS");
    uint64_t moments = text != NULL ? strtoull(text, NULL, 10) : 2;
    zb_rng rng = zb_rng_seed(11);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        zb_model *model = scenes[i].model();
        for (uint64_t k = 0; k < moments; k++)
            check_stop(&scenes[i], model,
                       k == 0 ? 0.02 : exp(-4 + 5 * zb_rng_uniform(&rng)) / 12);
        zb_model_free(model);
    }
}

static void every_phase_keeps_its_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        zb_model *model = scenes[i].model();
        check_limits(&scenes[i], model, 0.15);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_phase_ends_when_told),
        cmocka_unit_test(every_phase_keeps_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
