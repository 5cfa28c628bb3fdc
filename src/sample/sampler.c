/* Draws of a model as it was given: reduced, taken apart, each component drawn from its
 * source, put together, and lifted back through the reductions. */
#include "base/account.h"
#include "base/explog.h"
#include "base/rounding.h"
#include "form/form.h"
#include "sample/feed.h"
#include "simplify/simplify.h"

#include <string.h>

typedef struct part { /* a component of the reduced model */
    zb_source source;
    zb_feed perfect, weighted;
    int *var; /* its variables, as those of the reduced model */
    int nvars;
    double rate, seconds; /* of acceptance, of one draw; about */
} part;

struct zb_sampler {
    zb_options opt;
    const zb_observer *observer;
    zb_model *free; /* the model without its evidence */
    int *evidence;
    zb_reduction *reduction; /* NULL: what is drawn from is the model, cleaned */
    zb_model *clean;
    bool *used;                 /* which variables of free are left in clean */
    const zb_model *drawn_from; /* the result of either */
    int count, threads;
    part *part;
    int *reduced, *scratch;   /* states */
    uint64_t drawn;           /* states so far: each is lifted by a stream of its own */
    double log_upper, radius; /* of all components: see zb_source */
    zb_feed_farm *farm;       /* NULL: draws are made here */
    bool spread;              /* it was tried */
    zb_sampler_info info;
};

/* Numbers of batches: each kind of draw has its own. */
static const uint64_t WEIGHTED = (uint64_t)1 << 62, PILOT = (uint64_t)1 << 61;

static uint64_t part_seed(const zb_sampler *s, int i)
{
    zb_rng rng = zb_rng_seed(s->opt.seed + 0x73616d706c65u * ((uint64_t)i + 1));
    return zb_rng_next(&rng);
}

typedef struct request_new {
    const zb_model *model;
    const zb_state *from; /* NULL: a bound is to be found */
} request_new;

/* ---- setting up ------------------------------------------------------------------ */

static zb_status name_vars(zb_sampler *s, zb_model **model, const int *part_of,
                           const int *place)
{
    for (int i = 0; i < s->count; i++) {
        part *p = &s->part[i];
        p->nvars = model[i]->nvars;
        p->var = zb_alloc((size_t)p->nvars, sizeof *p->var);
        if (p->var == NULL)
            return ZB_ENOMEM;
    }
    for (int v = 0; v < s->drawn_from->nvars; v++)
        s->part[part_of[v]].var[place[v]] = v;
    return ZB_OK;
}

/* A few draws: how many would be accepted, how long one takes. */
static zb_status try_out(zb_sampler *s, int i, zb_run *run)
{
    enum { BATCHES = 4 };
    part *p = &s->part[i];
    zb_feed f;
    zb_draw d;
    double start = zb_now(), sum = 0;
    zb_status status = zb_feed_open(&f, p->source.proposal, part_seed(s, i), PILOT, 1);
    for (int k = 0; status == ZB_OK && k < BATCHES * ZB_LANES; k++) {
        bool ok = zb_feed_next(&f, false, run, &d);
        status = ok ? ZB_OK : f.failed ? ZB_ENOMEM : ZB_ELIMIT;
        sum += status == ZB_OK ? zb_exp(d.log_ratio) : 0;
    }
    zb_feed_close(&f);
    p->rate = sum / (BATCHES * ZB_LANES);
    p->seconds = (zb_now() - start) / (BATCHES * ZB_LANES) / s->threads;
    return status;
}

/* The part's source is there. */
static zb_status open_part(zb_sampler *s, int i)
{
    part *p = &s->part[i];
    uint64_t seed = part_seed(s, i);
    zb_status status;
    const zb_proposal *q = p->source.proposal;
    TRY(zb_feed_open(&p->perfect, q, seed, 0, s->threads));
    TRY(zb_feed_open(&p->weighted, q, seed, WEIGHTED, s->threads));
    s->log_upper += p->source.log_upper;
    s->radius += p->source.radius + ZB_UNIT * fabs(s->log_upper);
    s->info.exact = s->info.exact && zb_proposal_is_exact(q);
done:
    return status;
}

/* What there is to draw, and how long it takes: a state needs an accepted draw of each
   component. */
