#include "map/summit_farm.h"

#include "ranks/farm.h"
#include "ranks/turns.h"

#include <string.h>

/* ---- one component --------------------------------------------------------------- */

static void put_summit(zb_letter *l, const zb_summit *s, int nvars)
{
    zb_letter_put_int(l, s->found | s->optimal << 1);
    zb_letter_put_real(l, s->value);
    zb_letter_put_real(l, s->upper);
    zb_letter_put_int(l, s->ibound);
    zb_letter_put(l, s->state, (size_t)nvars * sizeof *s->state);
}

static zb_status look_for(const zb_model *model, const zb_options *opt, double seconds,
                          zb_run *run, zb_letter *answer)
{
    zb_run share = zb_run_share(run, zb_now() + seconds, UINT64_MAX, run->threads);
    zb_summit s = { .state = zb_calloc((size_t)model->nvars, sizeof *s.state) };
    zb_status status;
    TRY(s.state != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_summit_find(&s, model, opt, &share));
    put_summit(answer, &s, model->nvars);
done:
    zb_free(s.state);
    return status;
}

/* ---- rank 0 ---------------------------------------------------------------------- */

typedef struct batch {
    zb_summits *s;
    zb_turn *item; /* the largest components first, then those that are repeated */
    int count, components;
    int optimal; /* components whose best state is proved */
    zb_run *run;
} batch;

static zb_options options_of(const batch *b, size_t k)
{
    zb_options opt = *b->s->opt;
    opt.seed += b->item[k].seed;
    return opt;
}

static void write_task(void *context, size_t k, zb_letter *task)
{
    const batch *b = context;
    zb_options opt = options_of(b, k);
    zb_letter_put_real(task, zb_turn_seconds(&b->item[k], b->run));
    zb_letter_put_options(task, &opt);
    zb_letter_put_model(task, b->s->model[b->item[k].part]);
}

/* What one of several reports is not about the whole. */
typedef struct listener {
    zb_run *tell, *run;
} listener;

static bool pass_on(void *context, const zb_progress *at)
{
    const listener *l = context;
    return (l->tell == NULL || zb_run_report(l->tell, *at)) && zb_run_more(l->run);
}

static zb_status look_here(void *context, size_t k, zb_run *run, zb_letter *answer)
{
    const batch *b = context;
    listener l = { .tell = b->s->count == 1 ? b->run : NULL, .run = run };
    zb_run share = zb_run_share(run, INFINITY, UINT64_MAX, run->threads);
    zb_options opt = options_of(b, k);
    share.relay = pass_on;
    share.context = &l;
    return look_for(b->s->model[b->item[k].part], &opt,
                    zb_turn_seconds(&b->item[k], b->run), &share, answer);
}

/* Both hold: the larger value and the smaller bound. */
static void merge(batch *b, int part, const zb_summit *got)
{
    zb_summit *best = &b->s->best[part];
    bool first = !b->s->done[part], was = !first && best->optimal;
    if (got->found && (first || !best->found || got->value > best->value)) {
        memcpy(best->state, got->state,
               (size_t)b->s->model[part]->nvars * sizeof *best->state);
        best->value = got->value;
    }
    best->upper = first ? got->upper : fmin(best->upper, got->upper);
    best->found = got->found || (!first && best->found);
    best->optimal = got->optimal || was;
    best->ibound = first ? got->ibound : zb_max_int(best->ibound, got->ibound);
    b->s->done[part] = true;
    b->optimal += best->optimal && !was;
}

/* A state with values that are none would be no state. */
static bool is_state(const zb_model *model, const int *state)
{
    bool good = true;
    for (int v = 0; v < model->nvars && good; v++)
        good = state[v] >= 0 && state[v] < model->card[v];
    return good;
}

static void read_answer(void *context, size_t k, zb_status status, zb_letter *answer)
{
    batch *b = context;
    int part = b->item[k].part, nvars = b->s->model[part]->nvars;
    int what = zb_letter_take_int(answer);
    zb_summit got = { .found = (what & 1) != 0, .optimal = (what & 2) != 0 };
    got.value = zb_letter_take_real(answer);
    got.upper = zb_letter_take_real(answer);
    got.ibound = zb_letter_take_int(answer);
    size_t bytes = (size_t)nvars * sizeof *got.state;
    if (status != ZB_OK || answer->bad || answer->size - answer->at != bytes)
        return;
    got.state = zb_alloc((size_t)nvars, sizeof *got.state);
    if (got.state == NULL)
        return; /* then it is done again by the caller */
    zb_letter_take(answer, got.state, bytes);
    if (is_state(b->s->model[part], got.state))
        merge(b, part, &got);
    zb_free(got.state);
    if (b->optimal == b->components)
        zb_run_stop(b->run);
}

static zb_status list_items(batch *b, int ranks)
{
    int most = b->s->count + ranks;
    b->item = zb_alloc((size_t)most, sizeof *b->item);
    if (b->item == NULL)
        return ZB_ENOMEM;
    for (int k = 0; k < b->s->count; k++)
        if (b->s->model[k]->nfactors > 0)
            b->item[b->count++] = (zb_turn){ k, b->s->model[k]->nvars, 0, 0 };
    zb_turns_sort(b->count, b->item);
    b->components = b->count;
    for (int i = 0; isfinite(b->run->deadline) && i < ranks - b->components; i++) {
        zb_turn again = b->item[i % zb_max_int(1, b->components)];
        again.seed = (uint64_t)(1 + i);
        b->item[b->count++] = again;
    }
    zb_turns_add_up(b->count, b->item);
    return ZB_OK;
}

zb_status zb_summit_farm(zb_summits *s, zb_run *run)
{
    int ranks = zb_ranks_size(zb_run_ranks(run));
    zb_run share = zb_run_share(run, INFINITY, UINT64_MAX, run->threads);
    batch b = { .s = s, .run = &share };
    zb_farm_spec spec = { .trade = ZB_TRADE_SUMMITS,
                          .threads = 1,
                          .once = isfinite(run->deadline),
                          .memory = run->memory,
                          .context = &b,
                          .write = write_task,
                          .local = look_here,
                          .read = read_answer };
    zb_letter none = { 0 };
    zb_farm *farm = NULL;
    zb_status status;
    if (ranks == 1 || s->count == 0)
        return ZB_OK;
    TRY(list_items(&b, ranks));
    if (b.components == 0 || b.count < 2)
        goto done;
    TRY(zb_farm_open(&farm, &spec, &none, &share));
    if (farm != NULL)
        TRY(zb_farm_run(farm, (size_t)b.count, &share));
done:
    zb_farm_close(farm);
    zb_free(b.item);
    return status == ZB_ENOMEM ? ZB_OK : status; /* what is missing is done here */
}

/* ---- the others ------------------------------------------------------------------ */

static zb_status work(void *state, zb_letter *task, zb_stint *job, zb_letter *answer)
{
    zb_model *model = NULL;
    double seconds = zb_letter_take_real(task);
    zb_options opt;
    zb_status status;
    (void)state;
    zb_letter_take(task, &opt, sizeof opt);
    TRY(zb_letter_take_model(task, &model));
    TRY(look_for(model, &opt, seconds, zb_stint_run(job), answer));
done:
    zb_model_free(model);
    return status;
}

const zb_trade ZB_SUMMIT_TRADE = { .work = work };
