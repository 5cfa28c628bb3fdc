#include "model/table.h"

#include <string.h>

int zb_factor_axis(const zb_factor *f, int v)
{
    for (int i = 0; i < f->arity; i++)
        if (f->scope[i] == v)
            return i;
    return -1;
}

bool zb_factor_contains(const zb_factor *big, const zb_factor *small)
{
    for (int i = 0; i < small->arity; i++)
        if (zb_factor_axis(big, small->scope[i]) < 0)
            return false;
    return true;
}

void zb_factor_clear(zb_factor *f)
{
    zb_free(f->scope);
    zb_free(f->value);
    *f = (zb_factor){ 0 };
}

zb_shape zb_factor_shape(const zb_factor *f, const int *card, int axis)
{
    zb_shape s = { .n = (size_t)card[f->scope[axis]], .inner = 1 };
    for (int i = axis + 1; i < f->arity; i++)
        s.inner *= (size_t)card[f->scope[i]];
    s.outer = f->size / (s.n * s.inner);
    return s;
}

void zb_axis_take(zb_shape s, size_t k, const int *keep, const double *in, double *out)
{
    for (size_t o = 0; o < s.outer; o++)
        for (size_t j = 0; j < k; j++)
            memmove(out + (o * k + j) * s.inner,
                    in + (o * s.n + (size_t)keep[j]) * s.inner, s.inner * sizeof *out);
}

bool zb_axis_sum(zb_shape s, const double *in, double *out, zb_ticker *tick)
{
    for (size_t o = 0; o < s.outer; o++) {
        if (tick != NULL && !zb_tick(tick, (double)s.inner * (10 + 8.0 * (double)s.n)))
            return false;
        for (size_t i = 0; i < s.inner; i++) {
            const double *row = in + o * s.n * s.inner + i;
            double top = row[0], sum = 0;
            for (size_t x = 1; x < s.n; x++)
                top = row[x * s.inner] > top ? row[x * s.inner] : top;
            for (size_t x = 0; x < s.n && top > -INFINITY; x++)
                sum += zb_exp(row[x * s.inner] - top);
            out[o * s.inner + i] = top > -INFINITY ? top + zb_log(sum) : top;
        }
    }
    return true;
}

/* ln sum e^x relative to the largest x: differences are rounded by 2^-53 |x|, which
   counts for at most 1 / e with its exp, n times; the exp; n - 1 additions; the
   logarithm, at most ln n; the last addition. */
double zb_axis_sum_radius(zb_shape s, const double *out)
{
    double n = (double)s.n;
    double units = 1.4 * n + 2 * ZB_EXP_ULP + 2 * ZB_LOG_ULP * zb_log(n);
    return ZB_MARGIN * ZB_UNIT * units + zb_once_radius(s.outer * s.inner, out);
}

bool zb_axis_constant(zb_shape s, double tol, const double *in, double *spread)
{
    *spread = 0;
    for (size_t o = 0; o < s.outer; o++)
        for (size_t x = 1; x < s.n; x++) {
            const double *a = in + o * s.n * s.inner, *b = a + x * s.inner;
            for (size_t i = 0; i < s.inner; i++) {
                double apart = a[i] == b[i] ? 0 : fabs(a[i] - b[i]);
                if (!(apart <= tol))
                    return false;
                *spread = fmax(*spread, apart);
            }
        }
    return true;
}

size_t zb_walk_begin(zb_walk *w, int arity, const int *scope, const int *card,
                     const zb_factor *f)
{
    size_t size = 1, stride = 1;
    ZB_ASSERT(arity <= ZB_MAX_AXES);
    w->axes = arity;
    w->at = 0;
    for (int i = 0; i < arity; i++) {
        w->x[i] = 0;
        w->card[i] = card[scope[i]];
        w->stride[i] = 0;
        size *= (size_t)w->card[i];
    }
    for (int j = f->arity - 1; j >= 0; j--) {
        for (int i = 0; i < arity; i++)
            if (scope[i] == f->scope[j])
                w->stride[i] = stride;
        stride *= (size_t)card[f->scope[j]];
    }
    return size;
}

/* Entries between questions about the time, each of some four operations. */
enum { ROUND = 4096 };

static bool more(zb_ticker *tick, size_t entry)
{
    return tick == NULL || entry % ROUND != ROUND - 1 || zb_tick(tick, 4 * ROUND);
}

