/* Bounds as text and in other units: what is printed is a bound too. Outward is +1 for
 * upper bounds, -1 for lower ones; infinities stay what they are. */
#ifndef ZB_APP_NUMBER_H
#define ZB_APP_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* x nats are x times a number between least and most, divided by count. */
typedef struct app_unit {
    const char *name;
    double least, most;
    int count;
} app_unit;

extern const app_unit APP_NATS, APP_LOG10, APP_BITS;

/* A bound in another unit; outward 0: an estimate, to the nearest. */
double app_convert(double x, const app_unit *unit, int outward);

enum { APP_NUMBER = 40 };

/* So many digits (at most 17), rounded outward; 0 and infinities as they are. Returns
   text. */
const char *app_outward(double x, int digits, int outward, char text[APP_NUMBER]);

/* Of an interval the digits that are right, and how far it reaches from them:
   "345.1734300031 +- 4e-13", with the sign for plus and minus in UTF-8. "0 +- ..."
   where it contains 0. */
const char *app_within(double lower, double upper, char text[2 * APP_NUMBER]);

#endif
