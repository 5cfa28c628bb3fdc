/* Try values out. With x_v fixed, arc consistency removes values elsewhere. If it
 * removes all values of a variable, x_v is impossible. If each value of v leaves one
 * value of u, another one each time, then u is tied to v and can be merged, although no
 * factor or pair of factors shows it. Tables are not touched. */
#include "simplify/reducer.h"

#include <string.h>

/* Table entries that may be visited in all: a fraction of a second. */
static const double MAX_VISITS = 2e7;

typedef struct probe {
    zb_reducer *r;
    bool *off;      /* per value: not possible under the assumption */
    int *left;      /* per variable: values that are */
    size_t *record; /* values that went off, and their variables */
    int *record_var;
    size_t length;
    int *implied;     /* per value x of u: what the x-th value of v left of u */
    int *hits, *last; /* per variable u: values of v that left one; the last such v */
    int *met, nmet;   /* the variables u with hits */
    zb_queue queue;   /* of factors */
    zb_hold hold;     /* of the arrays */
} probe;

static void probe_clear(probe *p)
{
    zb_queue_clear(&p->queue);
    zb_hold_free(&p->hold);
}

static zb_status probe_init(probe *p, zb_reducer *r)
{
    size_t n = (size_t)r->nvars, total = 0;

    *p = (probe){ .r = r };
    for (int v = 0; v < r->nvars; v++)
        if (r->var[v].alive)
            total = zb_max_size(total, r->value_at[v] + (size_t)r->card[v]);
    p->off = zb_hold_calloc(&p->hold, total, sizeof *p->off);
    p->record = zb_hold_alloc(&p->hold, total, sizeof *p->record);
    p->record_var = zb_hold_alloc(&p->hold, total, sizeof *p->record_var);
    p->implied = zb_hold_alloc(&p->hold, total, sizeof *p->implied);
    p->left = zb_hold_alloc(&p->hold, n, sizeof *p->left);
    p->hits = zb_hold_alloc(&p->hold, n, sizeof *p->hits);
    p->last = zb_hold_alloc(&p->hold, n, sizeof *p->last);
    p->met = zb_hold_alloc(&p->hold, n, sizeof *p->met);
    zb_status status = zb_queue_init(&p->queue, r->nfactors);
    if (status != ZB_OK || p->hold.failed)
        return ZB_ENOMEM;
    for (int v = 0; v < r->nvars; v++) {
        p->left[v] = r->card[v];
        p->last[v] = -1;
    }
    return ZB_OK;
}

static void queue_factors(probe *p, int v)
{
    const zb_rvar *a = &p->r->var[v];
    p->r->probe_visits += a->count;
    zb_tick(&p->r->tick, 10.0 * a->count);
    for (int i = 0; i < a->count; i++) /* those that have left do no harm */
        if (p->r->state[a->list[i]].alive && p->r->state[a->list[i]].zeros)
            zb_queue_push(&p->queue, a->list[i]);
}

static void switch_off(probe *p, int v, int x)
{
    size_t value = p->r->value_at[v] + (size_t)x;
    p->off[value] = true;
    p->left[v]--;
    p->record[p->length] = value;
    p->record_var[p->length++] = v;
}

/* Support of f's values among the entries that are possible; false when there are none.
 */
static bool revise(probe *p, const zb_factor *f)
{
    zb_walk w;
    bool *off[ZB_MAX_AXES], *seen[ZB_MAX_AXES], *next = p->r->supported;

    zb_walk_begin(&w, f->arity, f->scope, p->r->card, f);
    for (int i = 0; i < f->arity; i++) {
        off[i] = p->off + p->r->value_at[f->scope[i]];
        seen[i] = next;
        next += w.card[i];
    }
    memset(p->r->supported, 0, (size_t)(next - p->r->supported) * sizeof *next);
    p->r->probe_visits += (double)f->size;
    zb_tick(&p->r->tick, 50 + (3.0 + f->arity) * (double)f->size);
    for (size_t e = 0; e < f->size; e++, zb_walk_next(&w)) {
        bool possible = f->value[e] > -INFINITY;
        for (int i = 0; i < f->arity && possible; i++)
            possible = !off[i][w.x[i]];
        for (int i = 0; i < f->arity && possible; i++)
            seen[i][w.x[i]] = true;
    }
    for (int i = 0; i < f->arity; i++) {
        int v = f->scope[i], before = p->left[v];
        for (int k = 0; k < w.card[i]; k++)
            if (!seen[i][k] && !off[i][k])
                switch_off(p, v, k);
        if (p->left[v] == 0)
            return false;
        if (p->left[v] < before)
            queue_factors(p, v);
    }
    return true;
}

