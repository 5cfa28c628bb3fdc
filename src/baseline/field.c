#include "baseline/field.h"

#include "base/sum.h"
#include "model/table.h"

#include <string.h>

/* ---- the model's tables ---------------------------------------------------------- */

/* Logarithms, and what is asked of them for every choice of blocks. */
static zb_status take_table(zb_field *f, int i)
{
    const zb_factor *a = &f->model->factor[i];
    zb_field_table *t = &f->table[i];
    t->log = a->value;
    if (!a->log) {
        double *log = zb_hold_alloc(&f->hold, a->size, sizeof *log);
        if (log == NULL)
            return ZB_ENOMEM;
        for (size_t e = 0; e < a->size; e++)
            log[e] = zb_factor_log(a, e);
        t->log = log;
        f->radius += zb_log_radius(a->size, log);
    }
    t->most = zb_log_magnitude(a->size, t->log);
    for (size_t e = 0; e < a->size && !t->zeros; e++)
        t->zeros = t->log[e] == -INFINITY;
    return zb_tick(&f->tick, 5.0 * (double)a->size) ? ZB_OK : ZB_ELIMIT;
}

static void absorb(zb_field *f, int i)
{
    const zb_factor *a = &f->model->factor[i];
    if (a->arity == 0) {
        f->constant += f->table[i].log[0];
        f->radius += ZB_MARGIN * ZB_UNIT * fabs(f->constant);
        return;
    }
    double *own = f->own + f->at[a->scope[0]];
    for (size_t x = 0; x < a->size; x++)
        own[x] += f->table[i].log[x];
    f->radius += ZB_MARGIN * ZB_UNIT * zb_log_magnitude(a->size, own);
}

/* Bytes of what zb_field_new takes. *largest: the entries of a table. */
static double forecast(const zb_model *model, size_t *largest)
{
    double values = 0, items = 0, copies = 0;
    for (int v = 0; v < model->nvars; v++) {
        values += model->card[v];
        *largest = zb_max_size(*largest, (size_t)model->card[v]);
    }
    for (int i = 0; i < model->nfactors; i++) {
        const zb_factor *a = &model->factor[i];
        *largest = zb_max_size(*largest, a->size);
        items += a->arity;
        copies += a->log ? 0 : (double)a->size + 2;
    }
    return 8 * (3 * values + copies + 2 * (double)*largest) + 16 * items +
           48.0 * model->nfactors + 24.0 * model->nvars;
}

/* Not where scopes are too large to be walked through, or for want of memory. */
static bool is_fit(zb_field *f, size_t *largest)
{
    f->held = forecast(f->model, largest);
    for (int i = 0; i < f->model->nfactors; i++)
        if (f->model->factor[i].arity > ZB_MAX_AXES)
            return false;
    return f->held <= (double)f->spec->run->memory / 2;
}

zb_status zb_field_new(zb_field *f)
{
    const zb_model *model = f->model;
    size_t n = (size_t)model->nvars, nfactors = (size_t)model->nfactors, largest = 1;
    zb_status status;
    TRY(is_fit(f, &largest) ? ZB_OK : ZB_ELIMIT);
    TRY(zb_scopes_new(&f->scopes, model));
    TRY(zb_incidence_new(&f->graph, f->scopes));
    f->at = zb_hold_alloc(&f->hold, n + 1, sizeof *f->at);
    f->table = zb_hold_calloc(&f->hold, nfactors + 1, sizeof *f->table);
    TRY(zb_hold_status(&f->hold));
    f->at[0] = 0;
    for (size_t v = 0; v < n; v++)
        f->at[v + 1] = f->at[v] + (size_t)model->card[v];
    f->q = zb_hold_alloc(&f->hold, f->at[n], sizeof *f->q);
    f->own = zb_hold_calloc(&f->hold, f->at[n], sizeof *f->own);
    f->mean = zb_hold_calloc(&f->hold, f->at[n], sizeof *f->mean);
    f->scratch = zb_hold_alloc(&f->hold, 2 * largest, sizeof *f->scratch);
    f->strength = zb_hold_alloc(&f->hold, nfactors + 1, sizeof *f->strength);
    TRY(zb_hold_status(&f->hold));
    f->constant = model->log_scale;
    f->radius = model->radius;
    for (int i = 0; i < model->nfactors; i++) {
        TRY(take_table(f, i));
        if (model->factor[i].arity < 2)
            absorb(f, i);
    }
    memcpy(f->q, f->spec->q, f->at[n] * sizeof *f->q);
done:
    return status;
}

