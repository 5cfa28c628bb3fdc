#include "model/names.h"

#include <stdlib.h>
#include <string.h>

static zb_status begin(zb_model *model)
{
    size_t n = (size_t)model->nvars, states = 0;
    struct zb_names *names = zb_calloc(1, sizeof *names);

    if (names == NULL)
        return ZB_ENOMEM;
    names->var = zb_calloc(n, sizeof *names->var);
    names->first = zb_alloc(n, sizeof *names->first);
    for (size_t v = 0; names->first != NULL && v < n; v++) {
        names->first[v] = states;
        states += (size_t)model->card[v];
    }
    names->state = zb_calloc(states, sizeof *names->state);
    if (names->var == NULL || names->first == NULL || names->state == NULL ||
        !ZB_RESERVE(names->text, &names->room, 0, 1)) {
        zb_names_free(names);
        return ZB_ENOMEM;
    }
    names->text[names->used++] = '\0';
    model->names = names;
    return ZB_OK;
}

zb_status zb_names_set(zb_model *model, int var, int state, const char *text,
                       size_t length)
{
    zb_status status;

    ZB_ASSERT(var >= 0 && var < model->nvars && state < model->card[var]);
    if (model->names == NULL)
        TRY(begin(model));
    struct zb_names *names = model->names;
    if (length > SIZE_MAX / 2 ||
        !ZB_RESERVE(names->text, &names->room, names->used, names->used + length + 1))
        return ZB_ENOMEM;
    memcpy(names->text + names->used, text, length);
    names->text[names->used + length] = '\0';
    *(state < 0 ? &names->var[var] : &names->state[names->first[var] + (size_t)state]) =
        names->used;
    names->used += length + 1;
    status = ZB_OK;
done:
    return status;
}

zb_status zb_names_copy(zb_model *to, const zb_model *from)
{
    const struct zb_names *a = from->names;
    zb_status status = ZB_OK;

    if (a == NULL || from->nvars == 0)
        return ZB_OK;
    TRY(begin(to));
    struct zb_names *b = to->names;
    size_t last = (size_t)from->nvars - 1;
    if (!ZB_RESERVE(b->text, &b->room, b->used, a->used))
        return ZB_ENOMEM;
    memcpy(b->text, a->text, b->used = a->used);
    memcpy(b->var, a->var, (last + 1) * sizeof *b->var);
    memcpy(b->state, a->state,
           (a->first[last] + (size_t)from->card[last]) * sizeof *b->state);
done:
    return status;
}

void zb_names_free(struct zb_names *names)
{
    if (names == NULL)
        return;
    zb_free(names->var);
    zb_free(names->first);
    zb_free(names->state);
    zb_free(names->text);
    zb_free(names);
}

/* ---- public ---------------------------------------------------------------------- */

static bool has_var(const zb_model *model, int var)
{
    return model != NULL && var >= 0 && var < model->nvars;
}

const char *zb_model_var_name(const zb_model *model, int var)
{
    return has_var(model, var) && model->names != NULL
               ? model->names->text + model->names->var[var]
               : "";
}

const char *zb_model_state_name(const zb_model *model, int var, int state)
{
    const struct zb_names *names = model != NULL ? model->names : NULL;
    return has_var(model, var) && state >= 0 && state < model->card[var] &&
                   names != NULL
               ? names->text + names->state[names->first[var] + (size_t)state]
               : "";
}

bool zb_model_has_names(const zb_model *model)
{
    return model != NULL && model->names != NULL;
}

zb_status zb_model_name_var(zb_model *model, int var, const char *name)
{
    if (!has_var(model, var) || name == NULL)
        return ZB_EINVAL;
    return zb_names_set(model, var, -1, name, strlen(name));
}

zb_status zb_model_name_state(zb_model *model, int var, int state, const char *name)
{
    if (!has_var(model, var) || state < 0 || state >= model->card[var] || name == NULL)
        return ZB_EINVAL;
    return zb_names_set(model, var, state, name, strlen(name));
}

/* Whether `name` is the name `own`, a leading plus apart, or, where there is no such
   name, the number. */
static bool answers(const char *own, int number, const char *name)
{
    char *end;
    if (*own != '\0')
        return strcmp(own + (*own == '+'), name + (*name == '+')) == 0;
    return *name >= '0' && *name <= '9' && strtol(name, &end, 10) == number &&
           *end == '\0';
}

int zb_model_find_var(const zb_model *model, const char *name)
{
    if (model == NULL || name == NULL || *name == '\0')
        return -1;
    for (int v = 0; v < model->nvars; v++)
        if (answers(zb_model_var_name(model, v), v, name))
            return v;
    return -1;
}

int zb_model_find_state(const zb_model *model, int var, const char *name)
{
    if (!has_var(model, var) || name == NULL || *name == '\0')
        return -1;
    for (int x = 0; x < model->card[var]; x++)
        if (answers(zb_model_state_name(model, var, x), x, name))
            return x;
    return -1;
}
