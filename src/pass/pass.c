/* The way up: factors are set, messages computed, the bound added up. See pass.h for
 * what is computed and in which form. */
#include "pass/pass_state.h"

#include "base/explog.h"
#include "pass/layout.h"

#include <string.h>

/* ---- factors --------------------------------------------------------------------- */

/* What x->value has been filled with becomes the factor's table. */
static void take_log(zb_pass *p, int k, zb_table *x)
{
    x->is_log = true;
    x->exp2 = 0;
    x->shift = 0;
    if (p->mode[k] == ZB_LINEAR)
        zb_table_to_linear(x, zb_kernel_log_range(x->size, x->value), &p->by);
    x->positive = !x->is_log && zb_table_all_positive(x);
}

static void take_linear(zb_pass *p, int k, zb_table *x, double log_scale)
{
    x->is_log = false;
    x->exp2 = 0;
    x->shift = log_scale;
    if (p->mode[k] == ZB_LOG) {
        zb_table_to_log(x, &p->by);
        return;
    }
    if (!p->is_exact[k])
        zb_table_drop_sign(x);
    zb_table_settle(x, zb_kernel_range(x->size, x->value), &p->by);
    x->positive = zb_table_all_positive(x);
}

void zb_pass_set_log(zb_pass *p, int f, const double *value)
{
    int k = p->tree->factor_node[f];
    zb_table *x = &p->table[f];
    p->given_changed = true;
    if (k < 0) {
        x->shift = *value;
        return;
    }
    memcpy(x->value, value, x->size * sizeof *value);
    take_log(p, k, x);
}

void zb_pass_set_linear(zb_pass *p, int f, const double *value, double log_scale)
{
    int k = p->tree->factor_node[f];
    zb_table *x = &p->table[f];
    p->given_changed = true;
    if (k < 0) {
        x->shift = zb_log(fabs(*value)) + log_scale;
        return;
    }
    memcpy(x->value, value, x->size * sizeof *value);
    p->linear_given = true;
    take_linear(p, k, x, log_scale);
}

/* A factor of the model that is summed once. */
static void load_factor(zb_pass *p, int f)
{
    const zb_model *model = p->spec.once;
    int k = p->tree->factor_node[f];
    zb_table *x = &p->table[f];
    p->given_changed = true;
    double constant;
    bool log = zb_layout_gather(p->tree, model, f, k < 0 ? &constant : x->value);
    if (k < 0)
        x->shift = log ? constant : zb_log(constant);
    else if (log)
        take_log(p, k, x);
    else
        take_linear(p, k, x, 0);
}

/* ---- forward --------------------------------------------------------------------- */

/* A node below has lost its signs: so must this one. */
static void keep_signs_true(zb_pass *p, int k)
{
    const zb_node *node = &p->tree->node[k];
    const int *input = zb_tree_input(p->tree, k);
    for (int i = 0; i < node->ninput && p->is_exact[k]; i++)
        p->is_exact[k] = input[i] >= 0 || p->is_exact[-1 - input[i]];
    for (int i = 0; i < node->ninput && !p->is_exact[k]; i++)
        zb_table_drop_sign(zb_pass_input(p, input[i]));
}

/* Decide the form of an unsplit node and bring its inputs into it. (Inputs of nodes in
   logarithms are delivered as such.) Returns the power of two by which linear inputs
   together are off scale: taken out of their product on the way, it costs nothing. A
   few bits are left. */
static int prepare_inputs(zb_pass *p, int k)
{
    const zb_node *node = &p->tree->node[k];
    const int *input = zb_tree_input(p->tree, k);
    double range = 0;
    int high = 0;
    bool positive = true;
    if (p->is_exact[k])
        keep_signs_true(p, k);
    for (int i = 0; i < node->ninput; i++) {
        const zb_table *x = zb_pass_input(p, input[i]);
        range += x->is_log ? INFINITY : x->range;
        high += x->high;
        positive = positive && x->positive;
    }
    zb_pass_message(p, k)->positive = positive;
    p->by_value[k] = p->is_exact[k] && p->linear_given && !positive;
    if (range <= ZB_RANGE_MOST)
        return high > -8 && high < 8 ? 0 : high;
    p->mode[k] = ZB_LOG;
    p->is_exact[k] = p->by_value[k] = false; /* logarithms carry no signs */
    for (int i = 0; i < node->ninput; i++)
        if (!zb_pass_input(p, input[i])->is_log)
            zb_table_to_log(zb_pass_input(p, input[i]), &p->by);
    return 0;
}

