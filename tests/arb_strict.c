/* Every method on random models, held against ln Z in ball arithmetic. No tolerance: a
 * bound on the wrong side by 1e-300 is on the wrong side.
 *
 *     build/test_strict 1 100000          # the models with seeds 1 to 100000
 *
 * Built where Arb is. */
#include "enclose.h"
#include "strict_models.h"

#include "baseline/blockfield.h"
#include "baseline/meanfield.h"
#include "baseline/trbp.h"
#include "engines.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_ENTRIES = 1 << 14, SHOWN = 20 };

typedef struct tally {
    uint64_t models, runs, wrong[2], sides; /* wrong: lower, upper */
    uint64_t exact;
    double widest; /* rounding / max(1, |bound|) */
} tally;

/* One way of asking. */
typedef struct way {
    const char *name;
    void (*set)(zb_options *opt, uint64_t seed);
    baseline_run *direct; /* in place of zb_solve: nothing is reduced first */
    zb_ball (*engine)(const zb_model *model); /* the same, exact; NAN: not for it */
    bool quick;                               /* on thousands of variables, too */
    tally tally;
} way;

/* ---- ways ------------------------------------------------------------------------ */

static void plain(zb_options *opt, uint64_t seed) { (void)opt, (void)seed; }

static void small(zb_options *opt, uint64_t seed)
{
    opt->ibound = 1 + (int)(seed / 7 % 3);
    opt->iterations = 3;
}

/* Any form, orders, both optimisers. */
static void buckets(zb_options *opt, uint64_t seed)
{
    static const zb_form forms[] = { ZB_FORM_AUTO, ZB_FORM_ORIGINAL, ZB_FORM_FORNEY,
                                     ZB_FORM_MERGED };
    static const zb_order orders[] = { ZB_ORDER_AUTO, ZB_ORDER_NATURAL,
                                       ZB_ORDER_MINFILL, ZB_ORDER_RANDOM };
    opt->ibound = 1 + (int)(seed / 5 % 4);
    opt->iterations = (int)(seed / 3 % 8);
    opt->form = forms[seed / 2 % 4];
    opt->order = orders[seed / 11 % 4];
    opt->optimizer = seed % 4 == 3 ? ZB_OPTIMIZER_PAPER : ZB_OPTIMIZER_DEFAULT;
}

/* Gauges need a form in which every variable is in two factors. */
static void gauged(zb_options *opt, uint64_t seed)
{
    buckets(opt, seed);
    if (opt->form == ZB_FORM_ORIGINAL)
        opt->form = ZB_FORM_MERGED;
}

static void sweeps(zb_options *opt, uint64_t seed)
{
    opt->iterations = (int)(seed % 40);
    opt->form = seed / 40 % 4 == 0 ? ZB_FORM_MERGED : ZB_FORM_AUTO;
}

/* Elimination in the order of the numbers. */
static zb_ball by_tables(const zb_model *model)
{
    int *order = order_of(model, false);
    zb_run run = open_run(NULL, 0, 1);
    zb_ball z;
    assert_int_equal(zb_exact_run(model, order, &run, &z, NULL), ZB_OK);
    zb_run_close(&run);
    free(order);
    return z;
}

static zb_ball by_sliced_tables(const zb_model *model) { return sum_slices(model, 1); }

static zb_status by_blocks(const zb_model *model, const zb_baseline_options *opt,
                           zb_baseline_result *out)
{
    size_t values = 1;
    for (int v = 0; v < model->nvars; v++)
        values += (size_t)model->card[v];
    double *q = malloc(values * sizeof *q);
    zb_run run = open_run(NULL, 0, 1);
    zb_blockfield_spec spec = { .q = q,
                                .known = -INFINITY,
                                .entries = 1 << opt->seed % 7,
                                .rounds = 1 + opt->iterations % 11,
                                .seed = opt->seed % 3,
                                .run = &run };
    zb_blockfield_result r;
    assert_non_null(q);
    begin_alike(model, q);
    assert_int_equal(zb_blockfield_run(model, &spec, &r), ZB_OK);
    *out = (zb_baseline_result){ .log_value = r.log_value,
                                 .radius = r.radius,
                                 .guaranteed = true };
    zb_run_close(&run);
    free(q);
    return ZB_OK;
}

