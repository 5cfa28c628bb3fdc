/* Randomised greedy elimination on bit sets. The number of words is a constant in each
   instance of run_words, and AVX2 machines get one with population counts. */
#include "order/order_local.h"

#include <string.h>

typedef enum rule { BY_FILL, BY_WEIGHT, BY_WFILL } rule;

zb_status zb_local_init(zb_local *a)
{
    a->edge = zb_alloc(ZB_LOCAL_MAX, sizeof *a->edge);
    a->now = zb_alloc(ZB_LOCAL_MAX, sizeof *a->now);
    a->clique = zb_alloc(ZB_LOCAL_MAX, sizeof *a->clique);
    a->card = zb_alloc(4 * ZB_LOCAL_MAX, sizeof *a->card);
    a->sequence = zb_alloc(2 * ZB_LOCAL_MAX, sizeof *a->sequence);
    if (a->edge == NULL || a->now == NULL || a->clique == NULL || a->card == NULL ||
        a->sequence == NULL)
        return ZB_ENOMEM;
    a->left = a->sequence + ZB_LOCAL_MAX;
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
    memset(a->edge, 0, (size_t)m * sizeof *a->edge);
}

#define INLINE static inline __attribute__((always_inline))

INLINE void set(zb_bits *b, int i) { b->w[i / 64] |= (uint64_t)1 << (i % 64); }
INLINE void unset(zb_bits *b, int i) { b->w[i / 64] &= ~((uint64_t)1 << (i % 64)); }
INLINE bool has(const zb_bits *b, int i) { return b->w[i / 64] >> (i % 64) & 1; }

void zb_local_join(zb_local *a, int u, int v)
{
    if (u == v)
        return;
    set(&a->edge[u], v);
    set(&a->edge[v], u);
}

/* for each member u of b, in a set of W words */
#define EACH(u, b)                                                                     \
    for (int k_ = 0; k_ < W; k_++)                                                     \
        for (uint64_t x_ = (b)->w[k_]; x_ != 0; x_ &= x_ - 1)                          \
            for (int u = 64 * k_ + __builtin_ctzll(x_), once_ = 1; once_; once_ = 0)

/* Missing edges among v's neighbours, each counted from both ends. */
INLINE double fill_of(zb_local *a, int v, int W)
{
    const zb_bits *n = &a->now[v];
    int count = 0, degree = 0;
    EACH(u, n)
    {
        for (int k = 0; k < W; k++)
            count += __builtin_popcountll(n->w[k] & ~a->now[u].w[k]);
        degree++;
    }
    a->work += degree * W;
    return count - degree; /* no vertex is its own neighbour */
}

INLINE double wfill_of(zb_local *a, int v, int W)
{
    const zb_bits *n = &a->now[v];
    double sum = 0;
    EACH(u, n)
    {
        double others = -a->card[u];
        for (int k = 0; k < W; k++)
            for (uint64_t x = n->w[k] & ~a->now[u].w[k]; x != 0; x &= x - 1)
                others += a->card[64 * k + __builtin_ctzll(x)];
        sum += a->card[u] * others;
        a->work += 2 * W;
    }
    return sum;
}

INLINE double weight_of(zb_local *a, int v, int W)
{
    double product = a->card[v];
    EACH(u, &a->now[v]) product *= a->card[u];
    a->work += W;
    return product;
}

/* Are v's neighbours a clique? */
INLINE bool simplicial(zb_local *a, int v, int W)
{
    const zb_bits *n = &a->now[v];
    EACH(u, n)
    {
        uint64_t gap = 0;
        for (int k = 0; k < W; k++)
            gap |= n->w[k] & ~a->now[u].w[k] &
                   ~(k == u / 64 ? (uint64_t)1 << (u % 64) : 0);
        a->work += W;
        if (gap != 0)
            return false;
    }
    return true;
}

