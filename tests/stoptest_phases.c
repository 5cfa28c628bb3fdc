/* Each phase, stopped at any time: it returns promptly, with a result that holds or
   with ZB_ELIMIT, and leaves nothing behind. Time is counted in looks at the clock,
   which happen once in 250 000 operations or so; models are large enough for many
   looks. */
#include "oracle.h"
#include "count/count.h"
#include "baseline/bp.h"
#include "baseline/blockfield.h"
#include "baseline/meanfield.h"
#include "baseline/trbp.h"
#include "given.h"
#include "base/sort.h"
#include "fake_clock.h"
#include "form/form.h"
#include "graphs.h"
#include "order/order.h"
#include "simplify/simplify.h"
#include "test.h"
#include "tree/tree.h"

enum { POINTS = 5, PROMPT = 12 };

typedef struct job {
    zb_model *model;
    const zb_scopes *s;
    int *order;
    zb_order kind;
    zb_form form;
    int variant;
    double lower, upper; /* what the whole work found */
} job;

/* ---- models ---------------------------------------------------------------------- */

static zb_model *blank(int n, int card)
{
    int *cards = malloc((size_t)n * sizeof *cards);
    zb_model *model;
    for (int v = 0; v < n; v++)
        cards[v] = card;
    assert_int_equal(zb_model_new(&model, n, cards), ZB_OK);
    free(cards);
    return model;
}

static zb_model *grid(int rows, int cols)
{
    zb_ising_spec spec = {
        .rows = rows, .cols = cols, .coupling = 0.5, .field = 0.5, .seed = 1
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    return model;
}

static bool is_permutation(int n, const int *order)
{
    bool *seen = calloc((size_t)n + 1, sizeof *seen), fine = true;
    for (int i = 0; i < n; i++) {
        fine = fine && order[i] >= 0 && order[i] < n && !seen[order[i]];
        if (fine)
            seen[order[i]] = true;
    }
    free(seen);
    return fine;
}

/* Works that keep shares of the time for what follows may end before their run does, so
   that few of the runs are stopped. always: an answer of some kind is promised. */
static void check(const char *name, zb_status (*work)(void *, zb_run *), job *j,
                  bool always)
{
    stop_result r = stop_everywhere(work, j, POINTS, PROMPT);
    CHECK(r.looks >= 5, "%s: %ld looks are too few to be stopped at", name, r.looks);
    CHECK(r.stopped >= 1, "%s: %ld of %d runs were stopped", name, r.stopped, POINTS);
    CHECK(!always || r.refused == 0, "%s: %ld runs without an answer", name, r.refused);
}

/* ---- orders ---------------------------------------------------------------------- */

static zb_status make_order(void *context, zb_run *run)
{
    job *j = context;
    zb_order_request req = {
        .kind = j->kind, .ibound = 4, .tries = 20, .seconds = 0.02, .run = run
    };
    zb_order_cost cost;
    zb_status status = zb_order_make(j->s, &req, j->order, &cost);
    assert_int_equal(status, ZB_OK);
    assert_true(is_permutation(j->s->nvars, j->order));
    assert_true(cost.width >= 0 && cost.total > 0);
    return status;
}

static zb_status evaluate(void *context, zb_run *run)
{
    job *j = context;
    zb_order_cost cost;
    return zb_order_evaluate(j->s, j->order, run, &cost);
}

static zb_status count_splits(void *context, zb_run *run)
{
    job *j = context;
    zb_split_cost cost;
    return zb_order_splits(j->s, j->order, 3, 0, run, &cost);
}

static zb_status make_tree(void *context, zb_run *run)
{
    job *j = context;
    zb_split_spec spec = { .ibound = 3, .partition = ZB_PARTITION_SCOPE, .run = run };
    zb_tree *tree;
    zb_status status = zb_tree_new(&tree, j->s, j->order, &spec);
    assert_true((status == ZB_OK) == (tree != NULL));
    zb_tree_free(tree);
    return status;
}

static void orders_and_trees(void **state)
{
    (void)state;
    static const zb_order kinds[] = { ZB_ORDER_AUTO,      ZB_ORDER_MINFILL,
                                      ZB_ORDER_MINDEGREE, ZB_ORDER_MINWEIGHT,
                                      ZB_ORDER_MINSPLIT,  ZB_ORDER_SWEEP,
                                      ZB_ORDER_NATURAL,   ZB_ORDER_RANDOM };
    graph g = graph_grid(70, 70);
    job j = { .s = &g.s, .order = malloc((size_t)g.s.nvars * sizeof *j.order) };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        j.kind = kinds[k];
        check(zb_order_name(j.kind), make_order, &j, true);
    }
    check("evaluate", evaluate, &j, false);
    check("splits", count_splits, &j, false);
    check("tree", make_tree, &j, false);
    free(j.order);
    graph_free(&g);
}

