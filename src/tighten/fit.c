/* Weights by formula, and with them which weight of a lower bound is positive.
 *
 * Where the beliefs of a bucket's mini-buckets agree on (x, s0), s0 what they share,
 * ln p_r(x | s) = ln p(x | s0) + e_r / w_r with some e_r that varies with the rest of
 * s. To second order a split then loses, but for what does not depend on the weights,
 *
 *     1/2 sum_r v_r / w_r,   v_r = the mean of the variance of e_r = 2 w_r^2 I_r,
 *     I_r = H_r(x | s0) - H_r(x | s),
 *
 * and both entropies are known after a backward pass. With d_r = sqrt(v_r) the weights
 * that add up to 1 and lose least are d_r / sum d above. Below, where one is positive,
 * v_1 / w_1 - sum v_r / |w_r| is largest for T = sum of the |w_r| = S / (d_1 - S), S =
 * the sum of the other d_r, each |w_r| in proportion to d_r; so the positive one must
 * be that of largest d, and has no best place if it is less than S: T grows as far as
 * it may.
 *
 * Shifts move along, theta_r += (w_r' - w_r) ln p(x | s0): that leaves all p_r(x | s)
 * and messages as they are to first order, even where the positive weight moves from
 * one mini-bucket to another, which is a way through infinite weights. */
#include "tighten/tighten_internal.h"

#include "base/explog.h"

static const double LEAST = 1e-4, MOST = 6; /* of a weight; of T */
static const double BELIEF_LEAST = 1e-12;

typedef struct split { /* of a bucket at one state s0 of what is shared */
    zb_tighten *tighten;
    const zb_bucket *bucket;
    size_t state, states; /* s0; and their number */
    size_t entries;       /* of a shift: x's values times states */
    double *spread;       /* per mini-bucket: d_r, times the root of the chance of s0 */
    double *weight;       /* new */
    double *chance;       /* ln of that of s0, by each of them */
} split;

static double belief(const split *s, int m, size_t i)
{
    const zb_pass_param *p = s->tighten->param;
    return p->theta_grad[p->theta_at[s->bucket->first + m] + i];
}

static size_t place(const split *s, int m) /* of a weight */
{
    return s->tighten->param->weight_at[s->bucket->first + m] + s->state;
}

/* w^2 (H(x | s0) - H(x | s)), times the chance of s0. */
static double variance_of(const split *s, int m)
{
    const zb_pass_param *p = s->tighten->param;
    double sum = 0, h = 0, w = p->weight[place(s, m)];
    for (size_t i = s->state; i < s->entries; i += s->states)
        sum += belief(s, m, i);
    for (size_t i = s->state; i < s->entries; i += s->states)
        if (belief(s, m, i) > 0)
            h -= belief(s, m, i) * zb_log(belief(s, m, i) / sum);
    return w * w * fmax(0, h - p->entropy[place(s, m)]);
}

static double sum_spreads(const split *s)
{
    double sum = 0;
    for (int m = 0; m < s->bucket->count; m++)
        sum += s->spread[m];
    return sum;
}

/* From an old weight a part of the way to a new one, by their logarithms. */
static double towards(double old, double new, double part)
{
    return zb_log(old) + part * zb_log(fmax(new, LEAST) / old);
}

static void fit_upper(const split *s, double part)
{
    zb_tighten *t = s->tighten;
    double all = sum_spreads(s), sum = 0;
    for (int m = 0; m < s->bucket->count; m++) {
        double old = t->param->weight[place(s, m)];
        t->logit[place(s, m)] = towards(old, s->spread[m] / all, part);
        s->weight[m] = zb_exp(t->logit[place(s, m)]);
        sum += s->weight[m];
    }
    for (int m = 0; m < s->bucket->count; m++)
        s->weight[m] /= sum;
}

/* Those that were positive before, and are not now, go all of the way. */
static void fit_lower(const split *s, int positive, double part)
{
    zb_tighten *t = s->tighten;
    double first = s->spread[positive], rest = sum_spreads(s) - first;
    double all = rest < first * MOST / (1 + MOST) ? rest / (first - rest) : MOST;
    s->weight[positive] = 1;
    for (int m = 0; m < s->bucket->count; m++) {
        if (m == positive)
            continue;
        double old = -t->param->weight[place(s, m)],
               new = rest > 0 ? all * s->spread[m] / rest : LEAST;
        t->logit[place(s, m)] = towards(fmax(old, LEAST), new, old > 0 ? part : 1);
        s->weight[m] = -zb_exp(t->logit[place(s, m)]);
        s->weight[positive] -= s->weight[m];
    }
}

static double log_belief(const split *s, int m, size_t i)
{
    return zb_log(fmax(BELIEF_LEAST, belief(s, m, i)));
}

/* ln p(x | s0) but for a constant: the mean over the mini-buckets. */
static double mean_belief(const split *s, size_t i)
{
    double sum = 0;
    for (int m = 0; m < s->bucket->count; m++)
        sum += log_belief(s, m, i);
    return sum / s->bucket->count;
}

