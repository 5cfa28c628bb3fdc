/* Tables under the values that are set. */
#include "count/parts_internal.h"

int zb_parts_value(const zb_parts *p, int v)
{
    const zb_clauses *c = p->clauses;
    if (c->card[v] == 2) {
        int8_t set = p->sat->value[2 * c->first[v]];
        return set == 0 ? -1 : set > 0;
    }
    for (int b = c->first[v]; b < c->first[v + 1]; b++)
        if (p->sat->value[2 * b] > 0)
            return b - c->first[v];
    return -1;
}

static int model_value(const zb_parts *p, int v)
{
    const zb_clauses *c = p->clauses;
    int set = zb_parts_value(p, v);
    if (set >= 0)
        return set;
    if (c->card[v] == 2)
        return p->sat->model[c->first[v]];
    int x = 0;
    for (int b = c->first[v]; b < c->first[v + 1]; b++)
        if (zb_parts_is_open(p, b) && p->sat->model[b])
            x = b - c->first[v];
    return x;
}

zb_ball zb_parts_model_weight(const zb_parts *p, const zb_part *part)
{
    zb_sum sum = { 0 };
    for (int i = 0; i < part->n[ZB_TABLES]; i++) {
        int t = p->pool[part->at[ZB_TABLES] + (size_t)i];
        const zb_factor *a = &p->model->factor[p->table[t]];
        size_t at = 0;
        for (int k = 0; k < a->arity; k++)
            at = at * (size_t)p->model->card[a->scope[k]] +
                 (size_t)model_value(p, a->scope[k]);
        zb_sum_add(&sum, a->value[at]);
    }
    return zb_sum_value(&sum);
}

size_t zb_parts_table_offset(const zb_parts *p, int t, int *nopen)
{
    const zb_factor *a = &p->model->factor[p->table[t]];
    size_t at = 0;
    *nopen = 0;
    for (int k = 0; k < a->arity; k++) {
        int x = zb_parts_value(p, a->scope[k]);
        *nopen += x < 0;
        at = at * (size_t)p->model->card[a->scope[k]] + (size_t)(x < 0 ? 0 : x);
    }
    return at;
}

/* The next value of v from x that it may still have, or -1. */
static int next_value(const zb_parts *p, int v, int x)
{
    for (; x < p->model->card[v]; x++)
        if (p->sat->value[zb_clauses_literal(p->clauses, v, x)] >= 0)
            return x;
    return -1;
}

/* The entries of a table that are still possible, one after the other. */
typedef struct walk {
    int n, var[ZB_MAX_AXES], x[ZB_MAX_AXES];
    size_t stride[ZB_MAX_AXES], at;
} walk;

static void walk_begin(const zb_parts *p, const zb_factor *a, walk *w)
{
    size_t size = 1;
    w->n = 0;
    w->at = 0;
    for (int k = a->arity - 1; k >= 0; k--) {
        int v = a->scope[k], set = zb_parts_value(p, v);
        if (set < 0) {
            w->var[w->n] = v;
            w->stride[w->n] = size;
            set = w->x[w->n++] = zb_max_int(0, next_value(p, v, 0));
        }
        w->at += (size_t)set * size;
        size *= (size_t)p->model->card[v];
    }
}

/* False: that was the last one. */
static bool walk_on(const zb_parts *p, walk *w)
{
    for (int k = 0; k < w->n; k++) {
        int next = next_value(p, w->var[k], w->x[k] + 1);
        w->at -= (size_t)w->x[k] * w->stride[k];
        w->x[k] = next >= 0 ? next : zb_max_int(0, next_value(p, w->var[k], 0));
        w->at += (size_t)w->x[k] * w->stride[k];
        if (next >= 0)
            return true;
    }
    return false;
}

bool zb_parts_table_constant(const zb_parts *p, int t, double *value)
{
    const zb_factor *a = &p->model->factor[p->table[t]];
    walk w;
    walk_begin(p, a, &w);
    *value = -INFINITY;
    do {
        double x = a->value[w.at];
        if (!zb_tick(p->tick, 10)) /* whatever is said, it is not used */
            return false;
        if (x > -INFINITY && *value > -INFINITY && *value != x)
            return false;
        *value = fmax(*value, x);
    } while (walk_on(p, &w));
    return true;
}

double zb_parts_table_most(const zb_parts *p, int t)
{
    const zb_factor *a = &p->model->factor[p->table[t]];
    double most = -INFINITY;
    walk w;
    walk_begin(p, a, &w);
    do
        most = fmax(most, a->value[w.at]);
    while (walk_on(p, &w));
    return most;
}