/* A hub: one bucket with everything in it. */
static void hubs(void **state)
{
    (void)state;
    enum { N = 30000 };
    graph g = graph_new(N + 1, 2);
    job j = { .s = &g.s, .order = malloc((N + 1) * sizeof *j.order) };
    for (int v = 1; v <= N; v++)
        graph_edge(&g, 0, v);
    for (int v = 0; v <= N; v++)
        j.order[v] = v;
    check("hub, splits", count_splits, &j, false);
    check("hub, tree", make_tree, &j, false);
    free(j.order);
    graph_free(&g);
}

/* ---- reductions ------------------------------------------------------------------ */

/* Stopped or not, what is left has the model's ln Z: compared by what a further
   reduction, not stopped, makes of it. */
static zb_status simplify(void *context, zb_run *run)
{
    job *j = context;
    zb_reduction *r, *again;
    zb_status status = zb_simplify(&r, j->model, run);
    fake_clock_done();
    assert_true((status == ZB_OK) == (r != NULL));
    if (status != ZB_OK)
        return status;
    for (int v = 0; v < r->model->nvars; v++)
        assert_true(r->model->card[v] >= 2 && r->model->evidence[v] < 0);
    for (int f = 0; f < r->model->nfactors; f++)
        assert_true(r->model->factor[f].log && r->model->factor[f].arity > 0);
    assert_int_equal(zb_simplify(&again, r->model, NULL), ZB_OK);
    if (again->model->nvars == 0)
        CHECK(fabs(again->model->log_scale - j->upper) < 1e-6 * fabs(j->upper),
              "%.12g is not %.12g", again->model->log_scale, j->upper);
    zb_reduction_free(again);
    zb_reduction_free(r);
    return status;
}

static zb_status split(void *context, zb_run *run)
{
    job *j = context;
    zb_model **parts;
    int count, *part, *place;
    zb_status status =
        zb_components_split(j->model, run, &count, &parts, &part, &place);
    if (status == ZB_OK) {
        zb_components_free(count, parts);
        zb_free(part);
        zb_free(place);
    } else
        assert_true(parts == NULL && part == NULL && place == NULL);
    return status;
}

static void reductions(void **state)
{
    (void)state;
    enum { N = 20000 };
    job j = { .model = blank(N, 2) };
    zb_rng rng = zb_rng_seed(1);
    for (int v = 0; v + 1 < N; v++) { /* a path: nothing is left of it */
        double table[4];
        for (int i = 0; i < 4; i++)
            table[i] = zb_rng_uniform(&rng) - (v % 50 == 0 && i == 1 ? INFINITY : 0);
        assert_int_equal(zb_model_add_log(j.model, 2, (int[]){ v, v + 1 }, table),
                         ZB_OK);
    }
    zb_reduction *r;
    assert_int_equal(zb_simplify(&r, j.model, NULL), ZB_OK);
    assert_int_equal(r->model->nvars, 0);
    j.upper = r->model->log_scale;
    zb_reduction_free(r);
    check("simplify a path", simplify, &j, false);
    check("components", split, &j, false);
    zb_model_free(j.model);
    j.model = random_3cnf(1000, 4000, 3);
    check("simplify a formula", simplify, &j, false);
    zb_model_free(j.model);
}

/* The optional parts have their own time: a run that ends in the middle of probing
   still gives a reduced model. */
static void small_budgets_give_reductions(void **state)
{
    (void)state;
    job j = { .model = random_3cnf(1000, 4000, 4) };
    zb_run run;
    zb_reduction *r;
    long start = fake_clock_looks();
    assert_int_equal(zb_simplify(&r, j.model, NULL), ZB_OK);
    zb_reduction_free(r);
    fake_clock_run(&run, 1L << 40);
    assert_int_equal(zb_simplify(&r, j.model, &run), ZB_OK);
    zb_reduction_free(r);
    zb_run_close(&run);
    long whole = fake_clock_looks() - start;
    fake_clock_run(&run, whole * 3 / 4);
    assert_int_equal(zb_simplify(&r, j.model, &run), ZB_OK);
    zb_run_close(&run);
    zb_reduction_free(r);
    zb_model_free(j.model);
}

