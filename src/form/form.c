/* What the forms share: conditioning on evidence, products and sums of log tables, the
 * two factors of every variable, and the choice of a form. */
#include "form/form.h"

#include "base/explog.h"

#include <string.h>

/* ---- the two factors of every variable ------------------------------------------- */

static bool pairs(const zb_model *model, int *first, int *second)
{
    for (int v = 0; v < model->nvars; v++)
        first[v] = second[v] = -1;
    for (int f = 0; f < model->nfactors; f++)
        for (int i = 0; i < model->factor[f].arity; i++) {
            int v = model->factor[f].scope[i];
            if (second[v] >= 0)
                return false;
            *(first[v] < 0 ? &first[v] : &second[v]) = f;
        }
    for (int v = 0; v < model->nvars; v++)
        if (second[v] < 0)
            return false;
    return true;
}

zb_status zb_form_pairs(const zb_model *model, int *first, int *second)
{
    return pairs(model, first, second) ? ZB_OK : ZB_EINVAL;
}

bool zb_form_is_forney(const zb_model *model)
{
    size_t n = (size_t)model->nvars;
    int *pair = zb_alloc(2 * n, sizeof *pair);
    bool yes = pair != NULL && pairs(model, pair, pair + n);
    zb_free(pair);
    return yes;
}

/* ---- log tables ------------------------------------------------------------------ */

void zb_factor_clear(zb_factor *factor)
{
    zb_free(factor->scope);
    zb_free(factor->value);
    *factor = (zb_factor){ 0 };
}

void zb_form_multiply(double *table, int arity, const int *scope, const int *card,
                      const zb_factor *in)
{
    size_t stride[ZB_FORM_ARITY] = { 0 }, size = 1, from = 0;
    int x[ZB_FORM_ARITY] = { 0 };

    for (int i = 0; i < arity; i++) {
        size_t step = 1;
        for (int j = in->arity - 1; j >= 0; j--) {
            if (in->scope[j] == scope[i])
                stride[i] = step;
            step *= (size_t)card[in->scope[j]];
        }
        size *= (size_t)card[scope[i]];
    }
    for (size_t at = 0; at < size; at++) {
        table[at] += in->value[from];
        for (int i = arity - 1; i >= 0; i--) {
            from += stride[i];
            if (++x[i] < card[scope[i]])
                break;
            from -= stride[i] * (size_t)x[i];
            x[i] = 0;
        }
    }
}

void zb_form_sum(size_t rows, size_t k, const double *in, double *out)
{
    for (size_t i = 0; i < rows; i++) {
        const double *row = in + i * k;
        double top = row[0], sum = 0;
        for (size_t x = 1; x < k; x++)
            top = row[x] > top ? row[x] : top;
        for (size_t x = 0; x < k && top > -INFINITY; x++)
            sum += zb_exp(row[x] - top);
        out[i] = top > -INFINITY ? top + zb_log(sum) : top;
    }
}

/* ---- conditioning ---------------------------------------------------------------- */

static void copy_slice(zb_factor *out, const zb_factor *a, const int *card,
                       const int *keep, size_t base, const size_t *stride)
{
    int x[ZB_FORM_ARITY] = { 0 };
    size_t from = base;
    for (size_t at = 0; at < out->size; at++) {
        out->value[at] = a->log ? a->value[from] : zb_log(a->value[from]);
        for (int i = out->arity - 1; i >= 0; i--) {
            from += stride[i];
            if (++x[i] < card[keep[i]])
                break;
            from -= stride[i] * (size_t)x[i];
            x[i] = 0;
        }
    }
}

zb_status zb_form_slice(zb_factor *out, const zb_model *model, int f,
                        const int *renamed)
{
    const zb_factor *a = &model->factor[f];
    size_t stride[ZB_FORM_ARITY], step = a->size, base = 0;
    int keep[ZB_FORM_ARITY], n = 0;

    *out = (zb_factor){ .log = true, .size = 1 };
    for (int i = 0; i < a->arity; i++) {
        int v = a->scope[i];
        step /= (size_t)model->card[v];
        if (renamed[v] >= 0) {
            keep[n] = v;
            stride[n++] = step;
            out->size *= (size_t)model->card[v];
        } else if (model->evidence[v] > 0) {
            base += step * (size_t)model->evidence[v];
        }
    }
    out->arity = n;
    out->scope = zb_alloc((size_t)n, sizeof *out->scope);
    out->value = zb_alloc(out->size, sizeof *out->value);
    if (out->scope == NULL || out->value == NULL) {
        zb_factor_clear(out);
        return ZB_ENOMEM;
    }
    for (int i = 0; i < n; i++)
        out->scope[i] = renamed[keep[i]];
    copy_slice(out, a, model->card, keep, base, stride);
    return ZB_OK;
}

