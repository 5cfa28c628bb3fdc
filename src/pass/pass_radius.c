/* Signs, and what is known of sums of both (pass_radius.h). */
#include "pass/pass_radius.h"

#include <stdlib.h>

/* A message is a sum with signs, and says nothing about small entries, if an input has
   signs or is such a sum. */
void zb_pass_note_signs(const zb_pass *p, int k)
{
    const int *input = zb_tree_input(p->tree, k);
    zb_table *out = zb_pass_message(p, k);
    bool positive = true, cancels = false;
    int64_t below = 0;
    for (int i = 0; i < p->tree->node[k].ninput && p->mode[k] == ZB_LINEAR; i++) {
        const zb_table *x = zb_pass_input(p, input[i]);
        positive = positive && x->positive;
        cancels = cancels || x->negative || x->cancels;
        bool message = input[i] < 0 || zb_pass_comes_in(p, input[i]);
        below += x->exp2 + (message ? x->below : 0);
    }
    out->positive = positive && p->mode[k] == ZB_LINEAR;
    out->negative = out->cancels = cancels;
    out->below = below;
}

bool zb_pass_leaves_signs(const zb_pass *p, int k)
{
    int up = p->tree->node[k].parent;
    bool last = p->is_exact[k] && (up < 0 || !p->is_exact[up]);
    return last &&
           (p->signs == ZB_SIGNED_MAGNITUDES ||
            (p->signs == ZB_SIGNED_CERTIFIED && zb_pass_message(p, k)->cancels));
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
