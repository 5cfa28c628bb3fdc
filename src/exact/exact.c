/* Bucket elimination with numbers.
 *
 * Tables hold linear values with a common scale; the scales go into one running
 * logarithm (powers of two, which are exact, into an integer). A product of table
 * entries that are not zero is at least exp(-R) times the largest such product, where R
 * is the sum of the tables' ranges ln(largest / smallest nonzero). While R stays below
 * LINEAR_RANGE no product can underflow. A bucket where it does not is contracted with
 * logarithms, and its message is kept in logarithms if its own range is too wide. So no
 * entry is ever lost, whatever the numbers: a tiny entry may be the only one that later
 * factors leave over. */
#include "exact/exact.h"

#include "base/explog.h"
#include "exact/exact_kernel.h"
#include "exact/exact_loop.h"

#include <omp.h>
#include <string.h>

static const double LINEAR_RANGE = 650; /* e^-650 = 2^-938, doubles reach 2^-1022 */
static const double LINEAR_AGAIN = 400; /* below this, logarithms are turned back */
enum { DRIFT = 32 };                    /* bits by which tables may be off scale */

typedef struct message {
    zb_etable table;
    size_t base; /* fill of its side of the arena before it came */
} message;

typedef struct run {
    const zb_elim *elim;
    const zb_model *model;
    int threads;
    double *arena;
    size_t room, top[2]; /* side 0 grows upwards, side 1 downwards */
    message *message;    /* by bucket */
    zb_etable *input;    /* of the bucket at hand */
    zb_etable *small;    /* those that are multiplied first */
    zb_span *span;
    bool *chosen;
    int *rank, *stamp, *axis, mark;
    zb_loop *loop;
    zb_headway headway;
    int64_t exp2; /* ln Z so far = exp2 ln 2 + log + carry */
    double log, carry;
    bool zero;
} run;

/* Compensated, since logs of thousands of scales are added up. */
static void add_log(run *r, double x)
{
    double sum = r->log + x;
    r->carry += fabs(r->log) >= fabs(x) ? (r->log - sum) + x : (x - sum) + r->log;
    r->log = sum;
}

/* ---- arena ----------------------------------------------------------------------- */

static double *push(run *r, bool side, size_t count)
{
    count = (count + 7) / 8 * 8;
    double *p = side ? r->arena + r->room - r->top[1] - count : r->arena + r->top[0];
    r->top[side] += count;
    return p;
}

/* A table with room for its values and a copy of its scope. */
static zb_etable push_table(run *r, bool side, int count, const int *axis)
{
    zb_etable t = { .count = count, .size = 1 };
    for (int i = 0; i < count; i++)
        t.size *= (size_t)r->elim->card[axis[i]];
    t.value = push(r, side, t.size);
    int *copy = (int *)(void *)push(r, side, (size_t)count / 2 + 1);
    memcpy(copy, axis, (size_t)count * sizeof *axis);
    t.axis = copy;
    return t;
}

/* ---- scales ---------------------------------------------------------------------- */

static double range(const zb_etable *t)
{
    return t->log ? t->high - t->low : zb_log(t->high) - zb_log(t->low);
}

typedef void (*array_op)(size_t n, double c, double *v);

static void to_log(size_t n, double c, double *v)
{
    (void)c;
    zb_ek_to_log(n, v);
}

static void for_all(run *r, zb_etable *t, array_op op, double c)
{
    int64_t chunk = 1 << 14, size = (int64_t)t->size;
#pragma omp parallel for num_threads(r->threads) if (size > 4 * chunk)
    for (int64_t i = 0; i < size; i += chunk) {
        if (i % (64 * chunk) == 0 && size > 64 * chunk && !zb_run_more(r->headway.run))
            r->headway.stop = true;
        if (!r->headway.stop)
            op((size_t)(size - i < chunk ? size - i : chunk), c, t->value + i);
    }
}

/* Make the largest value of a linear table lie in [1/2, 1). */
static void normalise(run *r, zb_etable *t)
{
    int e;
    (void)frexp(t->high, &e);
    int half = e / 2; /* in two steps: 2^-e may be out of range */
    for (int step = 0; step < 2; step++) {
        double c = ldexp(1, step == 0 ? -half : half - e);
        if (c == 1)
            continue;
        for_all(r, t, zb_ek_scale, c);
        t->low *= c;
        t->high *= c;
    }
    r->exp2 += e;
}

