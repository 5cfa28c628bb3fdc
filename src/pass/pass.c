/* The way up: factors are set, messages computed, the bound added up. See pass.h for
 * what is computed and in which form. */
#include "pass/pass_part.h"
#include "pass/pass_radius.h"

#include "base/explog.h"
#include "pass/layout.h"

#include <string.h>

/* ---- factors --------------------------------------------------------------------- */

/* What x->value has been filled with becomes the factor's table. */
static void take_log(zb_pass *p, int k, zb_table *x)
{
    x->is_log = true;
    x->exp2 = 0;
    x->shift = x->radius = 0;
    x->positive = x->negative = x->cancels = false;
    zb_extent e = zb_kernel_log_range(x->size, x->value);
    if (p->mode[k] == ZB_LINEAR)
        zb_table_to_linear(x, e, &p->by);
    else
        zb_table_center(x, e, &p->by);
    if (!x->is_log)
        zb_table_find_signs(x);
}

static void take_linear(zb_pass *p, int k, zb_table *x, double log_scale)
{
    x->is_log = false;
    x->exp2 = 0;
    x->shift = log_scale;
    x->radius = 0;
    x->cancels = false;
    zb_table_find_signs(x);
    if (!p->is_exact[k])
        zb_table_drop_sign(x);
    zb_table_settle(x, zb_kernel_range(x->size, x->value), &p->by);
    if (p->mode[k] == ZB_LOG)
        zb_table_to_log(x, &p->by);
}

static void set_constant(zb_table *x, double log)
{
    x->shift = log;
    x->radius = 0;
}

void zb_pass_set_log(zb_pass *p, int f, const double *value)
{
    int k = p->tree->factor_node[f];
    zb_table *x = &p->table[f];
    p->given_changed = true;
    if (k < 0) {
        set_constant(x, *value);
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
        double log = zb_log(fabs(*value));
        set_constant(x, log + log_scale);
        x->radius +=
            ZB_MARGIN * ZB_UNIT * (2 * ZB_LOG_ULP * fabs(log) + fabs(x->shift));
        return;
    }
    memcpy(x->value, value, x->size * sizeof *value);
    p->linear_given = true;
    take_linear(p, k, x, log_scale);
}

void zb_pass_add_radius(zb_pass *p, int f, double radius)
{
    p->given_changed = true;
    p->table[f].radius += radius;
}

void zb_pass_add_noise(zb_pass *p, int f, double share)
{
    zb_pass_add_radius(p, f, share);
    p->table[f].cancels = p->tree->factor_node[f] >= 0;
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
    if (k < 0) {
        set_constant(x, log ? constant : zb_log(constant));
        x->radius = log ? 0 : ZB_MARGIN * 2 * ZB_LOG_ULP * ZB_UNIT * fabs(x->shift);
    } else if (log)
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
        p->is_exact[k] = zb_pass_input_is_exact(p, input[i]);
    for (int i = 0; i < node->ninput && !p->is_exact[k]; i++)
        zb_table_drop_sign(zb_pass_input(p, input[i]));
}

/* Decide the form of an unsplit node and bring its inputs into it. (Inputs of nodes in
   logarithms are delivered as such.) What they have in common is told, and the power of
   two by which linear inputs together are off scale: taken out of their product on the
   way, it costs nothing. A few bits are left. */
static zb_inputs prepare_inputs(zb_pass *p, int k)
{
    const int *input = zb_tree_input(p->tree, k);
    zb_table *out = zb_pass_message(p, k);
    if (p->is_exact[k])
        keep_signs_true(p, k);
    zb_inputs in = zb_pass_inputs(p, k);
    if (!in.is_log && in.most <= ZB_RANGE_MOST) {
        out->exp2 = in.high > -8 && in.high < 8 ? 0 : in.high;
        return in;
    }
    p->mode[k] = ZB_LOG;
    p->is_exact[k] = false; /* logarithms carry no signs */
    for (int i = 0; i < p->tree->node[k].ninput; i++)
        if (!zb_pass_input(p, input[i])->is_log)
            zb_table_to_log(zb_pass_input(p, input[i]), &p->by);
    return zb_pass_inputs(p, k);
}

