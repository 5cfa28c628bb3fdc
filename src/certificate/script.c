#include "certificate/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const double WORD_COST = 100; /* operations */

void zb_script_clear(zb_script *s)
{
    zb_free(s->text);
    *s = (zb_script){ 0 };
}

static bool is_over(const zb_script *s) { return s->zero || s->status != ZB_OK; }

void zb_script_text(zb_script *s, const char *text)
{
    size_t n = strlen(text);
    if (is_over(s))
        return;
    if (!ZB_RESERVE(s->text, &s->room, s->length, s->length + n + 1))
        s->status = ZB_ENOMEM;
    else if (!zb_tick(&s->tick, WORD_COST))
        s->status = ZB_ELIMIT;
    if (s->status != ZB_OK)
        return;
    memcpy(s->text + s->length, text, n + 1);
    s->length += n;
}

void zb_script_int(zb_script *s, int x)
{
    char word[16];
    if (is_over(s))
        return;
    snprintf(word, sizeof word, " %d", x);
    zb_script_text(s, word);
}

/* x = m 2^e with a whole m that is odd, or 0. */
void zb_real_text(char out[ZB_REAL_TEXT], double x)
{
    const char *sign = x < 0 ? "-" : "";
    int e;
    ZB_ASSERT(isfinite(x));
    uint64_t m = (uint64_t)ldexp(frexp(fabs(x), &e), 53);
    e -= 53;
    while (m != 0 && m % 2 == 0)
        m /= 2, e++;
    if (m == 0)
        snprintf(out, ZB_REAL_TEXT, "0");
    else if (m < 1000 && e >= 0 && e < 10)
        snprintf(out, ZB_REAL_TEXT, "%s%" PRIu64, sign, m << e);
    else
        snprintf(out, ZB_REAL_TEXT, "%s0x%" PRIx64 "p%d", sign, m, e);
}

void zb_script_real(zb_script *s, double x)
{
    char word[1 + ZB_REAL_TEXT] = " ";
    if (is_over(s))
        return;
    zb_real_text(word + 1, x);
    zb_script_text(s, word);
}

int zb_script_sum(zb_script *s, int v, bool has)
{
    zb_script_text(s, "sum");
    zb_script_int(s, v);
    zb_script_text(s, "\n");
    return has ? zb_script_table(s) : -1;
}

/* ---- views ----------------------------------------------------------------------- */

void zb_view_clear(zb_view *v)
{
    zb_free(v->var);
    zb_free(v->table);
    zb_free(v->copy);
    *v = (zb_view){ 0 };
}

static zb_status view_new(zb_view *v, int nvars, int nfactors)
{
    *v = (zb_view){ .nvars = nvars,
                    .nfactors = nfactors,
                    .var_room = (size_t)nvars,
                    .table_room = (size_t)nfactors };
    v->var = zb_alloc(v->var_room, sizeof *v->var);
    v->table = zb_alloc(v->table_room, sizeof *v->table);
    if (v->var != NULL && v->table != NULL)
        return ZB_OK;
    zb_view_clear(v);
    return ZB_ENOMEM;
}

zb_status zb_view_whole(zb_view *v, const zb_model *model)
{
    zb_status status = view_new(v, model->nvars, model->nfactors);
    for (int i = 0; i < v->nvars; i++)
        v->var[i] = i;
    for (int f = 0; f < v->nfactors; f++)
        v->table[f] = f;
    return status;
}

static int part_of_var(const int *part_of, int v)
{
    return part_of != NULL ? part_of[v] : 0;
}

static int part_of_factor(const int *part_of, const zb_model *model, int f)
{
    const zb_factor *a = &model->factor[f];
    return part_of != NULL && a->arity > 0 ? part_of[a->scope[0]] : 0;
}

/* Variables and factors keep their order, as in zb_components_split. */
zb_status zb_view_parts(zb_view *out, int count, const zb_view *whole,
                        const zb_model *model, const int *part_of)
{
    int *nvars = zb_calloc((size_t)count, sizeof *nvars);
    int *nfactors = zb_calloc((size_t)count, sizeof *nfactors);
    zb_status status;
    TRY(nvars != NULL && nfactors != NULL ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < whole->nvars; v++)
        nvars[part_of_var(part_of, v)]++;
    for (int f = 0; f < whole->nfactors; f++)
        nfactors[part_of_factor(part_of, model, f)]++;
    for (int i = 0; i < count; i++) {
        TRY(view_new(&out[i], nvars[i], nfactors[i]));
        out[i].nvars = out[i].nfactors = 0;
    }
    for (int v = 0; v < whole->nvars; v++) {
        zb_view *part = &out[part_of_var(part_of, v)];
        part->var[part->nvars++] = whole->var[v];
    }
    for (int f = 0; f < whole->nfactors; f++) {
        zb_view *part = &out[part_of_factor(part_of, model, f)];
        part->table[part->nfactors++] = whole->table[f];
    }
done:
    zb_free(nvars);
    zb_free(nfactors);
    return status;
}
