/* Marginals of a model as it was given: reduced without sums, asked as a whole or
 * component by component, and read back through the reductions. */
#include "base/account.h"
#include "marginals/ask_farm.h"
#include "marginals/asked.h"

/* ---- component by component ------------------------------------------------------ */

typedef struct parts {
    zb_model **model;
    int count, *of, *place;
    zb_question *question; /* by component */
    int *first;            /* count + 1 offsets */
} parts;

/* A factor's number in its component is how many of its factors come before. */
static zb_status share_questions(const zb_asked *a, parts *p)
{
    int *seen = zb_calloc((size_t)p->count, sizeof *seen);
    int *number = zb_alloc((size_t)a->model->nfactors, sizeof *number);
    zb_status status = ZB_ENOMEM;
    p->first = zb_calloc((size_t)p->count + 2, sizeof *p->first);
    p->question = zb_alloc((size_t)a->count, sizeof *p->question);
    if (!seen || !number || !p->first || !p->question)
        goto done;
    for (int f = 0; f < a->model->nfactors; f++)
        number[f] = seen[p->of[a->model->factor[f].scope[0]]]++;
    for (int i = 0; i < a->count; i++)
        p->first[p->of[a->model->factor[a->question[i].factor].scope[0]] + 2]++;
    for (int k = 0; k < p->count; k++)
        p->first[k + 2] += p->first[k + 1];
    for (int i = 0; i < a->count; i++) {
        int f = a->question[i].factor, k = p->of[a->model->factor[f].scope[0]];
        p->question[p->first[k + 1]++] = (zb_question){ number[f], a->question[i].at };
    }
    status = ZB_OK;
done:
    zb_free(seen);
    zb_free(number);
    return status;
}