static void take_logs(run *r, zb_etable *t)
{
    if (t->log)
        return;
    for_all(r, t, to_log, 0);
    t->low = zb_log(t->low);
    t->high = zb_log(t->high);
    t->log = true;
}

/* Make the largest value of a table of logarithms 0 or, if the range allows it, go back
   to linear values with the largest 1. */
static void settle_logs(run *r, zb_etable *t, double most)
{
    double high = t->high;
    t->log = t->high - t->low > most;
    for_all(r, t, t->log ? zb_ek_shift : zb_ek_to_linear, high);
    t->low = t->log ? t->low - high : zb_exp(t->low - high);
    t->high = t->log ? 0 : 1;
    add_log(r, high);
}

static bool all_zero(const zb_etable *t)
{
    return t->log ? t->high == -INFINITY : t->high == 0;
}

/* ---- factors --------------------------------------------------------------------- */

/* The factor's values at the evidence, with the axes in ascending order. */
static void gather(const run *r, const zb_factor *f, zb_etable *t)
{
    size_t stride[ZB_LOOP_AXES], size = 1, at = 0;
    int digit[ZB_LOOP_AXES] = { 0 };
    const int *card = r->elim->card;

    for (int i = f->arity - 1; i >= 0; i--) {
        int v = f->scope[i], seen = r->model->evidence[v];
        at += seen >= 0 ? (size_t)seen * size : 0;
        for (int a = 0; a < t->count; a++)
            if (t->axis[a] == r->elim->place[v])
                stride[a] = size;
        size *= (size_t)r->model->card[v];
    }
    for (size_t i = 0; i < t->size; i++) {
        t->value[i] = f->value[at];
        for (int a = t->count - 1; a >= 0; a--) {
            at += stride[a];
            if (++digit[a] < card[t->axis[a]])
                break;
            at -= (size_t)digit[a] * stride[a];
            digit[a] = 0;
        }
    }
}

static void load_factor(run *r, int factor, zb_etable *t)
{
    const zb_factor *f = &r->model->factor[factor];
    gather(r, f, t);
    t->log = f->log;
    t->low = INFINITY;
    t->high = -INFINITY;
    zb_ek_range(t->size, t->value, t->log, &t->low, &t->high);
    if (all_zero(t)) {
        r->zero = true;
        return;
    }
    if (!t->log && range(t) > LINEAR_RANGE)
        take_logs(r, t);
    if (t->log)
        settle_logs(r, t, LINEAR_RANGE);
    else
        normalise(r, t);
}

/* Factors without free variables are numbers. */
static void load_constants(run *r)
{
    const zb_elim *e = r->elim;
    r->zero = r->model->log_scale == -INFINITY;
    if (!r->zero)
        add_log(r, r->model->log_scale);
    for (int f = 0; f < e->nfactors && !r->zero; f++) {
        double value;
        zb_etable t = { .value = &value, .size = 1 };
        if (e->at[f + 1] > e->at[f])
            continue;
        load_factor(r, f, &t);
        if (!r->zero)
            add_log(r, t.log ? value : zb_log(value));
    }
}

/* ---- buckets --------------------------------------------------------------------- */

static bool needs_logs(int count, const zb_etable *in)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        if (in[i].log)
            return true;
        sum += range(&in[i]);
    }
    return sum > LINEAR_RANGE;
}

/* Messages are used as they come out; only when their scales have drifted too far
   together is it worth going over them. */
static void undo_drift(run *r, int count, zb_etable *in)
{
    int drift = 0;
    for (int i = 0; i < count; i++) {
        int e;
        (void)frexp(in[i].high, &e);
        drift += e > 0 ? e : -e;
    }
    for (int i = 0; i < count && drift > DRIFT; i++)
        normalise(r, &in[i]);
}

