#include "sat/sat.h"

#include "sat/sat_internal.h"

#include <string.h>

enum { LEARNT_MANY = 50000 }; /* clauses */

/* ---- propagation --------------------------------------------------------------------
 */

void zb_sat_set(zb_sat *s, uint32_t literal, uint32_t reason)
{
    uint32_t b = literal >> 1;
    s->value[literal] = 1;
    s->value[literal ^ 1] = -1;
    s->level[b] = s->depth;
    s->reason[b] = reason;
    s->trail[s->ntrail++] = literal;
}

/* True whatever was decided. It goes with the level, but no conflict is blamed on it.
 */
static void set_always(zb_sat *s, uint32_t literal)
{
    zb_sat_set(s, literal, ZB_SAT_NONE);
    s->level[literal >> 1] = 0;
}

/* (other or `literal`) with other false: `literal` must be true. */
static bool imply_pair(zb_sat *s, uint32_t literal, uint32_t other)
{
    if (s->value[literal] < 0) {
        s->clash[0] = literal;
        s->clash[1] = other;
        return false;
    }
    if (s->value[literal] == 0)
        zb_sat_set(s, literal, ZB_SAT_PAIR | other);
    return true;
}

static bool imply_pairs(zb_sat *s, uint32_t wrong)
{
    for (size_t i = s->pair_at[wrong]; i < s->pair_at[wrong + 1]; i++)
        if (!imply_pair(s, s->pair[i], wrong))
            return false;
    if ((wrong & 1) == 0)
        return true;
    /* a value was chosen: the variable's other values are out */
    const zb_clauses *c = s->clauses;
    int b = (int)(wrong >> 1), v = c->owner[b];
    for (int other = c->first[v]; other < c->first[v + 1]; other++)
        if (other != b && !imply_pair(s, 2 * (uint32_t)other + 1, wrong))
            return false;
    return true;
}

/* A literal to watch instead of lit[1], which is false; swapped into its place. */
static bool move_watch(zb_sat *s, uint32_t at, uint32_t *lit)
{
    uint32_t n = s->arena[at];
    for (uint32_t k = 2; k < n; k++)
        if (s->value[lit[k]] >= 0) {
            uint32_t w = lit[k];
            lit[k] = lit[1];
            lit[1] = w;
            return zb_sat_watch(s, w, (zb_watched){ at, lit[0] });
        }
    return false;
}

/* The clauses that watch a literal that has become false. */
static uint32_t visit_watches(zb_sat *s, uint32_t wrong)
{
    zb_watches *l = &s->watch[wrong];
    uint32_t i = 0, j = 0, conflict = ZB_SAT_NONE;
    while (i < l->n && conflict == ZB_SAT_NONE) {
        zb_watched w = l->list[i++];
        if (s->value[w.blocker] > 0) {
            l->list[j++] = w;
            continue;
        }
        uint32_t *lit = s->arena + w.clause + ZB_SAT_HEADER;
        if (lit[0] == wrong) {
            lit[0] = lit[1];
            lit[1] = wrong;
        }
        w.blocker = lit[0];
        if (s->value[lit[0]] <= 0 && move_watch(s, w.clause, lit))
            continue;
        l->list[j++] = w;
        if (s->value[lit[0]] < 0)
            conflict = w.clause;
        else if (s->value[lit[0]] == 0)
            zb_sat_set(s, lit[0], w.clause);
    }
    while (i < l->n)
        l->list[j++] = l->list[i++];
    l->n = j;
    return conflict;
}

uint32_t zb_sat_propagate(zb_sat *s)
{
    while (s->head < s->ntrail) {
        s->spent++;
        uint32_t wrong = s->trail[s->head++] ^ 1, conflict;
        if (!zb_tick(&s->tick, 40 + 8.0 * s->watch[wrong].n))
            return ZB_SAT_NONE;
        if (!imply_pairs(s, wrong))
            return ZB_SAT_PAIR;
        if ((conflict = visit_watches(s, wrong)) != ZB_SAT_NONE)
            return conflict;
    }
    return ZB_SAT_NONE;
}

void zb_sat_undo(zb_sat *s, int depth)
{
    if (s->depth <= depth)
        return;
    int to = s->start[depth + 1];
    while (s->ntrail > to) {
        uint32_t literal = s->trail[--s->ntrail], b = literal >> 1;
        s->value[literal] = s->value[literal ^ 1] = 0;
        s->phase[b] = !(literal & 1);
        if (s->wanted[b] && s->heap.place[b] < 0)
            zb_sat_heap_push(s, (int)b);
    }
    s->head = to;
    s->depth = depth;
}

