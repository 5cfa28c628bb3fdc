/* Rows in order. With the rows' values as far as COLUMNS columns, any permutation of
 * the rows has the same sum over all else: so Z is the sum over rows in descending
 * order, times k! / (m_1! m_2! ..), m the numbers of rows that are equal. The product
 * of j / (how many of the rows up to the j-th, this one included, are equal to it),
 * over j = 1 .. k, is that. */
#include "base/explog.h"
#include "symmetry/exchange.h"

/* Entries of all tables that say which of two rows comes first. */
enum { COLUMNS = 8, ROWS = 64, MOST_ENTRIES = 1 << 16 };

typedef struct sorter {
    const zb_rows *rows;
    zb_model *out;
    int count, columns;
    int column[COLUMNS];
    int next; /* variable that is free */
} sorter;

/* The first columns whose tables are small. */
static void choose_columns(sorter *s, const zb_model *model)
{
    double entries = 0;
    for (int c = 0; c < s->rows->columns && s->columns < COLUMNS; c++) {
        double n = model->card[zb_rows_at(s->rows, 0, c)],
               more = 4 * n * n * (s->count - 1);
        if (entries + more > MOST_ENTRIES)
            continue;
        entries += more;
        s->column[s->columns++] = c;
    }
}

/* Two rows that are equal so far (before: variable, -1: they are) at the next column:
   the first one's value is no less, and the variable `after` says whether they still
   are equal. */
static zb_status compare(sorter *s, int before, int first, int second, int after)
{
    int n = s->out->card[first], scope[4], axes = 0;
    double *value = zb_alloc((size_t)4 * (size_t)(n * n), sizeof *value), *to = value;
    if (value == NULL)
        return ZB_ENOMEM;
    for (int equal = before < 0; equal < 2; equal++)
        for (int x = 0; x < n; x++)
            for (int y = 0; y < n; y++)
                for (int still = 0; still < 2; still++)
                    *to++ = still == (equal && x == y) && (!equal || x >= y);
    if (before >= 0)
        scope[axes++] = before;
    scope[axes++] = first;
    scope[axes++] = second;
    scope[axes++] = after;
    return zb_model_take(s->out, axes, scope, value, false);
}

/* Row j, counted from 0, is equal to the one before it (equal) or not; of those that
   are equal it is the one after `run` (variable, -1: 0), and `now` says which, both
   counted from 0. */
static zb_status weigh(sorter *s, int j, int equal, int run, int now)
{
    int scope[3], axes = 0, before = run >= 0 ? j : 1;
    size_t size = (size_t)2 * (size_t)(before * (j + 1));
    double *value = zb_alloc(size, sizeof *value), *to = value;
    if (value == NULL)
        return ZB_ENOMEM;
    for (int same = 0; same < 2; same++)
        for (int x = 0; x < before; x++)
            for (int y = 0; y <= j; y++)
                *to++ = y == (same ? x + 1 : 0) ? (double)(j + 1) / (y + 1) : 0;
    scope[axes++] = equal;
    if (run >= 0)
        scope[axes++] = run;
    scope[axes++] = now;
    s->out->radius += ZB_MARGIN * ZB_UNIT; /* of the quotient */
    return zb_model_take(s->out, axes, scope, value, false);
}

static zb_status add_rows(sorter *s)
{
    zb_status status = ZB_OK;
    int run = -1;
    for (int j = 1; j < s->count; j++) {
        int equal = -1;
        for (int c = 0; c < s->columns; c++) {
            int after = s->next++;
            TRY(compare(s, equal, zb_rows_at(s->rows, j - 1, s->column[c]),
                        zb_rows_at(s->rows, j, s->column[c]), after));
            equal = after;
        }
        int now = s->next++;
        TRY(weigh(s, j, equal, run, now));
        run = now;
    }
done:
    return status;
}

static zb_status make_model(sorter *s, const zb_model *model)
{
    int more = (s->count - 1) * (s->columns + 1);
    int *card = zb_alloc((size_t)(model->nvars + more), sizeof *card), *to = card;
    zb_status status = card != NULL ? ZB_OK : ZB_ENOMEM;
    TRY(status);
    for (int v = 0; v < model->nvars; v++)
        *to++ = model->card[v];
    for (int j = 1; j < s->count; j++) {
        for (int c = 0; c < s->columns; c++)
            *to++ = 2;
        *to++ = j + 1;
    }
    TRY(zb_model_new(&s->out, model->nvars + more, card));
    s->out->log_scale = model->log_scale;
    s->out->radius = model->radius;
    TRY(zb_model_reserve(s->out, model->nfactors + more));
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        TRY(zb_model_put(s->out, a->arity, a->scope, a));
    }
    TRY(add_rows(s));
done:
    zb_free(card);
    return status;
}

zb_status zb_exchange_sorted(zb_model **out, const zb_model *model, const zb_rows *rows)
{
    sorter s = { .rows = rows,
                 .count = zb_min_int(rows->count, ROWS),
                 .next = model->nvars };
    zb_status status = ZB_OK;
    *out = NULL;
    choose_columns(&s, model);
    if (s.columns > 0)
        status = make_model(&s, model);
    if (status == ZB_OK)
        *out = s.out, s.out = NULL;
    zb_model_free(s.out);
    return status;
}
