#include "count/groups.h"

#include "base/hold.h"

#include <string.h>

static const double MOST_WORK = 2e8;    /* operations */
enum { MOST_EXCLUDED = 1 << 21 };       /* pairs */
enum { PAIR_BYTES = 64, LITERALS = 8 }; /* for a pair, at most; per Boolean, at most */

typedef struct finder {
    zb_sat *s;
    double work;
    size_t most;    /* pairs that exclude each other */
    size_t *out_at; /* per literal, and one more: what it excludes is */
    uint32_t *out;  /* out[out_at[l]] .. */
    size_t nout, out_room;
    int64_t *score, base; /* per literal: base + members that exclude it */
    bool *done;           /* per literal, or per Boolean: in some group */
    uint32_t *lit;        /* groups one after the other */
    size_t used, room;
    size_t *at; /* count + 1 */
    size_t count, at_room;
    zb_hold hold;
} finder;

static bool spend(finder *f, double work)
{
    f->work += work;
    return zb_tick(&f->s->tick, work) && f->work < MOST_WORK;
}

/* ---- what excludes what ---------------------------------------------------------- */

/* Clauses of two say it directly. */
static zb_status read_pairs(finder *f)
{
    const zb_sat *s = f->s;
    uint32_t n = 2 * (uint32_t)s->nbools;
    if (s->pair_at[n] > f->most)
        return ZB_OK;
    if (!ZB_RESERVE(f->out, &f->out_room, 0, s->pair_at[n]))
        return ZB_ENOMEM;
    for (uint32_t l = 0; l < n; l++) {
        f->out_at[l] = f->nout;
        for (size_t i = s->pair_at[l ^ 1]; i < s->pair_at[(l ^ 1) + 1]; i++)
            f->out[f->nout++] = s->pair[i] ^ 1;
    }
    f->out_at[n] = f->nout;
    spend(f, 2.0 * (double)f->nout);
    return ZB_OK;
}

/* Not where it cannot be true, or not be told. */
static zb_status probe(finder *f, uint32_t literal)
{
    zb_sat *s = f->s;
    int from = s->ntrail;
    zb_status status = ZB_OK;
    if (s->value[literal] != 0)
        return ZB_OK;
    if (zb_sat_decide(s, literal)) {
        size_t n = zb_min_size((size_t)(s->ntrail - from), f->most - f->nout);
        if (!ZB_RESERVE(f->out, &f->out_room, f->nout, f->nout + n))
            status = ZB_ENOMEM;
        for (size_t i = 1; i < n && status == ZB_OK; i++)
            f->out[f->nout++] = s->trail[(size_t)from + i] ^ 1;
    }
    spend(f, 200 + 50.0 * (s->ntrail - from));
    zb_sat_undo(s, 0);
    return s->failed ? ZB_ENOMEM : status;
}

static zb_status probe_all(finder *f)
{
    size_t n = 2 * (size_t)f->s->nbools;
    zb_status status = ZB_OK;
    f->nout = 0;
    for (uint32_t l = 0; l < n; l++) {
        f->out_at[l] = f->nout;
        if (f->nout < f->most && spend(f, 5) && !zb_sat_over(f->s))
            TRY(probe(f, l));
    }
    f->out_at[n] = f->nout;
done:
    return status;
}

/* If a excludes b, b excludes a, whether or not propagation says so. */
static zb_status mirror(finder *f)
{
    size_t n = 2 * (size_t)f->s->nbools;
    size_t *at = zb_hold_calloc(&f->hold, n + 2, sizeof *at);
    uint32_t *both = zb_alloc(2 * f->nout, sizeof *both);
    if (at == NULL || both == NULL) {
        zb_free(both);
        return ZB_ENOMEM;
    }
    for (uint32_t l = 0; l < n; l++)
        at[l + 2] = f->out_at[l + 1] - f->out_at[l];
    for (size_t i = 0; i < f->nout; i++)
        at[f->out[i] + 2]++;
    for (size_t l = 2; l < n + 2; l++)
        at[l] += at[l - 1];
    for (uint32_t l = 0; l < n; l++)
        for (size_t i = f->out_at[l]; i < f->out_at[l + 1]; i++) {
            both[at[l + 1]++] = f->out[i];
            both[at[f->out[i] + 1]++] = l;
        }
    spend(f, 10.0 * (double)f->nout);
    zb_free(f->out);
    f->out = both;
    f->out_room = 2 * f->nout;
    f->out_at = at;
    return ZB_OK;
}

