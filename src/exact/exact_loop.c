/* The output is cut into blocks over its fastest axes. Within a block every input is
 * laid out in the same way each time, so that this is worked out once; between blocks
 * an odometer over the slow axes moves the inputs' offsets. Blocks are independent and
 * their shape does not depend on the threads, so the answer does not either. */
#include "exact/exact_loop.h"

#include "exact/exact_kernel.h"

#include <omp.h>
#include <string.h>

enum { TASK = 32 };                          /* blocks that a thread takes at a time */
static const double PARALLEL_FROM = 1 << 18; /* clique entries that repay the threads */

void zb_headway_tell(zb_headway *h)
{
    double now = zb_now(), done;
    if (!zb_run_more(h->run))
        h->stop = true;
    if (now - h->last < 0.1 || h->run == NULL)
        return;
    h->last = now;
#pragma omp atomic read
    done = h->done;
    zb_progress at = { .log_lower = -INFINITY,
                       .log_upper = INFINITY,
                       .fraction = h->total > 0 ? fmin(1, done / h->total) : -1 };
    if (!zb_run_report(h->run, at))
        h->stop = true;
}

/* ---- layout ---------------------------------------------------------------------- */

/* First axis of the block: the fastest axes whose product is at most ZB_LOOP_BLOCK. */
static int first_inner(const int *card, int naxes, const int *axis, size_t *block)
{
    int from = naxes;
    *block = 1;
    while (from > 0 && *block * (size_t)card[axis[from - 1]] <= ZB_LOOP_BLOCK)
        *block *= (size_t)card[axis[--from]];
    return from;
}

/* Strides of a table along the axes, 0 where it has them not. */
static void strides(const int *card, int naxes, const int *axis, const zb_etable *t,
                    size_t *stride)
{
    size_t size = 1;
    for (int a = naxes - 1, i = t->count - 1; a >= 0; a--) {
        bool present = i >= 0 && t->axis[i] == axis[a];
        stride[a] = present ? size : 0;
        size *= present ? (size_t)card[axis[a]] : 1;
        i -= present;
    }
}

static void lay_runs(zb_loop_input *in, const int *card, int from, int naxes,
                     const int *axis, const size_t *stride)
{
    int digit[ZB_LOOP_AXES] = { 0 }, a = naxes - 1, at = 0;
    bool present = stride[a] > 0;

    in->kind = present ? ZB_LOOP_COPY : ZB_LOOP_FILL;
    in->len = 1;
    for (; a >= from && (stride[a] > 0) == present; a--)
        in->len *= (size_t)card[axis[a]];
    for (size_t run = 0; run < in->runs / in->len; run++) {
        in->index[run] = at;
        for (int b = a; b >= from; b--) {
            at += (int)stride[b];
            if (++digit[b] < card[axis[b]])
                break;
            at -= card[axis[b]] * (int)stride[b];
            digit[b] = 0;
        }
    }
    in->runs /= in->len;
}

static void lay_input(zb_loop_input *in, const int *card, int from, int naxes,
                      const int *axis, const size_t *stride, size_t block)
{
    in->entries = 1;
    for (int a = from; a < naxes; a++)
        in->entries *= stride[a] > 0 ? (size_t)card[axis[a]] : 1;
    in->runs = block;
    in->len = 1;
    if (in->entries == block)
        in->kind = ZB_LOOP_FULL;
    else if (in->entries == 1)
        in->kind = ZB_LOOP_CONST;
    else
        lay_runs(in, card, from, naxes, axis, stride);
}

/* A fastest axis longer than a block is cut; the last piece may be shorter. */
static void cut_axis(zb_loop *l, size_t card, const zb_etable *input, int axis)
{
    int o = l->outer++;
    l->block = ZB_LOOP_BLOCK;
    l->extent[o] = (card + ZB_LOOP_BLOCK - 1) / ZB_LOOP_BLOCK;
    l->last = card - (l->extent[o] - 1) * ZB_LOOP_BLOCK;
    l->out_stride[o] = ZB_LOOP_BLOCK;
    for (int j = 0; j < l->count; j++) {
        const zb_etable *t = &input[j];
        bool present = t->count > 0 && t->axis[t->count - 1] == axis;
        l->input[j].stride[o] = present ? ZB_LOOP_BLOCK : 0;
        l->input[j].kind = present ? ZB_LOOP_FULL : ZB_LOOP_CONST;
    }
}

