/* BIF, the format of Bayesian networks with names (bnlearn's repository).
 *
 *     network NAME { property ...; }
 *     variable smoke { type discrete [ 2 ] { yes, no }; property ...; }
 *     probability ( lung | smoke ) {
 *         (yes) 0.1, 0.9;           a row: the parents' states, then the child's
 * weights default 0.5, 0.5;         all rows that are not given otherwise
 *     }
 *     probability ( smoke ) { table 0.5, 0.5; }
 *
 * A table lists all entries, the child slowest, the last parent fastest. Variables are
 * numbered as they are declared, and before they are used; each has one probability. A
 * factor's scope is the parents, then the child, as in .uai files of type BAYES. */
#include "io/bif.h"

#include "base/hash.h"
#include "model/names.h"

#include <string.h>

enum { MOST_VARS = 1 << 24, MOST_STATES = 1 << 20 };

static uint64_t hash_text(const char *text, size_t length)
{
    uint64_t h = ZB_HASH_START;
    for (size_t i = 0; i < length; i++)
        h = zb_hash_word(h, (unsigned char)text[i]);
    return h;
}

/* ---- variables ------------------------------------------------------------------- */

typedef struct wanted {
    const zb_bif *r;
    const char *text;
    size_t length;
} wanted;

static bool text_is(const zb_bif *r, size_t at, const char *text, size_t length)
{
    return strlen(r->text + at) == length && memcmp(r->text + at, text, length) == 0;
}

static bool same(const void *key, size_t place)
{
    const wanted *k = key;
    return text_is(k->r, k->r->var[place].name, k->text, k->length);
}

/* The slot of a variable's name. */
static size_t *find(zb_bif *r, const char *text, size_t length)
{
    return zb_hash_slot(r->slot, r->slots, hash_text(text, length), same,
                        &(wanted){ r, text, length });
}

/* Twice as many slots, while more than half of them would be taken. */
static zb_status grow_slots(zb_bif *r)
{
    size_t slots = zb_max_size(64, 2 * r->slots);
    if (r->slots > 2 * (size_t)r->vars)
        return ZB_OK;
    zb_free(r->slot);
    r->slot = zb_calloc(slots, sizeof *r->slot);
    r->slots = r->slot != NULL ? slots : 0;
    if (r->slot == NULL)
        return ZB_ENOMEM;
    for (int v = 0; v < r->vars; v++) {
        const char *name = r->text + r->var[v].name;
        *zb_hash_slot(r->slot, slots, hash_text(name, strlen(name)), NULL, NULL) =
            (size_t)v + 1;
    }
    return ZB_OK;
}

/* The word read last, kept: its offset. */
static zb_status keep(zb_bif *r, size_t *at)
{
    size_t n = r->w.length;
    if (!ZB_RESERVE(r->text, &r->text_room, r->text_used, r->text_used + n + 1))
        return ZB_ENOMEM;
    *at = r->text_used;
    memcpy(r->text + *at, r->w.word, n);
    r->text[*at + n] = '\0';
    r->text_used += n + 1;
    return ZB_OK;
}

static zb_status declare(zb_bif *r)
{
    zb_status status;
    TRY(zb_bif_name(&r->w, "the name of a variable"));
    TRY(grow_slots(r));
    size_t *slot = find(r, r->w.word, r->w.length);
    if (*slot != 0)
        return zb_bif_expected(&r->w, "a variable that was not declared before");
    if (r->vars == MOST_VARS)
        return zb_bif_expected(&r->w, "fewer variables");
    ZB_GROW(r->var, r->var_room, (size_t)r->vars, MOST_VARS);
    r->var[r->vars] = (zb_bif_var){ .first = r->states };
    TRY(keep(r, &r->var[r->vars].name));
    *slot = (size_t)++r->vars;
done:
    return status;
}

/* From "property" or the like to its semicolon. */
zb_status zb_bif_skip_property(zb_bif *r)
{
    zb_status status;
    do {
        TRY(zb_bif_word(&r->w));
        if (r->w.length == 0)
            return zb_bif_expected(&r->w, "';'");
    } while (!zb_bif_is(&r->w, ";"));
done:
    return status;
}

bool zb_bif_is_state(const zb_bif *r, const zb_bif_var *v, int x)
{
    return text_is(r, r->state[v->first + (size_t)x], r->w.word, r->w.length);
}

static zb_status read_states(zb_bif *r, zb_bif_var *v, int count)
{
    zb_status status;
    TRY(zb_bif_expect(&r->w, "{"));
    for (; v->card < count; v->card++) {
        if (v->card > 0)
            TRY(zb_bif_expect(&r->w, ","));
        TRY(zb_bif_name(&r->w, "the name of a state"));
        for (int x = 0; x < v->card && count <= 1000; x++)
            if (zb_bif_is_state(r, v, x))
                return zb_bif_expected(&r->w, "a state that was not named before");
        ZB_GROW(r->state, r->state_room, r->states, SIZE_MAX / 16);
        TRY(keep(r, &r->state[r->states++]));
    }
    TRY(zb_bif_expect(&r->w, "}"));
    TRY(zb_bif_expect(&r->w, ";"));
done:
    return status;
}

