/* Randomised greedy elimination on bit sets. */
#include "order_local.h"

#include <string.h>

typedef enum rule { BY_FILL, BY_WEIGHT, BY_WFILL, RULES } rule;

zb_status zb_local_init(zb_local *a)
{
    a->edge = zb_alloc(ZB_LOCAL_MAX, sizeof *a->edge);
    a->now = zb_alloc(ZB_LOCAL_MAX, sizeof *a->now);
    a->clique = zb_alloc(ZB_LOCAL_MAX, sizeof *a->clique);
    a->card = zb_alloc(4 * ZB_LOCAL_MAX, sizeof *a->card);
    a->sequence = zb_alloc(ZB_LOCAL_MAX, sizeof *a->sequence);
    if (a->edge == NULL || a->now == NULL || a->clique == NULL || a->card == NULL ||
        a->sequence == NULL)
        return ZB_ENOMEM;
    a->key = a->card + ZB_LOCAL_MAX;
    a->noise = a->key + ZB_LOCAL_MAX;
    a->cost = a->noise + ZB_LOCAL_MAX;
    return ZB_OK;
}

void zb_local_free(zb_local *a)
{
    zb_free(a->edge);
    zb_free(a->now);
    zb_free(a->clique);
    zb_free(a->card);
    zb_free(a->sequence);
}

void zb_local_clear(zb_local *a, int r, int m)
{
    a->r = r;
    a->m = m;
    a->words = (m + 63) / 64;
    memset(a->edge, 0, (size_t)m * sizeof *a->edge);
}

static void set(zb_bits *b, int i) { b->w[i / 64] |= (uint64_t)1 << (i % 64); }
static void unset(zb_bits *b, int i) { b->w[i / 64] &= ~((uint64_t)1 << (i % 64)); }

void zb_local_join(zb_local *a, int u, int v)
{
    if (u == v)
        return;
    set(&a->edge[u], v);
    set(&a->edge[v], u);
}

/* for each member u of b */
#define EACH(u, b)                                                                     \
    for (int k_ = 0; k_ < a->words; k_++)                                              \
        for (uint64_t x_ = (b)->w[k_]; x_ != 0; x_ &= x_ - 1)                          \
            for (int u = 64 * k_ + __builtin_ctzll(x_), once_ = 1; once_; once_ = 0)

static int missing(const zb_local *a, const zb_bits *n, const zb_bits *row)
{
    int count = 0;
    for (int k = 0; k < a->words; k++)
        count += __builtin_popcountll(n->w[k] & ~row->w[k]);
    return count;
}

/* Missing edges among v's neighbours (each counted from both ends). */
static double fill_of(zb_local *a, int v)
{
    const zb_bits *n = &a->now[v];
    int count = 0, degree = 0;
    EACH(u, n)
    {
        count += missing(a, n, &a->now[u]) - 1;
        degree++;
    }
    a->work += degree * a->words;
    return count;
}

static double wfill_of(zb_local *a, int v)
{
    const zb_bits *n = &a->now[v];
    double sum = 0;
    EACH(u, n)
    {
        for (int k = 0; k < a->words; k++)
            for (uint64_t x = n->w[k] & ~a->now[u].w[k]; x != 0; x &= x - 1) {
                int t = 64 * k + __builtin_ctzll(x);
                sum += t == u ? 0 : a->card[u] * a->card[t];
            }
        a->work += 2 * a->words;
    }
    return sum;
}

static double weight_of(zb_local *a, int v)
{
    double product = a->card[v];
    EACH(u, &a->now[v]) product *= a->card[u];
    a->work += a->words;
    return product;
}

/* Simplicial vertices first, whatever the rule. */
static void key_set(zb_local *a, rule by, int v)
{
    double fill = by == BY_WFILL ? wfill_of(a, v) : fill_of(a, v);
    if (fill > 0 && by == BY_WEIGHT)
        fill = weight_of(a, v);
    a->key[v] = fill > 0 ? fill * a->noise[v] : -1;
}

/* Join v's neighbours and take v out; *changed: those that gained neighbours. */
static void eliminate(zb_local *a, int v, zb_bits *changed)
{
    const zb_bits n = a->now[v];
    memset(changed, 0, sizeof *changed);
    EACH(u, &n)
    {
        zb_bits *row = &a->now[u];
        uint64_t fresh = 0;
        for (int k = 0; k < a->words; k++) {
            fresh |= n.w[k] & ~row->w[k] & ~(k == u / 64 ? (uint64_t)1 << u % 64 : 0);
            row->w[k] |= n.w[k];
        }
        unset(row, u);
        unset(row, v);
        if (fresh != 0)
            set(changed, u);
        a->work += a->words;
    }
}

/* Keys change for v's old neighbours and for common neighbours of new edges. */
static void keys_update(zb_local *a, rule by, const zb_bits *n, const zb_bits *changed,
                        const int *left, int count)
{
    for (int i = 0; i < count; i++) {
        int u = left[i], shared = 0;
        if (!(n->w[u / 64] >> (u % 64) & 1)) {
            for (int k = 0; k < a->words; k++)
                shared += __builtin_popcountll(a->now[u].w[k] & changed->w[k]);
            a->work += a->words;
            if (shared < 2)
                continue;
        }
        key_set(a, by, u);
    }
}

static void start(zb_local *a, rule by, zb_rng *rng, int *left)
{
    static const double level[] = { 1e-6, 1e-6, 0.1, 0.3 };
    double noise = level[zb_rng_below(rng, 4)];
    memcpy(a->now, a->edge, (size_t)a->m * sizeof *a->now);
    for (int v = 0; v < a->r; v++) {
        a->noise[v] = 1 + noise * zb_rng_uniform(rng);
        key_set(a, by, v);
        left[v] = v;
    }
}

double zb_local_run(zb_local *a, zb_rng *rng, double limit)
{
    int left[ZB_LOCAL_MAX], count = a->r;
    rule by = (rule)zb_rng_below(rng, RULES);
    double total = 0;

    start(a, by, rng, left);
    for (int done = 0; done < a->r; done++) {
        int best = 0;
        zb_bits changed;
        for (int i = 1; i < count; i++)
            if (a->key[left[i]] < a->key[left[best]])
                best = i;
        a->work += count / 4.0;
        int v = left[best];
        left[best] = left[--count];
        a->sequence[done] = v;
        a->clique[v] = a->now[v];
        a->cost[v] = weight_of(a, v);
        total += a->cost[v];
        if (total > limit)
            return INFINITY;
        eliminate(a, v, &changed);
        keys_update(a, by, &a->clique[v], &changed, left, count);
    }
    return total;
}
