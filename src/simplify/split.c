/* If, for each state r of the other variables, the block f(x, y, r) has rank one in x
 * and y, then f(x, y, r) = g(x, r) h(y, r): x and y are independent given the rest, and
 * the edge between them need not be in the graph. The factor of linkage models that
 * copies an allele x from (p, m) as the selector s says is of that kind: given s and x
 * it is a function of p or of m.
 *
 * With (a, b) a non-zero entry of the block, g(x) = f(x, b) and h(y) = f(a, y) /
 * f(a, b). Rank one is asked for up to rounding, in logs. */
#include "simplify/split.h"

/* Larger tables are rarely products, and the search is quadratic in the arity. */
enum { MAX_ARITY = 8 };

static const double ROUNDING = 0x1p-50;

typedef struct block { /* strides of x and y, their cardinalities */
    size_t sx, sy;
    int nx, ny;
} block;

/* The first non-zero entry of the block; false: it has none. */
static bool block_pivot(const block *b, const double *f, size_t *a_at, size_t *b_at)
{
    for (int x = 0; x < b->nx; x++)
        for (int y = 0; y < b->ny; y++)
            if (f[(size_t)x * b->sx + (size_t)y * b->sy] > -INFINITY) {
                *a_at = (size_t)x * b->sx;
                *b_at = (size_t)y * b->sy;
                return true;
            }
    return false;
}

/* *apart: how far, in nats, the product of the parts may be from the block; only grows.
   The sum g + h is rounded here, and exact where one of them is zero. */
static bool block_rank_one(const block *b, const double *f, double *apart)
{
    size_t pa, pb;

    if (!block_pivot(b, f, &pa, &pb))
        return true;
    for (int x = 0; x < b->nx; x++)
        for (int y = 0; y < b->ny; y++) {
            size_t i = (size_t)x * b->sx, j = (size_t)y * b->sy;
            double is = f[i + j], g = f[i + pb], h = f[pa + j] - f[pa + pb];
            double product = g > -INFINITY ? g + h : g;
            bool zeros = is == -INFINITY || product == -INFINITY;
            if (zeros ? is != product
                      : fabs(is - product) > ROUNDING * fmax(1, fabs(is)))
                return false;
            double unit = g == 0 || h == 0 ? 0 : ZB_UNIT * fabs(product);
            if (!zeros)
                *apart = fmax(*apart, ZB_MARGIN * (fabs(is - product) + unit));
        }
    return true;
}

typedef struct table { /* in logs, with at most MAX_ARITY axes */
    int arity;
    const int *scope;
    int card[MAX_ARITY];
    size_t stride[MAX_ARITY], size;
    const double *value;
} table;

/* Where the k-th block of axes i and j begins. */
static const double *block_start(const table *f, int i, int j, size_t k)
{
    const double *at = f->value;
    for (int a = f->arity - 1; a >= 0; a--) {
        if (a == i || a == j)
            continue;
        at += k % (size_t)f->card[a] * f->stride[a];
        k /= (size_t)f->card[a];
    }
    return at;
}

/* Not when the time is over. */
static bool separable(const table *f, int i, int j, double *apart, zb_ticker *tick)
{
    block b = { f->stride[i], f->stride[j], f->card[i], f->card[j] };
    size_t blocks = f->size / (size_t)b.nx / (size_t)b.ny;
    *apart = 0;
    for (size_t k = 0; k < blocks; k++)
        if (!zb_tick(tick, 10 * f->arity + 4.0 * b.nx * b.ny) ||
            !block_rank_one(&b, block_start(f, i, j, k), apart))
            return false;
    return true;
}

/* g[x, r] and h[y, r], with x and y in front. Where the whole block is zero so is g,
   and h is `other`. */
static void factorise(const table *f, int i, int j, double other, double *g, double *h)
{
    block b = { f->stride[i], f->stride[j], f->card[i], f->card[j] };
    size_t blocks = f->size / (size_t)b.nx / (size_t)b.ny;

    for (size_t k = 0; k < blocks; k++) {
        const double *from = block_start(f, i, j, k);
        size_t pa = 0, pb = 0;
        bool zero = !block_pivot(&b, from, &pa, &pb);
        for (int x = 0; x < b.nx; x++)
            g[(size_t)x * blocks + k] = from[(size_t)x * b.sx + pb];
        for (int y = 0; y < b.ny; y++)
            h[(size_t)y * blocks + k] =
                zero ? other : from[pa + (size_t)y * b.sy] - from[pa + pb];
    }
}

typedef struct axes {
    int i, j;
    double apart; /* nats: how far the product may be from the table */
} axes;

typedef struct work {
    zb_model *out;
    int pieces;
    zb_ticker tick;
    /* With a record: the numbers of the factors, as they are taken apart and, in
       `name`, as they are added. */
    zb_record *record;
    int next;
    zb_record name;
} work;

/* Factor `id`, taken apart as far as possible. */
static zb_status add_split(work *to, int id, const zb_factor *f);

