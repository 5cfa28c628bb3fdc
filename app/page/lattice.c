#include "page/lattice.h"

#include <limits.h>
#include <stdlib.h>

/* The least distance above 1 between the numbers of a pair: with open borders the
   number of columns, else one less. 0: none, or a factor of three variables. */
static int least_stride(const zb_model *model)
{
    int least = INT_MAX;
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        const int *scope = zb_model_scope(model, f);
        if (zb_model_arity(model, f) > 2)
            return 0;
        int apart = zb_model_arity(model, f) == 2 ? abs(scope[0] - scope[1]) : 0;
        if (apart > 1 && apart < least)
            least = apart;
    }
    return least < INT_MAX ? least : 0;
}

/* Steps between two places on a ring of so many. */
static int steps(int a, int b, int around)
{
    int apart = abs(a - b);
    return apart < around - apart ? apart : around - apart;
}

static bool fits(const page_lattice *g, const zb_model *model)
{
    bool along = false, down = false;
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        const int *scope = zb_model_scope(model, f);
        if (zb_model_arity(model, f) < 2)
            continue;
        int across = steps(scope[0] % g->cols, scope[1] % g->cols, g->cols);
        int rows = steps(scope[0] / g->cols, scope[1] / g->cols, g->rows);
        if (across > 1 || rows > 1)
            return false;
        along |= rows == 0;
        down |= across == 0;
    }
    return along && down;
}

bool page_lattice_find(page_lattice *lattice, const zb_model *model)
{
    int stride = least_stride(model), n = zb_model_nvars(model);
    for (int cols = stride; stride > 0 && cols <= stride + 1; cols++) {
        *lattice = (page_lattice){ n / cols, cols };
        if (n % cols == 0 && n > cols && fits(lattice, model))
            return true;
    }
    return false;
}
