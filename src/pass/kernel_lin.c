/* Derivatives of plain sums of linear values. See kernel.h and kernel_rows.h. */
#include "pass/kernel_rows.h"

INLINE void sum_rows(size_t n, size_t d, const double *restrict psi,
                     double *restrict out)
{
    size_t row = row_length(n);
    if (d == 2) {
        for (size_t b = 0; b < n; b++)
            out[b] = psi[b] + psi[row + b];
        return;
    }
    for (size_t b = 0; b < n; b++)
        out[b] = psi[b];
    for (size_t x = 1; x < d; x++)
        for (size_t b = 0; b < n; b++)
            out[b] += psi[x * row + b];
}

/* psi <- q(s) psi(x,s) / sum_x psi(x,s), zero where the sum is. */
INLINE void share_out(size_t n, size_t d, const double *restrict q,
                      double *restrict sum, double *restrict psi)
{
    size_t row = row_length(n);
    for (size_t b = 0; b < n; b++) {
        double s = psi[b];
        for (size_t x = 1; x < d; x++)
            s += psi[x * row + b];
        double f = q[b] / (s == 0 ? 1 : s);
        sum[b] = f;
    }
    for (size_t x = 0; x < d; x++)
        for (size_t b = 0; b < n; b++)
            psi[x * row + b] *= sum[b];
}

INLINE void spill(const zb_kernel_call *run, size_t n, size_t d, double *acc)
{
    const zb_job *job = run->job;
    const size_t *held = run->base + job->nin;
    for (int i = 0; i < job->nin; i++)
        if (job->access[i].slow)
            store_input(run, i, n, d, held[i], acc);
    memset(acc, 0, d * row_length(n) * sizeof *acc);
}

INLINE void add_rows(size_t n, const double *restrict x, double *restrict sum)
{
    for (size_t b = 0; b < n; b++)
        sum[b] += x[b];
}

INLINE void lin_backward(const zb_kernel_call *run, size_t n, size_t d, const double *q)
{
    const zb_job *job = run->job;
    size_t area = d * row_length(n);
    double *psi = run->buffer, *pre = psi + area, *acc = pre + area, *sum = acc + area;
    bool slow = any_slow(job), moved = true;

    seek_block(run, job->nin);
    memset(acc, 0, area * sizeof *acc);
    q += run->first * n;
    for (size_t k = run->first; k < run->last; k++, q += n) {
        if (moved && slow && k > run->first)
            spill(run, n, d, acc);
        if (moved)
            hold(run, job->nin);
        if (moved && slow)
            load_inputs(ROW_MUL, run, (shape){ n, d }, true, NULL, pre);
        load_inputs(ROW_MUL, run, (shape){ n, d }, false, slow ? pre : NULL, psi);
        share_out(n, d, q, sum, psi);
        for (int i = 0; i < job->nin; i++)
            if (!job->access[i].slow)
                store_input(run, i, n, d, run->base[i], psi);
        if (slow)
            add_rows(area, psi, acc);
        moved = next_block(run, job->nin) && slow_moved(run, job->nin);
    }
    if (slow)
        spill(run, n, d, acc);
}

INLINE void lin_backward_one(const zb_kernel_call *run, size_t n, const double *q)
{
    double *psi = run->buffer;
    for (int i = 0; i < run->job->nin; i++)
        run->base[i] = 0;
    load_inputs(ROW_MUL, run, (shape){ n, 2 }, false, NULL, psi);
    share_out(n, 2, q, psi + 2 * row_length(n), psi);
    for (int i = 0; i < run->job->nin; i++)
        store_input(run, i, n, 2, 0, psi);
}

/* Each case is a function of its own, as in kernel_log.c. */
#define BACKWARD(name, call)                                                           \
    static ZB_CLONES void name(const zb_kernel_call *run, const double *restrict q)    \
    {                                                                                  \
        call;                                                                          \
    }
