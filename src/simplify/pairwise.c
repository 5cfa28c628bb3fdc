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

typedef struct view { /* a table seen through the variables that are shared */
    zb_rfactor *factor;
    int card[ZB_MAX_AXES];
    size_t stride[ZB_MAX_AXES]; /* into the pattern; 0 for variables not shared */
} view;

static int count_shared(const zb_rfactor *a, const zb_rfactor *b)
{
    int count = 0;
    for (int i = 0; i < a->arity; i++)
        count += zb_reducer_axis(b, a->scope[i]) >= 0;
    return count;
}

/* Returns the entries of a table over the shared variables. */
static size_t share(const zb_reducer *r, view *a, view *b)
{
    size_t size = 1;

    for (int i = 0; i < b->factor->arity; i++)
        b->stride[i] = 0;
    for (int i = a->factor->arity - 1; i >= 0; i--) {
        int axis = zb_reducer_axis(b->factor, a->factor->scope[i]);
        a->card[i] = r->var[a->factor->scope[i]].card;
        a->stride[i] = axis >= 0 ? size : 0;
        if (axis < 0)
            continue;
        b->stride[axis] = size;
        size *= (size_t)a->card[i];
    }
    for (int i = 0; i < b->factor->arity; i++)
        b->card[i] = r->var[b->factor->scope[i]].card;
    return size;
}

static void mark(const view *a, unsigned char bit, unsigned char *pattern)
{
    const zb_rfactor *f = a->factor;
    int x[ZB_MAX_AXES] = { 0 }, moved = 0;
    size_t at = 0;

    for (size_t e = 0; moved >= 0; e++) {
        if (f->value[e] > -INFINITY)
            pattern[at] |= bit;
        if ((moved = zb_axis_next(f->arity, a->card, x)) >= 0)
            at = zb_axis_follow(f->arity, a->card, a->stride, moved, at);
    }
}

/* Zero where the pattern does not have both bits; returns how many entries changed. */
static size_t strike(const view *a, const unsigned char *pattern)
{
    const zb_rfactor *f = a->factor;
    int x[ZB_MAX_AXES] = { 0 }, moved = 0;
    size_t at = 0, count = 0;

    for (size_t e = 0; moved >= 0; e++) {
        if (pattern[at] != 3 && f->value[e] > -INFINITY) {
            f->value[e] = -INFINITY;
            count++;
        }
        if ((moved = zb_axis_next(f->arity, a->card, x)) >= 0)
            at = zb_axis_follow(f->arity, a->card, a->stride, moved, at);
    }
    return count;
}

static void compare(zb_reducer *r, int f, int g)
{
    view a, b;
    size_t size;

    a.factor = &r->factor[f];
    b.factor = &r->factor[g];
    if (count_shared(a.factor, b.factor) < 2)
        return;
    size = share(r, &a, &b);
    r->visits += (double)(a.factor->size + b.factor->size);
    zb_tick(&r->tick, 100 + 10.0 * (double)(a.factor->size + b.factor->size));
    memset(r->pattern, 0, size);
    mark(&a, 1, r->pattern);
    mark(&b, 2, r->pattern);
    if (memchr(r->pattern, 1, size) == NULL && memchr(r->pattern, 2, size) == NULL)
        return;
    size_t in_f = strike(&a, r->pattern), in_g = strike(&b, r->pattern);
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
    const zb_rfactor *a = &r->factor[f];
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
                      zb_reducer_axis(&r->factor[list[k]], a->scope[j]) >= 0;
            if (!met)
                compare(r, f, list[k]);
        }
    }
}
