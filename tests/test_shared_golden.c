/* Numbers of an independent implementation, in ../shared/reference: a 4x4 spin glass
 * with everything inside its tree, and bounds on two families of models. */
#include "engine.h"
#include "params.h"
#include "reference.h"
#include "shared.h"
#include "tighten/tighten_internal.h"

#include <jansson.h>

static const char FOLDER[] = SHARED_REFERENCE;
static const char GOLDEN[] = SHARED_REFERENCE "/golden_ising4.json";
static const char GOLDEN_MODEL[] = SHARED_REFERENCE "/golden_ising4.forney.uai";
static const char ISING[] = SHARED_REFERENCE "/ising.csv";
static const char REGULAR[] = SHARED_REFERENCE "/regular3.csv";

/* ---- the 4x4 spin glass ---------------------------------------------------------- */

typedef struct golden {
    json_t *json;
    zb_model *model;
    zb_tree *tree;
    zb_tighten *t;
} golden;

static double number(const golden *g, const char *key)
{
    return json_number_value(json_object_get(g->json, key));
}

static golden golden_open(void)
{
    golden g;
    zb_error err = { "" };
    need(GOLDEN);
    g.json = json_load_file(GOLDEN, 0, NULL);
    assert_non_null(g.json);
    CHECK(zb_model_read(&g.model, GOLDEN_MODEL, &err) == ZB_OK, "%s", err.text);
    g.tree =
        tree_of(g.model, NULL, (zb_split_spec){ .ibound = (int)number(&g, "ibound") });
    zb_tighten_spec spec = { .side = ZB_SIDE_UPPER,
                             .weights = true,
                             .gauges = true,
                             .absolute = true,
                             .threads = 1 };
    assert_int_equal(zb_tighten_new(&g.t, g.tree, g.model, &spec), ZB_OK);
    return g;
}

static void golden_close(golden *g)
{
    zb_tighten_free(g->t);
    zb_tree_free(g->tree);
    zb_model_free(g->model);
    json_decref(g->json);
}

static void golden_nodes(void **state)
{
    (void)state;
    golden g = golden_open();
    json_t *nodes = json_object_get(g.json, "nodes");
    double *grad = calloc(g.t->objective.n, sizeof *grad);
    CHECK(close_to(zb_tighten_evaluate(g.t, grad), number(&g, "WMBE"), 1e-10), "%.15g",
          g.t->bound);
    assert_int_equal((size_t)g.tree->nnodes, json_array_size(nodes));
    for (int k = 0; k < g.tree->nnodes; k++) {
        json_t *want = json_array_get(nodes, (size_t)k),
               *clique = json_object_get(want, "clique"),
               *inputs = json_object_get(want, "inputs"),
               *parent = json_object_get(want, "parent");
        const zb_node *n = &g.tree->node[k];
        CHECK(json_integer_value(json_object_get(want, "var")) == n->var, "node %d", k);
        CHECK((json_is_integer(parent) ? json_integer_value(parent) : -1) == n->parent,
              "node %d", k);
        CHECK(json_array_size(clique) == (size_t)n->nclique, "node %d", k);
        for (int i = 0; i < n->nclique; i++)
            CHECK(json_integer_value(json_array_get(clique, (size_t)i)) ==
                      zb_tree_clique(g.tree, k)[i],
                  "node %d clique %d", k, i);
        CHECK(json_array_size(inputs) == (size_t)n->ninput, "node %d", k);
        for (int i = 0; i < n->ninput; i++) {
            int in = zb_tree_input(g.tree, k)[i];
            bool listed = false;
            for (size_t j = 0; j < json_array_size(inputs); j++) {
                json_t *item = json_array_get(inputs, j);
                int id = (int)json_integer_value(json_array_get(item, 1));
                bool factor =
                    strcmp(json_string_value(json_array_get(item, 0)), "f") == 0;
                listed = listed || in == (factor ? id : -1 - id);
            }
            CHECK(listed, "node %d input %d", k, in);
        }
        bool split = zb_tree_is_split(g.tree, k);
        CHECK(json_is_true(json_object_get(want, "split")) == split, "node %d", k);
        if (split) {
            double slope = json_number_value(json_object_get(want, "dlogZ_dw"));
            CHECK(weights_of(g.t->pass, k)[0] ==
                      json_number_value(json_object_get(want, "w")),
                  "node %d", k);
            CHECK(close_to(entropies_of(g.t->pass, k)[0], slope, 1e-10),
                  "node %d: derivative %.15g, not %.15g", k,
                  entropies_of(g.t->pass, k)[0], slope);
        }
    }
    free(grad);
    golden_close(&g);
}

static void golden_gradients(void **state)
{
    (void)state;
    golden g = golden_open();
    json_t *all = json_object_get(g.json, "gauge_grad"), *one;
    const char *key;
    double *grad = calloc(g.t->objective.n, sizeof *grad);
    int entries = 0;
    zb_tighten_evaluate(g.t, grad);
    json_object_foreach(all, key, one)
    {
        int v = atoi(key);
        json_t *m = json_object_get(one, "M");
        const double *got =
            grad + g.t->objective.block_at[2] + g.t->gauge->matrix_at[v];
        CHECK(json_integer_value(json_object_get(one, "alpha")) ==
                      g.t->gauge->first[v] &&
                  json_integer_value(json_object_get(one, "beta")) ==
                      g.t->gauge->second[v],
              "variable %d", v);
        for (size_t i = 0; i < 4; i++, entries++) {
            double want =
                json_number_value(json_array_get(json_array_get(m, i / 2), i % 2));
            CHECK(fabs(got[i] - want) < 1e-9, "variable %d: %.12g, not %.12g", v,
                  got[i], want);
        }
    }
    assert_int_equal(entries, 64);
    free(grad);
    golden_close(&g);
}

