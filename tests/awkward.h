/* Models made to be awkward whose ln Z is known all the same, by sums over a few
 * variables in long double that share no code with the library.
 *
 *   star  leaves around a centre. With the centre first in the order, its bucket holds
 *         one table per leaf and its clique is all there is, of any shape wanted.
 *   hub   spins, each tied to some of a few core spins: eliminating them leaves
 *         hundreds of tables on the core.
 *   chain steps along a path, each of which may move the scale of all that follows. */
#ifndef ZB_TEST_AWKWARD_H
#define ZB_TEST_AWKWARD_H

#include "base/rng.h"
#include "oracle.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static inline long double add_logs(long double a, long double b)
{
    long double top = a > b ? a : b, low = a > b ? b : a;
    return low == -INFINITY ? top : top + log1pl(expl(low - top));
}

static inline zb_model *model_of(int n, const int *card)
{
    zb_model *model;
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    return model;
}

static inline zb_model *spins(int n)
{
    int *card = malloc(((size_t)n + 1) * sizeof *card);
    for (int v = 0; v < n; v++)
        card[v] = 2;
    zb_model *model = model_of(n, card);
    free(card);
    return model;
}

static inline void add_logs_to(zb_model *model, int arity, const int *scope,
                               const double *value)
{
    assert_int_equal(zb_model_add_log(model, arity, scope, value), ZB_OK);
}

/* ---- stars ----------------------------------------------------------------------- */

typedef struct star_spec {
    uint64_t seed;
    int centre;      /* cardinality of variable 0 */
    int leaves;      /* at most 64 */
    const int *card; /* of the leaves; NULL: binary */
    double spread;   /* logarithms in [-spread, spread] */
    double zeros;    /* chance that an entry is zero, but for value 0 of the centre */
} star_spec;

/* Also its ln Z = ln sum_x prod_v sum_y f_v(x, y). */
static inline zb_model *star(star_spec s, double *log_z)
{
    zb_rng rng = zb_rng_seed(s.seed);
    int card[65] = { s.centre };
    long double *sum = calloc((size_t)s.centre, sizeof *sum), all = -INFINITY;
    for (int v = 1; v <= s.leaves; v++)
        card[v] = s.card != NULL ? s.card[v - 1] : 2;
    zb_model *model = model_of(s.leaves + 1, card);
    for (int v = 1; v <= s.leaves; v++) {
        double *value = malloc((size_t)(s.centre * card[v]) * sizeof *value),
               *at = value;
        for (int x = 0; x < s.centre; x++) {
            long double row = -INFINITY;
            for (int y = 0; y < card[v]; y++, at++) {
                bool zero = zb_rng_uniform(&rng) < s.zeros && x > 0;
                *at = zero ? -INFINITY : s.spread * (2 * zb_rng_uniform(&rng) - 1);
                row = add_logs(row, *at);
            }
            sum[x] += row;
        }
        add_logs_to(model, 2, (int[]){ 0, v }, value);
        free(value);
    }
    for (int x = 0; x < s.centre; x++)
        all = add_logs(all, sum[x]);
    free(sum);
    *log_z = (double)all;
    return model;
}

/* ---- hubs ------------------------------------------------------------------------ */

typedef struct hub_spec {
    uint64_t seed;
    int core;        /* spins 0 .. core - 1; at most 20 */
    int arity;       /* core spins that each of the others is tied to */
    int ties;        /* others; 0: one for each subset of `arity` core spins */
    double coupling; /* every tie is exp(+-coupling s x) */
} hub_spec;

/* The next subset in lexicographic order; false after the last. */
static inline bool next_subset(int n, int k, int *set)
{
    int i = k - 1;
    while (i >= 0 && set[i] == n - k + i)
        i--;
    if (i < 0)
        return false;
    for (set[i]++; i + 1 < k; i++)
        set[i + 1] = set[i] + 1;
    return true;
}

static inline long double core_sum(const hub_spec *s, int ties, int (*set)[8],
                                   double (*tie)[8])
{
    long double all = -INFINITY;
    for (uint32_t state = 0; state < (uint32_t)1 << s->core; state++) {
        long double term = 0;
        for (int t = 0; t < ties; t++) {
            long double field = 0; /* the spin sums to e^field + e^-field */
            for (int i = 0; i < s->arity; i++)
                field += state >> set[t][i] & 1 ? tie[t][i] : -tie[t][i];
            term += add_logs(field, -field);
        }
        all = add_logs(all, term);
    }
    return all;
}

static inline zb_model *hub(hub_spec s, double *log_z)
{
    zb_rng rng = zb_rng_seed(s.seed);
    int ties = 0, most = s.ties > 0 ? s.ties : 5000;
    int(*set)[8] = calloc((size_t)most, sizeof *set),
    now[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    double(*tie)[8] = calloc((size_t)most, sizeof *tie);
    do {
        memcpy(set[ties], now, sizeof now);
        for (int i = 0; i < s.arity; i++)
            tie[ties][i] = zb_rng_below(&rng, 2) ? s.coupling : -s.coupling;
        if (!next_subset(s.core, s.arity, now))
            for (int i = 0; s.ties > 0 && i < s.arity; i++)
                now[i] = i;
    } while (++ties < most && (s.ties > 0 || memcmp(now, set[ties - 1], sizeof now)));
    zb_model *model = spins(s.core + ties);
    for (int t = 0; t < ties; t++)
        for (int i = 0; i < s.arity; i++) {
            double j = tie[t][i];
            add_logs_to(model, 2, (int[]){ set[t][i], s.core + t },
                        (double[]){ j, -j, -j, j });
        }
    *log_z = (double)core_sum(&s, ties, set, tie);
    free(set);
    free(tie);
    return model;
}

/* ---- chains ---------------------------------------------------------------------- */

/* n variables of `card` values, a random pair table between neighbours and a singleton
   on each; the tables' largest entries never meet: the pair prefers its first entry,
   the singleton all but value 0, each by `drop` nats. */
static inline zb_model *chain(uint64_t seed, int n, int card, double drop,
                              double *log_z)
{
    zb_rng rng = zb_rng_seed(seed);
    int *cards = malloc((size_t)n * sizeof *cards);
    long double *now = calloc((size_t)card, sizeof *now),
                *next = calloc((size_t)card, sizeof *next), all = -INFINITY;
    double *pair = malloc((size_t)(card * card) * sizeof *pair),
           *one = malloc((size_t)card * sizeof *one);
    for (int v = 0; v < n; v++)
        cards[v] = card;
    zb_model *model = model_of(n, cards);
    for (int v = 0; v < n; v++) {
        for (int y = 0; y < card; y++) {
            one[y] = zb_rng_uniform(&rng) - (y == 0 ? drop : 0);
            next[y] = v == 0 ? 0 : -INFINITY;
        }
        for (int i = 0; i < card * card && v > 0; i++) {
            pair[i] = zb_rng_uniform(&rng) - (i == 0 ? 0 : drop);
            next[i % card] = add_logs(next[i % card], now[i / card] + pair[i]);
        }
        for (int y = 0; y < card; y++)
            now[y] = next[y] + one[y];
        add_logs_to(model, 1, &v, one);
        if (v > 0)
            add_logs_to(model, 2, (int[]){ v - 1, v }, pair);
    }
    for (int y = 0; y < card; y++)
        all = add_logs(all, now[y]);
    free(cards);
    free(now);
    free(next);
    free(pair);
    free(one);
    *log_z = (double)all;
    return model;
}

#endif
