/* Lattice form (Levin and Nave): on a two-dimensional grid of pairwise factors, every
 * edge lies in one plaquette of each checkerboard colour, and every site in two,
 * plaquettes cut off by the border included. So the products of the factors inside the
 * plaquettes of one colour are a Forney form without equality factors. A site's own
 * factors go into the first of its two plaquettes: whole ones first, then row by row.
 *
 * Sites of one value (observed, say) take part in the geometry and leave the scopes at
 * the end: they make no holes in the grid. */
#include "base/explog.h"
#include "form/form.h"
#include "form/grid.h"

typedef struct cell {
    int count, site[4]; /* variables, row by row */
} cell;

typedef struct plaquettes {
    int count;
    cell *cell;
    int (*of)[2]; /* the two plaquettes of every variable, -1: none yet */
} plaquettes;

/* The plaquette whose upper left site is (r, c), which may be outside. */
static cell cell_at(const zb_grid *at, int r, int c)
{
    cell out = { 0 };
    for (int k = 0; k < 4; k++) {
        int row = r + k / 2, col = c + k % 2;
        if (at->ring_rows)
            row = (row + at->rows) % at->rows;
        if (at->ring_cols)
            col = (col + at->cols) % at->cols;
        if (row >= 0 && row < at->rows && col >= 0 && col < at->cols)
            out.site[out.count++] = at->site[row * at->cols + col];
    }
    return out;
}

static void add_cell(plaquettes *p, cell a)
{
    for (int i = 0; i < a.count; i++) {
        int *of = p->of[a.site[i]];
        of[of[0] >= 0] = p->count;
    }
    p->cell[p->count++] = a;
}

static zb_status cut(plaquettes *p, const zb_grid *at, int nvars, int colour,
                     zb_ticker *tick)
{
    size_t most = ((size_t)at->rows + 1) * ((size_t)at->cols + 1);
    int top = at->ring_rows ? 0 : -1, left = at->ring_cols ? 0 : -1;

    p->cell = zb_alloc(most, sizeof *p->cell);
    p->of = zb_alloc((size_t)nvars, sizeof *p->of);
    if (p->cell == NULL || p->of == NULL)
        return ZB_ENOMEM;
    for (int v = 0; v < nvars; v++)
        p->of[v][0] = p->of[v][1] = -1;
    for (int size = 4; size > 0; size /= 2)
        for (int r = top; r < at->rows; r++)
            for (int c = left; c < at->cols; c++) {
                if (!zb_tick(tick, 30))
                    return ZB_ELIMIT;
                cell a = cell_at(at, r, c);
                if (((r + c) & 1) == colour && a.count == size)
                    add_cell(p, a);
            }
    return ZB_OK;
}

/* The plaquette that takes a factor: the one that both its variables share. */
static int home(const plaquettes *p, const zb_factor *a)
{
    const int *u = p->of[a->scope[0]], *v = p->of[a->scope[a->arity - 1]];
    return u[0] == v[0] || u[0] == v[1] ? u[0] : u[1];
}

/* New names row by row, for the sites that stay; all others are constants. */
static zb_status name_sites(zb_model **out, const zb_model *model, const zb_grid *at,
                            const plaquettes *p, int *renamed, zb_form_job *job)
{
    zb_form_info *info = &job->info;
    int *card = zb_alloc((size_t)model->nvars, sizeof *card), n = 0;
    zb_status status;

    TRY(card ? ZB_OK : ZB_ENOMEM);
    zb_sum_add_ball(&job->scale, zb_model_scale(model));
    for (int v = 0; v < model->nvars; v++) {
        bool fixed = model->card[v] == 1;
        bool isolated = p->of[v][0] < 0 && !fixed;
        renamed[v] = -1;
        info->fixed += fixed;
        info->isolated += isolated;
        if (isolated)
            zb_sum_add_ball(&job->scale, zb_log_ball(model->card[v]));
    }
    for (int i = 0; i < at->rows * at->cols; i++) {
        int v = at->site[i];
        if (model->card[v] > 1) {
            card[n] = model->card[v];
            renamed[v] = n++;
        }
    }
    TRY(zb_model_new(out, n, card));
done:
    zb_free(card);
    return status;
}

