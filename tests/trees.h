/* Random models whose factor graph has no cycle, small enough for enumeration. */
#ifndef ZB_TEST_TREES_H
#define ZB_TEST_TREES_H

#include "oracle.h"
#include "base/rng.h"

#include <math.h>

/* Factors of up to 4 variables hung on one earlier variable each, unary factors, some
   variables alone, some observed; zeros: chance of a zero entry. NULL: out of memory.
 */
static inline zb_model *random_hypertree(uint64_t seed, double zeros)
{
    zb_rng rng = zb_rng_seed(seed ^ 0x7265657472656574u);
    int card[12], n = 1 + zb_rng_below(&rng, 9);
    double states = 1, value[256];
    zb_model *model;

    for (int v = 0; v < n; v++) {
        card[v] = 1 + zb_rng_below(&rng, 4);
        card[v] = states * card[v] > 20000 ? 1 : card[v];
        states *= card[v];
    }
    if (zb_model_new(&model, n, card) != ZB_OK)
        return NULL;
    for (int v = 0; v < n;) {
        int scope[4], arity = 0, size = 1, fresh = 1 + zb_rng_below(&rng, 3);
        if (v > 0 && zb_rng_below(&rng, 8) > 0)
            scope[arity++] = zb_rng_below(&rng, v);
        for (; fresh > 0 && v < n; fresh--)
            scope[arity++] = v++;
        zb_rng_shuffle(&rng, arity, scope);
        for (int i = 0; i < arity; i++)
            size *= card[scope[i]];
        for (int i = 0; i < size; i++)
            value[i] =
                zb_rng_uniform(&rng) < zeros ? 0 : exp(6 * zb_rng_uniform(&rng) - 3);
        zb_model_add(model, arity, scope, value);
        if (zb_rng_below(&rng, 2) == 0) /* a unary factor, or the scope again */
            zb_model_add(model, 1, scope, value);
        else if (zb_rng_below(&rng, 3) == 0)
            zb_model_add(model, arity, scope, value);
    }
    if (zb_rng_below(&rng, 3) == 0) {
        int v = zb_rng_below(&rng, n);
        zb_model_observe(model, v, zb_rng_below(&rng, card[v]));
    }
    return model;
}

#endif