BACKWARD(backward_1, lin_backward_one(run, 1, q))
BACKWARD(backward_2, lin_backward_one(run, 2, q))
BACKWARD(backward_4, lin_backward_one(run, 4, q))
BACKWARD(backward_8, lin_backward_one(run, 8, q))
BACKWARD(backward_16, lin_backward_one(run, 16, q))
BACKWARD(backward_binary, lin_backward(run, run->job->block, 2, q))
BACKWARD(backward_any, lin_backward(run, run->job->block, run->job->d, q))

void zb_kernel_lin_backward(const zb_kernel_call *run, const double *restrict q)
{
    const zb_job *job = run->job;
    if (job->d != 2) {
        backward_any(run, q);
        return;
    }
    switch (job->nblocks == 1 ? job->block : 0) {
    case 1: backward_1(run, q); break;
    case 2: backward_2(run, q); break;
    case 4: backward_4(run, q); break;
    case 8: backward_8(run, q); break;
    case 16: backward_16(run, q); break;
    default: backward_binary(run, q);
    }
}

/* ---- derivatives by entries that may be zero or negative ------------------------- */

/* The derivative by input i is D(s) times the product of the others: products of the
   inputs before i are kept, the product of those behind it is carried backwards. */
INLINE void block_others(const zb_kernel_call *run, size_t n, double *before)
{
    const zb_job *job = run->job;
    size_t row = row_length(n), area = job->d * row;
    for (int i = 0; i < job->nin; i++) {
        const zb_access *a = &job->access[i];
        const double *in = a->value + run->base[i];
        double *here = before + (size_t)i * area;
        for (size_t x = 0; x < job->d; x++, in += a->step, here += row)
            if (i == 0)
                row_load(ROW_SET, (laid){ job, a, n }, in, here, here);
            else
                row_load(ROW_MUL, (laid){ job, a, n }, in, here - area, here);
    }
}

INLINE void multiply_rows(size_t n, const double *restrict x, const double *restrict y,
                          double *restrict out)
{
    for (size_t b = 0; b < n; b++)
        out[b] = x[b] * y[b];
}

/* Inputs from the last to the first. A table may be replaced by its derivatives, so all
   that is needed of it is taken before they are stored. */
INLINE void derive_block(const zb_kernel_call *run, size_t n, const bool *belief,
                         double *carry, double *here, const double *before)
{
    const zb_job *job = run->job;
    size_t row = row_length(n), area = job->d * row;
    for (int i = job->nin - 1; i >= 0; i--) {
        const zb_access *a = &job->access[i];
        const double *in = a->value + run->base[i];
        if (i > 0)
            multiply_rows(area, carry, before + (size_t)(i - 1) * area, here);
        else
            memcpy(here, carry, area * sizeof *here);
        for (size_t x = 0; x < job->d; x++, in += a->step) {
            double *h = here + x * row, *c = carry + x * row;
            if (belief[i])
                row_load(ROW_MUL, (laid){ job, a, n }, in, h, h);
            if (i > 0)
                row_load(ROW_MUL, (laid){ job, a, n }, in, c, c);
        }
        store_input(run, i, n, job->d, run->base[i], here);
    }
}

ZB_CLONES void zb_kernel_lin_derive(const zb_kernel_call *run,
                                    const double *restrict dmsg, bool derivative,
                                    const bool *belief)
{
    const zb_job *job = run->job;
    size_t n = job->block, row = row_length(n), area = job->d * row;
    double *carry = run->buffer, *here = carry + area, *msg = here + area,
           *before = msg + row;

    seek_block(run, job->nin);
    dmsg += run->first * n;
    for (size_t k = run->first; k < run->last; k++, dmsg += n) {
        block_others(run, n, before);
        if (!derivative)
            sum_rows(n, job->d, before + (size_t)(job->nin - 1) * area, msg);
        for (size_t b = 0; b < n; b++)
            carry[b] = derivative ? dmsg[b] : msg[b] != 0 ? dmsg[b] / msg[b] : 0;
        for (size_t x = 1; x < job->d; x++)
            memcpy(carry + x * row, carry, n * sizeof *carry);
        derive_block(run, n, belief, carry, here, before);
        next_block(run, job->nin);
    }
}
