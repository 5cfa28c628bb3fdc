#include "map/dominate.h"

enum { RIVALS = 4 }; /* values that others are compared with, per variable */

/* Where a variable is in a factor. */
typedef struct place {
    zb_factor *factor;
    size_t stride;
} place;

typedef struct job {
    zb_model *m;
    size_t *first; /* per variable, into place; one more at the end */
    place *place;
    bool *is_gone; /* per value, from at[v] on */
    size_t *at;
    double *score; /* scratch: per value */
    bool *is_due;  /* variables to look at */
    zb_ticker tick;
    size_t removed;
} job;

/* Rounding of so few terms is far below this. */
static const double CLEARLY = 1e-9;

/* ---- comparing ------------------------------------------------------------------- */

/* max_y f(a, y) - f(b, y); -INFINITY: a makes all of it zero. */
static double advantage(const place *p, int card, int a, int b)
{
    size_t block = p->stride * (size_t)card;
    double most = -INFINITY;
    for (size_t start = 0; start < p->factor->size; start += block) {
        const double *x = p->factor->value + start + p->stride * (size_t)a,
                     *y = p->factor->value + start + p->stride * (size_t)b;
        for (size_t i = 0; i < p->stride; i++)
            if (x[i] > -INFINITY && x[i] - y[i] > most)
                most = x[i] - y[i];
    }
    return most;
}

static double largest(const place *p, int card, int a)
{
    size_t block = p->stride * (size_t)card;
    double most = -INFINITY;
    for (size_t start = 0; start < p->factor->size; start += block) {
        const double *x = p->factor->value + start + p->stride * (size_t)a;
        for (size_t i = 0; i < p->stride; i++)
            most = x[i] > most ? x[i] : most;
    }
    return most;
}

/* Some factor where a is not dominated at all outweighs all others. */
static bool is_dominated(job *j, int v, int a, int b)
{
    int card = j->m->card[v];
    double sum = 0, size = 0;
    for (size_t i = j->first[v]; i < j->first[v + 1]; i++) {
        double most = advantage(&j->place[i], card, a, b);
        zb_tick(&j->tick, (double)j->place[i].factor->size / card);
        if (most == INFINITY)
            return false;
        sum += most;
        size += fabs(most);
    }
    return sum == -INFINITY || sum < -CLEARLY * (1 + size);
}

/* ---- removing -------------------------------------------------------------------- */

static void remove_value(job *j, int v, int a)
{
    for (size_t i = j->first[v]; i < j->first[v + 1]; i++) {
        const place *p = &j->place[i];
        size_t block = p->stride * (size_t)j->m->card[v];
        for (size_t start = 0; start < p->factor->size; start += block)
            for (size_t k = 0; k < p->stride; k++)
                p->factor->value[start + p->stride * (size_t)a + k] = -INFINITY;
        for (int k = 0; k < p->factor->arity; k++)
            j->is_due[p->factor->scope[k]] = true;
    }
    j->is_gone[j->at[v] + (size_t)a] = true;
    j->removed++;
}

static void find_scores(job *j, int v)
{
    for (int x = 0; x < j->m->card[v]; x++) {
        j->score[x] = 0;
        for (size_t i = j->first[v]; i < j->first[v + 1]; i++)
            j->score[x] += largest(&j->place[i], j->m->card[v], x);
    }
}

/* The value of the largest score of those that are there; it is taken off the list. */
static int next_rival(job *j, int v)
{
    int best = -1;
    for (int x = 0; x < j->m->card[v]; x++)
        if (!j->is_gone[j->at[v] + (size_t)x] && j->score[x] > -INFINITY &&
            (best < 0 || j->score[x] > j->score[best]))
            best = x;
    if (best >= 0)
        j->score[best] = -INFINITY;
    return best;
}

static void look_at(job *j, int v)
{
    find_scores(j, v);
    for (int r = 0; r < RIVALS && !j->tick.over; r++) {
        int b = next_rival(j, v);
        if (b < 0)
            return;
        for (int a = 0; a < j->m->card[v] && !j->tick.over; a++)
            if (a != b && !j->is_gone[j->at[v] + (size_t)a] && is_dominated(j, v, a, b))
                remove_value(j, v, a);
    }
}

/* ---- setting up ------------------------------------------------------------------ */

static void find_places(job *j)
{
    zb_model *m = j->m;
    for (int f = 0; f < m->nfactors; f++)
        for (int i = 0; i < m->factor[f].arity; i++)
            j->first[m->factor[f].scope[i] + 1]++;
    for (int v = 0; v < m->nvars; v++)
        j->first[v + 1] += j->first[v];
    for (int f = m->nfactors - 1; f >= 0; f--) {
        size_t stride = 1;
        for (int i = m->factor[f].arity - 1; i >= 0; i--) {
            int v = m->factor[f].scope[i];
            j->place[--j->first[v + 1]] = (place){ &m->factor[f], stride };
            stride *= (size_t)m->card[v];
        }
    }
    /* first[v + 1] has gone down to where the list of v begins */
    for (int v = 0; v < m->nvars; v++)
        j->first[v] = j->first[v + 1];
}

static zb_status open_job(job *j, size_t axes)
{
    size_t n = (size_t)j->m->nvars, values = 0;
    int card = 1;
    j->at = zb_alloc(n, sizeof *j->at);
    if (j->at == NULL)
        return ZB_ENOMEM;
    for (int v = 0; v < j->m->nvars; v++) {
        j->at[v] = values;
        values += (size_t)j->m->card[v];
        card = zb_max_int(card, j->m->card[v]);
    }
    j->first = zb_calloc(n + 2, sizeof *j->first);
    j->place = zb_alloc(axes, sizeof *j->place);
    j->is_gone = zb_calloc(values, sizeof *j->is_gone);
    j->is_due = zb_alloc(n, sizeof *j->is_due);
    j->score = zb_alloc((size_t)card, sizeof *j->score);
    if (!j->first || !j->place || !j->is_gone || !j->is_due || !j->score)
        return ZB_ENOMEM;
    find_places(j);
    j->first[n] = axes;
    for (size_t v = 0; v < n; v++)
        j->is_due[v] = true;
    return ZB_OK;
}

static void close_job(job *j)
{
    zb_free(j->at);
    zb_free(j->first);
    zb_free(j->place);
    zb_free(j->is_gone);
    zb_free(j->is_due);
    zb_free(j->score);
}

zb_status zb_dominate(zb_model **out, const zb_model *model, zb_run *run,
                      size_t *removed)
{
    job j = { .tick.run = run };
    size_t axes = 0;
    zb_status status;
    *out = NULL;
    *removed = 0;
    TRY(zb_model_raise(&j.m, model, 1));
    for (int f = 0; f < model->nfactors; f++)
        axes += (size_t)model->factor[f].arity;
    TRY(open_job(&j, axes));
    for (size_t before = 1; before != j.removed && !j.tick.over;) {
        before = j.removed;
        for (int v = 0; v < j.m->nvars && zb_tick(&j.tick, 20); v++)
            if (j.is_due[v]) {
                j.is_due[v] = false;
                look_at(&j, v);
            }
    }
    *removed = j.removed;
    *out = j.m;
    j.m = NULL;
done:
    zb_model_free(j.m);
    close_job(&j);
    return status;
}
