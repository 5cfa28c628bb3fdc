/* Equality form (Forney): a variable of degree k >= 3 becomes copies, one to each of
 * its factors, joined by k - 2 ternary equality factors, so that no arity grows beyond
 * three. The tree is a caterpillar: copies 0 .. 2k-4 of one variable, factor t joins
 * copies 2t, 2t+1, 2t+2; the outer copies, of which each goes to one of the variable's
 * factors, are then 0, the odd ones, and the last. Copies are numbered next to each
 * other in the place of the variable, and meet its factors in their order, so that an
 * order that is good for the model is good for its form. */
#include "form/form.h"

#include <string.h>

/* The factors of every variable: at[v] .. at[v + 1] in list, by increasing index. */
typedef struct incidence {
    size_t *at;
    int *list;
} incidence;

static void incidence_free(incidence *in)
{
    zb_free(in->at);
    zb_free(in->list);
}

static zb_status incidence_new(incidence *in, const zb_model *model, zb_form_job *job)
{
    size_t n = (size_t)model->nvars, total = 0;

    for (int f = 0; f < model->nfactors; f++)
        total += (size_t)model->factor[f].arity;
    in->at = zb_calloc(n + 2, sizeof *in->at);
    in->list = zb_alloc(total, sizeof *in->list);
    if (in->at == NULL || in->list == NULL)
        return ZB_ENOMEM;
    for (int f = 0; f < model->nfactors; f++) {
        if (zb_form_spend(job, 30) != ZB_OK)
            return ZB_ELIMIT;
        for (int i = 0; i < model->factor[f].arity; i++)
            in->at[model->factor[f].scope[i] + 2]++;
    }
    for (size_t v = 2; v <= n + 1; v++)
        in->at[v] += in->at[v - 1];
    zb_form_spend(job, 30.0 * (double)n);
    for (int f = 0; f < model->nfactors; f++) /* at[v + 1] moves from begin to end */
        for (int i = 0; i < model->factor[f].arity; i++)
            in->list[in->at[model->factor[f].scope[i] + 1]++] = f;
    return ZB_OK;
}

static int degree(const incidence *in, int v)
{
    return (int)(in->at[v + 1] - in->at[v]);
}

/* ---- absorbing ------------------------------------------------------------------- */

/* The first factor left that contains f's scope, -1 when there is none (or no time). */
static int container(const zb_model *model, const incidence *in, int f,
                     zb_form_job *job)
{
    const zb_factor *a = &model->factor[f];
    int rare = a->scope[0];
    for (int i = 1; i < a->arity; i++)
        if (degree(in, a->scope[i]) < degree(in, rare))
            rare = a->scope[i];
    for (size_t k = in->at[rare]; k < in->at[rare + 1]; k++) {
        int g = in->list[k];
        const zb_factor *b = &model->factor[g];
        if (zb_form_spend(job, 10 + 2.0 * b->arity) != ZB_OK)
            return -1;
        if (g != f && b->value != NULL && b->arity >= a->arity &&
            zb_factor_contains(b, a))
            return g;
    }
    return -1;
}

/* Absorbed factors have no values until they are dropped. */
static bool try_absorb(zb_model *model, const incidence *in, int *left, int f,
                       zb_form_job *job)
{
    zb_factor *a = &model->factor[f];
    bool useful = false;
    for (int i = 0; i < a->arity; i++)
        useful = useful || left[a->scope[i]] > 2;
    int g = useful ? container(model, in, f, job) : -1;
    if (g < 0)
        return false;
    zb_factor *b = &model->factor[g];
    if (zb_form_spend(job, 50 + 4.0 * (double)b->size) != ZB_OK)
        return false;
    zb_factor_absorb(a, b->arity, b->scope, model->card, b->value, NULL);
    zb_record_begin(job->record, ZB_RECORD_MULTIPLY);
    zb_record_push(job->record, f);
    zb_record_push(job->record, g);
    job->scale.radius += zb_absorb_radius(a, b->size, b->value);
    zb_free(a->value);
    a->value = NULL;
    for (int i = 0; i < a->arity; i++)
        left[a->scope[i]]--;
    return true;
}

