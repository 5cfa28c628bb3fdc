/* Every engine against every other, and against the truth where it is known. Two exact
 * answers that differ by more than 1e-9 are a contradiction, as is a bound on the wrong
 * side of elimination and its rounding; each is counted in the tally. */
#ifndef ZB_TEST_CROSS_H
#define ZB_TEST_CROSS_H

#include "given.h"
#include "awkward.h"
#include "engines.h"

#include <stdio.h>

static const double CROSS_TOL = 1e-9;

typedef struct tally {
    int models, runs, known; /* known: models with an independent answer */
} tally;

typedef struct cross { /* a model under test */
    const char *name;
    uint64_t seed;
    const zb_model *model;
    double z;        /* the truth, or the first answer */
    interval around; /* what elimination says it is in */
    bool have;
    tally *tally;
} cross;

static inline interval eliminated(const zb_model *model)
{
    int *order = order_of(model, true);
    zb_ball z;
    assert_int_equal(zb_exact_run(model, order, NULL, &z, NULL), ZB_OK);
    free(order);
    return (interval){ zb_down(z.mid, z.radius), zb_up(z.mid, z.radius) };
}

static inline void agree(cross *c, const char *engine, double answer)
{
    if (isnan(answer))
        return; /* this engine does not suit the model */
    c->tally->runs++;
    if (!c->have)
        c->z = answer;
    c->have = true;
    CHECK(close_to(answer, c->z, CROSS_TOL), "%s, seed %ju: %s says %.17g, not %.17g",
          c->name, (uintmax_t)c->seed, engine, answer, c->z);
}

static inline void same(cross *c, const char *engine, double one, double two)
{
    agree(c, engine, one);
    agree(c, engine, two);
    CHECK(one == two || (isnan(one) && isnan(two)),
          "%s, seed %ju: %s says %.17g with one thread, %.17g with two", c->name,
          (uintmax_t)c->seed, engine, one, two);
}

static inline double reduced_states(const zb_model *model)
{
    zb_reduction *r;
    double states = 1;
    assert_int_equal(simplify_given(&r, model, true, NULL), ZB_OK);
    for (int v = 0; v < r->model->nvars; v++)
        states *= r->model->card[v];
    zb_reduction_free(r);
    return states;
}

static inline double order_total(const zb_model *model, bool good)
{
    int *order = order_of(model, good);
    zb_scopes *scopes;
    zb_order_cost cost;
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    assert_int_equal(zb_order_evaluate(scopes, order, NULL, &cost), ZB_OK);
    zb_scopes_free(scopes);
    free(order);
    return cost.total;
}

/* A method's bounds contain the answer. */
static inline void contains(cross *c, zb_method method, int threads)
{
    zb_options opt = zb_options_default();
    zb_result r;
    zb_error err = { "" };
    opt.method = method;
    opt.threads = threads;
    opt.ibound = method == ZB_METHOD_TRBP || method == ZB_METHOD_MF ? 0 : 3;
    opt.iterations = 5;
    opt.order = ZB_ORDER_MINFILL; /* quick */
    CHECK(zb_solve(c->model, &opt, NULL, &r, &err) == ZB_OK, "%s, seed %ju: %s: %s",
          c->name, (uintmax_t)c->seed, zb_method_name(method), err.text);
    c->tally->runs++;
    CHECK(brackets(&r, c->around),
          "%s, seed %ju: %s says [%.17g, %.17g], without %.17g", c->name,
          (uintmax_t)c->seed, zb_method_name(method), r.log_lower, r.log_upper, c->z);
}

/* Elimination in a good order and, where that is not too wide, in that of the numbers;
   the pass without and with derivatives, whole and in parts. */
static inline void cross_engines(cross *c)
{
    pass_how pass = { .good = true, .threads = 1 };
    same(c, "elimination", by_elimination(c->model, true, 1),
         by_elimination(c->model, true, 2));
    agree(c, "the pass", by_pass(c->model, pass));
    pass.gradient = true;
    pass.divide = 64;
    double one = by_pass(c->model, pass);
    pass.threads = 2;
    same(c, "the pass in parts", one, by_pass(c->model, pass));
    if (order_total(c->model, false) < 1e5) {
        agree(c, "elimination by number", by_elimination(c->model, false, 1));
        agree(c, "the pass by number", by_pass(c->model, (pass_how){ .threads = 1 }));
    }
}

/* truth NAN: not known, agreement is all there is. */
static inline void cross_check(const char *name, uint64_t seed, const zb_model *model,
                               double truth, tally *t)
{
    cross c = { .name = name,
                .seed = seed,
                .model = model,
                .z = truth,
                .around = eliminated(model),
                .have = !isnan(truth),
                .tally = t };
    t->models++;
    t->known += c.have;
    cross_engines(&c);
    if (reduced_states(model) <= 4096) { /* else it may take for ever without zeros */
        agree(&c, "search", by_search(model, false, 1 << 20, NULL));
        agree(&c, "wide search", by_search(model, true, 0, NULL));
        same(&c, "count", by_solve(model, ZB_METHOD_COUNT, 1),
             by_solve(model, ZB_METHOD_COUNT, 2));
    }
    same(&c, "slices", by_slices(model, 1), by_slices(model, 2));
    same(&c, "be", by_solve(model, ZB_METHOD_BE, 1), by_solve(model, ZB_METHOD_BE, 2));
    same(&c, "auto", by_solve(model, ZB_METHOD_AUTO, 1),
         by_solve(model, ZB_METHOD_AUTO, 2));
    contains(&c, ZB_METHOD_MBE, 1);
    contains(&c, seed % 2 ? ZB_METHOD_WMBE_WTHETA : ZB_METHOD_WMBE_WG, 2);
    contains(&c, seed % 2 ? ZB_METHOD_TRBP : ZB_METHOD_MF, 1);
}

static inline void tell(const tally *t)
{
    print_message("%d models (%d with a known answer), %d answers, no contradiction\n",
                  t->models, t->known, t->runs);
}

#endif
