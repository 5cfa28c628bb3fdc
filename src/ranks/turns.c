#include "ranks/turns.h"

#include "ranks/ranks.h"

#include <stdlib.h>

static const double RETURN = 0.03; /* of the time that is left, for answers */

static int larger_first(const void *x, const void *y)
{
    const zb_turn *a = x, *b = y;
    return a->vars != b->vars ? b->vars - a->vars : a->part - b->part;
}

void zb_turns_sort(int count, zb_turn *turn)
{
    qsort(turn, (size_t)count, sizeof *turn, larger_first);
}

void zb_turns_add_up(int count, zb_turn *turn)
{
    double rest = 0;
    for (int i = count - 1; i >= 0; i--)
        turn[i].rest = rest += turn[i].vars;
}

double zb_turn_seconds(const zb_turn *turn, zb_run *run)
{
    double left = zb_run_left(run),
           share = zb_ranks_size(zb_run_ranks(run)) * turn->vars / turn->rest;
    return isfinite(left) ? fmin(1, share) * (1 - RETURN) * left : INFINITY;
}
