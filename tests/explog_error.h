/* Errors of the functions of base/explog.h over the ranges that the library uses. What
 * is exact comes from the test that includes this. */
#ifndef ZB_EXPLOG_ERROR_H
#define ZB_EXPLOG_ERROR_H

#include "base/explog.h"
#include "base/rng.h"
#include "test.h"

#include <float.h>

/* got - f(x) in units in the last place of f(x). */
typedef double exact_error(const char *f, double x, double got);

typedef enum spread { EVEN, BINADES, NEAR_ONE } spread;

typedef struct range {
    const char *f;
    double (*own)(double);
    double promise;
    spread spread;
    double low, high; /* of arguments; of their exponents; of those of |x - 1| */
} range;

/* What the loops over tables use, within the arguments that they are for. */
static double normal_exp(double x) { return zb_vexp_normal(x); }
static double normal_log(double x) { return zb_vlog_normal(x); }

static const range RANGES[] = {
    { "exp", normal_exp, ZB_EXP_ULP, EVEN, -708, 709 },
    { "exp", normal_exp, ZB_EXP_ULP, EVEN, -40, 0 },
    { "exp", normal_exp, ZB_EXP_ULP, BINADES, -60, 9 },
    { "log", normal_log, ZB_LOG_ULP, EVEN, 0.7, 1.45 },
    { "log", normal_log, ZB_LOG_ULP, BINADES, -1022, 1024 },
    { "log", normal_log, ZB_LOG_ULP, NEAR_ONE, -52, -1 },
    { "exp", zb_exp, ZB_EXP_ULP, EVEN, -708, 709 },
    { "exp", zb_exp, ZB_EXP_ULP, EVEN, -30, 0 },
    { "exp", zb_exp, ZB_EXP_ULP, EVEN, -0.36, 0.36 },
    { "exp", zb_exp, ZB_EXP_ULP, EVEN, 709, 709.78 },
    { "exp", zb_exp, ZB_EXP_ULP, EVEN, -746, -708 }, /* subnormal results */
    { "exp", zb_exp, ZB_EXP_ULP, BINADES, -60, 9 },
    { "log", zb_log, ZB_LOG_ULP, EVEN, 0.7, 1.45 },
    { "log", zb_log, ZB_LOG_ULP, EVEN, 0.7, 0.71 },
    { "log", zb_log, ZB_LOG_ULP, EVEN, 1.41, 1.42 },
    { "log", zb_log, ZB_LOG_ULP, EVEN, 1, 100 },
    { "log", zb_log, ZB_LOG_ULP, BINADES, -1022, 1024 },
    { "log", zb_log, ZB_LOG_ULP, BINADES, -1074, -1022 }, /* subnormal arguments */
    { "log", zb_log, ZB_LOG_ULP, NEAR_ONE, -52, -1 },
    { "log1p", zb_log1p, ZB_REST_ULP, EVEN, 0, 1 },
    { "log1p", zb_log1p, ZB_REST_ULP, BINADES, -60, 1000 },
    { "expm1", zb_expm1, ZB_REST_ULP, EVEN, -2, 2 },
    { "expm1", zb_expm1, ZB_REST_ULP, EVEN, -50, 709 },
    { "expm1", zb_expm1, ZB_REST_ULP, BINADES, -60, 0 },
    { "exp2", zb_exp2, ZB_REST_ULP, EVEN, -1074, 1023.9 },
    { "exp2", zb_exp2, ZB_REST_ULP, EVEN, 0, 60 },
    { "log2", zb_log2, ZB_REST_ULP, EVEN, 0.5, 100 },
    { "log2", zb_log2, ZB_REST_ULP, BINADES, -1074, 1024 },
    { "log2", zb_log2, ZB_REST_ULP, NEAR_ONE, -52, -1 },
};

static double argument(zb_rng *rng, const range *r)
{
    double u = zb_rng_uniform(rng), span = r->high - r->low;
    if (r->spread == EVEN)
        return r->low + span * u;
    double x = ldexp(1 + u, (int)floor(r->low + span * zb_rng_uniform(rng)));
    return r->spread == BINADES ? x : zb_rng_below(rng, 2) ? 1 + x : 1 - x;
}

/* Units in the last place of a number near y, as an exponent of two. */
static int last_place(double y)
{
    int e;
    frexp(y, &e);
    return y == 0 || e < DBL_MIN_EXP ? DBL_MIN_EXP - DBL_MANT_DIG : e - DBL_MANT_DIG;
}

static void check_errors(int arguments, exact_error *error)
{
    for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++) {
        const range *r = &RANGES[i];
        zb_rng rng = zb_rng_seed(i + 1);
        double worst = 0;
        for (int k = 0; k < arguments; k++) {
            double x = argument(&rng, r), off = fabs(error(r->f, x, r->own(x)));
            CHECK(off <= r->promise, "%s(%a) is off by %g units", r->f, x, off);
            worst = fmax(worst, off);
        }
        print_message("%s, %g to %g: %.3f units in the last place, %g promised\n", r->f,
                      r->low, r->high, worst, r->promise);
    }
}

#endif