static void drop_absorbed(zb_model *model, zb_record *record)
{
    int n = 0;
    zb_record_begin(record, ZB_RECORD_FACTORS);
    for (int f = 0; f < model->nfactors; f++) {
        if (model->factor[f].value == NULL) {
            zb_free(model->factor[f].scope);
            continue;
        }
        model->factor[n++] = model->factor[f];
        zb_record_push(record, f);
    }
    model->nfactors = n;
}

/* Factors by arity, the smallest first, each arity in its order. */
static zb_status sort_by_arity(const zb_model *model, int **out)
{
    size_t at[ZB_MAX_AXES + 2] = { 0 };
    *out = zb_alloc((size_t)model->nfactors, sizeof **out);
    if (*out == NULL)
        return ZB_ENOMEM;
    for (int f = 0; f < model->nfactors; f++)
        at[model->factor[f].arity + 1]++;
    for (int a = 0; a <= ZB_MAX_AXES; a++)
        at[a + 1] += at[a];
    for (int f = 0; f < model->nfactors; f++)
        (*out)[at[model->factor[f].arity]++] = f;
    return ZB_OK;
}

zb_status zb_forney_absorb(zb_model *model, zb_form_job *job)
{
    incidence in = { 0 };
    int *left = NULL, *list = NULL;
    zb_status status;

    TRY(incidence_new(&in, model, job));
    left = zb_alloc((size_t)model->nvars, sizeof *left);
    TRY(left ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < model->nvars; v++)
        left[v] = degree(&in, v);
    TRY(sort_by_arity(model, &list));
    for (int i = 0; i < model->nfactors; i++) {
        if (model->factor[list[i]].arity > 0)
            job->info.absorbed += try_absorb(model, &in, left, list[i], job);
        TRY(zb_form_spend(job, 50));
    }
done:
    drop_absorbed(model, job->record);
    zb_free(list);
    zb_free(left);
    incidence_free(&in);
    return status;
}

/* ---- equality trees -------------------------------------------------------------- */

static int64_t copies(int64_t k) { return k <= 2 ? k > 0 : 2 * k - 3; }

/* The outer copy that goes to the j-th of k factors. */
static int outer(int j, int k)
{
    if (k <= 2 || j == 0)
        return 0;
    return j < k - 1 ? 2 * j - 1 : 2 * k - 4;
}

static zb_status add_equality(zb_model *out, const int *scope)
{
    size_t card = (size_t)out->card[scope[0]], size = card * card * card;
    double *value = zb_alloc(size, sizeof *value);
    if (value == NULL)
        return ZB_ENOMEM;
    for (size_t i = 0; i < size; i++)
        value[i] = -INFINITY;
    for (size_t x = 0; x < card; x++)
        value[(x * card + x) * card + x] = 0;
    return zb_model_take(out, 3, scope, value, true);
}

static zb_status add_uniform(zb_model *out, int v)
{
    double *value = zb_calloc((size_t)out->card[v], sizeof *value);
    return value ? zb_model_take(out, 1, &v, value, true) : ZB_ENOMEM;
}

/* Room for the copies; base[v]: the first copy of v. */
static zb_status number_copies(zb_model **out, const zb_model *model,
                               const incidence *in, int *base, zb_form_job *job)
{
    int64_t total = 0;
    double entries = 0;
    int *card = NULL;
    zb_status status;

    for (int f = 0; f < model->nfactors; f++)
        entries += (double)model->factor[f].size;
    for (int v = 0; v < model->nvars; v++) {
        double c = model->card[v];
        entries +=
            degree(in, v) == 1 ? c : zb_max_int(0, degree(in, v) - 2) * c * c * c;
        base[v] = (int)total;
        total += copies(degree(in, v));
        if (total > INT32_MAX / 2 || (degree(in, v) > 2 && c * c * c > ZB_FORM_ENTRIES))
            return zb_fail(job->err, ZB_ELIMIT,
                           "the equality form is too large: variable %d of cardinality "
                           "%d has %d factors",
                           v, model->card[v], degree(in, v));
    }
    TRY(zb_form_afford(job, "equality", entries));
    card = zb_alloc((size_t)total, sizeof *card);
    TRY(card ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < model->nvars; v++)
        for (int c = 0; c < copies(degree(in, v)); c++)
            card[base[v] + c] = model->card[v];
    TRY(zb_model_new(out, (int)total, card));
done:
    zb_free(card);
    return status;
}