/* Names for the variables that stay: free, of two values or more, in some factor. The
   constant of those in no factor goes into *log_scale. */
static int rename_free(const zb_model *model, int *renamed, int *card,
                       double *log_scale, zb_form_info *info)
{
    int n = 0;
    for (int v = 0; v < model->nvars; v++)
        renamed[v] = -1;
    for (int f = 0; f < model->nfactors; f++)
        for (int i = 0; i < model->factor[f].arity; i++)
            renamed[model->factor[f].scope[i]] = 0;
    for (int v = 0; v < model->nvars; v++) {
        bool fixed = model->evidence[v] >= 0 || model->card[v] == 1;
        bool isolated = renamed[v] < 0 && !fixed;
        if (isolated)
            *log_scale += zb_log(model->card[v]);
        info->fixed += fixed;
        info->isolated += isolated;
        renamed[v] = fixed || isolated ? -1 : n;
        if (renamed[v] >= 0)
            card[n++] = model->card[v];
    }
    return n;
}

zb_status zb_form_clean(zb_model **out, const zb_model *model, zb_form_info *info)
{
    size_t n = (size_t)model->nvars;
    int *renamed = zb_alloc(n, sizeof *renamed), *card = zb_alloc(n, sizeof *card);
    double log_scale = model->log_scale;
    zb_model *clean = NULL;
    zb_factor part = { 0 };
    zb_status status;

    *out = NULL;
    TRY(renamed && card ? ZB_OK : ZB_ENOMEM);
    TRY(zb_model_new(&clean, rename_free(model, renamed, card, &log_scale, info),
                     card));
    clean->log_scale = log_scale;
    for (int f = 0; f < model->nfactors; f++) {
        TRY(zb_form_slice(&part, model, f, renamed));
        if (part.arity == 0) {
            clean->log_scale += part.value[0];
        } else {
            double *value = part.value;
            part.value = NULL;
            TRY(zb_model_take(clean, part.arity, part.scope, value, true));
        }
        zb_factor_clear(&part);
    }
    *out = clean, clean = NULL;
done:
    zb_factor_clear(&part);
    zb_model_free(clean);
    zb_free(renamed);
    zb_free(card);
    return status;
}

/* ---- the choice ------------------------------------------------------------------ */

static void describe(const zb_model *model, zb_form form, zb_form_info *info)
{
    info->form = form;
    info->nvars = model->nvars;
    info->nfactors = model->nfactors;
    for (int f = 0; f < model->nfactors; f++) {
        info->max_arity = zb_max_int(info->max_arity, model->factor[f].arity);
        info->entries += (double)model->factor[f].size;
    }
    for (int v = 0; v < model->nvars; v++)
        info->merit += zb_log(model->card[v]);
}

/* Equality form, of the factors as they are or merged first. */
static zb_status make_forney(zb_model **out, const zb_model *model, zb_form form,
                             int ibound, int variant, zb_form_info *info, zb_error *err)
{
    zb_model *clean = NULL;
    zb_status status;

    TRY(zb_form_clean(&clean, model, info));
    if (form == ZB_FORM_MERGED)
        TRY(zb_merge_factors(clean, ibound, variant, info));
    TRY(zb_forney_absorb(clean, info));
    info->clusters = clean->nfactors;
    TRY(zb_forney_expand(out, clean, info, err));
done:
    zb_model_free(clean);
    return status;
}

zb_status zb_form_make(zb_model **out, const zb_model *model, zb_form form, int ibound,
                       int variant, zb_form_info *info, zb_error *err)
{
    zb_form_info found = { 0 };
    zb_form made = form;
    zb_status status = ZB_EINVAL;

    *out = NULL;
    if (form == ZB_FORM_AUTO) {
        made = ZB_FORM_LATTICE;
        status = zb_lattice_make(out, model, variant & 1, &found, NULL);
        if (status == ZB_EINVAL) {
            found = (zb_form_info){ 0 };
            made = form = ZB_FORM_MERGED;
        }
    }
    if (form == ZB_FORM_ORIGINAL)
        status = zb_model_copy(out, model);
    else if (form == ZB_FORM_LATTICE)
        status = zb_lattice_make(out, model, variant & 1, &found, err);
    else if (form == ZB_FORM_FORNEY || form == ZB_FORM_MERGED)
        status = make_forney(out, model, form, ibound, variant, &found, err);
    else if (form != ZB_FORM_AUTO)
        status = zb_fail(err, ZB_EINVAL, "no such model form: %d", (int)form);
    if (status == ZB_OK) {
        describe(*out, made, &found);
        if (info != NULL)
            *info = found;
    } else if (status == ZB_ENOMEM) {
        zb_fail(err, ZB_ENOMEM, "out of memory while changing the model's form");
    }
    return status;
}