static void move_shifts(const split *s)
{
    const zb_pass_param *p = s->tighten->param;
    double sum = 0;
    for (size_t i = s->state; i < s->entries; i += s->states)
        sum += zb_exp(mean_belief(s, i));
    for (size_t i = s->state; i < s->entries; i += s->states) {
        double log_p = mean_belief(s, i) - zb_log(sum);
        for (int m = 0; m < s->bucket->count; m++)
            p->theta[p->theta_at[s->bucket->first + m] + i] +=
                (s->weight[m] - p->weight[place(s, m)]) * log_p;
    }
}

static double chance_of(const split *s, int m) /* of s0 */
{
    double sum = 0;
    for (size_t i = s->state; i < s->entries; i += s->states)
        sum += fmax(BELIEF_LEAST, belief(s, m, i));
    return sum;
}

/* sum_r w_r ln p_r(x | s0). */
static double matched_belief(const split *s, size_t i)
{
    const zb_pass_param *p = s->tighten->param;
    double sum = 0;
    for (int m = 0; m < s->bucket->count; m++)
        sum += p->weight[place(s, m)] * (log_belief(s, m, i) - s->chance[m]);
    return sum;
}

/* Where the positive weight moves, what beliefs differ by would grow by w_r / w_r' and
   change its sign. So they are matched here: with ln p = sum_r w_r ln p_r the shifts
   w_r' ln p - w_r ln p_r add up to zero; what p adds up to goes to all messages alike.
 */
static void match_shifts(const split *s)
{
    const zb_pass_param *p = s->tighten->param;
    double sum = 0;
    for (int m = 0; m < s->bucket->count; m++)
        s->chance[m] = zb_log(chance_of(s, m));
    for (size_t i = s->state; i < s->entries; i += s->states)
        sum += zb_exp(matched_belief(s, i));
    sum = zb_log(sum);
    for (size_t i = s->state; i < s->entries; i += s->states) {
        double log_p = matched_belief(s, i);
        for (int m = 0; m < s->bucket->count; m++)
            p->theta[p->theta_at[s->bucket->first + m] + i] +=
                s->weight[m] * (log_p - sum) + sum / s->bucket->count -
                p->weight[place(s, m)] * (log_belief(s, m, i) - s->chance[m]);
    }
}

/* Zeros of a mini-bucket whose weight is negative would be zeros of the whole. */
static bool has_zeros(const split *s)
{
    for (int m = 0; m < s->bucket->count; m++)
        for (size_t i = 0; i < s->entries; i++)
            if (!(belief(s, m, i) > 0))
                return true;
    return false;
}

/* The one that varies most, if by that much more than the one that is positive now. */
static int choose_positive(split *s, int now, double ratio)
{
    int best = now;
    double most = 0;
    if (ratio == INFINITY || has_zeros(s))
        return now;
    for (int m = 0; m < s->bucket->count; m++)
        s->weight[m] = 0;
    for (s->state = 0; s->state < s->states; s->state++)
        for (int m = 0; m < s->bucket->count; m++)
            s->weight[m] += variance_of(s, m);
    most = ratio * ratio * s->weight[now];
    for (int m = 0; m < s->bucket->count; m++)
        if (m != now && s->weight[m] > most)
            most = s->weight[m], best = m;
    return best;
}

static void fit_bucket(split *s, int v, double part, double ratio)
{
    zb_tighten *t = s->tighten;
    bool lower = t->spec.side == ZB_SIDE_LOWER;
    int positive = lower ? choose_positive(s, t->positive[v], ratio) : t->positive[v];
    for (s->state = 0; s->state < s->states; s->state++) {
        for (int m = 0; m < s->bucket->count; m++)
            s->spread[m] = sqrt(variance_of(s, m));
        if (!(sum_spreads(s) > 0)) { /* nothing varies: all weights are as good */
            if (lower && positive != t->positive[v])
                s->spread[positive] = 1;
            else
                continue;
        }
        if (lower)
            fit_lower(s, positive, part);
        else
            fit_upper(s, part);
        (positive == t->positive[v] ? move_shifts : match_shifts)(s);
    }
    if (lower)
        t->positive[v] = positive;
}

void zb_tighten_fit(zb_tighten *t, double part, double ratio)
{
    for (int v = 0; v < t->tree->nvars; v++) {
        const zb_bucket *b = &t->tree->bucket[v];
        if (b->count < 2)
            continue;
        split s = { .tighten = t,
                    .bucket = b,
                    .states = zb_pass_weight_size(t->tree, b->first, t->spec.shared),
                    .entries = zb_pass_theta_size(t->tree, b->first, t->spec.shared),
                    .spread = t->scratch,
                    .weight = t->scratch + b->count,
                    .chance = t->scratch + 2 * b->count };
        fit_bucket(&s, v, part, ratio);
    }
    zb_tighten_apply_weights(t);
    zb_tighten_hold_shifts(t);
}
