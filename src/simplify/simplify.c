/* The conductor of the exact reductions.
 *
 * A round reads a model into a reducer, works until all work lists are empty, cheap and
 * strong steps first, and makes a model again of what is left. The first round of a
 * model with zeros also strikes entries out and tries values: it is run for the facts
 * it finds, and its tables are thrown away, because struck entries spoil products. The
 * second round starts from the given tables and these facts. Then factors that are
 * products are split as long as there are any, and last, if wanted, entries are struck
 * out for good.
 *
 * The second round alone is needed. The others have shares of the time, and what they
 * did not finish is left: the first round's facts hold wherever it stops, the results
 * of the later ones replace what was there before only when they are complete. */
#include "simplify/reducer.h"
#include "simplify/split.h"

#include <string.h>

static const double SHARE = 0.1; /* of the time that is left, for each optional part */

static size_t count_zeros(const zb_factor *f)
{
    double zero = f->log ? -INFINITY : 0;
    size_t count = 0;
    for (size_t i = 0; i < f->size; i++)
        count += f->value[i] == zero;
    return count;
}

zb_status zb_measure(const zb_model *model, zb_run *run, zb_sizes *out)
{
    zb_ticker tick = { .run = run };
    *out = (zb_sizes){ .vars = model->nvars, .factors = model->nfactors };
    for (int v = 0; v < model->nvars; v++)
        out->max_card = zb_max_int(out->max_card, model->card[v]);
    for (int f = 0; f < model->nfactors; f++) {
        if (!zb_tick(&tick, 30 + (double)model->factor[f].size))
            return ZB_ELIMIT;
        out->max_arity = zb_max_int(out->max_arity, model->factor[f].arity);
        out->entries += model->factor[f].size;
        out->zeros += count_zeros(&model->factor[f]);
    }
    return ZB_OK;
}

/* ZB_ELIMIT when the time is over, which may be in the middle of a step. */
static zb_status reduce(zb_reducer *r)
{
    zb_status status = ZB_OK;
    int f, v;

    while (!r->zero) {
        TRY(zb_tick(&r->tick, 20) ? ZB_OK : ZB_ELIMIT);
        if ((f = zb_queue_pop(&r->factors)) >= 0) {
            if (r->state[f].alive)
                zb_reduce_table(r, f);
            if (r->state[f].alive && !r->factors.waits[f])
                TRY(zb_reduce_tie(r, f));
        } else if ((v = zb_queue_pop(&r->vars)) >= 0) {
            if (r->var[v].alive)
                zb_reduce_values(r, v);
            if (r->var[v].alive && !r->zero)
                zb_reduce_degree(r, v);
        } else if ((f = zb_queue_pop(&r->scopes)) >= 0) {
            if (r->state[f].alive)
                zb_reduce_absorb(r, f);
        } else if ((f = zb_queue_pop(&r->patterns)) >= 0) {
            if (r->state[f].alive && r->strike)
                zb_reduce_pairs(r, f);
        } else {
            bool found = false;
            if (r->probe)
                TRY(zb_reduce_probe(r, &found));
            if (!found)
                break;
        }
    }
done:
    return status;
}

/* The variables that are left, in their old order; index[v] is the new number of v. */
static zb_status keep_vars(zb_reducer *r, int *index)
{
    zb_reduction *out = r->report;
    int nvars = 0, values = 0, *card = NULL;
    zb_status status = ZB_ENOMEM;

    for (int v = 0; v < r->nvars && !r->zero; v++)
        if (r->var[v].alive) {
            nvars++;
            values += r->card[v];
        }
    card = zb_alloc((size_t)nvars, sizeof *card);
    out->var = zb_alloc((size_t)nvars, sizeof *out->var);
    out->value_at = zb_calloc((size_t)nvars + 1, sizeof *out->value_at);
    out->value = zb_alloc((size_t)values, sizeof *out->value);
    if (!card || !out->var || !out->value_at || !out->value)
        goto done;
    for (int v = 0, k = 0; v < r->nvars && !r->zero; v++) {
        if (!r->var[v].alive)
            continue;
        ZB_ASSERT(r->tick.over ||
                  (r->card[v] > 1 && (r->keep || r->var[v].degree > 0)));
        index[v] = k;
        out->var[k] = v;
        card[k] = r->card[v];
        out->value_at[k + 1] = out->value_at[k] + card[k];
        memcpy(out->value + out->value_at[k], r->value + r->value_at[v],
               (size_t)card[k] * sizeof *out->value);
        k++;
    }
    status = zb_model_new(&out->model, nvars, card);
done:
    zb_free(card);
    return status;
}