static way WAYS[] = {
    { .name = "auto", .set = plain, .quick = true },
    { .name = "auto", .set = small, .quick = true },
    { .name = "be", .set = plain, .quick = true },
    { .name = "mbe", .set = buckets },
    { .name = "wmbe", .set = buckets },
    { .name = "wmbe-w", .set = buckets },
    { .name = "wmbe-theta", .set = buckets },
    { .name = "wmbe-wtheta", .set = buckets },
    { .name = "wmbe-g", .set = gauged },
    { .name = "wmbe-wg", .set = gauged },
    { .name = "trbp", .set = sweeps, .quick = true },
    { .name = "mf", .set = sweeps, .quick = true },
    { .name = "elimination", .engine = by_tables },
    { .name = "slices", .engine = by_sliced_tables },
    { .name = "trbp", .direct = zb_trbp_run, .quick = true },
    { .name = "mf", .direct = zb_meanfield_run, .quick = true },
    { .name = "blocks", .direct = by_blocks, .quick = true },
};

enum { WAY_COUNT = sizeof WAYS / sizeof *WAYS };

/* ---- answers --------------------------------------------------------------------- */

typedef struct question {
    const char *family;
    uint64_t seed;
    const zb_model *model;
    const enclosure *truth;
    double seconds; /* 0: as long as it takes */
} question;

static uint64_t wrong_in_all(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < WAY_COUNT; i++)
        sum += WAYS[i].tally.wrong[0] + WAYS[i].tally.wrong[1];
    return sum;
}

static void judge(const question *q, way *w, const zb_result *r)
{
    tally *t = &w->tally;
    bool bad[2] = { r->has_lower && !is_lower(q->truth, r->log_lower),
                    r->has_upper && !is_upper(q->truth, r->log_upper) };
    t->runs++;
    t->sides += (uint64_t)r->has_lower + (uint64_t)r->has_upper;
    for (int side = 0; side < 2; side++) {
        double bound = side ? r->log_upper : r->log_lower;
        if (bad[side] && wrong_in_all() < SHOWN)
            print_message("%s, seed %" PRIu64 ": %s: %s %.17g is off by %.3g\n",
                          q->family, q->seed, w->name, side ? "upper" : "lower", bound,
                          excess(q->truth, bound));
        t->wrong[side] += bad[side];
    }
    t->exact += r->exact;
    double bound = r->has_upper ? r->log_upper : r->log_lower;
    if (isfinite(bound))
        t->widest = fmax(t->widest, r->rounding / fmax(1, fabs(bound)));
}

static void ask_directly(const question *q, const way *w, zb_result *r)
{
    zb_baseline_options opt = zb_baseline_default();
    zb_baseline_result b;
    opt.iterations = (int)(q->seed % 40);
    opt.seed = q->seed;
    opt.restarts = 2;
    zb_status status = run_given(w->direct, q->model, &opt, &b);
    CHECK(status == ZB_OK && b.guaranteed, "%s, seed %" PRIu64 ": %s", q->family,
          q->seed, w->name);
    *r = (zb_result){ .log_lower = b.log_value,
                      .log_upper = b.log_value,
                      .rounding = b.radius };
    r->has_lower = w->direct != zb_trbp_run;
    r->has_upper = w->direct == zb_trbp_run;
}

static void ask_library(const question *q, const way *w, zb_result *r)
{
    zb_options opt = zb_options_default();
    zb_error err = { "" };
    assert_int_equal(zb_options_set(&opt, "method", w->name, &err), ZB_OK);
    opt.threads = 1;
    opt.seed = q->seed;
    opt.time = q->seconds;
    w->set(&opt, q->seed);
    zb_status status = zb_solve(q->model, &opt, NULL, r, &err);
    CHECK(status == ZB_OK || (status == ZB_ELIMIT && q->seconds > 0),
          "%s, seed %" PRIu64 ": %s: %s", q->family, q->seed, w->name, err.text);
}