/* The message is handed over in the form its parent works in. */
static void forward_linear(zb_pass *p, int k, const zb_worker *w)
{
    int up = p->tree->node[k].parent;
    zb_table *out = zb_pass_message(p, k);
    bool drop = up >= 0 && p->is_exact[k] && !p->is_exact[up];
    zb_pass_call c = { .kind = ZB_LIN_UP,
                       .message = out->value,
                       .factor = out->exp2 != 0 ? ldexp(1, -out->exp2) : 1,
                       .emit = up < 0 || p->mode[up] == ZB_LOG ? ZB_EMIT_LOG
                               : drop                          ? ZB_EMIT_ABS
                                                               : ZB_EMIT_VALUE };
    zb_pass_reply r = zb_pass_run_node(p, k, &c, w);
    out->is_log = c.emit == ZB_EMIT_LOG;
    if (out->is_log)
        return;
    zb_table_settle(out, r.extent, &p->by);
    if (p->spec.once != NULL && r.extent.most == 0)
        p->zero = true;
}

static void forward_log(zb_pass *p, int k, const zb_worker *w)
{
    int up = p->tree->node[k].parent;
    zb_table *out = zb_pass_message(p, k);
    zb_pass_call c = { .kind = ZB_LOG_UP,
                       .message = out->value,
                       .flag = up >= 0 && p->mode[up] == ZB_LINEAR };
    zb_pass_weigh(p, k, &c);
    zb_pass_reply r = zb_pass_run_node(p, k, &c, w);
    out->is_log = true;
    out->positive = false;
    if (c.flag)
        zb_table_to_linear(out, r.extent, &p->by);
    if (p->spec.once != NULL && c.flag && r.extent.most == -INFINITY)
        p->zero = true;
}

static void forward_node(zb_pass *p, int k, const zb_worker *w)
{
    zb_table *out = zb_pass_message(p, k);
    if (!zb_pass_go_on(p, k, w))
        return;
    for (int i = 0; i < p->tree->node[k].ninput && p->spec.once != NULL; i++)
        if (zb_tree_input(p->tree, k)[i] >= 0)
            load_factor(p, zb_tree_input(p->tree, k)[i]);
    out->exp2 = 0;
    out->shift = 0;
    if (p->mode[k] == ZB_LINEAR)
        out->exp2 = prepare_inputs(p, k);
    if (p->mode[k] == ZB_LINEAR)
        forward_linear(p, k, w);
    else
        forward_log(p, k, w);
    if (p->tree->node[k].parent < 0)
        out->shift = *out->value; /* kept: the memory may be used again */
}

void zb_pass_watch(zb_pass *p, zb_run *run)
{
    p->spec.run = run;
    p->by = (zb_sweeper){ &p->team, run, p->spec.once != NULL ? &p->cut : NULL };
    for (int i = 0; i < p->nworker; i++)
        *p->worker[i].ticker = (zb_ticker){ .run = run };
}

/* A thread may have noticed the end in the middle of a node. */
static bool was_cut(zb_pass *p)
{
    for (int i = 0; i < p->nworker; i++)
        p->cut = p->cut || p->worker[i].ticker->over;
    return p->cut;
}

/* The scales of all factors. */
static void add_given(zb_pass *p)
{
    p->given = (zb_log_sum){ 0 };
    for (int f = 0; f < p->tree->nfactors; f++)
        zb_log_sum_table(&p->given, &p->table[f]);
    p->given_changed = false;
}

double zb_pass_forward(zb_pass *p)
{
    const zb_tree *t = p->tree;
    zb_log_sum sum;
    p->cut = p->zero = false;
    p->done = p->here = p->told = 0;
    zb_pass_watch(p, p->spec.run);
    for (int f = 0; f < t->nfactors && p->spec.once != NULL; f++)
        if (t->factor_node[f] < 0)
            load_factor(p, f);
    zb_pass_visit(p, forward_node, false);
    if (was_cut(p))
        return p->spec.side == ZB_SIDE_LOWER ? -INFINITY : INFINITY;
    if (p->zero)
        return -INFINITY;
    if (p->given_changed)
        add_given(p);
    sum = p->given;
    zb_log_sum_add(&sum, p->log_free);
    for (int k = 0; k < t->nnodes; k++)
        zb_log_sum_table(&sum, zb_pass_message(p, k));
    return zb_log_sum_value(&sum);
}
