/* Tables of a pass, for those who go on with them. */
#include "pass/pass_state.h"

#include "base/explog.h"

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

/* The entry of a table over these axes, in C order, at the state. */
static size_t entry_of(const zb_tree *t, int arity, const int *axis, const int *state)
{
    size_t at = 0;
    for (int i = 0; i < arity; i++)
        at = at * (size_t)t->card[axis[i]] + (size_t)state[axis[i]];
    return at;
}

/* A table whose first axis is the variable, unless it has none. */
static void add_table(const zb_table *x, size_t step, size_t at, int card, double *row)
{
    for (int v = 0; v < card; v++, at += step)
        row[v] += x->is_log ? x->value[at] : zb_log(fabs(x->value[at]));
}

static void add_shift(const zb_pass *p, int k, const int *state, double *row)
{
    const zb_tree *t = p->tree;
    const zb_bucket *b = zb_tree_bucket_of(t, k);
    int shared = p->spec.shared ? b->nshared : 0;
    size_t at = entry_of(t, shared, t->shared + b->shared_at, state);
    size_t step = p->spec.shared ? b->shared_size : 1;
    const double *theta = p->param.theta + p->theta_at[k];
    for (int v = 0; v < t->card[t->node[k].var]; v++)
        row[v] += theta[at + step * (size_t)v];
}

void zb_pass_add_row(const zb_pass *p, int k, const int *state, double *row)
{
    const zb_tree *t = p->tree;
    int var = t->node[k].var, card = t->card[var];
    for (int i = 0; i < t->node[k].ninput; i++) {
        int input = zb_tree_input(t, k)[i];
        const int *axis;
        int arity = zb_tree_scope(t, input, &axis);
        bool first = arity > 0 && axis[0] == var;
        size_t at = entry_of(t, arity - first, axis + first, state);
        size_t step = first ? zb_tree_size(t, input) / (size_t)card : 0;
        add_table(zb_pass_input(p, input), step, at, card, row);
    }
    if (zb_tree_is_split(t, k) && p->spec.theta)
        add_shift(p, k, state, row);
}
