/* The derivative of a bound by the logarithms of the factors' entries.
 *
 * With weights, shifts and order as they are, a mini-bucket bound B is a function of
 * the tables alone, and d B / d ln f(x) is what the backward pass leaves with each
 * factor: a distribution over its entries, and where no bucket is split the marginal of
 * its scope. At parameters that are optimal it is also the derivative of the optimised
 * bound. */
#include "base/account.h"
#include "model/table.h"
#include "tighten/state.h"

#include <string.h>

typedef struct job {
    const zb_model *given; /* evidence included */
    const zb_attempt *attempt;
    double *belief, *table; /* of a factor: in the tree's layout, in the model's */
    double *out;            /* of the next factor */
} job;

/* A factor's belief, from the tree's sequence of axes into that of its scope. */
static void from_tree(const job *j, int factor)
{
    const zb_model *model = j->attempt->model;
    const int *scope;
    int arity = zb_tree_scope(j->attempt->tree, factor, &scope);
    size_t e = 0;
    zb_walk w;
    zb_tighten_belief(j->attempt->tighten, factor, j->belief);
    zb_walk_begin(&w, arity, scope, model->card, &model->factor[factor]);
    do
        j->table[w.at] = j->belief[e++];
    while (zb_walk_next(&w) >= 0);
}

/* The table of the free variables goes to the entries that agree with the evidence; at
   the others the bound does not depend on the factor. */
static void among_evidence(const job *j, const zb_factor *f)
{
    int free_scope[ZB_MAX_AXES], n = 0;
    size_t start = 0, stride = 1, e = 0;
    zb_walk w;
    for (int i = f->arity - 1; i >= 0; i--) {
        int v = f->scope[i];
        if (j->given->evidence[v] >= 0)
            start += stride * (size_t)j->given->evidence[v];
        stride *= (size_t)j->given->card[v];
    }
    for (int i = 0; i < f->arity; i++)
        if (j->given->evidence[f->scope[i]] < 0 && j->given->card[f->scope[i]] > 1)
            free_scope[n++] = f->scope[i];
    zb_walk_begin(&w, n, free_scope, j->given->card, f);
    w.at = start;
    memset(j->out, 0, f->size * sizeof *j->out);
    do
        j->out[w.at] = j->table[e++];
    while (zb_walk_next(&w) >= 0);
}

/* Has the factor one entry that counts? Such factors are constants of the formed model,
   and d ln(c Z') / d ln c = 1. */
static bool is_constant(const zb_model *model, const zb_factor *f)
{
    for (int i = 0; i < f->arity; i++)
        if (model->evidence[f->scope[i]] < 0 && model->card[f->scope[i]] > 1)
            return false;
    return true;
}

static zb_status gather(job *j)
{
    size_t most = 1;
    int formed = 0;
    zb_status status;
    for (int f = 0; f < j->given->nfactors; f++)
        most = zb_max_size(most, j->given->factor[f].size);
    j->belief = zb_alloc(most, sizeof *j->belief);
    j->table = zb_alloc(most, sizeof *j->table);
    TRY(j->belief != NULL && j->table != NULL ? ZB_OK : ZB_ENOMEM);
    for (int f = 0; f < j->given->nfactors; f++) {
        const zb_factor *factor = &j->given->factor[f];
        if (is_constant(j->given, factor))
            j->table[0] = 1;
        else
            from_tree(j, formed++);
        among_evidence(j, factor);
        j->out += factor->size;
    }
    ZB_ASSERT(formed == j->attempt->model->nfactors);
done:
    zb_free(j->belief);
    zb_free(j->table);
    return status;
}

/* The side of the state that bounds this side: of an exact answer there is one for
   both. */
static const zb_side_state *side_of(const zb_state *state, zb_side side)
{
    const zb_side_state *own = &state->side[zb_state_index(side)];
    return own->present ? own : &state->side[ZB_STATE_UPPER];
}

static zb_status check_attempt(zb_attempt *a, zb_side side, bool own, zb_error *err)
{
    if (a == NULL)
        return zb_fail(err, ZB_EINVAL, "nothing of the state fits the model");
    if (!own && a->tree->splits > 0)
        return zb_fail(err, ZB_EINVAL, "the state has no %s bound", zb_side_name(side));
    if (!isfinite(a->bound))
        return zb_fail(err, ZB_EINVAL, "the %s bound is infinite: it has no derivative",
                       zb_side_name(side));
    return ZB_OK;
}

static zb_status differentiate(const zb_state *state, const zb_model *model,
                               zb_side side, double *out, zb_run *run, zb_error *err)
{
    const zb_side_state *from = side_of(state, side);
    bool own = from == &state->side[zb_state_index(side)], same;
    zb_resume_spec spec = { .from = from,
                            .side = own ? side : ZB_SIDE_UPPER,
                            .moves = from->moves,
                            .extreme = from->extreme };
    zb_model *made = NULL;
    zb_attempt *a = NULL;
    zb_status status = ZB_OK;
    spec.moves.gradient = true;
    if (zb_model_observed(model))
        TRY(zb_model_condition(&made, model, model->evidence));
    TRY(zb_state_resume(&a, made != NULL ? made : model, &spec, run, &same, err));
    TRY(check_attempt(a, side, own, err));
    TRY(zb_tighten_differentiate(a->tighten));
    TRY(zb_tighten_was_cut(a->tighten) ? ZB_ELIMIT : ZB_OK);
    job j = { .given = model, .attempt = a, .out = out };
    TRY(gather(&j));
done:
    zb_attempt_free(a);
    zb_model_free(made);
    return status;
}

static zb_status check(const zb_state *state, const zb_model *model, zb_side side,
                       const zb_options *opt, zb_error *err)
{
    zb_status status;
    TRY(zb_options_check(opt, err));
    if (side != ZB_SIDE_UPPER && side != ZB_SIDE_LOWER)
        return zb_fail(err, ZB_EINVAL,
                       "a derivative is of the upper or the lower bound");
    if (state->nvars != model->nvars)
        return zb_fail(err, ZB_EINVAL,
                       "the state is of a model with %d variables, this one has %d",
                       state->nvars, model->nvars);
    const zb_side_state *from = side_of(state, side);
    if (!from->present)
        return zb_fail(err, ZB_EINVAL, "the state has no %s bound", zb_side_name(side));
    if (state->simplified || from->form != ZB_FORM_ORIGINAL)
        return zb_fail(
            err, ZB_EINVAL,
            "the state is not of the form 'original': in others, the model's "
            "factors are not to be found");
done:
    return status;
}

zb_status zb_state_gradient(const zb_state *state, const zb_model *model, zb_side side,
                            const zb_options *opt, const zb_observer *observer,
                            double *out, zb_error *err)
{
    zb_run run;
    zb_status status;
    if (state == NULL || model == NULL || opt == NULL || out == NULL)
        return zb_fail(err, ZB_EINVAL,
                       "no state, no model, no options or no place for a gradient");
    zb_fail(err, ZB_OK, "%s", "");
    TRY(check(state, model, side, opt, err));
    uint64_t memory = opt->memory > 0 ? opt->memory : zb_memory_default();
    uint64_t left = zb_account_enter(memory);
    status = zb_run_open(&run, observer, zb_run_deadline(opt), left, opt->threads);
    if (status == ZB_OK) {
        status = differentiate(state, model, side, out, &run, err);
        zb_run_close(&run);
    }
    zb_account_leave(memory);
done:
    if (status != ZB_OK && err != NULL && err->text[0] == '\0')
        zb_fail(err, status, "%s", zb_status_text(status));
    return status;
}