static void ask_engine(const question *q, const way *w, zb_result *r)
{
    zb_ball z = w->engine(q->model);
    bool there = !isnan(z.mid);
    *r = (zb_result){ .log_lower = zb_down(z.mid, z.radius),
                      .log_upper = zb_up(z.mid, z.radius),
                      .rounding = z.radius,
                      .has_lower = there,
                      .has_upper = there,
                      .exact = there };
}

static void ask(const question *q, way *w)
{
    zb_result r;
    (w->engine != NULL   ? ask_engine
     : w->direct != NULL ? ask_directly
                         : ask_library)(q, w, &r);
    if (r.has_lower || r.has_upper)
        judge(q, w, &r);
}

static void tell(void)
{
    tally all = { 0 };
    for (int i = 0; i < WAY_COUNT; i++) {
        const tally *t = &WAYS[i].tally;
        print_message("%-12s %8" PRIu64 " models, %8" PRIu64 " bounds, wrong: %" PRIu64
                      " lower, %" PRIu64 " upper; %" PRIu64
                      " exact, rounding up to %.2g\n",
                      WAYS[i].name, t->runs, t->sides, t->wrong[0], t->wrong[1],
                      t->exact, t->widest);
        all.runs += t->runs, all.sides += t->sides;
    }
    print_message("in all %" PRIu64 " runs, %" PRIu64 " bounds, %" PRIu64 " wrong\n",
                  all.runs, all.sides, wrong_in_all());
}

static void reset(void)
{
    for (int i = 0; i < WAY_COUNT; i++)
        WAYS[i].tally = (tally){ 0 };
}

/* Seeds of the models, from the command line. */
static uint64_t first_seed = 1, last_seed;

/* ---- tests ----------------------------------------------------------------------- */

static void every_family(void **state)
{
    (void)state;
    uint64_t zero = 0, count = 0;
    reset();
    for (uint64_t seed = first_seed; seed <= last_seed; seed++, count++) {
        const family *f = &FAMILIES[seed % FAMILY_COUNT];
        zb_model *model = family_model(f, seed);
        enclosure truth;
        CHECK(enclose(&truth, model, MOST_ENTRIES), "%s, seed %" PRIu64 " is too wide",
              f->name, seed);
        question q = { f->name, seed, model, &truth, 0 };
        zero += truth.zero;
        for (int i = 0; i < WAY_COUNT; i++)
            ask(&q, &WAYS[i]);
        enclosure_free(&truth);
        zb_model_free(model);
    }
    print_message("%" PRIu64 " models, Z = 0 in %" PRIu64 "\n", count, zero);
    tell();
    assert_true(zero > 0 || count < 100);
    assert_true(wrong_in_all() == 0);
}

/* Ten thousand triangles with every entry 7, and scaled to Z = 1 but for the rounding
   of one number. */
static void equal_components(void **state)
{
    (void)state;
    static const struct {
        int copies;
        double value;
    } cases[] = {
        { 1, 7 }, { 10000, 7 }, { 1, 0.5 }, { 10000, 0.5 }, { 10000, 1.0 / 3 }
    };
    reset();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zb_model *one = equal_triangles(1, cases[i].value),
                 *all = equal_triangles(cases[i].copies, cases[i].value);
        enclosure truth;
        assert_true(enclose(&truth, one, MOST_ENTRIES));
        enclosure_repeat(&truth, (unsigned long)cases[i].copies);
        /* seeds 2 and 3: the original form, which takes the least time */
        question q = { "triangles", 2 + i % 2, all, &truth, 0 };
        for (int k = 0; k < WAY_COUNT; k++)
            if (cases[i].copies < 10000 || WAYS[k].quick)
                ask(&q, &WAYS[k]);
        enclosure_free(&truth);
        zb_model_free(one);
        zb_model_free(all);
    }
    tell();
    assert_true(wrong_in_all() == 0);
}