/* out[s] = sum_x prod_i in_i[x, s], or without the sum, over the axes of out. Without
   the sum, out may be one of the inputs (exact_loop.h); rescaling inputs, or taking
   their logarithms, then also changes out->value, which is why out->log, low and high
   are set here and not before. */
static zb_status contract(run *r, bool sum, int count, zb_etable *in, zb_etable *out)
{
    out->log = needs_logs(count, in);
    if (out->log)
        for (int i = 0; i < count; i++)
            take_logs(r, &in[i]);
    else
        undo_drift(r, count, in);
    zb_loop_make(r->loop, r->elim->card, sum, out->count, out->axis, count, in);
    zb_loop_run(r->loop, out, r->threads, &r->headway);
    if (r->headway.stop)
        return ZB_ELIMIT;
    r->zero = all_zero(out);
    if (!r->zero && out->log)
        settle_logs(r, out, LINEAR_AGAIN);
    return ZB_OK;
}

/* The product of the tables as one table: at once, or when they are many a handful at a
   time, each onto the product so far, which is then input and output in one. It begins
   with ones, since the first handful need not have all of its axes. */
static zb_status multiply(run *r, int count, zb_etable *in, zb_etable *out)
{
    zb_status status = ZB_OK;
    zb_etable some[ZB_ELIM_INPUTS];
    enum { STEP = ZB_ELIM_INPUTS - 1 };

    if (count <= ZB_ELIM_INPUTS)
        return contract(r, false, count, in, out);
    for (size_t i = 0; i < out->size; i++)
        out->value[i] = 1;
    out->low = out->high = 1;
    for (int from = 0; from < count && !r->zero && status == ZB_OK; from += STEP) {
        int n = zb_min_int(STEP, count - from);
        memcpy(some, in + from, (size_t)n * sizeof *in);
        some[n] = *out;
        status = contract(r, false, n + 1, some, out);
    }
    return status;
}

/* The inputs of bucket t: messages of its children and factors, copied and scaled. */
static int collect(run *r, int t)
{
    const zb_elim *e = r->elim;
    int n = 0;
    for (int c = e->child[t]; c >= 0; c = e->sibling[c])
        r->input[n++] = r->message[c].table;
    for (int i = e->factor_at[t]; i < e->factor_at[t + 1] && !r->zero; i++) {
        size_t at = e->at[e->factor[i]];
        int count = (int)(e->at[e->factor[i] + 1] - at);
        r->input[n] = push_table(r, !e->side[t], count, e->axis + at);
        load_factor(r, e->factor[i], &r->input[n++]);
    }
    for (int i = 0; i < n; i++)
        r->span[i] =
            (zb_span){ r->input[i].axis, r->input[i].count, (double)r->input[i].size };
    return n;
}

/* Multiply small inputs together first: what is left is the others and the product. */
static zb_status join_small(run *r, int t, int *count)
{
    const zb_elim *e = r->elim;
    int n = *count, rest = 0, joint = 0;
    int chosen = zb_elim_choose(e->card, e->clique[t], n, r->span, r->stamp, r->mark++,
                                r->rank, r->chosen);
    if (chosen == 0)
        return ZB_OK;
    for (int i = 0; i < n; i++) {
        if (r->chosen[i]) {
            r->span[joint] = r->span[i];
            r->small[joint++] = r->input[i];
        } else {
            r->input[rest++] = r->input[i];
        }
    }
    int axes = zb_elim_union(joint, r->span, r->stamp, r->mark++, r->axis);
    r->input[rest] = push_table(r, !e->side[t], axes, r->axis);
    *count = rest + 1;
    return multiply(r, joint, r->small, &r->input[rest]);
}

