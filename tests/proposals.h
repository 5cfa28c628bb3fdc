/* Proposals on the spot: a model, random mini-buckets and parameters, and draws. */
#ifndef ZB_TEST_PROPOSALS_H
#define ZB_TEST_PROPOSALS_H

#include "engine.h"
#include "given.h"
#include "params.h"
#include "base/explog.h"
#include "pass/layout.h"
#include "sample/proposal.h"

typedef struct drawing {
    zb_model *model; /* without evidence */
    zb_tree *tree;
    zb_pass *pass;
    zb_proposal *proposal;
    zb_batch *batch;
    double log_upper;
} drawing;

/* Weights that add up to 1, shifts that add up to 0. */
static inline void random_parameters(zb_rng *rng, const zb_tree *t, zb_pass *pass)
{
    const zb_pass_spec *spec = zb_pass_options(pass);
    for (int v = 0; v < t->nvars; v++) {
        const zb_bucket *b = &t->bucket[v];
        if (b->count < 2)
            continue;
        size_t nw = zb_pass_weight_size(t, b->first, spec->shared),
               nt = spec->theta ? zb_pass_theta_size(t, b->first, spec->shared) : 0;
        for (size_t i = 0; i < nw; i++) {
            double sum = 0;
            for (int k = b->first; k < b->first + b->count; k++)
                sum += weights_of(pass, k)[i] = exp(4 * zb_rng_uniform(rng) - 2);
            for (int k = b->first; k < b->first + b->count; k++)
                weights_of(pass, k)[i] /= sum;
        }
        for (size_t i = 0; i < nt; i++)
            for (int k = b->first + 1; k < b->first + b->count; k++) {
                double shift = 2 * zb_rng_uniform(rng) - 1;
                thetas_of(pass, k)[i] = shift;
                thetas_of(pass, b->first)[i] -= shift;
            }
    }
}

static inline void set_factors(zb_pass *pass, const zb_tree *t, const zb_model *model)
{
    for (int f = 0; f < t->nfactors; f++) {
        double *table = malloc((model->factor[f].size + 1) * sizeof *table);
        zb_layout_factor(t, model, f, table);
        zb_pass_set_log(pass, f, table);
        free(table);
    }
}

/* ibound 0: nothing is split. */
static inline drawing drawing_new(const zb_model *given, uint64_t seed, int ibound)
{
    zb_rng rng = zb_rng_seed(seed);
    drawing d = { 0 };
    int *order = malloc(((size_t)given->nvars + 1) * sizeof *order);
    for (int v = 0; v < given->nvars; v++)
        order[v] = v;
    zb_rng_shuffle(&rng, given->nvars, order);
    assert_int_equal(zb_model_condition(&d.model, given, given->evidence), ZB_OK);
    d.tree = tree_of(
        d.model, order,
        (zb_split_spec){ .ibound = ibound > 0 ? ibound : 1000, .drop_single = true });
    zb_pass_spec spec = { .side = ZB_SIDE_UPPER,
                          .keep = zb_rng_below(&rng, 2) == 0,
                          .theta = zb_rng_below(&rng, 2) == 0,
                          .shared = zb_rng_below(&rng, 2) == 0,
                          .threads = 1 };
    spec.gradient = !spec.keep;
    assert_int_equal(zb_pass_new(&d.pass, d.tree, &spec), ZB_OK);
    random_parameters(&rng, d.tree, d.pass);
    set_factors(d.pass, d.tree, d.model);
    d.log_upper = zb_pass_forward(d.pass) + d.model->log_scale;
    assert_int_equal(zb_proposal_new(&d.proposal, d.tree, d.pass, NULL), ZB_OK);
    assert_int_equal(zb_batch_new(&d.batch, d.proposal, true), ZB_OK);
    free(order);
    return d;
}

static inline void drawing_free(drawing *d)
{
    zb_batch_free(d->batch);
    zb_proposal_free(d->proposal);
    zb_pass_free(d->pass);
    zb_tree_free(d->tree);
    zb_model_free(d->model);
}

/* ln f of a state of a model, whatever its evidence. */
static inline double log_value_at(const zb_model *m, const int *state)
{
    double sum = m->log_scale;
    for (int f = 0; f < m->nfactors; f++) {
        const zb_factor *a = &m->factor[f];
        size_t at = 0;
        for (int i = 0; i < a->arity; i++)
            at = at * (size_t)m->card[a->scope[i]] + (size_t)state[a->scope[i]];
        sum += a->log ? a->value[at] : log(a->value[at]);
    }
    return sum;
}

static inline double log_value_of(const zb_model *m, const zb_batch *b, int lane)
{
    int state[64];
    for (int v = 0; v < m->nvars; v++)
        state[v] = b->state[v * ZB_LANES + lane];
    return log_value_at(m, state);
}

#endif
