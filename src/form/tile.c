/* Tiles of t x t plaquettes on a grid. Tiles of one checkerboard colour own the edges
 * on their rims, the others only those inside: so a site at a corner belongs to two
 * tiles of the first colour, a site on a rim to one of each, and no site to more. Tiles
 * cut off by the border, even those of which only a rim is left, are like the others.
 *
 * The factors of a tile are multiplied row by row. An inner site is summed out as soon
 * as the last of its edges came, so that at no time there are more than the 4 t sites
 * of the rim and one. */
#include "base/hold.h"
#include "form/grid.h"
#include "form/merge.h"

#include <stdlib.h>

typedef struct tile {
    int row, col; /* from -1 */
} tile;

typedef struct piece {
    tile of;
    int place, factor; /* upper left site of an edge, the site of a singleton */
} piece;

static int step_back(int i, int count, bool ring)
{
    return i > 0 || !ring ? i - 1 : count - 1;
}

/* The tile of the edge between the neighbours a and b, places in the grid. */
static piece piece_of(const zb_grid *at, int t, int a, int b)
{
    int r = a / at->cols, c = a % at->cols, r2 = b / at->cols, c2 = b % at->cols;
    bool level = r == r2;

    if (level && (c + 1) % at->cols != c2)
        c = c2;
    if (!level && (r + 1) % at->rows != r2)
        r = r2;
    piece out = { .of = { r / t, c / t }, .place = r * at->cols + c };
    if ((out.of.row + out.of.col) % 2 == 0)
        return out;
    if (level && r % t == 0)
        out.of.row = step_back(out.of.row, at->rows / t, at->ring_rows);
    if (!level && c % t == 0)
        out.of.col = step_back(out.of.col, at->cols / t, at->ring_cols);
    return out;
}

static int compare(const void *x, const void *y)
{
    const piece *a = x, *b = y;
    if (a->of.row != b->of.row)
        return a->of.row < b->of.row ? -1 : 1;
    if (a->of.col != b->of.col)
        return a->of.col < b->of.col ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->factor > b->factor) - (a->factor < b->factor);
}

/* All factors by tile, then row by row; singletons go with an edge of their site. */
static void cut(piece *list, const zb_model *model, const zb_grid *at, int t,
                const int *place, tile *own)
{
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        if (a->arity != 2)
            continue;
        list[f] = piece_of(at, t, place[a->scope[0]], place[a->scope[1]]);
        own[a->scope[0]] = own[a->scope[1]] = list[f].of;
    }
    for (int f = 0; f < model->nfactors; f++) {
        int v = model->factor[f].scope[0];
        if (model->factor[f].arity == 1)
            list[f] = (piece){ .of = own[v], .place = place[v] };
        list[f].factor = f;
    }
    qsort(list, (size_t)model->nfactors, sizeof *list, compare);
}

/* Entries of the tiles' tables; last[v] is scratch. */
static double count_entries(const zb_model *model, const piece *list, int *last,
                            const int *degree)
{
    double total = 0, entries = 1;
    int head = -1;
    for (int v = 0; v < model->nvars; v++)
        last[v] = -1;
    for (int i = 0; i < model->nfactors; i++) {
        const zb_factor *a = &model->factor[list[i].factor];
        if (i == 0 || list[i - 1].of.row != list[i].of.row ||
            list[i - 1].of.col != list[i].of.col) {
            total += i > 0 ? entries : 0;
            entries = 1;
            head = i;
        }
        for (int k = 0; k < a->arity; k++) {
            int v = a->scope[k];
            if (last[v] != head && degree[v] > 0)
                entries *= model->card[v];
            last[v] = head;
        }
    }
    return total + (model->nfactors > 0 ? entries : 0);
}

/* Merge the pieces of each tile into its first; last[v] is scratch. */
static void pair_up(zb_merge_plan *plan, const zb_model *model, const piece *list,
                    int *last, int *degree)
{
    int head = -1;
    for (int v = 0; v < model->nvars; v++)
        last[v] = -1;
    for (int i = 0; i < model->nfactors; i++) {
        const zb_factor *a = &model->factor[list[i].factor];
        const piece *before = &list[i > 0 ? i - 1 : 0];
        if (i == 0 || before->of.row != list[i].of.row ||
            before->of.col != list[i].of.col) {
            head = list[i].factor;
        } else {
            plan->pair[plan->count][0] = head;
            plan->pair[plan->count++][1] = list[i].factor;
        }
        for (int k = 0; k < a->arity; k++) {
            degree[a->scope[k]] += last[a->scope[k]] != head;
            last[a->scope[k]] = head;
        }
    }
    for (int v = 0; v < model->nvars; v++)
        if (degree[v] == 1) {
            degree[v] = 0;
            plan->summed++;
        }
    plan->entries = count_entries(model, list, last, degree);
    zb_merge_plan_rate(plan, model->nvars, model->card, degree);
}

static bool fits(const zb_model *model, const zb_grid *at, int t, double max_entries)
{
    int card = 1;
    double entries = 1;
    for (int v = 0; v < model->nvars; v++)
        card = zb_max_int(card, model->card[v]);
    for (int i = 0; i < 4 * t + 1; i++)
        entries *= card;
    return entries <= max_entries && (!at->ring_rows || at->rows % (2 * t) == 0) &&
           (!at->ring_cols || at->cols % (2 * t) == 0);
}

zb_status zb_tile_plan_new(zb_merge_plan *out, const zb_model *model, int side,
                           double max_entries, zb_ticker *tick)
{
    size_t n = (size_t)model->nvars, m = (size_t)model->nfactors;
    zb_grid at = { 0 };
    zb_hold hold = { 0 };
    piece *list;
    tile *own;
    int *place, *last, *degree;
    zb_status status;

    *out = (zb_merge_plan){ 0 };
    TRY(zb_grid_detect(&at, model, tick, NULL));
    TRY(fits(model, &at, side, max_entries) ? ZB_OK : ZB_EINVAL);
    out->pair = zb_alloc(m, sizeof *out->pair);
    list = zb_hold_calloc(&hold, m, sizeof *list);
    own = zb_hold_calloc(&hold, n, sizeof *own);
    place = zb_hold_calloc(&hold, n, sizeof *place);
    last = zb_hold_alloc(&hold, n, sizeof *last);
    degree = zb_hold_calloc(&hold, n, sizeof *degree);
    TRY(out->pair != NULL ? zb_hold_status(&hold) : ZB_ENOMEM);
    for (int i = 0; i < at.rows * at.cols; i++)
        place[at.site[i]] = i;
    cut(list, model, &at, side, place, own);
    pair_up(out, model, list, last, degree);
done:
    zb_hold_free(&hold);
    zb_grid_clear(&at);
    if (status != ZB_OK)
        zb_merge_plan_clear(out);
    return status;
}
