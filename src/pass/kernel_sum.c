/* Plain sums of linear values on the way up. See kernel.h and kernel_rows.h.
 *
 * In a block, inputs that do not vary there are factors of a number c(x), so that
 *
 *     out(b) = sum_x c(x) prod_i in_i(x, b)
 *
 * takes one multiplication less for each of them. Two values of x are added at a time.
 * Sums are taken in the order of x, entry by entry: vectors change no bit. */
#include "pass/kernel_extent.h"

size_t zb_job_scratch(size_t d, size_t block, int nin)
{
    return row_length(block) * (8 + 3 * d + d * (size_t)nin);
}

INLINE void emit_block(size_t count, size_t n, zb_emit emit, lanes *e, double *out)
{
    if (emit == ZB_EMIT_LOG)
        log_row(n, out, 0, out);
    else
        widen(count, n, out, e);
    for (size_t b = 0; b < n && emit == ZB_EMIT_ABS; b++)
        out[b] = fabs(out[b]);
}

/* ---- two inputs that vary, over the slow and over the fast part of a block ------- */

/* out[i r + j] = sum_x m[x step + i] f[x r + j], i < rows, x < d, d >= 2. */
typedef struct outer {
    size_t rows, r, d, step;
    const double *m, *f;
    double *out;
} outer;

/* With a constant r < 4: vectors run over i, two values of x are added at a time. */
INLINE void outer_narrow(size_t r, const outer *s)
{
    size_t rows = s->rows, step = s->step;
    const double *restrict m = s->m, *restrict n = m + step, *restrict f = s->f;
    double *restrict out = s->out;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < r; j++)
            out[i * r + j] = m[i] * f[j] + n[i] * f[r + j];
    for (size_t x = 2; x < s->d; x += 2) {
        m += 2 * step, n += 2 * step, f += 2 * r;
        if (x + 1 == s->d)
            for (size_t i = 0; i < rows; i++)
                for (size_t j = 0; j < r; j++)
                    out[i * r + j] += m[i] * f[j];
        else
            for (size_t i = 0; i < rows; i++)
                for (size_t j = 0; j < r; j++)
                    out[i * r + j] = (out[i * r + j] + m[i] * f[j]) + n[i] * f[r + j];
    }
}

/* For entries from <= j < from + some of each run, some a constant: the sums stay in
   registers. */
INLINE void outer_some(size_t some, size_t from, const outer *s)
{
    size_t r = s->r, d = s->d, step = s->step;
    const double *restrict m = s->m, *restrict f = s->f + from;
    double *restrict out = s->out + from;
    for (size_t i = 0; i < s->rows; i++) {
        double sum[16];
        for (size_t j = 0; j < some; j++)
            sum[j] = m[i] * f[j];
        for (size_t x = 1; x < d; x++)
            for (size_t j = 0; j < some; j++)
                sum[j] += m[x * step + i] * f[x * r + j];
        memcpy(out + i * r, sum, some * sizeof *sum);
    }
}

INLINE void outer_wide(const outer *s)
{
    size_t j = 0;
    for (; j + 16 <= s->r; j += 16)
        outer_some(16, j, s);
    if (s->r - j >= 8) {
        outer_some(8, j, s);
        j += 8;
    }
    switch (s->r - j) {
    case 1: outer_some(1, j, s); break;
    case 2: outer_some(2, j, s); break;
    case 3: outer_some(3, j, s); break;
    case 4: outer_some(4, j, s); break;
    case 5: outer_some(5, j, s); break;
    case 6: outer_some(6, j, s); break;
    case 7: outer_some(7, j, s); break;
    }
}

INLINE double constant_at(const zb_kernel_call *run, size_t x)
{
    const zb_job *job = run->job;
    double c = run->factor;
    for (int i = 0; i < job->nin; i++) {
        const zb_access *a = &job->access[i];
        if (a->pattern == ZB_PATTERN_ONE)
            c *= a->value[run->base[i] + x * a->step];
    }
    return c;
}

INLINE void outer_block(const zb_kernel_call *run, size_t d, double *restrict scaled,
                        double *restrict out)
{
    const zb_job *job = run->job;
    const zb_access *m = &job->access[job->slowly], *f = &job->access[job->quickly];
    const double *restrict in = f->value + run->base[job->quickly];
    size_t r = job->run;
    for (size_t x = 0; x < d; x++, in += f->step) {
        double c = constant_at(run, x);
        for (size_t j = 0; j < r; j++)
            scaled[x * r + j] = c * in[j];
    }
    outer sum = { .rows = job->block / r,
                  .r = r,
                  .d = d,
                  .step = m->step,
                  .m = m->value + run->base[job->slowly],
                  .f = scaled,
                  .out = out };
    if (r == 2)
        outer_narrow(2, &sum);
    else if (r == 3)
        outer_narrow(3, &sum);
    else
        outer_wide(&sum);
}

/* ---- any inputs ------------------------------------------------------------------ */

/* Is it worth to keep the product of what stays along the fastest outer axis? One table
   that is read as it lies needs no copy. */
INLINE bool keep_slow(const zb_job *job)
{
    int vary = 0;
    bool full = false;
    for (int i = 0; i < job->nin; i++) {
        const zb_access *a = &job->access[i];
        vary += a->slow && a->pattern != ZB_PATTERN_ONE;
        full = full || (a->slow && a->pattern == ZB_PATTERN_FULL);
    }
    return vary > 1 || (vary == 1 && !full);
}

/* The product of the inputs at x is *c times the row returned, which is an input
   itself, kept, or `to`; of slow or other inputs only where kept ones are made or
   given. */
