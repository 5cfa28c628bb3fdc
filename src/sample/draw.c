/* Drawing a batch, variable by variable: the loops over lanes. */
#include "sample/proposal_state.h"

#include "base/explog.h"
#include "sample/stream.h"

/* ---- rows ------------------------------------------------------------------------ */

/* index[i] = the row of the table that belongs to lane i. */
ZB_INLINE void find_rows(const zb_share *s, const int32_t *restrict state,
                         int32_t *restrict index)
{
    for (int i = 0; i < ZB_LANES; i++)
        index[i] = 0;
    for (int a = 0; a < s->count; a++) {
        const int32_t *restrict x = state + (size_t)s->var[a] * ZB_LANES;
        int32_t stride = s->stride[a];
        for (int i = 0; i < ZB_LANES; i++)
            index[i] += stride * x[i];
    }
}

/* ---- what a draw adds up to ------------------------------------------------------ */

/* N_v / prod lambda_r is at most 1 by Hoelder, but for rounding. */
ZB_INLINE double at_most_one(double x) { return x < 1 ? x : 1; }

/* No more than rounding allows: w <= U in every draw. */
ZB_INLINE void check_ratios(const zb_proposal *p, const double *restrict x)
{
    double top = 0;
    for (int i = 0; i < ZB_LANES; i++)
        top = x[i] > top ? x[i] : top;
    ZB_ASSERT(top <= 1 + 2 * p->radius);
}

ZB_INLINE void add_logs(const double *restrict x, double *restrict sum)
{
    for (int i = 0; i < ZB_LANES; i++)
        sum[i] += zb_vlog(at_most_one(x[i]));
}

/* ---- two values ------------------------------------------------------------------ */

/* One table, of which the chance of the first value is kept. */
ZB_INLINE void draw_coin(const zb_share *s, const double *restrict uniform,
                         const int32_t *restrict index, int32_t *restrict x,
                         double *restrict chosen)
{
    const double *restrict value = s->value;
    for (int i = 0; i < ZB_LANES; i++) {
        double zero = value[index[i]];
        x[i] = uniform[i] >= zero && zero < 1;
        chosen[i] = uniform[i] >= zero ? 1 - zero : zero;
    }
}

ZB_INLINE void multiply_pairs(const zb_share *s, const int32_t *restrict index,
                              bool first, double *restrict zero, double *restrict one)
{
    const double *restrict value = s->value;
    for (int i = 0; i < ZB_LANES && first; i++) {
        zero[i] = value[2 * index[i]];
        one[i] = value[2 * index[i] + 1];
    }
    for (int i = 0; i < ZB_LANES && !first; i++) {
        zero[i] *= value[2 * index[i]];
        one[i] *= value[2 * index[i] + 1];
    }
}

/* zero and one become the sum of both and the one that was chosen. A value of chance 0
   is never drawn, whatever the rounding. */
ZB_INLINE void draw_pairs(const double *restrict uniform, double *restrict zero,
                          double *restrict one, int32_t *restrict x)
{
    for (int i = 0; i < ZB_LANES; i++) {
        double sum = zero[i] + one[i];
        bool is = uniform[i] * sum >= zero[i] && one[i] > 0;
        x[i] = is;
        one[i] = is ? one[i] : zero[i];
        zero[i] = sum;
    }
}

ZB_CLONES
void zb_draw_binary(const zb_proposal *p, const zb_draw_step *s, const double *uniform,
                    zb_batch *b)
{
    int32_t *x = b->state + (size_t)s->var * ZB_LANES;
    double *zero = b->product, *one = zero + ZB_LANES;
    if (s->count == 1) {
        find_rows(&p->share[s->first], b->state, b->index);
        draw_coin(&p->share[s->first], uniform, b->index, x, one);
    } else {
        for (int r = 0; r < s->count; r++) {
            find_rows(&p->share[s->first + r], b->state, b->index);
            multiply_pairs(&p->share[s->first + r], b->index, r == 0, zero, one);
        }
        draw_pairs(uniform, zero, one, x);
        check_ratios(p, zero);
        add_logs(zero, b->log_ratio);
    }
    if (b->log_share != NULL)
        add_logs(one, b->log_share);
}

/* ---- any number of values -------------------------------------------------------- */

ZB_INLINE void multiply_values(const zb_share *s, const int32_t *restrict index,
                               int card, double *restrict product)
{
    for (int x = 0; x < card; x++)
        for (int i = 0; i < ZB_LANES; i++)
            product[x * ZB_LANES + i] *=
                s->value[(size_t)index[i] * (size_t)card + (size_t)x];
}

/* The first value whose cumulative sum exceeds u N; the last possible one where
   rounding leaves none. */
ZB_INLINE void choose_values(int card, const double *restrict uniform,
                             const double *restrict product, int32_t *restrict x,
                             double *restrict sum, double *restrict chosen)
{
    for (int i = 0; i < ZB_LANES; i++) {
        double all = 0, below = 0;
        int32_t at = 0;
        for (int v = 0; v < card; v++)
            all += product[v * ZB_LANES + i];
        bool found = false;
        for (int32_t v = 0; v < card && !found; v++) {
            double here = product[v * ZB_LANES + i];
            below += here;
            at = here > 0 ? v : at;
            found = here > 0 && uniform[i] * all < below;
        }
        x[i] = at;
        sum[i] = all;
        chosen[i] = product[at * ZB_LANES + i];
    }
}

