/* Orders, surveys and phases through the public header. */
#include "zbound.h"

#include "oracle.h"
#include "test.h"

#include <inttypes.h>
#include <string.h>

static const random_spec SMALL = { 8, 3, 10, 3, 0.1, 1, true };

static void check_permutation(int n, const int *order)
{
    int seen[64] = { 0 };
    for (int i = 0; i < n; i++) {
        assert_in_range(order[i], 0, n - 1);
        assert_int_equal(seen[order[i]]++, 0);
    }
}

/* Every rule gives an order; read back as a given one it has the same cost. */
static void orders_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (int rule = ZB_ORDER_AUTO; rule < ZB_ORDER_FILE; rule++) {
            zb_model *model = random_model(seed, SMALL);
            zb_options opt = zb_options_default();
            zb_order_cost cost, again;
            int order[64], same[64], n = zb_model_nvars(model);
            opt.order = (zb_order)rule;
            CHECK(zb_order_find(model, &opt, NULL, order, &cost, NULL) == ZB_OK,
                  "seed %" PRIu64, seed);
            check_permutation(n, order);
            opt.order = ZB_ORDER_FILE, opt.order_list = order;
            assert_int_equal(zb_order_find(model, &opt, NULL, same, &again, NULL),
                             ZB_OK);
            assert_memory_equal(order, same, (size_t)n * sizeof *order);
            CHECK(cost.width == again.width && cost.total == again.total,
                  "seed %" PRIu64 " rule %d", seed, rule);
            assert_int_equal(zb_order_find(model, &opt, NULL, same, NULL, NULL), ZB_OK);
            zb_model_free(model);
        }
}

/* A star of pairs has width 1, and without its observed centre width 0. */
static void observed_variables_cost_nothing(void **state)
{
    (void)state;
    const int card[] = { 5, 2, 2, 2 };
    const double ones[10] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    zb_options opt = zb_options_default();
    zb_order_cost cost;
    zb_model *model;
    int order[4];
    assert_int_equal(zb_model_new(&model, 4, card), ZB_OK);
    for (int v = 1; v < 4; v++)
        assert_int_equal(zb_model_add(model, 2, (int[]){ 0, v }, ones), ZB_OK);
    assert_int_equal(zb_order_find(model, &opt, NULL, order, &cost, NULL), ZB_OK);
    assert_true(cost.width == 1 && cost.largest == 10);
    assert_int_equal(zb_model_observe(model, 0, 3), ZB_OK);
    assert_int_equal(zb_order_find(model, &opt, NULL, order, &cost, NULL), ZB_OK);
    assert_true(cost.width == 0 && cost.largest == 2);
    zb_model_free(model);
}

static void surveys_add_up(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        zb_model *model = random_model(seed, SMALL);
        zb_options opt = zb_options_default();
        zb_survey s;
        int vars = 0, factors = 0, n = zb_model_nvars(model);
        size_t entries = 0;
        opt.memory = 1 << 20;
        CHECK(zb_survey_make(&s, model, &opt, NULL, NULL) == ZB_OK, "seed %" PRIu64,
              seed);
        for (int i = 0; i < ZB_SURVEY_SLOTS; i++)
            vars += s.cards[i], factors += s.arities[i];
        for (int f = 0; f < zb_model_nfactors(model); f++)
            entries += zb_model_size(model, f);
        assert_true(vars == n && s.given.vars == n && s.reduced.vars <= n);
        assert_true(factors == zb_model_nfactors(model));
        assert_true(s.given.entries == entries && s.memory == opt.memory);
        if (s.reduced.vars == 0) {
            interval z = brute_interval(model);
            CHECK(is_below(nextafter(s.log_constant - s.rounding, -INFINITY), z) &&
                      is_above(nextafter(s.log_constant + s.rounding, INFINITY), z) &&
                      s.rounding < 1e-12,
                  "seed %" PRIu64 ": %g, %g", seed, s.log_constant, s.rounding);
        } else {
            assert_true(s.rows > 0 && s.width >= 0 && s.width < s.reduced.vars);
            assert_true(s.row[s.rows - 1].splits == 0);
            assert_true(s.largest_component <= s.reduced.vars);
        }
        int widest = 0;
        assert_int_equal(s.columns, s.reduced.vars);
        for (int i = 0; i < s.columns; i++)
            widest = s.profile[i] > widest ? s.profile[i] : widest;
        CHECK(widest == s.width + 1 || s.columns == 0,
              "seed %" PRIu64 ": widest %d, width %d", seed, widest, s.width);
        for (int i = 1; i < s.rows; i++)
            assert_true(s.row[i].ibound > s.row[i - 1].ibound);
        zb_model_free(model);
    }
}

