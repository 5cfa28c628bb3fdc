#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* log10 e and log2 e lie between neighbouring doubles. */
const app_unit APP_NATS = { "ln Z", 1, 1, 1 };
const app_unit APP_LOG10 = { "log10 Z", 0x1.bcb7b1526e50ep-2, 0x1.bcb7b1526e50fp-2, 1 };
const app_unit APP_BITS = { "bits", 0x1.71547652b82fep+0, 0x1.71547652b82ffp+0, 1 };

/* One step outward makes up for one rounding. */
static double step(double x, int outward)
{
    return outward != 0 ? nextafter(x, outward > 0 ? INFINITY : -INFINITY) : x;
}

double app_convert(double x, const app_unit *unit, int outward)
{
    if (isinf(x))
        return x;
    if (unit->least < unit->most)
        x = step(x * ((x > 0) == (outward > 0) ? unit->most : unit->least), outward);
    return unit->count > 1 ? step(x / unit->count, outward) : x;
}

/* The decimal expansion of a double ends; printf knows all of it. So many digits of it
   are kept in `digit`; returns whether others than 0 follow. */
enum { LONGEST = 770 };

static bool leading_digits(double x, int digits, char *digit, int *exponent)
{
    char all[LONGEST + 20];
    snprintf(all, sizeof all, "%.*e", LONGEST, fabs(x));
    const char *e = strchr(all, 'e');
    *exponent = atoi(e + 1);
    digit[0] = all[0];
    memcpy(digit + 1, all + 2, (size_t)digits - 1);
    return (size_t)(e - (all + digits + 1)) > strspn(all + digits + 1, "0");
}

/* The next larger number of so many digits; 999 becomes 100, and the exponent one more.
 */
static void count_up(char *digit, int digits, int *exponent)
{
    int i = digits - 1;
    for (; i >= 0 && digit[i] == '9'; i--)
        digit[i] = '0';
    if (i >= 0) {
        digit[i]++;
        return;
    }
    digit[0] = '1';
    ++*exponent;
}

const char *app_outward(double x, int digits, int outward, char text[APP_NUMBER])
{
    char digit[20], decimal[40];
    int exponent;
    if (x == 0 || !isfinite(x)) {
        snprintf(text, APP_NUMBER, "%g", x == 0 ? 0 : x);
        return text;
    }
    bool more = leading_digits(x, digits, digit, &exponent);
    if (more && (x > 0) == (outward > 0))
        count_up(digit, digits, &exponent);
    snprintf(decimal, sizeof decimal, "%s%c.%.*se%d", x < 0 ? "-" : "", digit[0],
             digits - 1, digit + 1, exponent);
    snprintf(text, APP_NUMBER, "%.*g", digits, strtod(decimal, NULL));
    return text;
}

/* x to the decimal place 10^place. */
static void print_to(double x, int place, char text[APP_NUMBER])
{
    int first = x != 0 ? (int)floor(log10(fabs(x))) : place;
    if (x == 0)
        snprintf(text, APP_NUMBER, "0");
    else if (place <= 0 && first >= -4 && first < 16)
        snprintf(text, APP_NUMBER, "%.*f", (int)fmin(-place, 17), x);
    else
        snprintf(text, APP_NUMBER, "%.*e", (int)fmax(0, fmin(first - place, 16)), x);
}

/* The text is a decimal, which is within half a unit of the double it is read as. */
const char *app_within(double lower, double upper, char text[2 * APP_NUMBER])
{
    char value[APP_NUMBER], radius[APP_NUMBER];
    double middle = lower <= 0 && upper >= 0 ? 0 : lower + 0.5 * (upper - lower);
    double reach = fmax(upper - middle, middle - lower);
    if (!isfinite(middle) || upper == lower) {
        snprintf(text, 2 * APP_NUMBER, "%.17g", upper);
        return text;
    }
    print_to(middle, (int)floor(log10(reach)), value);
    double shown = strtod(value, NULL);
    reach = fmax(upper - shown, shown - lower) + 0x1p-52 * fabs(shown);
    snprintf(text, 2 * APP_NUMBER, "%s \u00b1 %s", value,
             app_outward(reach, 1, 1, radius));
    return text;
}