ZB_CLONES
void zb_draw_values(const zb_proposal *p, const zb_draw_step *s, const double *uniform,
                    zb_batch *b)
{
    double *sum = b->product, *chosen = sum + ZB_LANES, *product = chosen + ZB_LANES;
    bool none = s->count == 0;
    for (int i = 0; i < s->card * ZB_LANES; i++)
        product[i] = none ? 1.0 / s->card : 1;
    for (int r = 0; r < s->count; r++) {
        find_rows(&p->share[s->first + r], b->state, b->index);
        multiply_values(&p->share[s->first + r], b->index, s->card, product);
    }
    choose_values(s->card, uniform, product, b->state + (size_t)s->var * ZB_LANES, sum,
                  chosen);
    if (s->count > 1) {
        check_ratios(p, sum);
        add_logs(sum, b->log_ratio);
    }
    if (b->log_share != NULL)
        add_logs(chosen, b->log_share);
}

/* ---- signs ----------------------------------------------------------------------- */

/* Magnitudes are drawn; the product's sign is that of the one that was chosen. */
ZB_CLONES
void zb_draw_signed(const zb_proposal *p, const zb_draw_step *s, const double *uniform,
                    zb_batch *b)
{
    double *sum = b->product, *chosen = sum + ZB_LANES, *product = chosen + ZB_LANES;
    int32_t *x = b->state + (size_t)s->var * ZB_LANES;
    int entries = s->card * ZB_LANES;
    for (int i = 0; i < entries; i++)
        product[i] = s->count == 0 ? 1.0 / s->card : 1;
    for (int r = 0; r < s->count; r++) {
        find_rows(&p->share[s->first + r], b->state, b->index);
        multiply_values(&p->share[s->first + r], b->index, s->card, product);
    }
    for (int i = 0; i < entries; i++)
        b->signed_product[i] = product[i], product[i] = fabs(product[i]);
    choose_values(s->card, uniform, product, x, sum, chosen);
    for (int i = 0; i < ZB_LANES; i++)
        b->sign[i] *= b->signed_product[x[i] * ZB_LANES + i] < 0 ? -1 : 1;
    if (s->count > 1) {
        check_ratios(p, sum);
        add_logs(sum, b->log_ratio);
    }
}

/* ---- batches --------------------------------------------------------------------- */

zb_status zb_batch_new(zb_batch **out, const zb_proposal *p, bool share)
{
    zb_batch *b = zb_calloc(1, sizeof *b);
    ZB_ASSERT(!(share && p->is_signed)); /* states of a form have no value */
    *out = NULL;
    if (b == NULL)
        return ZB_ENOMEM;
    size_t rows = (size_t)zb_max_int(2, p->max_card) + 2;
    b->state = zb_alloc((size_t)p->nvars * ZB_LANES, sizeof *b->state);
    b->log_ratio = zb_alloc(ZB_LANES, sizeof *b->log_ratio);
    b->log_share = share ? zb_alloc(ZB_LANES, sizeof *b->log_share) : NULL;
    b->index = zb_alloc(ZB_LANES, sizeof *b->index);
    b->product = zb_alloc(rows * ZB_LANES, sizeof *b->product);
    if (p->is_signed) {
        b->sign = zb_alloc(ZB_LANES, sizeof *b->sign);
        b->signed_product = zb_alloc(rows * ZB_LANES, sizeof *b->signed_product);
    }
    if ((p->is_signed && (!b->sign || !b->signed_product)) || !b->state ||
        !b->log_ratio || !b->index || !b->product || (share && !b->log_share)) {
        zb_batch_free(b);
        return ZB_ENOMEM;
    }
    *out = b;
    return ZB_OK;
}

void zb_batch_free(zb_batch *b)
{
    if (b == NULL)
        return;
    zb_free(b->state);
    zb_free(b->log_ratio);
    zb_free(b->log_share);
    zb_free(b->index);
    zb_free(b->product);
    zb_free(b->sign);
    zb_free(b->signed_product);
    zb_free(b);
}

ZB_CLONES
static void fill_uniform(zb_stream stream, uint64_t at, double *restrict out)
{
    for (uint64_t i = 0; i < ZB_LANES; i++)
        out[i] = zb_stream_uniform(stream, at + i);
}

bool zb_proposal_draw(const zb_proposal *p, uint64_t seed, uint64_t number, zb_batch *b,
                      zb_ticker *tick)
{
    if (p->ahead != NULL)
        return zb_draw_ahead(p, seed, number, b, tick);
    zb_stream stream = zb_stream_open(seed, number);
    double uniform[ZB_LANES];
    for (int i = 0; i < ZB_LANES; i++)
        b->log_ratio[i] = 0;
    for (int i = 0; i < ZB_LANES && b->log_share != NULL; i++)
        b->log_share[i] = 0;
    for (int i = 0; i < ZB_LANES && b->sign != NULL; i++)
        b->sign[i] = p->minus ? -1 : 1;
    for (int k = 0; k < p->steps; k++) {
        const zb_draw_step *s = &p->step[k];
        fill_uniform(stream, (uint64_t)k * ZB_LANES, uniform);
        if (p->is_signed)
            zb_draw_signed(p, s, uniform, b);
        else if (s->card == 2 && s->count > 0)
            zb_draw_binary(p, s, uniform, b);
        else
            zb_draw_values(p, s, uniform, b);
        if (tick != NULL && !zb_tick(tick, 4.0 * ZB_LANES * (s->count + s->card)))
            return false;
    }
    return true;
}
