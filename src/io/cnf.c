/* DIMACS CNF: model counting. Z is the number of satisfying assignments, or the sum of
 * their weights where the file gives weights to literals.
 *
 *     p cnf VARIABLES CLAUSES
 *     1 -3 0                       a clause, over any number of lines
 *     c p weight -2 0.25 0         a literal's weight; also Cachet's: w -2 0.25
 *     c ...                        a comment, anywhere but inside a clause
 *
 * A literal without a weight has one less that of its negation, or 1 where neither has
 * one. A clause is a table with a single zero. Long ones are cut: the truth value of a
 * part becomes a variable of its own, which is determined and so changes no count. */
#include "io/formats.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VARIABLES = 1 << 24, WIDEST = 12 }; /* literals of a table */

typedef struct reader {
    zb_scan *in;
    zb_model *model;
    int64_t nvars, claimed; /* -1: no header yet */
    int *lit;               /* clause k is lit[at[k]] .. lit[at[k + 1] - 1] */
    size_t lit_room, used;
    size_t *at;
    size_t at_room, clauses;
    double *weight; /* of literals 1, -1, 2, ..; negative: not given */
    int64_t show;   /* line of a projection, 0: none */
    size_t *seen;   /* per literal: 1 + the last clause that it was seen in */
} reader;

static size_t index_of(int lit) { return 2 * (size_t)(abs(lit) - 1) + (lit < 0); }

/* ---- reading --------------------------------------------------------------------- */

static zb_status read_header(reader *r)
{
    zb_status status;
    if (r->claimed >= 0)
        return zb_scan_fail(r->in, r->in->line, "a second line p cnf");
    TRY(zb_scan_word(r->in));
    if (!zb_scan_is(r->in, "cnf"))
        return zb_scan_expected(r->in, "cnf");
    TRY(zb_scan_int(r->in, 0, MOST_VARIABLES, "the number of variables", &r->nvars));
    TRY(zb_scan_int(r->in, 0, INT64_MAX, "the number of clauses", &r->claimed));
    size_t n = 2 * (size_t)r->nvars;
    r->weight = zb_alloc(n, sizeof *r->weight);
    r->seen = zb_calloc(n, sizeof *r->seen);
    TRY(r->weight != NULL && r->seen != NULL ? ZB_OK : ZB_ENOMEM);
    for (size_t i = 0; i < n; i++)
        r->weight[i] = -1;
done:
    return status;
}

static zb_status read_literal(reader *r, int *lit)
{
    int64_t value;
    zb_status status = zb_scan_int(r->in, -r->nvars, r->nvars,
                                   r->nvars > 0 ? "a literal" : "0", &value);
    *lit = status == ZB_OK ? (int)value : 0;
    return status;
}

static zb_status need_header(reader *r)
{
    return r->claimed >= 0 ? ZB_OK : zb_scan_expected(r->in, "a line p cnf first");
}

/* LITERAL WEIGHT [0] */
static zb_status read_weight(reader *r)
{
    zb_decimal d;
    double weight;
    int lit;
    zb_status status;
    TRY(need_header(r));
    TRY(read_literal(r, &lit));
    if (lit == 0)
        return zb_scan_expected(r->in, "a literal");
    TRY(zb_scan_decimal(r->in, "a non-negative weight", &d, &weight));
    if (d.negative && d.digits != 0)
        return zb_scan_expected(r->in, "a non-negative weight");
    if (d.digits != 0 && !isnormal(weight)) /* 1e-400 must not become 0 */
        return zb_scan_expected(r->in, "a weight that a double holds");
    r->weight[index_of(lit)] = weight;
    int64_t line = r->in->line;
    TRY(zb_scan_word(r->in));
    if (r->in->line != line || !zb_scan_is(r->in, "0"))
        zb_scan_unread(r->in);
done:
    return status;
}

/* After a word that begins with c. */
static zb_status read_comment(reader *r)
{
    int64_t line = r->in->line;
    zb_status status = ZB_OK;
    if (!zb_scan_is(r->in, "c"))
        return zb_scan_skip_line(r->in);
    TRY(zb_scan_word(r->in));
    bool special = r->in->line == line && zb_scan_is(r->in, "p");
    if (r->in->line != line || r->in->length == 0) {
        zb_scan_unread(r->in);
        return ZB_OK;
    }
    if (!special)
        return zb_scan_skip_line(r->in);
    TRY(zb_scan_word(r->in));
    if (zb_scan_is(r->in, "weight"))
        return read_weight(r);
    if (zb_scan_is(r->in, "show"))
        r->show = line;
    status = zb_scan_skip_line(r->in);
done:
    return status;
}

/* From the literal whose word was read and is held. */
static zb_status read_clause(reader *r)
{
    int lit;
    zb_status status;
    TRY(need_header(r));
    if ((int64_t)r->clauses == r->claimed)
        return zb_scan_expected(r->in, "the end of the file after %lld clauses",
                                (long long)r->claimed);
    ZB_GROW(r->at, r->at_room, r->clauses + 1, SIZE_MAX / 16);
    for (;;) {
        TRY(read_literal(r, &lit));
        if (lit == 0)
            break;
        ZB_GROW(r->lit, r->lit_room, r->used, SIZE_MAX / 16);
        r->lit[r->used++] = lit;
    }
    r->at[++r->clauses] = r->used;
done:
    return status;
}

