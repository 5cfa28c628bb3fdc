/* See kernel.h. Everything below is inlined into the few exported functions, which
 * exist in an AVX2 and a plain version (ZB_CLONES). glibc's vector exp and log are
 * reached through simd declarations; arguments are kept out of their slow ranges by
 * clamping at EXP_LEAST, below which a term cannot change a sum whose largest term is
 * one. */
#include "pass/kernel.h"

#include <string.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&                 \
    defined(__GLIBC__)
__attribute__((simd("notinbranch"))) extern double exp(double);
__attribute__((simd("notinbranch"))) extern double log(double);
#endif

static const double EXP_LEAST = -700;

#define INLINE static inline __attribute__((always_inline))

/* ---- block access ---------------------------------------------------------------- */

INLINE size_t pad(size_t n) { return (n + 3) & ~(size_t)3; }

size_t zb_job_scratch(size_t d, size_t block, int nin)
{
    size_t row = pad(block);
    return row * (6 + 3 * d + (2 * d) * (size_t)(nin + 1));
}

INLINE const int32_t *offsets(const zb_job *job, const zb_access *a)
{
    return job->offset + a->offset_at;
}

INLINE void load(const zb_job *job, const zb_access *a, const double *restrict in,
                 double *restrict out)
{
    size_t n = job->block;
    if (a->pattern == ZB_PATTERN_TABLE) {
        const int32_t *restrict at = offsets(job, a);
        for (size_t b = 0; b < n; b++)
            out[b] = in[at[b]];
    } else if (a->m == 1)
        memcpy(out, in, n * sizeof *out);
    else if (a->c == 1)
        for (size_t i = 0, b = 0; b < n; i++)
            for (uint32_t y = 0; y < a->m; y++)
                out[b++] = in[i];
    else
        for (size_t b = 0; b < n; in += a->c)
            for (uint32_t y = 0; y < a->m; y++, b += a->c)
                for (uint32_t j = 0; j < a->c; j++)
                    out[b + j] = in[j];
}

INLINE void load_add(const zb_job *job, const zb_access *a, const double *restrict in,
                     double *restrict out)
{
    size_t n = job->block;
    if (a->pattern == ZB_PATTERN_TABLE) {
        const int32_t *restrict at = offsets(job, a);
        for (size_t b = 0; b < n; b++)
            out[b] += in[at[b]];
    } else if (a->m == 1)
        for (size_t b = 0; b < n; b++)
            out[b] += in[b];
    else if (a->c == 1 && a->m == 2)
        for (size_t i = 0; 2 * i < n; i++) {
            out[2 * i] += in[i];
            out[2 * i + 1] += in[i];
        }
    else if (a->c == 1)
        for (size_t i = 0, b = 0; b < n; i++)
            for (uint32_t y = 0; y < a->m; y++)
                out[b++] += in[i];
    else
        for (size_t b = 0; b < n; in += a->c)
            for (uint32_t y = 0; y < a->m; y++, b += a->c)
                for (uint32_t j = 0; j < a->c; j++)
                    out[b + j] += in[j];
}

INLINE void load_mul(const zb_job *job, const zb_access *a, const double *restrict in,
                     double *restrict out)
{
    size_t n = job->block;
    if (a->pattern == ZB_PATTERN_TABLE) {
        const int32_t *restrict at = offsets(job, a);
        for (size_t b = 0; b < n; b++)
            out[b] *= in[at[b]];
    } else if (a->m == 1)
        for (size_t b = 0; b < n; b++)
            out[b] *= in[b];
    else if (a->c == 1 && a->m == 2)
        for (size_t i = 0; 2 * i < n; i++) {
            out[2 * i] *= in[i];
            out[2 * i + 1] *= in[i];
        }
    else if (a->c == 1)
        for (size_t i = 0, b = 0; b < n; i++)
            for (uint32_t y = 0; y < a->m; y++)
                out[b++] *= in[i];
    else
        for (size_t b = 0; b < n; in += a->c)
            for (uint32_t y = 0; y < a->m; y++, b += a->c)
                for (uint32_t j = 0; j < a->c; j++)
                    out[b + j] *= in[j];
}

