/* Variables that may be exchanged, as one that says how many of them have each value:
 * every way to have them so has the same sum over all else. Tables take the values of
 * the first such way, where those of the first variables are least. */
#include "base/sum.h"
#include "model/table.h"
#include "symmetry/exchange.h"

#include <stdlib.h>
#include <string.h>

/* States of that variable, entries of all its tables, and these for one that was. */
enum { MOST_STATES = 4096, MOST_ENTRIES = 1 << 20, MOST_TIMES = 4 };

typedef struct item { /* a factor with some of them, and its other variables, ascending
                       */
    int factor, arity;
    int *scope;
} item;

typedef struct counter {
    const zb_model *model;
    const zb_rows *rows;
    int k, q; /* variables, values of each */
    int states;
    uint16_t *value; /* state s, variable i: value[s * k + i] */
    int *row;        /* per variable of the model: which one it is, or -1 */
    item *item;      /* sorted by their other variables */
    int count;
    int *scopes; /* of all of them */
    zb_model *out;
    zb_ticker tick;
} counter;

/* ---- states ---------------------------------------------------------------------- */

/* Ways to write k as a sum of q numbers, in order: k + q - 1 over q - 1; 0: too many.
 */
static int count_states(int k, int q)
{
    double ways = 1;
    for (int i = 1; i < q && ways <= MOST_STATES; i++)
        ways = ways * (k + i) / i;
    return ways <= MOST_STATES ? (int)(ways + 0.5) : 0;
}

/* Values that ascend: the next such sequence; false after the last one. */
static bool next_values(const counter *c, uint16_t *value)
{
    int i = c->k - 1;
    while (i >= 0 && value[i] == c->q - 1)
        i--;
    if (i < 0)
        return false;
    uint16_t more = (uint16_t)(value[i] + 1);
    for (; i < c->k; i++)
        value[i] = more;
    return true;
}

static zb_status list_states(counter *c)
{
    size_t k = (size_t)c->k;
    c->value = zb_calloc((size_t)c->states * k, sizeof *c->value);
    if (c->value == NULL)
        return ZB_ENOMEM;
    for (int s = 1; s < c->states; s++) {
        uint16_t *now = c->value + (size_t)s * k;
        memcpy(now, now - k, k * sizeof *now);
        (void)next_values(c, now);
    }
    return ZB_OK;
}

/* ln of k! / (m_1! m_2! ..): the product of j / (how many up to the j-th are equal to
   it). */
static zb_ball ways_of(const counter *c, int state)
{
    const uint16_t *value = c->value + (size_t)state * (size_t)c->k;
    zb_sum sum = { 0 };
    for (int j = 0, equal = 0; j < c->k; j++) {
        equal = j > 0 && value[j] == value[j - 1] ? equal + 1 : 1;
        zb_ball down = zb_log_ball(equal);
        zb_sum_add_ball(&sum, zb_log_ball(j + 1));
        zb_sum_add_ball(&sum, (zb_ball){ -down.mid, down.radius });
    }
    return zb_sum_value(&sum);
}

static zb_status put_ways(counter *c)
{
    double *value = zb_alloc((size_t)c->states, sizeof *value), radius = 0;
    if (value == NULL)
        return ZB_ENOMEM;
    for (int s = 0; s < c->states; s++) {
        zb_ball ways = ways_of(c, s);
        value[s] = ways.mid;
        radius = fmax(radius, ways.radius);
    }
    c->out->radius += radius;
    return zb_model_take(c->out, 1, c->rows->var, value, true);
}

/* ---- tables ---------------------------------------------------------------------- */

static int by_scope(const void *x, const void *y)
{
    const item *a = x, *b = y;
    if (a->arity != b->arity)
        return a->arity - b->arity;
    for (int i = 0; i < a->arity; i++)
        if (a->scope[i] != b->scope[i])
            return a->scope[i] - b->scope[i];
    return a->factor - b->factor;
}

static bool is_alike(const item *a, const item *b)
{
    return a->arity == b->arity &&
           (a->arity == 0 ||
            memcmp(a->scope, b->scope, (size_t)a->arity * sizeof *a->scope) == 0);
}

static bool has_row(const counter *c, const zb_factor *a)
{
    for (int i = 0; i < a->arity; i++)
        if (c->row[a->scope[i]] >= 0)
            return true;
    return false;
}

/* The other variables of factor f that have a choice, ascending, from `scope` on. */
static item item_of(const counter *c, int f, int *scope)
{
    const zb_factor *a = &c->model->factor[f];
    int n = 0;
    for (int i = 0; i < a->arity; i++) {
        int v = a->scope[i], at = n;
        if (c->row[v] >= 0 || c->model->card[v] < 2)
            continue;
        for (n++; at > 0 && scope[at - 1] > v; at--)
            scope[at] = scope[at - 1];
        scope[at] = v;
    }
    return (item){ f, n, scope };
}

static zb_status list_items(counter *c)
{
    const zb_model *m = c->model;
    size_t axes = 0;
    for (int f = 0; f < m->nfactors; f++)
        axes += (size_t)m->factor[f].arity;
    c->scopes = zb_alloc(axes, sizeof *c->scopes);
    c->item = zb_alloc((size_t)m->nfactors, sizeof *c->item);
    if (c->scopes == NULL || c->item == NULL)
        return ZB_ENOMEM;
    int *scope = c->scopes;
    for (int f = 0; f < m->nfactors; f++) {
        if (!has_row(c, &m->factor[f]))
            continue;
        item one = item_of(c, f, scope);
        c->item[c->count++] = one;
        scope += one.arity;
    }
    qsort(c->item, (size_t)c->count, sizeof *c->item, by_scope);
    return ZB_OK;
}

