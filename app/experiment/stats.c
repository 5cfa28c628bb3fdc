/* Numbers for plots and tables. */
#include "experiment.h"

#include <math.h>
#include <string.h>

const char *const exp_labels[] = { "mbe-ising",  "trbp-ising",  "mbe",
                                   "trbp",       "wmbe",        "wmbe-w",
                                   "wmbe-theta", "wmbe-wtheta", "wmbe-g",
                                   "wmbe-wg",    "wmbe-wg-own", NULL };
const char *const exp_curves[] = { "g>w",     "g>theta", "w>g", "w>theta",
                                   "theta>g", "theta>w", NULL };

const exp_task *exp_find(const exp_figure *f, int instance, const char *label,
                         zb_optimizer optimizer)
{
    for (int i = 0; i < f->ntasks; i++) {
        const exp_task *t = &f->task[i];
        if (t->instance == instance && strcmp(t->label, label) == 0 &&
            (!t->tuned || t->optimizer == optimizer))
            return t->done ? t : NULL;
    }
    return NULL;
}

bool exp_value(const exp_figure *f, const exp_task *t, exp_measure m, double *out)
{
    const exp_instance *i = &f->instance[t->instance];
    if (!t->has_upper)
        return false;
    if (m == EXP_ERROR) {
        *out = t->log_upper - i->log_z;
        return i->has_z;
    }
    const exp_task *mbe = exp_find(f, t->instance, "mbe", ZB_OPTIMIZER_PAPER);
    if (mbe == NULL || !mbe->has_upper)
        return false;
    *out = t->log_upper - mbe->log_upper;
    return true;
}

exp_stat exp_series(const exp_figure *f, exp_family family, double coupling,
                    const char *label, zb_optimizer optimizer, exp_measure m)
{
    exp_stat stat = { .count = 0 };
    double square = 0;
    for (int i = 0; i < f->ninstances; i++) {
        double x;
        if (f->instance[i].family != family || f->instance[i].coupling != coupling)
            continue;
        const exp_task *t = exp_find(f, i, label, optimizer);
        if (t == NULL || !exp_value(f, t, m, &x))
            continue;
        double old = stat.mean; /* Welford */
        stat.count++;
        stat.mean += (x - old) / stat.count;
        square += (x - old) * (x - stat.mean);
    }
    if (stat.count > 1) {
        stat.dev = sqrt(square / (stat.count - 1));
        stat.error_mean = stat.dev / sqrt(stat.count);
    }
    return stat;
}

int exp_couplings(const exp_figure *f, exp_family family, double *out, int most)
{
    int count = 0;
    for (int i = 0; i < f->ninstances; i++) {
        const exp_instance *x = &f->instance[i];
        bool seen = x->family != family;
        for (int k = 0; k < count && !seen; k++)
            seen = out[k] == x->coupling;
        if (!seen && count < most)
            out[count++] = x->coupling;
    }
    return count;
}