typedef struct curve {
    double value[64];
    int count;
} curve;

static bool record(void *context, const zb_progress *at)
{
    curve *c = context;
    if (c->count < 64)
        c->value[c->count++] = at->log_upper;
    return true;
}

static void golden_schedule(void **state)
{
    (void)state;
    golden g = golden_open();
    json_t *want = json_object_get(g.json, "paper_wG_first20");
    curve c = { .count = 0 };
    zb_observer observer = { .context = &c, .progress = record };
    zb_options opt = zb_options_default();
    zb_result r;
    opt.side = ZB_SIDE_UPPER;
    opt.form = ZB_FORM_ORIGINAL;
    opt.order = ZB_ORDER_NATURAL;
    opt.ibound = (int)number(&g, "ibound");
    opt.method = ZB_METHOD_MBE;
    assert_int_equal(zb_solve(g.model, &opt, NULL, &r, NULL), ZB_OK);
    CHECK(close_to(r.log_upper, number(&g, "MBE"), 1e-10), "MBE: %.15g", r.log_upper);
    opt.method = ZB_METHOD_BE;
    assert_int_equal(zb_solve(g.model, &opt, NULL, &r, NULL), ZB_OK);
    CHECK(close_to(r.log_upper, number(&g, "logZ"), 1e-12), "%.15g", r.log_upper);
    opt.method = ZB_METHOD_WMBE_WG;
    opt.optimizer = ZB_OPTIMIZER_PAPER;
    opt.iterations = 20;
    assert_int_equal(zb_solve(g.model, &opt, &observer, &r, NULL), ZB_OK);
    CHECK(json_array_size(want) == 21 && c.count == 21, "%d values", c.count);
    for (int i = 0; i < 21; i++)
        CHECK(fabs(c.value[i] - json_number_value(json_array_get(want, (size_t)i))) <
                  1e-6,
              "iteration %d: %.12g", i, c.value[i]);
    golden_close(&g);
}

/* ---- two families ---------------------------------------------------------------- */

static double solve_row(const reference_row *a)
{
    zb_error err = { "" };
    zb_model *model;
    zb_result r;
    zb_options opt = reference_options(a);
    CHECK(reference_model(&model, FOLDER, a, &err) == ZB_OK, "%s", err.text);
    CHECK(zb_solve(model, &opt, NULL, &r, &err) == ZB_OK, "%s", err.text);
    zb_model_free(model);
    return r.log_upper;
}

static void check_fixed(const char *path, int expected)
{
    reference all = reference_read(path);
    int count = 0;
    for (int i = 0; i < all.count; i++) {
        const reference_row *a = &all.row[i];
        if (strcmp(a->method, "mbe") != 0 && strcmp(a->method, "wmbe") != 0)
            continue;
        double got = solve_row(a);
        CHECK(fabs(got - a->log_upper) <= 1e-8,
              "%s T=%s seed %d %s %s ibound %d: %.12g, not %.12g", a->family,
              a->coupling, a->seed, a->form, a->method, a->ibound, got, a->log_upper);
        count++;
    }
    assert_int_equal(count, expected);
    free(all.row);
}

static void fixed_weights_reproduce(void **state)
{
    (void)state;
    need(ISING);
    check_fixed(ISING, 200);
    check_fixed(REGULAR, 40);
}

/* The paper's schedule, T = 1: mean errors within five per cent, method by method. All
   rows: bench/paper.c. */
static void check_paper(const char *path, const char *method, int ibound)
{
    reference all = reference_read(path);
    double want = 0, got = 0;
    int count = 0;
    for (int i = 0; i < all.count; i++) {
        const reference_row *a = &all.row[i];
        if (strcmp(a->optimizer, "paper") != 0 || strcmp(a->method, method) != 0 ||
            a->ibound != ibound || strtod(a->coupling, NULL) != 1 || a->seed > 1)
            continue;
        want += a->log_upper - a->log_z;
        got += solve_row(a) - a->log_z;
        count++;
    }
    CHECK(count == 2 && fabs(got - want) <= 0.05 * want,
          "%s %s ibound %d: error %.4g, not %.4g", path, method, ibound, got / count,
          want / count);
    free(all.row);
}

static void paper_schedule_reproduces(void **state)
{
    (void)state;
    static const char *const methods[] = { "wmbe-w", "wmbe-theta", "wmbe-wtheta",
                                           "wmbe-g", "wmbe-wg" };
    need(ISING);
    for (int i = 0; i < 5; i++) {
        check_paper(ISING, methods[i], 4);
        check_paper(REGULAR, methods[i], 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_nodes),
        cmocka_unit_test(golden_gradients),
        cmocka_unit_test(golden_schedule),
        cmocka_unit_test(fixed_weights_reproduce),
        cmocka_unit_test(paper_schedule_reproduces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
