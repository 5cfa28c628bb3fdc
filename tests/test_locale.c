/* Numbers are read the same in every locale. */
#include "test.h"
#include "zbound.h"

#include <locale.h>

/* A locale that writes 1,5 changes nothing: numbers have a point. */
static void options_in_any_locale(void **state)
{
    (void)state;
    const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    bool set = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++)
        set = setlocale(LC_ALL, names[i]) != NULL;
    zb_options opt = zb_options_default();
    zb_status point = zb_options_set(&opt, "time", "1.5", NULL);
    zb_status tiny = zb_options_set(&opt, "tolerance", "1.25e-40", NULL);
    zb_status size = zb_options_set(&opt, "memory", "2.5K", NULL);
    zb_status comma = zb_options_set(&opt, "time", "2,5", NULL);
    setlocale(LC_ALL, "C");
    assert_true(point == ZB_OK && tiny == ZB_OK && size == ZB_OK);
    assert_true(opt.time == 1.5 && opt.tolerance == 1.25e-40 && opt.memory == 2560);
    assert_int_equal(comma, ZB_EINVAL);
    if (!set) {
        print_message("skipped: no locale with a comma is installed\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(options_in_any_locale) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