/* The variables of a plaquette under their new names; returns how many. */
static int cell_scope(const cell *a, const int *renamed, int *scope)
{
    int arity = 0;
    for (int i = 0; i < a->count; i++)
        if (renamed[a->site[i]] >= 0)
            scope[arity++] = renamed[a->site[i]];
    return arity;
}

static double count_entries(const zb_model *form, const plaquettes *p,
                            const int *renamed)
{
    double total = 0;
    for (int k = 0; k < p->count; k++) {
        int scope[4], arity = cell_scope(&p->cell[k], renamed, scope);
        double entries = 1;
        for (int i = 0; i < arity; i++)
            entries *= form->card[scope[i]];
        total += entries;
    }
    return total;
}

/* A table of ones for every plaquette. */
static zb_status add_ones(zb_model *form, const plaquettes *p, const int *renamed,
                          zb_form_job *job)
{
    for (int k = 0; k < p->count; k++) {
        int scope[4], arity = cell_scope(&p->cell[k], renamed, scope);
        size_t size;
        if (!zb_model_table_size(form, arity, scope, &size) || size > ZB_FORM_ENTRIES)
            return zb_fail(job->err, ZB_ELIMIT,
                           "the lattice form is too large: a plaquette of %d variables "
                           "of cardinality %d",
                           arity, form->card[scope[0]]);
        if (zb_form_spend(job, 200 + (double)size) != ZB_OK)
            return ZB_ELIMIT;
        double *value = zb_calloc(size, sizeof *value);
        if (value == NULL)
            return ZB_ENOMEM;
        zb_status status = zb_model_take(form, arity, scope, value, true);
        if (status != ZB_OK)
            return status;
    }
    return ZB_OK;
}

/* The factors into their plaquettes, whose tables are over the sites of two values and
   more, in the order of the cell. */
static zb_status multiply_in(zb_model *form, const zb_model *model, const plaquettes *p,
                             zb_form_job *job)
{
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        if (a->arity == 0) {
            zb_sum_add_ball(&job->scale, a->log ? (zb_ball){ a->value[0], 0 }
                                                : zb_log_ball(a->value[0]));
            continue;
        }
        int k = home(p, a), scope[4], arity = 0;
        const cell *c = &p->cell[k];
        for (int i = 0; i < c->count; i++)
            if (model->card[c->site[i]] > 1)
                scope[arity++] = c->site[i];
        if (zb_form_spend(job, 350) != ZB_OK ||
            !zb_factor_absorb(a, arity, scope, model->card, form->factor[k].value,
                              &job->tick))
            return ZB_ELIMIT;
        job->scale.radius +=
            zb_absorb_radius(a, form->factor[k].size, form->factor[k].value);
    }
    return ZB_OK;
}

/* ---- the record -------------------------------------------------------------------
 */

/* Of the factors of each plaquette, other than constants: the first, and all others
   multiplied into it. first[k] is -1 where there is none. */
static void record_products(const zb_model *model, const plaquettes *p, int *first,
                            zb_record *t)
{
    for (int k = 0; k < p->count; k++)
        first[k] = -1;
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        bool free_var = false;
        for (int i = 0; i < a->arity; i++)
            free_var = free_var || model->card[a->scope[i]] > 1;
        if (!free_var)
            continue;
        int *head = &first[home(p, a)];
        if (*head >= 0) {
            zb_record_begin(t, ZB_RECORD_MULTIPLY);
            zb_record_push(t, f);
            zb_record_push(t, *head);
        } else
            *head = f;
    }
}

/* seen[v][i]: a factor of the i-th plaquette of v has v. */
static void find_sites(const zb_model *model, const plaquettes *p, bool (*seen)[2])
{
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        for (int i = 0; i < a->arity; i++)
            seen[a->scope[i]][p->of[a->scope[i]][1] == home(p, a)] = true;
    }
}

/* Plaquettes with free sites are the factors; number[k] is that of plaquette k. Sites
   that none of its factors has are there all the same. */