/* Move the factors that are left into the model, in tables of their size. */
static zb_status keep_factors(zb_reducer *r, const int *index)
{
    zb_status status;
    int count = 0;

    for (int f = 0; f < r->nfactors; f++)
        count += r->state[f].alive;
    TRY(zb_model_reserve(r->report->model, count));
    zb_record_begin(r->record, ZB_RECORD_FACTORS);
    for (int f = 0; f < r->nfactors; f++) {
        zb_factor *a = &r->factor[f];
        if (!r->state[f].alive || r->tick.over)
            continue;
        ZB_ASSERT(a->arity > 0); /* constants have left */
        zb_tick(&r->tick, 200 + 2.0 * (double)a->size);
        for (int i = 0; i < a->arity; i++)
            a->scope[i] = index[a->scope[i]];
        TRY(zb_model_put(r->report->model, a->arity, a->scope, a));
        zb_record_push(r->record, f);
        zb_reducer_set_value(r, f, NULL);
    }
done:
    return status;
}

static zb_status finish(zb_reducer *r)
{
    int *index = zb_alloc((size_t)r->nvars, sizeof *index);
    zb_status status;

    zb_reducer_drop_lists(r); /* they would be there together with the model */
    TRY(index != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(keep_vars(r, index));
    zb_record_begin(r->record, ZB_RECORD_VARIABLES);
    for (int v = 0; v < r->report->model->nvars; v++)
        zb_record_push(r->record, r->report->var[v]);
    if (!r->zero)
        TRY(keep_factors(r, index));
    zb_ball scale = zb_sum_value(&r->scale);
    r->report->model->log_scale = r->zero ? -INFINITY : scale.mid;
    r->report->model->radius = r->zero ? 0 : scale.radius;
    TRY(r->tick.over ? ZB_ELIMIT : ZB_OK);
    TRY(zb_measure(r->report->model, r->tick.run, &r->report->after));
done:
    zb_free(index);
    return status;
}

typedef struct round_spec { /* a round is made */
    const zb_facts *facts;  /* may be NULL */
    bool zero;              /* Z = 0 is known */
    bool strike;
    bool track;        /* with a trail */
    bool keep;         /* variables that sums would remove */
    zb_record *record; /* may be NULL */
} round_spec;

/* What is known beforehand is the first that happens. */
static void track_facts(zb_trail *trail, const zb_facts *a)
{
    for (int v = 0; v < a->nvars; v++) {
        int u = a->rep[v];
        if (a->count[v] == 1)
            zb_trail_fixed(trail, v, a->image[a->at[v]]);
        else if (u != v)
            zb_trail_tied(trail, v, u, a->count[u], a->image + a->at[u],
                          a->image + a->at[v]);
    }
}

/* A round without probes. */
static zb_status run_round(zb_reduction **out, const zb_model *model, round_spec how,
                           zb_run *run)
{
    zb_reduction *report = zb_calloc(1, sizeof *report);
    zb_facts *own = NULL;
    zb_reducer *r = NULL;
    zb_status status;

    *out = NULL;
    TRY(report != NULL ? ZB_OK : ZB_ENOMEM);
    if (how.facts == NULL)
        TRY(zb_facts_new(&own, model));
    const zb_facts *facts = how.facts != NULL ? how.facts : own;
    TRY(zb_measure(model, run, &report->before));
    if (how.track) {
        TRY(zb_trail_new(&report->trail, model->nvars, NULL));
        track_facts(report->trail, facts);
    }
    TRY(zb_reducer_new(&r, model, facts, run, report));
    r->zero = r->zero || how.zero;
    r->strike = how.strike;
    r->keep = report->kept = how.keep;
    r->record = how.record;
    TRY(reduce(r));
    TRY(finish(r));
    if (how.track)
        TRY(zb_trail_close(report->trail, report->model->nvars, report->var,
                           report->value_at, report->value));
    *out = report, report = NULL;
done:
    zb_reducer_free(r);
    zb_facts_free(own);
    zb_reduction_free(report);
    return status;
}

/* A share of the time for what is not needed. */
static zb_run share_of(zb_run *run)
{
    double left = zb_run_left(run);
    return zb_run_share(run, isinf(left) ? left : zb_now() + SHARE * left, UINT64_MAX,
                        1);
}

/* The facts that zeros imply; *zero: that there is no state at all. */
static zb_status find_facts(zb_facts *facts, const zb_model *model, zb_run *run,
                            bool *zero)
{
    zb_run share = share_of(run);
    zb_reduction report = { 0 };
    zb_reducer *r;
    zb_status status = zb_reducer_new(&r, model, facts, &share, &report);

    if (status == ZB_ELIMIT)
        return ZB_OK;
    TRY(status);
    r->strike = r->probe = true;
    status = reduce(r);
    TRY(status == ZB_ELIMIT ? ZB_OK : status);
    *zero = r->zero;
    if (!r->zero)
        zb_facts_learn(facts, r);
done:
    zb_reducer_free(r);
    return status;
}

/* first took the model to a smaller one and next that one to its own: first becomes the
   whole way. next is used up. */
static void compose(zb_reduction *first, zb_reduction *next)
{
    for (int v = 0; v < next->model->nvars; v++) {
        int was = next->var[v];
        for (int i = next->value_at[v]; i < next->value_at[v + 1]; i++)
            next->value[i] = first->value[first->value_at[was] + next->value[i]];
        next->var[v] = first->var[was];
    }
    if (next->trail != NULL)
        next->trail->before = first->trail, first->trail = NULL;
    next->before = first->before;
    next->trivial += first->trivial;
    next->fixed += first->fixed;
    next->merged += first->merged;
    next->summed += first->summed;
    next->isolated += first->isolated;
    next->values_removed += first->values_removed;
    next->struck += first->struck;
    next->absorbed += first->absorbed;
    next->constants += first->constants;
    next->axes_dropped += first->axes_dropped;
    next->split += first->split;
    zb_reduction swap = *first;
    *first = *next;
    *next = swap;
    zb_reduction_free(next);
}

/* Split factors that are products until there are none. ZB_ELIMIT: the time was over;
   report and record, which may be NULL, are complete all the same. */
static zb_status split_products(zb_reduction *report, zb_record *record, zb_run *run)
{
    zb_status status = ZB_OK;
    int pieces = 1;

    while (pieces > 0) {
        zb_reduction *next = NULL;
        zb_model *split = NULL;
        size_t before = record != NULL ? record->count : 0;
        status = zb_split_model(&split, report->model, record, run, &pieces);
        if (status == ZB_OK && pieces > 0)
            status = run_round(&next, split,
                               (round_spec){ .track = report->trail != NULL,
                                             .keep = report->kept,
                                             .record = record },
                               run);
        if (status != ZB_OK && record != NULL)
            record->count = before;
        zb_model_free(split);
        TRY(status);
        if (pieces > 0) {
            next->split = pieces;
            compose(report, next);
        }
    }
done:
    return status;
}

/* What report may gain by splitting products and striking entries out. */
static zb_status refine(zb_reduction *report, bool new_zeros, zb_run *run)
{
    zb_run share = share_of(run);
    zb_reduction *next;
    zb_status status;

    TRY(split_products(report, NULL, &share));
    if (new_zeros && report->after.zeros > 0) {
        TRY(run_round(&next, report->model,
                      (round_spec){ .strike = true,
                                    .track = report->trail != NULL,
                                    .keep = report->kept },
                      &share));
        compose(report, next);
    }
done:
    return status == ZB_ELIMIT ? ZB_OK : status;
}

typedef struct wish { /* see simplify.h */
    bool new_zeros, track, keep;
} wish;

static zb_status simplify(zb_reduction **out, const zb_model *model, wish how,
                          zb_run *run)
{
    zb_reduction *report = NULL;
    zb_facts *facts = NULL;
    zb_sizes sizes;
    bool zero = false;
    zb_status status;

    ZB_ASSERT(!zb_model_observed(model));
    *out = NULL;
    TRY(zb_measure(model, run, &sizes));
    TRY(zb_facts_new(&facts, model));
    if (sizes.zeros > 0)
        TRY(find_facts(facts, model, run, &zero));
    round_spec first = {
        .facts = facts, .zero = zero, .track = how.track, .keep = how.keep
    };
    TRY(run_round(&report, model, first, run));
    TRY(refine(report, how.new_zeros, run));
    *out = report, report = NULL;
done:
    zb_facts_free(facts);
    zb_reduction_free(report);
    return status;
}

zb_status zb_simplify_traced(zb_reduction **out, const zb_model *model, zb_run *run)
{
    zb_reduction *report = NULL;
    zb_run share = share_of(run);
    zb_record record = { 0 };
    zb_status status;

    ZB_ASSERT(!zb_model_observed(model));
    *out = NULL;
    TRY(run_round(&report, model, (round_spec){ .record = &record }, run));
    status = split_products(report, &record, &share);
    TRY(status == ZB_ELIMIT ? ZB_OK : status);
    TRY(record.failed ? ZB_ENOMEM : ZB_OK);
    report->record = record, record = (zb_record){ 0 };
    *out = report, report = NULL;
done:
    zb_record_clear(&record);
    zb_reduction_free(report);
    return status;
}

zb_status zb_simplify(zb_reduction **out, const zb_model *model, zb_run *run)
{
    return simplify(out, model, (wish){ .new_zeros = true }, run);
}

zb_status zb_simplify_with(zb_reduction **out, const zb_model *model, bool new_zeros,
                           zb_run *run)
{
    return simplify(out, model, (wish){ .new_zeros = new_zeros }, run);
}

zb_status zb_simplify_tracked(zb_reduction **out, const zb_model *model, zb_run *run)
{
    return simplify(out, model, (wish){ .new_zeros = true, .track = true }, run);
}

zb_status zb_simplify_kept(zb_reduction **out, const zb_model *model, zb_run *run)
{
    wish all = { .new_zeros = true, .track = true, .keep = true };
    return simplify(out, model, all, run);
}

void zb_reduction_free(zb_reduction *r)
{
    if (r == NULL)
        return;
    zb_model_free(r->model);
    zb_record_clear(&r->record);
    zb_free(r->var);
    zb_free(r->value_at);
    zb_free(r->value);
    zb_trail_free(r->trail);
    zb_free(r);
}