/* The first item after those of the same other variables. */
static int end_of(const counter *c, int first)
{
    int end = first + 1;
    while (end < c->count && is_alike(&c->item[first], &c->item[end]))
        end++;
    return end;
}

/* Entries of a table over other variables; more than there may be: MOST_ENTRIES + 1. */
static size_t entries_of(const counter *c, const item *one)
{
    size_t size = (size_t)c->states;
    for (int i = 0; i < one->arity && size <= MOST_ENTRIES; i++)
        size *= (size_t)c->model->card[one->scope[i]];
    return zb_min_size(size, MOST_ENTRIES + 1);
}

/* Do all tables together stay about as large as they are? */
static bool is_small(const counter *c)
{
    const size_t little = 1 << 14;
    size_t before = 0, after = 0;
    for (int i = 0; i < c->count; i++)
        before += c->model->factor[c->item[i].factor].size;
    for (int i = 0; i < c->count && after <= MOST_ENTRIES; i = end_of(c, i))
        after += entries_of(c, &c->item[i]);
    return after <= MOST_ENTRIES && after <= MOST_TIMES * before + little;
}

/* sum[s, o] += ln f where the variables are as state s has them, the others at o. */
static void add_factor(const counter *c, const item *one, zb_sum *sum)
{
    const zb_factor *f = &c->model->factor[one->factor];
    const int *card = c->model->card;
    zb_walk w;
    zb_walk_begin(&w, one->arity, one->scope, card, f);
    for (int s = 0; s < c->states; s++) {
        const uint16_t *value = c->value + (size_t)s * (size_t)c->k;
        size_t stride = 1, start = 0;
        for (int i = f->arity - 1; i >= 0; i--) {
            int row = c->row[f->scope[i]];
            start += row >= 0 ? stride * value[row] : 0;
            stride *= (size_t)card[f->scope[i]];
        }
        w.at = start;
        do {
            double x = f->value[w.at];
            zb_sum_add_ball(sum++, f->log ? (zb_ball){ x, 0 } : zb_log_ball(x));
        } while (zb_walk_next(&w) >= 0);
    }
}

/* All items of the same other variables, as one table. */
static zb_status put_table(counter *c, int first, int end)
{
    const item *one = &c->item[first];
    size_t size = entries_of(c, one);
    int *scope = zb_alloc((size_t)one->arity + 1, sizeof *scope);
    zb_sum *sum = zb_calloc(size, sizeof *sum);
    double *value = zb_alloc(size, sizeof *value), radius = 0;
    zb_status status = scope && sum && value ? ZB_OK : ZB_ENOMEM;
    TRY(status);
    for (int i = first; i < end; i++) {
        TRY(zb_tick(&c->tick, 20.0 * (double)size) ? ZB_OK : ZB_ELIMIT);
        add_factor(c, &c->item[i], sum);
    }
    for (size_t i = 0; i < size; i++) {
        zb_ball x = zb_sum_value(&sum[i]);
        value[i] = x.mid;
        radius = fmax(radius, x.radius);
    }
    c->out->radius += radius;
    scope[0] = c->rows->var[0];
    for (int i = 0; i < one->arity; i++)
        scope[i + 1] = one->scope[i];
    status = zb_model_take(c->out, one->arity + 1, scope, value, true);
    value = NULL; /* taken, or freed */
done:
    zb_free(scope);
    zb_free(sum);
    zb_free(value);
    return status;
}

/* ---- the model ------------------------------------------------------------------- */

static zb_status make_model(counter *c)
{
    const zb_model *m = c->model;
    int *card = zb_alloc((size_t)m->nvars, sizeof *card);
    zb_status status = card != NULL ? ZB_OK : ZB_ENOMEM;
    TRY(status);
    for (int v = 0; v < m->nvars; v++)
        card[v] = c->row[v] > 0 ? 1 : c->row[v] == 0 ? c->states : m->card[v];
    TRY(zb_model_new(&c->out, m->nvars, card));
    c->out->log_scale = m->log_scale;
    c->out->radius = m->radius;
    for (int f = 0; f < m->nfactors; f++) {
        const zb_factor *a = &m->factor[f];
        if (!has_row(c, a))
            TRY(zb_model_put(c->out, a->arity, a->scope, a));
    }
    for (int i = 0, end; i < c->count; i = end) {
        end = end_of(c, i);
        TRY(put_table(c, i, end));
    }
    TRY(put_ways(c));
done:
    zb_free(card);
    return status;
}

static zb_status run(counter *c)
{
    const zb_model *m = c->model;
    zb_status status;
    c->row = zb_alloc((size_t)m->nvars, sizeof *c->row);
    TRY(c->row != NULL ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < m->nvars; v++)
        c->row[v] = -1;
    for (int i = 0; i < c->k; i++)
        c->row[zb_rows_at(c->rows, i, 0)] = i;
    TRY(list_items(c));
    if (!is_small(c))
        goto done;
    TRY(list_states(c));
    TRY(make_model(c));
done:
    return status;
}

zb_status zb_exchange_counted(zb_model **out, const zb_model *model,
                              const zb_rows *rows, zb_run *run_of)
{
    counter c = { .model = model,
                  .rows = rows,
                  .k = rows->count,
                  .q = model->card[rows->var[0]],
                  .tick = { .run = run_of } };
    zb_status status = ZB_OK;
    *out = NULL;
    c.states = count_states(c.k, c.q);
    if (c.states > 0)
        status = run(&c);
    if (status == ZB_OK)
        *out = c.out, c.out = NULL;
    zb_model_free(c.out);
    zb_free(c.value);
    zb_free(c.row);
    zb_free(c.item);
    zb_free(c.scopes);
    return status;
}
