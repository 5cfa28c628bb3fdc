/* Conflict analysis, learnt clauses, activities. */
#include "sat/sat_internal.h"

#include <stdlib.h>
#include <string.h>

static const double DECAY = 0.95, LONG_DECAY = 0.999;
enum { KEEP_LBD = 2, FIRST_MOST = 3000, MORE_EACH = 500 };

/* ---- heap of open Booleans, largest activity first ----------------------------------
 */

static bool before(const void *activity, int a, int b)
{
    const double *of = activity;
    return of[a] > of[b] || (of[a] == of[b] && a < b);
}

void zb_sat_heap_push(zb_sat *s, int b)
{
    zb_heap_push(&s->heap, b, before, s->activity);
}

int zb_sat_heap_pop(zb_sat *s) { return zb_heap_pop(&s->heap, before, s->activity); }

static void scale(int n, double *activity, double *unit)
{
    for (int i = 0; i < n; i++)
        activity[i] *= 1e-100;
    *unit *= 1e-100;
}

static void bump(zb_sat *s, int b)
{
    s->activity[b] += s->bump;
    s->long_activity[b] += s->long_bump;
    if (s->activity[b] > 1e100)
        scale(s->nbools, s->activity, &s->bump);
    if (s->long_activity[b] > 1e100)
        scale(s->nbools, s->long_activity, &s->long_bump);
    if (s->heap.place[b] >= 0)
        zb_heap_up(&s->heap, b, before, s->activity);
}

/* ---- analysis -----------------------------------------------------------------------
 */

/* The literals of a conflict or reason; of a pair the one that is not `own`. */
static const uint32_t *literals(zb_sat *s, uint32_t reason, uint32_t own, int *n,
                                uint32_t *pair)
{
    if (reason == ZB_SAT_PAIR && own == ZB_SAT_NONE) {
        *n = 2;
        return s->clash;
    }
    if (reason & ZB_SAT_PAIR) {
        *pair = reason & ~ZB_SAT_PAIR;
        *n = 1;
        return pair;
    }
    s->arena[reason + 2]++;
    return zb_sat_literals(s, reason, n);
}

/* A literal whose reason is made of other literals of the lemma adds nothing. */
static bool implied(const zb_sat *s, uint32_t literal)
{
    uint32_t reason = s->reason[literal >> 1];
    int n;
    if (reason == ZB_SAT_NONE)
        return false;
    if (reason & ZB_SAT_PAIR) {
        uint32_t b = (reason & ~ZB_SAT_PAIR) >> 1;
        return s->seen[b] || s->level[b] == 0;
    }
    const uint32_t *lit = zb_sat_literals(s, reason, &n);
    for (int i = 0; i < n; i++)
        if (lit[i] >> 1 != literal >> 1 && !s->seen[lit[i] >> 1] &&
            s->level[lit[i] >> 1] > 0)
            return false;
    return true;
}

/* Copies the lemma behind itself (it has the room) to know what to clear. */
static void shorten(zb_sat *s)
{
    uint32_t *lit = s->lemma, *all = lit + s->nlemma;
    int n = 1, count = s->nlemma;
    memcpy(all, lit, (size_t)count * sizeof *lit);
    for (int i = 1; i < count; i++)
        if (!implied(s, all[i]))
            lit[n++] = all[i];
    for (int i = 1; i < count; i++)
        s->seen[all[i] >> 1] = false;
    s->nlemma = n;
}

/* lemma[1] becomes the literal set last but lemma[0]; its level. */
static int second_level(zb_sat *s)
{
    uint32_t *lit = s->lemma;
    for (int i = 2; i < s->nlemma; i++)
        if (s->level[lit[i] >> 1] > s->level[lit[1] >> 1]) {
            uint32_t swap = lit[i];
            lit[i] = lit[1];
            lit[1] = swap;
        }
    return s->nlemma > 1 ? s->level[lit[1] >> 1] : 0;
}

/* Literals that are true whatever was decided may stand at any depth, so the last
   literal set need not be of the highest level. */
