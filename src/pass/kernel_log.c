/* Power sums over tables of logarithms. See kernel.h and kernel_rows.h. The exported
 * functions exist in an AVX2 and a plain version (ZB_CLONES), with constants for nodes
 * of one small block. */
#include "pass/kernel_rows.h"

typedef struct rows { /* of the scratch; each `row` long, or d times that */
    double *psi, *pre, *acc;
    double *top, *sum, *dot, *w, *iw, *q, *h;
} rows;

INLINE rows lay_rows(const zb_kernel_call *run, size_t row, size_t d)
{
    double *at = run->buffer, *one = at + 3 * d * row;
    return (rows){ .psi = at,
                   .pre = at + d * row,
                   .acc = at + 2 * d * row,
                   .top = one,
                   .sum = one + row,
                   .dot = one + 2 * row,
                   .w = one + 3 * row,
                   .iw = one + 4 * row,
                   .q = one + 5 * row,
                   .h = one + 6 * row };
}

/* ---- weights --------------------------------------------------------------------- */

/* w and 1/w for the block: the same everywhere, or by the shared variables. */
INLINE void load_weights(const zb_kernel_call *run, size_t n, const rows *r)
{
    const zb_job *job = run->job;
    if (job->weighted)
        row_load(ROW_SET, (laid){ job, &job->access[job->nin], n },
                 run->weight + run->base[job->nin], r->w, r->w);
    else
        for (size_t b = 0; b < n; b++)
            r->w[b] = *run->weight;
    for (size_t b = 0; b < row_length(n); b++)
        r->iw[b] = 1 / r->w[b];
}

/* Do the weights change with every block? */
INLINE bool weights_move(const zb_job *job)
{
    return job->weighted && !job->access[job->nin].slow;
}

/* ---- power sums ------------------------------------------------------------------ */

/* Two terms with exponents a/w and c/w: the exponent of the smaller relative to the
   larger, and which is the larger. */
INLINE double ratio_exponent(double a, double c, double iw)
{
    return -fabs((a - c) * iw);
}

/* The exponent that exp_term takes, so that its product with a term is never NaN. */
INLINE double at_least(double gap) { return gap > EXP_LEAST ? gap : EXP_LEAST; }

INLINE bool first_is_larger(double a, double c, double iw)
{
    return (a > c) == (iw > 0);
}

/* Loops with an exp and loops with a log are kept apart: one with both is too long a
   chain for processors to have several rounds of it under way. */
INLINE void power_sum_2(size_t n, const rows *r)
{
    size_t row = row_length(n);
    const double *restrict a = r->psi, *restrict c = r->psi + row, *restrict w = r->w,
                           *restrict iw = r->iw;
    double *restrict out = r->sum;
    for (size_t b = 0; b < row; b++)
        out[b] = exp_term(ratio_exponent(a[b], c[b], iw[b]));
    for (size_t b = 0; b < row; b++) {
        double top = first_is_larger(a[b], c[b], iw[b]) ? a[b] : c[b];
        out[b] = top + w[b] * zb_vlog_normal(1 + out[b]);
    }
}

/* psi <- psi / w, top <- the largest over x. */
INLINE void scale_and_top(size_t n, size_t d, const rows *r)
{
    size_t row = row_length(n);
    double *restrict psi = r->psi, *restrict top = r->top;
    const double *restrict iw = r->iw;
    for (size_t x = 0; x < d; x++)
        for (size_t b = 0; b < row; b++) {
            double a = psi[x * row + b] * iw[b];
            psi[x * row + b] = a;
            top[b] = x == 0 || a > top[b] ? a : top[b];
        }
}

INLINE void power_sum(size_t n, size_t d, const rows *r)
{
    size_t row = row_length(n);
    const double *restrict psi = r->psi, *restrict top = r->top, *restrict w = r->w;
    double *restrict sum = r->sum;
    scale_and_top(n, d, r);
    for (size_t b = 0; b < row; b++)
        sum[b] = 0;
    for (size_t x = 0; x < d; x++)
        for (size_t b = 0; b < row; b++)
            sum[b] += exp_term(psi[x * row + b] - top[b]);
    for (size_t b = 0; b < row; b++)
        sum[b] = w[b] * (top[b] + zb_vlog_normal(sum[b]));
}

