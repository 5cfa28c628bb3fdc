/* Rows: a table along one block of a node's separator, for one value of x. Private to
 * the kernels, into which everything here is inlined; n is a constant there for small
 * blocks. */
#ifndef ZB_KERNEL_ROWS_H
#define ZB_KERNEL_ROWS_H

#include "base/explog.h"
#include "pass/kernel.h"

#include <string.h>

#define INLINE ZB_INLINE

/* Below this a term cannot change a sum whose largest term is one. */
static const double EXP_LEAST = -700, EXP_OF_LEAST = 0x1.14f2b0fb9307fp-1010;

/* e^gap of a term relative to the largest one, gap <= 0; where -inf - -inf gave NaN, as
   if it were far below. */
INLINE double exp_term(double gap)
{
    double e = zb_vexp_normal(gap);
    return gap > EXP_LEAST ? e : EXP_OF_LEAST;
}

enum { ROW_SET, ROW_ADD, ROW_MUL };

INLINE size_t row_length(size_t n) { return (n + 3) & ~(size_t)3; }

INLINE double row_put(int op, double left, double v)
{
    return op == ROW_SET ? v : op == ROW_ADD ? left + v : left * v;
}

INLINE void row_span(int op, const zb_access *a, size_t n, const double *restrict in,
                     const double *left, double *out)
{
    const size_t c = a->c, m = a->m;
    for (size_t i = 0, b = 0; b < n; i++)
        for (size_t y = 0; y < m; y++, b += c) {
#pragma omp simd
            for (size_t j = 0; j < c; j++)
                out[b + j] = row_put(op, left[b + j], in[i * c + j]);
        }
}

INLINE void row_repeat(int op, size_t m, size_t n, const double *restrict in,
                       const double *left, double *out)
{
#pragma omp simd
    for (size_t i = 0; i < n / m; i++)
        for (size_t y = 0; y < m; y++)
            out[i * m + y] = row_put(op, left[i * m + y], in[i]);
}

typedef struct laid { /* a table along a block of n entries */
    const zb_job *job;
    const zb_access *a;
    size_t n;
} laid;

/* out = left op the table, along a block; out may be left. */
INLINE void row_load(int op, laid t, const double *restrict in, const double *left,
                     double *out)
{
    const zb_access *a = t.a;
    const size_t n = t.n;
    if (a->pattern == ZB_PATTERN_FULL) {
#pragma omp simd
        for (size_t b = 0; b < n; b++)
            out[b] = row_put(op, left[b], in[b]);
    } else if (a->pattern == ZB_PATTERN_ONE) {
        double v = *in;
#pragma omp simd
        for (size_t b = 0; b < n; b++)
            out[b] = row_put(op, left[b], v);
    } else if (a->pattern == ZB_PATTERN_TABLE) {
        const int32_t *restrict at = t.job->offset + a->offset_at;
#pragma omp simd
        for (size_t b = 0; b < n; b++)
            out[b] = row_put(op, left[b], in[at[b]]);
    } else if (a->c == 1 && a->m == 2)
        row_repeat(op, 2, n, in, left, out);
    else if (a->c == 1 && a->m == 4)
        row_repeat(op, 4, n, in, left, out);
    else
        row_span(op, a, n, in, left, out);
}

INLINE double row_sum(size_t n, const double *restrict q)
{
    double lane[8] = { 0 }, rest = 0;
    size_t b = 0;
    for (; b + 8 <= n; b += 8)
        for (size_t l = 0; l < 8; l++)
            lane[l] += q[b + l];
    for (; b < n; b++)
        rest += q[b];
    for (size_t l = 0; l < 4; l++)
        lane[l] += lane[l + 4];
    return ((lane[0] + lane[2]) + (lane[1] + lane[3])) + rest;
}

/* Sums over the members of every group, set or added to the table. */
INLINE void row_fold(bool add, size_t c, size_t m, size_t n, const double *restrict q,
                     double *restrict out)
{
    for (size_t i = 0; i < n / (m * c); i++)
        for (size_t j = 0; j < c; j++) {
            double sum = 0;
            for (size_t y = 0; y < m; y++)
                sum += q[(i * m + y) * c + j];
            out[i * c + j] = add ? out[i * c + j] + sum : sum;
        }
}

/* Runs of c >= 4 consecutive entries. */
INLINE void row_fold_runs(bool add, size_t c, size_t m, size_t n,
                          const double *restrict q, double *restrict out)
{
    for (size_t b = 0; b < n; out += c)
        for (size_t y = 0; y < m; y++, b += c) {
            if (y == 0 && !add)
                memcpy(out, q + b, c * sizeof *out);
            else
                for (size_t j = 0; j < c; j++)
                    out[j] += q[b + j];
        }
}

INLINE void row_gather(bool add, size_t m, size_t n, const int32_t *restrict member,
                       const double *restrict q, double *restrict out)
{
    for (size_t t = 0; t < n / m; t++) {
        double sum = q[member[t * m]];
        for (size_t y = 1; y < m; y++)
            sum += q[member[t * m + y]];
        out[t] = add ? out[t] + sum : sum;
    }
}

