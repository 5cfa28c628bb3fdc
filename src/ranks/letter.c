#include "ranks/letter.h"

#include <string.h>

void zb_letter_clear(zb_letter *l)
{
    zb_free(l->data);
    *l = (zb_letter){ 0 };
}

zb_status zb_letter_status(const zb_letter *l) { return l->bad ? ZB_ENOMEM : ZB_OK; }

/* ---- writing --------------------------------------------------------------------- */

void zb_letter_put(zb_letter *l, const void *data, size_t bytes)
{
    if (bytes == 0 || l->bad)
        return;
    if (!ZB_RESERVE(l->data, &l->room, l->size, l->size + bytes)) {
        l->bad = true;
        return;
    }
    memcpy(l->data + l->size, data, bytes);
    l->size += bytes;
}

void zb_letter_put_word(zb_letter *l, uint64_t x) { zb_letter_put(l, &x, sizeof x); }
void zb_letter_put_int(zb_letter *l, int x) { zb_letter_put(l, &x, sizeof x); }
void zb_letter_put_real(zb_letter *l, double x) { zb_letter_put(l, &x, sizeof x); }

void zb_letter_put_ints(zb_letter *l, size_t count, const int *x)
{
    zb_letter_put_word(l, count);
    zb_letter_put(l, x, count * sizeof *x);
}

void zb_letter_put_reals(zb_letter *l, size_t count, const double *x)
{
    zb_letter_put_word(l, count);
    zb_letter_put(l, x, count * sizeof *x);
}

void zb_letter_put_options(zb_letter *l, const zb_options *opt)
{
    zb_options plain = *opt;
    plain.ranks = NULL;
    plain.order_list = NULL;
    plain.checkpoint = NULL;
    zb_letter_put(l, &plain, sizeof plain);
}

void zb_letter_put_model(zb_letter *l, const zb_model *model)
{
    zb_letter_put_ints(l, (size_t)model->nvars, model->card);
    zb_letter_put(l, model->evidence, (size_t)model->nvars * sizeof *model->evidence);
    zb_letter_put_int(l, model->bayes);
    zb_letter_put_real(l, model->log_scale);
    zb_letter_put_real(l, model->radius);
    zb_letter_put_int(l, model->nfactors);
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        zb_letter_put_int(l, a->log);
        zb_letter_put_ints(l, (size_t)a->arity, a->scope);
        zb_letter_put_reals(l, a->size, a->value);
    }
}

/* ---- reading --------------------------------------------------------------------- */

void zb_letter_take(zb_letter *l, void *data, size_t bytes)
{
    if (l->bad || bytes > l->size - l->at) {
        l->bad = true;
        if (bytes > 0)
            memset(data, 0, bytes);
        return;
    }
    if (bytes > 0)
        memcpy(data, l->data + l->at, bytes);
    l->at += bytes;
}

uint64_t zb_letter_take_word(zb_letter *l)
{
    uint64_t x;
    zb_letter_take(l, &x, sizeof x);
    return x;
}

int zb_letter_take_int(zb_letter *l)
{
    int x;
    zb_letter_take(l, &x, sizeof x);
    return x;
}

double zb_letter_take_real(zb_letter *l)
{
    double x;
    zb_letter_take(l, &x, sizeof x);
    return x;
}

/* A count of elements of which each takes `size` bytes of what is left. */
static size_t take_count(zb_letter *l, size_t size)
{
    uint64_t count = zb_letter_take_word(l);
    if (l->bad || count > (l->size - l->at) / size) {
        l->bad = true;
        return 0;
    }
    return (size_t)count;
}

zb_status zb_letter_take_ints(zb_letter *l, size_t *count, int **out)
{
    *count = take_count(l, sizeof **out);
    *out = l->bad ? NULL : zb_alloc(*count, sizeof **out);
    if (*out == NULL) {
        *count = 0;
        return l->bad ? ZB_OK : ZB_ENOMEM;
    }
    zb_letter_take(l, *out, *count * sizeof **out);
    return ZB_OK;
}

zb_status zb_letter_take_reals(zb_letter *l, size_t *count, double **out)
{
    *count = take_count(l, sizeof **out);
    *out = l->bad ? NULL : zb_alloc(*count, sizeof **out);
    if (*out == NULL) {
        *count = 0;
        return l->bad ? ZB_OK : ZB_ENOMEM;
    }
    zb_letter_take(l, *out, *count * sizeof **out);
    return ZB_OK;
}

static zb_status take_factor(zb_letter *l, zb_model *model)
{
    size_t arity, size, want;
    int *scope = NULL;
    double *value = NULL;
    zb_status status;
    bool log = zb_letter_take_int(l) != 0;
    TRY(zb_letter_take_ints(l, &arity, &scope));
    TRY(zb_letter_take_reals(l, &size, &value));
    bool fits = !l->bad && arity <= INT32_MAX;
    for (size_t i = 0; i < arity && fits; i++)
        fits = scope[i] >= 0 && scope[i] < model->nvars;
    fits = fits && zb_model_table_size(model, (int)arity, scope, &want) && want == size;
    TRY(fits ? ZB_OK : ZB_EINVAL);
    status = zb_model_take(model, (int)arity, scope, value, log);
    value = NULL; /* taken or freed */
done:
    zb_free(scope);
    zb_free(value);
    return status;
}

zb_status zb_letter_take_model(zb_letter *l, zb_model **out)
{
    zb_model *model = NULL;
    int *card = NULL;
    size_t nvars;
    zb_status status;
    *out = NULL;
    TRY(zb_letter_take_ints(l, &nvars, &card));
    TRY(!l->bad && nvars <= INT32_MAX ? ZB_OK : ZB_EINVAL);
    TRY(zb_model_new(&model, (int)nvars, card));
    zb_letter_take(l, model->evidence, nvars * sizeof *model->evidence);
    for (size_t v = 0; v < nvars; v++)
        TRY(model->evidence[v] >= -1 && model->evidence[v] < card[v] ? ZB_OK
                                                                     : ZB_EINVAL);
    model->bayes = zb_letter_take_int(l) != 0;
    model->log_scale = zb_letter_take_real(l);
    model->radius = zb_letter_take_real(l);
    int factors = zb_letter_take_int(l);
    for (int f = 0; f < factors; f++)
        TRY(take_factor(l, model));
    TRY(!l->bad ? ZB_OK : ZB_EINVAL);
    *out = model, model = NULL;
done:
    zb_model_free(model);
    zb_free(card);
    return status;
}