static int highest_level(zb_sat *s, uint32_t conflict)
{
    uint32_t pair;
    int n, top = 0;
    const uint32_t *lit = literals(s, conflict, ZB_SAT_NONE, &n, &pair);
    for (int i = 0; i < n; i++)
        top = zb_max_int(top, s->level[lit[i] >> 1]);
    return top;
}

int zb_sat_analyse(zb_sat *s, uint32_t conflict)
{
    uint32_t own = ZB_SAT_NONE, reason = conflict, pair;
    int open = 0, at = s->ntrail, n;
    s->nlemma = 0;
    s->top = highest_level(s, conflict);
    if (s->top == 0)
        return 0;
    s->nlemma = 1;
    do {
        const uint32_t *lit = literals(s, reason, own, &n, &pair);
        for (int i = 0; i < n; i++) {
            uint32_t b = lit[i] >> 1;
            if (lit[i] == own || s->seen[b] || s->level[b] == 0)
                continue;
            s->seen[b] = true;
            bump(s, (int)b);
            if (s->level[b] == s->top)
                open++;
            else
                s->lemma[s->nlemma++] = lit[i];
        }
        while (!s->seen[s->trail[--at] >> 1])
            ;
        own = s->trail[at];
        reason = s->reason[own >> 1];
        s->seen[own >> 1] = false;
    } while (--open > 0);
    s->lemma[0] = own ^ 1;
    shorten(s);
    s->bump /= DECAY;
    s->long_bump /= LONG_DECAY;
    return second_level(s);
}

/* ---- learnt clauses -----------------------------------------------------------------
 */

/* A purse that is empty ends the learning, memory that is out the search. */
static bool fine(zb_sat *s, zb_status status)
{
    s->failed = s->failed || status == ZB_ENOMEM;
    return status == ZB_OK;
}

bool zb_sat_store(zb_sat *s, uint32_t n, const uint32_t *lit, uint32_t *at)
{
    size_t need = s->used + n + ZB_SAT_HEADER;
    if (!fine(s, need < ZB_SAT_PAIR
                     ? ZB_PURSE_RESERVE(s->purse, s->arena, &s->room, s->used, need)
                     : zb_purse_status(s->purse)))
        return false;
    *at = (uint32_t)s->used;
    s->arena[s->used] = n;
    s->arena[s->used + 1] = s->arena[s->used + 2] = 0;
    memcpy(s->arena + s->used + ZB_SAT_HEADER, lit, n * sizeof *lit);
    s->used = need;
    return true;
}

/* Levels among the literals: few, and the clause will be of use again. */
static uint32_t count_levels(zb_sat *s)
{
    uint32_t n = 0;
    s->stamp++;
    for (int i = 0; i < s->nlemma; i++) {
        int level = s->level[s->lemma[i] >> 1];
        n += s->lemma_stamp[level] != s->stamp;
        s->lemma_stamp[level] = s->stamp;
    }
    return n;
}

void zb_sat_always(zb_sat *s, uint32_t literal)
{
    if (s->is_unit[literal] || s->nunit == s->nbools)
        return;
    s->is_unit[literal] = true;
    s->unit[s->nunit++] = literal;
}

uint32_t zb_sat_learn(zb_sat *s, int base)
{
    uint32_t at;
    if (s->nlemma <= 1) {
        if (s->nlemma == 1 && base > 0)
            zb_sat_always(s, s->lemma[0]);
        return ZB_SAT_NONE;
    }
    if (!fine(s, ZB_PURSE_RESERVE(s->purse, s->learnt, &s->learnt_room,
                                  (size_t)s->nlearnt, (size_t)s->nlearnt + 1)))
        return ZB_SAT_NONE;
    uint32_t lbd = count_levels(s);
    if (!zb_sat_store(s, (uint32_t)s->nlemma, s->lemma, &at) || !zb_sat_attach(s, at))
        return ZB_SAT_NONE;
    s->arena[at + 1] = lbd;
    s->learnt[s->nlearnt++] = at;
    return at;
}

