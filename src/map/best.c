/* The best state of a model as it was given: reduced without sums, component by
 * component, and read back through the reductions. */
#include "base/account.h"
#include "base/sum.h"
#include "map/dominate.h"
#include "map/summit_farm.h"
#include "sample/ascent.h"
#include "simplify/simplify.h"

typedef struct job {
    const zb_model *given;
    const zb_options *opt;
    int *state;
    zb_best *out;
    zb_model *free;  /* without evidence */
    zb_model *fewer; /* without values that others dominate; NULL: not looked for */
    zb_reduction *reduction;
    zb_origins *origins;
    int *reduced; /* the best state of the reduced model */
} job;

/* ---- component by component ------------------------------------------------------ */

typedef struct parts {
    zb_model **model;
    int count, *of, *place, *state; /* states one after the other */
    zb_summit *best;
    bool *done;
} parts;

/* A component without factors has any state. */
static zb_status find_part(job *j, const parts *p, int k, zb_run *run)
{
    zb_summit *s = &p->best[k];
    if (p->model[k]->nfactors > 0)
        return zb_summit_find(s, p->model[k], j->opt, run);
    s->found = s->optimal = true;
    s->upper = zb_up(p->model[k]->log_scale, p->model[k]->radius);
    return ZB_OK;
}

static void enter_part(job *j, const parts *p, int k, zb_sum *upper)
{
    const zb_summit *s = &p->best[k];
    for (int v = 0; s->found && v < j->reduction->model->nvars; v++)
        j->reduced[v] = p->of[v] == k ? s->state[p->place[v]] : j->reduced[v];
    zb_sum_add(upper, s->upper);
    j->out->found = j->out->found && s->found;
    j->out->optimal = j->out->optimal && s->optimal;
    j->out->ibound = zb_max_int(j->out->ibound, s->ibound);
}

static int largest_part(const parts *p)
{
    int best = 0;
    for (int k = 1; k < p->count; k++)
        best = p->model[k]->nvars > p->model[best]->nvars ? k : best;
    return best;
}

static zb_status open_parts(parts *p, const zb_model *reduced, zb_run *run)
{
    zb_status status;
    int at = 0;
    TRY(zb_components_split(reduced, run, &p->count, &p->model, &p->of, &p->place));
    p->state = zb_calloc((size_t)reduced->nvars, sizeof *p->state);
    p->best = zb_calloc((size_t)p->count, sizeof *p->best);
    p->done = zb_calloc((size_t)p->count, sizeof *p->done);
    TRY(p->state && p->best && p->done ? ZB_OK : ZB_ENOMEM);
    for (int k = 0; k < p->count; k++) {
        p->best[k].state = p->state + at;
        at += p->model[k]->nvars;
    }
done:
    return status;
}

/* Time goes to the components by their size, the largest last: it has what others
   leave. What one of several reports is not about the whole. */
static zb_status find_rest(job *j, const parts *p, zb_run *run, zb_sum *upper)
{
    int left = 0;
    zb_status status = ZB_OK;
    for (int k = 0; k < p->count; k++)
        left += p->done[k] ? 0 : p->model[k]->nvars;
    for (int i = 0, last = largest_part(p); i < p->count; i++) {
        int k = i + 1 == p->count ? last : i < last ? i : i + 1;
        double share = left > 0 ? (double)p->model[k]->nvars / left : 1;
        zb_run mine = zb_run_share(run, zb_now() + share * zb_run_left(run),
                                   run->memory, run->threads);
        mine.relay = p->count > 1 ? zb_run_silent : NULL;
        mine.context = run;
        if (!p->done[k]) {
            TRY(find_part(j, p, k, &mine));
            left -= p->model[k]->nvars;
        }
        enter_part(j, p, k, upper);
    }
done:
    return status;
}

static zb_status find_parts(job *j, zb_run *run, zb_sum *upper)
{
    parts p = { .count = 0 };
    zb_status status;
    TRY(open_parts(&p, j->reduction->model, run));
    zb_summits all = { p.model, p.count, j->opt, p.best, p.done };
    TRY(zb_summit_farm(&all, run));
    TRY(find_rest(j, &p, run, upper));
done:
    zb_components_free(p.count, p.model);
    zb_free(p.of);
    zb_free(p.place);
    zb_free(p.state);
    zb_free(p.best);
    zb_free(p.done);
    return status;
}

/* ---- back to the model as it was given ------------------------------------------- */

/* The value of v in the conditioned model. */
static int value_of(const job *j, int v)
{
    const zb_origins *o = j->origins;
    int r = o->var[v], want = r >= 0 ? j->reduced[r] : 0, x = 0;
    while (o->value[o->at[v] + (size_t)x] != want)
        x++;
    return x;
}

