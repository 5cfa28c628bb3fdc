/* Tables are arrays of balls; sums and products of non-negative numbers lose nothing.
 */
#include "enclose.h"

#include "model/model.h"

#include <math.h>
#include <stdlib.h>

enum { BITS = 220, MOST_AXES = 40 };

typedef struct ball_table {
    int arity, scope[MOST_AXES];
    slong size;
    arb_ptr value;
} ball_table;

typedef struct work {
    const zb_model *model;
    ball_table *table; /* room for the factors and one per variable */
    int count, *x;     /* x: a state */
    bool *gone;        /* variables that were eliminated */
} work;

static bool has(const ball_table *t, int v)
{
    for (int i = 0; i < t->arity; i++)
        if (t->scope[i] == v)
            return true;
    return false;
}

static slong entry(const work *w, const ball_table *t)
{
    slong at = 0;
    for (int i = 0; i < t->arity; i++)
        at = at * w->model->card[t->scope[i]] + w->x[t->scope[i]];
    return at;
}

static void load(ball_table *t, const zb_factor *f)
{
    t->arity = f->arity;
    for (int i = 0; i < f->arity; i++)
        t->scope[i] = f->scope[i];
    t->size = (slong)f->size;
    t->value = _arb_vec_init(t->size);
    for (slong i = 0; i < t->size; i++) {
        if (f->log && f->value[i] == -INFINITY)
            continue; /* zero already */
        arb_set_d(t->value + i, f->value[i]);
        if (f->log)
            arb_exp(t->value + i, t->value + i, BITS);
    }
}

/* The scopes with v joined, v left out; entries of a table over them. */
static double join(const work *w, int v, ball_table *out)
{
    double size = 1;
    out->arity = 0;
    for (int f = 0; f < w->count; f++) {
        const ball_table *t = &w->table[f];
        for (int i = 0; has(t, v) && i < t->arity; i++) {
            if (t->scope[i] == v || has(out, t->scope[i]))
                continue;
            if (out->arity == MOST_AXES)
                return INFINITY;
            out->scope[out->arity++] = t->scope[i];
            size *= w->model->card[t->scope[i]];
        }
    }
    return size;
}

/* out = sum over the values of v, or the observed one, of the product of its tables. */
static void sum_out(work *w, int v, arb_t out)
{
    int seen = w->model->evidence[v], first = seen >= 0 ? seen : 0,
        end = seen >= 0 ? seen + 1 : w->model->card[v];
    arb_t term;
    arb_init(term);
    arb_zero(out);
    for (w->x[v] = first; w->x[v] < end; w->x[v]++) {
        arb_one(term);
        for (int f = 0; f < w->count; f++)
            if (has(&w->table[f], v))
                arb_mul(term, term, w->table[f].value + entry(w, &w->table[f]), BITS);
        arb_add(out, out, term, BITS);
    }
    arb_clear(term);
}

static void eliminate_one(work *w, int v)
{
    ball_table out;
    out.size = (slong)join(w, v, &out);
    out.value = _arb_vec_init(out.size);
    for (slong at = 0; at < out.size; at++) {
        slong rest = at;
        for (int i = out.arity - 1; i >= 0; i--) {
            int card = w->model->card[out.scope[i]];
            w->x[out.scope[i]] = (int)(rest % card);
            rest /= card;
        }
        sum_out(w, v, out.value + at);
    }
    int left = 0;
    for (int f = 0; f < w->count; f++) {
        if (has(&w->table[f], v))
            _arb_vec_clear(w->table[f].value, w->table[f].size);
        else
            w->table[left++] = w->table[f];
    }
    w->table[left++] = out;
    w->count = left;
    w->gone[v] = true;
}

static bool eliminate_all(work *w, double most)
{
    int n = w->model->nvars;
    for (int step = 0; step < n; step++) {
        int best = -1;
        double least = INFINITY;
        ball_table scope;
        for (int v = 0; v < n && least > 1; v++) {
            double size = w->gone[v] ? INFINITY : join(w, v, &scope);
            if (size < least)
                best = v, least = size;
        }
        if (best < 0 || least > most)
            return false;
        eliminate_one(w, best);
    }
    return true;
}

