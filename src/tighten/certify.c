/* A gauged bound that holds with rounding.
 *
 * The bound is about the tables f_hat = (tensor product of the M_v) f, M_v = G_v in the
 * first factor of v and H_v = the inverse transpose of G_v in the second. G is what the
 * doubles say; H is not known exactly: G^T H = I + E for the doubles H at hand, so that
 * the true inverse transpose is H (I + E)^-1, and differs from H by at most |H| F,
 * F = |E| + |E|^2 + .. (entry by entry). E is computed, and what its own rounding may
 * hide is added. With K_v = |G_v|, or |H_v| (I + F / e), e the largest entry of F,
 *
 *     |f_hat as computed - f_hat as it should be| <= eta h,   h = (product of the K_v)
 * f
 *
 * where eta adds up e for every second factor's axis, d u for the sums along each axis
 * (u = 2^-53), and what exp did to f. Entries of h are sums of magnitudes, so that they
 * are known up to the margin. An upper bound takes |f_hat| + eta h where magnitudes are
 * summed, and where signs are, f_hat with noise in shares of h (pass/pass.h). A lower
 * bound takes f_hat - eta h, and is none if that is negative anywhere. */
#include "tighten/fleet.h"
#include "tighten/tighten_internal.h"

#include "base/explog.h"
#include "model/table.h"

#include <string.h>

enum { SMALL = 64 };              /* cardinalities of gauges */
static const double VAGUE = 1e-3; /* errors beyond are not worth a bound */

/* ---- one factor ------------------------------------------------------------------ */

/* F of the head comment; returns its largest entry. */
static double residual(int d, const double *g, const double *h, double *f)
{
    double most = 0;
    bool diagonal = true;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = i == j ? -1 : 0, mass = 0;
            for (int k = 0; k < d; k++) {
                sum += g[k * d + i] * h[k * d + j];
                mass += fabs(g[k * d + i] * h[k * d + j]);
            }
            if (mass > 0 || i == j)
                mass += i == j;
            f[i * d + j] = fabs(sum) + ZB_MARGIN * ZB_UNIT * (d + 1) * mass;
            diagonal = diagonal && (i == j || f[i * d + j] == 0);
            most = fmax(most, f[i * d + j]);
        }
    double rest = 2 * d * most * most; /* |E|^2 and beyond, if most is below 1 / 2 d */
    for (int i = 0; i < d * d; i++)
        f[i] += diagonal && i % (d + 1) != 0 ? 0 : rest;
    return 2 * d * most < 1 ? most + rest : INFINITY;
}

/* K of a second factor's axis; returns e. */
static double widen_inverse(int d, const double *g, const double *h, double *k)
{
    double f[SMALL * SMALL], e = residual(d, g, h, f);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0;
            for (int m = 0; m < d; m++)
                sum += fabs(h[i * d + m]) * f[m * d + j];
            k[i * d + j] = fabs(h[i * d + j]) + sum / e;
        }
    return e;
}

/* K of a variable in factor f. */
static double widen(const zb_gauge *g, int f, int var, double *k)
{
    int d = g->tree->card[var];
    const double *matrix = g->matrix + g->matrix_at[var],
                 *inverse = g->inverse + g->matrix_at[var];
    if (g->first[var] != f)
        return widen_inverse(d, matrix, inverse, k);
    for (int i = 0; i < d * d; i++)
        k[i] = fabs(matrix[i]);
    return 0;
}

/* ln of the original entries lies within this of 0: exp of a difference was taken. */
static double original_radius(const zb_tighten *t, int f)
{
    zb_extremes e = zb_factor_extremes(&t->model->factor[f]);
    double range = e.most > -INFINITY ? e.most - e.least : 0, ends[] = { 0, 0 };
    if (e.most > -INFINITY)
        ends[0] = e.most, ends[1] = e.least;
    return ZB_MARGIN * ZB_UNIT * (range + 2 * ZB_EXP_ULP) +
           (t->model->factor[f].log ? 0 : zb_log_radius(2, ends));
}

/* h; returns eta, INFINITY where nothing is known. */
static double magnitudes(zb_tighten *t, int f, double *h)
{
    const zb_tree *tree = t->tree;
    size_t n = zb_gauge_table_size(t->gauge, f), outer = 1;
    double k[SMALL * SMALL], eta = original_radius(t, f), *from = h,
                             *to = t->derivative;
    memcpy(from, t->gauge->original + t->gauge->table_at[f], n * sizeof *from);
    for (size_t i = tree->scope_at[f]; i < tree->scope_at[f + 1]; i++) {
        size_t d = (size_t)tree->card[tree->scope[i]];
        if (t->gauge->free_var[tree->scope[i]]) {
            eta += widen(t->gauge, f, tree->scope[i], k) + ZB_UNIT * (double)d;
            zb_gauge_apply((zb_shape){ outer, d, n / outer / d }, k, from, to);
            memcpy(from, to, n * sizeof *from);
        }
        outer *= d;
    }
    return eta < VAGUE ? ZB_MARGIN * eta : INFINITY;
}

/* ---- loading --------------------------------------------------------------------- */

static void set(zb_tighten *t, int f, const double *value, double radius)
{
    zb_pass_set_linear(t->pass, f, value, t->gauge->log_scale[f]);
    zb_pass_add_radius(t->pass, f, radius);
}

static void load_magnitudes(zb_tighten *t, int f)
{
    double eta = magnitudes(t, f, t->tables);
    set(t, f, t->tables, eta);
}