/* The transpose of load: add a block's entries onto the table. */
INLINE void store_add(const zb_job *job, const zb_access *a, const double *restrict q,
                      double *restrict out)
{
    size_t n = job->block;
    if (a->pattern == ZB_PATTERN_TABLE) {
        const int32_t *restrict at = offsets(job, a);
        for (size_t b = 0; b < n; b++)
            out[at[b]] += q[b];
    } else if (a->m == 1)
        for (size_t b = 0; b < n; b++)
            out[b] += q[b];
    else if (a->c == 1 && a->m == 2)
        for (size_t i = 0; 2 * i < n; i++)
            out[i] += q[2 * i] + q[2 * i + 1];
    else if (a->c == 1)
        for (size_t i = 0, b = 0; b < n; i++) {
            double s0 = 0, s1 = 0;
            uint32_t y = 0;
            for (; y + 2 <= a->m; y += 2, b += 2)
                s0 += q[b], s1 += q[b + 1];
            if (y < a->m)
                s0 += q[b++];
            out[i] += s0 + s1;
        }
    else
        for (size_t b = 0; b < n; out += a->c)
            for (uint32_t y = 0; y < a->m; y++, b += a->c)
                for (uint32_t j = 0; j < a->c; j++)
                    out[j] += q[b + j];
}

/* Stand at block job->first. */
INLINE void seek_block(const zb_job *job, int tables)
{
    size_t k = job->first;
    for (int i = 0; i < tables; i++)
        job->base[i] = 0;
    for (int o = job->nouter - 1; o >= 0; o--) {
        job->count[o] = k % job->extent[o];
        k /= job->extent[o];
        for (int i = 0; i < tables && job->count[o] > 0; i++)
            job->base[i] +=
                job->count[o] * job->stride[job->access[i].stride_at + (size_t)o];
    }
}

/* Odometer over the outer axes, the last one fastest. */
INLINE void next_block(const zb_job *job, int tables)
{
    for (int o = job->nouter - 1; o >= 0; o--) {
        bool carry = ++job->count[o] == job->extent[o];
        size_t back = carry ? job->extent[o] - 1 : 0;
        for (int i = 0; i < tables; i++) {
            size_t stride = job->stride[job->access[i].stride_at + (size_t)o];
            job->base[i] = carry ? job->base[i] - back * stride : job->base[i] + stride;
        }
        if (!carry)
            return;
        job->count[o] = 0;
    }
}

/* psi[x] = sum of the log inputs at x, for every x; rows are `row` apart. */
INLINE void load_psi(const zb_job *job, size_t row, double *psi)
{
    for (int i = 0; i < job->nin; i++) {
        const zb_access *a = &job->access[i];
        const double *in = job->in[i] + job->base[i];
        for (size_t x = 0; x < job->d; x++, in += a->step)
            if (i == 0)
                load(job, a, in, psi + x * row);
            else
                load_add(job, a, in, psi + x * row);
    }
}

/* ---- power sums ------------------------------------------------------------------ */

/* w (and 1/w) for the block: constant, or gathered from the shared variables' table. */
INLINE void load_weights(const zb_job *job, size_t row, double *w, double *iw)
{
    if (job->weight == NULL)
        return;
    load(job, &job->access[job->nin], job->weight + job->base[job->nin], w);
    for (size_t b = job->block; b < row; b++)
        w[b] = 1;
    for (size_t b = 0; b < row; b++)
        iw[b] = 1 / w[b];
}

