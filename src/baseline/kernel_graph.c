/* Loops over the tables of one factor. The last slot varies fastest, so each table is
 * read as rows of card[k-1] entries; an odometer over the other slots keeps the sum of
 * their parts. */
#include "baseline/factorgraph.h"

#include "base/explog.h"

/* Operations of an entry: a sum; an exponential. */
enum { PLAIN = 2, EXP = 8 };

static size_t count_rows(zb_slots s)
{
    size_t rows = 1;
    for (int i = 0; i + 1 < s.count; i++)
        rows *= (size_t)s.card[i];
    return rows;
}

/* Next row: true while the slots 0 .. k-2 have not come round. */
static inline void advance(zb_slots s, int *x)
{
    for (int i = s.count - 2; i >= 0; i--) {
        if (++x[i] < s.card[i])
            return;
        x[i] = 0;
    }
}

double zb_joint(zb_slots s, double scale, const double *in, const double *const *part,
                double *out, zb_ticker *tick)
{
    int x[ZB_MAX_AXES] = { 0 };
    int k = s.count;
    size_t rows = count_rows(s), n = (size_t)s.card[k - 1];
    const double *last = part[k - 1];
    double top = -INFINITY;

    for (size_t r = 0; r < rows; r++, in += n, out += n, advance(s, x)) {
        double base = 0;
        if (!zb_tick(tick, (double)(PLAIN * ((size_t)k + n))))
            break;
        for (int i = 0; i + 1 < k; i++)
            base += part[i] != NULL ? part[i][x[i]] : 0;
        for (size_t j = 0; j < n; j++) {
            out[j] = scale * in[j] + base + (last != NULL ? last[j] : 0);
            top = out[j] > top ? out[j] : top;
        }
    }
    return top;
}

/* The entries [at, end) of the next stretch of a long loop; false after the last, or
   when the time is over. */
static bool next_stretch(size_t n, size_t *at, size_t *end, zb_ticker *tick)
{
    enum { STRETCH = 4096 };
    *at = *end;
    *end = zb_min_size(n, *at + STRETCH);
    return *at < n && zb_tick(tick, (double)(EXP * (*end - *at)));
}

double zb_log_sum(size_t n, const double *in, zb_ticker *tick)
{
    double top = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        top = in[i] > top ? in[i] : top;
    if (top == -INFINITY)
        return top;
    for (size_t at, end = 0; next_stretch(n, &at, &end, tick);)
        for (size_t i = at; i < end; i++)
            sum += zb_vexp(in[i] - top);
    return top + zb_log(sum);
}

double zb_magnitude(size_t n, const double *in)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = isinf(in[i]) ? most : fmax(most, fabs(in[i]));
    return most;
}

double zb_log_entropy(size_t n, const double *in, zb_ticker *tick)
{
    double whole = zb_log_sum(n, in, tick), sum = 0;
    if (whole == -INFINITY)
        return 0;
    for (size_t at, end = 0; next_stretch(n, &at, &end, tick);)
        for (size_t i = at; i < end; i++) {
            double p = zb_vexp(in[i] - whole);
            sum += p > 0 ? p * (whole - in[i]) : 0;
        }
    return sum > 0 ? sum : 0;
}

/* ln sum over a block structure: entries base + outer * step + inner. */
static double log_sum_at(const double *joint, size_t outer, size_t step, size_t inner,
                         zb_ticker *tick)
{
    double top = -INFINITY, sum = 0;
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < inner; i++)
            top = joint[o * step + i] > top ? joint[o * step + i] : top;
    if (top == -INFINITY)
        return top;
    for (size_t o = 0; o < outer && zb_tick(tick, (double)(EXP * inner)); o++)
        for (size_t i = 0; i < inner; i++)
            sum += zb_vexp(joint[o * step + i] - top);
    return top + zb_log(sum);
}

static double marginal_value(zb_slots s, int slot, int x, const double *joint,
                             zb_ticker *tick)
{
    size_t outer = 1, inner = 1;
    for (int i = 0; i < slot; i++)
        outer *= (size_t)s.card[i];
    for (int i = slot + 1; i < s.count; i++)
        inner *= (size_t)s.card[i];
    return log_sum_at(joint + (size_t)x * inner, outer, inner * (size_t)s.card[slot],
                      inner, tick);
}

void zb_slot_marginal(zb_slots s, int slot, const double *restrict joint,
                      double *restrict out, zb_ticker *tick)
{
    for (int x = 0; x < s.card[slot]; x++)
        out[x] = marginal_value(s, slot, x, joint, tick);
}

void zb_slot_marginals(zb_slots s, const double *joint, double top, double *const *out,
                       zb_ticker *tick)
{
    int x[ZB_MAX_AXES] = { 0 };
    int k = s.count;
    size_t rows = count_rows(s), n = (size_t)s.card[k - 1];
    const double *row = joint;

    for (int i = 0; i < k; i++)
        for (int j = 0; j < s.card[i]; j++)
            out[i][j] = 0;
    for (size_t r = 0; r < rows && top > -INFINITY; r++, advance(s, x)) {
        double sum = 0;
        if (!zb_tick(tick, (double)(EXP * n + (size_t)k)))
            return;
        for (size_t j = 0; j < n; j++) {
            double p = zb_vexp(row[j] - top);
            out[k - 1][j] += p;
            sum += p;
        }
        for (int i = 0; i + 1 < k; i++)
            out[i][x[i]] += sum;
        row += n;
    }
    /* Sums that came near underflow are taken again, from their own largest term. */
    for (int i = 0; i < k; i++)
        for (int j = 0; j < s.card[i]; j++)
            out[i][j] = out[i][j] > 1e-280 ? top + zb_log(out[i][j])
                                           : marginal_value(s, i, j, joint, tick);
}
