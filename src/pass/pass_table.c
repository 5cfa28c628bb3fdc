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

static void add_units(zb_table *x, double units)
{
    x->radius += ZB_MARGIN * ZB_UNIT * units;
}

/* Entries whose sign is not known have no logarithm that is. */
static void leave_signs(zb_table *x)
{
    if (x->cancels)
        x->radius = INFINITY;
    x->negative = x->cancels = false;
}

/* ln v has an error of ZB_LOG_ULP units of |ln v| <= most, twice 2^-53 each. */
void zb_table_to_log(zb_table *x, const zb_sweeper *by)
{
    apply(zb_kernel_log_abs, x, 0, by);
    leave_signs(x);
    add_units(x, 2 * ZB_LOG_ULP * x->most);
    x->is_log = true;
}

/* The difference is rounded, by at most 2^-53 of the range, and so is its exp. */
void zb_table_to_linear(zb_table *x, zb_extent e, const zb_sweeper *by)
{
    bool zero = e.most == -INFINITY;
    x->is_log = !zero && e.most - e.least > ZB_RANGE_MOST;
    if (!zero)
        x->shift += e.most;
    x->most = zero ? 0 : e.most - e.least;
    x->high = 0;
    x->negative = false;
    if (!zero)
        add_units(x, x->most + (x->is_log ? 0 : 2 * ZB_EXP_ULP));
    apply(x->is_log ? zb_kernel_subtract : zb_kernel_exp, x, zero ? 0 : e.most, by);
}

/* Towards the middle, unless that gains little. A whole number, so that differences
   are mostly exact. */
void zb_table_center(zb_table *x, zb_extent e, const zb_sweeper *by)
{
    double middle = rint((e.most + e.least) / 2);
    x->most = e.most == -INFINITY ? 0 : fmax(fabs(e.most), fabs(e.least));
    if (e.most == -INFINITY || !(fabs(middle) > x->most / 4))
        return;
    apply(zb_kernel_subtract, x, middle, by);
    x->shift += middle;
    x->most = fmax(e.most - middle, middle - e.least);
    add_units(x, x->most);
}

/* The range includes one: a product then stays within the sum of its inputs' ranges of
   one. What may not be moved has a range beyond ZB_RANGE_MOST, so that its node works
   on logarithms. Powers of two are exact. */
void zb_table_settle(zb_table *x, zb_extent e, const zb_sweeper *by)
{
    const double ln2 = 0.693147180559945309417;
    x->is_log = false;
    x->most = 0;
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
    x->most = ln2 * (zb_max_int(high + 1, 0) - zb_min_int(low, 0));
}

void zb_table_add_noise(zb_table *x, zb_extent *e, double noise, const zb_sweeper *by)
{
    x->cancels = x->negative = false;
    x->radius = isfinite(noise) ? 0 : INFINITY;
    if (!(noise > 0 && noise < INFINITY))
        return;
    apply(zb_kernel_subtract, x, -noise, by);
    add_units(x, 1);
    *e = (zb_extent){ e->most + noise, noise };
}

void zb_table_find_signs(zb_table *x)
{
    x->positive = true;
    x->negative = false;
    for (size_t i = 0; i < x->size && !x->negative; i++) {
        x->positive = x->positive && x->value[i] > 0;
        x->negative = x->value[i] < 0;
    }
}

void zb_table_drop_sign(zb_table *x)
{
    for (size_t i = 0; i < x->size && x->negative; i++)
        x->value[i] = fabs(x->value[i]);
    leave_signs(x);
}