INLINE void extreme(zb_op op, size_t n, size_t d, const double *restrict psi,
                    double *restrict out)
{
    size_t row = row_length(n);
    for (size_t b = 0; b < n; b++) {
        double best = psi[b];
        for (size_t x = 1; x < d; x++) {
            double a = psi[x * row + b];
            best = op == ZB_OP_MAX ? (a > best ? a : best) : (a < best ? a : best);
        }
        out[b] = best;
    }
}

/* ---- forward --------------------------------------------------------------------- */

INLINE void widen_logs(size_t n, const double *restrict x, double *restrict hi,
                       double *restrict lo)
{
    double most = *hi, least = *lo;
    for (size_t b = 0; b < n; b++) {
        double z = x[b] == -INFINITY ? INFINITY : x[b];
        most = x[b] > most ? x[b] : most;
        least = z < least ? z : least;
    }
    *hi = most;
    *lo = least;
}

INLINE void forward_block(const zb_kernel_call *run, size_t n, size_t d, const rows *r,
                          double *out)
{
    if (run->op != ZB_OP_POWER) {
        extreme(run->op, n, d, r->psi, out);
        return;
    }
    if (d == 2)
        power_sum_2(n, r);
    else
        power_sum(n, d, r);
    memcpy(out, r->sum, n * sizeof *out);
}

INLINE zb_extent log_forward(const zb_kernel_call *run, size_t n, size_t d,
                             bool measure, double *out)
{
    const zb_job *job = run->job;
    rows r = lay_rows(run, row_length(n), d);
    int tables = job->nin + job->weighted;
    bool slow = any_slow(job), moved = true;
    zb_extent e = { -INFINITY, INFINITY };

    seek_block(run, tables);
    out += run->first * n;
    for (size_t k = run->first; k < run->last; k++, out += n) {
        if (moved)
            hold(run, tables);
        if (moved && slow)
            load_inputs(ROW_ADD, run, (shape){ n, d }, true, NULL, r.pre);
        if (moved || weights_move(job))
            load_weights(run, n, &r);
        load_inputs(ROW_ADD, run, (shape){ n, d }, false, slow ? r.pre : NULL, r.psi);
        forward_block(run, n, d, &r, out);
        if (measure)
            widen_logs(n, out, &e.most, &e.least);
        moved = next_block(run, tables) && slow_moved(run, tables);
    }
    return e;
}

/* A node of one block: everything is loaded once. */
INLINE zb_extent log_forward_one(const zb_kernel_call *run, size_t n, bool measure,
                                 double *out)
{
    rows r = lay_rows(run, row_length(n), 2);
    zb_extent e = { -INFINITY, INFINITY };
    for (int i = 0; i <= run->job->nin; i++)
        run->base[i] = 0;
    load_weights(run, n, &r);
    load_inputs(ROW_ADD, run, (shape){ n, 2 }, false, NULL, r.psi);
    forward_block(run, n, 2, &r, out);
    if (measure)
        widen_logs(n, out, &e.most, &e.least);
    return e;
}

/* Each case is a function of its own: compilers take more than in proportion for a long
   one. */
#define FORWARD(name, call)                                                            \
    static ZB_CLONES zb_extent name(const zb_kernel_call *run, bool measure,           \
                                    double *restrict out)                              \
    {                                                                                  \
        return call;                                                                   \
    }
FORWARD(forward_1, log_forward_one(run, 1, measure, out))
FORWARD(forward_2, log_forward_one(run, 2, measure, out))
FORWARD(forward_4, log_forward_one(run, 4, measure, out))
FORWARD(forward_8, log_forward_one(run, 8, measure, out))
FORWARD(forward_16, log_forward_one(run, 16, measure, out))
FORWARD(forward_binary, log_forward(run, run->job->block, 2, measure, out))
FORWARD(forward_any, log_forward(run, run->job->block, run->job->d, measure, out))

