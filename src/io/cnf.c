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
 * one or that of the negation is above 1.
 *
 * The header's numbers are claims. That of clauses is often wrong, which is worth a
 * note; arrays as long as that of variables are made once the rest of the file has
 * shown that it is to be taken seriously. */
#include "base/rounding.h"
#include "io/cnf.h"

#include <string.h>

/* Variables that are believed in, and how many more for each that is named. */
enum { BELIEVED = 1 << 20, BELIEVED_EACH = 16 };

/* ---- reading --------------------------------------------------------------------- */

static zb_status read_header(zb_cnf *r)
{
    zb_status status;
    if (r->claimed >= 0)
        return zb_scan_fail(r->in, r->in->line, "a second line p cnf");
    r->header = r->in->line;
    TRY(zb_scan_word(r->in));
    if (!zb_scan_is(r->in, "cnf"))
        return zb_scan_expected(r->in, "cnf");
    TRY(zb_scan_int(r->in, 0, ZB_CNF_VARIABLES, "the number of variables", &r->nvars));
    TRY(zb_scan_int(r->in, 0, INT64_MAX, "the number of clauses", &r->claimed));
done:
    return status;
}

static zb_status read_literal(zb_cnf *r, int *lit)
{
    int64_t value;
    zb_status status = zb_scan_int(r->in, -r->nvars, r->nvars,
                                   r->nvars > 0 ? "a literal" : "0", &value);
    *lit = status == ZB_OK ? (int)value : 0;
    return status;
}

static zb_status need_header(zb_cnf *r)
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

/* 1 - d where that is not negative, else 1: what the other literal weighs if nothing is
   said of it. From the digits where these are all there, and so within 2u of it however
   small it is; else by subtraction, where 3u of the weight count. *radius: nats. */
static double rest_of(const zb_decimal *d, double weight, bool quotient, double *radius)
{
    uint64_t one = 1;
    double scale = 1;
    *radius = 2 * ZB_UNIT;
    if (weight > 1)
        return 1;
    for (int64_t i = d->exponent; i < 0 && i >= -19; i++)
        one *= 10, scale *= 10;
    if (!quotient && d->exact && d->exponent <= 0 && d->exponent >= -19 &&
        d->digits <= one)
        return (double)(one - d->digits) / scale;
    double rest = 1 - weight;
    *radius = 4 * ZB_UNIT / rest;
    return rest;
}

static zb_status give(zb_cnf *r, zb_cnf_named what)
{
    zb_status status = ZB_OK;
    ZB_GROW(r->given, r->given_room, r->given_used, SIZE_MAX / 32);
    r->given[r->given_used++] = what;
done:
    return status;
}

/* The word as it stands, where exact weights are wanted. */
static zb_status keep_text(zb_cnf *r, zb_cnf_named *what)
{
    size_t n = r->in->length;
    if (!r->exact)
        return ZB_OK;
    if (!ZB_RESERVE(r->text, &r->text_room, r->text_used, r->text_used + n))
        return ZB_ENOMEM;
    memcpy(r->text + r->text_used, r->in->word, n);
    what->text = r->text_used;
    what->length = n;
    r->text_used += n;
    return ZB_OK;
}

/* What bounds cannot be computed with. */
static zb_status check_weight(const zb_cnf *r, const zb_cnf_named *what)
{
    if (r->exact)
        return ZB_OK;
    if (what->negative)
        return zb_scan_expected(r->in,
                                "a non-negative weight (--mc counts with others, "
                                "too)");
    if (what->lost)
        return zb_scan_expected(r->in, "a weight that a double holds");
    return ZB_OK;
}

/* LITERAL WEIGHT [0]; cachet: -1 is no weight, but 1 for both literals. */
static zb_status read_weight(zb_cnf *r, bool cachet)
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
        return zb_scan_expected(r->in, r->exact ? "a decimal or a fraction"
                                                : "a non-negative weight");
    bool quotient = memchr(r->in->word, '/', r->in->length) != NULL;
    zb_cnf_named what = { .lit = lit, .line = r->in->line, .weight = weight };
    what.rest = rest_of(&d, weight, quotient, &what.radius);
    if (quotient || d.exponent != 0 || d.digits >> 53 != 0 || !d.exact)
        r->rounded = true;
    bool both = cachet && d.negative && weight == 1;
    what.negative = d.negative && d.digits != 0 && !both;
    what.lost = d.digits != 0 && !isnormal(weight); /* 1e-400 must not become 0 */
    if (!both) {
        TRY(check_weight(r, &what));
        TRY(keep_text(r, &what));
    }
    TRY(give(r, what));
    if (both)
        TRY(give(r, (what.lit = -lit, what)));
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
static zb_status read_projection(zb_cnf *r, const char *how, bool loose)
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
        TRY(zb_scan_int(r->in, 0, r->claimed >= 0 ? r->nvars : ZB_CNF_VARIABLES,
                        "a variable", &v));
        ZB_GROW(r->shown, r->shown_room, r->shown_used, SIZE_MAX / 32);
        if (v > 0)
            r->shown[r->shown_used++] = (zb_cnf_named){ .lit = (int)v, .line = line };
    }
    if (!r->listed && (v >= 0 || !loose))
        r->show = line, r->show_how = how, r->listed = true;
