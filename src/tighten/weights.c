/* Weights of Hoelder's inequality as functions of free numbers, the logits s: above
 * w_m = e^s_m / sum e^s, which are positive and add up to one; below, where one of them
 * is positive and the others negative, w_m = -e^s_m and the positive one is
 * 1 + sum e^s. */
#include "base/explog.h"
#include "tighten/tighten_internal.h"

static const double LOGIT_SPAN = 9.2; /* weights stay within about 1e-4 of the ends */

static size_t weights_per_node(const zb_tighten *t, int node)
{
    return zb_pass_weight_size(t->tree, node, t->spec.shared);
}

/* Upper: softmax over the mini-buckets. */
static void upper_weights(zb_tighten *t, const zb_bucket *b, size_t i)
{
    double top = -INFINITY, sum = 0;
    for (int m = b->first; m < b->first + b->count; m++)
        top = fmax(top, t->logit[t->param->weight_at[m] + i]);
    for (int m = b->first; m < b->first + b->count; m++) {
        double *s = &t->logit[t->param->weight_at[m] + i];
        *s = fmax(*s - top, -LOGIT_SPAN);
        sum += zb_exp(*s);
    }
    for (int m = b->first; m < b->first + b->count; m++)
        t->param->weight[t->param->weight_at[m] + i] =
            zb_exp(t->logit[t->param->weight_at[m] + i]) / sum;
}

/* Lower: -exp(s) but for the positive one, 1 + sum exp(s). */
static void lower_weights(zb_tighten *t, int bucket, size_t i)
{
    const zb_bucket *b = &t->tree->bucket[bucket];
    int positive = b->first + t->positive[bucket];
    double sum = 0;
    for (int m = b->first; m < b->first + b->count; m++) {
        double *s = &t->logit[t->param->weight_at[m] + i];
        *s = fmin(fmax(*s, -LOGIT_SPAN), 6);
        if (m != positive) {
            sum += zb_exp(*s);
            t->param->weight[t->param->weight_at[m] + i] = -zb_exp(*s);
        }
    }
    t->param->weight[t->param->weight_at[positive] + i] = 1 + sum;
}

void zb_tighten_apply_weights(zb_tighten *t)
{
    for (int v = 0; v < t->tree->nvars; v++) {
        const zb_bucket *b = &t->tree->bucket[v];
        if (b->count < 2)
            continue;
        for (size_t i = 0; i < weights_per_node(t, b->first); i++)
            if (t->spec.side == ZB_SIDE_LOWER)
                lower_weights(t, v, i);
            else
                upper_weights(t, b, i);
    }
}

void zb_tighten_set_positive(zb_tighten *t, int bucket, int m)
{
    const zb_bucket *b = &t->tree->bucket[bucket];
    t->positive[bucket] = m;
    for (size_t i = 0; i < weights_per_node(t, b->first); i++)
        lower_weights(t, bucket, i);
}

void zb_tighten_extreme_weights(zb_tighten *t)
{
    for (int v = 0; v < t->tree->nvars; v++) {
        const zb_bucket *b = &t->tree->bucket[v];
        for (int m = 0; m < b->count && b->count > 1; m++)
            for (size_t i = 0; i < weights_per_node(t, b->first); i++)
                t->param->weight[t->param->weight_at[b->first + m] + i] = m == 0;
    }
}

void zb_tighten_weight_gradient(const zb_tighten *t, double *grad)
{
    for (int v = 0; v < t->tree->nvars; v++) {
        const zb_bucket *b = &t->tree->bucket[v];
        if (b->count < 2)
            continue;
        for (size_t i = 0; i < weights_per_node(t, b->first); i++) {
            double mean = 0;
            const size_t *at = t->param->weight_at;
            int positive = b->first + t->positive[v];
            for (int m = b->first; m < b->first + b->count; m++)
                mean += t->param->weight[at[m] + i] * t->param->entropy[at[m] + i];
            for (int m = b->first; m < b->first + b->count; m++) {
                double h = t->param->entropy[at[m] + i],
                       w = t->param->weight[at[m] + i];
                double pos = t->param->entropy[at[positive] + i];
                grad[at[m] + i] = t->spec.side == ZB_SIDE_UPPER ? w * (h - mean)
                                  : m == positive               ? 0
                                                                : w * (h - pos);
            }
        }
    }
}