zb_extent zb_kernel_log_forward(const zb_kernel_call *run, bool measure,
                                double *restrict out)
{
    const zb_job *job = run->job;
    if (job->d != 2)
        return forward_any(run, measure, out);
    switch (job->nblocks == 1 ? job->block : 0) {
    case 1: return forward_1(run, measure, out);
    case 2: return forward_2(run, measure, out);
    case 4: return forward_4(run, measure, out);
    case 8: return forward_8(run, measure, out);
    case 16: return forward_16(run, measure, out);
    default: return forward_binary(run, measure, out);
    }
}

/* ---- backward -------------------------------------------------------------------- */

/* psi <- q(s) q(x|s), h <- q(s) H(q(x|s)). */
INLINE void conditionals_2(size_t n, bool entropy, const rows *r)
{
    size_t row = row_length(n);
    double *restrict a = r->psi, *restrict c = r->psi + row, *restrict h = r->sum;
    double *restrict t = r->dot;
    const double *restrict iw = r->iw, *restrict q = r->q;
    for (size_t b = 0; b < row; b++)
        t[b] = exp_term(ratio_exponent(a[b], c[b], iw[b]));
    for (size_t b = 0; b < row && entropy; b++)
        h[b] = q[b] * zb_vlog_normal(1 + t[b]);
    for (size_t b = 0; b < row; b++) {
        double large = q[b] / (1 + t[b]), small = large * t[b];
        bool first = first_is_larger(a[b], c[b], iw[b]);
        if (entropy)
            h[b] -= small * at_least(ratio_exponent(a[b], c[b], iw[b]));
        a[b] = first ? large : small;
        c[b] = first ? small : large;
    }
}

/* H = ln S - sum_x p(x) (a(x) - top), p = exp(a - top) / S */
INLINE void conditionals(size_t n, size_t d, const rows *r)
{
    size_t row = row_length(n);
    double *restrict psi = r->psi, *restrict sum = r->sum, *restrict dot = r->dot;
    const double *restrict top = r->top, *restrict q = r->q;
    scale_and_top(n, d, r);
    for (size_t b = 0; b < row; b++)
        sum[b] = dot[b] = 0;
    for (size_t x = 0; x < d; x++)
        for (size_t b = 0; b < row; b++) {
            double gap = psi[x * row + b] - top[b], e = exp_term(gap);
            psi[x * row + b] = e;
            sum[b] += e;
            dot[b] += e * at_least(gap);
        }
    for (size_t b = 0; b < row; b++) {
        double f = q[b] / sum[b];
        sum[b] = q[b] * zb_vlog_normal(sum[b]) - f * dot[b];
        dot[b] = f;
    }
    for (size_t x = 0; x < d; x++)
        for (size_t b = 0; b < row; b++)
            psi[x * row + b] *= dot[b];
}

INLINE void backward_block(size_t n, size_t d, bool entropy, const rows *r,
                           const double *q)
{
    memcpy(r->q, q, n * sizeof *q);
    if (d != 2)
        conditionals(n, d, r);
    else if (entropy)
        conditionals_2(n, true, r);
    else
        conditionals_2(n, false, r);
}

/* What was summed up for slow tables goes to where they stood. Returns the entropy in
   all, if weights are the same everywhere. */
INLINE double spill(const zb_kernel_call *run, size_t n, size_t d, bool entropy,
                    const rows *r)
{
    const zb_job *job = run->job;
    size_t row = row_length(n), *held = run->base + job->nin + job->weighted;
    double sum = 0;
    for (int i = 0; i < job->nin; i++)
        if (job->access[i].slow)
            store_input(run, i, n, d, held[i], r->acc);
    if (entropy && !job->weighted)
        sum = row_sum(n, r->h);
    else if (entropy && !weights_move(job))
        store_input(run, job->nin, n, 1, held[job->nin], r->h);
    memset(r->acc, 0, d * row * sizeof *r->acc);
    memset(r->h, 0, row * sizeof *r->h);
    return sum;
}

INLINE void add_rows(size_t n, const double *restrict x, double *restrict sum)
{
    for (size_t b = 0; b < n; b++)
        sum[b] += x[b];
}