/* ---- groups ---------------------------------------------------------------------- */

/* A member: those that it excludes, and all members before it, get a point more. */
static void include(finder *f, uint32_t literal, int64_t members)
{
    f->lit[f->used++] = literal;
    spend(f, 10 + 2 * (double)(f->out_at[literal + 1] - f->out_at[literal]));
    for (size_t i = f->out_at[literal]; i < f->out_at[literal + 1]; i++) {
        uint32_t other = f->out[i];
        if (members == 0)
            f->score[other] = f->base + 1;
        else if (f->score[other] == f->base + members)
            f->score[other]++;
    }
}

/* From a literal to all of the others that no member lets be true. */
static zb_status grow(finder *f, uint32_t seed, size_t n, const uint32_t *other)
{
    size_t first = f->used;
    int64_t members = 0;
    n = zb_min_size(n, LITERALS * (size_t)f->s->nbools - f->used);
    if (!ZB_RESERVE(f->lit, &f->room, f->used, f->used + n + 1) ||
        !ZB_RESERVE(f->at, &f->at_room, f->count + 1, f->count + 2))
        return ZB_ENOMEM;
    f->base += f->s->nbools + 2;
    include(f, seed, members++);
    for (size_t i = 0; i < n; i++)
        if (f->score[other[i]] == f->base + members)
            include(f, other[i], members++);
    if (members < 3)
        f->used = first;
    else
        f->at[++f->count] = f->used;
    return ZB_OK;
}

static void drop_last(finder *f) { f->used = f->at[--f->count]; }

/* Clauses whose literals exclude each other. */
static zb_status by_clauses(finder *f)
{
    const zb_sat *s = f->s;
    zb_status status = ZB_OK;
    for (int i = 0; i < s->nlong && spend(f, 20); i++) {
        int n;
        const uint32_t *lit = zb_sat_literals(s, s->long_at[i], &n);
        size_t before = f->count, from = f->used;
        if (f->out_at[lit[0] + 1] - f->out_at[lit[0]] + 1 < (size_t)n)
            continue;
        TRY(grow(f, lit[0], (size_t)n - 1, lit + 1));
        if (f->count > before && f->used - from < (size_t)n)
            drop_last(f);
    }
done:
    return status;
}

static zb_status by_seeds(finder *f)
{
    size_t n = 2 * (size_t)f->s->nbools;
    zb_status status = ZB_OK;
    memset(f->done, 0, n * sizeof *f->done);
    for (uint32_t l = 0; l < n && spend(f, 5); l++) {
        size_t from = f->used;
        if (f->done[l] || f->used >= LITERALS * n / 4)
            continue;
        TRY(grow(f, l, f->out_at[l + 1] - f->out_at[l], f->out + f->out_at[l]));
        for (size_t i = from; i < f->used; i++)
            f->done[f->lit[i]] = true;
    }
done:
    return status;
}

/* ---- which first ----------------------------------------------------------------- */

/* Members whose Booleans no group has that was put. */
static size_t uncovered(finder *f, size_t group)
{
    size_t n = 0;
    spend(f, (double)(f->at[group + 1] - f->at[group]));
    for (size_t i = f->at[group]; i < f->at[group + 1]; i++)
        n += !f->done[f->lit[i] >> 1];
    return n;
}

static void put(finder *f, size_t group, zb_groups *g)
{
    size_t n = f->at[group + 1] - f->at[group];
    memcpy(g->lit + g->at[g->count], f->lit + f->at[group], n * sizeof *g->lit);
    for (size_t i = f->at[group]; i < f->at[group + 1]; i++)
        f->done[f->lit[i] >> 1] = true;
    g->at[g->count + 1] = g->at[g->count] + n;
    g->count++;
}

/* The one that has most that no other one has yet, again and again: lists by what they
   had when they were looked at last, which only becomes less. */
