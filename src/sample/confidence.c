#include "sample/confidence.h"

#include "base/explog.h"

/* Stakes a: 0.9 and powers of 1/2. Only those near the best for the draws at hand are
   looked at, a part of the mean that is smaller than it: nothing is claimed too much.
 */
enum { STAKES = 18, LOOKED_AT = 4 };

static double stake(int k) { return k == 0 ? 0.9 : zb_exp2(-k); }

typedef struct bet {
    const zb_confidence *c;
    bool above; /* K-: the mean is below m */
    zb_ticker tick;
} bet;

void zb_confidence_open(zb_confidence *c, double delta)
{
    ZB_ASSERT(delta > 0 && delta < 1);
    *c = (zb_confidence){ .delta = delta,
                          .lower = -INFINITY,
                          .upper = 0,
                          .log_mean = -INFINITY,
                          .error = INFINITY };
}

void zb_confidence_close(zb_confidence *c)
{
    zb_free(c->log_ratio);
    c->log_ratio = NULL;
}

zb_status zb_confidence_add(zb_confidence *c, size_t n, const double *log_ratio,
                            const double *sign)
{
    ZB_ASSERT(c->count == 0 || c->is_signed == (sign != NULL));
    c->is_signed = sign != NULL;
    n = zb_min_size(n, ZB_DRAWS_MOST - c->count);
    if (!zb_reserve(&c->log_ratio, &c->room, c->count, c->count + n, ZB_DRAWS_MOST,
                    sizeof *c->log_ratio))
        return ZB_ENOMEM;
    for (size_t i = 0; i < n; i++)
        c->log_ratio[c->count + i] =
            sign != NULL ? sign[i] * zb_exp(log_ratio[i]) : log_ratio[i];
    c->count += n;
    return ZB_OK;
}

/* ---- mean and spread ------------------------------------------------------------- */

static void find_signed_mean(zb_confidence *c)
{
    double sum = 0, squares = 0, n = (double)c->count;
    for (size_t i = 0; i < c->count; i++) {
        sum += c->log_ratio[i];
        squares += c->log_ratio[i] * c->log_ratio[i];
    }
    c->log_mean = sum > 0 ? zb_log(sum / n) : -INFINITY;
    c->effective = sum > 0 ? sum * sum / squares : 0;
    c->error = sum > 0 ? sqrt(fmax(0, (n / c->effective - 1) / n)) : INFINITY;
}

static void find_mean(zb_confidence *c)
{
    double top = -INFINITY, sum = 0, squares = 0, n = (double)c->count;
    for (size_t i = 0; i < c->count; i++)
        top = fmax(top, c->log_ratio[i]);
    c->log_mean = -INFINITY;
    c->error = INFINITY;
    c->effective = 0;
    if (top == -INFINITY)
        return;
    for (size_t i = 0; i < c->count; i++) {
        double r = zb_exp(c->log_ratio[i] - top);
        sum += r;
        squares += r * r;
    }
    c->log_mean = top + zb_log(sum / n);
    c->effective = sum * sum / squares;
    c->error = sqrt(fmax(0, (n / c->effective - 1) / n));
}

/* ---- wealth ---------------------------------------------------------------------- */

/* A factor beyond this is taken for this: wealth that is left out refutes nothing. */
#define GAIN_MOST 1e60

/* Sum over the draws of ln(1 + a y_i), a row of y, of which none is below -1: four
   factors are multiplied between logarithms. */
ZB_INLINE double row_gain(size_t n, const double *restrict y, double a)
{
    double sum = 0;
    for (size_t i = 0; i < n; i += 4) {
        double product = ((1 + a * y[i]) * (1 + a * y[i + 1])) *
                         ((1 + a * y[i + 2]) * (1 + a * y[i + 3]));
        sum += zb_vlog_normal(product);
    }
    return sum;
}

enum { ROW = 256 };

/* y_i = (r_i - m) / (1 + m), or (m - r_i) / (1 - m), 0 beyond the last. */
ZB_INLINE void fill_signed(const bet *b, size_t from, double log_m, double *restrict y)
{
    const double *r = b->c->log_ratio + from;
    size_t n = zb_min_size(ROW, b->c->count - from);
    double m = zb_exp(log_m), rest = b->above ? zb_expm1(log_m) : 1 + m;
    for (size_t i = 0; i < n; i++)
        y[i] = (r[i] - m) / rest;
    for (size_t i = n; i < ROW; i++)
        y[i] = 0;
}

