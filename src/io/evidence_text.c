/* Evidence on a command line: variables and states by name. */
#include "io/formats.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

/* "'yes', 'no'", or "0 to 4" where they have no names; many are cut short. */
static void list_states(const zb_model *model, int var, char *text, size_t size)
{
    enum { MOST = 6 };
    int card = model->card[var];
    size_t used = 0;
    if (*zb_model_state_name(model, var, 0) == '\0') {
        snprintf(text, size, "0 to %d", card - 1);
        return;
    }
    for (int i = 0; i < card && i < MOST && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s'%.20s'",
                                 i > 0 ? ", " : "", zb_model_state_name(model, var, i));
    if (card > MOST && used < size)
        snprintf(text + used, size - used, " and %d more", card - MOST);
}

/* text .. end: "variable=state". Names may contain '=': the first one counts that makes
   sense. */
static zb_status find_pair(const zb_model *model, char *text, int *var, int *state,
                           zb_error *err)
{
    bool sign = false;
    int named = -1;
    for (char *at = strchr(text, '='); at != NULL; at = strchr(at + 1, '=')) {
        sign = true;
        *at = '\0';
        *var = zb_model_find_var(model, text);
        *at = '=';
        if (*var < 0)
            continue;
        named = *var;
        if ((*state = zb_model_find_state(model, *var, at + 1)) >= 0)
            return ZB_OK;
    }
    if (!sign)
        return zb_fail(err, ZB_EINVAL,
                       "evidence: expected VARIABLE=STATE, found '%.60s'", text);
    if (named < 0)
        return zb_fail(err, ZB_EINVAL, "evidence: no such variable: '%.60s'", text);
    char states[200];
    list_states(model, named, states, sizeof states);
    return zb_fail(err, ZB_EINVAL,
                   "evidence: '%.60s': no such state; the variable's are %s", text,
                   states);
}

/* What the text says, into observed (a copy of the model's evidence). */
static zb_status read_pairs(const zb_model *model, char *text, int *observed,
                            zb_error *err)
{
    zb_status status = ZB_OK;
    for (char *at = text, *next; at != NULL; at = next) {
        int var = -1, state = -1;
        next = strchr(at, ',');
        if (next != NULL)
            *next++ = '\0';
        TRY(find_pair(model, at, &var, &state, err));
        if (observed[var] >= 0 && observed[var] != state)
            return zb_fail(err, ZB_EINVAL,
                           "evidence: '%.60s', but the variable is observed in another "
                           "state already",
                           at);
        observed[var] = state;
    }
done:
    return status;
}

zb_status zb_evidence_set(zb_model *model, const char *text, zb_error *err)
{
    int *observed = NULL;
    char *copy = NULL;
    zb_status status;

    if (model == NULL || text == NULL)
        return zb_fail(err, ZB_EINVAL, "no model, or no evidence");
    size_t bytes = (size_t)model->nvars * sizeof *observed, length = strlen(text) + 1;
    observed = zb_alloc((size_t)model->nvars, sizeof *observed);
    copy = zb_alloc(length, 1);
    TRY(observed != NULL && copy != NULL ? ZB_OK : ZB_ENOMEM);
    memcpy(observed, model->evidence, bytes);
    memcpy(copy, text, length);
    TRY(read_pairs(model, copy, observed, err));
    memcpy(model->evidence, observed, bytes);
done:
    zb_free(observed);
    zb_free(copy);
    return status;
}
