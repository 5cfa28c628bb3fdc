#include "symmetry/rows.h"

#include "symmetry/swap.h"

#include <stdlib.h>
#include <string.h>

/* Guesses by colours may go over the whole model: of a large one there are few, with a
   clock or without. */
static const double WORK = 5e11; /* axes of factors, squared, over all guesses */
enum { CELLS = 6, GUESSES = 200, FAILURES = 6, LEAST = 3, STARTS = 8, MOST = 1024 };

typedef struct swap { /* of the first variable of a cell with another one of it */
    int with, count;
    int *from, *to; /* what it moves, ascending */
} swap;

typedef struct cell {
    int first, count; /* in `member` */
    int degree;
} cell;

typedef struct search {
    const zb_kinds *kinds;
    zb_swaps swaps;
    int *member; /* variables, cell by cell */
    cell *cell;
    int cells, guesses, most;
    swap *swap; /* of the cell at hand */
    int count;
    int *chosen, chosen_count;
    zb_rows *best;
    bool joined; /* only such rows are wanted */
    int *row;    /* per variable: its row and one more, or 0 */
    zb_hold hold;
} search;

/* ---- cells ----------------------------------------------------------------------- */

static int by_number(const void *x, const void *y)
{
    const int *a = x, *b = y;
    return *a - *b;
}

/* The largest first: most rows are looked for. */
static int by_size(const void *x, const void *y)
{
    const cell *a = x, *b = y;
    if (a->count != b->count)
        return b->count - a->count;
    return a->degree != b->degree ? b->degree - a->degree : a->first - b->first;
}

/* Members of cells ascend, so that what is found does not depend on how they came to
   be where they are. */
static void gather(search *s)
{
    const zb_kinds *k = s->kinds;
    zb_colours *c = &s->swaps.colours;
    for (int i = 0; i < k->model->nvars; i += c->size[i]) {
        int *member = c->member + i, degree = zb_kinds_degree(k, member[0]);
        if (c->size[i] < LEAST || degree == 0 || k->model->card[member[0]] < 2)
            continue;
        memcpy(s->member + i, member, (size_t)c->size[i] * sizeof *member);
        qsort(s->member + i, (size_t)c->size[i], sizeof *member, by_number);
        s->cell[s->cells++] = (cell){ i, c->size[i], degree };
    }
    qsort(s->cell, (size_t)s->cells, sizeof *s->cell, by_size);
}

/* ---- swaps of a cell ------------------------------------------------------------- */

static zb_status keep(search *s, int with)
{
    const zb_swaps *w = &s->swaps;
    swap *to = &s->swap[s->count];
    size_t n = (size_t)w->nmoved;
    to->with = with;
    to->count = w->nmoved;
    to->from = zb_alloc(n, sizeof *to->from);
    to->to = zb_alloc(n, sizeof *to->to);
    s->count++;
    if (to->from == NULL || to->to == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < w->nmoved; i++) {
        to->from[i] = w->moved[i];
        to->to[i] = w->image[w->moved[i]];
    }
    return ZB_OK;
}

static void drop_swaps(search *s)
{
    for (int i = 0; i < s->count; i++) {
        zb_free(s->swap[i].from);
        zb_free(s->swap[i].to);
    }
    s->count = 0;
}

/* Of the first variable with every other one; a cell of which the first few have none
   is left. */
static zb_status find_swaps(search *s, cell c)
{
    const int *member = s->member + c.first;
    int failures = 0;
    zb_status status = ZB_OK;
    for (int i = 1;
         i < zb_min_int(c.count, MOST) && failures < FAILURES && s->guesses < s->most;
         i++) {
        bool found;
        TRY(zb_swaps_find(&s->swaps, member[0], member[i], &found));
        s->guesses += !found || s->swaps.nmoved > 2;
        failures += !found;
        if (found)
            TRY(keep(s, member[i]));
    }
done:
    return status;
}

/* ---- rows ------------------------------------------------------------------------ */

