#include "tighten/gauge.h"

#include "base/explog.h"
#include "form/form.h"
#include "pass/layout.h"

#include <string.h>

enum {
    SMALL = 64
}; /* larger cardinalities are left alone: a gauge has d * d entries */
static const double CONDITION_MOST = 1e8;

/* ---- small matrices -------------------------------------------------------------- */

static double norm1(int d, const double *a)
{
    double most = 0;
    for (int j = 0; j < d; j++) {
        double sum = 0;
        for (int i = 0; i < d; i++)
            sum += fabs(a[i * d + j]);
        most = sum > most ? sum : most;
    }
    return most;
}

static bool invert2(const double *restrict a, double *restrict out)
{
    double det = a[0] * a[3] - a[1] * a[2];
    if (!(fabs(det) > 0) || !isfinite(1 / det))
        return false;
    out[0] = a[3] / det;
    out[1] = -a[2] / det;
    out[2] = -a[1] / det;
    out[3] = a[0] / det;
    return true;
}

/* Gauss-Jordan with row pivoting on [a | I], then transposed into out. */
static bool invert_any(int d, const double *restrict a, double *restrict out)
{
    double m[SMALL][2 * SMALL];
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            m[i][j] = a[i * d + j];
            m[i][d + j] = i == j;
        }
    for (int k = 0; k < d; k++) {
        int p = k;
        for (int i = k + 1; i < d; i++)
            p = fabs(m[i][k]) > fabs(m[p][k]) ? i : p;
        if (!(fabs(m[p][k]) > 0))
            return false;
        for (int j = 0; j < 2 * d && p != k; j++) {
            double t = m[p][j];
            m[p][j] = m[k][j];
            m[k][j] = t;
        }
        double pivot = m[k][k];
        for (int j = 0; j < 2 * d; j++)
            m[k][j] /= pivot;
        for (int i = 0; i < d; i++) {
            double f = m[i][k];
            for (int j = 0; j < 2 * d && i != k && f != 0; j++)
                m[i][j] -= f * m[k][j];
        }
    }
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++)
            out[j * d + i] = m[i][d + j];
    return true;
}

bool zb_gauge_invert(int d, const double *restrict in, double *restrict out)
{
    if (d > SMALL || !(d == 2 ? invert2(in, out) : invert_any(d, in, out)))
        return false;
    double back = 0; /* 1-norm of the inverse = infinity norm of out */
    for (int i = 0; i < d; i++) {
        double sum = 0;
        for (int j = 0; j < d; j++)
            sum += fabs(out[i * d + j]);
        back = sum > back ? sum : back;
    }
    double condition = norm1(d, in) * back;
    return condition <= CONDITION_MOST; /* false for NaN */
}

/* ---- construction ---------------------------------------------------------------- */

size_t zb_gauge_table_size(const zb_gauge *g, int f)
{
    return g->table_at[f + 1] - g->table_at[f];
}

static zb_status allocate(zb_gauge *g, const zb_model *model)
{
    const zb_tree *t = g->tree;
    size_t nv = (size_t)t->nvars, nf = (size_t)model->nfactors, entries = 0;
    g->first = zb_alloc(nv, sizeof *g->first);
    g->second = zb_alloc(nv, sizeof *g->second);
    g->free_var = zb_alloc(nv, sizeof *g->free_var);
    g->matrix_at = zb_alloc(nv + 1, sizeof *g->matrix_at);
    g->table_at = zb_alloc(nf + 1, sizeof *g->table_at);
    g->log_scale = zb_alloc(nf, sizeof *g->log_scale);
    g->linear = zb_alloc(nf, sizeof *g->linear);
    if (!g->first || !g->second || !g->free_var || !g->matrix_at || !g->table_at ||
        !g->log_scale || !g->linear)
        return ZB_ENOMEM;
    for (int f = 0; f < model->nfactors; f++) { /* of a part: its own */
        g->table_at[f] = entries;
        entries += model->factor[f].size;
        g->largest = zb_max_size(g->largest, model->factor[f].size);
    }
    g->table_at[nf] = entries;
    for (int v = 0; v < t->nvars; v++) {
        size_t d = (size_t)t->card[v];
        g->matrix_at[v] = g->nmatrix;
        g->nmatrix += d <= SMALL ? d * d : 0;
    }
    g->matrix_at[nv] = g->nmatrix;
    g->matrix = zb_calloc(g->nmatrix, sizeof *g->matrix);
    g->inverse = zb_calloc(g->nmatrix, sizeof *g->inverse);
    g->original = zb_alloc(entries, sizeof *g->original);
    g->hat = zb_alloc(entries, sizeof *g->hat);
    g->scratch = zb_alloc(2 * g->largest, sizeof *g->scratch);
    return g->matrix && g->inverse && g->original && g->hat && g->scratch ? ZB_OK
                                                                          : ZB_ENOMEM;
}