/* The factors themselves, over copies; met[v]: how many factors of v came before. */
static zb_status add_factors(zb_model *out, const zb_model *model, const incidence *in,
                             const int *base, int *met, zb_form_job *job)
{
    int scope[ZB_MAX_AXES];
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        if (zb_form_spend(job, 200 + 2.0 * (double)a->size) != ZB_OK)
            return ZB_ELIMIT;
        for (int i = 0; i < a->arity; i++) {
            int v = a->scope[i];
            scope[i] = base[v] + outer(met[v]++, degree(in, v));
        }
        zb_status status = zb_model_put(out, a->arity, scope, a);
        if (status != ZB_OK)
            return status;
    }
    return ZB_OK;
}

/* Factors of the form: the model's, uniform and equality ones. There are fewer than
   copies, which have been counted. */
static int count_factors(const zb_model *model, const incidence *in)
{
    int count = model->nfactors;
    for (int v = 0; v < model->nvars; v++)
        count += degree(in, v) == 1 ? 1 : zb_max_int(0, degree(in, v) - 2);
    return count;
}

/* What becomes of v, whose uniform factor, if it has one, is the next one. */
static void record_copies(const incidence *in, int v, int next, zb_record *t)
{
    int k = degree(in, v);
    const int *list = in->list + in->at[v];
    zb_record_begin(t, k == 1 ? ZB_RECORD_ONES : ZB_RECORD_EQUALITY);
    zb_record_push(t, v);
    for (int i = 0; i < k; i++)
        zb_record_push(t, list[i]);
    if (k == 1)
        zb_record_push(t, next);
}

static void record_names(const zb_model *model, const incidence *in, zb_record *t)
{
    int made = 0;
    zb_record_begin(t, ZB_RECORD_VARIABLES);
    for (int v = 0; v < model->nvars; v++)
        for (int c = 0; c < copies(degree(in, v)); c++)
            zb_record_push(t, degree(in, v) > 2 ? -1 - made++ : v);
}

zb_status zb_forney_expand(zb_model **out, const zb_model *model, zb_form_job *job)
{
    size_t n = (size_t)model->nvars;
    incidence in = { 0 };
    int *base = zb_alloc(n, sizeof *base), *met = zb_calloc(n, sizeof *met);
    zb_model *form = NULL;
    zb_status status;

    *out = NULL;
    TRY(base && met ? ZB_OK : ZB_ENOMEM);
    TRY(incidence_new(&in, model, job));
    TRY(number_copies(&form, model, &in, base, job));
    TRY(zb_model_reserve(form, count_factors(model, &in)));
    TRY(add_factors(form, model, &in, base, met, job));
    for (int v = 0; v < model->nvars; v++) {
        int k = degree(&in, v);
        if (k == 1 || k > 2)
            record_copies(&in, v, form->nfactors, job->record);
        if (k == 1) {
            TRY(add_uniform(form, base[v]));
            job->info.uniform++;
        }
        for (int t = 0; t < k - 2; t++) {
            int c = base[v] + 2 * t, scope[] = { c, c + 1, c + 2 };
            double card = model->card[v];
            TRY(zb_form_spend(job, 200 + card * card * card));
            TRY(add_equality(form, scope));
            job->info.equality++;
        }
    }
    record_names(model, &in, job->record);
    *out = form, form = NULL;
done:
    zb_model_free(form);
    incidence_free(&in);
    zb_free(base);
    zb_free(met);
    return status;
}
