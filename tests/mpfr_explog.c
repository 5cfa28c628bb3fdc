/* exp, ln and their like against MPFR: test_explog_mpfr [ARGUMENTS], of each range.
 * Built where libmpfr-dev is. */
#include "explog_error.h"

#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 140, ARGUMENTS = 10000 };

static int arguments = ARGUMENTS;

typedef int mpfr_function(mpfr_t, const mpfr_t, mpfr_rnd_t);

static mpfr_function *exact(const char *f)
{
    return strcmp(f, "exp") == 0     ? mpfr_exp
           : strcmp(f, "log") == 0   ? mpfr_log
           : strcmp(f, "log1p") == 0 ? mpfr_log1p
           : strcmp(f, "expm1") == 0 ? mpfr_expm1
           : strcmp(f, "exp2") == 0  ? mpfr_exp2
                                     : mpfr_log2;
}

static double error_by_mpfr(const char *f, double x, double got)
{
    mpfr_t y, off;
    mpfr_inits2(BITS, y, off, (mpfr_ptr)NULL);
    mpfr_set_d(y, x, MPFR_RNDN);
    exact(f)(y, y, MPFR_RNDN);
    mpfr_d_sub(off, got, y, MPFR_RNDN);
    mpfr_mul_2si(off, off, -last_place(mpfr_get_d(y, MPFR_RNDZ)), MPFR_RNDN);
    double units = mpfr_get_d(off, MPFR_RNDA);
    mpfr_clears(y, off, (mpfr_ptr)NULL);
    return units;
}

static void errors_are_as_promised(void **state)
{
    (void)state;
    check_errors(arguments, error_by_mpfr);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(errors_are_as_promised) };
    arguments = argc > 1 ? atoi(argv[1]) : ARGUMENTS;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