/* ---- forgetting ---------------------------------------------------------------------
 */

static bool in_use(const zb_sat *s, uint32_t at)
{
    const uint32_t *lit = s->arena + at + ZB_SAT_HEADER;
    for (int i = 0; i < 2; i++)
        if (s->value[lit[i]] > 0 && s->reason[lit[i] >> 1] == at)
            return true;
    return false;
}

typedef struct merit {
    uint32_t at, lbd, use;
} merit;

static int by_merit(const void *a, const void *b)
{
    const merit *x = a, *y = b;
    if (x->lbd != y->lbd)
        return x->lbd < y->lbd ? -1 : 1;
    if (x->use != y->use)
        return x->use > y->use ? -1 : 1;
    return x->at < y->at ? 1 : -1;
}

/* The clauses to drop get ZB_SAT_NONE for their lbd. */
static bool choose_victims(zb_sat *s)
{
    merit *list = zb_alloc((size_t)s->nlearnt, sizeof *list);
    if (list == NULL)
        return false;
    for (int i = 0; i < s->nlearnt; i++) {
        uint32_t at = s->learnt[i];
        list[i] = (merit){ at, s->arena[at + 1], s->arena[at + 2] };
        s->arena[at + 2] /= 2;
    }
    qsort(list, (size_t)s->nlearnt, sizeof *list, by_merit);
    for (int i = s->nlearnt / 2; i < s->nlearnt; i++) {
        uint32_t at = list[i].at;
        if (list[i].lbd > KEEP_LBD && !in_use(s, at))
            s->arena[at + 1] = ZB_SAT_NONE;
    }
    zb_free(list);
    return true;
}

static void drop_watches(zb_sat *s)
{
    for (int l = 0; l < 2 * s->nbools; l++) {
        zb_watches *w = &s->watch[l];
        uint32_t n = 0;
        for (uint32_t i = 0; i < w->n; i++) {
            uint32_t at = w->list[i].clause;
            if (s->arena[at + 1] == ZB_SAT_NONE)
                continue;
            w->list[n] = w->list[i];
            if (at >= s->given)
                w->list[n].clause = s->arena[at + 1]; /* where it goes */
            n++;
        }
        w->n = n;
    }
}

/* Learnt clauses move down in the arena, in order. Their lbd's word is borrowed for the
   new place in between; the lbd waits in `keep`. */
static void compact(zb_sat *s, uint32_t *keep)
{
    uint32_t to = s->given;
    for (int i = 0; i < s->nlearnt; i++) {
        uint32_t at = s->learnt[i];
        keep[i] = s->arena[at + 1];
        if (keep[i] != ZB_SAT_NONE) {
            s->arena[at + 1] = to;
            to += s->arena[at] + ZB_SAT_HEADER;
        }
    }
    drop_watches(s);
    for (int i = 0; i < s->ntrail; i++) {
        uint32_t *reason = &s->reason[s->trail[i] >> 1];
        if (!(*reason & ZB_SAT_PAIR) && *reason >= s->given)
            *reason = s->arena[*reason + 1];
    }
    int n = 0;
    for (int i = 0; i < s->nlearnt; i++) {
        uint32_t at = s->learnt[i];
        if (keep[i] == ZB_SAT_NONE)
            continue;
        uint32_t place = s->arena[at + 1], size = s->arena[at] + ZB_SAT_HEADER;
        memmove(s->arena + place, s->arena + at, size * sizeof *s->arena);
        s->arena[place + 1] = keep[i];
        s->learnt[n++] = place;
    }
    s->nlearnt = n;
    s->used = to;
}

void zb_sat_forget(zb_sat *s)
{
    if (s->learnt_most == 0)
        s->learnt_most = FIRST_MOST;
    if (s->nlearnt < s->learnt_most)
        return;
    uint32_t *keep = zb_alloc((size_t)s->nlearnt, sizeof *keep);
    if (keep != NULL && choose_victims(s))
        compact(s, keep);
    zb_free(keep);
    s->learnt_most += MORE_EACH;
}