/* The logarithms of a table fit linear values, whose scale is told, relative to the
   largest of them. */
static bool is_linear(size_t n, const double *x, double *log_scale)
{
    double most = -INFINITY, least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        most = x[i] > most ? x[i] : most;
        least = x[i] < least && x[i] > -INFINITY ? x[i] : least;
    }
    *log_scale = most == -INFINITY ? 0 : most;
    return most == -INFINITY || most - least < 300;
}

/* A table that spans too much stays out. */
static void load_factor(zb_gauge *g, const zb_model *model, int f)
{
    double *x = g->original + g->table_at[f];
    size_t n = zb_gauge_table_size(g, f);
    zb_layout_factor(g->tree, model, f, x);
    g->linear[f] = is_linear(n, x, &g->log_scale[f]);
    for (size_t i = 0; i < n; i++)
        x[i] = zb_exp(x[i] - g->log_scale[f]);
    memcpy(g->hat + g->table_at[f], x, n * sizeof *x);
}

void zb_gauge_clear(zb_gauge *g)
{
    memset(g->matrix, 0, g->nmatrix * sizeof *g->matrix);
    for (int v = 0; v < g->tree->nvars; v++) {
        size_t d = (size_t)g->tree->card[v];
        for (size_t i = 0; i < d && d <= SMALL; i++)
            g->matrix[g->matrix_at[v] + i * d + i] = 1;
    }
    memcpy(g->inverse, g->matrix, g->nmatrix * sizeof *g->matrix);
}

static bool is_small(const zb_tree *tree, int v)
{
    return tree->card[v] > 1 && tree->card[v] <= SMALL;
}

zb_status zb_gauge_find_free(const zb_tree *tree, const zb_model *model,
                             const int *first, const int *second, bool *free_var)
{
    size_t most = 1;
    double *x = NULL, scale;
    bool *linear = zb_alloc((size_t)model->nfactors, sizeof *linear);
    zb_status status;
    for (int f = 0; f < model->nfactors; f++)
        most = zb_max_size(most, model->factor[f].size);
    TRY((x = zb_alloc(most, sizeof *x)) && linear ? ZB_OK : ZB_ENOMEM);
    for (int f = 0; f < model->nfactors; f++) {
        zb_layout_factor(tree, model, f, x);
        linear[f] = is_linear(model->factor[f].size, x, &scale);
    }
    for (int v = 0; v < tree->nvars; v++)
        free_var[v] = is_small(tree, v) && linear[first[v]] && linear[second[v]];
done:
    zb_free(x);
    zb_free(linear);
    return status;
}

/* All but which factors a variable has, and whether it moves. */
static zb_status begin(zb_gauge **out, const zb_tree *tree, const zb_model *model)
{
    zb_gauge *g = zb_calloc(1, sizeof *g);
    zb_status status;
    *out = NULL;
    TRY(g != NULL ? ZB_OK : ZB_ENOMEM);
    g->tree = tree;
    TRY(allocate(g, model));
    for (int f = 0; f < model->nfactors; f++)
        load_factor(g, model, f);
    zb_gauge_clear(g);
    *out = g, g = NULL;
done:
    zb_gauge_free(g);
    return status;
}

zb_status zb_gauge_new(zb_gauge **out, const zb_tree *tree, const zb_model *model)
{
    zb_gauge *g;
    zb_status status;
    *out = NULL;
    TRY(begin(&g, tree, model));
    TRY(zb_form_pairs(model, g->first, g->second));
    for (int v = 0; v < tree->nvars; v++)
        g->free_var[v] =
            is_small(tree, v) && g->linear[g->first[v]] && g->linear[g->second[v]];
    *out = g, g = NULL;
done:
    zb_gauge_free(g);
    return status;
}

zb_status zb_gauge_new_part(zb_gauge **out, const zb_tree *tree, const zb_model *model,
                            const int *first, const int *second)
{
    zb_status status = begin(out, tree, model);
    zb_gauge *g = *out;
    for (int v = 0; v < tree->nvars && status == ZB_OK; v++) {
        g->first[v] = first[v];
        g->second[v] = second[v];
        g->free_var[v] = first[v] >= 0 || second[v] >= 0;
    }
    return status;
}

void zb_gauge_free(zb_gauge *g)
{
    if (g == NULL)
        return;
    void *owned[] = { g->first,  g->second,    g->free_var, g->matrix_at,
                      g->matrix, g->inverse,   g->table_at, g->original,
                      g->hat,    g->log_scale, g->linear,   g->scratch };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        zb_free(owned[i]);
    zb_free(g);
}

/* ---- moving ---------------------------------------------------------------------- */

