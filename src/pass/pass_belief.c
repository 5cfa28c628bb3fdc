/* What rounding may have done to marginals (base/rounding.h, pass_radius.h). u = 2^-53.
 *
 * On the way back a node has q(s), the marginal of its message's scope, and gives each
 * of its n inputs the sum over its other variables of
 *
 *   b(x, s) = q(s) psi(x, s) / sum_x psi(x, s),    psi the product of the inputs.
 *
 * All terms are positive, so that relative errors add up. Those of psi are the inputs'
 * radii r, as of the way up, and n - 1 roundings; the sum over the d values of x has
 * the same and d - 1 more; a quotient and a product follow; then the sum of as many
 * terms as the clique has entries for one of the input's:
 *
 *     radius(b) = radius(q) + 2 sum r + u (2 n + d + 2 + terms).
 *
 * Nodes that work on logarithms add n of them, of a magnitude of at most B in all, and
 * take exp of differences g >= -710 that are rounded once:
 *
 *     radius(b) = radius(q) + 2 sum r + u (2 n B + 1420 + d + 8 + terms).
 *
 * Absolute errors, from underflow and from terms below e^-700 of the largest, which
 * count as 2^-1010, only add up on the way, since the b / q are at most one: 10^9
 * entries of 10^5 nodes stay far below ZB_BELIEF_LEAST. */
#include "pass/pass_radius.h"

static double node_units(const zb_pass *p, int k, const zb_inputs *in, double terms)
{
    double n = p->tree->node[k].ninput, d = (double)zb_tree_states(p->tree, k);
    if (p->mode[k] == ZB_LOG)
        return 2 * n * in->most + 1420 + d + 8 + terms;
    return 2 * n + d + 2 + terms;
}

/* Of all inputs, from the radius of the node's own belief. */
static void hand_down(const zb_pass *p, int k, double *node, double *factor)
{
    const zb_tree *t = p->tree;
    zb_inputs in = zb_pass_inputs(p, k);
    double clique = (double)t->node[k].sep_size * (double)zb_tree_states(t, k);
    for (int i = 0; i < t->node[k].ninput; i++) {
        int input = zb_tree_input(t, k)[i];
        double terms = clique / (double)zb_tree_size(t, input);
        double radius = node[k] + 2 * in.radius +
                        ZB_MARGIN * ZB_UNIT * node_units(p, k, &in, terms);
        if (input >= 0)
            factor[input] = radius;
        else
            node[-1 - input] = radius;
    }
}

zb_status zb_pass_belief_radii(const zb_pass *p, double *radius)
{
    const zb_tree *t = p->tree;
    double *node = zb_calloc((size_t)t->nnodes, sizeof *node); /* roots: 1, exactly */
    if (node == NULL)
        return ZB_ENOMEM;
    ZB_ASSERT(t->splits == 0);
    for (int f = 0; f < t->nfactors; f++)
        radius[f] = 0;
    for (int k = t->nnodes - 1; k >= 0; k--) {
        ZB_ASSERT(!p->by_value[k] && t->node[k].parent != k);
        hand_down(p, k, node, radius);
    }
    zb_free(node);
    return ZB_OK;
}