static void describe(zb_sampler *s)
{
    s->info.components = s->drawn_from->nvars > 0 ? s->count : 0;
    s->info.log_upper = zb_up(s->log_upper, s->radius);
    s->info.rate = 1;
    for (int i = 0; i < s->count; i++) {
        part *p = &s->part[i];
        s->info.rate = fmin(s->info.rate, p->rate);
        s->info.seconds += p->seconds / p->rate;
    }
}

/* Time goes to the components by their size. */
static zb_status open_parts(zb_sampler *s, zb_run *run)
{
    const zb_model *reduced = s->drawn_from;
    zb_model **model = NULL;
    int *part_of = NULL, *place = NULL, left = reduced->nvars;
    zb_status status;
    TRY(zb_components_split(reduced, run, &s->count, &model, &part_of, &place));
    s->part = zb_calloc((size_t)s->count, sizeof *s->part);
    TRY(s->part != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(name_vars(s, model, part_of, place));
    s->info.exact = true;
    for (int i = 0; i < s->count; i++) {
        double share = left > 0 ? (double)s->part[i].nvars / left : 1;
        zb_run mine = zb_run_share(run, zb_now() + share * zb_run_left(run),
                                   run->memory, s->threads);
        mine.relay = zb_run_silent; /* bounds of a part are not the whole's */
        mine.context = run;
        TRY(zb_source_find(&s->part[i].source, model[i], &s->opt, &mine));
        TRY(open_part(s, i));
        left -= s->part[i].nvars;
    }
done:
    zb_components_free(s->count, model);
    zb_free(part_of);
    zb_free(place);
    return status;
}

/* A state is of the whole model: its components are drawn and accepted together. */
static zb_status open_whole(zb_sampler *s, const zb_state *from, zb_run *run,
                            zb_error *err)
{
    int n = s->drawn_from->nvars;
    zb_status status;
    s->count = 1;
    s->info.exact = true;
    s->part = zb_calloc(1, sizeof *s->part);
    TRY(s->part != NULL ? ZB_OK : ZB_ENOMEM);
    s->part->var = zb_alloc((size_t)n, sizeof *s->part->var);
    TRY(s->part->var != NULL ? ZB_OK : ZB_ENOMEM);
    s->part->nvars = n;
    for (int v = 0; v < n; v++)
        s->part->var[v] = v;
    TRY(zb_source_load(&s->part->source, s->drawn_from, from, run, err));
    TRY(open_part(s, 0));
done:
    return status;
}

/* States know whether their model was reduced before. */
static zb_status reduce(zb_sampler *s, const zb_state *from, zb_run *run)
{
    zb_status status;
    if (from != NULL && !from->simplified) {
        TRY(zb_form_clean(&s->clean, s->free, run));
        s->used = zb_calloc((size_t)s->free->nvars, sizeof *s->used);
        TRY(s->used != NULL ? ZB_OK : ZB_ENOMEM);
        for (int f = 0; f < s->free->nfactors; f++)
            for (int i = 0; i < s->free->factor[f].arity; i++)
                s->used[s->free->factor[f].scope[i]] = true;
        for (int v = 0; v < s->free->nvars; v++)
            s->used[v] = s->used[v] && s->free->card[v] > 1;
        s->drawn_from = s->clean;
    } else {
        TRY(zb_simplify_tracked(&s->reduction, s->free, run));
        s->drawn_from = s->reduction->model;
    }
done:
    return status;
}

static zb_status prepare(zb_sampler *s, const request_new *r, zb_run *run,
                         zb_error *err)
{
    const zb_model *model = r->model;
    size_t n = (size_t)model->nvars;
    zb_status status;
    s->threads = run->threads;
    s->evidence = zb_alloc(n, sizeof *s->evidence);
    s->reduced = zb_alloc(n, sizeof *s->reduced);
    s->scratch = zb_alloc(n, sizeof *s->scratch);
    TRY(s->evidence && s->reduced && s->scratch ? ZB_OK : ZB_ENOMEM);
    memcpy(s->evidence, model->evidence, n * sizeof *s->evidence);
    TRY(zb_model_condition(&s->free, model, model->evidence));
    TRY(reduce(s, r->from, run));
    if (r->from != NULL && s->drawn_from->nvars > 0)
        TRY(open_whole(s, r->from, run, err));
    else
        TRY(open_parts(s, run));
    for (int i = 0; i < s->count; i++)
        TRY(try_out(s, i, NULL));
    describe(s);
    if (s->log_upper == -INFINITY)
        TRY(zb_fail(err, ZB_EINVAL, "Z = 0: there is no state to draw"));
done:
    return status;
}

/* ---- calls ----------------------------------------------------------------------- */

/* The deadline of this call, and memory as the options say; work is done within. */
typedef zb_status sampler_work(zb_sampler *s, zb_run *run, void *context,
                               zb_error *err);

static zb_status within_limits(zb_sampler *s, double seconds, sampler_work *work,
                               void *context, zb_error *err)
{
    uint64_t memory = s->opt.memory > 0 ? s->opt.memory : zb_memory_default();
    uint64_t left = zb_account_enter(memory);
    zb_run run;
    zb_status status =
        zb_run_open(&run, s->observer, zb_now() + seconds, left, s->opt.threads);
    if (status == ZB_OK) {
        status = work(s, &run, context, err);
        zb_run_close(&run);
    }
    zb_account_leave(memory);
    if (status == ZB_ELIMIT && err != NULL && err->text[0] == '\0')
        zb_fail(err, status,
                "the time limit passed before there was a bound to draw "
                "from");
    if (status != ZB_OK && err != NULL && err->text[0] == '\0')
        zb_fail(err, status, "%s", zb_status_text(status));
    return status;
}

static zb_status build(zb_sampler *s, zb_run *run, void *context, zb_error *err)
{
    return prepare(s, context, run, err);
}

static zb_status make(zb_sampler **out, const request_new *r, const zb_options *opt,
                      const zb_observer *observer, zb_error *err)
{
    zb_status status;
    *out = NULL;
    zb_fail(err, ZB_OK, "%s", "");
    TRY(zb_options_check(opt, err));
    zb_sampler *s = zb_calloc(1, sizeof *s);
    TRY(s != NULL ? ZB_OK : ZB_ENOMEM);
    s->opt = *opt;
    s->observer = observer;
    double time = opt->time < 0   ? ZB_AUTO_SECONDS
                  : opt->time > 0 ? opt->time
                                  : INFINITY;
    status = within_limits(s, time, build, (void *)r, err);
    if (status == ZB_OK)
        *out = s;
    else
        zb_sampler_free(s);
done:
    return status;
}

zb_status zb_sampler_new(zb_sampler **out, const zb_model *model, const zb_options *opt,
                         const zb_observer *observer, zb_error *err)
{
    request_new r = { .model = model };
    if (out == NULL || model == NULL || opt == NULL)
        return zb_fail(err, ZB_EINVAL,
                       "no model, no options or no place for a sampler");
    return make(out, &r, opt, observer, err);
}

zb_status zb_sampler_load(zb_sampler **out, const zb_model *model,
                          const zb_state *state, const zb_options *opt,
                          const zb_observer *observer, zb_error *err)
{
    request_new r = { .model = model, .from = state };
    if (out != NULL)
        *out = NULL;
    if (out == NULL || model == NULL || state == NULL || opt == NULL)
        return zb_fail(err, ZB_EINVAL,
                       "no model, no state, no options or no place for a sampler");
    if (state->nvars != model->nvars)
        return zb_fail(err, ZB_EINVAL,
                       "the state is of a model with %d variables, this one has %d",
                       state->nvars, model->nvars);
    return make(out, &r, opt, observer, err);
}

void zb_sampler_free(zb_sampler *s)
{
    if (s == NULL)
        return;
    zb_feed_farm_close(s->farm);
    for (int i = 0; i < s->count && s->part != NULL; i++) {
        zb_feed_close(&s->part[i].perfect);
        zb_feed_close(&s->part[i].weighted);
        zb_source_close(&s->part[i].source);
        zb_free(s->part[i].var);
    }
    zb_free(s->part);
    zb_reduction_free(s->reduction);
    zb_model_free(s->clean);
    zb_free(s->used);
    zb_model_free(s->free);
    zb_free(s->evidence);
    zb_free(s->reduced);
    zb_free(s->scratch);
    zb_free(s);
}

zb_sampler_info zb_sampler_about(const zb_sampler *s)
{
    return s != NULL ? s->info : (zb_sampler_info){ .components = 0 };
}

/* ---- drawing --------------------------------------------------------------------- */

static zb_status open_farm(zb_sampler *s, zb_run *run)
{
    zb_feed_part *from = zb_alloc((size_t)s->count, sizeof *from);
    if (from == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < s->count; i++)
        from[i] = (zb_feed_part){ s->part[i].source.proposal, part_seed(s, i) };
    zb_status status = zb_feed_farm_open(&s->farm, s->count, from, run);
    zb_free(from);
    return status;
}

/* Over ranks from the first call on that draws, where that is worth it. What cannot be
   had for it is done here. */
static void spread(zb_sampler *s, bool perfect)
{
    zb_run run;
    double seconds = s->info.seconds * s->info.rate * 16 * ZB_LANES; /* of 16 batches */
    if (s->spread || s->opt.ranks == NULL || s->drawn_from->nvars == 0)
        return;
    s->spread = true;
    uint64_t memory = s->opt.memory > 0 ? s->opt.memory : zb_memory_default();
    if (zb_run_open(&run, NULL, INFINITY, memory, s->threads) != ZB_OK)
        return;
    run.ranks = zb_ranks_enter(s->opt.ranks, memory);
    if (run.ranks != NULL && !(seconds < run.ranks->least) &&
        open_farm(s, &run) == ZB_OK && s->farm != NULL)
        for (int i = 0; i < s->count; i++) {
            part *p = &s->part[i];
            zb_feed_spread(perfect ? &p->perfect : &p->weighted, s->farm, i,
                           zb_ranks_size(run.ranks));
        }
    zb_run_close(&run);
}

/* A state of the reduced model; *log_weight NULL: a perfect one. */
static bool draw_reduced(zb_sampler *s, zb_run *run, double *log_weight)
{
    double sum = s->log_upper;
    for (int i = 0; i < s->count; i++) {
        part *p = &s->part[i];
        bool perfect = log_weight == NULL;
        zb_draw d;
        if (!zb_feed_next(perfect ? &p->perfect : &p->weighted, perfect, run, &d))
            return false;
        sum += d.log_ratio;
        for (int v = 0; v < p->nvars; v++)
            s->reduced[p->var[v]] = d.state[(size_t)v * ZB_LANES];
    }
    if (log_weight != NULL)
        *log_weight = sum;
    return true;
}

/* Variables that cleaning left out have one value, or are in no factor; the others
   keep their order. */
static void unclean(const zb_sampler *s, zb_rng *rng, int *out)
{
    for (int v = 0, next = 0; v < s->free->nvars; v++)
        if (s->used[v])
            out[v] = s->reduced[next++];
        else
            out[v] = zb_rng_below(rng, s->free->card[v]);
}

static void lift(zb_sampler *s, int *out)
{
    zb_rng rng = zb_rng_seed(~s->opt.seed + 0x6c696674u * ++s->drawn);
    if (s->reduction != NULL)
        zb_trail_lift(s->reduction->trail, s->reduced, &rng, s->scratch, out);
    else
        unclean(s, &rng, out);
    for (int v = 0; v < s->free->nvars; v++)
        out[v] = s->evidence[v] >= 0 ? s->evidence[v] : out[v];
}

typedef struct request {
    size_t n, drawn;
    int *state;
    double *log_weight;
} request;

static bool has_failed(const zb_sampler *s)
{
    bool failed = false;
    for (int i = 0; i < s->count; i++)
        failed = failed || s->part[i].perfect.failed || s->part[i].weighted.failed;
    return failed;
}

static zb_status draw(zb_sampler *s, zb_run *run, void *context, zb_error *err)
{
    request *r = context;
    size_t nvars = (size_t)s->free->nvars;
    (void)err;
    spread(s, r->log_weight == NULL);
    while (r->drawn < r->n && zb_run_more(run)) {
        double *weight = r->log_weight != NULL ? r->log_weight + r->drawn : NULL;
        if (!draw_reduced(s, run, weight))
            return has_failed(s) ? ZB_ENOMEM : ZB_OK;
        lift(s, r->state + r->drawn * nvars);
        r->drawn++;
    }
    return ZB_OK;
}

zb_status zb_sampler_draw(zb_sampler *s, size_t n, int *state, double *log_weight,
                          size_t *drawn, zb_error *err)
{
    request r = { .n = n, .state = state, .log_weight = log_weight };
    if (s == NULL || drawn == NULL || (state == NULL && n > 0))
        return zb_fail(err, ZB_EINVAL, "no sampler or no place for states");
    zb_fail(err, ZB_OK, "%s", "");
    double time = s->opt.time > 0 ? s->opt.time : INFINITY;
    zb_status status = within_limits(s, time, draw, &r, err);
    *drawn = r.drawn;
    return status;
}