/* ---- a choice of blocks ---------------------------------------------------------- */

void zb_field_drop(zb_field_partition *p)
{
    if (p == NULL)
        return;
    for (int b = 0; p->block != NULL && b < p->blocks->count; b++) {
        zb_pass_free(p->block[b].pass);
        zb_tree_free(p->block[b].tree);
    }
    zb_blocks_free(p->blocks);
    zb_hold_free(&p->hold);
    zb_free(p);
}

void zb_field_free(zb_field *f)
{
    zb_field_drop(f->now);
    zb_scopes_free(f->scopes);
    zb_incidence_free(&f->graph);
    zb_hold_free(&f->hold);
}

/* Which of a scope's parts each axis belongs to, and each part's block; they are
   numbered as they come. */
static int find_parts(const zb_blocks *b, const zb_factor *a, int *of, int *home)
{
    int count = 0;
    for (int i = 0; i < a->arity; i++) {
        int k = 0;
        while (k < count && home[k] != b->block[a->scope[i]])
            k++;
        if (k == count)
            home[count++] = b->block[a->scope[i]];
        of[i] = k;
    }
    return count;
}

static zb_status make_cut(zb_field *f, int factor, int parts, const int *of,
                          const int *home)
{
    zb_field_partition *p = f->now;
    const zb_factor *a = &f->model->factor[factor];
    size_t arity = (size_t)a->arity;
    zb_field_cut *c = &p->cut[p->cuts];
    *c = (zb_field_cut){ .factor = factor,
                         .count = parts,
                         .size = a->size,
                         .log = f->table[factor].log,
                         .most = f->table[factor].most,
                         .part =
                             zb_hold_calloc(&p->hold, (size_t)parts, sizeof *c->part),
                         .of = zb_hold_alloc(&p->hold, arity, sizeof *c->of),
                         .stride = zb_hold_alloc(&p->hold, arity, sizeof *c->stride) };
    if (p->hold.failed)
        return ZB_ENOMEM;
    memcpy(c->of, of, arity * sizeof *of);
    for (int k = 0; k < parts; k++) {
        c->part[k].block = home[k];
        p->block[home[k]].parts++;
    }
    for (size_t i = 0; i < arity; i++) { /* of a single variable: its number */
        int v = a->scope[i];
        c->part[of[i]].table = p->blocks->place[v] - p->blocks->start[home[of[i]]];
    }
    p->cut_of[factor] = p->cuts++;
    return ZB_OK;
}

/* *clean: no zero is cut. */
static zb_status make_cuts(zb_field *f, bool *clean)
{
    zb_field_partition *p = f->now;
    int of[ZB_MAX_AXES], home[ZB_MAX_AXES];
    zb_status status = ZB_OK;
    *clean = true;
    for (int i = 0; i < f->model->nfactors && *clean; i++) {
        const zb_factor *a = &f->model->factor[i];
        int parts = a->arity > 1 ? find_parts(p->blocks, a, of, home) : 1;
        p->cut_of[i] = -1;
        TRY(zb_tick(&f->tick, 100) ? ZB_OK : ZB_ELIMIT);
        if (parts < 2)
            continue;
        *clean = !f->table[i].zeros;
        TRY(make_cut(f, i, parts, of, home));
    }
done:
    return status;
}

/* A table that is inside of a block, in the sequence of its tree, once for all. */
static void set_inside(zb_field *f, const zb_field_block *b, int table, int factor)
{
    const int *scope, *var = f->now->blocks->var + b->first;
    int name[ZB_MAX_AXES], n = zb_tree_scope(b->tree, table, &scope);
    size_t e = 0;
    zb_walk w;
    for (int j = 0; j < n; j++)
        name[j] = var[scope[j]];
    zb_walk_begin(&w, n, name, f->model->card, &f->model->factor[factor]);
    do
        f->scratch[e++] = f->table[factor].log[w.at];
    while (zb_walk_next(&w) >= 0);
    zb_pass_set_log(b->pass, table, f->scratch);
    zb_tick(&f->tick, 3.0 * (double)e);
}

