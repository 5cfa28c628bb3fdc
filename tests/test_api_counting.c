/* The library's boundary, where formulas are counted: whatever stands in an argument, a
   call gives an error or a harmless answer. */
#include "zbound.h"

#include "test.h"

static void nothing_to_read(void **state)
{
    (void)state;
    zb_dimacs *formula = (zb_dimacs *)&formula;
    assert_int_equal(zb_dimacs_read(NULL, "x", NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_dimacs_read(&formula, NULL, NULL, NULL), ZB_EINVAL);
    assert_null(formula);
    formula = (zb_dimacs *)&formula;
    assert_int_not_equal(zb_dimacs_read(&formula, "/no such file", NULL, NULL), ZB_OK);
    assert_null(formula);
    assert_int_equal(zb_dimacs_read(&formula, "/dev/null", NULL, NULL), ZB_EPARSE);
    assert_null(formula);
    assert_int_equal(zb_dimacs_about(NULL).vars, 0);
    assert_null(zb_dimacs_model(NULL));
    zb_dimacs_free(NULL);
}

static void nothing_to_count(void **state)
{
    (void)state;
    zb_options opt = zb_options_default();
    zb_tally t = { .complete = true, .count = (char *)&t };
    zb_error err = { "" };
    assert_int_equal(zb_dimacs_count(NULL, &opt, NULL, &t, &err), ZB_EINVAL);
    assert_true(err.text[0] != '\0');
    assert_false(t.complete);
    assert_null(t.count);
    assert_int_equal(zb_dimacs_count(NULL, NULL, NULL, NULL, NULL), ZB_EINVAL);
    zb_tally_clear(&t);
    zb_tally_clear(&t);
    zb_tally_clear(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_read),
        cmocka_unit_test(nothing_to_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
