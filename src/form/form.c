/* What the forms share: limits, cleaning, the two factors of every variable, and the
 * choice of a form. */
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

/* ---- what a form may take ----------------------------------------------------------
 */

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

/* ---- cleaning -------------------------------------------------------------------- */

/* Factor f in logs, over the variables v with renamed[v] >= 0 under their new names.
   The others have one value, so that the entries are the same. */
static zb_status add_renamed(zb_model *out, const zb_factor *f, const int *renamed,
                             zb_form_job *job)
{
    int scope[ZB_MAX_AXES], n = 0;
    double *value = zb_alloc(f->size, sizeof *value);
    if (value == NULL)
        return ZB_ENOMEM;
    for (size_t i = 0; i < f->size; i++)
        value[i] = zb_factor_log(f, i);
    for (int i = 0; i < f->arity; i++)
        if (renamed[f->scope[i]] >= 0)
            scope[n++] = renamed[f->scope[i]];
    if (zb_form_spend(job, 300 + 10.0 * (double)f->size) != ZB_OK) {
        zb_free(value);
        return ZB_ELIMIT;
    }
    if (!f->log)
        job->scale.radius += zb_log_radius(f->size, value);
    if (n > 0)
        return zb_model_take(out, n, scope, value, true);
    zb_sum_add(&job->scale, value[0]);
    zb_free(value);
    return ZB_OK;
}

/* Names for the variables that stay: of two values or more, in some factor. The
   constant of those in no factor goes into the job's. */
static int rename_free(const zb_model *model, int *renamed, int *card, zb_form_job *job)
{
    zb_form_info *info = &job->info;
    int n = 0;
    for (int v = 0; v < model->nvars; v++)
        renamed[v] = -1;
    for (int f = 0; f < model->nfactors; f++)
        for (int i = 0; i < model->factor[f].arity; i++)
            renamed[model->factor[f].scope[i]] = 0;
    for (int v = 0; v < model->nvars; v++) {
        bool fixed = model->card[v] == 1;
        bool isolated = renamed[v] < 0 && !fixed;
        if (isolated)
            zb_sum_add_ball(&job->scale, zb_log_ball(model->card[v]));
        info->fixed += fixed;
        info->isolated += isolated;
        renamed[v] = fixed || isolated ? -1 : n;
        if (renamed[v] >= 0)
            card[n++] = model->card[v];
    }
    return n;
}

/* Variables in no factor are summed, the others and the factors that have some get new
   numbers. */
static void record_names(const zb_model *model, const int *renamed, zb_record *t)
{
    for (int v = 0; v < model->nvars; v++)
        if (renamed[v] < 0 && model->card[v] > 1) {
            zb_record_begin(t, ZB_RECORD_SUM);
            zb_record_push(t, v);
            zb_record_push(t, -1);
        }
    zb_record_begin(t, ZB_RECORD_VARIABLES);
    for (int v = 0; v < model->nvars; v++)
        if (renamed[v] >= 0)
            zb_record_push(t, v);
    zb_record_begin(t, ZB_RECORD_FACTORS);
    for (int f = 0; f < model->nfactors; f++) {
        bool stays = false;
        for (int i = 0; i < model->factor[f].arity; i++)
            stays = stays || renamed[model->factor[f].scope[i]] >= 0;
        if (stays)
            zb_record_push(t, f);
    }
}

static void put_scale(zb_model *form, const zb_form_job *job)
{
    zb_ball scale = zb_sum_value(&job->scale);
    form->log_scale = scale.mid;
    form->radius = scale.radius;
}

static zb_status clean_up(zb_model **out, const zb_model *model, zb_form_job *job)
{
    size_t n = (size_t)model->nvars;
    int *renamed = zb_alloc(n, sizeof *renamed), *card = zb_alloc(n, sizeof *card);
    zb_model *clean = NULL;
    zb_status status;

    *out = NULL;
    ZB_ASSERT(!zb_model_observed(model));
    TRY(renamed && card ? ZB_OK : ZB_ENOMEM);
    zb_sum_add_ball(&job->scale, zb_model_scale(model));
    TRY(zb_model_new(&clean, rename_free(model, renamed, card, job), card));
    TRY(zb_model_reserve(clean, model->nfactors));
    for (int f = 0; f < model->nfactors; f++)
        TRY(add_renamed(clean, &model->factor[f], renamed, job));
    record_names(model, renamed, job->record);
    *out = clean, clean = NULL;
done:
    zb_model_free(clean);
    zb_free(renamed);
    zb_free(card);
    return status;
}

bool zb_form_is_clean(const zb_model *model)
{
    bool *used = zb_calloc((size_t)model->nvars, sizeof *used), clean = used != NULL;
    for (int f = 0; f < model->nfactors && clean; f++) {
        const zb_factor *a = &model->factor[f];
        clean = a->log && a->arity > 0;
        for (int i = 0; i < a->arity; i++)
            used[a->scope[i]] = true;
    }
    for (int v = 0; v < model->nvars && clean; v++)
        clean = used[v] && model->card[v] > 1 && model->evidence[v] < 0;
    zb_free(used);
    return clean;
}

zb_status zb_form_clean(zb_model **out, const zb_model *model, zb_run *run)
{
    zb_form_job job = { .tick = { .run = run } };
    zb_status status = clean_up(out, model, &job);
    if (status == ZB_OK)
        put_scale(*out, &job);
    return status;
}

zb_status zb_form_trace(const zb_model *model, const zb_form_request *request)
{
    zb_form_job job = { .tick = { .run = request->run }, .record = request->record };
    zb_model *made = NULL;
    zb_status status = request->form == ZB_FORM_ORIGINAL
                           ? clean_up(&made, model, &job)
                           : zb_form_build(&made, model, request, NULL, NULL);
    zb_model_free(made);
    return status == ZB_OK && request->record->failed ? ZB_ENOMEM : status;
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
    job->scale = (zb_sum){ 0 };
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
                        .tick = { .run = request->run },
                        .record = request->record };
    zb_form made;
    zb_status status;

    *out = NULL;
    ZB_ASSERT(request->form == ZB_FORM_ORIGINAL || !zb_model_observed(model));
    status = make(out, model, &made, &job);
    if (status == ZB_OK) {
        if (made != ZB_FORM_ORIGINAL)
            put_scale(*out, &job);
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
    zb_model *given = NULL;
    zb_status status = ZB_OK;

    if (out == NULL)
        return zb_fail(err, ZB_EINVAL, "no place for the form");
    *out = NULL;
    if (model == NULL || ibound < 0 || variant < 0)
        return zb_fail(err, ZB_EINVAL, "no model, or a negative ibound or variant");
    if (form != ZB_FORM_ORIGINAL && zb_model_observed(model))
        status = zb_model_condition(&given, model, model->evidence);
    if (status == ZB_OK)
        status = zb_form_build(out, given != NULL ? given : model, &request, info, err);
    else
        zb_fail(err, status, "out of memory while changing the model's form");
    zb_model_free(given);
    return status;
}
