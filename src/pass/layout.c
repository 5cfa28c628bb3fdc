#include "pass/layout.h"

#include "base/explog.h"

/* Walk the given table in its own order; strides say where an entry goes. */
static void permute(int arity, const int *extent, const size_t *stride, size_t n,
                    const double *in, bool is_log, double *out)
{
    int x[64] = { 0 };
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        out[at] = is_log ? in[i] : zb_log(in[i]);
        for (int a = arity - 1; a >= 0; a--) {
            at += stride[a];
            if (++x[a] < extent[a])
                break;
            at -= stride[a] * (size_t)extent[a];
            x[a] = 0;
        }
    }
}

/* Axes of one value add nothing to a position, so 64 others are more than memory holds.
 */
void zb_layout_factor(const zb_tree *tree, const zb_model *model, int factor,
                      double *out)
{
    const zb_factor *f = &model->factor[factor];
    const int *sorted = tree->scope + tree->scope_at[factor];
    int extent[64], arity = 0;
    size_t stride[64];
    for (int a = 0; a < f->arity; a++) {
        size_t step = 1;
        if (model->card[f->scope[a]] == 1)
            continue;
        for (int s = f->arity - 1; sorted[s] != f->scope[a]; s--)
            step *= (size_t)model->card[sorted[s]];
        extent[arity] = model->card[f->scope[a]];
        stride[arity++] = step;
    }
    permute(arity, extent, stride, f->size, f->value, f->log, out);
}
