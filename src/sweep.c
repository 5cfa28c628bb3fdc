/* One model at many inverse temperatures: as many calls of zb_solve, which know nothing
 * of each other, so that any rank may make any of them. */
#include "sweep.h"

#include "ranks/farm.h"

/* Seconds after the time limit, for answers that are on their way. */
static const double GRACE = 0.1;

typedef struct sweep {
    const zb_model *model;
    size_t count;
    const double *beta;
    zb_options opt; /* of each */
    zb_run *run;
    double end; /* of the time limit; INFINITY: none, or each has its own */
    zb_result *out;
    zb_error *err;
    size_t failed; /* the first that failed; count: none */
    zb_status status;
} sweep;

/* ---- one beta -------------------------------------------------------------------- */

typedef struct listener { /* to the call that is under way */
    zb_run *call;         /* is told; NULL: nobody is */
    zb_run *share;        /* ends it */
} listener;

static bool on_progress(void *context, const zb_progress *at)
{
    const listener *l = context;
    return (l->call == NULL || zb_run_report(l->call, *at)) && zb_run_more(l->share);
}

static void on_note(void *context, const char *sentence)
{
    const listener *l = context;
    zb_run_note(l->call, sentence);
}

static zb_status solve_at(const zb_model *model, double beta, const zb_options *opt,
                          listener *l, zb_result *out, zb_error *err)
{
    zb_observer observer = { .context = l, .progress = on_progress, .note = on_note };
    zb_model *raised = NULL;
    zb_status status = zb_model_raise(&raised, model, beta);
    if (status == ZB_EINVAL)
        return zb_fail(err, status, "beta %g is too large", beta);
    if (status == ZB_OK)
        status = zb_solve(raised, opt, &observer, out, err);
    zb_model_free(raised);
    return status;
}

/* ---- rank 0 ---------------------------------------------------------------------- */

/* Seconds for beta i, now that it begins: an even part of what is left, when so many
   at a time are worked on. */
static double seconds_of(const sweep *s, size_t i)
{
    size_t ranks = (size_t)zb_ranks_size(zb_run_ranks(s->run));
    size_t rounds = (s->count - i + ranks - 1) / ranks;
    return isinf(s->end) ? s->opt.time
                         : fmax(1e-3, (s->end - zb_now()) / (double)rounds);
}

static void write_task(void *context, size_t i, zb_letter *task)
{
    const sweep *s = context;
    zb_letter_put_real(task, s->beta[i]);
    zb_letter_put_real(task, seconds_of(s, i));
}

static zb_status solve_here(sweep *s, size_t i, zb_run *share, zb_result *out)
{
    listener l = { .call = s->run, .share = share };
    zb_options opt = s->opt;
    zb_error err = { "" };
    opt.time = seconds_of(s, i);
    zb_status status = solve_at(s->model, s->beta[i], &opt, &l, out, &err);
    if (status != ZB_OK && i < s->failed)
        zb_fail(s->err, status, "%s", err.text);
    return status;
}

static zb_status solve_task(void *context, size_t i, zb_run *share, zb_letter *answer)
{
    zb_result r;
    zb_status status = solve_here(context, i, share, &r);
    if (status == ZB_OK)
        zb_letter_put(answer, &r, sizeof r);
    return status;
}

static void fail(sweep *s, size_t i, zb_status status)
{
    if (i >= s->failed)
        return;
    s->failed = i;
    s->status = status;
}

static void read_answer(void *context, size_t i, zb_status status, zb_letter *answer)
{
    sweep *s = context;
    zb_result r;
    zb_letter_take(answer, &r, sizeof r);
    if (status == ZB_OK && !answer->bad)
        s->out[i] = r;
    else
        fail(s, i, status != ZB_OK ? status : ZB_EBUG);
}

static zb_status solve_there(sweep *s, bool *done)
{
    zb_farm_spec spec = { .trade = ZB_TRADE_BETAS,
                          .threads = 1,
                          .once = isfinite(s->end),
                          .memory = s->opt.memory,
                          .context = s,
                          .write = write_task,
                          .local = solve_task,
                          .read = read_answer };
    zb_letter common = { 0 };
    zb_farm *farm = NULL;
    zb_status status;
    zb_letter_put(&common, &s->opt, sizeof s->opt);
    zb_letter_put_ints(&common,
                       s->opt.order == ZB_ORDER_FILE ? (size_t)s->model->nvars : 0,
                       s->opt.order_list);
    zb_letter_put_model(&common, s->model);
    TRY(zb_farm_open(&farm, &spec, &common, s->run));
    *done = farm != NULL;
    if (farm != NULL)
        TRY(zb_farm_run(farm, s->count, s->run));
done:
    zb_farm_close(farm);
    zb_letter_clear(&common);
    return status == ZB_ENOMEM && !*done ? ZB_OK : status; /* then it is done here */
}

