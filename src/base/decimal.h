/* Decimal numbers as they stand in files, read exactly and whatever the locale. */
#ifndef ZB_DECIMAL_H
#define ZB_DECIMAL_H

#include "base/base.h"

#include <locale.h>

/* sign * digits * 10^exponent. Past 19 significant digits the rest is cut off, and
   exact is false unless only zeros were cut. */
typedef struct zb_decimal {
    uint64_t digits;
    int64_t exponent;
    bool negative, exact;
} zb_decimal;

/* [+-] digits [. digits] [e [+-] digits], at least one digit before the exponent; no
   hexadecimals, infinities, NaNs. *end must be readable and no digit, point or e: the
   blank after a word. False when the text is anything else, or when a number other than
   zero has an exponent beyond 10^9 in size. */
bool zb_decimal_parse(zb_decimal *out, const char *text, const char *end);

/* The nearest double to |d|, ties to even; infinity or 0 when out of range. text is
   what d was parsed from, c the "C" locale. */
double zb_decimal_value(const zb_decimal *d, const char *text, locale_t c);

/* Both at once, for a single number. ZB_EINVAL when the text is none. */
zb_status zb_decimal_read(double *out, const char *text, const char *end);

/* ln |d|, -INFINITY for zero, x being the nearest double to |d|; good to two units in
   the last place. */
double zb_decimal_log(const zb_decimal *d, double x);

#endif