done:
    return status;
}

static zb_status read_task(zb_cnf *r, int64_t line)
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
static zb_status read_special(zb_cnf *r, int64_t line)
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
static zb_status read_comment(zb_cnf *r)
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
static zb_status read_clause(zb_cnf *r)
{
    int lit;
    zb_status status;
    TRY(need_header(r));
    ZB_GROW(r->at, r->at_room, r->clauses + 1, SIZE_MAX / 16);
    for (;;) {
        TRY(zb_scan_word(r->in));
        if (r->in->length == 0)
            return zb_scan_expected(r->in, "the 0 that ends a clause");
        r->in->held = true;
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
static zb_status read_lines(zb_cnf *r, bool *uai)
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

static zb_status check_claims(const zb_cnf *r)
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
static zb_status check_projection(zb_cnf *r)
{
    size_t distinct = 0;
    bool *marked = NULL;
    zb_status status = ZB_OK;
    if (r->show == 0)
        return ZB_OK;
    marked = zb_calloc((size_t)r->nvars + 1, sizeof *marked);
    TRY(marked != NULL ? ZB_OK : ZB_ENOMEM);
    for (size_t i = 0; i < r->shown_used; i++) {
        const zb_cnf_named *n = &r->shown[i];
        if (n->lit > r->nvars) /* named before the header */
            TRY(zb_scan_fail(r->in, n->line,
                             "expected a variable from 1 to %lld, found '%d'",
                             (long long)r->nvars, n->lit));
        distinct += !marked[n->lit];
        marked[n->lit] = true;
    }
    if ((int64_t)distinct < r->nvars && !r->exact)
        status = zb_scan_fail(r->in, r->show,
                              "expected counting over all %lld variables, found a "
                              "projection onto %zu ('%s'), which only --mc counts",
                              (long long)r->nvars, distinct, r->show_how);
    if (r->exact && r->listed)
        r->is_shown = marked, marked = NULL;
done:
    zb_free(marked);
    return status;
}

/* ---- notes ----------------------------------------------------------------------- */

static void note_clauses(const zb_cnf *r)
{
    if ((int64_t)r->clauses != r->claimed)
        zb_scan_note(r->in, r->header, "the header says %lld clauses, the file has %zu",
                     (long long)r->claimed, r->clauses);
}

static void note_large(const zb_cnf *r)
{
    size_t count = 0;
    const zb_cnf_named *first = NULL;
    for (size_t i = 0; i < r->given_used; i++) {
        const zb_cnf_named *n = &r->given[i];
        if (n->weight > 1 && r->weight[zb_cnf_index(-n->lit)] < 0 && count++ == 0)
            first = n;
    }
    if (count > 0)
        zb_scan_note(r->in, first->line,
                     "a weight above 1, and none for the negation, which then weighs 1 "
                     "(one of %zu)",
                     count);
}

/* All but the model. *uai, unless it is NULL: it is another kind of file. */
static zb_status read_any(zb_cnf *r, bool *uai)
{
    zb_status status;
    TRY(read_lines(r, uai));
    if (uai != NULL && *uai)
        goto done;
    TRY(check_claims(r));
    TRY(check_projection(r));
done:
    return status;
}

zb_status zb_cnf_read(zb_cnf *r)
{
    zb_status status = read_any(r, NULL);
    if (status == ZB_OK)
        note_clauses(r);
    return status;
}

void zb_cnf_clear(zb_cnf *r)
{
    void *owned[] = { r->lit,    r->at,    r->given, r->shown, r->is_shown,
                      r->weight, r->giver, r->seen,  r->text };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        zb_free(owned[i]);
    zb_model_free(r->model);
}

static zb_status parse(zb_model **out, zb_scan *in, bool *uai)
{
    zb_cnf r = { .in = in, .claimed = -1 };
    zb_status status;
    *out = NULL;
    TRY(read_any(&r, uai));
    if (uai != NULL && *uai)
        goto done;
    TRY(zb_cnf_build(&r));
    note_clauses(&r);
    note_large(&r);
    *out = r.model, r.model = NULL;
done:
    if (status == ZB_ENOMEM)
        zb_fail(in->err, status, "%s: not enough memory to read it", in->name);
    zb_cnf_clear(&r);
    return status;
}

zb_status zb_cnf_parse(zb_model **out, zb_scan *in) { return parse(out, in, NULL); }

zb_status zb_cnf_try(zb_model **out, zb_scan *in, bool *uai)
{
    *uai = false;
    return parse(out, in, uai);
}