static bool assume(probe *p, int v, int x)
{
    bool possible = true;
    int f;

    for (int k = 0; k < p->r->card[v]; k++)
        if (k != x && !p->off[p->r->value_at[v] + (size_t)k])
            switch_off(p, v, k);
    queue_factors(p, v);
    while ((f = zb_queue_pop(&p->queue)) >= 0)
        if (possible && !p->r->tick.over)
            possible = revise(p, &p->r->factor[f]);
    return possible;
}

/* Note which variables the assumption that v has its x-th value leaves one value. */
static void note_implied(probe *p, int v, int x)
{
    for (size_t i = 0; i < p->length; i++) {
        int u = p->record_var[i], y = 0;
        bool seen = p->last[u] == v && p->hits[u] > x; /* for this x already */
        if (u == v || p->left[u] != 1 || p->r->card[u] != p->r->card[v] || seen)
            continue;
        if (x == 0) {
            p->last[u] = v;
            p->hits[u] = 0;
            p->met[p->nmet++] = u;
        }
        if (p->last[u] != v || p->hits[u] != x)
            continue;
        while (p->off[p->r->value_at[u] + (size_t)y])
            y++;
        p->implied[p->r->value_at[u] + (size_t)x] = y;
        p->hits[u]++;
    }
}

static void retract(probe *p)
{
    while (p->length > 0) {
        p->length--;
        p->off[p->record[p->length]] = false;
        p->left[p->record_var[p->length]]++;
    }
}

static bool is_permutation(int n, const int *pi, int *scratch)
{
    for (int x = 0; x < n; x++)
        scratch[x] = 0;
    for (int x = 0; x < n; x++)
        if (scratch[pi[x]]++ > 0)
            return false;
    return true;
}

/* All values of v; false when one is impossible, which is then marked. */
static bool try_values(probe *p, int v)
{
    zb_reducer *r = p->r;
    bool possible = true;

    p->nmet = 0;
    for (int x = 0; x < r->card[v] && possible && !r->tick.over; x++) {
        possible = assume(p, v, x);
        if (possible)
            note_implied(p, v, x);
        else {
            r->gone[r->value_at[v] + (size_t)x] = true;
            r->var[v].gone++;
            zb_queue_push(&r->vars, v);
        }
        retract(p);
    }
    return possible;
}

static bool meets_zeros(const zb_reducer *r, int v)
{
    for (int i = 0; i < r->var[v].count; i++)
        if (r->state[r->var[v].list[i]].alive && r->state[r->var[v].list[i]].zeros)
            return true;
    return false;
}

/* One round over the variables, up to the first that leads to something. *found: it
   did, and the work lists are no longer empty. */
zb_status zb_reduce_probe(zb_reducer *r, bool *found)
{
    probe p;
    zb_status status;

    *found = false;
    TRY(probe_init(&p, r));
    r->probe_visits += r->nvars;
    zb_tick(&r->tick, 40.0 * r->nvars);
    for (int k = 0; k < r->nvars && r->probe_visits < MAX_VISITS && !*found; k++) {
        int v = r->next_probe;
        if (!zb_tick(&r->tick, 20))
            break;
        r->next_probe = v + 1 < r->nvars ? v + 1 : 0;
        if (!r->var[v].alive || !meets_zeros(r, v))
            continue;
        *found = !try_values(&p, v);
        for (int i = 0; i < p.nmet && !r->zero; i++) {
            int u = p.met[i], n = r->card[v], *pi = p.implied + r->value_at[u];
            if (r->var[v].gone > 0 || p.hits[u] != n ||
                !is_permutation(n, pi, r->index))
                continue;
            TRY(zb_reduce_substitute(r, u, v, pi));
            *found = true;
        }
    }
done:
    probe_clear(&p);
    return status;
}
