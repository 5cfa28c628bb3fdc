#include "count/ceiling_internal.h"

#include <float.h>

enum {
    PER_BOOL = 250,
    MORE = 4000
};                     /* bytes, groups and how they are found included */
enum { LARGE = 1024 }; /* entries: their largest one is not looked for every time */

/* What a value has at least, of the larger one of its Boolean: numbers stay normal,
   and a sum can only grow. */
static const double LEAST = 1e-190, FAR = -450; /* e^-450 is less */

static zb_status make_forest(zb_ceiling *c, size_t n, size_t longs)
{
    zb_forest *f = &c->forest;
    size_t places = 2 * n + 2;
    f->at = zb_hold_alloc(&c->hold, n + 2, sizeof *f->at);
    f->tie = zb_hold_alloc(&c->hold, n + 2, sizeof *f->tie);
    f->lit = zb_hold_alloc(&c->hold, places, sizeof *f->lit);
    f->may = zb_hold_alloc(&c->hold, places, sizeof *f->may);
    f->next = zb_hold_alloc(&c->hold, places, sizeof *f->next);
    f->of = zb_hold_alloc(&c->hold, places, sizeof *f->of);
    f->head = zb_hold_alloc(&c->hold, n, sizeof *f->head);
    f->few = zb_hold_alloc(&c->hold, n, sizeof *f->few);
    f->root = zb_hold_alloc(&c->hold, n, sizeof *f->root);
    f->mark = zb_hold_calloc(&c->hold, n, sizeof *f->mark);
    f->size = zb_hold_alloc(&c->hold, longs, sizeof *f->size);
    f->open = zb_hold_alloc(&c->hold, 3 * n, sizeof *f->open);
    return zb_hold_status(&c->hold);
}

static zb_status make(zb_ceiling *c, const zb_parts *parts, zb_sat *sat)
{
    size_t n = (size_t)parts->sat->nbools, tables = (size_t)parts->ntables;
    zb_status status;
    TRY(make_forest(c, n, (size_t)parts->sat->nlong));
    c->mass = zb_hold_alloc(&c->hold, 2 * n, sizeof *c->mass);
    c->seen = zb_hold_calloc(&c->hold, n, sizeof *c->seen);
    c->queue = zb_hold_alloc(&c->hold, n, sizeof *c->queue);
    c->up = zb_hold_alloc(&c->hold, n + 1, sizeof *c->up);
    c->step = zb_hold_alloc(&c->hold, n + 1, sizeof *c->step);
    c->table_most = zb_hold_alloc(&c->hold, tables, sizeof *c->table_most);
    TRY(zb_hold_status(&c->hold));
    for (size_t t = 0; t < tables; t++) {
        const zb_factor *a = &parts->model->factor[parts->table[t]];
        c->table_most[t] = zb_factor_extremes(a).most;
        c->largest += fmax(0, c->table_most[t]);
        TRY(zb_tick(&sat->tick, 20 + (double)a->size) ? ZB_OK : ZB_ELIMIT);
    }
    c->largest *= 1 + 2 * ZB_MARGIN * ZB_UNIT * (double)(tables + 1);
    TRY(zb_groups_find(&c->groups, sat));
done:
    return status;
}

zb_status zb_ceiling_new(zb_ceiling **out, const zb_parts *parts, zb_sat *sat)
{
    uint64_t bytes = PER_BOOL * (uint64_t)sat->nbools + (uint64_t)sat->nlong +
                     8 * (uint64_t)parts->ntables + MORE;
    zb_ceiling *c = NULL;
    zb_status status;
    *out = NULL;
    TRY(zb_purse_take(parts->purse, bytes) ? ZB_OK : ZB_ELIMIT);
    c = zb_calloc(1, sizeof *c);
    TRY(c != NULL ? ZB_OK : ZB_ENOMEM);
    c->parts = parts;
    TRY(make(c, parts, sat));
    *out = c, c = NULL;
done:
    zb_ceiling_free(c);
    return status;
}

void zb_ceiling_free(zb_ceiling *c)
{
    if (c == NULL)
        return;
    zb_groups_clear(&c->groups);
    zb_hold_free(&c->hold);
    zb_free(c);
}

zb_ball zb_ceiling_crude(const zb_ceiling *c, const zb_part *part)
{
    zb_sum sum = { .exp2 = part->n[ZB_BOOLS] };
    zb_sum_add(&sum, c->largest);
    return zb_sum_value(&sum);
}

static int bool_of(const zb_ceiling *c, const zb_part *part, int i)
{
    return c->parts->pool[part->at[ZB_BOOLS] + (size_t)i];
}

/* No less than the product, and not 0 unless it is. */
static double times(double a, double b)
{
    return a > 0 && b > 0 ? fmax(a * b, DBL_MIN) : 0;
}

/* ---- weights --------------------------------------------------------------------- */

static double table_most(const zb_ceiling *c, int t)
{
    return c->parts->model->factor[c->parts->table[t]].size > LARGE
               ? c->table_most[t]
               : zb_parts_table_most(c->parts, t);
}

/* A table with one open variable goes to its values, others to the largest entry. */
static void take_table(zb_ceiling *c, int t)
{
    const zb_parts *p = c->parts;
    const zb_factor *a = &p->model->factor[p->table[t]];
    size_t at = 0, size = 1, stride = 0;
    int open = 0, v = -1;
    for (int k = a->arity - 1; k >= 0; k--) {
        int x = zb_parts_value(p, a->scope[k]);
        if (x < 0) {
            open++;
            v = a->scope[k];
            stride = size;
        }
        at += (size_t)zb_max_int(x, 0) * size;
        size *= (size_t)p->model->card[a->scope[k]];
    }
    if (open != 1) {
        zb_sum_add(&c->log, open == 0 ? a->value[at] : table_most(c, t));
        return;
    }
    for (int x = 0; x < p->model->card[v]; x++) {
        uint32_t literal = zb_clauses_literal(p->clauses, v, x);
        if (p->sat->value[literal] != 0)
            continue;
        c->mass[literal] += a->value[at + (size_t)x * stride];
        if (c->mass[literal] > -INFINITY)
            c->units += fabs(c->mass[literal]);
    }
}

