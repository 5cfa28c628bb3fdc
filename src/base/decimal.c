/* Decimal to double, correctly rounded, in three ranges:
 *  - digits <= 2^53 and |exponent| <= 22: both operands are doubles, so one operation
 *    rounds once (Clinger);
 *  - |exponent| <= 27: 5^27 < 2^63, so digits * 5^e, and quotient and remainder of
 *    digits * 2^k / 5^-e, are exact in 128 bits; the remainder is the sticky bit;
 *  - else the C library's strtod, in the "C" locale.
 * The second range holds nearly all numbers written with 17 digits, for which strtod
 * would be the slowest part of reading. */
#include "base/decimal.h"

#include "base/explog.h"

#include <stdlib.h>

enum { MOST_DIGITS = 19, EXACT_TEN = 22, EXACT_FIVE = 27 };

static const int64_t MOST_EXPONENT = 1000000000;

/* clang-format off */
static const uint64_t five[EXACT_FIVE + 1] = {
     1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125,
     244140625, 1220703125, 6103515625, 30517578125, 152587890625, 762939453125,
     3814697265625, 19073486328125, 95367431640625, 476837158203125,
     2384185791015625, 11920928955078125, 59604644775390625, 298023223876953125,
     1490116119384765625, 7450580596923828125
};
static const double ten[EXACT_TEN + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};
/* clang-format on */

/* Where this has 64 bits, the second range is left to strtod too. */
typedef zb_wide wide;

/* The first 19 significant digits of text, which has more; text holds digits and at
   most one point up to its exponent or end. */
static void parse_long(zb_decimal *d, const char *text, const char *end)
{
    int used = 0;
    bool point = false, cut = false;

    d->digits = 0;
    for (const char *p = text; p < end; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        unsigned digit = (unsigned)(*p - '0');
        if (used < MOST_DIGITS) {
            d->digits = d->digits * 10 + digit;
            used += d->digits != 0;
            d->exponent -= point;
        } else {
            cut = cut || digit != 0;
            d->exponent += !point;
        }
    }
    d->exact = !cut;
}

/* At the e of an exponent; NULL when no digit follows. Saturates. */
static const char *parse_exponent(const char *p, int64_t *out)
{
    int64_t e = 0;
    bool negative = p[1] == '-';
    const char *first = p + 1 + (p[1] == '-' || p[1] == '+');

    for (p = first; (unsigned)(*p - '0') <= 9; p++)
        if (e < 100 * MOST_EXPONENT)
            e = e * 10 + (*p - '0');
    *out = negative ? -e : e;
    return p == first ? NULL : p;
}

bool zb_decimal_parse(zb_decimal *out, const char *text, const char *end)
{
    zb_decimal d = { .exact = true, .negative = *text == '-' };
    const char *p = text + (*text == '-' || *text == '+'), *first = p, *stop;
    uint64_t w = 0;
    unsigned c;
    int64_t count, e = 0;

    for (; (c = (unsigned)(*p - '0')) <= 9; p++)
        w = w * 10 + c; /* wraps past 19 digits: then parse_long begins again */
    count = p - first;
    if (*p == '.') {
        const char *fraction = ++p;
        for (; (c = (unsigned)(*p - '0')) <= 9; p++)
            w = w * 10 + c;
        d.exponent = fraction - p;
        count += p - fraction;
    }
    stop = p;
    if (count > 0 && (*p == 'e' || *p == 'E'))
        p = parse_exponent(p, &e);
    if (count == 0 || p != end)
        return false;
    d.digits = w;
    if (count > MOST_DIGITS) {
        d.exponent = 0;
        parse_long(&d, first, stop);
    }
    d.exponent += e;
    *out = d;
    return d.digits == 0 ||
           (d.exponent <= MOST_EXPONENT && d.exponent >= -MOST_EXPONENT);
}

static int leading_zeros(uint64_t x) { return __builtin_clzll(x); } /* x != 0 */

/* x * 2^scale to the nearest double, x >= 2^62; the true number may exceed x by less
   than one unit, and does so iff sticky. All results are normal doubles. */
static double round_wide(wide x, int scale, bool sticky)
{
    uint64_t high = (uint64_t)(x >> 32 >> 32); /* in two steps, for a narrow x */
    int shift = (high != 0 ? 128 - leading_zeros(high) : 64) - 62;

    if (shift > 0) { /* keep 62 bits: what is lost only matters as not being zero */
        sticky = sticky || (x & (((wide)1 << shift) - 1)) != 0;
        x >>= shift;
        scale += shift;
    }
    return ldexp((double)(int64_t)((uint64_t)x | sticky), scale);
}

static double value_wide(uint64_t digits, int e)
{
    int zeros = leading_zeros(digits);

    digits <<= zeros;
    if (e >= 0)
        return round_wide((wide)digits * five[e], e - zeros, false);
    wide up = (wide)digits << 32 << 32, down = five[-e], quotient = up / down;
    return round_wide(quotient, e - zeros - 64, quotient * down != up);
}

double zb_decimal_value(const zb_decimal *d, const char *text, locale_t c)
{
    int64_t e = d->exponent;

    if (d->digits == 0)
        return 0;
    if (d->exact && d->digits <= (uint64_t)1 << 53 && e <= EXACT_TEN && e >= -EXACT_TEN)
        return e < 0 ? (double)d->digits / ten[-e] : (double)d->digits * ten[e];
    if (sizeof(wide) == 16 && d->exact && e <= EXACT_FIVE && e >= -EXACT_FIVE)
        return value_wide(d->digits, (int)e);
    return fabs(strtod_l(text, NULL, c));
}

zb_status zb_decimal_read(double *out, const char *text, const char *end)
{
    zb_decimal d;
    if (!zb_decimal_parse(&d, text, end))
        return ZB_EINVAL;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return ZB_ENOMEM;
    double x = zb_decimal_value(&d, text, c);
    freelocale(c);
    *out = d.negative ? -x : x;
    return ZB_OK;
}

/* Out of the range of doubles the logarithm is beyond 708, and what rounds the
   logarithm of the digits, below 45, is small next to that. Exponents are below 2^30,
   so that the first product is exact. */
double zb_decimal_log(const zb_decimal *d, double x)
{
    const double ln10_hi = 0x1.26bb1cp+1, ln10_lo = -0x1.12aaba9f48ad5p-25;
    double e = (double)d->exponent;
    if (isnormal(x) || d->digits == 0)
        return zb_log(x);
    return e * ln10_hi + (e * ln10_lo + zb_log((double)d->digits));
}
