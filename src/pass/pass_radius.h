/* What a node adds to the radius of its message (base/rounding.h, pass_table.h).
 * Nothing here looks at a table's entries but at those of weights and shifts. u =
 * 2^-53.
 *
 * Linear sums. Each of the d terms is a product of n inputs and a power of two: n - 1
 * roundings, and d - 1 of the sum, all relative.
 *
 * Logarithms. psi is a sum of n of them, rounded n - 1 times by at most u B, B the sum
 * of the inputs' largest magnitudes. Then w ln sum_x exp(psi / w), which moves by at
 * most as much as psi does, for weights of either sign. With t the largest of psi / w,
 * g_x = psi_x / w - t <= 0 and p_x = e^g_x / sum e^g <= e^g_x:
 *
 *   - 1/w and psi / w are rounded: 2 u |psi_x / w| <= 2 u (|t| + |g_x|) in the
 * exponent, of which p_x counts. |w t| <= |out| + |w| ln d, and sum_x p_x |g_x| <= d /
 * e;
 *   - g_x is rounded: u sum_x p_x |g_x| <= u d / e;
 *   - exp, within an ulp: 2 u; the sum: (d - 1) u;
 *   - ln of the sum, a number in [0, ln d]: 2 u ln d; times |w|, as all of the above;
 *   - t is added and w multiplied: 2 u |out|.
 *
 * For two values g = -|a - c| / |w| is rounded three times instead and |g| e^g / (1 +
 * e^g) < 0.28, which is less. In all, 1.2 d + d + 4 ln d + 2 <= 3 d + 8:
 *
 *     u (|w| (3 d + 8) + 4 |out|).
 *
 * Terms below e^-700 of the largest change nothing: what stands for them, 2^-1010 each,
 * is lost in the margin.
 *
 * Weights and shifts are what they should be up to rounding. The weights of a bucket of
 * R mini-buckets add up to one within (R + 1) u sum |w|, and d bound / d w is an
 * entropy, at most ln d. The last of R shifts is minus the sum of the others, so that
 * all add up to zero within (R - 2) u times the sum of their magnitudes. Each node
 * takes its share of both. */
#ifndef ZB_PASS_RADIUS_H
#define ZB_PASS_RADIUS_H

#include "pass/pass_state.h"

#include "base/explog.h"

/* What the inputs of a node have in common. */
typedef struct zb_inputs {
    double radius; /* their sum */
    double most;   /* of |ln| of their product; zero left out */
    int high;      /* exponent of the product of the largest entries, of linear ones */
    bool is_log;   /* some of them are logarithms */
} zb_inputs;

/* Signs (pass_radius.c); only where some factor was set to values that may have some.
   What a linear message has of them: positive, negative, cancels, below. Is node k the
   last of a region of signed sums, whose magnitude is to be noted or made larger? By
   how much the latter, in units of its message. */
void zb_pass_note_signs(const zb_pass *p, int k);
bool zb_pass_leaves_signs(const zb_pass *p, int k);
double zb_pass_noise(const zb_pass *p, int k);

/* This is done for every node in every pass, and the least of them take some hundred
   instructions in all: so it stands here. */
static inline zb_inputs zb_pass_inputs(const zb_pass *p, int k)
{
    const int *input = zb_tree_input(p->tree, k);
    zb_inputs all = { 0 };
    for (int i = 0; i < p->tree->node[k].ninput; i++) {
        const zb_table *x = zb_pass_input(p, input[i]);
        all.radius += x->radius;
        all.most += x->most;
        all.high += x->high;
        all.is_log |= x->is_log;
    }
    return all;
}

/* Two values are what most variables have, and a logarithm takes as long as ten of
   their entries. */
static inline double zb_pass_log_states(int d)
{
    const double ln2 = 0.693147180559945309417;
    return d == 2 ? ln2 : zb_log(d);
}

/* A linear sum of node k, of d terms: before its entries are known. */
static inline void zb_pass_note_sum(const zb_pass *p, int k, int d, const zb_inputs *in)
{
    zb_table *out = zb_pass_message(p, k);
    out->radius = in->radius + ZB_MARGIN * ZB_UNIT *
                                   (double)(p->tree->node[k].ninput + (int64_t)d - 2);
}

/* The same delivered as magnitudes, of which signed sums say nothing. */
static inline void zb_pass_note_magnitude(zb_table *out)
{
    if (out->cancels)
        out->radius = INFINITY;
    out->negative = out->cancels = false;
}

/* And as logarithms. A root is one number, of which the logarithm is known; others are
   within what their inputs span. */
static inline void zb_pass_note_logarithm(const zb_pass *p, int k, int d,
                                          const zb_inputs *in)
{
    const double ln2 = 0.693147180559945309417;
    zb_table *out = zb_pass_message(p, k);
    out->most = in->most + fabs(ln2 * out->exp2) + zb_pass_log_states(d);
    if (p->tree->node[k].parent < 0)
        out->most = *out->value > -INFINITY ? fabs(*out->value) : 0;
    out->radius += ZB_MARGIN * ZB_UNIT * 2 * ZB_LOG_ULP * out->most;
}

/* The largest magnitude of n numbers; of few of them without a call. */
static inline double zb_pass_magnitude(size_t n, const double *x)
{
    double most = 0;
    if (n > 16)
        return zb_kernel_range(n, x).most;
    for (size_t i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

/* A sum of logarithms, of d terms with weights, or the largest or smallest of d. */
static inline void zb_pass_note_log(const zb_pass *p, int k, const zb_inputs *in,
                                    const zb_pass_call *c)
{
    const zb_bucket *bucket = zb_tree_bucket_of(p->tree, k);
    zb_table *out = zb_pass_message(p, k);
    int d = (int)zb_tree_states(p->tree, k);
    size_t n = p->spec.shared && bucket->count > 1 ? bucket->shared_size : 1;
    double r = bucket->count, w = zb_pass_magnitude(n, c->weight);
    double shift = 0, units = 0;
    if (bucket->count > 1 && p->spec.theta) {
        shift = zb_pass_magnitude(n * (size_t)d, p->param.theta + p->theta_at[k]);
        units = (r - 2) * shift;
    }
    out->most = in->most + shift;
    units += (p->tree->node[k].ninput - (shift == 0)) * out->most;
    if (c->op == ZB_OP_POWER) { /* (r + 1) w ln d for the weights, if there are any */
        double grown = w * zb_pass_log_states(d);
        units += w * (3.0 * d + 8) + 4 * out->most + (r + 5) * grown;
        out->most += grown;
    }
    out->radius = in->radius + ZB_MARGIN * ZB_UNIT * units;
}

#endif
