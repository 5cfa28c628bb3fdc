#include "base/sum.h"

/* Infinities have no carry. */
void zb_sum_add(zb_sum *s, double x)
{
    double sum = s->sum + x;
    if (isfinite(sum))
        s->carry += fabs(s->sum) >= fabs(x) ? (s->sum - sum) + x : (x - sum) + s->sum;
    s->sum = sum;
    s->most = fmax(s->most, fabs(sum));
    s->count++;
}

/* k ln 2 in terms that are exact but for the last, which is 2^-33 of it. */
static void add_powers(zb_sum *s, int64_t k)
{
    double high = (double)(k / (1 << 20)) * 0x1p20, low = (double)(k % (1 << 20));
    zb_sum_add(s, high * ZB_LN2_HI);
    zb_sum_add(s, low * ZB_LN2_HI);
    zb_sum_add(s, (double)k * ZB_LN2_LO);
    s->radius += fabs((double)k) * 0x1p-85;
}

/* Each addition leaves an error of at most u most in carry, whose own sum has a
   relative error of at most count u. */
zb_ball zb_sum_value(const zb_sum *given)
{
    zb_sum s = *given;
    if (!isfinite(s.sum))
        return (zb_ball){ s.sum, 0 };
    if (s.exp2 != 0)
        add_powers(&s, s.exp2);
    double value = s.sum + s.carry, n = s.count * ZB_UNIT;
    return (zb_ball){ value,
                      s.radius + ZB_MARGIN * (ZB_UNIT * fabs(value) + n * n * s.most) };
}
