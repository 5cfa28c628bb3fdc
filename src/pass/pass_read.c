/* Tables of a pass, for those who go on with them. */
#include "pass/pass_state.h"

static void read_table(const zb_table *x, double scale, double *out)
{
    if (x->is_log)
        zb_kernel_subtract(x->size, x->value, -scale, out);
    else
        zb_kernel_log_abs(x->size, x->value, scale, out);
}

/* A root keeps its logarithm as its shift: see forward_node. */
void zb_pass_read_message(const zb_pass *p, int node, double *out)
{
    const double ln2 = 0.693147180559945309417;
    const zb_table *x = zb_pass_message(p, node);
    double scale = x->exp2 * ln2 + x->shift;
    if (p->tree->node[node].parent < 0)
        *out = scale;
    else
        read_table(x, scale, out);
}

void zb_pass_read_input(const zb_pass *p, int input, double *out)
{
    read_table(zb_pass_input(p, input), 0, out);
}