/* Divide psi by w in place. */
INLINE void scale_psi(const zb_job *job, size_t row, const double *iw, double *psi)
{
    if (job->weight != NULL) {
        for (size_t x = 0; x < job->d; x++)
            for (size_t b = 0; b < row; b++)
                psi[x * row + b] *= iw[b];
    } else if (job->w != 1) {
        double s = 1 / job->w;
        for (size_t i = 0; i < job->d * row; i++)
            psi[i] *= s;
    }
}

/* top = max over x, finite = top with infinities replaced by 0. */
INLINE void block_top(size_t d, size_t row, const double *psi, double *restrict top)
{
    for (size_t b = 0; b < row; b++)
        top[b] = psi[b];
    for (size_t x = 1; x < d; x++)
        for (size_t b = 0; b < row; b++)
            top[b] = psi[x * row + b] > top[b] ? psi[x * row + b] : top[b];
}

/* psi[x] <- exp(psi[x] - top), sum = their sum (at least one where top is finite). */
INLINE void block_exp(size_t d, size_t row, double *restrict psi,
                      const double *restrict top, double *restrict sum)
{
    for (size_t b = 0; b < row; b++)
        sum[b] = 0;
    for (size_t x = 0; x < d; x++)
        for (size_t b = 0; b < row; b++) {
            double a = psi[x * row + b] - top[b];
            a = a > EXP_LEAST ? a : EXP_LEAST; /* also where -inf - -inf is NaN */
            a = a < 0 ? a : 0;
            double e = exp(a);
            psi[x * row + b] = e;
            sum[b] += e;
        }
}

/* t = exp(-|a0 - a1|): the smaller of two terms relative to the larger. */
INLINE double ratio_exponent(double a0, double a1)
{
    double gap = a0 > a1 ? a1 - a0 : a0 - a1;
    return gap > EXP_LEAST ? gap : EXP_LEAST;
}

INLINE void power_sum(const zb_job *job, size_t row, double *psi, const double *w,
                      double *top, double *sum, double *restrict out)
{
    double ws = job->w;
    if (job->d == 2) {
        const double *restrict a = psi, *restrict c = psi + row;
        for (size_t b = 0; b < row; b++) {
            double t = exp(ratio_exponent(a[b], c[b]));
            sum[b] = (a[b] > c[b] ? a[b] : c[b]) + log(1 + t);
        }
    } else {
        block_top(job->d, row, psi, top);
        block_exp(job->d, row, psi, top, sum);
        for (size_t b = 0; b < row; b++)
            sum[b] = top[b] + log(sum[b]);
    }
    if (job->weight != NULL)
        for (size_t b = 0; b < job->block; b++)
            out[b] = sum[b] * w[b];
    else
        for (size_t b = 0; b < job->block; b++)
            out[b] = sum[b] * ws;
}

INLINE void extreme(const zb_job *job, size_t row, const double *psi,
                    double *restrict out)
{
    for (size_t b = 0; b < job->block; b++) {
        double best = psi[b];
        for (size_t x = 1; x < job->d; x++) {
            double a = psi[x * row + b];
            best = job->op == ZB_OP_MAX ? (a > best ? a : best) : (a < best ? a : best);
        }
        out[b] = best;
    }
}

ZB_CLONES void zb_kernel_log_forward(const zb_job *job, double *out)
{
    size_t row = pad(job->block);
    double *psi = job->buffer, *top = psi + job->d * row, *sum = top + row,
           *w = sum + row, *iw = w + row;
    int tables = job->nin + (job->weight != NULL);

    seek_block(job, tables);
    out += job->first * job->block;
    for (size_t k = job->first; k < job->last; k++, out += job->block) {
        load_psi(job, row, psi);
        if (job->op == ZB_OP_POWER) {
            load_weights(job, row, w, iw);
            scale_psi(job, row, iw, psi);
            power_sum(job, row, psi, w, top, sum, out);
        } else
            extreme(job, row, psi, out);
        if (job->nblocks > 1)
            next_block(job, tables);
    }
}