/* Too wide for tables from 30 spins on: what is left are brackets. */
static void complete_graphs(void **state)
{
    (void)state;
    static const int spins_of[] = { 9, 12, 40, 70 };
    const uint64_t count = 8;
    reset();
    for (uint64_t seed = 0; seed < count; seed++) {
        zb_rng rng = zb_rng_seed(seed);
        int n = spins_of[seed % 4];
        double coupling = (2 * zb_rng_uniform(&rng) - 1) * (seed / 4 % 2 ? 1 : 0.01),
               field = zb_rng_uniform(&rng);
        zb_model *model = complete_graph(n, coupling, field);
        enclosure truth;
        enclose_complete(&truth, n, coupling, field);
        question q = { "complete graph", seed, model, &truth, 0.2 };
        for (int k = 0; k < WAY_COUNT; k++)
            if (n < 20 || WAYS[k].engine == NULL)
                ask(&q, &WAYS[k]);
        enclosure_free(&truth);
        zb_model_free(model);
    }
    tell();
    assert_true(wrong_in_all() == 0);
}

/* ---- counting -------------------------------------------------------------------- */

/* As a count wants them: tables of logarithms, no variable of one value. */
static zb_model *make_counted(zb_rng *rng, uint64_t seed)
{
    int n = 1 + zb_rng_below(rng, 9), card[10];
    for (int v = 0; v < n; v++)
        card[v] = 2 + (seed % 3 == 0 ? zb_rng_below(rng, 3) : 0);
    zb_model *model = model_of(n, card);
    for (int f = zb_rng_below(rng, 12); f > 0; f--) {
        int scope[3], arity = draw_scope(rng, n, 3, scope);
        if (arity > 0)
            put(model, rng, arity, scope, ENTRIES_WIDE_LOGS, 0.3);
    }
    return model;
}

static bool stop_later(void *calls, const zb_progress *at)
{
    (void)at;
    return --*(int *)calls > 0;
}

/* In a random order, with little memory, stopped after so many questions (0: never). */
static zb_count_result count(const zb_model *model, zb_rng *rng, uint64_t seed)
{
    int order[32], calls = seed % 2 ? 1 + zb_rng_below(rng, 4) : 0;
    zb_count_spec spec = { .memory = 1 << 22, .memo = 1 << 14, .wide = seed % 3 == 1 };
    zb_count_result r;
    zb_run run = open_run(NULL, 0, 1),
           share = zb_run_share(&run, INFINITY, UINT64_MAX, 1);
    share.relay = stop_later;
    share.context = &calls;
    spec.run = calls > 0 ? &share : &run;
    for (int v = 0; v < zb_model_nvars(model); v++)
        order[v] = v;
    zb_rng_shuffle(rng, zb_model_nvars(model), order);
    assert_int_equal(zb_count_run(model, order, &spec, &r), ZB_OK);
    zb_run_close(&run);
    return r;
}

static void sums_of_counts(void **state)
{
    (void)state;
    uint64_t complete = 0, models = test_models(500);
    for (uint64_t seed = 1; seed <= models; seed++) {
        zb_rng rng = zb_rng_seed(seed);
        zb_model *model = seed % 4 ? make_counted(&rng, seed)
                                   : random_3cnf(12, 10 + (int)(seed / 4 % 50), seed);
        enclosure truth;
        assert_true(enclose(&truth, model, MOST_ENTRIES));
        zb_count_result r = count(model, &rng, seed);
        double lower = zb_down(r.log_z, r.radius), upper = zb_up(r.log_z, r.radius);
        complete += r.complete;
        CHECK(is_lower(&truth, lower) && (!r.complete || is_upper(&truth, upper)),
              "seed %" PRIu64 ": %.17g to %.17g is off by %.3g", seed, lower, upper,
              excess(&truth, r.log_z));
        CHECK(r.radius <= 1e-12 * (10 + fabs(r.log_z)) || r.log_z == -INFINITY,
              "seed %" PRIu64 ": %.3g of %.17g", seed, r.radius, r.log_z);
        enclosure_free(&truth);
        zb_model_free(model);
    }
    assert_true(complete > models / 2 && (complete < models || models < 10));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_counts),
        cmocka_unit_test(every_family),
        cmocka_unit_test(equal_components),
        cmocka_unit_test(complete_graphs),
    };
    const struct CMUnitTest models[] = { cmocka_unit_test(every_family) };
    last_seed = test_models(250);
    if (argc != 3)
        return cmocka_run_group_tests(tests, NULL, NULL);
    first_seed = strtoull(argv[1], NULL, 10);
    last_seed = strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(models, NULL, NULL);
}