static int image_of(const swap *s, int v)
{
    int low = 0, high = s->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->from[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->count && s->from[low] == v ? s->to[low] : v;
}

/* Swaps that leave each other's partners alone: with them any permutation is made. */
static int choose(search *s, int start)
{
    int n = 0;
    for (int k = 0; k < s->count; k++) {
        int i = (start + k) % s->count;
        bool fits = true;
        for (int j = 0; j < n && fits; j++) {
            const swap *a = &s->swap[i], *b = &s->swap[s->chosen[j]];
            fits = image_of(a, b->with) == b->with && image_of(b, a->with) == a->with;
        }
        if (fits)
            s->chosen[n++] = i;
    }
    return n;
}

/* All swaps move v, and each leaves where the others take it. */
static bool is_column(const search *s, int v)
{
    if (s->kinds->model->card[v] < 2)
        return false;
    for (int i = 0; i < s->chosen_count; i++) {
        int u = image_of(&s->swap[s->chosen[i]], v);
        if (u == v)
            return false;
        for (int j = 0; j < s->chosen_count; j++)
            if (j != i && image_of(&s->swap[s->chosen[j]], u) != u)
                return false;
    }
    return true;
}

typedef struct column {
    int v, degree;
} column;

static int by_degree(const void *x, const void *y)
{
    const column *a = x, *b = y;
    return a->degree != b->degree ? b->degree - a->degree : a->v - b->v;
}

static zb_status make_rows(search *s, zb_rows *out)
{
    const swap *one = &s->swap[s->chosen[0]];
    column *list = zb_alloc((size_t)one->count, sizeof *list);
    zb_status status = list != NULL ? ZB_OK : ZB_ENOMEM;
    TRY(status);
    out->count = s->chosen_count + 1;
    for (int i = 0; i < one->count; i++)
        if (is_column(s, one->from[i]))
            list[out->columns++] =
                (column){ one->from[i], zb_kinds_degree(s->kinds, one->from[i]) };
    qsort(list, (size_t)out->columns, sizeof *list, by_degree);
    out->var = zb_alloc((size_t)(out->columns * out->count), sizeof *out->var);
    TRY(out->var != NULL ? ZB_OK : ZB_ENOMEM);
    for (int c = 0; c < out->columns; c++) {
        int *row = out->var + c * out->count;
        *row++ = list[c].v;
        for (int i = 0; i < s->chosen_count; i++)
            *row++ = image_of(&s->swap[s->chosen[i]], list[c].v);
    }
done:
    zb_free(list);
    return status;
}

/* Does a factor have variables of two rows? */
static bool are_joined(search *s, const zb_rows *rows)
{
    const zb_kinds *k = s->kinds;
    int all = rows->columns * rows->count;
    bool joined = false;
    for (int i = 0; i < all; i++)
        s->row[rows->var[i]] = 1 + i % rows->count;
    for (int i = 0; i < all && !joined; i++)
        for (size_t j = k->at[rows->var[i]]; j < k->at[rows->var[i] + 1]; j++) {
            const zb_factor *f = &k->model->factor[k->touch[j]];
            for (int x = 0; x < f->arity; x++) {
                int row = s->row[f->scope[x]];
                joined = joined || (row > 0 && row != s->row[rows->var[i]]);
            }
        }
    for (int i = 0; i < all; i++)
        s->row[rows->var[i]] = 0;
    return joined;
}

/* The largest set that a few beginnings lead to, if it is larger than what there is. */
static zb_status take_rows(search *s)
{
    int most = 0, best = 0;
    zb_rows rows = { .count = 0 };
    zb_status status;
    for (int start = 0; start < zb_min_int(STARTS, s->count); start++) {
        int n = choose(s, start);
        if (n > most)
            most = n, best = start;
    }
    if (most + 1 < LEAST || most + 1 <= s->best->count)
        return ZB_OK;
    s->chosen_count = choose(s, best);
    TRY(make_rows(s, &rows));
    if (!s->joined || are_joined(s, &rows)) {
        zb_rows_close(s->best);
        *s->best = rows;
        rows.var = NULL;
    }
done:
    zb_rows_close(&rows);
    return status;
}

/* ---- all ------------------------------------------------------------------------- */

static zb_status run(search *s, zb_run *run_of)
{
    size_t n = (size_t)s->kinds->model->nvars;
    zb_status status;
    s->member = zb_hold_alloc(&s->hold, n, sizeof *s->member);
    s->cell = zb_hold_alloc(&s->hold, n, sizeof *s->cell);
    s->swap = zb_hold_calloc(&s->hold, n, sizeof *s->swap);
    s->chosen = zb_hold_alloc(&s->hold, n, sizeof *s->chosen);
    s->row = zb_hold_calloc(&s->hold, n, sizeof *s->row);
    TRY(zb_hold_status(&s->hold));
    TRY(zb_swaps_open(&s->swaps, s->kinds, run_of));
    gather(s);
    double axes = 1 + (double)s->kinds->at[n];
    s->most = (int)fmin(GUESSES, 1 + WORK / (axes * axes));
    for (int c = 0; c < zb_min_int(CELLS, s->cells); c++) {
        if (s->cell[c].count <= s->best->count)
            break; /* it cannot have more rows */
        TRY(find_swaps(s, s->cell[c]));
        TRY(take_rows(s));
        drop_swaps(s);
    }
done:
    drop_swaps(s);
    return status;
}

zb_status zb_rows_find(zb_rows *out, const zb_model *model, bool joined, zb_run *run_of)
{
    zb_kinds kinds;
    search s = { .kinds = &kinds, .best = out, .joined = joined };
    *out = (zb_rows){ .count = 0 };
    zb_status status = zb_kinds_open(&kinds, model, run_of);
    if (status == ZB_OK)
        status = run(&s, run_of);
    zb_swaps_close(&s.swaps);
    zb_kinds_close(&kinds);
    zb_hold_free(&s.hold);
    if (status != ZB_OK)
        zb_rows_close(out);
    return status;
}

void zb_rows_close(zb_rows *rows)
{
    zb_free(rows->var);
    *rows = (zb_rows){ .count = 0 };
}
