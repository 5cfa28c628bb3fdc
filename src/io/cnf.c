/* DIMACS CNF: model counting. Z is the number of satisfying assignments, or the sum of
 * their weights where the file gives weights to literals.
 *
 *     p cnf VARIABLES CLAUSES
 *     1 -3 0                       a clause, over any number of lines
 *     c p weight -2 0.25 0         a literal's weight, a decimal or a fraction 1/4
 *     w -2 0.25                    the same, Cachet's way; w 2 -1: 2 and -2 weigh 1
 *     c p show 1 2 0               projection, on one or more lines; also c ind 1 2 0
 *     c t mc                       the task: mc, wmc; with a projection pmc, pwmc
 *     c ...                        a comment, anywhere but inside a clause
 *     %                            the end, the way of SATLIB
 *
 * A literal without a weight has one less that of its negation, or 1 where neither has
 * one or that of the negation is above 1. A clause is a table with a single zero. Long
 * ones are cut: the truth value of a part becomes a variable of its own, which is
 * determined and so changes no count.
 *
 * The header's numbers are claims. That of clauses is often wrong, which is worth a
 * note; arrays as long as that of variables are made once the rest of the file has
 * shown that it is to be taken seriously. */
#include "io/formats.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VARIABLES = 1 << 24, WIDEST = 12 }; /* literals of a table */
/* Variables that are believed in, and how many more for each that is named. */
enum { BELIEVED = 1 << 20, BELIEVED_EACH = 16 };

typedef struct named { /* a literal or variable outside of clauses */
    int lit;
    int64_t line;
    double weight;
} named;

typedef struct reader {
    zb_scan *in;
    zb_model *model;
    int64_t nvars, claimed, header; /* claimed -1: no header yet; header: its line */
    int *lit;                       /* clause k is lit[at[k]] .. lit[at[k + 1] - 1] */
    size_t lit_room, used;
    size_t *at;
    size_t at_room, clauses;
    named *given; /* weights, in the order of the file: the last one counts */
    size_t given_room, given_used;
    named *shown; /* variables that projections name */
    size_t shown_room, shown_used;
    int64_t show;         /* line of the first projection, 0: none */
    const char *show_how; /* how it is said there */
    bool listed;          /* it is a list, not only a task */
    double *weight;       /* of literals 1, -1, 2, ..; negative: not given */
    size_t *seen;         /* per literal: 1 + the last clause that it was seen in */
} reader;

static size_t index_of(int lit) { return 2 * (size_t)(abs(lit) - 1) + (lit < 0); }

/* ---- reading --------------------------------------------------------------------- */