INLINE void keep_block(const zb_kernel_call *run, size_t n, size_t d, bool slow,
                       bool entropy, const rows *r)
{
    const zb_job *job = run->job;
    for (int i = 0; i < job->nin; i++)
        if (!job->access[i].slow)
            store_input(run, i, n, d, run->base[i], r->psi);
    if (slow)
        add_rows(d * row_length(n), r->psi, r->acc);
    if (entropy && weights_move(job))
        store_input(run, job->nin, n, 1, run->base[job->nin], r->sum);
    else if (entropy)
        add_rows(n, r->sum, r->h);
}

INLINE double log_backward(const zb_kernel_call *run, size_t n, size_t d, bool entropy,
                           const double *q)
{
    const zb_job *job = run->job;
    size_t row = row_length(n);
    rows r = lay_rows(run, row, d);
    int tables = job->nin + job->weighted;
    bool slow = any_slow(job), moved = true;
    double sum = 0;

    seek_block(run, tables);
    memset(r.acc, 0, d * row * sizeof *r.acc);
    memset(r.h, 0, row * sizeof *r.h);
    q += run->first * n;
    for (size_t k = run->first; k < run->last; k++, q += n) {
        if (moved && k > run->first)
            sum += spill(run, n, d, entropy, &r);
        if (moved)
            hold(run, tables);
        if (moved && slow)
            load_inputs(ROW_ADD, run, (shape){ n, d }, true, NULL, r.pre);
        if (moved || weights_move(job))
            load_weights(run, n, &r);
        load_inputs(ROW_ADD, run, (shape){ n, d }, false, slow ? r.pre : NULL, r.psi);
        backward_block(n, d, entropy, &r, q);
        keep_block(run, n, d, slow, entropy, &r);
        moved = next_block(run, tables) && slow_moved(run, tables);
    }
    return sum + spill(run, n, d, entropy, &r);
}

INLINE double log_backward_one(const zb_kernel_call *run, size_t n, bool entropy,
                               const double *q)
{
    const zb_job *job = run->job;
    rows r = lay_rows(run, row_length(n), 2);
    for (int i = 0; i <= job->nin; i++)
        run->base[i] = 0;
    load_weights(run, n, &r);
    load_inputs(ROW_ADD, run, (shape){ n, 2 }, false, NULL, r.psi);
    backward_block(n, 2, entropy, &r, q);
    for (int i = 0; i < job->nin; i++)
        store_input(run, i, n, 2, 0, r.psi);
    if (entropy && job->weighted)
        store_input(run, job->nin, n, 1, 0, r.sum);
    return entropy && !job->weighted ? row_sum(n, r.sum) : 0;
}

#define BACKWARD(name, call)                                                           \
    static ZB_CLONES double name(const zb_kernel_call *run, bool entropy,              \
                                 const double *restrict q)                             \
    {                                                                                  \
        return call;                                                                   \
    }
BACKWARD(backward_1, log_backward_one(run, 1, entropy, q))
BACKWARD(backward_2, log_backward_one(run, 2, entropy, q))
BACKWARD(backward_4, log_backward_one(run, 4, entropy, q))
BACKWARD(backward_8, log_backward_one(run, 8, entropy, q))
BACKWARD(backward_16, log_backward_one(run, 16, entropy, q))
BACKWARD(backward_binary, log_backward(run, run->job->block, 2, entropy, q))
BACKWARD(backward_any, log_backward(run, run->job->block, run->job->d, entropy, q))

double zb_kernel_log_backward(const zb_kernel_call *run, bool entropy,
                              const double *restrict q)
{
    const zb_job *job = run->job;
    if (job->d != 2)
        return backward_any(run, entropy, q);
    switch (job->nblocks == 1 ? job->block : 0) {
    case 1: return backward_1(run, entropy, q);
    case 2: return backward_2(run, entropy, q);
    case 4: return backward_4(run, entropy, q);
    case 8: return backward_8(run, entropy, q);
    case 16: return backward_16(run, entropy, q);
    default: return backward_binary(run, entropy, q);
    }
}
