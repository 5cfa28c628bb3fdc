#include "marginals/asked.h"

#include "model/table.h"

/* ---- answers --------------------------------------------------------------------- */

void zb_answers_forget(zb_answers *a, size_t at, size_t size)
{
    for (size_t i = at; i < at + size; i++) {
        a->value[i] = 1 / (double)size;
        a->lower[i] = 0;
        a->upper[i] = 1;
        a->error[i] = fmax(a->value[i], 1 - a->value[i]);
    }
}

zb_status zb_answers_new(zb_answers *a, size_t count)
{
    a->count = count;
    a->value = zb_calloc(count, sizeof *a->value);
    a->lower = zb_calloc(count, sizeof *a->lower);
    a->upper = zb_calloc(count, sizeof *a->upper);
    a->error = zb_calloc(count, sizeof *a->error);
    return a->value && a->lower && a->upper && a->error ? ZB_OK : ZB_ENOMEM;
}

void zb_answers_close(zb_answers *a)
{
    zb_free(a->value);
    zb_free(a->lower);
    zb_free(a->upper);
    zb_free(a->error);
}

/* ---- questions ------------------------------------------------------------------- */

static zb_status add_ones(zb_model *model, int arity, const int *scope)
{
    size_t size;
    if (!zb_model_table_size(model, arity, scope, &size))
        return ZB_ELIMIT;
    double *ones = zb_calloc(size, sizeof *ones);
    return ones != NULL ? zb_model_take(model, arity, scope, ones, true) : ZB_ENOMEM;
}

/* The variables of the reduced model that a given scope depends on, each once. */
static int reduced_scope(const zb_asked *a, int arity, const int *scope, int *out)
{
    int n = 0;
    for (int i = 0; i < arity; i++) {
        int r = a->origins->var[scope[i]], k = 0;
        while (k < n && out[k] != r)
            k++;
        if (r >= 0 && k == n)
            out[n++] = r;
    }
    return n;
}

static int ask(zb_asked *a, int factor)
{
    a->question[a->count] = (zb_question){ factor, a->answers.count };
    a->answers.count += a->model->factor[factor].size;
    return a->count++;
}

/* Every variable has a table of ones, so that it is in some factor. */
static zb_status ask_variables(zb_asked *a)
{
    int first = a->model->nfactors, n = a->model->nvars;
    zb_status status = ZB_OK;
    for (int v = 0; v < n; v++) {
        TRY(add_ones(a->model, 1, &v));
        a->unary[v] = -1;
    }
    for (int v = 0; v < a->given->nvars; v++) {
        int r = a->origins->var[v];
        if (a->m->var[v].size > 0 && r >= 0 && a->unary[r] < 0)
            a->unary[r] = ask(a, first + r);
    }
done:
    return status;
}

static zb_status ask_factors(zb_asked *a)
{
    int scope[ZB_MAX_AXES], first = a->model->nfactors - a->model->nvars;
    zb_status status = ZB_OK;
    for (int f = 0; f < a->given->nfactors; f++) {
        const zb_factor *from = &a->given->factor[f];
        a->joint[f] = -1;
        if (a->m->factor[f].size == 0)
            continue;
        int n = reduced_scope(a, from->arity, from->scope, scope);
        if (n == 1 && a->unary[scope[0]] < 0)
            a->unary[scope[0]] = ask(a, first + scope[0]);
        if (n == 1)
            a->joint[f] = a->unary[scope[0]];
        if (n > 1) {
            TRY(add_ones(a->model, n, scope));
            a->joint[f] = ask(a, a->model->nfactors - 1);
        }
    }
done:
    return status;
}

zb_status zb_asked_open(zb_asked *a, zb_marginals *m, const zb_model *given,
                        zb_run *run)
{
    size_t n, nf = (size_t)given->nfactors;
    zb_status status;
    *a = (zb_asked){ .m = m, .given = given };
    TRY(zb_model_condition(&a->free, a->given, a->given->evidence));
    TRY(zb_simplify_kept(&a->reduction, a->free, run));
    if (a->reduction->model->log_scale == -INFINITY)
        return ZB_OK;
    TRY(zb_origins_new(&a->origins, a->reduction->trail, a->free->card));
    TRY(zb_model_copy(&a->model, a->reduction->model));
    n = (size_t)a->model->nvars;
    a->unary = zb_alloc(n, sizeof *a->unary);
    a->joint = zb_alloc(nf, sizeof *a->joint);
    a->question = zb_alloc(n + nf, sizeof *a->question);
    TRY(a->unary && a->joint && a->question ? ZB_OK : ZB_ENOMEM);
    TRY(ask_variables(a));
    TRY(ask_factors(a));
    TRY(zb_answers_new(&a->answers, a->answers.count));
    for (int i = 0; i < a->count; i++)
        zb_answers_forget(&a->answers, a->question[i].at,
                          a->model->factor[a->question[i].factor].size);
done:
    return status;
}