/* The message is handed over in the form its parent works in. */
static zb_emit form_of(const zb_pass *p, int k)
{
    int up = p->tree->node[k].parent;
    if (up < 0 || p->mode[up] == ZB_LOG)
        return ZB_EMIT_LOG;
    return p->is_exact[k] && !p->is_exact[up] ? ZB_EMIT_ABS : ZB_EMIT_VALUE;
}

/* The sum leaves the region of signs: it is delivered as a magnitude, not less than the
   true one. */
static void leave_signs(zb_pass *p, int k, zb_extent e, zb_emit form)
{
    zb_table *out = zb_pass_message(p, k);
    if (p->signs == ZB_SIGNED_MAGNITUDES)
        p->largest[k] = (zb_largest){ e.most, out->below + out->exp2 };
    else
        zb_table_add_noise(out, &e, zb_pass_noise(p, k), &p->by);
    zb_table_settle(out, e, &p->by);
    if (form == ZB_EMIT_LOG)
        zb_table_to_log(out, &p->by);
}

static void forward_linear(zb_pass *p, int k, const zb_inputs *in, const zb_worker *w)
{
    zb_table *out = zb_pass_message(p, k);
    zb_emit form = form_of(p, k);
    bool leaves = p->signs != ZB_SIGNED_PLAIN && zb_pass_leaves_signs(p, k);
    int d = (int)zb_tree_states(p->tree, k);
    zb_pass_call c = { .kind = ZB_LIN_UP,
                       .message = out->value,
                       .factor = out->exp2 != 0 ? ldexp(1, -out->exp2) : 1,
                       .emit = leaves ? ZB_EMIT_ABS : form };
    zb_pass_reply r = zb_pass_run_node(p, k, &c, w);
    out->is_log = c.emit == ZB_EMIT_LOG;
    zb_pass_note_sum(p, k, d, in);
    if (leaves)
        leave_signs(p, k, r.extent, form);
    else if (out->is_log)
        zb_pass_note_logarithm(p, k, d, in);
    else
        zb_table_settle(out, r.extent, &p->by);
    if (form != ZB_EMIT_VALUE && !leaves)
        zb_pass_note_magnitude(out);
    if (p->spec.once != NULL && !out->is_log && r.extent.most == 0)
        p->zero = true;
}

/* Logarithms that may have grown large are measured and centred, where nothing is lost
   with the scale: roots are left alone. */
static void forward_log(zb_pass *p, int k, const zb_inputs *in, const zb_worker *w)
{
    const double LARGE = 64;
    int up = p->tree->node[k].parent;
    zb_table *out = zb_pass_message(p, k);
    zb_pass_call c = { .kind = ZB_LOG_UP, .message = out->value };
    bool linear = up >= 0 && p->mode[up] == ZB_LINEAR;
    zb_pass_weigh(p, k, &c);
    zb_pass_note_log(p, k, in, &c);
    c.flag = linear || (up >= 0 && out->most > LARGE);
    zb_pass_reply r = zb_pass_run_node(p, k, &c, w);
    out->is_log = true;
    if (linear)
        zb_table_to_linear(out, r.extent, &p->by);
    else if (c.flag)
        zb_table_center(out, r.extent, &p->by);
    if (p->spec.once != NULL && linear && r.extent.most == -INFINITY)
        p->zero = true;
}

