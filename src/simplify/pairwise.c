/* Zeros of two factors. Entries of f and g can both count only if they agree on the
 * variables that f and g share. Where these are two or more, entries whose projection
 * onto the shared variables meets only zeros of the other factor are set to zero
 * (pairwise consistency); single shared variables are left to arc consistency. The
 * product of all factors does not change, and values die or variables get tied that no
 * factor decides alone. */
#include "simplify/reducer.h"

#include <string.h>

/* All pairs of a large dense model would be too many; this many visits of entries are
   a second's work, and leaving pairs out is exact as well. */
static const double MAX_VISITS = 1e8;

static int count_shared(const zb_factor *a, const zb_factor *b)
{
    int count = 0;
    for (int i = 0; i < a->arity; i++)
        count += zb_factor_axis(b, a->scope[i]) >= 0;
    return count;
}

/* The variables that a and b share, as the scope of a pattern without entries. */
static zb_factor shared_scope(const zb_reducer *r, const zb_factor *a,
                              const zb_factor *b, int *scope)
{
    zb_factor out = { .scope = scope, .size = 1 };
    for (int i = 0; i < a->arity; i++)
        if (zb_factor_axis(b, a->scope[i]) >= 0) {
            scope[out.arity++] = a->scope[i];
            out.size *= (size_t)r->card[a->scope[i]];
        }
    return out;
}

static void mark(const zb_factor *f, zb_walk *w, unsigned char bit,
                 unsigned char *pattern)
{
    size_t e = 0;
    do
        if (f->value[e++] > -INFINITY)
            pattern[w->at] |= bit;
    while (zb_walk_next(w) >= 0);
}

/* Zero where the pattern does not have both bits; returns how many entries changed. */
static size_t strike(zb_factor *f, zb_walk *w, const unsigned char *pattern)
{
    size_t e = 0, count = 0;
    do {
        if (pattern[w->at] != 3 && f->value[e] > -INFINITY) {
            f->value[e] = -INFINITY;
            count++;
        }
        e++;
    } while (zb_walk_next(w) >= 0);
    return count;
}

static void compare(zb_reducer *r, int f, int g)
{
    zb_factor *a = &r->factor[f], *b = &r->factor[g];
    int scope[ZB_MAX_AXES];
    zb_walk wa, wb;

    if (count_shared(a, b) < 2)
        return;
    zb_factor both = shared_scope(r, a, b, scope);
    r->visits += (double)(a->size + b->size);
    zb_tick(&r->tick, 100 + 10.0 * (double)(a->size + b->size));
    memset(r->pattern, 0, both.size);
    zb_walk_begin(&wa, a->arity, a->scope, r->card, &both);
    zb_walk_begin(&wb, b->arity, b->scope, r->card, &both);
    mark(a, &wa, 1, r->pattern);
    mark(b, &wb, 2, r->pattern);
    if (memchr(r->pattern, 1, both.size) == NULL &&
        memchr(r->pattern, 2, both.size) == NULL)
        return;
    size_t in_f = strike(a, &wa, r->pattern), in_g = strike(b, &wb, r->pattern);
    if (in_f > 0)
        zb_queue_push(&r->factors, f);
    if (in_g > 0)
        zb_queue_push(&r->factors, g);
    r->report->struck += in_f + in_g;
}

/* Factors that share two variables with f share one that is not the most common of its
   scope: that one's long list need not be searched. */
void zb_reduce_pairs(zb_reducer *r, int f)
{
    const zb_factor *a = &r->factor[f];
    int hub = a->scope[0];

    for (int i = 1; i < a->arity; i++)
        if (r->var[a->scope[i]].degree > r->var[hub].degree)
            hub = a->scope[i];
    for (int i = 0; i < a->arity && r->visits < MAX_VISITS && !r->tick.over; i++) {
        const int *list;
        int count = a->scope[i] != hub ? zb_reducer_factors(r, a->scope[i], &list) : 0;
        r->visits += count;
        for (int k = 0; k < count && zb_tick(&r->tick, 20); k++) {
            bool met = list[k] == f; /* or through an earlier variable */
            for (int j = 0; j < i && !met; j++)
                met = a->scope[j] != hub &&
                      zb_factor_axis(&r->factor[list[k]], a->scope[j]) >= 0;
            if (!met)
                compare(r, f, list[k]);
        }
    }
}