/* ---- forms ----------------------------------------------------------------------- */

static zb_status make_form(void *context, zb_run *run)
{
    job *j = context;
    zb_form_request request = {
        .form = j->form, .ibound = 6, .variant = j->variant, .run = run
    };
    zb_error err = { "" };
    zb_model *form;
    zb_status status = zb_form_build(&form, j->model, &request, NULL, &err);
    assert_true((status == ZB_OK) == (form != NULL));
    assert_true(status == ZB_OK || err.text[0] != '\0');
    zb_model_free(form);
    return status;
}

static zb_status clean(void *context, zb_run *run)
{
    job *j = context;
    zb_model *form;
    zb_status status = zb_form_clean(&form, j->model, run);
    zb_model_free(form);
    return status;
}

static void forms(void **state)
{
    (void)state;
    job j = { .model = grid(40, 40) };
    check("clean", clean, &j, false);
    for (j.form = ZB_FORM_FORNEY; j.form <= ZB_FORM_MERGED; j.form++)
        for (j.variant = 0; j.variant < (j.form == ZB_FORM_MERGED ? 3 : 1); j.variant++)
            check(zb_form_name(j.form), make_form, &j, false);
    zb_model_free(j.model);
}

/* ---- counting -------------------------------------------------------------------- */

/* A lower bound whenever it stops: never above the answer. */
static zb_status count(void *context, zb_run *run)
{
    job *j = context;
    zb_count_spec spec = {
        .memory = 1 << 24, .memo = 1 << 16, .wide = j->variant == 1, .run = run
    };
    zb_count_result r;
    zb_status status = zb_count_run(j->model, j->order, &spec, &r);
    if (status != ZB_OK)
        return status;
    if (r.complete && j->upper == 0)
        j->upper = zb_up(r.log_z, r.radius);
    CHECK(zb_down(r.log_z, r.radius) <= j->upper, "%.17g above %.17g", r.log_z,
          j->upper);
    CHECK(!r.complete || fabs(r.log_z - j->upper) < 1e-9 * fabs(j->upper),
          "%.12g is not %.12g", r.log_z, j->upper);
    return status;
}

static void counting(void **state)
{
    (void)state;
    enum { N = 40 };
    job j = { .model = random_3cnf(N, 100, 5), .order = malloc(N * sizeof *j.order) };
    for (int v = 0; v < N; v++)
        j.order[v] = v;
    for (j.variant = 0; j.variant < 2; j.variant++)
        check("count", count, &j, false);
    zb_model_free(j.model);
    free(j.order);
}

/* One large table with many zeros: the clauses alone take their time. */
static void clauses(void **state)
{
    (void)state;
    enum { N = 14 };
    job j = { .model = blank(N, 2), .order = malloc(N * sizeof *j.order) };
    double *table = malloc(sizeof *table << N);
    zb_rng rng = zb_rng_seed(6);
    for (int i = 0; i < 1 << N; i++)
        table[i] = i > 0 && zb_rng_below(&rng, 2) == 0 ? -INFINITY : 0;
    for (int v = 0; v < N; v++)
        j.order[v] = v;
    assert_int_equal(zb_model_add_log(j.model, N, j.order, table), ZB_OK);
    check("clauses", count, &j, false);
    free(table);
    zb_model_free(j.model);
    free(j.order);
}

/* ---- baselines ------------------------------------------------------------------- */

static zb_status trbp(void *context, zb_run *run)
{
    job *j = context;
    zb_baseline_options opt = zb_baseline_default();
    zb_baseline_result r;
    opt.run = run;
    opt.iterations = 20;
    zb_status status = zb_trbp_run(j->model, &opt, &r);
    if (status == ZB_OK) /* what is not complete is worse, never better */
        assert_true(r.guaranteed && r.log_value >= j->lower);
    return status;
}

static zb_status meanfield(void *context, zb_run *run)
{
    job *j = context;
    zb_baseline_options opt = zb_baseline_default();
    zb_baseline_result r;
    opt.run = run;
    opt.iterations = 20;
    opt.restarts = 2;
    zb_status status = zb_meanfield_run(j->model, &opt, &r);
    if (status == ZB_OK)
        assert_true(r.guaranteed && r.log_value <= j->upper);
    return status;
}