/* Simplicial vertices first, whatever the rule. */
INLINE void key_set(zb_local *a, rule by, int v, int W)
{
    double key;
    if (by == BY_WEIGHT)
        key = simplicial(a, v, W) ? 0 : weight_of(a, v, W);
    else
        key = by == BY_FILL ? fill_of(a, v, W) : wfill_of(a, v, W);
    a->key[v] = key > 0 ? key * a->noise[v] : -1;
}

/* Join v's neighbours and take v out; *changed: those that gained neighbours. */
INLINE void eliminate(zb_local *a, int v, zb_bits *changed, int W)
{
    const zb_bits *n = &a->clique[v];
    for (int k = 0; k < W; k++)
        changed->w[k] = 0;
    EACH(u, n)
    {
        zb_bits *row = &a->now[u];
        uint64_t gap = 0;
        for (int k = 0; k < W; k++) {
            gap |= n->w[k] & ~row->w[k] & ~(k == u / 64 ? (uint64_t)1 << (u % 64) : 0);
            row->w[k] |= n->w[k];
        }
        unset(row, u);
        unset(row, v);
        if (gap != 0)
            set(changed, u);
        a->work += W;
    }
}

/* Keys change for v's old neighbours and for common neighbours of new edges. */
INLINE void keys_update(zb_local *a, rule by, const zb_bits *n, const zb_bits *changed,
                        int W)
{
    for (int i = 0; i < a->nleft; i++) {
        int u = a->left[i];
        if (!has(n, u)) {
            int shared = 0;
            for (int k = 0; k < W; k++)
                shared += __builtin_popcountll(a->now[u].w[k] & changed->w[k]);
            if (shared < 2)
                continue;
        }
        key_set(a, by, u, W);
    }
    a->work += a->nleft * W;
}

INLINE void start(zb_local *a, rule by, double noise, zb_rng *rng, int W)
{
    for (int v = 0; v < a->m; v++)
        for (int k = 0; k < W; k++)
            a->now[v].w[k] = a->edge[v].w[k];
    for (int v = 0; v < a->r; v++) {
        a->noise[v] = 1 + noise * zb_rng_uniform(rng);
        key_set(a, by, v, W);
        a->left[v] = v;
    }
    a->nleft = a->r;
    a->work += a->m * W;
}

INLINE double run_words(zb_local *a, rule by, double noise, zb_rng *rng, double limit,
                        int W)
{
    int *left = a->left;
    double total = 0;

    start(a, by, noise, rng, W);
    for (int done = 0; done < a->r; done++) {
        int best = 0;
        zb_bits changed;
        for (int i = 1; i < a->nleft; i++)
            if (a->key[left[i]] < a->key[left[best]])
                best = i;
        int v = left[best];
        left[best] = left[--a->nleft];
        a->sequence[done] = v;
        a->clique[v] = a->now[v];
        a->cost[v] = weight_of(a, v, W);
        total += a->cost[v];
        if (total > limit)
            return INFINITY;
        eliminate(a, v, &changed, W);
        keys_update(a, by, &a->clique[v], &changed, W);
    }
    return total;
}

ZB_CLONES static double run_any(zb_local *a, rule by, double noise, zb_rng *rng,
                                double limit)
{
    if (a->m <= 64)
        return run_words(a, by, noise, rng, limit, 1);
    if (a->m <= 128)
        return run_words(a, by, noise, rng, limit, 2);
    if (a->m <= 256)
        return run_words(a, by, noise, rng, limit, 4);
    return run_words(a, by, noise, rng, limit, ZB_LOCAL_WORDS);
}

double zb_local_run(zb_local *a, zb_rng *rng, double limit)
{
    static const double noise[] = { 1e-6, 1e-6, 0.1, 0.3 };
    static const rule rules[] = { BY_FILL, BY_WEIGHT, BY_WFILL, BY_WFILL };
    rule by = rules[zb_rng_below(rng, 4)];
    double level = noise[zb_rng_below(rng, 4)];
    return run_any(a, by, level, rng, limit);
}