/* After "type". */
static zb_status read_type(zb_bif *r, zb_bif_var *v)
{
    int count;
    zb_status status;
    TRY(zb_bif_expect(&r->w, "discrete"));
    if (v->card > 0)
        return zb_bif_expected(&r->w, "one type");
    TRY(zb_bif_expect(&r->w, "["));
    TRY(zb_bif_whole(&r->w, MOST_STATES, "a number of states", &count));
    if (count == 0)
        return zb_bif_expected(&r->w, "a number of states of at least 1");
    TRY(zb_bif_expect(&r->w, "]"));
    TRY(read_states(r, v, count));
done:
    return status;
}

static zb_status read_variable(zb_bif *r)
{
    zb_status status;
    TRY(declare(r));
    zb_bif_var *v = &r->var[r->vars - 1];
    TRY(zb_bif_expect(&r->w, "{"));
    for (;;) {
        TRY(zb_bif_word(&r->w));
        if (zb_bif_is(&r->w, "}"))
            break;
        if (zb_bif_is(&r->w, "type"))
            TRY(read_type(r, v));
        else if (zb_bif_is(&r->w, "property"))
            TRY(zb_bif_skip_property(r));
        else
            return zb_bif_expected(&r->w, "type, property or '}'");
    }
    if (v->card == 0)
        return zb_bif_expected(&r->w, "a type");
done:
    return status;
}

zb_status zb_bif_reference(zb_bif *r, int *out)
{
    zb_status status;
    TRY(zb_bif_name(&r->w, "the name of a variable"));
    TRY(grow_slots(r));
    size_t place = *find(r, r->w.word, r->w.length);
    if (place == 0)
        return zb_bif_expected(&r->w, "a variable that was declared");
    *out = (int)place - 1;
done:
    return status;
}

/* All variables are declared before the first probability: then the model is made. */
static zb_status make_model(zb_bif *r)
{
    int *card = zb_alloc((size_t)r->vars, sizeof *card);
    zb_status status = ZB_ENOMEM;
    for (int v = 0; card != NULL && v < r->vars; v++)
        card[v] = r->var[v].card;
    if (card != NULL)
        status = zb_model_new(&r->model, r->vars, card);
    zb_free(card);
    return status;
}

/* ---- the file -------------------------------------------------------------------- */

/* After "network": its name, and properties in braces. */
static zb_status read_network(zb_bif *r)
{
    zb_status status;
    do {
        TRY(zb_bif_word(&r->w));
        if (r->w.length == 0)
            return zb_bif_expected(&r->w, "'{'");
    } while (!zb_bif_is(&r->w, "{"));
    for (;;) {
        TRY(zb_bif_word(&r->w));
        if (zb_bif_is(&r->w, "}"))
            return ZB_OK;
        if (!zb_bif_is(&r->w, "property"))
            return zb_bif_expected(&r->w, "property or '}'");
        TRY(zb_bif_skip_property(r));
    }
done:
    return status;
}

static zb_status read_blocks(zb_bif *r)
{
    zb_status status;
    for (;;) {
        TRY(zb_bif_word(&r->w));
        if (r->w.length == 0)
            break;
        if (zb_bif_is(&r->w, "network"))
            TRY(read_network(r));
        else if (zb_bif_is(&r->w, "variable") && r->model == NULL)
            TRY(read_variable(r));
        else if (zb_bif_is(&r->w, "probability")) {
            if (r->model == NULL)
                TRY(make_model(r));
            TRY(zb_bif_probability(r));
        } else
            return zb_bif_expected(&r->w, r->model == NULL
                                              ? "network, variable or probability"
                                              : "probability");
    }
    if (r->vars == 0)
        return zb_bif_expected(&r->w, "a variable");
    for (int v = 0; v < r->vars; v++)
        if (!r->var[v].given)
            return zb_scan_fail(r->w.in, r->w.in->line,
                                "expected a probability of '%.40s', found the end of "
                                "the file",
                                r->text + r->var[v].name);
done:
    return status;
}

static zb_status name(zb_bif *r)
{
    zb_status status = ZB_OK;
    for (int v = 0; v < r->vars; v++) {
        TRY(zb_model_name_var(r->model, v, r->text + r->var[v].name));
        for (int x = 0; x < r->var[v].card; x++)
            TRY(zb_model_name_state(r->model, v, x,
                                    r->text + r->state[r->var[v].first + (size_t)x]));
    }
done:
    return status;
}

zb_status zb_bif_parse(zb_model **out, zb_scan *in)
{
    zb_bif r = { .w = { .in = in } };
    zb_status status;

    *out = NULL;
    TRY(read_blocks(&r));
    TRY(name(&r));
    if (r.loose > 0)
        zb_scan_note(in, r.loose_line,
                     "weights that do not sum to 1: %zu row%s, %srow %zu of this "
                     "probability",
                     r.loose, r.loose > 1 ? "s" : "", r.loose > 1 ? "first " : "",
                     r.loose_row);
    r.model->bayes = true;
    *out = r.model, r.model = NULL;
done:
    if (status == ZB_ENOMEM)
        zb_fail(in->err, status, "%s: not enough memory to read it", in->name);
    zb_free(r.var);
    zb_free(r.state);
    zb_free(r.text);
    zb_free(r.slot);
    zb_model_free(r.model);
    return status;
}