/* The transpose of row_load: a block's entries summed onto the table. */
INLINE void row_store(bool add, const zb_job *job, const zb_access *a, size_t n,
                      const double *restrict q, double *restrict out)
{
    if (a->pattern == ZB_PATTERN_FULL)
        for (size_t b = 0; b < n; b++)
            out[b] = add ? out[b] + q[b] : q[b];
    else if (a->pattern == ZB_PATTERN_ONE)
        *out = add ? *out + row_sum(n, q) : row_sum(n, q);
    else if (a->pattern == ZB_PATTERN_TABLE && a->m == 2)
        row_gather(add, 2, n, job->offset + a->offset_at + n, q, out);
    else if (a->pattern == ZB_PATTERN_TABLE)
        row_gather(add, a->m, n, job->offset + a->offset_at + n, q, out);
    else if (a->c == 1 && a->m == 2)
        row_fold(add, 1, 2, n, q, out);
    else if (a->c == 1 && a->m == 4)
        row_fold(add, 1, 4, n, q, out);
    else if (a->c == 1)
        row_fold(add, 1, a->m, n, q, out);
    else
        row_fold_runs(add, a->c, a->m, n, q, out);
}

/* ---- from block to block --------------------------------------------------------- */

/* Stand at block run->first. */
INLINE void seek_block(const zb_kernel_call *run, int tables)
{
    const zb_job *job = run->job;
    size_t k = run->first;
    for (int i = 0; i < tables; i++)
        run->base[i] = 0;
    for (int o = job->nouter - 1; o >= 0; o--) {
        run->count[o] = k % job->extent[o];
        k /= job->extent[o];
        for (int i = 0; i < tables && run->count[o] > 0; i++)
            run->base[i] +=
                run->count[o] * job->stride[job->access[i].stride_at + (size_t)o];
    }
}

/* Odometer over the outer axes, the last one fastest. Did any but the fastest move? */
INLINE bool next_block(const zb_kernel_call *run, int tables)
{
    const zb_job *job = run->job;
    for (int o = job->nouter - 1; o >= 0; o--) {
        bool carry = ++run->count[o] == job->extent[o];
        size_t back = carry ? job->extent[o] - 1 : 0;
        for (int i = 0; i < tables; i++) {
            size_t stride = job->stride[job->access[i].stride_at + (size_t)o];
            run->base[i] = carry ? run->base[i] - back * stride : run->base[i] + stride;
        }
        if (!carry)
            return o < job->nouter - 1;
        run->count[o] = 0;
    }
    return true;
}

typedef struct shape { /* d rows of n entries */
    size_t n, d;
} shape;

/* psi[x] = the inputs' sum or product at x, rows `row` apart; of the slow inputs only,
   or of the others on top of what `pre` has of the slow ones (NULL: there are none). */
INLINE void load_inputs(int op, const zb_kernel_call *run, shape r, bool slow,
                        const double *pre, double *psi)
{
    const size_t n = r.n, d = r.d;
    const zb_job *job = run->job;
    size_t row = row_length(n);
    const double *left = pre;
    for (int i = 0; i < job->nin; i++) {
        const zb_access *a = &job->access[i];
        const double *in = a->value + run->base[i];
        if (a->slow != slow)
            continue;
        for (size_t x = 0; x < d; x++, in += a->step)
            if (left == NULL)
                row_load(ROW_SET, (laid){ job, a, n }, in, psi + x * row,
                         psi + x * row);
            else
                row_load(op, (laid){ job, a, n }, in, left + x * row, psi + x * row);
        left = psi;
    }
}

INLINE bool any_slow(const zb_job *job)
{
    for (int i = 0; i < job->nin; i++)
        if (job->access[i].slow)
            return true;
    return false;
}

/* Where the slow tables stand; have they moved since? */
INLINE void hold(const zb_kernel_call *run, int tables)
{
    memcpy(run->base + tables, run->base, (size_t)tables * sizeof *run->base);
}

INLINE bool slow_moved(const zb_kernel_call *run, int tables)
{
    const size_t *held = run->base + tables;
    for (int i = 0; i < tables; i++)
        if (run->job->access[i].slow && held[i] != run->base[i])
            return true;
    return false;
}

/* Marginals of psi onto input i at base; summed up in grad unless the input is its own.
 */
INLINE void store_input(const zb_kernel_call *run, int i, size_t n, size_t d,
                        size_t base, const double *psi)
{
    const zb_job *job = run->job;
    const zb_access *a = &job->access[i];
    double *out = (a->own ? a->grad : run->grad[i]) + base;
    for (size_t x = 0; x < d; x++, out += a->step)
        if (a->own)
            row_store(false, job, a, n, psi + x * row_length(n), out);
        else
            row_store(true, job, a, n, psi + x * row_length(n), out);
}

#endif