static zb_status eliminate(run *r, int t)
{
    const zb_elim *e = r->elim;
    bool side = e->side[t];
    int first = e->child[t];
    size_t base = first >= 0 ? r->message[first].base : r->top[!side];
    message *out = &r->message[t];
    zb_status status = ZB_OK;

    int n = collect(r, t);
    if (r->zero)
        return ZB_OK;
    if (n == 0) {
        add_log(r, zb_log(e->card[t]));
        return ZB_OK;
    }
    int axes = zb_elim_union(n, r->span, r->stamp, r->mark++, r->axis);
    out->base = r->top[side];
    out->table = push_table(r, side, axes - 1, r->axis + 1);
    TRY(join_small(r, t, &n));
    if (r->zero)
        return ZB_OK;
    TRY(contract(r, true, n, r->input, &out->table));
    r->top[!side] = base;
    if (axes == 1 && !r->zero) {
        double z = *out->table.value;
        add_log(r, out->table.log ? z : zb_log(z));
        r->top[side] = out->base;
    }
    zb_headway_tell(&r->headway);
    status = r->headway.stop ? ZB_ELIMIT : ZB_OK;
done:
    return status;
}

static zb_status run_alloc(run *r)
{
    const zb_elim *e = r->elim;
    size_t n = (size_t)e->n, most = (size_t)e->max_inputs + 1;
    r->room = (size_t)e->arena;
    bool ok = (r->message = zb_alloc(n, sizeof *r->message)) &&
              (r->input = zb_alloc(most, sizeof *r->input)) &&
              (r->small = zb_alloc(most, sizeof *r->small)) &&
              (r->span = zb_alloc(most, sizeof *r->span)) &&
              (r->chosen = zb_alloc(most, sizeof *r->chosen)) &&
              (r->rank = zb_alloc(most, sizeof *r->rank)) &&
              (r->stamp = zb_calloc(n, sizeof *r->stamp)) &&
              (r->axis = zb_alloc(n, sizeof *r->axis)) &&
              (r->loop = zb_alloc(1, sizeof *r->loop)) &&
              (r->arena = zb_alloc(r->room, sizeof *r->arena));
    r->mark = 1;
    return ok ? ZB_OK : ZB_ENOMEM;
}

static void run_free(run *r)
{
    void *part[] = { r->message, r->input, r->small, r->span, r->chosen,
                     r->rank,    r->stamp, r->axis,  r->loop, r->arena };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        zb_free(part[i]);
}

zb_status zb_exact_fits(const zb_exact_plan *cost, uint64_t memory, zb_error *err)
{
    double limit = memory < SIZE_MAX / 4 ? (double)memory : (double)(SIZE_MAX / 4);
    if (cost->bytes <= limit)
        return ZB_OK;
    return zb_fail(err, ZB_ELIMIT,
                   "exact elimination needs %.4g bytes (%.3g GiB, width %d), more than "
                   "the %.3g GiB allowed; `zbound bound` needs less",
                   cost->bytes, cost->bytes / 0x1p30, cost->width, limit / 0x1p30);
}

/* The scopes with observed variables as if they had one value. */
static zb_status free_scopes(zb_scopes **out, const zb_model *model)
{
    zb_status status = zb_scopes_new(out, model);
    for (int v = 0; status == ZB_OK && v < model->nvars; v++)
        if (model->evidence[v] >= 0)
            (*out)->card[v] = 1;
    return status;
}

zb_status zb_exact_run(const zb_model *model, const int *order, zb_run *limits,
                       double *log_z, zb_error *err)
{
    zb_scopes *scopes = NULL;
    zb_elim *e = NULL;
    run r = { .model = model, .headway.run = limits };
    zb_status status;

    TRY(free_scopes(&scopes, model));
    TRY(zb_elim_new(&e, scopes, order, limits));
    TRY(zb_exact_fits(&e->cost, limits != NULL ? limits->memory : UINT64_MAX, err));
    r.elim = e;
    r.threads = limits != NULL ? limits->threads : 1;
    TRY(run_alloc(&r));
    r.headway.total = e->cost.total;
    load_constants(&r);
    for (int i = 0; i < e->n && !r.zero; i++)
        TRY(eliminate(&r, e->schedule[i]));
    *log_z = r.zero ? -INFINITY : (double)r.exp2 * M_LN2 + r.log + r.carry;
done:
    if (status == ZB_ELIMIT && !zb_run_more(limits))
        zb_fail(err, ZB_ELIMIT,
                zb_run_interrupted(limits)
                    ? "interrupted: nothing yet"
                    : "the time limit passed before exact elimination ended");
    run_free(&r);
    zb_elim_free(e);
    zb_scopes_free(scopes);
    return status;
}
