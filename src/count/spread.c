#include "count/spread.h"

#include "base/hold.h"
#include "base/sum.h"

/* From a state where the table is not zero, the term of a variable's value is what
 * changes when the variable takes it. States are tried until one tells all terms; most
 * do, where a table has few zeros. Then every entry is compared with the sum of its
 * terms, and what they differ by at most goes into the radius. */
enum { TRIES = 8 };

typedef struct spreader {
    const zb_model *model;
    zb_ticker *tick;
    size_t *at;      /* per variable: of its values, in sum and term */
    zb_sum *sum;     /* per value: the terms of all tables */
    double *term;    /* per value: of the table at hand */
    bool *is_spread; /* per factor */
    zb_sum scale;
    double radius; /* of the tables that were spread */
    zb_hold hold;
} spreader;

static zb_status spreader_open(spreader *s)
{
    const zb_model *m = s->model;
    size_t n = (size_t)m->nvars, values = 0;
    s->at = zb_hold_alloc(&s->hold, n + 1, sizeof *s->at);
    s->is_spread = zb_hold_calloc(&s->hold, (size_t)m->nfactors, sizeof *s->is_spread);
    for (int v = 0; v < m->nvars && !s->hold.failed; v++) {
        s->at[v] = values;
        values += (size_t)m->card[v];
    }
    s->sum = zb_hold_calloc(&s->hold, values, sizeof *s->sum);
    s->term = zb_hold_alloc(&s->hold, values, sizeof *s->term);
    return zb_hold_status(&s->hold);
}

/* ---- one table ------------------------------------------------------------------- */

/* Is there an entry other than zero with variable i (entries of it `stride` apart) at
   value k? */
static bool has_value(const zb_factor *a, size_t stride, int card, int k)
{
    for (size_t x = 0; x < a->size; x++)
        if ((x / stride) % (size_t)card == (size_t)k && a->value[x] > -INFINITY)
            return true;
    return false;
}

/* Terms as seen from entry x; false: it does not tell all of them. */
static bool find_terms(spreader *s, const zb_factor *a, size_t x)
{
    size_t stride = a->size;
    for (int i = 0; i < a->arity; i++) {
        int card = s->model->card[a->scope[i]];
        double *term = s->term + s->at[a->scope[i]];
        stride /= (size_t)card;
        size_t own = (x / stride) % (size_t)card;
        for (int k = 0; k < card; k++) {
            double value = a->value[x + ((size_t)k - own) * stride];
            term[k] = value > -INFINITY ? value - a->value[x] : 0;
            if (value == -INFINITY && has_value(a, stride, card, k))
                return false;
        }
    }
    return true;
}

/* How far the table is from `scale` and its terms, wherever it is not zero; beyond the
   limit some such number. */
static double misfit(const spreader *s, const zb_factor *a, double scale, double limit)
{
    double most = 0;
    for (size_t x = 0; x < a->size && most <= limit; x++) {
        zb_sum sum = { 0 };
        size_t rest = x;
        if (a->value[x] == -INFINITY)
            continue;
        zb_sum_add(&sum, a->value[x]);
        zb_sum_add(&sum, -scale);
        for (int i = a->arity - 1; i >= 0; i--) {
            size_t card = (size_t)s->model->card[a->scope[i]];
            zb_sum_add(&sum, -s->term[s->at[a->scope[i]] + rest % card]);
            rest /= card;
        }
        zb_ball off = zb_sum_value(&sum);
        most = fmax(most, ZB_MARGIN * (fabs(off.mid) + off.radius));
    }
    return most;
}

static double magnitude(const zb_factor *a)
{
    double most = 0;
    for (size_t x = 0; x < a->size; x++)
        if (a->value[x] > -INFINITY)
            most = fmax(most, fabs(a->value[x]));
    return most;
}

static void take(spreader *s, const zb_factor *a, double scale)
{
    zb_sum_add(&s->scale, scale);
    for (int i = 0; i < a->arity; i++) {
        int v = a->scope[i];
        for (int k = 0; k < s->model->card[v]; k++)
            zb_sum_add(&s->sum[s->at[v] + (size_t)k], s->term[s->at[v] + (size_t)k]);
    }
}

