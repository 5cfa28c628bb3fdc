/* Models that fall apart. */
#ifndef ZB_TEST_GRIDS_H
#define ZB_TEST_GRIDS_H

#include "model/model.h"
#include "test.h"

enum { GRIDS_MOST = 512 }; /* variables */

/* Grids side by side, each of its own strength. */
static inline zb_model *grids(int count, int side, uint64_t seed)
{
    int card[GRIDS_MOST] = { 0 }, each = side * side;
    zb_model *all;
    for (int v = 0; v < count * each; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&all, count * each, card), ZB_OK);
    for (int i = 0; i < count; i++) {
        zb_ising_spec spec = { .rows = side,
                               .cols = side,
                               .coupling = 0.5 + 0.3 * i,
                               .field = 0.5,
                               .seed = seed + (uint64_t)i };
        zb_model *one;
        assert_int_equal(zb_generate_ising(&one, &spec), ZB_OK);
        for (int f = 0; f < one->nfactors; f++) {
            int scope[2] = { 0 };
            for (int k = 0; k < one->factor[f].arity; k++)
                scope[k] = i * each + one->factor[f].scope[k];
            assert_int_equal(
                zb_model_put(all, one->factor[f].arity, scope, &one->factor[f]), ZB_OK);
        }
        zb_model_free(one);
    }
    return all;
}

#endif