/* Which table of the block a part of two variables or more has. */
static void set_table(zb_field *f, int number, int table, int factor)
{
    zb_field_cut *c = &f->now->cut[f->now->cut_of[factor]];
    for (int k = 0; k < c->count; k++)
        if (c->part[k].block == number)
            c->part[k].table = table;
}

static zb_status make_block(zb_field *f, int number)
{
    zb_field_partition *p = f->now;
    zb_field_block *b = &p->block[number];
    zb_scopes *scopes = NULL;
    int *factor = NULL, count;
    zb_pass_spec how = {
        .gradient = true, .side = ZB_SIDE_LOWER, .threads = 1, .run = f->spec->run
    };
    zb_status status;
    b->first = p->blocks->start[number];
    b->count = p->blocks->start[number + 1] - b->first;
    TRY(zb_tick(&f->tick, 20000 + 500.0 * b->count) ? ZB_OK : ZB_ELIMIT);
    TRY(zb_blocks_inside(&scopes, &factor, &count, &f->graph, p->blocks, number));
    zb_split_spec whole = { .ibound = scopes->nvars + 1, .run = f->spec->run };
    TRY(zb_tree_new(&b->tree, scopes, p->blocks->order + b->first, &whole));
    f->bytes += zb_pass_forecast(b->tree, &how);
    TRY(f->bytes <= (double)f->spec->run->memory ? ZB_OK : ZB_ELIMIT);
    TRY(zb_pass_new(&b->pass, b->tree, &how));
    b->error = zb_hold_calloc(&p->hold, (size_t)scopes->count, sizeof *b->error);
    b->part = zb_hold_alloc(&p->hold, (size_t)b->parts + 1, sizeof *b->part);
    b->of = zb_hold_alloc(&p->hold, (size_t)b->parts + 1, sizeof *b->of);
    TRY(zb_hold_status(&p->hold));
    b->parts = 0;
    for (int i = 0; i < count; i++)
        if (p->cut_of[factor[i]] < 0)
            set_inside(f, b, b->count + i, factor[i]);
        else
            set_table(f, number, b->count + i, factor[i]);
done:
    zb_scopes_free(scopes);
    zb_free(factor);
    return status;
}

/* A part's strides are those of its block's tree, which has axes by elimination. */
static void find_strides(const zb_field *f, zb_field_cut *c, int k)
{
    const zb_factor *a = &f->model->factor[c->factor];
    const zb_field_block *home = &f->now->block[c->part[k].block];
    const int *scope, *var = f->now->blocks->var + home->first;
    size_t stride = 1;
    for (int j = zb_tree_scope(home->tree, c->part[k].table, &scope) - 1; j >= 0; j--) {
        int i = 0;
        while (a->scope[i] != var[scope[j]])
            i++;
        c->stride[i] = stride;
        stride *= (size_t)f->model->card[a->scope[i]];
    }
    c->part[k].size = stride;
}

/* Until its block has a distribution, a part has the product of its variables'. */
static void begin_part(const zb_field *f, const zb_field_cut *c, int k)
{
    const zb_factor *a = &f->model->factor[c->factor];
    double *q = c->part[k].q;
    for (size_t e = 0; e < c->part[k].size; e++) {
        q[e] = 1;
        for (int i = 0; i < a->arity; i++)
            if (c->of[i] == k) {
                size_t card = (size_t)f->model->card[a->scope[i]];
                q[e] *= f->q[f->at[a->scope[i]] + e / c->stride[i] % card];
            }
    }
}

static zb_status make_part(zb_field *f, zb_field_cut *c, int k)
{
    zb_field_partition *p = f->now;
    zb_field_part *own = &c->part[k];
    zb_field_block *home = &p->block[own->block];
    find_strides(f, c, k);
    home->of[home->parts] = c;
    home->part[home->parts++] = own;
    own->error = &home->error[own->table];
    if (own->table < home->count) {
        int v = p->blocks->var[home->first + own->table];
        own->mean = f->mean + f->at[v];
        own->q = f->q + f->at[v];
        return ZB_OK;
    }
    own->shared = true;
    own->mean = zb_hold_calloc(&p->hold, own->size, sizeof *own->mean);
    own->q = zb_hold_alloc(&p->hold, own->size, sizeof *own->q);
    if (p->hold.failed)
        return ZB_ENOMEM;
    begin_part(f, c, k);
    return ZB_OK;
}