static zb_status read_header(reader *r)
{
    zb_status status;
    if (r->claimed >= 0)
        return zb_scan_fail(r->in, r->in->line, "a second line p cnf");
    r->header = r->in->line;
    TRY(zb_scan_word(r->in));
    if (!zb_scan_is(r->in, "cnf"))
        return zb_scan_expected(r->in, "cnf");
    TRY(zb_scan_int(r->in, 0, MOST_VARIABLES, "the number of variables", &r->nvars));
    TRY(zb_scan_int(r->in, 0, INT64_MAX, "the number of clauses", &r->claimed));
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

/* One decimal, or two with a slash between them. */
static bool parse_weight(const zb_scan *in, zb_decimal *d, double *out)
{
    const char *end = in->word + in->length;
    const char *slash = memchr(in->word, '/', in->length);
    zb_decimal below;
    if (in->length == 0 || !zb_decimal_parse(d, in->word, slash ? slash : end))
        return false;
    *out = zb_decimal_value(d, in->word, in->c);
    if (slash == NULL)
        return true;
    if (!zb_decimal_parse(&below, slash + 1, end) || below.negative ||
        below.digits == 0)
        return false;
    *out /= zb_decimal_value(&below, slash + 1, in->c);
    return true;
}

static zb_status give(reader *r, int lit, double weight)
{
    zb_status status = ZB_OK;
    ZB_GROW(r->given, r->given_room, r->given_used, SIZE_MAX / 32);
    r->given[r->given_used++] = (named){ lit, r->in->line, weight };
done:
    return status;
}

/* LITERAL WEIGHT [0]; cachet: -1 is no weight, but 1 for both literals. */
static zb_status read_weight(reader *r, bool cachet)
{
    zb_decimal d;
    double weight;
    int lit;
    zb_status status;
    TRY(need_header(r));
    TRY(read_literal(r, &lit));
    if (lit == 0)
        return zb_scan_expected(r->in, "a literal");
    TRY(zb_scan_word(r->in));
    if (!parse_weight(r->in, &d, &weight))
        return zb_scan_expected(r->in, "a non-negative weight");
    bool both = cachet && d.negative && weight == 1;
    if (d.negative && d.digits != 0 && !both)
        return zb_scan_expected(r->in, "a non-negative weight");
    if (d.digits != 0 && !isnormal(weight)) /* 1e-400 must not become 0 */
        return zb_scan_expected(r->in, "a weight that a double holds");
    TRY(give(r, lit, weight));
    if (both)
        TRY(give(r, -lit, weight));
    int64_t line = r->in->line;
    TRY(zb_scan_word(r->in));
    if (r->in->line != line || !zb_scan_is(r->in, "0"))
        zb_scan_unread(r->in);
done:
    return status;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Variables up to a 0 or the line's end, even before the header. loose: any other
   comment may begin the same way, and only a number makes it a projection. */
static zb_status read_projection(reader *r, const char *how, bool loose)
{
    int64_t line = r->in->line, v = -1;
    zb_status status;
    for (bool first = true; v != 0; first = false) {
        TRY(zb_scan_word(r->in));
        if (r->in->length > 0 && r->in->line == line && first && loose &&
            !is_digit(r->in->word[0]))
            return zb_scan_skip_line(r->in);
        zb_scan_unread(r->in);
        if (r->in->length == 0 || r->in->line != line)
            break;
        TRY(zb_scan_int(r->in, 0, r->claimed >= 0 ? r->nvars : MOST_VARIABLES,
                        "a variable", &v));
        ZB_GROW(r->shown, r->shown_room, r->shown_used, SIZE_MAX / 32);
        if (v > 0)
            r->shown[r->shown_used++] = (named){ .lit = (int)v, .line = line };
    }
    if (!r->listed && (v >= 0 || !loose))
        r->show = line, r->show_how = how, r->listed = true;
done:
    return status;
}

static zb_status read_task(reader *r, int64_t line)
{
    zb_status status;
    TRY(zb_scan_word(r->in));
    zb_scan_unread(r->in);
    if (r->in->length == 0 || r->in->line != line)
        return ZB_OK;
    bool weighted = zb_scan_is(r->in, "pwmc");
    if ((weighted || zb_scan_is(r->in, "pmc")) && r->show == 0)
        r->show = line, r->show_how = weighted ? "c t pwmc" : "c t pmc";
    TRY(zb_scan_word(r->in));
    TRY(zb_scan_skip_line(r->in));
done:
    return status;
}

/* After the words c p. */
static zb_status read_special(reader *r, int64_t line)
{
    zb_status status;
    TRY(zb_scan_word(r->in));
    if (r->in->length == 0 || r->in->line != line) {
        zb_scan_unread(r->in);
        return ZB_OK;
    }
    if (zb_scan_is(r->in, "weight"))
        return read_weight(r, false);
    if (zb_scan_is(r->in, "show"))
        return read_projection(r, "c p show", false);
    status = zb_scan_skip_line(r->in);
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
    if (r->in->line != line || r->in->length == 0) {
        zb_scan_unread(r->in);
        return ZB_OK;
    }
    if (zb_scan_is(r->in, "p"))
        return read_special(r, line);
    if (zb_scan_is(r->in, "ind"))
        return read_projection(r, "c ind", true);
    if (zb_scan_is(r->in, "t"))
        return read_task(r, line);
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

/* *uai may be NULL: then MARKOV is a mistake like any other word. */
static zb_status read_lines(reader *r, bool *uai)
{
    zb_status status;
    bool bayes;
    ZB_GROW(r->lit, r->lit_room, 0, SIZE_MAX / 16);
    ZB_GROW(r->at, r->at_room, 0, SIZE_MAX / 16);
    r->at[0] = 0;
    for (;;) {
        TRY(zb_scan_word(r->in));
        if (r->in->length == 0 || zb_scan_is(r->in, "%"))
            break;
        if (r->in->word[0] == 'c')
            TRY(read_comment(r));
        else if (zb_scan_is(r->in, "p"))
            TRY(read_header(r));
        else if (zb_scan_is(r->in, "w"))
            TRY(read_weight(r, true));
        else if (uai != NULL && r->claimed < 0) {
            *uai = zb_uai_begins(r->in, &bayes);
            if (!*uai)
                return zb_scan_expected(r->in, "p cnf, MARKOV or BAYES");
            zb_scan_unread(r->in);
            return ZB_OK;
        } else {
            zb_scan_unread(r->in);
            TRY(read_clause(r));
        }
    }
    TRY(need_header(r));
done:
    return status;
}

/* ---- what the header claims ------------------------------------------------------ */

static zb_status check_claims(const reader *r)
{
    size_t literals = r->used + r->given_used + r->shown_used;
    if (r->nvars > BELIEVED && (uint64_t)r->nvars / BELIEVED_EACH > literals)
        return zb_scan_fail(r->in, r->header,
                            "expected at most %d variables where literals are so few, "
                            "found %lld, and %zu literals",
                            BELIEVED, (long long)r->nvars, literals);
    return ZB_OK;
}

/* A projection onto all variables is none. */
static zb_status check_projection(const reader *r)
{
    size_t distinct = 0;
    bool *marked = NULL;
    zb_status status = ZB_OK;
    if (r->show == 0)
        return ZB_OK;
    marked = zb_calloc((size_t)r->nvars + 1, sizeof *marked);
    TRY(marked != NULL ? ZB_OK : ZB_ENOMEM);
    for (size_t i = 0; i < r->shown_used; i++) {
        const named *n = &r->shown[i];
        if (n->lit > r->nvars) /* named before the header */
            TRY(zb_scan_fail(r->in, n->line,
                             "expected a variable from 1 to %lld, found '%d'",
                             (long long)r->nvars, n->lit));
        distinct += !marked[n->lit];
        marked[n->lit] = true;
    }
    if ((int64_t)distinct < r->nvars)
        status = zb_scan_fail(r->in, r->show,
                              "expected counting over all %lld variables, found a "
                              "projection onto %zu ('%s'), which is not supported",
                              (long long)r->nvars, distinct, r->show_how);
done:
    zb_free(marked);
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

/* The weights of both literals of every variable, negative where not given. */
static zb_status gather_weights(reader *r)
{
    size_t n = 2 * (size_t)r->nvars;
    r->weight = zb_alloc(n, sizeof *r->weight);
    if (r->weight == NULL)
        return ZB_ENOMEM;
    for (size_t i = 0; i < n; i++)
        r->weight[i] = -1;
    for (size_t i = 0; i < r->given_used; i++)
        r->weight[index_of(r->given[i].lit)] = r->given[i].weight;
    return ZB_OK;
}

/* What a literal weighs when its negation weighs this, negative for nothing. */
static double complement(double weight)
{
    return weight < 0 || weight > 1 ? 1 : 1 - weight;
}

static void note_clauses(const reader *r)
{
    if ((int64_t)r->clauses != r->claimed)
        zb_scan_note(r->in, r->header, "the header says %lld clauses, the file has %zu",
                     (long long)r->claimed, r->clauses);
}

static void note_large(const reader *r)
{
    size_t count = 0;
    const named *first = NULL;
    for (size_t i = 0; i < r->given_used; i++) {
        const named *n = &r->given[i];
        if (n->weight > 1 && r->weight[index_of(-n->lit)] < 0 && count++ == 0)
            first = n;
    }
    if (count > 0)
        zb_scan_note(r->in, first->line,
                     "a weight above 1, and none for the negation, which then weighs 1 "
                     "(one of %zu)",
                     count);
}

static zb_status add_weights(reader *r)
{
    zb_status status = ZB_OK;
    for (int v = 0; v < (int)r->nvars; v++) {
        double yes = r->weight[2 * v], no = r->weight[2 * v + 1];
        if (yes < 0 && no < 0)
            continue;
        double table[2] = { no < 0 ? complement(yes) : no,
                            yes < 0 ? complement(no) : yes };
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
    r->seen = zb_calloc(2 * (size_t)r->nvars, sizeof *r->seen);
    TRY(length != NULL && r->seen != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(gather_weights(r));
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

static zb_status parse(zb_model **out, zb_scan *in, bool *uai)
{
    reader r = { .in = in, .claimed = -1 };
    zb_status status;
    *out = NULL;
    TRY(read_lines(&r, uai));
    if (uai != NULL && *uai)
        goto done;
    TRY(check_claims(&r));
    TRY(check_projection(&r));
    TRY(build(&r));
    note_clauses(&r);
    note_large(&r);
    *out = r.model, r.model = NULL;
done:
    if (status == ZB_ENOMEM)
        zb_fail(in->err, status, "%s: not enough memory to read it", in->name);
    zb_free(r.lit);
    zb_free(r.at);
    zb_free(r.given);
    zb_free(r.shown);
    zb_free(r.weight);
    zb_free(r.seen);
    zb_model_free(r.model);
    return status;
}

zb_status zb_cnf_parse(zb_model **out, zb_scan *in) { return parse(out, in, NULL); }

zb_status zb_cnf_try(zb_model **out, zb_scan *in, bool *uai)
{
    *uai = false;
    return parse(out, in, uai);
}