/* psi <- q(s) q(x|s), sum <- q(s) H(q(x|s)). */
INLINE void conditionals(const zb_job *job, size_t row, double *psi, double *top,
                         double *sum, const double *restrict q)
{
    if (job->d == 2) {
        double *restrict a = psi, *restrict c = psi + row;
        for (size_t b = 0; b < row; b++) {
            double gap = ratio_exponent(a[b], c[b]), t = exp(gap), p = 1 / (1 + t);
            double large = q[b] * p, small = large * t;
            sum[b] = q[b] * log(1 + t) - small * gap;
            bool first = a[b] > c[b];
            a[b] = first ? large : small;
            c[b] = first ? small : large;
        }
        return;
    }
    block_top(job->d, row, psi, top);
    /* H = ln S - sum_x p(x) (a(x) - top), p = exp(a - top) / S */
    for (size_t b = 0; b < row; b++)
        sum[b] = 0;
    double *dot = top + 2 * row;
    for (size_t b = 0; b < row; b++)
        dot[b] = 0;
    for (size_t x = 0; x < job->d; x++)
        for (size_t b = 0; b < row; b++) {
            double a = psi[x * row + b] - top[b];
            a = a > EXP_LEAST ? a : EXP_LEAST;
            a = a < 0 ? a : 0;
            double e = exp(a);
            psi[x * row + b] = e;
            sum[b] += e;
            dot[b] += e * a;
        }
    for (size_t b = 0; b < row; b++) {
        double f = q[b] / sum[b];
        sum[b] = q[b] * log(sum[b]) - f * dot[b];
        dot[b] = f;
    }
    for (size_t x = 0; x < job->d; x++)
        for (size_t b = 0; b < row; b++)
            psi[x * row + b] *= dot[b];
}

/* Accumulators for TABLE patterns: blocks that land on the same base are added up as
   plain vectors and scattered once. */
INLINE void spill(const zb_job *job, int i, size_t row, double *acc, size_t base,
                  double *grad)
{
    const zb_access *a = &job->access[i];
    for (size_t x = 0; x < job->d; x++) {
        store_add(job, a, acc + x * row, grad + base + x * a->step);
        memset(acc + x * row, 0, row * sizeof *acc);
    }
}

INLINE void accumulate(const zb_job *job, int i, size_t row, const double *q,
                       double *acc, size_t *held, double *grad)
{
    const zb_access *a = &job->access[i];
    if (a->pattern == ZB_PATTERN_SPAN || job->nblocks == 1) {
        for (size_t x = 0; x < job->d; x++)
            store_add(job, a, q + x * row, grad + job->base[i] + x * a->step);
        return;
    }
    if (*held != job->base[i]) {
        spill(job, i, row, acc, *held, grad);
        *held = job->base[i];
    }
    for (size_t j = 0; j < job->d * row; j++)
        acc[j] += q[j];
}

INLINE void clear_grads(const zb_job *job, double *const *grad, double *entropy,
                        size_t row, double *acc, size_t *held)
{
    for (int i = 0; i < job->nin; i++) {
        memset(grad[i], 0, job->access[i].size * sizeof **grad);
        held[i] = 0;
    }
    if (job->nblocks > 1)
        memset(acc, 0, (size_t)job->nin * job->d * row * sizeof *acc);
    if (entropy != NULL)
        memset(entropy, 0,
               (job->weight ? job->access[job->nin].size : 1) * sizeof *entropy);
}

INLINE void add_entropy(const zb_job *job, const double *h, double *entropy)
{
    if (job->weight != NULL) {
        store_add(job, &job->access[job->nin], h, entropy + job->base[job->nin]);
        return;
    }
    double s0 = 0, s1 = 0;
    size_t b = 0;
    for (; b + 2 <= job->block; b += 2)
        s0 += h[b], s1 += h[b + 1];
    if (b < job->block)
        s0 += h[b];
    *entropy += s0 + s1;
}

