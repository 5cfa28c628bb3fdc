#include "pass/layout.h"

#include "base/explog.h"

enum { AXES = 64 }; /* more axes of two values do not fit an address space */

/* Entries of the given table between two values of the variable. */
static size_t stride_of(const zb_model *model, const zb_factor *f, int var)
{
    size_t step = 1;
    for (int i = f->arity - 1; f->scope[i] != var; i--)
        step *= (size_t)model->card[f->scope[i]];
    return step;
}

static size_t observed_at(const zb_model *model, const zb_factor *f)
{
    size_t at = 0, step = 1;
    for (int i = f->arity - 1; i >= 0; i--) {
        int seen = model->evidence[f->scope[i]];
        at += seen > 0 ? (size_t)seen * step : 0;
        step *= (size_t)model->card[f->scope[i]];
    }
    return at;
}

/* The tree's entries in their own order; strides say where an entry comes from. Axes of
   one value add nothing to a position. */
bool zb_layout_gather(const zb_tree *tree, const zb_model *model, int factor,
                      double *out)
{
    const zb_factor *f = &model->factor[factor];
    const int *scope;
    int digit[AXES] = { 0 }, extent[AXES], arity = zb_tree_scope(tree, factor, &scope),
        n = 0;
    size_t stride[AXES], at = observed_at(model, f), size = zb_tree_size(tree, factor);
    for (int a = 0; a < arity; a++) {
        if (tree->card[scope[a]] == 1)
            continue;
        extent[n] = tree->card[scope[a]];
        stride[n++] = stride_of(model, f, scope[a]);
    }
    for (size_t i = 0; i < size; i++) {
        out[i] = f->value[at];
        for (int a = n - 1; a >= 0; a--) {
            at += stride[a];
            if (++digit[a] < extent[a])
                break;
            at -= stride[a] * (size_t)extent[a];
            digit[a] = 0;
        }
    }
    return f->log;
}

void zb_layout_factor(const zb_tree *tree, const zb_model *model, int factor,
                      double *out)
{
    size_t size = zb_tree_size(tree, factor);
    if (zb_layout_gather(tree, model, factor, out))
        return;
    for (size_t i = 0; i < size; i++)
        out[i] = zb_log(out[i]);
}