/* Terms are looked for from up to TRIES entries, spread over the table. */
static bool spread_factor(spreader *s, const zb_factor *a)
{
    double limit = ZB_SPREAD_ULPS * ZB_UNIT * magnitude(a);
    for (size_t k = 0; k < TRIES; k++) {
        size_t x = a->size - 1 - k * a->size / TRIES;
        if (!zb_tick(s->tick, 10.0 * a->arity * (double)a->size))
            return false;
        if (a->value[x] == -INFINITY || !find_terms(s, a, x))
            continue;
        double off = misfit(s, a, a->value[x], limit);
        if (off > limit)
            return false;
        s->radius += off;
        take(s, a, a->value[x]);
        return true;
    }
    return false;
}

/* ---- the model ------------------------------------------------------------------- */

static zb_status put_zeros(zb_model *out, const zb_factor *a)
{
    double *value = zb_alloc(a->size, sizeof *value);
    if (value == NULL)
        return ZB_ENOMEM;
    for (size_t x = 0; x < a->size; x++)
        value[x] = a->value[x] > -INFINITY ? 0 : -INFINITY;
    return zb_model_take(out, a->arity, a->scope, value, true);
}

/* The table of v alone, if it says anything. */
static zb_status put_terms(spreader *s, zb_model *out, int v)
{
    int card = s->model->card[v];
    double *value = zb_alloc((size_t)card, sizeof *value), off = 0;
    bool constant = true;
    if (value == NULL)
        return ZB_ENOMEM;
    for (int k = 0; k < card; k++) {
        zb_ball sum = zb_sum_value(&s->sum[s->at[v] + (size_t)k]);
        value[k] = sum.mid;
        off = fmax(off, sum.radius);
        constant = constant && value[k] == 0;
    }
    s->radius += off;
    if (!constant)
        return zb_model_take(out, 1, &v, value, true);
    zb_free(value);
    return ZB_OK;
}

static bool has_zeros(const zb_factor *a)
{
    for (size_t x = 0; x < a->size; x++)
        if (a->value[x] == -INFINITY)
            return true;
    return false;
}

static zb_status build(spreader *s, zb_model **out)
{
    const zb_model *m = s->model;
    zb_model *made = NULL;
    zb_status status;
    TRY(zb_model_new(&made, m->nvars, m->card));
    for (int f = 0; f < m->nfactors; f++) {
        const zb_factor *a = &m->factor[f];
        TRY(zb_tick(s->tick, 100 + (double)a->size) ? ZB_OK : ZB_ELIMIT);
        if (!s->is_spread[f])
            TRY(zb_model_put(made, a->arity, a->scope, a));
        else if (has_zeros(a))
            TRY(put_zeros(made, a));
    }
    for (int v = 0; v < m->nvars; v++)
        TRY(put_terms(s, made, v));
    zb_ball scale = zb_sum_value(&s->scale);
    made->log_scale = scale.mid;
    made->radius = m->radius + ZB_MARGIN * (s->radius + scale.radius);
    *out = made, made = NULL;
done:
    zb_model_free(made);
    return status;
}

/* Tables of one variable alone are no reason to make another model. */
zb_status zb_spread(zb_model **out, const zb_model *model, zb_ticker *tick)
{
    spreader s = { .model = model, .tick = tick };
    zb_status status;
    bool worth = false;
    *out = NULL;
    TRY(spreader_open(&s));
    zb_sum_add(&s.scale, model->log_scale);
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        s.is_spread[f] = spread_factor(&s, a);
        worth = worth || (s.is_spread[f] && a->arity > 1 && magnitude(a) > 0);
    }
    TRY(tick->over ? ZB_ELIMIT : ZB_OK);
    if (worth)
        TRY(build(&s, out));
done:
    zb_hold_free(&s.hold);
    return status;
}
