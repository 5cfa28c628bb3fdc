/* Tiles of t x t plaquettes on a grid. Tiles of one checkerboard colour own the edges
 * on their rims, the others only those inside: so a site at a corner belongs to two
 * tiles of the first colour, a site on a rim to one of each, and no site to more. Tiles
 * cut off by the border, even those of which only a rim is left, are like the others.
 */
#include "grid.h"
#include "merge.h"

typedef struct tile {
    int row, col; /* from -1 */
} tile;

static int step_back(int i, int count, bool ring)
{
    return i > 0 || !ring ? i - 1 : count - 1;
}

/* The tile of the edge between the neighbours a and b, places in the grid. */
static tile tile_of(const zb_grid *at, int t, int a, int b)
{
    int r = a / at->cols, c = a % at->cols, r2 = b / at->cols, c2 = b % at->cols;
    bool level = r == r2;

    if (level && (c + 1) % at->cols != c2)
        c = c2;
    if (!level && (r + 1) % at->rows != r2)
        r = r2;
    tile out = { r / t, c / t };
    if ((out.row + out.col) % 2 == 0)
        return out;
    if (level && r % t == 0)
        out.row = step_back(out.row, at->rows / t, at->ring_rows);
    if (!level && c % t == 0)
        out.col = step_back(out.col, at->cols / t, at->ring_cols);
    return out;
}

/* A tile's label is its first edge; single variables go with an edge of theirs. */
static void label_all(const zb_model *model, const zb_grid *at, int t, const int *place,
                      int *first, int *own, int *label)
{
    size_t right = (size_t)(at->cols / t + 3);
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        if (a->arity != 2)
            continue;
        tile k = tile_of(at, t, place[a->scope[0]], place[a->scope[1]]);
        int *slot = &first[(size_t)(k.row + 1) * right + (size_t)(k.col + 1)];
        *slot = *slot < 0 ? f : *slot;
        label[f] = own[a->scope[0]] = own[a->scope[1]] = *slot;
    }
    for (int f = 0; f < model->nfactors; f++)
        if (model->factor[f].arity != 2)
            label[f] = model->factor[f].arity > 0 ? own[model->factor[f].scope[0]] : -1;
}

zb_status zb_tile_labels(const zb_model *model, int side, int *label)
{
    zb_grid at = { 0 };
    int *first = NULL, *own = NULL, *place = NULL;
    zb_status status;

    TRY(zb_grid_detect(&at, model, NULL));
    if ((at.ring_rows && at.rows % (2 * side) != 0) ||
        (at.ring_cols && at.cols % (2 * side) != 0))
        TRY(ZB_EINVAL);
    size_t tiles = (size_t)(at.rows / side + 3) * (size_t)(at.cols / side + 3);
    first = zb_alloc(tiles, sizeof *first);
    own = zb_alloc((size_t)model->nvars, sizeof *own);
    place = zb_alloc((size_t)model->nvars, sizeof *place);
    TRY(first && own && place ? ZB_OK : ZB_ENOMEM);
    for (size_t i = 0; i < tiles; i++)
        first[i] = -1;
    for (int v = 0; v < model->nvars; v++)
        own[v] = -1;
    for (int i = 0; i < at.rows * at.cols; i++)
        place[at.site[i]] = i;
    label_all(model, &at, side, place, first, own, label);
done:
    zb_free(first);
    zb_free(own);
    zb_free(place);
    zb_grid_clear(&at);
    return status;
}
