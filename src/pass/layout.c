#include "pass/layout.h"

#include "model/table.h"

bool zb_layout_gather(const zb_tree *tree, const zb_model *model, int factor,
                      double *out)
{
    const zb_factor *f = &model->factor[factor];
    const int *scope;
    int axis[ZB_MAX_AXES], n = 0, arity = zb_tree_scope(tree, factor, &scope);
    zb_walk w;
    for (int i = 0; i < arity; i++)
        if (model->card[scope[i]] > 1)
            axis[n++] = scope[i];
    zb_walk_begin(&w, n, axis, model->card, f);
    zb_walk_copy(&w, f->value, out, NULL);
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