zb_status zb_gauge_set(zb_gauge *g, int var, const double *matrix)
{
    int d = g->tree->card[var];
    double inverse[SMALL * SMALL];
    if (!g->free_var[var] || !zb_gauge_invert(d, matrix, inverse))
        return ZB_EINVAL;
    size_t bytes = (size_t)(d * d) * sizeof *matrix;
    memcpy(g->matrix + g->matrix_at[var], matrix, bytes);
    memcpy(g->inverse + g->matrix_at[var], inverse, bytes);
    return ZB_OK;
}

/* The determinant is a free scale between the two factors: keep both matrices alike. */
static void balance(int d, double *matrix, const double *inverse)
{
    double a = 0, b = 0;
    for (int i = 0; i < d * d; i++) {
        a = fmax(a, fabs(matrix[i]));
        b = fmax(b, fabs(inverse[i]));
    }
    double s = sqrt(b / a);
    if (s > 0.5 && s < 2)
        return; /* rounding is not worth it */
    for (int i = 0; i < d * d; i++)
        matrix[i] *= s;
}

zb_status zb_gauge_step(zb_gauge *g, int var, const double *e)
{
    int d = g->tree->card[var];
    double next[SMALL * SMALL], inverse[SMALL * SMALL];
    const double *old = g->matrix + g->matrix_at[var];
    if (!g->free_var[var] || d < 1)
        return ZB_EINVAL;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = old[i * d + j];
            for (int k = 0; k < d; k++)
                sum += e[i * d + k] * old[k * d + j];
            next[i * d + j] = sum;
        }
    if (!zb_gauge_invert(d, next, inverse))
        return ZB_EINVAL;
    balance(d, next, inverse);
    return zb_gauge_set(g, var, next);
}

/* ---- transforming ---------------------------------------------------------------- */

void zb_gauge_apply(zb_shape s, const double *m, const double *restrict in,
                    double *restrict out)
{
    const size_t d = s.n, inner = s.inner;
    for (size_t o = 0; o < s.outer; o++, in += d * inner, out += d * inner)
        if (d == 2)
            for (size_t k = 0; k < inner; k++) {
                double a = in[k], b = in[inner + k];
                out[k] = m[0] * a + m[1] * b;
                out[inner + k] = m[2] * a + m[3] * b;
            }
        else
            for (size_t i = 0; i < d; i++)
                for (size_t k = 0; k < inner; k++) {
                    double sum = 0;
                    for (size_t j = 0; j < d; j++)
                        sum += m[i * d + j] * in[j * inner + k];
                    out[i * inner + k] = sum;
                }
}

void zb_gauge_transform(zb_gauge *g, int f)
{
    const zb_tree *t = g->tree;
    size_t n = zb_gauge_table_size(g, f), outer = 1;
    double *from = g->scratch, *to = g->scratch + g->largest;
    memcpy(from, g->original + g->table_at[f], n * sizeof *from);
    for (size_t i = t->scope_at[f]; i < t->scope_at[f + 1]; i++) {
        int v = t->scope[i];
        size_t d = (size_t)t->card[v];
        if (g->free_var[v]) {
            const double *m = g->first[v] == f ? g->matrix : g->inverse;
            zb_gauge_apply((zb_shape){ outer, d, n / outer / d }, m + g->matrix_at[v],
                           from, to);
            double *swap = from;
            from = to;
            to = swap;
        }
        outer *= d;
    }
    memcpy(zb_gauge_hat(g, f), from, n * sizeof *from);
}

/* c(i,j) = sum over the other axes of d(i,.) f(j,.) */
static void correlate(size_t outer, size_t d, size_t inner, const double *df,
                      const double *f, double *c)
{
    for (size_t o = 0; o < outer; o++, df += d * inner, f += d * inner)
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++) {
                double sum = 0;
                for (size_t k = 0; k < inner; k++)
                    sum += df[i * inner + k] * f[j * inner + k];
                c[i * d + j] += sum;
            }
}

void zb_gauge_gradient(const zb_gauge *g, int f, const double *derivative, double *grad)
{
    const zb_tree *t = g->tree;
    const double *hat = zb_gauge_hat(g, f);
    size_t n = zb_gauge_table_size(g, f), outer = 1;
    for (size_t i = t->scope_at[f]; i < t->scope_at[f + 1]; i++) {
        int v = t->scope[i];
        size_t d = (size_t)t->card[v];
        if (g->free_var[v]) {
            double c[SMALL * SMALL];
            double *m = grad + g->matrix_at[v];
            memset(c, 0, d * d * sizeof *c);
            correlate(outer, d, n / outer / d, derivative, hat, c);
            for (size_t a = 0; a < d; a++)
                for (size_t b = 0; b < d; b++)
                    m[a * d + b] += g->first[v] == f ? c[a * d + b] : -c[b * d + a];
        }
        outer *= d;
    }
}