/* y_i = r_i / m - 1, or (m - r_i) / (1 - m), 0 beyond the last. */
ZB_INLINE void fill_row(const bet *b, size_t from, double log_m, double *restrict y)
{
    const double *x = b->c->log_ratio + from;
    size_t n = zb_min_size(ROW, b->c->count - from);
    double m = zb_exp(log_m), rest = -zb_expm1(log_m);
    for (size_t i = 0; i < n && !b->above; i++)
        y[i] = fmin(zb_vexp(fmin(x[i] - log_m, 200)) - 1, GAIN_MOST);
    for (size_t i = 0; i < n && b->above; i++)
        y[i] = fmin((m - zb_vexp(x[i])) / rest, GAIN_MOST);
    for (size_t i = n; i < ROW; i++)
        y[i] = 0;
}

ZB_CLONES
static bool gains(bet *b, double log_m, int first, double *gain)
{
    double y[ROW];
    for (size_t from = 0; from < b->c->count; from += ROW) {
        if (b->c->is_signed)
            fill_signed(b, from, log_m, y);
        else
            fill_row(b, from, log_m, y);
        for (int k = 0; k < LOOKED_AT; k++)
            gain[k] += row_gain(ROW, y, stake(first + k));
        if (!zb_tick(&b->tick, 15.0 * ROW))
            return false;
    }
    return true;
}

/* The best stake is about the distance to the mean over the mean square, as the
   expansion of the logarithm says: max of a y' - a^2 s / 2, y' and s the means of y and
   y^2. The first of those to look at, a little larger. */
static int first_stake(const bet *b, double log_m)
{
    const zb_confidence *c = b->c;
    double n = (double)c->count, ratio = zb_exp(fmin(c->log_mean - log_m, 300));
    double square = ratio * ratio * n / fmax(c->effective, 1);
    double mean = ratio - 1, spread = square - 2 * ratio + 1;
    double best = b->above ? -mean : mean, m = zb_exp(log_m);
    if (b->above) /* in units of 1 / (1 / m - 1), the largest that is allowed */
        best /= m / -zb_expm1(log_m);
    else if (c->is_signed) /* of 1 / (1 / m + 1) */
        best /= m / (1 + m);
    best = spread > 0 ? best / spread : 1;
    int k = 0;
    while (k < STAKES - LOOKED_AT && stake(k + 1) > best)
        k++;
    return k;
}

/* Is m refuted? ln of the wealth is at least ln(2 / delta). The margin covers the
   rounding of the sums. */
static bool refuted(bet *b, double log_m)
{
    double gain[LOOKED_AT] = { 0 }, top = -INFINITY, sum = 0;
    double margin = 1e-6 + 1e-12 * (double)b->c->count;
    if (!gains(b, log_m, first_stake(b, log_m), gain))
        return false;
    for (int k = 0; k < LOOKED_AT; k++)
        top = fmax(top, gain[k]);
    for (int k = 0; k < LOOKED_AT; k++)
        sum += zb_exp(gain[k] - top);
    double wealth = top + zb_log(sum / STAKES);
    return wealth >= zb_log(2 / b->c->delta) + margin;
}

/* ---- the bracket ----------------------------------------------------------------- */

static const double LEAST = -700; /* below, draws with signs refute nothing more */

/* The value nearest to `from` that is refuted, coming from `to`, which may be infinite:
   steps that double, then bisection to a hundredth of the distance. */
static double nearest_refuted(bet *b, double from, double to)
{
    double direction = to > from ? 1 : -1, step = fmax(b->c->error, 1e-9);
    double open = from, shut = to;
    for (; fabs(shut - open) > step && (!b->c->is_signed || open > LEAST) &&
           !b->tick.over;
         step *= 2) {
        double m = open + direction * step;
        if (refuted(b, m)) {
            shut = m;
            break;
        }
        open = m;
    }
    for (int i = 0; i < 60 && isfinite(shut) && !b->tick.over; i++) {
        double m = 0.5 * (open + shut);
        if (fabs(shut - open) <= 0.01 * fabs(shut - from))
            break;
        if (refuted(b, m))
            shut = m;
        else
            open = m;
    }
    return shut;
}

void zb_confidence_update(zb_confidence *c, zb_run *run)
{
    bet lower = { .c = c, .tick.run = run },
        upper = { .c = c, .above = true, .tick.run = run };
    if (c->count == 0)
        return;
    if (c->is_signed)
        find_signed_mean(c);
    else
        find_mean(c);
    if (c->log_mean > c->lower)
        c->lower = nearest_refuted(&lower, c->log_mean, c->lower);
    /* without a draw above 0 the mean may still be as small as it likes */
    double from = fmax(c->log_mean, -zb_log((double)c->count) - 30);
    if (from < c->upper)
        c->upper = nearest_refuted(&upper, from, c->upper);
}
