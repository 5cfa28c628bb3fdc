#include "model/axis.h"

#include "base/explog.h"

#include <string.h>

void zb_axis_take(size_t outer, size_t n, size_t inner, size_t k, const int *keep,
                  const double *in, double *out)
{
    for (size_t o = 0; o < outer; o++)
        for (size_t j = 0; j < k; j++)
            memmove(out + (o * k + j) * inner, in + (o * n + (size_t)keep[j]) * inner,
                    inner * sizeof *out);
}

void zb_axis_sum(size_t outer, size_t n, size_t inner, const double *in, double *out)
{
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < inner; i++) {
            const double *row = in + o * n * inner + i;
            double top = row[0], sum = 0;
            for (size_t x = 1; x < n; x++)
                top = row[x * inner] > top ? row[x * inner] : top;
            for (size_t x = 0; x < n && top > -INFINITY; x++)
                sum += zb_exp(row[x * inner] - top);
            out[o * inner + i] = top > -INFINITY ? top + zb_log(sum) : top;
        }
}

bool zb_axis_constant(size_t outer, size_t n, size_t inner, double tol,
                      const double *in)
{
    for (size_t o = 0; o < outer; o++)
        for (size_t x = 1; x < n; x++) {
            const double *a = in + o * n * inner, *b = a + x * inner;
            for (size_t i = 0; i < inner; i++)
                if (a[i] != b[i] && !(fabs(a[i] - b[i]) <= tol))
                    return false;
        }
    return true;
}

void zb_axis_add(int arity, const int *card, const size_t *stride,
                 const double *restrict in, double *restrict out)
{
    int x[ZB_MAX_AXES] = { 0 }, moved;
    size_t at = 0;
    for (;; out++) {
        *out += in[at];
        if ((moved = zb_axis_next(arity, card, x)) < 0)
            return;
        at = zb_axis_follow(arity, card, stride, moved, at);
    }
}

void zb_axis_gather(int arity, const int *card, const size_t *stride, size_t start,
                    const double *restrict in, double *restrict out)
{
    int x[ZB_MAX_AXES] = { 0 }, moved;
    size_t at = start;
    for (;; out++) {
        *out = in[at];
        if ((moved = zb_axis_next(arity, card, x)) < 0)
            return;
        at = zb_axis_follow(arity, card, stride, moved, at);
    }
}

void zb_axis_pick(int arity, const int *card, const size_t *offset, size_t start,
                  const double *restrict in, double *restrict out)
{
    const size_t *list[ZB_MAX_AXES + 1];
    int x[ZB_MAX_AXES] = { 0 }, moved = 0;

    list[0] = offset;
    for (int i = 0; i < arity; i++)
        list[i + 1] = list[i] + card[i];
    for (; moved >= 0; out++) {
        size_t at = start;
        for (int i = 0; i < arity; i++)
            at += list[i][x[i]];
        *out = in[at];
        moved = zb_axis_next(arity, card, x);
    }
}