static zb_status put_all(finder *f, zb_groups *g)
{
    size_t most = 0;
    int *next = zb_hold_alloc(&f->hold, f->count, sizeof *next), *first;
    for (size_t i = 0; i < f->count; i++)
        most = f->at[i + 1] - f->at[i] > most ? f->at[i + 1] - f->at[i] : most;
    first = zb_hold_alloc(&f->hold, most + 1, sizeof *first);
    if (f->hold.failed)
        return ZB_ENOMEM;
    for (size_t k = 0; k <= most; k++)
        first[k] = -1;
    memset(f->done, 0, 2 * (size_t)f->s->nbools * sizeof *f->done);
    for (size_t i = f->count; i-- > 0;) {
        size_t n = f->at[i + 1] - f->at[i];
        next[i] = first[n];
        first[n] = (int)i;
    }
    for (size_t k = most; k > 1; k--)
        while (first[k] >= 0) {
            int i = first[k];
            size_t n = uncovered(f, (size_t)i);
            first[k] = next[i];
            if (n == k) {
                put(f, (size_t)i, g);
            } else {
                next[i] = first[n];
                first[n] = i;
            }
        }
    return ZB_OK;
}

static zb_status finder_open(finder *f, zb_sat *s)
{
    size_t n = 2 * (size_t)s->nbools;
    uint64_t left = s->purse != NULL ? s->purse->most - s->purse->used : UINT64_MAX;
    *f = (finder){ .s = s };
    f->most = zb_min_size(MOST_EXCLUDED, (size_t)(left / PAIR_BYTES));
    f->out_at = zb_hold_calloc(&f->hold, n + 1, sizeof *f->out_at);
    f->score = zb_hold_calloc(&f->hold, n, sizeof *f->score);
    f->done = zb_hold_calloc(&f->hold, n, sizeof *f->done);
    if (f->hold.failed || !ZB_RESERVE(f->at, &f->at_room, 0, 1))
        return ZB_ENOMEM;
    f->at[0] = 0;
    return ZB_OK;
}

/* Probes leave the advice of the search as it was: phases and activities. */
static zb_status probe_aside(finder *f)
{
    zb_sat *s = f->s;
    size_t n = (size_t)s->nbools;
    int8_t *phase = zb_hold_alloc(&f->hold, n, sizeof *phase);
    double *activity = zb_hold_alloc(&f->hold, n, sizeof *activity), bump = s->bump;
    double *longer = zb_hold_alloc(&f->hold, n, sizeof *longer), more = s->long_bump;
    if (f->hold.failed)
        return ZB_ENOMEM;
    memcpy(phase, s->phase, n * sizeof *phase);
    memcpy(activity, s->activity, n * sizeof *activity);
    memcpy(longer, s->long_activity, n * sizeof *longer);
    zb_status status = probe_all(f);
    memcpy(s->phase, phase, n * sizeof *phase);
    memcpy(s->activity, activity, n * sizeof *activity);
    memcpy(s->long_activity, longer, n * sizeof *longer);
    s->bump = bump;
    s->long_bump = more;
    return status;
}

zb_status zb_groups_find(zb_groups *g, zb_sat *s)
{
    finder f;
    zb_status status;
    *g = (zb_groups){ 0 };
    TRY(finder_open(&f, s));
    TRY(read_pairs(&f));
    TRY(by_clauses(&f));
    TRY(by_seeds(&f));
    TRY(probe_aside(&f));
    TRY(mirror(&f));
    TRY(by_clauses(&f));
    TRY(by_seeds(&f));
    g->at = zb_calloc(f.count + 1, sizeof *g->at);
    g->lit = zb_alloc(f.used + 1, sizeof *g->lit);
    TRY(g->at != NULL && g->lit != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(put_all(&f, g));
done:
    zb_free(f.out);
    zb_free(f.lit);
    zb_free(f.at);
    zb_hold_free(&f.hold);
    if (status != ZB_OK)
        zb_groups_clear(g);
    return status;
}

void zb_groups_clear(zb_groups *g)
{
    zb_free(g->at);
    zb_free(g->lit);
    *g = (zb_groups){ 0 };
}