static void forward_node(zb_pass *p, int k, const zb_worker *w)
{
    zb_table *out = zb_pass_message(p, k);
    if (!zb_pass_go_on(p, k, w) || (p->spec.part && !zb_pass_take(p, k, false)))
        return;
    for (int i = 0; i < p->tree->node[k].ninput && p->spec.once != NULL; i++)
        if (zb_tree_input(p->tree, k)[i] >= 0)
            load_factor(p, zb_tree_input(p->tree, k)[i]);
    out->exp2 = 0;
    out->shift = 0;
    zb_inputs in =
        p->mode[k] == ZB_LINEAR ? prepare_inputs(p, k) : zb_pass_inputs(p, k);
    if (p->linear_given)
        zb_pass_note_signs(p, k);
    p->by_value[k] = p->linear_given && p->is_exact[k] && !out->positive;
    if (p->mode[k] == ZB_LINEAR)
        forward_linear(p, k, &in, w);
    else
        forward_log(p, k, &in, w);
    if (p->tree->node[k].parent < 0)
        out->shift = *out->value; /* kept: the memory may be used again */
    if (p->spec.part != NULL)
        zb_pass_hand_on(p, k);
}

void zb_pass_watch(zb_pass *p, zb_run *run)
{
    p->spec.run = run;
    p->by = (zb_sweeper){ &p->team, run, p->spec.once != NULL ? &p->cut : NULL };
    for (int i = 0; i < p->nworker; i++)
        *p->worker[i].ticker = (zb_ticker){ .run = run };
}

/* The scales of all factors, and the radii of those that no node takes in. */
static void add_given(zb_pass *p)
{
    p->given = (zb_sum){ 0 };
    for (int f = 0; f < p->tree->nfactors; f++) {
        zb_table_scale(&p->table[f], &p->given);
        p->given.radius += p->tree->factor_node[f] < 0 ? p->table[f].radius : 0;
    }
    p->given_changed = false;
}

/* Everything that was taken out of tables, and what the roots say. */
static zb_ball add_up(zb_pass *p)
{
    const zb_tree *t = p->tree;
    if (p->given_changed)
        add_given(p);
    zb_sum sum = p->given;
    zb_sum_add_ball(&sum, zb_sum_value(&p->log_free));
    for (int k = 0; k < t->nnodes; k++) {
        const zb_table *x = zb_pass_message(p, k);
        zb_table_scale(x, &sum);
        if (x->is_root)
            sum.radius += x->radius;
    }
    return zb_sum_value(&sum);
}

/* What the last visit has come to. */
static double conclude(zb_pass *p)
{
    p->cut = zb_pass_was_cut(p);
    if (p->cut)
        return p->spec.side == ZB_SIDE_LOWER ? -INFINITY : INFINITY;
    if (p->zero)
        return -INFINITY;
    zb_ball sum = add_up(p);
    p->radius = sum.radius;
    return sum.mid;
}

double zb_pass_forward(zb_pass *p)
{
    const zb_tree *t = p->tree;
    p->cut = p->zero = false;
    p->radius = p->done = p->here = p->told = 0;
    zb_pass_watch(p, p->spec.run);
    for (int f = 0; f < t->nfactors && p->spec.once != NULL; f++)
        if (t->factor_node[f] < 0)
            load_factor(p, f);
    zb_pass_visit(p, forward_node, false);
    return p->spec.part != NULL ? zb_pass_conclude_part(p) : conclude(p);
}

typedef struct zb_climb {
    zb_pass *p;
    int node;
} zb_climb;

static void climb(void *context)
{
    const zb_climb *c = context;
    for (int k = c->node; k >= 0; k = c->p->tree->node[k].parent)
        forward_node(c->p, k, c->p->worker);
}

double zb_pass_forward_from(zb_pass *p, int factor)
{
    zb_climb c = { p, p->tree->factor_node[factor] };
    ZB_ASSERT(p->spec.gradient || p->spec.keep);
    p->cut = p->zero = false;
    p->radius = 0;
    zb_team_lead(&p->team, p->divided ? p->nworker : 1, climb, &c);
    return conclude(p);
}
