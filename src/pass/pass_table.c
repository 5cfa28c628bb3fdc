#include "pass/pass_table.h"

#include "base/explog.h"

/* ---- elementwise loops, a large table shared out --------------------------------- */

typedef void elementwise(size_t n, const double *x, double by, double *out);

enum {
    SHARED = 16384,    /* entries from which on several threads go over a table */
    STRETCH = 1 << 18, /* entries between questions whether to go on */
    PARTS = 16
};

typedef struct sweep {
    elementwise *f;
    zb_table *x;
    double by;
    const zb_sweeper *how;
} sweep;

static void sweep_stretches(const sweep *s, size_t first, size_t last)
{
    double *v = s->x->value;
    _Atomic bool *cut = s->how->cut;
    for (size_t from = first; from < last; from += STRETCH) {
        if (from > first && cut != NULL && !zb_run_more(s->how->run))
            *cut = true;
        if (cut != NULL && *cut)
            return;
        s->f(zb_min_size(STRETCH, last - from), v + from, s->by, v + from);
    }
}

static void sweep_part(void *context, int part, int thread)
{
    const sweep *s = context;
    size_t lines = s->x->size / 8, i = (size_t)part;
    size_t last = i + 1 == PARTS ? s->x->size : lines * (i + 1) / PARTS * 8;
    (void)thread;
    sweep_stretches(s, lines * i / PARTS * 8, last);
}

static void apply(elementwise *f, zb_table *x, double by, const zb_sweeper *how)
{
    sweep s = { f, x, by, how };
    if (how->team->open && x->size > SHARED)
        zb_team_share(how->team, PARTS, sweep_part, &s);
    else if (x->size > STRETCH)
        sweep_stretches(&s, 0, x->size);
    else
        f(x->size, x->value, by, x->value);
}

/* ---- forms ----------------------------------------------------------------------- */

void zb_table_to_log(zb_table *x, const zb_sweeper *by)
{
    apply(zb_kernel_log_abs, x, 0, by);
    x->is_log = true;
}

void zb_table_to_linear(zb_table *x, zb_extent e, const zb_sweeper *by)
{
    bool zero = e.most == -INFINITY;
    x->is_log = !zero && e.most - e.least > ZB_RANGE_MOST;
    if (!zero)
        x->shift += e.most;
    x->range = zero ? 0 : e.most - e.least;
    x->high = 0;
    apply(x->is_log ? zb_kernel_subtract : zb_kernel_exp, x, zero ? 0 : e.most, by);
}

/* The range includes one: a product then stays within the sum of its inputs' ranges of
   one. What may not be moved has a range beyond ZB_RANGE_MOST, so that its node works
   on logarithms. */
void zb_table_settle(zb_table *x, zb_extent e, const zb_sweeper *by)
{
    const double ln2 = 0.693147180559945309417;
    x->is_log = false;
    x->range = 0;
    x->high = 0;
    if (e.most == 0)
        return;
    int high = ilogb(e.most), low = ilogb(e.least);
    int shift = zb_max_int(-1000, zb_min_int(high, 1000));
    if ((e.most > 0x1p16 || e.most < 0x1p-16) && low - shift >= -1022) {
        apply(zb_kernel_scale, x, ldexp(1, -shift), by);
        x->exp2 += shift;
        high -= shift;
        low -= shift;
    }
    x->high = high;
    x->range = ln2 * (zb_max_int(high + 1, 0) - zb_min_int(low, 0));
}

bool zb_table_all_positive(const zb_table *x)
{
    for (size_t i = 0; i < x->size; i++)
        if (!(x->value[i] > 0))
            return false;
    return true;
}

void zb_table_drop_sign(zb_table *x)
{
    for (size_t i = 0; i < x->size && !x->is_log; i++)
        x->value[i] = fabs(x->value[i]);
}

/* ---- sums of logarithms ---------------------------------------------------------- */

void zb_log_sum_add(zb_log_sum *s, double x)
{
    double sum = s->sum + x;
    s->carry += fabs(s->sum) >= fabs(x) ? (s->sum - sum) + x : (x - sum) + s->sum;
    s->sum = sum;
}

/* Infinities have no carry. */
double zb_log_sum_value(const zb_log_sum *s)
{
    const double ln2 = 0.693147180559945309417;
    return isfinite(s->sum) ? (double)s->exp2 * ln2 + s->sum + s->carry : s->sum;
}