static zb_status read_lines(reader *r)
{
    zb_status status;
    ZB_GROW(r->lit, r->lit_room, 0, SIZE_MAX / 16);
    ZB_GROW(r->at, r->at_room, 0, SIZE_MAX / 16);
    r->at[0] = 0;
    for (;;) {
        TRY(zb_scan_word(r->in));
        if (r->in->length == 0 || zb_scan_is(r->in, "%")) /* the way of SATLIB */
            break;
        if (r->in->word[0] == 'c')
            TRY(read_comment(r));
        else if (zb_scan_is(r->in, "p"))
            TRY(read_header(r));
        else if (zb_scan_is(r->in, "w"))
            TRY(read_weight(r));
        else {
            zb_scan_unread(r->in);
            TRY(read_clause(r));
        }
    }
    TRY(need_header(r));
    if ((int64_t)r->clauses < r->claimed)
        return zb_scan_expected(r->in, "another clause, %lld in all, after %zu",
                                (long long)r->claimed, r->clauses);
    if (r->show > 0)
        return zb_scan_fail(r->in, r->show,
                            "expected counting over all variables, found a projection "
                            "('c p show'), which is not supported");
done:
    return status;
}

/* ---- building -------------------------------------------------------------------- */

/* Drops repeated literals: length[k]. A clause that is always true is ALWAYS long. */
static const size_t ALWAYS = SIZE_MAX;

static size_t tidy(reader *r, size_t k)
{
    int *lit = r->lit + r->at[k];
    size_t n = r->at[k + 1] - r->at[k], kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (r->seen[index_of(-lit[i])] == k + 1)
            return ALWAYS;
        if (r->seen[index_of(lit[i])] == k + 1)
            continue;
        r->seen[index_of(lit[i])] = k + 1;
        lit[kept++] = lit[i];
    }
    return kept;
}

/* A table over `count` literals that is 1 where one of them is true; with a variable
   `value` (from 0 on; -1: none), 1 where value says whether one of them is. */
static zb_status add_part(reader *r, const int *lit, int count, int value)
{
    int scope[WIDEST], n = count + (value >= 0);
    double table[1 << WIDEST];
    size_t none = 0; /* where all of them are false */
    for (int i = 0; i < count; i++) {
        scope[i] = abs(lit[i]) - 1;
        none = 2 * none + (lit[i] < 0);
    }
    if (value >= 0)
        scope[count] = value;
    for (size_t x = 0; x < (size_t)1 << n; x++) {
        bool one = (value < 0 ? x : x / 2) != none;
        table[x] = value < 0 ? one : one == (x % 2 == 1);
    }
    return zb_model_add(r->model, n, scope, table);
}

/* Long clauses: "one of the literals so far" becomes variable *fresh, and so on. With
   no model, only *fresh moves. */
static zb_status add_clause(reader *r, const int *lit, size_t count, int64_t *fresh)
{
    int part[WIDEST], have = 0;
    zb_status status = ZB_OK;
    while ((size_t)have + count > WIDEST) {
        int take = WIDEST - 1 - have;
        memcpy(part + have, lit, (size_t)take * sizeof *lit);
        if (r->model != NULL)
            TRY(add_part(r, part, WIDEST - 1, (int)*fresh));
        part[0] = (int)++*fresh; /* as a literal, counted from one */
        have = 1;
        lit += take;
        count -= (size_t)take;
    }
    memcpy(part + have, lit, count * sizeof *lit);
    if (r->model != NULL)
        status = add_part(r, part, have + (int)count, -1);
done:
    return status;
}

static zb_status add_clauses(reader *r, const size_t *length, int64_t *fresh)
{
    zb_status status = ZB_OK;
    for (size_t k = 0; k < r->clauses; k++)
        if (length[k] != ALWAYS)
            TRY(add_clause(r, r->lit + r->at[k], length[k], fresh));
done:
    return status;
}

static zb_status add_weights(reader *r)
{
    zb_status status = ZB_OK;
    for (int v = 0; v < (int)r->nvars; v++) {
        double yes = r->weight[2 * v], no = r->weight[2 * v + 1];
        if (yes < 0 && no < 0)
            continue;
        if ((no < 0 && yes > 1) || (yes < 0 && no > 1))
            return zb_scan_fail(r->in, r->in->line,
                                "expected weights of both %d and %d, found one above 1",
                                v + 1, -(v + 1));
        double table[2] = { no < 0 ? 1 - yes : no, yes < 0 ? 1 - no : yes };
        TRY(zb_model_add(r->model, 1, &v, table));
    }
done:
    return status;
}

static zb_status build(reader *r)
{
    size_t *length = zb_alloc(r->clauses, sizeof *length);
    int *card = NULL;
    int64_t all = r->nvars, fresh = r->nvars;
    zb_status status;
    TRY(length != NULL ? ZB_OK : ZB_ENOMEM);
    for (size_t k = 0; k < r->clauses; k++)
        length[k] = tidy(r, k);
    TRY(add_clauses(r, length, &all));
    if (all > 2 * MOST_VARIABLES)
        TRY(zb_scan_fail(r->in, r->in->line, "the clauses are too long together"));
    card = zb_alloc((size_t)all, sizeof *card);
    TRY(card != NULL ? ZB_OK : ZB_ENOMEM);
    for (int64_t v = 0; v < all; v++)
        card[v] = 2;
    TRY(zb_model_new(&r->model, (int)all, card));
    TRY(add_clauses(r, length, &fresh));
    TRY(add_weights(r));
done:
    zb_free(length);
    zb_free(card);
    return status;
}

zb_status zb_cnf_parse(zb_model **out, zb_scan *in)
{
    reader r = { .in = in, .claimed = -1 };
    zb_status status;
    *out = NULL;
    TRY(read_lines(&r));
    TRY(build(&r));
    *out = r.model, r.model = NULL;
done:
    if (status == ZB_ENOMEM)
        zb_fail(in->err, status, "%s: not enough memory to read it", in->name);
    zb_free(r.lit);
    zb_free(r.at);
    zb_free(r.weight);
    zb_free(r.seen);
    zb_model_free(r.model);
    return status;
}