static void open_level(zb_sat *s, uint32_t literal)
{
    s->start[++s->depth] = s->ntrail;
    s->set_upto[s->depth] = s->set_upto[s->depth - 1];
    zb_sat_set(s, literal, ZB_SAT_NONE);
}

bool zb_sat_decide(zb_sat *s, uint32_t literal)
{
    open_level(s, literal);
    uint32_t conflict = zb_sat_propagate(s);
    if (s->failed || s->tick.over) /* nothing can be concluded */
        return false;
    if (conflict == ZB_SAT_NONE)
        return true;
    zb_sat_analyse(s, conflict);
    zb_sat_learn(s, s->depth);
    return false;
}

bool zb_sat_set_units(zb_sat *s)
{
    for (int i = s->set_upto[s->depth]; i < s->nunit; i++) {
        if (s->value[s->unit[i]] < 0)
            return false;
        if (s->value[s->unit[i]] == 0)
            set_always(s, s->unit[i]);
    }
    s->set_upto[s->depth] = s->nunit;
    return zb_sat_propagate(s) == ZB_SAT_NONE && !s->tick.over;
}

/* ---- search -------------------------------------------------------------------------
 */

/* 1 1 2 1 1 2 4 ... */
static int64_t luby(int64_t i)
{
    int64_t size = 1, power = 0;
    while (size < i + 1) {
        power++;
        size = 2 * size + 1;
    }
    while (size - 1 != i) {
        size = (size - 1) / 2;
        power--;
        i %= size;
    }
    return (int64_t)1 << power;
}

/* After a conflict: learn, go back, and set what follows; false where it is due to the
   levels up to base alone. */
static bool recover(zb_sat *s, uint32_t conflict, int base)
{
    int level = zb_sat_analyse(s, conflict);
    uint32_t asserted = s->lemma[0];
    if (s->top == 0)
        s->empty = true;
    if (s->top > base)
        zb_sat_undo(s, zb_max_int(level, base));
    uint32_t reason = zb_sat_learn(s, base);
    if (s->top <= base || zb_sat_over(s)) /* the lemma may not have been kept */
        return false;
    if (reason == ZB_SAT_NONE)
        set_always(s, asserted);
    else
        zb_sat_set(s, asserted, reason);
    return true;
}

static void fill_heap(zb_sat *s, int n, const int *bools)
{
    for (int i = 0; i < n && zb_tick(&s->tick, 30); i++) {
        s->wanted[bools[i]] = true;
        if (s->value[2 * bools[i]] == 0)
            zb_sat_heap_push(s, bools[i]);
    }
}

static void empty_heap(zb_sat *s, int n, const int *bools)
{
    for (int i = 0; i < n; i++)
        s->wanted[bools[i]] = false;
    while (s->heap.size > 0)
        s->heap.place[s->heap.item[--s->heap.size]] = -1;
}

static bool next_decision(zb_sat *s)
{
    while (s->heap.size > 0) {
        int b = zb_sat_heap_pop(s);
        if (s->value[2 * b] == 0) {
            open_level(s, 2 * (uint32_t)b + !s->phase[b]);
            return true;
        }
    }
    return false;
}

static zb_sat_answer search(zb_sat *s)
{
    int base = s->depth;
    int64_t round = 0, until = s->conflicts + 100 * luby(round);
    for (;;) {
        uint32_t conflict = zb_sat_propagate(s);
        if (zb_sat_over(s))
            return ZB_SAT_STOPPED;
        if (conflict != ZB_SAT_NONE) {
            s->conflicts++;
            zb_tick(&s->tick, 1000);
            if (!recover(s, conflict, base))
                return zb_sat_over(s) ? ZB_SAT_STOPPED : ZB_SAT_NO;
            continue;
        }
        if (s->conflicts >= until) {
            until = s->conflicts + 100 * luby(++round);
            zb_sat_undo(s, base);
            zb_sat_forget(s);
        }
        if (s->budget > 0 && s->spent > s->budget)
            return ZB_SAT_STOPPED;
        if (!next_decision(s))
            return ZB_SAT_YES;
    }
}

zb_sat_answer zb_sat_solve(zb_sat *s, int n, const int *bools)
{
    int base = s->depth;
    if (s->empty)
        return ZB_SAT_NO;
    if (s->nlearnt > LEARNT_MANY) /* many short searches, none of which restarts */
        zb_sat_forget(s);
    fill_heap(s, n, bools);
    zb_sat_answer answer = search(s);
    for (int i = 0; i < n && answer == ZB_SAT_YES; i++)
        s->model[bools[i]] = s->value[2 * bools[i]] > 0;
    empty_heap(s, n, bools); /* first: what is undone need not be queued again */
    zb_sat_undo(s, base);
    return answer;
}
