/* Proved intervals from the neighbourhood of a question alone.
 *
 * Let R be variables that include the question's, and B all others that share a factor
 * with one of R. Given B, what is inside R does not depend on the rest:
 *
 *   p(y) = sum_b p(b) p(y | b),   p(y | b) = T(y, b) / sum_y' T(y', b),
 *
 * T the sum over R but y of the factors that touch R. So p(y) is between the least and
 * the largest of the p(y | b), b with a weight. R grows variable by variable, each time
 * by the one that leaves the smallest table, which is all that is kept of it; a larger
 * R is never worse. Where nothing is left outside, the answer is exact.
 *
 * This knows nothing of Z: it is narrow where the question is decided nearby, whatever
 * the size of the model, where bounds of Z are far apart. */
#include "marginals/ask_farm.h"

#include "marginals/share.h"
#include "model/table.h"

#include <string.h>

/* Seconds for an entry of the largest table, about: it is made some 16 times. */
static const double ENTRY = 16 * 30e-9;
static const double MOST_ENTRIES = 1 << 14;

typedef struct region {
    const zb_inquiry *q;
    size_t *first;  /* per variable, into touching; one more at the end */
    int *touching;  /* factors */
    int *used;      /* per factor: the last question that took it in */
    int *seen;      /* per variable: the last union that met it */
    int round, met; /* this question, this union */
    double limit;   /* entries */
    /* T, in logarithms: the question's axes first */
    zb_factor table;
    int scope[ZB_MAX_AXES], inside; /* axes of the question */
    double *spare, radius;
    zb_ticker tick;
} region;

/* ---- structure ------------------------------------------------------------------- */

static zb_status link_factors(region *r)
{
    const zb_model *m = r->q->model;
    size_t axes = 0, n = (size_t)m->nvars;
    for (int f = 0; f < m->nfactors; f++)
        axes += (size_t)m->factor[f].arity;
    r->first = zb_calloc(n + 2, sizeof *r->first);
    r->touching = zb_alloc(axes, sizeof *r->touching);
    r->used = zb_calloc((size_t)m->nfactors, sizeof *r->used);
    r->seen = zb_calloc(n, sizeof *r->seen);
    r->table.value = zb_alloc((size_t)r->limit, sizeof *r->table.value);
    r->spare = zb_alloc((size_t)r->limit, sizeof *r->spare);
    if (!r->first || !r->touching || !r->used || !r->seen || !r->table.value ||
        !r->spare)
        return ZB_ENOMEM;
    for (int f = 0; f < m->nfactors; f++)
        for (int i = 0; i < m->factor[f].arity; i++)
            r->first[m->factor[f].scope[i] + 2]++;
    for (size_t v = 0; v < n; v++)
        r->first[v + 2] += r->first[v + 1];
    for (int f = 0; f < m->nfactors; f++)
        for (int i = 0; i < m->factor[f].arity; i++)
            r->touching[r->first[m->factor[f].scope[i] + 1]++] = f;
    return ZB_OK;
}

/* The scope of T after all factors of v are taken in: entries, and the variables that
   are new, unless that is more than the limit. */
static double joint_size(region *r, int v, int *fresh, int *count)
{
    const zb_model *m = r->q->model;
    double size = (double)r->table.size;
    *count = 0;
    r->met++;
    for (int i = 0; i < r->table.arity; i++)
        r->seen[r->scope[i]] = r->met;
    for (size_t k = r->first[v]; k < r->first[v + 1] && size <= r->limit; k++) {
        const zb_factor *f = &m->factor[r->touching[k]];
        for (int i = 0; r->used[r->touching[k]] != r->round && i < f->arity; i++)
            if (r->seen[f->scope[i]] != r->met && size <= r->limit) {
                r->seen[f->scope[i]] = r->met;
                size *= m->card[f->scope[i]];
                fresh[(*count)++] = f->scope[i];
            }
    }
    return size;
}

/* The variable of B that leaves the smallest table; -1: the limit allows none. */
static int next_variable(region *r)
{
    int fresh[ZB_MAX_AXES], count, best = -1;
    double least = INFINITY;
    for (int i = r->inside; i < r->table.arity; i++) {
        int v = r->scope[i];
        double size = joint_size(r, v, fresh, &count);
        if (size <= r->limit && size / r->q->model->card[v] < least) {
            least = size / r->q->model->card[v];
            best = v;
        }
    }
    return best;
}

/* ---- numbers --------------------------------------------------------------------- */