/* ln of the product of what is left, and the constant. */
static void finish(enclosure *out, const work *w)
{
    arb_t z, constant;
    arb_init(z);
    arb_init(constant);
    arb_one(z);
    for (int f = 0; f < w->count; f++)
        arb_mul(z, z, w->table[f].value, BITS);
    out->zero = arb_is_zero(z) || w->model->log_scale == -INFINITY;
    if (!out->zero) {
        arb_log(out->log_z, z, BITS);
        arb_set_d(constant, w->model->log_scale);
        arb_add(out->log_z, out->log_z, constant, BITS);
    }
    arb_clear(z);
    arb_clear(constant);
}

bool enclose(enclosure *out, const zb_model *model, double most)
{
    size_t n = (size_t)model->nvars, nf = (size_t)model->nfactors;
    work w = { .model = model,
               .table = calloc(n + nf + 1, sizeof *w.table),
               .x = calloc(n + 1, sizeof *w.x),
               .gone = calloc(n + 1, sizeof *w.gone) };
    arb_init(out->log_z);
    out->zero = false;
    for (; w.count < (int)nf; w.count++)
        load(&w.table[w.count], &model->factor[w.count]);
    bool done = eliminate_all(&w, most);
    if (done)
        finish(out, &w);
    for (int f = 0; f < w.count; f++)
        _arb_vec_clear(w.table[f].value, w.table[f].size);
    free(w.table);
    free(w.x);
    free(w.gone);
    return done;
}

/* (n over k) e^(J (s^2 - n) / 2 + h s) with s = 2 k - n */
static void complete_term(arb_t term, int n, int k, double coupling, double field)
{
    int s = 2 * k - n;
    arb_t part;
    arb_init(part);
    arb_set_d(term, coupling);
    arb_mul_si(term, term, (s * s - n) / 2, BITS);
    arb_set_d(part, field);
    arb_mul_si(part, part, s, BITS);
    arb_add(term, term, part, BITS);
    arb_exp(term, term, BITS);
    arb_bin_uiui(part, (ulong)n, (ulong)k, BITS);
    arb_mul(term, term, part, BITS);
    arb_clear(part);
}

void enclose_complete(enclosure *out, int n, double coupling, double field)
{
    arb_t z, term;
    arb_init(z);
    arb_init(term);
    arb_init(out->log_z);
    out->zero = false;
    for (int k = 0; k <= n; k++) {
        complete_term(term, n, k, coupling, field);
        arb_add(z, z, term, BITS);
    }
    arb_log(out->log_z, z, BITS);
    arb_clear(z);
    arb_clear(term);
}

void enclosure_free(enclosure *e) { arb_clear(e->log_z); }

void enclosure_repeat(enclosure *e, unsigned long copies)
{
    arb_mul_ui(e->log_z, e->log_z, copies, BITS);
}

/* bound - ln Z, for a finite bound and Z > 0 */
static void subtract(arb_t out, const enclosure *e, double bound)
{
    arb_set_d(out, bound);
    arb_sub(out, out, e->log_z, BITS);
}

bool is_lower(const enclosure *e, double lower)
{
    if (isnan(lower) || !isfinite(lower) || e->zero)
        return lower == -INFINITY;
    arb_t over;
    arb_init(over);
    subtract(over, e, lower);
    bool wrong = arb_is_positive(over);
    arb_clear(over);
    return !wrong;
}

bool is_upper(const enclosure *e, double upper)
{
    if (isnan(upper))
        return false;
    if (!isfinite(upper) || e->zero)
        return upper == INFINITY || e->zero;
    arb_t over;
    arb_init(over);
    subtract(over, e, upper);
    bool wrong = arb_is_negative(over);
    arb_clear(over);
    return !wrong;
}

double excess(const enclosure *e, double bound)
{
    arb_t over;
    if (e->zero || !isfinite(bound))
        return e->zero ? INFINITY : bound;
    arb_init(over);
    subtract(over, e, bound);
    double about = arf_get_d(arb_midref(over), ARF_RND_NEAR);
    arb_clear(over);
    return about;
}