static void lift(job *j)
{
    for (int v = 0; v < j->given->nvars; v++)
        j->state[v] = value_of(j, v);
    zb_ball value = zb_state_value(j->free, j->state);
    j->out->log_value = zb_down(value.mid, value.radius);
    j->out->log_upper = fmax(j->out->log_upper, j->out->log_value);
    for (int v = 0; v < j->given->nvars; v++)
        if (j->given->evidence[v] >= 0)
            j->state[v] = j->given->evidence[v];
}

/* ---- the call -------------------------------------------------------------------- */

/* Values that are dominated go, in a part of the time, where a copy of the tables takes
   no more than a part of the memory. */
static zb_status forbid(job *j, zb_run *run)
{
    double left = zb_run_left(run), bytes = 0;
    for (int f = 0; f < j->free->nfactors; f++)
        bytes += (double)j->free->factor[f].size * sizeof(double);
    if (bytes > 0.2 * (double)run->memory)
        return ZB_OK;
    zb_run mine = zb_run_share(run, isfinite(left) ? zb_now() + 0.05 * left : INFINITY,
                               run->memory, run->threads);
    size_t removed;
    mine.relay = zb_run_silent;
    mine.context = run;
    return zb_dominate(&j->fewer, j->free, &mine, &removed);
}

static zb_status find(job *j, zb_run *run)
{
    zb_best *out = j->out;
    zb_sum upper = { 0 };
    zb_status status;
    TRY(zb_model_condition(&j->free, j->given, j->given->evidence));
    TRY(forbid(j, run));
    TRY(zb_simplify_kept(&j->reduction, j->fewer != NULL ? j->fewer : j->free, run));
    out->log_upper = -INFINITY;
    out->optimal = true;
    if (j->reduction->model->log_scale == -INFINITY)
        return ZB_OK;
    TRY(zb_origins_new(&j->origins, j->reduction->trail, j->free->card));
    j->reduced = zb_calloc((size_t)j->reduction->model->nvars, sizeof *j->reduced);
    TRY(j->reduced != NULL ? ZB_OK : ZB_ENOMEM);
    out->found = true;
    TRY(find_parts(j, run, &upper));
    out->log_upper = zb_sum_up(&upper);
    if (out->found)
        lift(j);
done:
    return status;
}

static void describe(zb_best *out, bool interrupted)
{
    if (!out->found)
        out->log_value = -INFINITY;
    if (interrupted)
        out->stop = ZB_STOP_INTERRUPTED;
    else
        out->stop = out->optimal ? ZB_STOP_EXACT : ZB_STOP_TIME;
}

static zb_status within_limits(job *j, const zb_observer *observer)
{
    const zb_options *opt = j->opt;
    uint64_t memory = opt->memory > 0 ? opt->memory : zb_memory_default();
    uint64_t left = zb_account_enter(memory);
    double time = opt->time < 0   ? ZB_AUTO_SECONDS
                  : opt->time > 0 ? opt->time
                                  : INFINITY,
           start = zb_now();
    zb_run run;
    zb_status status = zb_run_open(&run, observer, start + time, left, opt->threads);
    if (status == ZB_OK) {
        run.ranks = zb_ranks_enter(opt->ranks, memory);
        status = find(j, &run);
        describe(j->out, zb_run_interrupted(&run));
        zb_run_close(&run);
    }
    zb_account_leave(memory);
    j->out->seconds = zb_now() - start;
    zb_model_free(j->free);
    zb_model_free(j->fewer);
    zb_reduction_free(j->reduction);
    zb_origins_free(j->origins);
    zb_free(j->reduced);
    return status;
}

zb_status zb_best_state(const zb_model *model, const zb_options *opt,
                        const zb_observer *observer, int *state, zb_best *out,
                        zb_error *err)
{
    zb_status status;
    if (model == NULL || opt == NULL || out == NULL ||
        (state == NULL && model->nvars > 0))
        return zb_fail(err, ZB_EINVAL,
                       "no model, no options, or no place for a state or for what is "
                       "known of it");
    *out = (zb_best){ .log_value = -INFINITY, .log_upper = INFINITY };
    zb_fail(err, ZB_OK, "%s", "");
    TRY(zb_options_check(opt, err));
    job j = { .given = model, .opt = opt, .state = state, .out = out };
    status = within_limits(&j, observer);
    if (status == ZB_ELIMIT)
        zb_fail(err, status, "the time limit passed before anything was known");
    else if (status != ZB_OK)
        zb_fail(err, status, "%s", zb_status_text(status));
    if (status != ZB_OK)
        *out = (zb_best){ .log_value = -INFINITY, .log_upper = INFINITY };
done:
    return status;
}