static void record_cells(const zb_model *model, const plaquettes *p, const int *first,
                         bool (*seen)[2], int *number, zb_record *t)
{
    int n = 0;
    zb_record_begin(t, ZB_RECORD_FACTORS);
    for (int k = 0; k < p->count; k++) {
        bool stays = false;
        for (int i = 0; i < p->cell[k].count; i++)
            stays = stays || model->card[p->cell[k].site[i]] > 1;
        number[k] = stays ? n++ : -1;
        if (stays)
            zb_record_push(t, first[k]);
    }
    for (int v = 0; v < model->nvars; v++)
        for (int i = 0; i < 2 && p->of[v][0] >= 0 && model->card[v] > 1; i++)
            if (!seen[v][i]) {
                zb_record_begin(t, ZB_RECORD_ONES);
                zb_record_push(t, v);
                zb_record_push(t, number[p->of[v][!i]]);
                zb_record_push(t, number[p->of[v][i]]);
            }
}

static void record_names(const zb_model *model, const zb_grid *at, const plaquettes *p,
                         zb_record *t)
{
    for (int v = 0; v < model->nvars; v++)
        if (p->of[v][0] < 0 && model->card[v] > 1) {
            zb_record_begin(t, ZB_RECORD_SUM);
            zb_record_push(t, v);
            zb_record_push(t, -1);
        }
    zb_record_begin(t, ZB_RECORD_VARIABLES);
    for (int i = 0; i < at->rows * at->cols; i++)
        if (model->card[at->site[i]] > 1)
            zb_record_push(t, at->site[i]);
}

static zb_status record(const zb_model *model, const zb_grid *at, const plaquettes *p,
                        zb_record *t)
{
    int *first = zb_alloc((size_t)p->count, sizeof *first);
    int *number = zb_alloc((size_t)p->count, sizeof *number);
    bool(*seen)[2] = zb_calloc((size_t)model->nvars, sizeof *seen);
    zb_status status = ZB_ENOMEM;
    if (first != NULL && number != NULL && seen != NULL) {
        record_products(model, p, first, t);
        find_sites(model, p, seen);
        record_cells(model, p, first, seen, number, t);
        record_names(model, at, p, t);
        status = ZB_OK;
    }
    zb_free(first);
    zb_free(number);
    zb_free(seen);
    return status;
}

/* ---- the form -------------------------------------------------------------------- */

/* Plaquettes without free sites are constants. */
static void fold_constants(zb_model *form, zb_form_job *job)
{
    int n = 0;
    for (int f = 0; f < form->nfactors; f++) {
        if (form->factor[f].arity > 0) {
            form->factor[n++] = form->factor[f];
        } else {
            zb_sum_add(&job->scale, form->factor[f].value[0]);
            zb_factor_clear(&form->factor[f]);
        }
    }
    form->nfactors = n;
}

zb_status zb_lattice_make(zb_model **out, const zb_model *model, zb_form_job *job)
{
    zb_form_info *info = &job->info;
    zb_grid at = { 0 };
    plaquettes p = { 0 };
    int *renamed = NULL;
    zb_model *form = NULL;
    zb_status status;

    *out = NULL;
    TRY(zb_grid_detect(&at, model, &job->tick, job->err));
    TRY(cut(&p, &at, model->nvars, job->request->variant & 1, &job->tick));
    renamed = zb_alloc((size_t)model->nvars, sizeof *renamed);
    TRY(renamed ? ZB_OK : ZB_ENOMEM);
    TRY(name_sites(&form, model, &at, &p, renamed, job));
    TRY(zb_form_afford(job, "lattice", count_entries(form, &p, renamed)));
    TRY(zb_model_reserve(form, p.count));
    TRY(add_ones(form, &p, renamed, job));
    TRY(multiply_in(form, model, &p, job));
    fold_constants(form, job);
    if (job->record != NULL)
        TRY(record(model, &at, &p, job->record));
    info->rows = at.rows;
    info->cols = at.cols;
    info->ring_rows = at.ring_rows;
    info->ring_cols = at.ring_cols;
    info->clusters = form->nfactors;
    *out = form, form = NULL;
done:
    zb_model_free(form);
    zb_free(renamed);
    zb_free(p.cell);
    zb_free(p.of);
    zb_grid_clear(&at);
    return status;
}