void zb_asked_close(zb_asked *a)
{
    zb_model_free(a->free);
    zb_model_free(a->model);
    zb_reduction_free(a->reduction);
    zb_origins_free(a->origins);
    zb_free(a->unary);
    zb_free(a->joint);
    zb_free(a->question);
    zb_answers_close(&a->answers);
}

/* ---- back to the model as it was given ------------------------------------------- */

static void set_entry(zb_answers *out, size_t at, double p)
{
    out->value[at] = out->lower[at] = out->upper[at] = p;
    out->error[at] = 0;
}

static void copy_entry(zb_answers *out, size_t to, const zb_answers *in, size_t from)
{
    out->value[to] = in->value[from];
    out->lower[to] = in->lower[from];
    out->upper[to] = in->upper[from];
    out->error[to] = in->error[from];
}

/* The value of the reduced model's variable at which v has the value x; -1: never. */
static int origin_value(const zb_asked *a, int v, int x)
{
    int seen = a->given->evidence[v];
    if (seen >= 0) /* the conditioned model has one value left */
        return x == seen ? a->origins->value[a->origins->at[v]] : -1;
    return a->origins->value[a->origins->at[v] + (size_t)x];
}

/* Where the entry x of a given scope is in the answers to the question: -1: nowhere,
   it has no weight; -2: it is the only one. */
static ptrdiff_t find_entry(const zb_asked *a, int question, int arity,
                            const int *scope, const int *x)
{
    int have[ZB_MAX_AXES];
    const zb_factor *f =
        question >= 0 ? &a->model->factor[a->question[question].factor] : NULL;
    for (int k = 0; f != NULL && k < f->arity; k++)
        have[k] = -1;
    for (int i = 0; i < arity; i++) {
        int value = origin_value(a, scope[i], x[i]), r = a->origins->var[scope[i]];
        int axis = r >= 0 ? zb_factor_axis(f, r) : -1;
        if (value < 0 || (axis >= 0 && have[axis] >= 0 && have[axis] != value))
            return -1;
        if (axis >= 0)
            have[axis] = value;
    }
    size_t at = 0;
    for (int k = 0; f != NULL && k < f->arity; k++)
        at = at * (size_t)a->model->card[f->scope[k]] + (size_t)have[k];
    return f != NULL ? (ptrdiff_t)(a->question[question].at + at) : -2;
}

/* Axes of one value are left out: there may be any number of them. */
static void answer_topic(const zb_asked *a, const zb_topic *t, int question, int arity,
                         const int *scope)
{
    static const zb_factor none;
    int axis[ZB_MAX_AXES], n = 0;
    size_t e = t->at;
    zb_walk w;
    for (int i = 0; i < arity; i++)
        if (a->given->card[scope[i]] > 1)
            axis[n++] = scope[i];
    zb_walk_begin(&w, n, axis, a->given->card, &none);
    do {
        ptrdiff_t from = find_entry(a, question, n, axis, w.x);
        if (from < 0)
            set_entry(&a->m->out, e, from == -2);
        else
            copy_entry(&a->m->out, e, &a->answers, (size_t)from);
        e++;
    } while (zb_walk_next(&w) >= 0);
    ZB_ASSERT(e == t->at + t->size);
}

bool zb_asked_is_zero(const zb_asked *a)
{
    for (int i = 0; i < a->count; i++) {
        size_t n = a->model->factor[a->question[i].factor].size, e = 0;
        while (e < n && a->answers.upper[a->question[i].at + e] == 0)
            e++;
        if (e == n)
            return true;
    }
    return false;
}

void zb_asked_answer(const zb_asked *a)
{
    for (int v = 0; v < a->given->nvars; v++) {
        int r = a->origins->var[v];
        if (a->m->var[v].size > 0)
            answer_topic(a, &a->m->var[v], r >= 0 ? a->unary[r] : -1, 1, &v);
    }
    for (int f = 0; f < a->given->nfactors; f++)
        if (a->m->factor[f].size > 0)
            answer_topic(a, &a->m->factor[f], a->joint[f], a->given->factor[f].arity,
                         a->given->factor[f].scope);
}