static int record(work *to, int id, int v, int w)
{
    zb_record_begin(to->record, ZB_RECORD_SPLIT);
    zb_record_push(to->record, id);
    zb_record_push(to->record, v);
    zb_record_push(to->record, w);
    return to->next++;
}

/* f = g h, and both may be products again. A record has no table of ones in the place
   of zeros. */
static zb_status add_product(work *to, int id, const table *f, axes at)
{
    int i = at.i, j = at.j, part[MAX_ARITY], n = 1;
    int second = record(to, id, f->scope[i], f->scope[j]);
    zb_factor g = { .size = f->size / (size_t)f->card[j], .scope = part, .log = true };
    zb_factor h = { .size = f->size / (size_t)f->card[i], .scope = part, .log = true };
    zb_status status;

    g.value = zb_alloc(g.size, sizeof *g.value);
    h.value = zb_alloc(h.size, sizeof *h.value);
    TRY(g.value != NULL && h.value != NULL ? ZB_OK : ZB_ENOMEM);
    factorise(f, i, j, to->record != NULL ? -INFINITY : 0, g.value, h.value);
    for (int a = 0; a < f->arity; a++)
        if (a != i && a != j)
            part[n++] = f->scope[a];
    g.arity = h.arity = n;
    part[0] = f->scope[i];
    TRY(add_split(to, id, &g));
    part[0] = f->scope[j];
    TRY(add_split(to, second, &h));
    to->pieces++;
    to->out->radius += at.apart;
done:
    zb_free(g.value);
    zb_free(h.value);
    return status;
}

static table view(int arity, const int *scope, const int *card, const double *value)
{
    table f = { .arity = arity, .scope = scope, .size = 1, .value = value };
    for (int a = arity - 1; a >= 0; a--) {
        f.card[a] = card[scope[a]];
        f.stride[a] = f.size;
        f.size *= (size_t)f.card[a];
    }
    return f;
}

/* Axes along which f is a product; false: there are none, or f is too large. */
static bool find_axes(const table *f, axes *at, zb_ticker *tick)
{
    for (at->i = 0; at->i < f->arity; at->i++)
        for (at->j = at->i + 1; at->j < f->arity; at->j++)
            if (separable(f, at->i, at->j, &at->apart, tick))
                return true;
    return false;
}

static zb_status add_whole(work *to, int id, const zb_factor *a)
{
    zb_record_push(to->record != NULL ? &to->name : NULL, id);
    return zb_model_add_log(to->out, a->arity, a->scope, a->value);
}

static zb_status add_split(work *to, int id, const zb_factor *a)
{
    axes at;
    if (a->arity <= MAX_ARITY) {
        table f = view(a->arity, a->scope, to->out->card, a->value);
        if (find_axes(&f, &at, &to->tick))
            return add_product(to, id, &f, at);
    }
    return add_whole(to, id, a);
}

/* The factors are those whose numbers are in `name`. */
static zb_status record_names(work *to)
{
    zb_record_kind kind;
    const int *id;
    int count = 0;
    size_t at = 0;
    zb_record_next(&to->name, &at, &kind, &count, &id);
    zb_record_begin(to->record, ZB_RECORD_FACTORS);
    for (int i = 0; i < count; i++)
        zb_record_push(to->record, id[i]);
    return to->record != NULL && (to->name.failed || to->record->failed) ? ZB_ENOMEM
                                                                         : ZB_OK;
}

/* The first factor from f on that is a product; nfactors: there is none. */
static int next_product(const zb_model *model, int f, zb_ticker *tick)
{
    axes at;
    for (; f < model->nfactors && zb_tick(tick, 50); f++) {
        const zb_factor *a = &model->factor[f];
        if (a->arity < 2 || a->arity > MAX_ARITY)
            continue;
        table t = view(a->arity, a->scope, model->card, a->value);
        if (find_axes(&t, &at, tick))
            break;
    }
    return f;
}

zb_status zb_split_model(zb_model **out, const zb_model *model, zb_record *record,
                         zb_run *run, int *pieces)
{
    work to = { .tick = { .run = run }, .record = record, .next = model->nfactors };
    zb_status status;

    *out = NULL;
    *pieces = 0;
    int first = next_product(model, 0, &to.tick);
    if (first == model->nfactors)
        return to.tick.over ? ZB_ELIMIT : ZB_OK;
    zb_record_begin(&to.name, ZB_RECORD_FACTORS);
    TRY(zb_model_new(&to.out, model->nvars, model->card));
    to.out->log_scale = model->log_scale;
    to.out->radius = model->radius;
    TRY(zb_model_reserve(to.out, model->nfactors));
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        TRY(zb_tick(&to.tick, 200 + 2.0 * (double)a->size) ? ZB_OK : ZB_ELIMIT);
        TRY(f < first ? add_whole(&to, f, a) : add_split(&to, f, a));
    }
    TRY(to.tick.over ? ZB_ELIMIT : ZB_OK);
    TRY(record_names(&to));
    *out = to.out, to.out = NULL;
    *pieces = to.pieces;
done:
    zb_record_clear(&to.name);
    zb_model_free(to.out);
    return status;
}
