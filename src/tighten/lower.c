/* Reverse Hoelder needs exactly one positive weight per split bucket. A mini-bucket
 * with a negative weight turns every zero into a zero of its message, so the positive
 * weight goes to a mini-bucket that holds zeros; where there are none, or several, the
 * choices are tried. */
#include "tighten/lower.h"

#include "base/explog.h"
#include "model/table.h"
#include "tighten/fleet.h"
#include "tighten/tighten_internal.h"

#include <string.h>

static const double FIRST_NEGATIVE = 0.5;

/* Does an input of the node contain a zero? Messages: as the flags say. */
static bool holds_zero(const zb_tree *tree, int k, const bool *factor_zero,
                       const bool *message_zero)
{
    for (int i = 0; i < tree->node[k].ninput; i++) {
        int in = zb_tree_input(tree, k)[i];
        if (in >= 0 ? factor_zero[in] : message_zero[-1 - in])
            return true;
    }
    return false;
}

static void find_factor_zeros(const zb_model *model, bool *factor_zero)
{
    for (int f = 0; f < model->nfactors; f++)
        factor_zero[f] = zb_factor_extremes(&model->factor[f]).zero;
}

/* Upwards through the tree. A sum is taken to lose its zeros unless all inputs that
   hold zeros were themselves negative; that is a guess, and flips mend it. */
static void choose(const zb_tree *tree, const bool *factor_zero, bool *message_zero,
                   int *choice)
{
    for (int v = 0; v < tree->nvars; v++) {
        const zb_bucket *b = &tree->bucket[v];
        int positive = -1;
        double largest = -1;
        for (int m = 0; m < b->count; m++) {
            int k = b->first + m;
            bool zero = holds_zero(tree, k, factor_zero, message_zero);
            double size = (double)tree->node[k].sep_size + (zero ? 1e300 : 0);
            message_zero[k] = zero;
            if (size > largest) {
                largest = size;
                positive = m;
            }
        }
        if (b->count > 0)
            message_zero[b->first + positive] = false;
        choice[v] = b->count > 1 ? positive : 0;
    }
}

zb_status zb_lower_choose(const zb_tree *tree, const zb_model *model, int *positive)
{
    bool *factor_zero = zb_calloc((size_t)tree->nfactors, sizeof *factor_zero);
    bool *message_zero = zb_calloc((size_t)tree->nnodes, sizeof *message_zero);
    bool ok = factor_zero != NULL && message_zero != NULL;
    if (ok) {
        find_factor_zeros(model, factor_zero);
        choose(tree, factor_zero, message_zero, positive);
    }
    zb_free(factor_zero);
    zb_free(message_zero);
    return ok ? ZB_OK : ZB_ENOMEM;
}

void zb_lower_begin(zb_tighten *t)
{
    for (size_t i = 0; i < t->param->nweight; i++)
        t->logit[i] = zb_log(FIRST_NEGATIVE);
    zb_tighten_apply_weights(t);
    t->objective.keep(t);
}

zb_status zb_lower_start(zb_tighten *t)
{
    zb_status status = zb_lower_choose(t->tree, t->model, t->positive);
    if (status == ZB_OK)
        zb_lower_begin(t);
    return status;
}

/* ---- flips, of all parts where the tree is spread -------------------------------- */

static int positive_of(const zb_tighten *t, int bucket)
{
    return t->spec.fleet != NULL ? zb_fleet_positive(t->spec.fleet, bucket)
                                 : t->positive[bucket];
}

static void set_positive(zb_tighten *t, int bucket, int m)
{
    if (t->spec.fleet != NULL)
        zb_fleet_set_positive(t->spec.fleet, t, bucket, m);
    else
        zb_tighten_set_positive(t, bucket, m);
}

static void keep(zb_tighten *t)
{
    if (t->spec.fleet != NULL)
        zb_fleet_stride(t->spec.fleet, &(zb_stride){ .what = ZB_STRIDE_KEEP });
    t->objective.keep(t);
}

int64_t zb_lower_flip(zb_tighten *t, int64_t passes, zb_run *run)
{
    const zb_tree *tree =
        t->spec.fleet != NULL ? zb_fleet_tree(t->spec.fleet) : t->tree;
    double best = zb_tighten_evaluate(t, NULL);
    int64_t spent = 1;
    bool improved = true;
    while (improved) {
        improved = false;
        for (int v = 0; v < tree->nvars; v++) {
            const zb_bucket *b = &tree->bucket[v];
            for (int m = 0; m < b->count && b->count > 1; m++) {
                int old = positive_of(t, v);
                if (m == old)
                    continue;
                if (spent >= passes || !zb_run_more(run))
                    goto done;
                set_positive(t, v, m);
                double bound = zb_tighten_evaluate(t, NULL);
                spent++;
                if (bound > best) {
                    best = bound;
                    improved = true;
                } else
                    set_positive(t, v, old);
            }
        }
    }
done:
    keep(t);
    zb_tighten_evaluate(t, NULL); /* t->bound is that of the point kept */
    return spent + 1;
}