zb_status zb_inquiry_part(zb_inquiry *q, zb_run *run)
{
    bool found;
    zb_status status = zb_inquiry_exact(q, false, run, &found);
    if (!found && status == ZB_OK)
        status = zb_inquiry_bound(q, run);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* Of one that is the whole model it is known that no exact answer fits in an order that
   is quickly found. */
static zb_status ask_whole(zb_inquiry *q, zb_run *run)
{
    zb_status status = q->count > 0 ? zb_inquiry_bound(q, run) : ZB_OK;
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* Time goes to the components by their size. */
static zb_status ask_rest(zb_inquiry *part, int count, const bool *done, zb_run *run)
{
    int left = 0;
    zb_status status = ZB_OK;
    for (int k = 0; k < count; k++)
        left += done[k] ? 0 : part[k].model->nvars;
    for (int k = 0; k < count; k++) {
        if (done[k])
            continue;
        double share = left > 0 ? (double)part[k].model->nvars / left : 1;
        zb_run mine = zb_run_share(run, zb_now() + share * zb_run_left(run),
                                   run->memory, run->threads);
        if (count == 1)
            TRY(ask_whole(&part[k], &mine));
        else if (part[k].count > 0)
            TRY(zb_inquiry_part(&part[k], &mine));
        left -= part[k].model->nvars;
    }
done:
    return status;
}

static zb_status ask_parts(zb_asked *a, const zb_inquiry *whole, zb_run *run)
{
    parts p = { .count = 0 };
    zb_inquiry *part = NULL;
    bool *done = NULL;
    zb_status status;
    TRY(zb_components_split(a->model, run, &p.count, &p.model, &p.of, &p.place));
    TRY(share_questions(a, &p));
    part = zb_alloc((size_t)p.count, sizeof *part);
    done = zb_calloc((size_t)p.count, sizeof *done);
    TRY(part != NULL && done != NULL ? ZB_OK : ZB_ENOMEM);
    for (int k = 0; k < p.count; k++) {
        part[k] = *whole;
        part[k].model = p.model[k];
        part[k].question = p.question + p.first[k];
        part[k].count = p.first[k + 1] - p.first[k];
    }
    TRY(zb_ask_farm_parts(part, p.count, done, run));
    TRY(ask_rest(part, p.count, done, run));
    a->m->info.exact = true;
    for (int k = 0; k < p.count; k++) {
        a->m->info.exact = a->m->info.exact && (part[k].count == 0 || part[k].exact);
        a->m->info.samples += part[k].exact ? 0 : part[k].samples;
    }
done:
    zb_components_free(p.count, p.model);
    zb_free(p.of);
    zb_free(p.place);
    zb_free(p.question);
    zb_free(p.first);
    zb_free(part);
    zb_free(done);
    return status;
}

/* Everything in one go, if that fits; else its components one by one. */
static zb_status ask_all(zb_asked *a, const zb_options *opt, zb_run *run)
{
    zb_inquiry q = { .model = a->model,
                     .count = a->count,
                     .question = a->question,
                     .answers = &a->answers,
                     .opt = opt,
                     .radius = a->model->radius };
    zb_status status;
    TRY(zb_inquiry_exact(&q, false, run, &a->m->info.exact));
    if (!a->m->info.exact)
        TRY(ask_parts(a, &q, run));
done:
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* ---- the call -------------------------------------------------------------------- */

static zb_status check(const zb_model *model, const zb_options *opt,
                       const zb_marginals_request *what, zb_error *err)
{
    zb_status status;
    TRY(zb_options_check(opt, err));
    if (what->count < 0)
        return zb_fail(err, ZB_EINVAL, "%d variables cannot be asked for", what->count);
    for (int i = 0; what->variables != NULL && i < what->count; i++)
        if (what->variables[i] < 0 || what->variables[i] >= model->nvars)
            return zb_fail(err, ZB_EINVAL, "expected a variable from 0 to %d, found %d",
                           model->nvars - 1, what->variables[i]);
done:
    return status;
}

/* Room for what is asked for. */
static zb_status plan(zb_marginals *m, const zb_model *model,
                      const zb_marginals_request *what)
{
    size_t count = 0;
    m->nvars = model->nvars;
    m->nfactors = model->nfactors;
    m->var = zb_calloc((size_t)m->nvars, sizeof *m->var);
    m->factor = zb_calloc((size_t)m->nfactors, sizeof *m->factor);
    if (m->var == NULL || m->factor == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < (what->variables != NULL ? what->count : m->nvars); i++) {
        int v = what->variables != NULL ? what->variables[i] : i;
        m->var[v].size = (size_t)model->card[v];
    }
    for (int v = 0; v < m->nvars; v++) {
        m->var[v].at = count;
        count += m->var[v].size;
    }
    for (int f = 0; f < m->nfactors && what->pairs; f++) {
        m->factor[f] = (zb_topic){ count, model->factor[f].size };
        count += model->factor[f].size;
    }
    return zb_answers_new(&m->out, count);
}

typedef struct call { /* what zb_marginals_new was given */
    zb_marginals *m;
    const zb_model *model;
    const zb_options *opt;
    const zb_marginals_request *what;
} call;

static zb_status work(const call *c, zb_run *run, zb_error *err)
{
    zb_asked a = { .count = 0 };
    zb_status status;
    TRY(plan(c->m, c->model, c->what));
    TRY(zb_asked_open(&a, c->m, c->model, run));
    if (a.model != NULL)
        TRY(ask_all(&a, c->opt, run));
    if (a.model == NULL || zb_asked_is_zero(&a))
        TRY(zb_fail(err, ZB_EINVAL, "Z = 0: there are no marginals"));
    zb_asked_answer(&a);
    if (zb_run_interrupted(run))
        c->m->info.stop = ZB_STOP_INTERRUPTED;
    else
        c->m->info.stop = c->m->info.exact ? ZB_STOP_EXACT : ZB_STOP_TIME;
done:
    zb_asked_close(&a);
    return status;
}

static zb_status within_limits(const call *c, const zb_observer *observer,
                               zb_error *err)
{
    const zb_options *opt = c->opt;
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
        status = work(c, &run, err);
        zb_run_close(&run);
    }
    zb_account_leave(memory);
    c->m->info.seconds = zb_now() - start;
    if (status == ZB_ELIMIT && err != NULL && err->text[0] == '\0')
        zb_fail(err, status, "the time limit passed before anything was known");
    if (status != ZB_OK && err != NULL && err->text[0] == '\0')
        zb_fail(err, status, "%s", zb_status_text(status));
    return status;
}

zb_status zb_marginals_new(zb_marginals **out, const zb_model *model,
                           const zb_options *opt, const zb_marginals_request *what,
                           const zb_observer *observer, zb_error *err)
{
    static const zb_marginals_request everything;
    call c = { .model = model, .opt = opt, .what = what != NULL ? what : &everything };
    zb_status status;
    if (out != NULL)
        *out = NULL;
    if (out == NULL || model == NULL || opt == NULL)
        return zb_fail(err, ZB_EINVAL,
                       "no model, no options or no place for marginals");
    zb_fail(err, ZB_OK, "%s", "");
    TRY(check(model, opt, c.what, err));
    c.m = zb_calloc(1, sizeof *c.m);
    TRY(c.m != NULL ? ZB_OK : zb_fail(err, ZB_ENOMEM, "%s", zb_status_text(ZB_ENOMEM)));
    status = within_limits(&c, observer, err);
    if (status == ZB_OK)
        *out = c.m;
    else
        zb_marginals_free(c.m);
done:
    return status;
}

void zb_marginals_free(zb_marginals *m)
{
    if (m == NULL)
        return;
    zb_free(m->var);
    zb_free(m->factor);
    zb_answers_close(&m->out);
    zb_free(m);
}

zb_marginals_info zb_marginals_about(const zb_marginals *m)
{
    return m != NULL ? m->info : (zb_marginals_info){ .exact = false };
}

static zb_marginal view(const zb_marginals *m, zb_topic t)
{
    return (zb_marginal){ t.size, m->out.value + t.at, m->out.lower + t.at,
                          m->out.upper + t.at, m->out.error + t.at };
}

zb_marginal zb_marginals_of(const zb_marginals *m, int var)
{
    bool known = m != NULL && var >= 0 && var < m->nvars && m->var[var].size > 0;
    return known ? view(m, m->var[var]) : (zb_marginal){ .size = 0 };
}

zb_marginal zb_marginals_of_factor(const zb_marginals *m, int factor)
{
    bool known =
        m != NULL && factor >= 0 && factor < m->nfactors && m->factor[factor].size > 0;
    return known ? view(m, m->factor[factor]) : (zb_marginal){ .size = 0 };
}