static zb_status solve_all(sweep *s)
{
    bool done = false;
    zb_status status;
    TRY(solve_there(s, &done));
    for (size_t i = 0; !done && i < s->count && s->status == ZB_OK; i++) {
        zb_run share = zb_run_share(s->run, INFINITY, UINT64_MAX, s->run->threads);
        if (!zb_run_more(s->run))
            break;
        status = solve_here(s, i, &share, &s->out[i]);
        if (status != ZB_OK)
            fail(s, i, status);
    }
    status = s->status;
done:
    return status;
}

/* Everything but the betas, which are found out when their turn comes. */
static zb_status check(const sweep *s, zb_error *err)
{
    if (s->opt.checkpoint != NULL)
        return zb_fail(err, ZB_EINVAL, "a checkpoint is for one model, not for betas");
    return zb_options_check(&s->opt, err);
}

zb_status zb_solve_betas(const zb_model *model, const zb_options *opt, size_t count,
                         const double *beta, const zb_observer *observer,
                         zb_result *out, zb_error *err)
{
    zb_run run;
    zb_status status;
    if (model == NULL || opt == NULL || (count > 0 && (beta == NULL || out == NULL)))
        return zb_fail(err, ZB_EINVAL, "no model, no options, no betas or no results");
    sweep s = { model, count, beta, *opt, &run, INFINITY, out, err, count, ZB_OK };
    zb_fail(err, ZB_OK, "%s", "");
    for (size_t i = 0; i < count; i++)
        out[i] = (zb_result){ .log_lower = -INFINITY,
                              .log_upper = INFINITY,
                              .method = opt->method,
                              .stop = ZB_STOP_INTERRUPTED };
    TRY(check(&s, err));
    s.opt.memory = opt->memory > 0 ? opt->memory : zb_memory_default();
    s.opt.ranks = NULL;
    if (opt->time > 0)
        s.end = zb_now() + opt->time;
    TRY(zb_run_open(&run, observer, s.end + GRACE, s.opt.memory, opt->threads));
    run.ranks = zb_ranks_enter(opt->ranks, s.opt.memory);
    s.opt.threads = run.threads;
    status = solve_all(&s);
    zb_run_close(&run);
done:
    if (status != ZB_OK && err != NULL && err->text[0] == '\0')
        zb_fail(err, status, "%s", zb_status_text(status));
    return status;
}

/* ---- the others ------------------------------------------------------------------ */

typedef struct shop {
    zb_options opt;
    int *order;
    zb_model *model;
} shop;

static void close_shop(void *state)
{
    shop *w = state;
    zb_model_free(w->model);
    zb_free(w->order);
    zb_free(w);
}

static zb_status open_shop(void **state, zb_letter *common, zb_stint *job)
{
    shop *w = zb_calloc(1, sizeof *w);
    size_t count;
    zb_status status;
    *state = NULL;
    if (w == NULL)
        return ZB_ENOMEM;
    zb_letter_take(common, &w->opt, sizeof w->opt);
    TRY(zb_letter_take_ints(common, &count, &w->order));
    TRY(zb_letter_take_model(common, &w->model));
    w->opt.order_list = w->order;
    w->opt.threads = zb_stint_run(job)->threads;
    *state = w, w = NULL;
done:
    if (w != NULL)
        close_shop(w);
    return status;
}

static zb_status work(void *state, zb_letter *task, zb_stint *job, zb_letter *answer)
{
    const shop *w = state;
    listener l = { .share = zb_stint_run(job) };
    zb_options opt = w->opt;
    zb_result r;
    double beta = zb_letter_take_real(task);
    opt.time = zb_letter_take_real(task);
    if (task->bad)
        return ZB_EINVAL;
    zb_status status = solve_at(w->model, beta, &opt, &l, &r, NULL);
    if (status == ZB_OK)
        zb_letter_put(answer, &r, sizeof r);
    return status;
}

const zb_trade ZB_BETA_TRADE = { open_shop, work, close_shop, false, true };
