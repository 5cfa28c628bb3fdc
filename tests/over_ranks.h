/* Models that fall apart, and calls over ranks. */
#ifndef ZB_TEST_OVER_RANKS_H
#define ZB_TEST_OVER_RANKS_H

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

static inline zb_result solve_over(const zb_model *model, zb_options opt,
                                   zb_ranks *ranks)
{
    zb_result r;
    zb_error err = { 0 };
    opt.ranks = ranks;
    zb_status status = zb_solve(model, &opt, NULL, &r, &err);
    CHECK(status == ZB_OK, "%s", err.text);
    return r;
}

#endif
