/* Ranks that help with brackets: each has a component that is not known yet and a side
 * of it, and works on it by method auto with a seed of its own, until rank 0 has
 * enough. What it proves goes into rank 0's ledger as it comes, so the bracket is never
 * wider than rank 0's own. Only where there is a clock: without one an answer must not
 * depend on who was faster. */
#include "auto/helpers.h"

#include "ranks/farm.h"

/* ---- rank 0 ---------------------------------------------------------------------- */

/* The k-th open component, from the first again after the last; -1: none is. */
static int open_component(zb_steer *p, size_t k)
{
    int open = 0;
    for (int i = 0; i < p->job->count; i++)
        open += zb_steer_is_open(p, i);
    int want = open > 0 ? (int)(k % (size_t)open) : -1;
    for (int i = 0; i < p->job->count; i++)
        if (zb_steer_is_open(p, i) && want-- == 0)
            return i;
    return -1;
}

static zb_side side_of(const zb_steer *p, size_t k)
{
    if (p->opt->side != ZB_SIDE_BOTH)
        return p->opt->side;
    return k % 2 == 0 ? ZB_SIDE_LOWER : ZB_SIDE_UPPER;
}

static void write_task(void *context, size_t k, zb_letter *task)
{
    zb_steer *p = context;
    int i = open_component(p, k);
    zb_options opt = *p->opt;
    opt.side = side_of(p, k);
    opt.seed += k + 1;
    opt.order = ZB_ORDER_AUTO;
    zb_letter_put_int(task, i);
    zb_letter_put_options(task, &opt);
    zb_letter_put_model(task, p->job->part[i >= 0 ? i : 0]);
}

static void read_answer(void *context, size_t k, zb_status status, zb_letter *answer)
{
    (void)context, (void)k, (void)status, (void)answer; /* all was news */
}

static void read_news(void *context, int from, zb_letter *news)
{
    zb_steer *p = context;
    int i = zb_letter_take_int(news);
    double lower = zb_letter_take_real(news), upper = zb_letter_take_real(news);
    (void)from;
    if (!news->bad && i >= 0 && i < p->job->count)
        zb_ledger_bound(&p->ledger, i, lower, upper, "another rank");
}

zb_status zb_stage_help(zb_steer *p, const zb_stage *stage)
{
    zb_run *run = &p->ledger.work;
    zb_ranks *r = zb_run_ranks(run);
    zb_farm_spec spec = { .trade = ZB_TRADE_HELP,
                          .threads = 1,
                          .memory = run->memory,
                          .context = p,
                          .write = write_task,
                          .read = read_answer,
                          .news = read_news };
    zb_letter none = { 0 };
    zb_status status = ZB_OK;
    (void)stage;
    if (r == NULL || p->proofs != NULL || p->helpers != NULL || !zb_steer_goes_on(p))
        return ZB_OK;
    TRY(zb_farm_open(&p->helpers, &spec, &none, run));
    TRY(zb_farm_start(p->helpers, (size_t)zb_ranks_size(r) - 1));
done:
    return status == ZB_ENOMEM ? ZB_OK : status;
}

void zb_helpers_end(zb_steer *p)
{
    zb_farm_close(p->helpers);
    p->helpers = NULL;
}

/* ---- the others ------------------------------------------------------------------ */

typedef struct listener {
    zb_stint *job;
    int component;
    double lower, upper; /* as told last */
} listener;

static void tell(listener *l, double lower, double upper)
{
    zb_letter news = { 0 };
    if (!(lower > l->lower) && !(upper < l->upper))
        return;
    l->lower = fmax(lower, l->lower);
    l->upper = fmin(upper, l->upper);
    zb_letter_put_int(&news, l->component);
    zb_letter_put_real(&news, l->lower);
    zb_letter_put_real(&news, l->upper);
    zb_stint_tell(l->job, &news);
    zb_letter_clear(&news);
}

static bool on_progress(void *context, const zb_progress *at)
{
    listener *l = context;
    tell(l, at->log_lower, at->log_upper);
    return zb_stint_yield(l->job);
}

static zb_status work(void *state, zb_letter *task, zb_stint *job, zb_letter *answer)
{
    listener l = { .job = job, .lower = -INFINITY, .upper = INFINITY };
    zb_observer observer = { .context = &l, .progress = on_progress };
    zb_model *model = NULL;
    zb_options opt;
    zb_result r;
    zb_status status;
    (void)state, (void)answer;
    l.component = zb_letter_take_int(task);
    zb_letter_take(task, &opt, sizeof opt);
    if (l.component < 0)
        return ZB_OK;
    TRY(zb_letter_take_model(task, &model));
    opt.time = fmax(1e-3, fmin(zb_run_left(zb_stint_run(job)), 1e9));
    opt.threads = zb_stint_run(job)->threads;
    TRY(zb_solve(model, &opt, &observer, &r, NULL));
    tell(&l, r.has_lower ? r.log_lower : -INFINITY,
         r.has_upper ? r.log_upper : INFINITY);
done:
    zb_model_free(model);
    return ZB_OK; /* who cannot help leaves it at that */
}

const zb_trade ZB_HELP_TRADE = { .work = work, .yields = true, .calls = true };
