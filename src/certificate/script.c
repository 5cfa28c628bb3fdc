#include "certificate/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void zb_script_clear(zb_script *s)
{
    zb_free(s->text);
    *s = (zb_script){ 0 };
}

void zb_script_text(zb_script *s, const char *text)
{
    size_t n = strlen(text);
    if (s->zero || s->failed)
        return;
    if (!ZB_RESERVE(s->text, &s->room, s->length, s->length + n + 1)) {
        s->failed = true;
        return;
    }
    memcpy(s->text + s->length, text, n + 1);
    s->length += n;
}

void zb_script_int(zb_script *s, int x)
{
    char word[16];
    snprintf(word, sizeof word, " %d", x);
    zb_script_text(s, word);
}

/* x = m 2^e with a whole m that is odd, or 0. */
void zb_script_real(zb_script *s, double x)
{
    char word[48];
    int e;
    ZB_ASSERT(isfinite(x));
    uint64_t m = (uint64_t)ldexp(frexp(fabs(x), &e), 53);
    e -= 53;
    while (m != 0 && m % 2 == 0)
        m /= 2, e++;
    if (m < 1000 && e >= 0 && e < 10)
        snprintf(word, sizeof word, " %s%" PRIu64, x < 0 ? "-" : "", m << e);
    else
        snprintf(word, sizeof word, " %s0x%" PRIx64 "p%d", x < 0 ? "-" : "", m, e);
    zb_script_text(s, m == 0 ? " 0" : word);
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

/* Variables and factors keep their order, as in zb_components_split. */
zb_status zb_view_part(zb_view *out, const zb_view *whole, const zb_model *model,
                       int part, const int *part_of)
{
    zb_status status = view_new(out, whole->nvars, whole->nfactors);
    int nvars = 0, nfactors = 0;
    if (status != ZB_OK)
        return status;
    for (int v = 0; v < whole->nvars; v++)
        if (part_of == NULL || part_of[v] == part)
            out->var[nvars++] = whole->var[v];
    for (int f = 0; f < whole->nfactors; f++)
        if (part_of == NULL || part_of[model->factor[f].scope[0]] == part)
            out->table[nfactors++] = whole->table[f];
    out->nvars = nvars;
    out->nfactors = nfactors;
    return ZB_OK;
}
