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

zb_status zb_form_spend(zb_form_job *job, double work)
{
    return zb_tick(&job->tick, work) ? ZB_OK : ZB_ELIMIT;
}

zb_status zb_form_afford(zb_form_job *job, const char *form, double entries)
{
    double most = job->request->max_entries;
    if (most <= 0 || entries <= most)
        return ZB_OK;
    return zb_fail(job->err, ZB_ELIMIT,
                   "the %s form has %.3g table entries, more than the %.3g that the "
                   "memory allows",
                   form, entries, most);
}

enum { ROUND = 4096 }; /* entries between questions about the time */

zb_status zb_form_multiply(double *table, int arity, const int *scope, const int *card,
                           const zb_factor *in, zb_form_job *job)
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
        if (at % ROUND == ROUND - 1 && zb_form_spend(job, 4 * ROUND) != ZB_OK)
            return ZB_ELIMIT;
        table[at] += in->value[from];
        for (int i = arity - 1; i >= 0; i--) {
            from += stride[i];
            if (++x[i] < card[scope[i]])
                break;
            from -= stride[i] * (size_t)x[i];
            x[i] = 0;
        }
    }
    return zb_form_spend(job, 50 + 4.0 * (double)(size % ROUND));
}

zb_status zb_form_sum(size_t rows, size_t k, const double *in, double *out,
                      zb_form_job *job)
{
    for (size_t i = 0; i < rows; i++) {
        if (zb_form_spend(job, 10 + 8.0 * (double)k) != ZB_OK)
            return ZB_ELIMIT;
        const double *row = in + i * k;
        double top = row[0], sum = 0;
        for (size_t x = 1; x < k; x++)
            top = row[x] > top ? row[x] : top;
        for (size_t x = 0; x < k && top > -INFINITY; x++)
            sum += zb_exp(row[x] - top);
        out[i] = top > -INFINITY ? top + zb_log(sum) : top;
    }
    return ZB_OK;
}

/* ---- conditioning ---------------------------------------------------------------- */

static zb_status copy_slice(zb_factor *out, const zb_factor *a, const int *card,
                            const int *keep, size_t base, const size_t *stride,
                            zb_form_job *job)
{
    int x[ZB_FORM_ARITY] = { 0 };
    size_t from = base;
    for (size_t at = 0; at < out->size; at++) {
        if (at % ROUND == ROUND - 1 && zb_form_spend(job, 10 * ROUND) != ZB_OK)
            return ZB_ELIMIT;
        out->value[at] = a->log ? a->value[from] : zb_log(a->value[from]);
        for (int i = out->arity - 1; i >= 0; i--) {
            from += stride[i];
            if (++x[i] < card[keep[i]])
                break;
            from -= stride[i] * (size_t)x[i];
            x[i] = 0;
        }
    }
    return zb_form_spend(job, 300 + 10.0 * (double)(out->size % ROUND));
}

zb_status zb_form_slice(zb_factor *out, const zb_model *model, int f,
                        const int *renamed, zb_form_job *job)
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
    zb_status status = copy_slice(out, a, model->card, keep, base, stride, job);
    if (status != ZB_OK)
        zb_factor_clear(out);
    return status;
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

static zb_status clean_up(zb_model **out, const zb_model *model, zb_form_job *job)
{
    size_t n = (size_t)model->nvars;
    int *renamed = zb_alloc(n, sizeof *renamed), *card = zb_alloc(n, sizeof *card);
    double log_scale = model->log_scale;
    zb_model *clean = NULL;
    zb_factor part = { 0 };
    zb_status status;

    *out = NULL;
    TRY(renamed && card ? ZB_OK : ZB_ENOMEM);
    TRY(zb_model_new(&clean, rename_free(model, renamed, card, &log_scale, &job->info),
                     card));
    clean->log_scale = log_scale;
    TRY(zb_model_reserve(clean, model->nfactors));
    for (int f = 0; f < model->nfactors; f++) {
        TRY(zb_form_slice(&part, model, f, renamed, job));
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

zb_status zb_form_clean(zb_model **out, const zb_model *model, zb_run *run)
{
    zb_form_job job = { .tick = { .run = run } };
    return clean_up(out, model, &job);
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
                             zb_form_job *job)
{
    zb_model *clean = NULL;
    zb_status status;

    TRY(clean_up(&clean, model, job));
    if (form == ZB_FORM_MERGED)
        TRY(zb_merge_factors(clean, job));
    TRY(zb_forney_absorb(clean, job));
    job->info.clusters = clean->nfactors;
    TRY(zb_forney_expand(out, clean, job));
done:
    zb_model_free(clean);
    return status;
}

/* The lattice where the model is a grid, else merged. */
static zb_status make_either(zb_model **out, const zb_model *model, zb_form *made,
                             zb_form_job *job)
{
    zb_error *err = job->err, own = { "" };
    *made = ZB_FORM_LATTICE;
    job->err = &own;
    zb_status status = zb_lattice_make(out, model, job);
    job->err = err;
    if (status != ZB_OK && status != ZB_EINVAL)
        zb_fail(err, status, "%s", own.text);
    if (status != ZB_EINVAL)
        return status;
    job->info = (zb_form_info){ 0 };
    *made = ZB_FORM_MERGED;
    return make_forney(out, model, *made, job);
}

static zb_status make(zb_model **out, const zb_model *model, zb_form *made,
                      zb_form_job *job)
{
    *made = job->request->form;
    switch (*made) {
    case ZB_FORM_AUTO: return make_either(out, model, made, job);
    case ZB_FORM_ORIGINAL: return zb_model_copy(out, model);
    case ZB_FORM_LATTICE: return zb_lattice_make(out, model, job);
    case ZB_FORM_FORNEY:
    case ZB_FORM_MERGED: return make_forney(out, model, *made, job);
    }
    return zb_fail(job->err, ZB_EINVAL, "no such model form: %d", (int)*made);
}

zb_status zb_form_build(zb_model **out, const zb_model *model,
                        const zb_form_request *request, zb_form_info *info,
                        zb_error *err)
{
    zb_form_job job = { .request = request,
                        .err = err,
                        .tick = { .run = request->run } };
    zb_form made;
    zb_status status;

    *out = NULL;
    status = make(out, model, &made, &job);
    if (status == ZB_OK) {
        describe(*out, made, &job.info);
        if (info != NULL)
            *info = job.info;
    } else if (status == ZB_ENOMEM) {
        zb_fail(err, status, "out of memory while changing the model's form");
    } else if (job.tick.over) {
        zb_fail(err, status, "stopped while the model's form was changed");
    }
    return status;
}

zb_status zb_form_make(zb_model **out, const zb_model *model, zb_form form, int ibound,
                       int variant, zb_form_info *info, zb_error *err)
{
    zb_form_request request = { .form = form, .ibound = ibound, .variant = variant };

    if (out == NULL)
        return zb_fail(err, ZB_EINVAL, "no place for the form");
    *out = NULL;
    if (model == NULL || ibound < 0 || variant < 0)
        return zb_fail(err, ZB_EINVAL, "no model, or a negative ibound or variant");
    return zb_form_build(out, model, &request, info, err);
}