ZB_CLONES void zb_kernel_log_backward(const zb_job *job, const double *q,
                                      double *const *grad, double *entropy)
{
    size_t row = pad(job->block), d = job->d;
    double *psi = job->buffer, *top = psi + d * row, *sum = top + row,
           *w = sum + 2 * row, *iw = w + row, *qb = iw + row, *acc = qb + row;
    int tables = job->nin + (job->weight != NULL);
    size_t *held = job->base + tables;

    seek_block(job, tables);
    clear_grads(job, grad, entropy, row, acc, held);
    for (size_t b = job->block; b < row; b++)
        qb[b] = 0;
    q += job->first * job->block;
    for (size_t k = job->first; k < job->last; k++, q += job->block) {
        load_psi(job, row, psi);
        load_weights(job, row, w, iw);
        scale_psi(job, row, iw, psi);
        memcpy(qb, q, job->block * sizeof *qb);
        conditionals(job, row, psi, top, sum, qb);
        for (int i = 0; i < job->nin; i++)
            accumulate(job, i, row, psi, acc + (size_t)i * d * row, &held[i], grad[i]);
        if (entropy != NULL)
            add_entropy(job, sum, entropy);
        if (job->nblocks > 1)
            next_block(job, tables);
    }
    if (job->nblocks > 1)
        for (int i = 0; i < job->nin; i++)
            if (job->access[i].pattern == ZB_PATTERN_TABLE)
                spill(job, i, row, acc + (size_t)i * d * row, held[i], grad[i]);
}

/* ---- plain sums ------------------------------------------------------------------ */

INLINE void load_product(const zb_job *job, size_t row, double *prod)
{
    for (int i = 0; i < job->nin; i++) {
        const zb_access *a = &job->access[i];
        const double *in = job->in[i] + job->base[i];
        for (size_t x = 0; x < job->d; x++, in += a->step)
            if (i == 0)
                load(job, a, in, prod + x * row);
            else
                load_mul(job, a, in, prod + x * row);
    }
}

INLINE void sum_rows(const zb_job *job, size_t row, const double *prod,
                     double *restrict out)
{
    if (job->d == 2) {
        for (size_t b = 0; b < job->block; b++)
            out[b] = prod[b] + prod[row + b];
        return;
    }
    for (size_t b = 0; b < job->block; b++)
        out[b] = prod[b];
    for (size_t x = 1; x < job->d; x++)
        for (size_t b = 0; b < job->block; b++)
            out[b] += prod[x * row + b];
}

ZB_CLONES void zb_kernel_lin_forward(const zb_job *job, double *out)
{
    size_t row = pad(job->block);
    seek_block(job, job->nin);
    out += job->first * job->block;
    for (size_t k = job->first; k < job->last; k++, out += job->block) {
        load_product(job, row, job->buffer);
        sum_rows(job, row, job->buffer, out);
        if (job->nblocks > 1)
            next_block(job, job->nin);
    }
}

/* The derivative by input i is D(s) times the product of the others: products of the
   inputs before i are kept, the product of those behind it is carried backwards. */
INLINE void block_others(const zb_job *job, size_t row, double *before)
{
    size_t area = job->d * row;
    for (int i = 0; i + 1 < job->nin; i++) {
        const zb_access *a = &job->access[i];
        const double *in = job->in[i] + job->base[i];
        double *here = before + (size_t)i * area;
        for (size_t x = 0; x < job->d; x++, in += a->step) {
            if (i == 0) {
                load(job, a, in, here + x * row);
                continue;
            }
            memcpy(here + x * row, here + x * row - area, row * sizeof *here);
            load_mul(job, a, in, here + x * row);
        }
    }
}