/* Two varying inputs, one over the slow and one over the fast part of a block. */
static void find_outer(zb_loop *l)
{
    int fill = -1, copy = -1, varying = 0;
    for (int j = 0; j < l->count; j++) {
        const zb_loop_input *in = &l->input[j];
        varying += in->kind != ZB_LOOP_CONST;
        if (in->kind == ZB_LOOP_FILL && in->entries == in->runs)
            fill = j;
        if (in->kind == ZB_LOOP_COPY && in->entries == in->len)
            copy = j;
    }
    bool found = varying == 2 && fill >= 0 && copy >= 0 &&
                 l->input[fill].len == l->input[copy].len &&
                 l->k * l->input[copy].len <= ZB_LOOP_CACHE;
    l->fill = found ? fill : -1;
    l->copy = found ? copy : -1;
}

/* The expanded input that stays the same for the longest time. */
static void find_cached(zb_loop *l)
{
    int best = 1;
    l->cached = -1;
    for (int j = 0; j < l->count && l->k * l->block <= ZB_LOOP_CACHE; j++) {
        int still = 0;
        while (still < l->outer && l->input[j].stride[l->outer - 1 - still] == 0)
            still++;
        if (l->input[j].kind >= ZB_LOOP_COPY && still > best) {
            best = still;
            l->cached = j;
        }
    }
}

void zb_loop_make(zb_loop *l, const int *card, bool sum, int naxes, const int *axis,
                  int count, const zb_etable *input)
{
    size_t stride[ZB_LOOP_AXES], size = 1;
    int from = first_inner(card, naxes, axis, &l->block);
    bool cut = from == naxes && naxes > 0;

    l->k = sum ? (size_t)card[input[0].axis[0]] : 1;
    l->last = l->block;
    l->outer = cut ? naxes - 1 : from;
    l->count = count;
    for (int a = naxes - 1; a >= 0; a--) {
        if (a < l->outer) {
            l->extent[a] = (size_t)card[axis[a]];
            l->out_stride[a] = size;
        }
        size *= (size_t)card[axis[a]];
    }
    for (int j = 0; j < count; j++) {
        zb_loop_input *in = &l->input[j];
        in->value = input[j].value;
        in->size = input[j].size;
        in->step = sum ? input[j].size / l->k : 0;
        strides(card, naxes, axis, &input[j], stride);
        memcpy(in->stride, stride, (size_t)l->outer * sizeof *stride);
        lay_input(in, card, from, naxes, axis, stride, l->block);
    }
    if (cut)
        cut_axis(l, (size_t)card[axis[naxes - 1]], input, axis[naxes - 1]);
    l->blocks = 1;
    for (int o = 0; o < l->outer; o++)
        l->blocks *= l->extent[o];
    find_outer(l);
    find_cached(l);
}

/* ---- one block ------------------------------------------------------------------- */

typedef struct scratch {
    double a[ZB_LOOP_BLOCK], b[ZB_LOOP_BLOCK], expand[ZB_LOOP_BLOCK];
    double cache[ZB_LOOP_CACHE];
    size_t cached_at; /* offset of the cached input; SIZE_MAX: nothing there yet */
} scratch;

static void expand(const zb_loop_input *in, const double *p, double *out)
{
    if (in->kind == ZB_LOOP_COPY)
        zb_ek_copy_runs(in->runs, in->len, in->index, p, out);
    else
        zb_ek_fill_runs(in->runs, in->len, in->index, p, out);
}

/* The product (log: the sum) of the inputs at x is *c times (plus) the array returned,
   which is an input itself or buffer. */