bool zb_walk_copy(zb_walk *w, const double *restrict in, double *restrict out,
                  zb_ticker *tick)
{
    for (size_t e = 0; more(tick, e); e++) {
        out[e] = in[w->at];
        if (zb_walk_next(w) < 0)
            return true;
    }
    return false;
}

void zb_factor_restrict(const zb_factor *f, const int *card, const int *value,
                        double *out)
{
    int scope[ZB_MAX_AXES], axes = 0;
    size_t step = f->size, start = 0;
    zb_walk w;

    for (int i = 0; i < f->arity; i++) {
        int v = f->scope[i];
        step /= (size_t)card[v];
        if (value[v] >= 0)
            start += step * (size_t)value[v];
        else if (card[v] > 1)
            scope[axes++] = v;
    }
    zb_walk_begin(&w, axes, scope, card, f);
    w.at = start;
    zb_walk_copy(&w, f->value, out, NULL);
}

/* The last axes, as far as f goes through them entry by entry, or stays where it is,
   are taken from the walk: returns how many states they have, ROUND at most. */
static size_t take_run(zb_walk *w, bool *still)
{
    size_t run = 1;
    *still = w->axes > 0 && w->stride[w->axes - 1] == 0;
    for (int i = w->axes - 1; i >= 0 && w->stride[i] == (*still ? 0 : run) &&
                              run * (size_t)w->card[i] <= ROUND;
         i--) {
        run *= (size_t)w->card[i];
        w->axes = i;
    }
    return run;
}

static void absorb_run(const zb_factor *f, size_t at, bool still, size_t run,
                       double *restrict out)
{
    const double *restrict value = f->value + at;
    if (still) {
        double x = zb_factor_log(f, at);
        for (size_t i = 0; i < run; i++)
            out[i] += x;
    } else if (f->log) {
        for (size_t i = 0; i < run; i++)
            out[i] += value[i];
    } else {
        for (size_t i = 0; i < run; i++)
            out[i] += zb_factor_log(f, at + i);
    }
}

bool zb_factor_absorb(const zb_factor *f, int arity, const int *scope, const int *card,
                      double *out, zb_ticker *tick)
{
    zb_walk w;
    bool still;
    size_t size = zb_walk_begin(&w, arity, scope, card, f), run = take_run(&w, &still);
    ZB_ASSERT(zb_disjoint(f->value, f->size * sizeof *out, out, size * sizeof *out));
    for (size_t e = 0;; e += run) {
        absorb_run(f, w.at, still, run, out + e);
        if (tick != NULL && !zb_tick(tick, 4.0 * (double)run))
            return false;
        if (zb_walk_next(&w) < 0)
            return true;
    }
}

double zb_absorb_radius(const zb_factor *f, size_t n, const double *out)
{
    double radius = zb_once_radius(n, out);
    if (f->log)
        return radius;
    zb_extremes e = zb_factor_extremes(f);
    double ends[] = { e.most, e.least < INFINITY ? e.least : 0 };
    return radius + zb_log_radius(2, ends);
}

void zb_table_pick(int arity, const int *card, const size_t *offset, size_t start,
                   const double *restrict in, double *restrict out)
{
    const size_t *list[ZB_MAX_AXES + 1];
    zb_walk w;

    list[0] = offset;
    w.axes = arity;
    w.at = 0;
    for (int i = 0; i < arity; i++) {
        w.x[i] = 0;
        w.card[i] = card[i];
        w.stride[i] = 0;
        list[i + 1] = list[i] + card[i];
    }
    do {
        size_t at = start;
        for (int i = 0; i < arity; i++)
            at += list[i][w.x[i]];
        *out++ = in[at];
    } while (zb_walk_next(&w) >= 0);
}

void zb_table_range(size_t size, const double *value, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t e = 0; e < size; e++) {
        *high = value[e] > *high ? value[e] : *high;
        *low = value[e] < *low ? value[e] : *low;
    }
}

double zb_log_magnitude(size_t n, const double *log)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double a = log[i] == -INFINITY ? 0 : fabs(log[i]);
        most = a > most ? a : most;
    }
    return most;
}

zb_extremes zb_factor_extremes(const zb_factor *f)
{
    double zero = f->log ? -INFINITY : 0;
    zb_extremes e = { .least = INFINITY, .most = zero };
    for (size_t i = 0; i < f->size; i++) {
        double x = f->value[i];
        e.zero = e.zero || x == zero;
        e.most = fmax(e.most, x);
        e.least = x > zero ? fmin(e.least, x) : e.least;
    }
    if (!f->log) {
        e.least = zb_log(e.least);
        e.most = zb_log(e.most);
    }
    return e;
}