static zb_status blocks(void *context, zb_run *run)
{
    job *j = context;
    double *q = malloc((size_t)j->model->nvars * 2 * sizeof *q);
    zb_blockfield_spec spec = {
        .q = q, .known = -INFINITY, .entries = 256, .rounds = 4, .run = run
    };
    zb_blockfield_result r;
    assert_non_null(q);
    begin_alike(j->model, q);
    zb_status status = zb_blockfield_run(j->model, &spec, &r);
    assert_true(status == ZB_OK && r.log_value <= j->upper);
    free(q);
    return status;
}

static zb_status bp(void *context, zb_run *run)
{
    job *j = context;
    zb_baseline_options opt = zb_baseline_default();
    zb_baseline_result r;
    opt.run = run;
    opt.iterations = 20;
    zb_status status = zb_bp_run(j->model, &opt, &r);
    assert_true(status != ZB_OK || !r.exact);
    return status;
}

static void baselines(void **state)
{
    (void)state;
    job j = { .model = grid(30, 30) };
    zb_baseline_options opt = zb_baseline_default();
    zb_baseline_result up, low;
    assert_int_equal(zb_trbp_run(j.model, &opt, &up), ZB_OK);
    opt.restarts = 1;
    assert_int_equal(zb_meanfield_run(j.model, &opt, &low), ZB_OK);
    assert_true(low.log_value < up.log_value);
    j.lower = low.log_value;
    j.upper = up.log_value;
    check("trbp", trbp, &j, true);
    check("mf", meanfield, &j, true);
    check("blocks", blocks, &j, true);
    check("bp", bp, &j, true);
    zb_model_free(j.model);
}

/* ---- other ways to stop ---------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

static zb_status sort(void *context, zb_run *run)
{
    enum { N = 200000 };
    job *j = context;
    zb_ticker tick = { .run = run };
    zb_rng rng = zb_rng_seed(7);
    for (int i = 0; i < N; i++)
        j->order[i] = zb_rng_below(&rng, N);
    zb_status status = zb_sort(j->order, N, sizeof *j->order, by_value, &tick);
    for (int i = 1; i < N && status == ZB_OK; i++)
        assert_true(j->order[i - 1] <= j->order[i]);
    return status;
}

static void sorting(void **state)
{
    (void)state;
    job j = { .order = malloc(200000 * sizeof *j.order) };
    check("sort", sort, &j, false);
    free(j.order);
}

typedef struct caller {
    int calls, most;
} caller;

static bool until(void *context, const zb_progress *at)
{
    caller *c = context;
    (void)at;
    return ++c->calls < c->most;
}

/* The observer, asked once in fifty looks, says that it is enough; and a share that
   another one stops. */
static void callers_are_heard(void **state)
{
    (void)state;
    graph g = graph_grid(100, 100);
    job j = { .s = &g.s, .order = malloc((size_t)g.s.nvars * sizeof *j.order) };
    j.kind = ZB_ORDER_AUTO;
    for (int most = 1; most < 4; most++) {
        caller c = { .most = most };
        zb_observer observer = { .context = &c, .progress = until };
        zb_run run, share;
        assert_int_equal(zb_run_open(&run, &observer, INFINITY, UINT64_MAX, 1), ZB_OK);
        assert_int_equal(make_order(&j, &run), ZB_OK);
        assert_int_equal(c.calls, most);
        zb_run_close(&run);
        assert_int_equal(zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
        share = zb_run_share(&run, INFINITY, UINT64_MAX, 1);
        zb_run_stop(&share);
        long start = fake_clock_looks();
        assert_int_equal(make_order(&j, &share), ZB_OK);
        assert_true(fake_clock_looks() - start < PROMPT);
        assert_true(zb_run_more(&run) && !zb_run_interrupted(&run));
        zb_run_close(&run);
    }
    free(j.order);
    graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_and_trees),
        cmocka_unit_test(hubs),
        cmocka_unit_test(reductions),
        cmocka_unit_test(small_budgets_give_reductions),
        cmocka_unit_test(forms),
        cmocka_unit_test(counting),
        cmocka_unit_test(clauses),
        cmocka_unit_test(baselines),
        cmocka_unit_test(sorting),
        cmocka_unit_test(callers_are_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
