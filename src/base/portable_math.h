/* exp, ln and normal deviates that are the same bits on every platform.
 *
 * Only correctly rounded operations (+ - * / sqrt, frexp, ldexp) are used, so generated
 * models do not depend on the C library. Errors stay below one unit in the last place
 * for exp and ln of normal numbers (tests/test_portable_math.c measures them). */
#ifndef ZB_PORTABLE_MATH_H
#define ZB_PORTABLE_MATH_H

#include "base/rng.h"

double zb_portable_exp(double x);       /* 0 and +INFINITY where out of range */
double zb_portable_log(double x);       /* -INFINITY for 0; x >= 0 */
double zb_portable_normal(zb_rng *rng); /* mean 0, standard deviation 1 */

#endif