/* A grid's rows get larger until the exact one, and a small limit stops them. */
static void rows_of_a_grid(void **state)
{
    (void)state;
    zb_ising_spec spec = { .rows = 8, .cols = 8, .coupling = 1, .field = 1, .seed = 1 };
    zb_options opt = zb_options_default();
    zb_survey all, few;
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    opt.memory = UINT64_C(1) << 30;
    assert_int_equal(zb_survey_make(&all, model, &opt, NULL, NULL), ZB_OK);
    assert_true(all.width == 8 && !all.cut && all.exact.fits && all.rows == 8);
    for (int i = 1; i < all.rows; i++)
        assert_true(all.row[i].largest > all.row[i - 1].largest);
    assert_true(all.row[0].splits > 0 && all.row[all.rows - 1].splits == 0);
    opt.memory = 40000;
    assert_int_equal(zb_survey_make(&few, model, &opt, NULL, NULL), ZB_OK);
    assert_true(few.cut && few.rows < all.rows && !few.row[few.rows - 1].fits);
    zb_model_free(model);
}

static bool stop_later(void *context, const zb_progress *at)
{
    (void)at;
    return --*(int *)context > 0;
}

/* Bounds that only get tighter and always hold; a stopped run has the first ones. */
static void phases_descend(void **state)
{
    (void)state;
    zb_ising_spec spec = { .rows = 4, .cols = 4, .coupling = 1, .field = 1, .seed = 5 };
    const zb_phase phases[] = { { ZB_PARAMETER_WEIGHT, 20 },
                                { ZB_PARAMETER_THETA, 0 },
                                { ZB_PARAMETER_GAUGE, 15 } };
    enum { ALL = 36 };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    double z = brute_force(model);
    for (int o = ZB_OPTIMIZER_DEFAULT; o <= ZB_OPTIMIZER_PAPER; o++) {
        zb_options opt = zb_options_default();
        double bound[ALL + 1], seconds[ALL + 1];
        int calls = 5;
        zb_observer observer = { .context = &calls, .progress = stop_later };
        zb_result r;
        opt.form = ZB_FORM_LATTICE, opt.ibound = 3, opt.optimizer = (zb_optimizer)o;
        bound[ALL] = 7;
        assert_int_equal(
            zb_solve_phases(model, &opt, 3, phases, NULL, bound, seconds, &r, NULL),
            ZB_OK);
        assert_true(r.has_upper && !r.has_lower && r.stop == ZB_STOP_ITERATIONS);
        assert_true(bound[0] > bound[20] && bound[20] > bound[ALL - 1]);
        for (int i = 0; i < ALL; i++)
            CHECK(bound[i] >= z && (i == 0 || (bound[i] <= bound[i - 1] &&
                                               seconds[i] >= seconds[i - 1])),
                  "optimizer %d iteration %d", o, i);
        assert_true(close_to(r.log_upper, bound[ALL - 1], 1e-9) && bound[ALL] == 7);
        assert_int_equal(
            zb_solve_phases(model, &opt, 3, phases, &observer, bound, NULL, &r, NULL),
            ZB_OK);
        assert_true(r.stop == ZB_STOP_INTERRUPTED && r.log_upper >= z);
        assert_true(bound[0] < INFINITY && bound[ALL - 1] == INFINITY);
    }
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_found),
        cmocka_unit_test(observed_variables_cost_nothing),
        cmocka_unit_test(surveys_add_up),
        cmocka_unit_test(rows_of_a_grid),
        cmocka_unit_test(phases_descend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