/* Signs stay where sums have them. */
static void load_upper(zb_tighten *t, int f)
{
    double *h = t->tables, *hat = zb_gauge_hat(t->gauge, f), eta = magnitudes(t, f, h);
    int k = t->tree->factor_node[f];
    if (!isfinite(eta)) { /* nothing is known: h will do, and the bound is none */
        set(t, f, h, INFINITY);
        return;
    }
    zb_gauge_transform(t->gauge, f);
    if (k >= 0 && zb_pass_is_exact(t->pass, k)) {
        set(t, f, hat, 0);
        zb_pass_add_noise(t->pass, f, eta);
        return;
    }
    for (size_t i = 0; i < zb_gauge_table_size(t->gauge, f); i++)
        h[i] = fabs(hat[i]) + eta * h[i];
    set(t, f, h, 2 * ZB_UNIT);
}

static void load_lower(zb_tighten *t, int f)
{
    double *h = t->tables, *hat = zb_gauge_hat(t->gauge, f), eta = magnitudes(t, f, h);
    zb_gauge_transform(t->gauge, f);
    for (size_t i = 0; i < zb_gauge_table_size(t->gauge, f); i++) {
        h[i] = h[i] > 0 ? hat[i] - eta * h[i] : 0;
        t->invalid = t->invalid || !(h[i] >= 0);
    }
    if (!t->invalid)
        set(t, f, h, 2 * ZB_UNIT);
}

static void load_all(zb_tighten *t, zb_loading what)
{
    static void (*const LOAD[])(zb_tighten *, int) = { NULL, load_magnitudes,
                                                       load_upper, load_lower };
    t->invalid = false;
    if (what == ZB_LOAD_NONE)
        return;
    if (t->spec.seams != NULL && t->spec.seams->any)
        zb_pass_expect_signs(t->pass);
    for (int f = 0; f < t->model->nfactors; f++)
        if (t->touched[f])
            LOAD[what](t, f);
}

/* The pass as new, with these tables in the place of the gauged ones. */
zb_ball zb_tighten_evaluate_as(zb_tighten *t, zb_signed how, zb_loading load)
{
    if (t->spec.fleet != NULL)
        zb_fleet_evaluate_as(t->spec.fleet, (int)how, (int)load);
    zb_pass_reset(t->pass);
    zb_tighten_load_factors(t);
    load_all(t, load);
    if (t->invalid && t->spec.part == NULL)
        return (zb_ball){ -INFINITY, 0 };
    zb_pass_refuse(t->pass, t->invalid);
    zb_pass_treat_signs(t->pass, how);
    double bound = zb_pass_forward(t->pass);
    zb_pass_treat_signs(t->pass, ZB_SIGNED_PLAIN);
    t->invalid = zb_pass_is_refused(t->pass); /* by some part */
    if (t->invalid)
        return (zb_ball){ -INFINITY, 0 };
    return (zb_ball){ bound, zb_pass_radius(t->pass) };
}

static zb_ball certify_upper(zb_tighten *t)
{
    zb_ball plain = zb_tighten_evaluate_as(t, ZB_SIGNED_MAGNITUDES, ZB_LOAD_MAGNITUDES),
            best;
    if (zb_pass_was_cut(t->pass))
        return plain;
    best = zb_tighten_evaluate_as(t, ZB_SIGNED_CERTIFIED, ZB_LOAD_UPPER);
    bool better = best.mid + best.radius < plain.mid + plain.radius;
    return better || zb_pass_was_cut(t->pass) ? best : plain;
}

/* Where nothing is split gauges change nothing, and errors should count on both sides.
 */
void zb_tighten_certify(zb_tighten *t)
{
    zb_ball value;
    const zb_tree *tree =
        t->spec.fleet != NULL ? zb_fleet_tree(t->spec.fleet) : t->tree;
    if (t->gauge == NULL || tree->splits == 0)
        value = zb_tighten_evaluate_as(t, ZB_SIGNED_PLAIN, ZB_LOAD_NONE);
    else if (t->spec.side == ZB_SIDE_LOWER)
        value = zb_tighten_evaluate_as(t, ZB_SIGNED_PLAIN, ZB_LOAD_LOWER);
    else
        value = certify_upper(t);
    t->cut = !t->invalid && zb_pass_was_cut(t->pass);
    if (t->gauge != NULL)
        zb_tighten_renew(t);
    t->bound = value.mid;
    t->radius = value.radius;
}

/* Errors are in shares of h, and those of sums with signs in shares of what the pass
   over h has in their place: R nats of its bound U_h in all, which is itself known up
   to R, so that the sum is off by at most U_h (e^2R - 1). */
double zb_tighten_noise(zb_tighten *t)
{
    ZB_ASSERT(t->gauge != NULL && t->spec.side == ZB_SIDE_UPPER);
    zb_ball all = zb_tighten_evaluate_as(t, ZB_SIGNED_PLAIN, ZB_LOAD_MAGNITUDES);
    bool cut = zb_pass_was_cut(t->pass);
    zb_tighten_renew(t);
    if (cut || !(all.radius < 0.1))
        return INFINITY;
    return all.mid + zb_log(zb_expm1(2 * all.radius));
}

const double *zb_tighten_hat(const zb_tighten *t, int f)
{
    return t->gauge != NULL && t->touched[f] ? zb_gauge_hat(t->gauge, f) : NULL;
}
