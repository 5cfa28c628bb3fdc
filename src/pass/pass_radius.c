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
#include "pass/pass_state.h"

#include "base/explog.h"

#include <stdlib.h>

zb_inputs zb_pass_inputs(const zb_pass *p, int k)
{
    const int *input = zb_tree_input(p->tree, k);
    zb_inputs all = { 0 };
    for (int i = 0; i < p->tree->node[k].ninput; i++) {
        const zb_table *x = zb_pass_input(p, input[i]);
        all.radius += x->radius;
        all.most += x->is_log ? x->most : x->range;
        all.negative = all.negative || x->negative;
        all.cancels = all.cancels || x->cancels;
        all.below += x->exp2 + (input[i] >= 0 ? 0 : x->below);
    }
    return all;
}

static double states_of(const zb_pass *p, int k)
{
    return (double)zb_tree_states(p->tree, k);
}

/* Two values are what most variables have, and a logarithm takes as long as ten of
   their entries. */
static double log_states(double d)
{
    const double ln2 = 0.693147180559945309417;
    return d == 2 ? ln2 : zb_log(d);
}

/* A root is one number, of which the logarithm is known; others are within what their
   inputs span. */
static void note_logarithm(const zb_pass *p, int k, const zb_inputs *in)
{
    const double ln2 = 0.693147180559945309417;
    zb_table *out = zb_pass_message(p, k);
    out->most = in->most + fabs(ln2 * out->exp2) + log_states(states_of(p, k));
    if (p->tree->node[k].parent < 0)
        out->most = *out->value > -INFINITY ? fabs(*out->value) : 0;
    out->radius += ZB_MARGIN * ZB_UNIT * 2 * ZB_LOG_ULP * out->most;
}

void zb_pass_note_linear(const zb_pass *p, int k, const zb_inputs *in, zb_emit emit)
{
    zb_table *out = zb_pass_message(p, k);
    double operations = p->tree->node[k].ninput - 1 + states_of(p, k) - 1;
    bool cancels = in->negative || in->cancels;
    out->radius = in->radius + ZB_MARGIN * ZB_UNIT * operations;
    out->negative = out->cancels = cancels && emit == ZB_EMIT_VALUE;
    out->below = in->below;
    if (cancels && emit != ZB_EMIT_VALUE)
        out->radius = INFINITY;
    if (emit == ZB_EMIT_LOG)
        note_logarithm(p, k, in);
}

bool zb_pass_leaves_signs(const zb_pass *p, int k, const zb_inputs *in)
{
    int up = p->tree->node[k].parent;
    bool last = p->is_exact[k] && (up < 0 || !p->is_exact[up]);
    return last && (p->signs == ZB_SIGNED_MAGNITUDES ||
                    (p->signs == ZB_SIGNED_CERTIFIED && (in->negative || in->cancels)));
}

/* Both runs have the same shifts below, and powers of two that may differ. A node that
   worked on logarithms in the first run has noted nothing: its noise is infinite. What
   underflows is not nothing. */
double zb_pass_noise(const zb_pass *p, int k)
{
    const zb_table *out = zb_pass_message(p, k);
    int64_t exp2 = p->largest[k].exp2 - (out->below + out->exp2);
    if (llabs(exp2) > 1000)
        return INFINITY;
    double noise = ZB_MARGIN * out->radius * ldexp(p->largest[k].most, (int)exp2);
    bool lost = noise == 0 && out->radius > 0 && p->largest[k].most > 0;
    return lost ? DBL_MIN : noise;
}

/* The largest magnitude of n numbers; of few of them without a call. */
static double magnitude(size_t n, const double *x)
{
    double most = 0;
    if (n > 16)
        return zb_kernel_range(n, x).most;
    for (size_t i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

static double largest_weight(const zb_pass *p, int k)
{
    return zb_tree_is_split(p->tree, k)
               ? magnitude(zb_pass_weight_size(p->tree, k, p->spec.shared),
                           p->param.weight + p->weight_at[k])
               : 1;
}

static double largest_shift(const zb_pass *p, int k)
{
    return zb_tree_is_split(p->tree, k) && p->spec.theta
               ? magnitude(zb_pass_theta_size(p->tree, k, p->spec.shared),
                           p->param.theta + p->theta_at[k])
               : 0;
}

void zb_pass_note_log(const zb_pass *p, int k, const zb_inputs *in, zb_op op)
{
    zb_table *out = zb_pass_message(p, k);
    double d = states_of(p, k), ln_d = log_states(d), w = largest_weight(p, k),
           shift = largest_shift(p, k), b = in->most + shift, r = 0;
    double units = (p->tree->node[k].ninput - (shift == 0)) * b;
    if (zb_tree_is_split(p->tree, k))
        r = zb_tree_bucket_of(p->tree, k)->count;
    units += fmax(0, r - 2) * shift;
    if (op == ZB_OP_POWER) {
        units += w * (3 * d + 8) + 4 * (b + w * ln_d);
        units += r > 0 ? (r + 1) * w * ln_d : 0;
        b += w * ln_d;
    }
    out->radius = in->radius + ZB_MARGIN * ZB_UNIT * units;
    out->most = b;
    out->positive = out->negative = out->cancels = false;
}
