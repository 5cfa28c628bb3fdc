/* Probabilities of BIF files: scopes, rows, tables. */
#include "base/rounding.h"
#include "io/bif.h"

enum { MOST_PARENTS = 60, MOST_ENTRIES = 1 << 26 };
static const double LOOSE = 1e-3; /* a row whose sum is off by more is worth a note */

/* The probability being read: scope is parents, then child. */
typedef struct cpt {
    int arity, scope[MOST_PARENTS + 1], card[MOST_PARENTS + 1];
    size_t size, rows; /* entries; of the parents' states */
    double *value;     /* negative: not given yet */
    int64_t line;
} cpt;

/* Another parent, in front of the child. */
static zb_status add_parent(zb_bif *r, cpt *c)
{
    int v, n = c->arity;
    zb_status status;
    TRY(zb_bif_reference(r, &v));
    for (int i = 0; i < n; i++)
        if (c->scope[i] == v)
            return zb_bif_expected(&r->w, "each variable once");
    if (n > MOST_PARENTS)
        return zb_bif_expected(&r->w, "fewer parents");
    c->scope[n] = c->scope[n - 1];
    c->scope[n - 1] = v;
    c->arity++;
done:
    return status;
}

static zb_status read_scope(zb_bif *r, cpt *c)
{
    zb_status status;
    TRY(zb_bif_expect(&r->w, "("));
    TRY(zb_bif_reference(r, &c->scope[0]));
    if (r->var[c->scope[0]].given)
        return zb_bif_expected(&r->w, "one probability for each variable");
    r->var[c->scope[0]].given = true;
    c->arity = 1;
    TRY(zb_bif_word(&r->w));
    while (zb_bif_is(&r->w, c->arity == 1 ? "|" : ",")) {
        TRY(add_parent(r, c));
        TRY(zb_bif_word(&r->w));
    }
    if (!zb_bif_is(&r->w, ")"))
        return zb_bif_expected(&r->w, "'|', ',' or ')'");
done:
    return status;
}

static zb_status make_table(zb_bif *r, cpt *c)
{
    c->size = 1;
    for (int i = 0; i < c->arity; i++) {
        c->card[i] = r->var[c->scope[i]].card;
        if (!zb_size_mul(c->size, (size_t)c->card[i], &c->size) ||
            c->size > MOST_ENTRIES)
            return zb_bif_expected(&r->w, "a table of at most 2^26 entries");
    }
    c->rows = c->size / (size_t)c->card[c->arity - 1];
    c->value = zb_alloc(c->size, sizeof *c->value);
    for (size_t i = 0; c->value != NULL && i < c->size; i++)
        c->value[i] = -1;
    return c->value != NULL ? ZB_OK : ZB_ENOMEM;
}

/* Commas between numbers may be missing. */
static zb_status next_weight(zb_bif *r, bool first, double *out)
{
    zb_status status = ZB_OK;
    if (!first) {
        TRY(zb_bif_word(&r->w));
        r->w.held = !zb_bif_is(&r->w, ",");
    }
    TRY(zb_bif_weight(&r->w, out));
done:
    return status;
}

/* "table": the child slowest, so that entry e = x rows + row of the file is entry
   row k + x of ours. */
static zb_status read_table(zb_bif *r, cpt *c)
{
    size_t k = c->size / c->rows;
    zb_status status = ZB_OK;
    for (size_t e = 0; e < c->size; e++)
        TRY(next_weight(r, e == 0, &c->value[e % c->rows * k + e / c->rows]));
    TRY(zb_bif_expect(&r->w, ";"));
done:
    return status;
}

/* The weights of one row, or of all that have none (row SIZE_MAX). */
static zb_status read_weights(zb_bif *r, cpt *c, size_t row)
{
    size_t k = c->size / c->rows;
    zb_status status = ZB_OK;
    for (size_t x = 0; x < k; x++) {
        double weight;
        TRY(next_weight(r, x == 0, &weight));
        if (row != SIZE_MAX)
            c->value[row * k + x] = weight;
        for (size_t other = 0; row == SIZE_MAX && other < c->rows; other++)
            if (c->value[other * k + x] < 0)
                c->value[other * k + x] = weight;
    }
    TRY(zb_bif_expect(&r->w, ";"));
done:
    return status;
}

/* After "(": the states of the parents, and the weights. */
static zb_status read_row(zb_bif *r, cpt *c)
{
    size_t row = 0;
    zb_status status = ZB_OK;
    for (int i = 0; i + 1 < c->arity; i++) {
        const zb_bif_var *v = &r->var[c->scope[i]];
        int x = 0;
        if (i > 0)
            TRY(zb_bif_expect(&r->w, ","));
        TRY(zb_bif_name(&r->w, "the name of a state"));
        while (x < v->card && !zb_bif_is_state(r, v, x))
            x++;
        if (x == v->card)
            return zb_bif_expected(&r->w, "a state of the parent");
        row = row * (size_t)v->card + (size_t)x;
    }
    TRY(zb_bif_expect(&r->w, ")"));
    if (c->value[row * (c->size / c->rows)] >= 0)
        return zb_bif_expected(&r->w, "each row once");
    TRY(read_weights(r, c, row));
done:
    return status;
}

static zb_status read_rows(zb_bif *r, cpt *c)
{
    bool rest = false; /* a default was given, which has to be the last one */
    zb_status status;
    TRY(zb_bif_expect(&r->w, "{"));
    for (;;) {
        TRY(zb_bif_word(&r->w));
        if (zb_bif_is(&r->w, "}"))
            return ZB_OK;
        if (zb_bif_is(&r->w, "property"))
            TRY(zb_bif_skip_property(r));
        else if (rest)
            return zb_bif_expected(&r->w, "'}' after the default");
        else if (zb_bif_is(&r->w, "table"))
            TRY(read_table(r, c));
        else if (zb_bif_is(&r->w, "default")) {
            rest = true;
            TRY(read_weights(r, c, SIZE_MAX));
        } else if (zb_bif_is(&r->w, "("))
            TRY(read_row(r, c));
        else
            return zb_bif_expected(&r->w, "table, default, '(' or '}'");
    }
done:
    return status;
}

/* Every entry is given; sums that are not 1 are counted. */
static zb_status check_table(zb_bif *r, const cpt *c)
{
    size_t k = c->size / c->rows;
    for (size_t row = 0; row < c->rows; row++) {
        double sum = 0;
        for (size_t x = 0; x < k; x++) {
            if (c->value[row * k + x] < 0)
                return zb_scan_fail(r->w.in, c->line,
                                    "expected %zu rows of this probability, found none "
                                    "for row %zu",
                                    c->rows, row + 1);
            sum += c->value[row * k + x];
        }
        if (fabs(sum - 1) > LOOSE && r->loose++ == 0) {
            r->loose_line = c->line;
            r->loose_row = row + 1;
        }
    }
    return ZB_OK;
}

zb_status zb_bif_probability(zb_bif *r)
{
    cpt c = { .line = r->w.in->line };
    double *value;
    zb_status status;
    ZB_ASSERT(r->model != NULL);
    TRY(read_scope(r, &c));
    TRY(make_table(r, &c));
    TRY(read_rows(r, &c));
    TRY(check_table(r, &c));
    value = c.value;
    c.value = NULL; /* taken, even if that fails */
    TRY(zb_model_take(r->model, c.arity, c.scope, value, false));
    r->model->radius += ZB_MARGIN * ZB_UNIT; /* the nearest doubles to its decimals */
done:
    zb_free(c.value);
    return status;
}
