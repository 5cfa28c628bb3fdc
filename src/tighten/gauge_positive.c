/* Steps of gauges that keep tables non-negative. */
#include "tighten/gauge.h"

#include "base/explog.h"

#include <string.h>

enum { SMALL = 64 }; /* cardinalities of gauges */

static zb_shape find_axis(const zb_gauge *g, int f, int var)
{
    const zb_tree *t = g->tree;
    zb_shape a = { .outer = 1, .n = (size_t)t->card[var] };
    for (size_t i = t->scope_at[f]; t->scope[i] != var; i++)
        a.outer *= (size_t)t->card[t->scope[i]];
    a.inner = zb_gauge_table_size(g, f) / a.outer / a.n;
    return a;
}

/* Transform hat of f along var by m into out; false when an entry falls too low. */
static bool try_factor(const zb_gauge *g, int f, int var, const double *m, double *out)
{
    const double *old = zb_gauge_hat(g, f);
    size_t n = zb_gauge_table_size(g, f);
    zb_gauge_apply(find_axis(g, f, var), m, old, out);
    for (size_t i = 0; i < n; i++)
        if (!(out[i] >= 0.05 * old[i]) || out[i] < 0)
            return false;
    return true;
}

/* Is a step with so much off the diagonal possible, as far as the factors that are here
   are concerned? Then their tables are in scratch. */
static bool try_step(const zb_gauge *g, int var, const double *e, int tries,
                     double *step)
{
    int d = g->tree->card[var], a = g->first[var], b = g->second[var];
    double off = tries == ZB_GAUGE_TRIES - 1 ? 0 : ldexp(1, -tries);
    double m[SMALL * SMALL], inverse[SMALL * SMALL];
    for (int i = 0; i < d * d; i++) {
        bool diagonal = i % (d + 1) == 0;
        step[i] = diagonal ? zb_expm1(e[i]) : off * e[i];
        m[i] = step[i] + diagonal;
    }
    return zb_gauge_invert(d, m, inverse) &&
           (a < 0 || try_factor(g, a, var, m, g->scratch)) &&
           (b < 0 || try_factor(g, b, var, inverse, g->scratch + g->largest));
}

static void take_table(const zb_gauge *g, int f, const double *from)
{
    if (f >= 0)
        memcpy(zb_gauge_hat(g, f), from, zb_gauge_table_size(g, f) * sizeof *from);
}

static zb_status take_step(zb_gauge *g, int var, const double *step)
{
    if (zb_gauge_step(g, var, step) != ZB_OK)
        return ZB_EINVAL;
    take_table(g, g->first[var], g->scratch);
    take_table(g, g->second[var], g->scratch + g->largest);
    return ZB_OK;
}

zb_status zb_gauge_step_positive(zb_gauge *g, int var, const double *e)
{
    double step[SMALL * SMALL];
    for (int tries = 0; tries < ZB_GAUGE_TRIES && g->free_var[var]; tries++)
        if (try_step(g, var, e, tries, step))
            return take_step(g, var, step);
    return ZB_EINVAL;
}

unsigned zb_gauge_possible(const zb_gauge *g, int var, const double *e)
{
    double step[SMALL * SMALL];
    unsigned possible = 0;
    for (int tries = 0; tries < ZB_GAUGE_TRIES; tries++)
        possible |= (unsigned)try_step(g, var, e, tries, step) << tries;
    return possible;
}

zb_status zb_gauge_step_agreed(zb_gauge *g, int var, const double *e, unsigned agreed)
{
    double step[SMALL * SMALL];
    for (int tries = 0; tries < ZB_GAUGE_TRIES; tries++)
        if ((agreed >> tries & 1) != 0 && try_step(g, var, e, tries, step))
            return take_step(g, var, step);
    return ZB_EINVAL;
}
