/* Thresholds of the running error analysis (pass/pass_radius.c, pass/pass_table.c), on
 * both sides: what is measured, centred, looked at by another loop is the same number,
 * and its radius covers what was done to it. */
#include "oracle.h"
#include "pass/pass_state.h"
#include "params.h"
#include "test.h"

#include <stdlib.h>

/* ---- centring: a quarter of the largest magnitude -------------------------------- */

static void centres_beyond_a_quarter(void **state)
{
    static const struct {
        double least, most, middle; /* 0: left alone */
    } tables[] = {
        { -6, 12, 0 }, /* 3 is a quarter of 12 */
        { -4, 12, 4 }, /* 4 is more */
        { -12, 6, 0 }, /* the same below zero */
        { -12, 4, -4 },  { 12, 12, 12 },       { -0.4, 0.4, 0 },
        { 0.3, 0.4, 0 }, { 1e17, 3e17, 2e17 },
    };
    zb_team team = { 0 };
    zb_sweeper by = { &team, NULL, NULL };
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        double value[3] = { tables[i].least, -INFINITY, tables[i].most };
        double middle = tables[i].middle;
        zb_table x = { .value = value, .size = 3, .is_log = true, .shift = 1 };
        zb_table_center(&x, (zb_extent){ tables[i].most, tables[i].least }, &by);
        CHECK(x.shift == 1 + middle && value[0] == tables[i].least - middle &&
                  value[1] == -INFINITY && value[2] == tables[i].most - middle,
              "%zu: shift %g, %g %g", i, x.shift, value[0], value[2]);
        CHECK(x.most == fmax(fabs(value[0]), fabs(value[2])), "%zu: %g", i, x.most);
        CHECK((x.radius > 0) == (middle != 0 && x.most > 0) &&
                  x.radius <= 2 * ZB_UNIT * x.most,
              "%zu: %g", i, x.radius);
    }
}

/* ---- measuring: magnitudes from 64 on -------------------------------------------- */

typedef struct rig {
    zb_model *model;
    zb_scopes *scopes;
    zb_tree *tree;
    zb_pass *pass;
} rig;

static rig rig_new(zb_model *model, const int *order, int ibound, zb_pass_spec spec)
{
    rig r = { .model = model };
    zb_split_spec how = { .ibound = ibound };
    assert_int_equal(zb_scopes_new(&r.scopes, model), ZB_OK);
    assert_int_equal(zb_tree_new(&r.tree, r.scopes, order, &how), ZB_OK);
    assert_int_equal(zb_pass_new(&r.pass, r.tree, &spec), ZB_OK);
    return r;
}

static void rig_free(rig *r)
{
    zb_pass_free(r->pass);
    zb_tree_free(r->tree);
    zb_scopes_free(r->scopes);
    zb_model_free(r->model);
}

/* The largest of x y over two spins, times c: the message of the first is c twice. */
static void measures_beyond_64(void **state)
{
    (void)state;
    for (double c = 63; c <= 66; c += 0.5) {
        double value[] = { c, -c, -c, c };
        zb_model *model;
        assert_int_equal(zb_model_new(&model, 2, (int[]){ 2, 2 }), ZB_OK);
        assert_int_equal(zb_model_add_log(model, 2, (int[]){ 0, 1 }, value), ZB_OK);
        rig r = rig_new(
            model, (int[]){ 0, 1 }, 2,
            (zb_pass_spec){ .side = ZB_SIDE_UPPER, .maximum = true, .keep = true });
        zb_pass_set_log(r.pass, 0, value);
        double best = zb_pass_forward(r.pass);
        CHECK(best == c && zb_pass_radius(r.pass) < 1e-12, "%g for %g", best, c);
        double shift = zb_pass_message(r.pass, 0)->shift;
        CHECK(shift == (c > 64 ? rint(c) : 0), "%g: centred at %g", c, shift);
        rig_free(&r);
    }
}

/* ---- shifts and weights: up to 16 of them without a call --------------------------
 */

/* A split bucket of a variable of d values, whose largest shift, of 1e6, is the last:
   the radius knows of it, five roundings of that size at each of two nodes. */
static void finds_the_largest_shift(void **state)
{
    const double units = 2 * 5 * 1e6 * ZB_UNIT;
    (void)state;
    for (int d = 14; d <= 19; d++) {
        double value[2 * 19];
        zb_model *model;
        for (int i = 0; i < 2 * d; i++)
            value[i] = i % 3 - 1.0;
        assert_int_equal(zb_model_new(&model, 3, (int[]){ d, 2, 2 }), ZB_OK);
        for (int v = 1; v <= 2; v++)
            assert_int_equal(zb_model_add_log(model, 2, (int[]){ 0, v }, value), ZB_OK);
        zb_pass_spec spec = { .side = ZB_SIDE_UPPER, .theta = true, .keep = true };
        rig r = rig_new(model, (int[]){ 0, 1, 2 }, 2, spec);
        assert_true(r.tree->splits == 1);
        for (int k = 0; k < 2; k++) {
            zb_pass_set_log(r.pass, k, value);
            thetas_of(r.pass, k)[d - 1] = k == 0 ? 1e6 : -1e6;
        }
        double bound = zb_pass_forward(r.pass), radius = zb_pass_radius(r.pass);
        CHECK(radius >= units && radius < 1.5 * units, "%d values: %g, not %g", d,
              radius, units);
        CHECK(is_above(zb_up(bound, radius), brute_interval(model)), "%d values: %g", d,
              bound);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(centres_beyond_a_quarter),
                                        cmocka_unit_test(measures_beyond_64),
                                        cmocka_unit_test(finds_the_largest_shift) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