/* How much a table says of its variables together, under q: the variance of its
   logarithm less what each of two variables alone has of it; of three or more the
   whole. */
static double strength_of(zb_field *f, int factor)
{
    const zb_factor *a = &f->model->factor[factor];
    const double *log = f->table[factor].log;
    double mean = 0, all = 0, alone = 0;
    int x[ZB_MAX_AXES] = { 0 };
    if (a->arity < 2)
        return 0;
    double *row = f->scratch; /* of either of two variables */
    size_t n = a->arity == 2 ? (size_t)f->model->card[a->scope[0]] : 0,
           m = a->arity == 2 ? (size_t)f->model->card[a->scope[1]] : 0;
    memset(row, 0, (n + m) * sizeof *row);
    for (size_t e = 0; e < a->size; e++) {
        double q = 1, l = fmax(log[e], -1e6);
        for (int i = 0; i < a->arity; i++)
            q *= f->q[f->at[a->scope[i]] + (size_t)x[i]];
        mean += q * l;
        all += q * l * l;
        if (a->arity == 2) {
            row[x[0]] += f->q[f->at[a->scope[1]] + (size_t)x[1]] * l;
            row[n + (size_t)x[1]] += f->q[f->at[a->scope[0]] + (size_t)x[0]] * l;
        }
        for (int i = a->arity - 1; i >= 0; i--) {
            if (++x[i] < f->model->card[a->scope[i]])
                break;
            x[i] = 0;
        }
    }
    for (size_t i = 0; i < n + m; i++) {
        size_t v = (size_t)a->scope[i >= n], at = i >= n ? i - n : i;
        alone += f->q[f->at[v] + at] * (row[i] - mean) * (row[i] - mean);
    }
    zb_tick(&f->tick, 4.0 * (double)a->size);
    return fmax(0, all - mean * mean - alone);
}

/* How strong scopes are, for a sequence that follows them. */
static zb_status find_strengths(zb_field *f)
{
    zb_status status = ZB_OK;
    for (int i = 0; i < f->model->nfactors; i++) {
        f->strength[i] = strength_of(f, i);
        TRY(f->tick.over ? ZB_ELIMIT : ZB_OK);
    }
done:
    return status;
}

zb_status zb_field_divide(zb_field *f, uint64_t seed, bool *clean)
{
    const double least = 32768; /* bytes of a block, about */
    size_t nfactors = (size_t)f->model->nfactors;
    double memory = (double)f->spec->run->memory;
    bool by_strength = f->kind == ZB_SEQUENCE_TREE;
    zb_blocks_request r = { .graph = &f->graph,
                            .strength = by_strength ? f->strength : NULL,
                            .entries = f->spec->entries,
                            .total = memory / 64,
                            .sequence = f->kind,
                            .seed = seed,
                            .run = f->spec->run };
    zb_field_partition *p = zb_calloc(1, sizeof *p);
    zb_status status;
    f->now = p;
    f->bytes = f->held;
    TRY(p != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(by_strength ? find_strengths(f) : ZB_OK);
    TRY(zb_blocks_new(&p->blocks, &r));
    TRY(least * p->blocks->count <= memory ? ZB_OK : ZB_ELIMIT);
    p->block = zb_hold_calloc(&p->hold, (size_t)p->blocks->count, sizeof *p->block);
    p->cut = zb_hold_alloc(&p->hold, nfactors + 1, sizeof *p->cut);
    p->cut_of = zb_hold_alloc(&p->hold, nfactors + 1, sizeof *p->cut_of);
    TRY(zb_hold_status(&p->hold));
    TRY(make_cuts(f, clean));
    for (int b = 0; b < p->blocks->count && *clean; b++)
        TRY(make_block(f, b));
    for (int i = 0; i < p->cuts && *clean; i++)
        for (int k = 0; k < p->cut[i].count; k++)
            TRY(make_part(f, &p->cut[i], k));
done:
    return status;
}