static const double *product(const zb_loop *l, const size_t *at, size_t x, size_t n,
                             bool log, scratch *s, double *buffer, double *c)
{
    const double *sofar = NULL;
    *c = log ? 0 : 1;
    for (int j = 0; j < l->count; j++) {
        const zb_loop_input *in = &l->input[j];
        const double *p = in->value + at[j] + x * in->step;
        if (in->kind == ZB_LOOP_CONST) {
            *c = log ? *c + *p : *c * *p;
            continue;
        }
        if (j == l->cached) {
            p = s->cache + x * l->block;
        } else if (in->kind != ZB_LOOP_FULL) {
            double *to = sofar == NULL ? buffer : s->expand;
            expand(in, p, to);
            p = to;
        }
        if (sofar != NULL) {
            (log ? zb_ek_add : zb_ek_mul)(n, sofar, p, buffer);
            p = buffer;
        }
        sofar = p;
    }
    return sofar;
}

static void refresh_cache(const zb_loop *l, const size_t *at, scratch *s)
{
    if (l->cached < 0 || s->cached_at == at[l->cached])
        return;
    const zb_loop_input *in = &l->input[l->cached];
    s->cached_at = at[l->cached];
    for (size_t x = 0; x < l->k; x++)
        expand(in, in->value + s->cached_at + x * in->step, s->cache + x * l->block);
}

static void block_outer(const zb_loop *l, const size_t *at, scratch *s, double *out)
{
    const zb_loop_input *m = &l->input[l->fill], *f = &l->input[l->copy];
    for (size_t x = 0; x < l->k; x++) {
        double c = 1;
        for (int j = 0; j < l->count; j++)
            if (l->input[j].kind == ZB_LOOP_CONST)
                c *= l->input[j].value[at[j] + x * l->input[j].step];
        zb_ek_mul1(f->len, c, f->value + at[l->copy] + x * f->step,
                   s->cache + x * f->len);
    }
    zb_ek_outer(m->runs, m->len, l->k, m->value + at[l->fill], m->step, s->cache, out);
}

/* Nothing to sum: the only kind of block whose output may be among the inputs, so
   nothing is stored before all is read. */
static void block_product(const zb_loop *l, const size_t *at, size_t n, bool log,
                          scratch *s, double *out)
{
    double c;
    refresh_cache(l, at, s);
    const double *a = product(l, at, 0, n, log, s, s->a, &c);
    (log ? zb_ek_add1 : zb_ek_mul1)(n, c, a, out);
}

static void block_sum(const zb_loop *l, const size_t *at, size_t n, scratch *s,
                      double *out)
{
    refresh_cache(l, at, s);
    for (size_t x = 0; x < l->k; x += 2) {
        double c, d;
        const double *a = product(l, at, x, n, false, s, s->a, &c), *b;
        if (x + 1 < l->k) {
            b = product(l, at, x + 1, n, false, s, s->b, &d);
            (x == 0 ? zb_ek_set2 : zb_ek_acc2)(n, c, a, d, b, out);
        } else {
            zb_ek_acc1(n, c, a, out);
        }
    }
}

static void block_log_sum(const zb_loop *l, const size_t *at, size_t n, scratch *s,
                          double *out)
{
    double *top = out, *sum = s->b, c;
    for (size_t i = 0; i < n; i++)
        top[i] = -INFINITY, sum[i] = 0;
    refresh_cache(l, at, s);
    for (size_t x = 0; x < l->k; x++) {
        const double *a = product(l, at, x, n, true, s, s->a, &c);
        zb_ek_logsum_step(n, c, a, top, sum);
    }
    zb_ek_logsum_end(n, top, sum, out);
}

static void run_block(const zb_loop *l, const size_t *at, size_t n, bool log,
                      scratch *s, double *out)
{
    if (!log && l->fill >= 0)
        block_outer(l, at, s, out);
    else if (l->k == 1)
        block_product(l, at, n, log, s, out);
    else if (log)
        block_log_sum(l, at, n, s, out);
    else
        block_sum(l, at, n, s, out);
}