/* e^x, x <= 0; what is far below 1 counts as LEAST. */
static double exp_below(zb_ceiling *c, double x)
{
    if (x == -INFINITY)
        return 0;
    if (x < FAR)
        return LEAST;
    c->units += 2 * ZB_EXP_ULP + fabs(x);
    return zb_exp(x);
}

/* Logarithms become numbers, the larger of which is 1. */
static void scale(zb_ceiling *c, int b)
{
    double *m = &c->mass[2 * b], most = fmax(m[0], m[1]);
    if (most == 0 && m[0] == m[1]) {
        m[0] = m[1] = 1;
        return;
    }
    zb_sum_add(&c->log, most);
    for (int i = 0; i < 2; i++)
        m[i] = most > -INFINITY ? exp_below(c, m[i] - most) : 0;
}

static void take_weights(zb_ceiling *c, const zb_part *part)
{
    for (int i = 0; i < part->n[ZB_BOOLS]; i++) {
        int b = bool_of(c, part, i);
        c->mass[2 * b] = c->mass[2 * b + 1] = 0;
    }
    for (int i = 0; i < part->n[ZB_TABLES]; i++)
        take_table(c, c->parts->pool[part->at[ZB_TABLES] + (size_t)i]);
    for (int i = 0; i < part->n[ZB_BOOLS]; i++)
        if (zb_parts_is_open(c->parts, bool_of(c, part, i)))
            scale(c, bool_of(c, part, i));
}

/* ---- the sum --------------------------------------------------------------------- */

/* The clauses of a tree, each after the one that it hangs from. */
static void walk(zb_ceiling *c, int root)
{
    const zb_forest *f = &c->forest;
    int n = 0;
    c->queue[n++] = root;
    c->seen[root] = c->stamp;
    for (int i = 0; i < n; i++)
        for (int at = f->head[c->queue[i]]; at >= 0; at = f->next[at]) {
            int clause = f->of[at];
            int other = f->at[clause] == at ? at + 1 : f->at[clause];
            if (c->seen[f->lit[other] >> 1] == c->stamp) /* it is what led here */
                continue;
            c->up[clause] = at;
            c->step[c->nstep++] = clause;
            for (int k = f->at[clause]; k < f->at[clause + 1]; k++)
                if (k != at) {
                    c->seen[f->lit[k] >> 1] = c->stamp;
                    c->queue[n++] = (int)(f->lit[k] >> 1);
                }
        }
}

/* Scale two numbers so that the larger one is in [1/2, 1); the power goes to the sum.
 */
static void rescale(zb_ceiling *c, double *m)
{
    int power;
    double most = fmax(m[0], m[1]);
    if (most == 0)
        return;
    frexp(most, &power);
    for (int i = 0; i < 2; i++)
        if (m[i] > 0)
            m[i] = fmax(LEAST, ldexp(m[i], -power));
    c->log.exp2 += power;
}

/* What a clause and all below it sum to, where the literal that it hangs from is true
   and where it is false. Of the others: any; some true; none; just one, that may be.
   All of these are sums of products, which cancel nothing. */
static void pass_up(zb_ceiling *c, int clause)
{
    const zb_forest *f = &c->forest;
    int up = c->up[clause];
    uint32_t own = f->lit[up];
    zb_tie tie = f->tie[clause];
    double any = 1, some = 0, none = 1, one = 0, yes, no;
    for (int k = f->at[clause]; k < f->at[clause + 1]; k++) {
        if (k == up)
            continue;
        yes = c->mass[f->lit[k]];
        no = c->mass[f->lit[k] ^ 1];
        if (tie == ZB_TIE_SOME) {
            some = times(yes, any) + times(no, some);
            any = times(any, yes + no);
        } else {
            one = times(one, no) + (f->may[k] ? times(none, yes) : 0);
            none = times(none, no);
        }
    }
    yes = tie == ZB_TIE_SOME ? any : f->may[up] ? none : 0;
    no = tie == ZB_TIE_SOME ? some : tie == ZB_TIE_ONE ? one : none + one;
    c->units += 5.0 * (f->at[clause + 1] - f->at[clause]);
    c->mass[own] = times(c->mass[own], yes);
    c->mass[own ^ 1] = times(c->mass[own ^ 1], no);
    rescale(c, &c->mass[own & ~1u]);
}

zb_ball zb_ceiling_of(zb_ceiling *c, const zb_part *part)
{
    double product[2] = { 1, 0 };
    c->log = (zb_sum){ 0 };
    c->units = 0;
    take_weights(c, part);
    zb_forest_grow(c, part);
    c->nstep = 0;
    c->stamp++;
    for (int i = 0; i < part->n[ZB_BOOLS]; i++) {
        int b = bool_of(c, part, i), first = c->nstep;
        if (!zb_parts_is_open(c->parts, b) || c->seen[b] == c->stamp)
            continue;
        walk(c, b);
        for (int k = c->nstep - 1; k >= first; k--)
            pass_up(c, c->step[k]);
        product[0] = times(product[0], c->mass[2 * b] + c->mass[2 * b + 1]);
        c->units += 3;
        rescale(c, product);
    }
    zb_sum_add_ball(&c->log, zb_log_ball(product[0]));
    c->log.radius += ZB_MARGIN * ZB_UNIT * c->units;
    return zb_sum_value(&c->log);
}