INLINE const double *product(const zb_kernel_call *run, size_t n, size_t x,
                             const double *kept, double *to, double *c)
{
    const zb_job *job = run->job;
    const double *left = kept == NULL ? NULL : kept + x * row_length(n);
    *c = run->factor;
    for (int i = 0; i < job->nin; i++) {
        const zb_access *a = &job->access[i];
        const double *in = a->value + run->base[i] + x * a->step;
        if (a->pattern == ZB_PATTERN_ONE)
            *c *= *in;
        else if (kept != NULL && a->slow)
            continue;
        else if (left == NULL && a->pattern == ZB_PATTERN_FULL)
            left = in;
        else {
            if (left == NULL)
                row_load(ROW_SET, (laid){ job, a, n }, in, to, to);
            else
                row_load(ROW_MUL, (laid){ job, a, n }, in, left, to);
            left = to;
        }
    }
    return left;
}

INLINE void keep_rows(const zb_kernel_call *run, size_t n, size_t d, double *kept)
{
    const zb_job *job = run->job;
    for (size_t x = 0; x < d; x++, kept += row_length(n)) {
        bool first = true;
        for (int i = 0; i < job->nin; i++) {
            const zb_access *a = &job->access[i];
            const double *in = a->value + run->base[i] + x * a->step;
            if (!a->slow || a->pattern == ZB_PATTERN_ONE)
                continue;
            if (first)
                row_load(ROW_SET, (laid){ job, a, n }, in, kept, kept);
            else
                row_load(ROW_MUL, (laid){ job, a, n }, in, kept, kept);
            first = false;
        }
    }
}

INLINE void set_one(size_t n, double c, const double *restrict a, double *restrict out)
{
    for (size_t b = 0; b < n; b++)
        out[b] = c * a[b];
}

INLINE void set_two(size_t n, double c, const double *restrict a, double e,
                    const double *restrict f, double *restrict out)
{
    for (size_t b = 0; b < n; b++)
        out[b] = c * a[b] + e * f[b];
}

INLINE void add_one(size_t n, double c, const double *restrict a, double *restrict out)
{
    for (size_t b = 0; b < n; b++)
        out[b] += c * a[b];
}

INLINE void add_two(size_t n, double c, const double *restrict a, double e,
                    const double *restrict f, double *restrict out)
{
    for (size_t b = 0; b < n; b++)
        out[b] = (out[b] + c * a[b]) + e * f[b];
}

INLINE void sum_block(const zb_kernel_call *run, size_t n, size_t d, const double *kept,
                      double *rows, double *restrict out)
{
    for (size_t x = 0; x < d; x += 2) {
        double c, e;
        const double *a = product(run, n, x, kept, rows, &c), *f;
        if (x + 1 == d) {
            if (x == 0)
                set_one(n, c, a, out);
            else
                add_one(n, c, a, out);
            return;
        }
        f = product(run, n, x + 1, kept, rows + row_length(n), &e);
        if (x == 0)
            set_two(n, c, a, e, f, out);
        else
            add_two(n, c, a, e, f, out);
    }
}

/* ---- all blocks ------------------------------------------------------------------ */

INLINE zb_extent lin_forward(const zb_kernel_call *run, size_t n, size_t d,
                             zb_emit emit, double *out)
{
    const zb_job *job = run->job;
    double *rows = run->buffer, *kept = rows + 2 * row_length(n);
    bool keep = job->slowly < 0 && keep_slow(job), moved = true;
    lanes e = no_lanes(LANES, 0);

    seek_block(run, job->nin);
    out += run->first * n;
    for (size_t k = run->first; k < run->last; k++, out += n) {
        if (job->slowly >= 0)
            outer_block(run, d, rows, out);
        else {
            if (moved && keep) {
                hold(run, job->nin);
                keep_rows(run, n, d, kept);
            }
            sum_block(run, n, d, keep ? kept : NULL, rows, out);
        }
        emit_block(LANES, n, emit, &e, out);
        moved = next_block(run, job->nin) && keep && slow_moved(run, job->nin);
    }
    return join_lanes(LANES, &e);
}

INLINE void sum_pair(size_t n, double c, const double *restrict psi,
                     double *restrict out)
{
    size_t row = row_length(n);
    for (size_t b = 0; b < n; b++)
        out[b] = c * (psi[b] + psi[row + b]);
}

/* A small node of one block: n is a constant and everything in registers. */
INLINE zb_extent lin_forward_one(const zb_kernel_call *run, size_t n, zb_emit emit,
                                 double *out)
{
    lanes e = no_lanes(4, 0);
    for (int i = 0; i < run->job->nin; i++)
        run->base[i] = 0;
    load_inputs(ROW_MUL, run, (shape){ n, 2 }, false, NULL, run->buffer);
    sum_pair(n, run->factor, run->buffer, out);
    emit_block(4, n, emit, &e, out);
    return join_lanes(4, &e);
}

ZB_CLONES zb_extent zb_kernel_lin_forward(const zb_kernel_call *run, zb_emit emit,
                                          double *restrict out)
{
    const zb_job *job = run->job;
    if (job->d != 2)
        return lin_forward(run, job->block, job->d, emit, out);
    switch (job->nblocks == 1 ? job->block : 0) {
    case 1: return lin_forward_one(run, 1, emit, out);
    case 2: return lin_forward_one(run, 2, emit, out);
    case 4: return lin_forward_one(run, 4, emit, out);
    case 8: return lin_forward_one(run, 8, emit, out);
    case 16: return lin_forward_one(run, 16, emit, out);
    default: return lin_forward(run, job->block, 2, emit, out);
    }
}