/* The factors of v become part of T; false: the limit or the time does not allow it. */
static bool take_in(region *r, int v)
{
    const zb_model *m = r->q->model;
    int fresh[ZB_MAX_AXES], count;
    double size = joint_size(r, v, fresh, &count);
    if (size > r->limit)
        return false;
    zb_factor before = r->table;
    memcpy(r->scope + before.arity, fresh, (size_t)count * sizeof *fresh);
    r->table.arity += count;
    r->table.size = (size_t)size;
    r->table.value = r->spare;
    r->spare = before.value;
    for (size_t i = 0; i < r->table.size; i++)
        r->table.value[i] = 0;
    zb_factor_absorb(&before, r->table.arity, r->scope, m->card, r->table.value,
                     &r->tick);
    for (size_t k = r->first[v]; k < r->first[v + 1]; k++) {
        const zb_factor *f = &m->factor[r->touching[k]];
        if (r->used[r->touching[k]] == r->round)
            continue;
        r->used[r->touching[k]] = r->round;
        zb_factor_absorb(f, r->table.arity, r->scope, m->card, r->table.value,
                         &r->tick);
        r->radius += zb_absorb_radius(f, r->table.size, r->table.value);
    }
    return !r->tick.over;
}

static bool sum_out(region *r, int v)
{
    int axis = zb_factor_axis(&r->table, v);
    zb_shape shape = zb_factor_shape(&r->table, r->q->model->card, axis);
    bool done = zb_axis_sum(shape, r->table.value, r->table.value, &r->tick);
    r->table.size /= shape.n;
    r->radius += zb_axis_sum_radius(shape, r->table.value);
    memmove(r->scope + axis, r->scope + axis + 1,
            (size_t)(r->table.arity - 1 - axis) * sizeof *r->scope);
    r->table.arity--;
    return done && !r->tick.over;
}

/* T of as large a region as the limit allows; false where it is not complete. */
static bool grow(region *r, int i)
{
    const zb_factor *asked = &r->q->model->factor[r->q->question[i].factor];
    bool more = asked->arity < ZB_MAX_AXES && (double)asked->size <= r->limit;
    int v;
    if (!more)
        return false;
    r->round++;
    r->radius = r->q->radius;
    r->inside = r->table.arity = asked->arity;
    r->table.size = asked->size;
    memcpy(r->scope, asked->scope, (size_t)asked->arity * sizeof *r->scope);
    for (size_t e = 0; e < asked->size; e++)
        r->table.value[e] = 0;
    for (int k = 0; k < asked->arity && more; k++)
        more = take_in(r, asked->scope[k]);
    while (more && (v = next_variable(r)) >= 0)
        more = take_in(r, v) && sum_out(r, v);
    return more;
}

/* The least and the largest p(y | b). */
static void enter(const region *r, int i)
{
    zb_answers *out = r->q->answers;
    size_t n = zb_question_size(r->q, i), outside = r->table.size / n;
    for (size_t y = 0; y < n; y++) {
        double least = 1, most = 0;
        for (size_t b = 0; b < outside; b++) {
            const double *t = r->table.value + b;
            double mine = t[y * outside], others = -INFINITY;
            for (size_t k = 0; k < n; k++)
                others = k != y ? zb_log_add(others, t[k * outside]) : others;
            if (mine == -INFINITY && others == -INFINITY)
                continue; /* no weight: b never happens */
            least = fmin(least, zb_share_below(zb_down(mine, r->radius),
                                               zb_up(others, r->radius), (double)n));
            most = fmax(most, zb_share_above(zb_up(mine, r->radius),
                                             zb_down(others, r->radius), (double)n));
        }
        size_t at = r->q->question[i].at + y;
        out->lower[at] = fmax(out->lower[at], least);
        out->upper[at] = fmin(out->upper[at], most);
    }
}

zb_status zb_inquiry_regions(zb_inquiry *q, double limit, zb_run *run)
{
    region r = { .q = q, .tick.run = run, .limit = limit };
    zb_status status;
    r.table = (zb_factor){ .scope = r.scope, .log = true };
    TRY(link_factors(&r));
    for (int i = 0; i < q->count && !r.tick.over; i++)
        if (grow(&r, i))
            enter(&r, i);
done:
    zb_free(r.first);
    zb_free(r.touching);
    zb_free(r.used);
    zb_free(r.seen);
    zb_free(r.table.value);
    zb_free(r.spare);
    return status;
}

zb_status zb_inquiry_nearby(zb_inquiry *q, double seconds, zb_run *run)
{
    zb_ranks *ranks = zb_run_ranks(run);
    double each = ENTRY * (q->count + 1);
    double limit = floor(fmin(MOST_ENTRIES, zb_ranks_size(ranks) * seconds / each));
    bool done = false;
    zb_status status = ZB_OK;
    if (limit < 2)
        return ZB_OK;
    if (ranks != NULL && limit * each >= ranks->least)
        TRY(zb_ask_farm_regions(q, limit, run, &done));
    if (!done)
        TRY(zb_inquiry_regions(q, limit, run));
done:
    return status;
}