INLINE void message_of_block(const zb_job *job, size_t row, const double *before,
                             double *prod, double *out)
{
    size_t area = job->d * row;
    int last = job->nin - 1;
    const zb_access *a = &job->access[last];
    const double *in = job->in[last] + job->base[last];
    if (last > 0)
        memcpy(prod, before + (size_t)(last - 1) * area, area * sizeof *prod);
    for (size_t x = 0; x < job->d; x++, in += a->step)
        if (last > 0)
            load_mul(job, a, in, prod + x * row);
        else
            load(job, a, in, prod + x * row);
    sum_rows(job, row, prod, out);
}

ZB_CLONES void zb_kernel_lin_backward(const zb_job *job, const double *dmsg,
                                      bool derivative, double *const *grad)
{
    size_t row = pad(job->block), d = job->d, area = d * row;
    double *carry = job->buffer, *here = carry + area, *db = here + area,
           *msg = db + row, *acc = msg + row, *before = acc + (size_t)job->nin * area;
    size_t *held = job->base + job->nin;

    seek_block(job, job->nin);
    clear_grads(job, grad, NULL, row, acc, held);
    dmsg += job->first * job->block;
    for (size_t k = job->first; k < job->last; k++, dmsg += job->block) {
        block_others(job, row, before);
        memcpy(db, dmsg, job->block * sizeof *db);
        if (!derivative) {
            message_of_block(job, row, before, here, msg);
            for (size_t b = 0; b < job->block; b++)
                db[b] = msg[b] != 0 ? db[b] / msg[b] : 0;
        }
        for (size_t x = 0; x < d; x++)
            memcpy(carry + x * row, db, row * sizeof *db);
        for (int i = job->nin - 1; i >= 0; i--) {
            const double *use = carry;
            if (i > 0) {
                const double *left = before + (size_t)(i - 1) * area;
                for (size_t j = 0; j < area; j++)
                    here[j] = carry[j] * left[j];
                use = here;
            }
            accumulate(job, i, row, use, acc + (size_t)i * area, &held[i], grad[i]);
            if (i > 0) {
                const zb_access *a = &job->access[i];
                const double *in = job->in[i] + job->base[i];
                for (size_t x = 0; x < d; x++, in += a->step)
                    load_mul(job, a, in, carry + x * row);
            }
        }
        if (job->nblocks > 1)
            next_block(job, job->nin);
    }
    if (job->nblocks > 1)
        for (int i = 0; i < job->nin; i++)
            if (job->access[i].pattern == ZB_PATTERN_TABLE)
                spill(job, i, row, acc + (size_t)i * area, held[i], grad[i]);
}

/* ---- elementwise ----------------------------------------------------------------- */

ZB_CLONES void zb_kernel_exp(size_t n, const double *x, double shift, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double a = x[i] - shift;
        bool zero = a < EXP_LEAST;
        double e = exp(zero ? 0 : a);
        out[i] = zero ? 0 : e;
    }
}

ZB_CLONES void zb_kernel_log_abs(size_t n, const double *x, double shift, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double a = fabs(x[i]);
        bool zero = a == 0;
        double l = log(zero ? 1 : a);
        out[i] = zero ? -INFINITY : l + shift;
    }
}

ZB_CLONES void zb_kernel_range(size_t n, const double *x, double *most, double *least)
{
    double hi = 0, lo = INFINITY;
    for (size_t i = 0; i < n; i++) {
        double a = fabs(x[i]), z = a == 0 ? INFINITY : a;
        hi = a > hi ? a : hi;
        lo = z < lo ? z : lo;
    }
    *most = hi;
    *least = lo;
}

ZB_CLONES void zb_kernel_log_range(size_t n, const double *x, double *most,
                                   double *least)
{
    double hi = -INFINITY, lo = INFINITY;
    for (size_t i = 0; i < n; i++) {
        double a = x[i], z = a == -INFINITY ? INFINITY : a;
        hi = a > hi ? a : hi;
        lo = z < lo ? z : lo;
    }
    *most = hi;
    *least = lo;
}
