/* From lines to a model: spins are numbered, lines become factors. */
#include "base/rounding.h"
#include "io/spins.h"
#include "model/names.h"

#include <stdio.h>
#include <stdlib.h>

/* Spins that are believed in, and how many more for each that is named. */
enum { BELIEVED = 1 << 20, BELIEVED_EACH = 16 };

/* ---- numbers of spins ------------------------------------------------------------ */

/* The smallest and the largest number that occurs; INT_MAX and -1 where none does. */
static void extremes(const zb_spins *r, int *least, int *most)
{
    *least = INT32_MAX;
    *most = -1;
    for (size_t k = 0; k < r->used; k++) {
        const zb_spins_entry *e = &r->entry[k];
        *least = zb_min_int(*least, e->j >= 0 ? zb_min_int(e->i, e->j) : e->i);
        *most = zb_max_int(*most, zb_max_int(e->i, e->j));
    }
}

static int first_number(const zb_spins *r)
{
    int least, most;
    extremes(r, &least, &most);
    return r->base == ZB_BASE_DETECT ? least > 0 : r->base == ZB_BASE_1;
}

/* The first line that names a spin below `from` or from `to` on. */
static zb_status check_range(const zb_spins *r, int from, int to)
{
    for (size_t k = 0; k < r->used; k++) {
        const zb_spins_entry *e = &r->entry[k];
        int bad = e->i < from || e->i >= to                  ? e->i
                  : e->j >= 0 && (e->j < from || e->j >= to) ? e->j
                                                             : -1;
        if (bad >= 0)
            return zb_scan_fail(r->in, e->line,
                                "expected a spin from %d to %d, found '%d'", from,
                                to - 1, bad);
    }
    return ZB_OK;
}

/* Spins of a list: as many as the header says, or up to the largest number. */
static zb_status count_listed(const zb_spins *r, int first, int *n)
{
    int least, most;
    zb_status status;
    extremes(r, &least, &most);
    *n = r->n >= 0 ? (int)r->n : most < 0 ? 0 : most + 1 - first;
    if (*n > BELIEVED && (size_t)(*n / BELIEVED_EACH) > 2 * r->used)
        return zb_scan_fail(r->in, r->header > 0 ? r->header : r->entry[0].line,
                            "expected at most %d spins where so few are named, found "
                            "%d, and %zu lines",
                            BELIEVED, *n, r->used);
    status = check_range(r, first, first + *n);
    return status;
}

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The numbers that occur, each once. */
static zb_status gather_labels(zb_spins *r)
{
    r->label = zb_alloc(2 * r->used, sizeof *r->label);
    if (r->label == NULL)
        return ZB_ENOMEM;
    int count = 0, kept = 0;
    for (size_t k = 0; k < r->used; k++) {
        r->label[count++] = r->entry[k].i;
        if (r->entry[k].j >= 0)
            r->label[count++] = r->entry[k].j;
    }
    qsort(r->label, (size_t)count, sizeof *r->label, compare);
    for (int k = 0; k < count; k++)
        if (kept == 0 || r->label[k] != r->label[kept - 1])
            r->label[kept++] = r->label[k];
    r->labels = kept;
    return ZB_OK;
}

static int variable(const zb_spins *r, int first, int number)
{
    if (r->label == NULL)
        return number - first;
    const int *at =
        bsearch(&number, r->label, (size_t)r->labels, sizeof number, compare);
    return (int)(at - r->label);
}

/* ---- factors --------------------------------------------------------------------- */

/* Logarithms of the weights: of a field at s = -1, +1; of a pair at -- -+ +- ++. */
static void fill(const zb_spins *r, bool pair, double b, double *table)
{
    double e = r->format == ZB_FORMAT_COO ? -b : b;
    for (int x = 0; x < (pair ? 4 : 2); x++) {
        bool ones = x == (pair ? 3 : 1), equal = pair ? x == 0 || x == 3 : x == 1;
        if (r->binary)
            table[x] = ones ? e : 0;
        else if (r->format == ZB_FORMAT_MAXCUT)
            table[x] = equal ? 0 : e;
        else
            table[x] = equal ? e : -e;
    }
}

/* A number is within half a unit in the last place of what the file says, so that the
   factor's logarithm is within u of its size. */
static zb_status add_factors(zb_spins *r, int first)
{
    double table[4];
    zb_status status = ZB_OK;
    for (size_t k = 0; k < r->used; k++) {
        const zb_spins_entry *e = &r->entry[k];
        bool pair = e->j >= 0;
        int scope[2] = { variable(r, first, e->i),
                         pair ? variable(r, first, e->j) : -1 };
        fill(r, pair, e->value, table);
        TRY(zb_model_add_log(r->model, pair ? 2 : 1, scope, table));
        r->model->radius += ZB_MARGIN * ZB_UNIT * fabs(e->value);
    }
done:
    return status;
}

/* Spins answer to the numbers of the file, their states to their values. */
static zb_status name(zb_spins *r, int first)
{
    char text[16];
    zb_status status = ZB_OK;
    for (int v = 0; v < r->model->nvars; v++) {
        int number = r->label != NULL ? r->label[v] : v + first;
        int length = snprintf(text, sizeof text, "%d", number);
        TRY(zb_names_set(r->model, v, -1, text, (size_t)length));
        TRY(zb_names_set(r->model, v, 0, r->binary ? "0" : "-1", r->binary ? 1 : 2));
        TRY(zb_names_set(r->model, v, 1, r->binary ? "1" : "+1", r->binary ? 1 : 2));
    }
done:
    return status;
}

/* Spins that no line names count all the same, which may not be what was meant. */
static zb_status note_free(const zb_spins *r)
{
    const zb_model *m = r->model;
    bool *named = zb_calloc((size_t)m->nvars, sizeof *named);
    int count = 0;
    if (named == NULL)
        return ZB_ENOMEM;
    for (int f = 0; f < m->nfactors; f++)
        for (int i = 0; i < m->factor[f].arity; i++)
            named[m->factor[f].scope[i]] = true;
    for (int v = 0; v < m->nvars; v++)
        count += !named[v];
    if (count > 0)
        zb_scan_note(r->in, r->header > 0 ? r->header : r->entry[0].line,
                     "%d of the spins are in no line, and free", count);
    zb_free(named);
    return ZB_OK;
}

zb_status zb_spins_build(zb_spins *r)
{
    int *card = NULL, n = 0, first = first_number(r);
    zb_status status;

    if (r->format == ZB_FORMAT_COO)
        TRY(gather_labels(r));
    else
        TRY(count_listed(r, first, &n));
    n = r->label != NULL ? r->labels : n;
    card = zb_alloc((size_t)n, sizeof *card);
    TRY(card != NULL ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < n; v++)
        card[v] = 2;
    TRY(zb_model_new(&r->model, n, card));
    TRY(add_factors(r, first));
    TRY(name(r, first));
    TRY(note_free(r));
done:
    zb_free(card);
    return status;
}
