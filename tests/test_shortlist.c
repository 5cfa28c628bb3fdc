/* Orders that are laid out and sorted by what their splits cost. */
#include "engine.h"
#include "form/form.h"
#include "tighten/menu.h"
#include "tree/shared.h"

#include <inttypes.h>

static double loss_of(const zb_model *model, const zb_attempt_spec *spec)
{
    zb_scopes *scopes;
    zb_tree *tree;
    assert_int_equal(zb_scopes_new(&scopes, model), ZB_OK);
    assert_int_equal(zb_attempt_tree(&tree, spec, scopes, NULL, spec->formed_order),
                     ZB_OK);
    double loss =
        spec->most > 0 && tree->entries > spec->most ? INFINITY : zb_shared_loss(tree);
    zb_tree_free(tree);
    zb_scopes_free(scopes);
    return loss;
}

static void check_order(int n, const int *order)
{
    bool seen[256] = { false };
    for (int i = 0; i < n; i++) {
        assert_true(order[i] >= 0 && order[i] < n && !seen[order[i]]);
        seen[order[i]] = true;
    }
}

static bool is_of_rule(const zb_attempt_spec *a, const zb_attempt_spec *b)
{
    return a->order == b->order && a->ties == b->ties;
}

static int rules_before(const zb_menu *m, int i)
{
    int rules = 0;
    for (int k = 0; k < i; k++) {
        bool first = true;
        for (int l = 0; l < k; l++)
            first = first && !is_of_rule(&m->spec[l], &m->spec[k]);
        rules += first;
    }
    return rules;
}

static int first_by_numbers(const zb_menu *m)
{
    int i = 0;
    while (i < m->count && !(m->spec[i].order == ZB_ORDER_MINSPLIT &&
                             m->spec[i].less == 0 && m->spec[i].ties == ZB_TIES_NUMBER))
        i++;
    return i;
}

/* The last winner's rule, then the others, by the best of each, but numbers are among
   the first; all else by cost. */
static void check_sequence(const zb_menu *m, const zb_model *model,
                           const zb_attempt_spec *like, uint64_t seed)
{
    int all = rules_before(m, m->count), numbers = first_by_numbers(m),
        place = like != NULL ? 2 : 0;
    double before = 0, least = INFINITY, known = INFINITY;
    for (int i = 0; i < m->count; i++) {
        double loss = loss_of(model, &m->spec[i]);
        least = fmin(least, loss);
        if (like != NULL && is_of_rule(&m->spec[i], like))
            known = fmin(known, loss);
    }
    bool liked = known <= 1.7 * least;
    if (liked)
        assert_true(is_of_rule(&m->spec[0], like));
    if (numbers < m->count)
        CHECK(numbers <= place, "seed %" PRIu64 ": numbers at %d", seed, numbers);
    for (int i = 0; i < m->count; i++) {
        double loss = loss_of(model, &m->spec[i]);
        check_order(model->nvars, m->spec[i].formed_order);
        if (i < all && numbers != place)
            CHECK(rules_before(m, i) == i, "seed %" PRIu64 ": offer %d", seed, i);
        if (numbers == place && (i == numbers || i == numbers + 1))
            continue; /* that one was brought forward */
        if (i != all && !(numbers == place && i == all + 1) && i != 0 &&
            !(i == 1 && liked))
            CHECK(loss >= before, "seed %" PRIu64 ": offer %d costs %g, not %g", seed,
                  i, loss, before);
        before = loss;
    }
}

static void check_menu(const zb_model *model, uint64_t seed, bool clean)
{
    zb_attempt_spec like = { .form = ZB_FORM_ORIGINAL,
                             .order = ZB_ORDER_MINSPLIT,
                             .ties = ZB_TIES_BREADTH,
                             .tries = 1 };
    zb_options opt = zb_options_default();
    zb_run run;
    zb_menu m;
    assert_int_equal(zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
    opt.method = ZB_METHOD_WMBE_WTHETA;
    opt.ibound = 7;
    zb_search s = { .model = model,
                    .opt = &opt,
                    .run = &run,
                    .few = 3,
                    .decide = 10,
                    .most = seed % 4 == 2 ? 20000 : 0,
                    .like = seed % 3 ? &like : NULL };
    zb_menu_make(&m, &s, ZB_SIDE_UPPER, 3);
    assert_true(m.many);
    int count = m.count;
    assert_int_equal(zb_menu_sort(&m, &s, INFINITY), ZB_OK);
    assert_int_equal(m.count, count);
    assert_true((m.order[0] != NULL) == clean); /* else its variables change */
    if (clean)
        check_sequence(&m, model, s.like, seed);
    zb_menu_clear(&m);
    zb_menu_make(&m, &s, ZB_SIDE_UPPER, 3);
    assert_int_equal(zb_menu_sort(&m, &s, -INFINITY), ZB_OK);
    assert_int_equal(m.count, clean ? 1 : count); /* there was no time for more */
    zb_menu_clear(&m);
    zb_menu_make(&m, &s, ZB_SIDE_LOWER, 3);
    assert_false(m.many); /* below, structure tells less */
    zb_menu_clear(&m);
    zb_run_close(&run);
}

static void offers_are_sorted(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(20); seed++) {
        zb_ising_spec grid = { .rows = 9, .cols = 9, .coupling = 1, .seed = seed };
        zb_random_spec loose = { .variables = 60,
                                 .factors = 150,
                                 .arity = 2,
                                 .cardinality = 2 + (int)(seed % 3),
                                 .seed = seed };
        zb_model *given, *model;
        assert_int_equal(seed % 2 ? zb_generate_ising(&given, &grid)
                                  : zb_generate_random(&given, &loose),
                         ZB_OK);
        assert_int_equal(zb_form_clean(&model, given, NULL), ZB_OK);
        bool clean = seed % 5 != 0 || zb_form_is_clean(given);
        check_menu(seed % 5 ? model : given, seed, clean);
        zb_model_free(given);
        zb_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(offers_are_sorted) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
