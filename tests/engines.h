/* Every way of the library to sum a model exactly, one function each, so that tests can
 * hold them against each other. All take any model: evidence, empty scopes, several
 * parts. NAN: this way does not suit the model (it says so itself). */
#ifndef ZB_TEST_ENGINES_H
#define ZB_TEST_ENGINES_H

#include "count/count.h"
#include "auto/slice.h"
#include "exact/exact.h"
#include "form/form.h"
#include "order/order.h"
#include "pass/layout.h"
#include "pass/pass.h"
#include "simplify/simplify.h"
#include "given.h"
#include "test.h"
#include "within.h"

#include <stdlib.h>

/* A good order, or as the variables are numbered. The caller frees it. */
static inline int *order_of(const zb_model *model, bool good)
{
    int n = zb_model_nvars(model), *order = malloc(((size_t)n + 1) * sizeof *order);
    zb_scopes *scopes;
    for (int v = 0; v < n; v++)
        order[v] = v;
    if (!good)
        return order;
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    zb_order_request request = { .kind = ZB_ORDER_MINFILL, .seed = 1, .tries = 1 };
    assert_int_equal(zb_order_make(scopes, &request, order, NULL), ZB_OK);
    zb_scopes_free(scopes);
    return order;
}

/* Elimination; evidence is its own affair. */
static inline double by_elimination(const zb_model *model, bool good, int threads)
{
    int *order = order_of(model, good);
    double z = NAN;
    zb_error err = { "" };
    zb_status status = exact_within(model, order, threads, 0, NULL, &z, &err);
    CHECK(status == ZB_OK, "elimination: %s: %s", zb_status_text(status), err.text);
    free(order);
    return z;
}

typedef struct pass_how {
    bool good, gradient;
    int threads;
    size_t divide;
} pass_how;

/* The sum of all beliefs of a factor, which is 1 unless Z = 0. */
static inline double belief_sum(const zb_pass *pass, const zb_model *model, int f)
{
    double *belief = malloc(model->factor[f].size * sizeof *belief), sum = 0;
    zb_pass_belief(pass, f, belief);
    for (size_t i = 0; i < model->factor[f].size; i++)
        sum += belief[i];
    free(belief);
    return sum;
}

/* One mini-bucket pass over a tree in which nothing is split. */
static inline double by_pass(const zb_model *given, pass_how how)
{
    zb_model *model;
    zb_scopes *scopes;
    zb_tree *tree;
    zb_pass *pass;
    size_t largest = 1;
    zb_pass_spec spec = { .gradient = how.gradient,
                          .side = ZB_SIDE_UPPER,
                          .threads = how.threads,
                          .divide = how.divide };
    assert_int_equal(clean_given(&model, given, NULL), ZB_OK);
    int *order = order_of(model, how.good);
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    zb_split_spec whole = { .ibound = zb_model_nvars(model) + 1 };
    assert_int_equal(zb_tree_new(&tree, scopes, order, &whole), ZB_OK);
    CHECK(tree->splits == 0, "%g splits", tree->splits);
    assert_int_equal(zb_pass_new(&pass, tree, &spec), ZB_OK);
    for (int f = 0; f < model->nfactors; f++)
        largest = zb_max_size(largest, model->factor[f].size);
    double *value = malloc(largest * sizeof *value);
    for (int f = 0; f < model->nfactors; f++) {
        zb_layout_factor(tree, model, f, value);
        zb_pass_set_log(pass, f, value);
    }
    double z = zb_pass_forward(pass) + model->log_scale;
    if (how.gradient && z > -INFINITY) {
        zb_pass_backward(pass);
        for (int f = 0; f < model->nfactors; f++) {
            double sum = belief_sum(pass, model, f);
            CHECK(fabs(sum - 1) < 1e-9, "beliefs of factor %d add up to %.17g", f, sum);
        }
    }
    free(value);
    free(order);
    zb_pass_free(pass);
    zb_tree_free(tree);
    zb_scopes_free(scopes);
    zb_model_free(model);
    return z;
}

/* Search with learned clauses and a memo of `memo` bytes. */
static inline double by_search(const zb_model *given, bool wide, uint64_t memo,
                               zb_count_result *out)
{
    zb_reduction *reduction;
    zb_count_result r = { 0 };
    zb_count_spec spec = { .memory = (uint64_t)1 << 30,
                           .memo = memo > 0 ? memo : 1,
                           .wide = wide };
    assert_int_equal(simplify_given(&reduction, given, true, NULL), ZB_OK);
    int *order = order_of(reduction->model, true);
    zb_status status = zb_count_run(reduction->model, order, &spec, &r);
    CHECK(status == ZB_OK || status == ZB_ELIMIT, "search: %s", zb_status_text(status));
    free(order);
    zb_reduction_free(reduction);
    if (out != NULL)
        *out = r;
    return status == ZB_OK && r.complete ? r.log_z : NAN;
}

/* All slices of up to four variables, the largest cliques' first; with its radius. */
static inline zb_ball sum_slices(const zb_model *given, int threads)
{
    zb_reduction *reduction;
    zb_cutset *cutset = NULL;
    zb_scopes *scopes;
    zb_ball z = { NAN, 0 };
    bool complete = false;
    assert_int_equal(simplify_given(&reduction, given, true, NULL), ZB_OK);
    int *order = order_of(reduction->model, true);
    assert_int_equal(zb_scopes_new(&scopes, reduction->model), ZB_OK);
    zb_order_cost cost;
    assert_int_equal(zb_order_evaluate(scopes, order, NULL, &cost), ZB_OK);
    zb_status status = zb_cutset_find(&cutset, scopes, order, cost.total / 5, 4, NULL);
    if (status == ZB_OK && cutset->slices <= 1000) {
        zb_run run = open_run(NULL, 0, threads);
        zb_slices s = { .model = reduction->model, .cutset = cutset, .run = &run };
        assert_int_equal(zb_slices_all(&s, &z, &complete), ZB_OK);
        zb_run_close(&run);
    }
    zb_cutset_free(cutset);
    zb_scopes_free(scopes);
    free(order);
    zb_reduction_free(reduction);
    return complete ? z : (zb_ball){ NAN, 0 };
}

static inline double by_slices(const zb_model *given, int threads)
{
    return sum_slices(given, threads).mid;
}

/* Through the front door; NAN where the answer is not exact. */
static inline double by_solve(const zb_model *model, zb_method method, int threads)
{
    zb_options opt = zb_options_default();
    zb_result r;
    zb_error err = { "" };
    opt.method = method;
    opt.threads = threads;
    opt.time = 0;
    zb_status status = zb_solve(model, &opt, NULL, &r, &err);
    CHECK(status == ZB_OK, "%s: %s", zb_method_name(method), err.text);
    return r.exact ? r.log_upper : NAN;
}

#endif