/* ---- all blocks ------------------------------------------------------------------ */

typedef struct cursor {
    size_t digit[ZB_LOOP_AXES];
    size_t at[ZB_ELIM_INPUTS], out;
} cursor;

static void seek(const zb_loop *l, size_t block, cursor *c)
{
    memset(c, 0, sizeof *c);
    for (int o = l->outer - 1; o >= 0; o--) {
        c->digit[o] = block % l->extent[o];
        block /= l->extent[o];
        c->out += c->digit[o] * l->out_stride[o];
        for (int j = 0; j < l->count; j++)
            c->at[j] += c->digit[o] * l->input[j].stride[o];
    }
}

static void advance(const zb_loop *l, cursor *c)
{
    for (int o = l->outer - 1; o >= 0; o--) {
        bool carry = ++c->digit[o] == l->extent[o];
        size_t by = carry ? l->extent[o] - 1 : 1;
        if (carry) {
            c->digit[o] = 0;
            c->out -= by * l->out_stride[o];
            for (int j = 0; j < l->count; j++)
                c->at[j] -= by * l->input[j].stride[o];
            continue;
        }
        c->out += l->out_stride[o];
        for (int j = 0; j < l->count; j++)
            c->at[j] += l->input[j].stride[o];
        return;
    }
}

static void run_task(const zb_loop *l, size_t begin, size_t end, scratch *s,
                     zb_etable *out, double *low, double *high)
{
    cursor c;
    seek(l, begin, &c);
    for (size_t b = begin; b < end; b++) {
        bool is_last =
            l->outer > 0 && c.digit[l->outer - 1] + 1 == l->extent[l->outer - 1];
        size_t n = is_last ? l->last : l->block;
        run_block(l, c.at, n, out->log, s, out->value + c.out);
        zb_ek_range(n, out->value + c.out, out->log, low, high);
        advance(l, &c);
    }
}

/* Is no input the output, unless it is that of a product, as a whole? (In block_outer
   the two inputs that vary lack an axis of the block each: neither can be it.) */
static bool apart(const zb_loop *l, const zb_etable *out)
{
    for (int j = 0; j < l->count; j++) {
        const zb_loop_input *in = &l->input[j];
        bool same = in->value == out->value && in->size == out->size;
        if (!zb_disjoint(in->value, in->size * sizeof *in->value, out->value,
                         out->size * sizeof *out->value) &&
            !(same && l->k == 1 && in->kind == ZB_LOOP_FULL))
            return false;
    }
    return true;
}

void zb_loop_run(const zb_loop *l, zb_etable *out, int threads, zb_headway *headway)
{
    double entries = (double)l->blocks * (double)(l->block * l->k);
    int64_t tasks = (int64_t)((l->blocks + TASK - 1) / TASK);
    double low = INFINITY, high = out->log ? -INFINITY : 0;

    ZB_ASSERT(apart(l, out));
#pragma omp parallel num_threads(threads) if (entries > PARALLEL_FROM)
    {
        scratch s;
        double mylow = INFINITY, myhigh = out->log ? -INFINITY : 0;
        s.cached_at = SIZE_MAX;
#pragma omp for schedule(dynamic)
        for (int64_t task = 0; task < tasks; task++) {
            size_t begin = (size_t)task * TASK;
            size_t end = zb_min_size(begin + TASK, l->blocks);
            if (headway->stop)
                continue;
            run_task(l, begin, end, &s, out, &mylow, &myhigh);
#pragma omp atomic update
            headway->done += (double)((end - begin) * l->block * l->k);
            if (omp_get_thread_num() == 0)
                zb_headway_tell(headway);
        }
#pragma omp critical(zb_loop_range)
        {
            low = mylow < low ? mylow : low;
            high = myhigh > high ? myhigh : high;
        }
    }
    out->low = low;
    out->high = high;
}
