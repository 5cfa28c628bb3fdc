/* Spins: lists of couplings, one a line, in the three ways that are in use.
 *
 *     spins     n m                 a header, which may be missing: spins, couplings
 *               i j J               weight exp(J s_i s_j), s = -1 or +1
 *               i h                 weight exp(h s_i)
 *
 *     maxcut    n m                 rudy's header, which may be missing
 *               i j w               weight exp(w) where s_i and s_j differ
 *
 *     coo       # vartype=SPIN      or BINARY: x = 0 or 1; SPIN where it is missing
 *               p qubo 0 n d m      qbsolv's header, BINARY
 *               i j b               weight exp(-b s_i s_j): b adds to an energy
 *               i i b               weight exp(-b s_i)
 *
 * Lines that begin with # or c are comments. The first line of a list is a header when
 * it has two whole numbers, always: a field whose size is a whole number is told from
 * one by a point (1.0), so that a file which was cut off is never taken for another
 * list. Spins are counted from 0 where a 0 occurs, else from 1, or as the caller says;
 * those that a header counts and no line names are free. In coo only those exist that
 * are named. Several lines for the same spins add up. */
#include "io/spins.h"

#include <string.h>
#include <strings.h>

static const double MOST = 1e300; /* of a coupling: sums stay finite */

static const char *const HOW_COO =
    "expected two different spins, found '%d' twice; fields as 'i i h' are read from "
    "coo files, and add to the energy there (--model-format coo)";

/* A line of up to three words. */
typedef struct row {
    int64_t line, first, second; /* second: -1 unless it is a whole number */
    double value[2];             /* of the second and the third word */
    int words;
} row;

/* Whether there is another word on this line, which then is held. */
static zb_status more(zb_scan *in, int64_t line, bool *out)
{
    zb_status status = zb_scan_word(in);
    zb_scan_unread(in);
    *out = status == ZB_OK && in->length > 0 && in->line == line;
    return status;
}

static bool is_whole(const zb_scan *in)
{
    size_t digits = 0;
    while (digits < in->length && in->word[digits] >= '0' && in->word[digits] <= '9')
        digits++;
    return in->length > 0 && digits == in->length;
}

static zb_status read_number(zb_scan *in, double *out)
{
    zb_decimal d;
    zb_status status;
    TRY(zb_scan_decimal(in, "a number", &d, out));
    if (!(*out <= MOST))
        return zb_scan_expected(in, "a number of at most %g in size", MOST);
    if (d.negative)
        *out = -*out;
done:
    return status;
}

/* The line whose first word is held. */
static zb_status read_row(zb_spins *r, row *out)
{
    bool another;
    zb_status status;

    *out = (row){ .second = -1, .words = 1 };
    TRY(zb_scan_int(r->in, 0, ZB_SPINS_MOST, "a spin", &out->first));
    out->line = r->in->line;
    for (int k = 0; k < 2; k++) {
        TRY(more(r->in, out->line, &another));
        if (!another)
            return ZB_OK;
        bool whole = k == 0 && is_whole(r->in);
        TRY(read_number(r->in, &out->value[k]));
        out->words++;
        if (whole && out->value[k] <= (double)INT32_MAX)
            out->second = (int64_t)out->value[k];
    }
    TRY(more(r->in, out->line, &another));
    if (another)
        return zb_scan_expected(r->in, "the end of the line");
done:
    return status;
}

static zb_status check_row(const zb_spins *r, const row *a)
{
    bool fields = r->format == ZB_FORMAT_SPINS;
    if (a->words < (fields ? 2 : 3))
        return zb_scan_fail(r->in, a->line, "expected %s, found %d number%s",
                            fields ? "'i j J' or 'i h'" : "two spins and a number",
                            a->words, a->words > 1 ? "s" : "");
    if (a->words == 3 && (a->second < 0 || a->second > ZB_SPINS_MOST))
        return zb_scan_fail(r->in, a->line,
                            "expected a spin from 0 to %d second, found '%g'",
                            ZB_SPINS_MOST, a->value[0]);
    if (a->words == 3 && a->first == a->second && r->format != ZB_FORMAT_COO)
        return zb_scan_fail(r->in, a->line, HOW_COO, (int)a->first);
    return ZB_OK;
}

static zb_status take_row(zb_spins *r, const row *a)
{
    zb_status status;
    bool pair = a->words == 3 && a->first != a->second;
    TRY(check_row(r, a));
    ZB_GROW(r->entry, r->room, r->used, SIZE_MAX / 64);
    r->entry[r->used++] = (zb_spins_entry){ .i = (int)a->first,
                                            .j = pair ? (int)a->second : -1,
                                            .value = a->value[a->words - 2],
                                            .line = a->line };
done:
    return status;
}

/* A first line of whole numbers alone. */
static bool take_header(zb_spins *r, const row *a)
{
    bool header = r->used == 0 && r->header == 0 && r->format != ZB_FORMAT_COO &&
                  (a->words == 1 || (a->words == 2 && a->second >= 0));
    if (!header)
        return false;
    r->header = a->line;
    r->n = a->first;
    r->m = a->words == 2 ? a->second : -1;
    return true;
}

/* After "p": qbsolv's "qubo TOPOLOGY LARGEST DIAGONAL COUPLINGS". */
static zb_status read_qubo(zb_spins *r)
{
    int64_t number;
    zb_status status;
    r->header = r->in->line;
    TRY(zb_scan_word(r->in));
    if (!zb_scan_is(r->in, "qubo") || r->used > 0)
        return zb_scan_expected(r->in, "qubo, before all numbers");
    TRY(zb_scan_word(r->in)); /* a topology, which says nothing here */
    for (int k = 0; k < 3; k++)
        TRY(zb_scan_int(r->in, 0, INT64_MAX, "a number of variables or terms",
                        &number));
    r->format = ZB_FORMAT_COO;
    r->binary = true;
done:
    return status;
}

/* After a word that begins with #: "vartype=SPIN" may follow, or be a part of it. */
static zb_status read_hash(zb_spins *r)
{
    static const char key[] = "vartype=";
    size_t n = sizeof key - 1;
    int64_t line = r->in->line;
    bool another = true;
    zb_status status = ZB_OK;

    while (another) {
        const char *word = r->in->word + (r->in->word[0] == '#');
        size_t length = r->in->length - (r->in->word[0] == '#');
        if (length > n && strncasecmp(word, key, n) == 0) {
            r->binary = length - n == 6 && strncasecmp(word + n, "BINARY", 6) == 0;
            if (!r->binary &&
                (length - n != 4 || strncasecmp(word + n, "SPIN", 4) != 0))
                return zb_scan_expected(r->in, "vartype=SPIN or vartype=BINARY");
            if (r->format == ZB_FORMAT_DETECT)
                r->format = ZB_FORMAT_COO;
        }
        TRY(more(r->in, line, &another));
        if (another)
            TRY(zb_scan_word(r->in));
    }
done:
    return status;
}

static zb_status read_lines(zb_spins *r)
{
    row a;
    zb_status status;

    for (;;) {
        TRY(zb_scan_word(r->in));
        if (r->in->length == 0)
            return ZB_OK;
        if (r->in->word[0] == '#')
            TRY(read_hash(r));
        else if (r->in->word[0] == 'c')
            TRY(zb_scan_skip_line(r->in));
        else if (zb_scan_is(r->in, "p"))
            TRY(read_qubo(r));
        else {
            if (r->format == ZB_FORMAT_DETECT)
                r->format = ZB_FORMAT_SPINS;
            zb_scan_unread(r->in);
            TRY(read_row(r, &a));
            if (!take_header(r, &a))
                TRY(take_row(r, &a));
        }
    }
done:
    return status;
}

/* A header counts the couplings, or all lines. */
static zb_status check_header(const zb_spins *r)
{
    size_t pairs = 0;
    if (r->m < 0)
        return ZB_OK;
    for (size_t k = 0; k < r->used; k++)
        pairs += r->entry[k].j >= 0;
    if ((uint64_t)r->m == pairs || (uint64_t)r->m == r->used)
        return ZB_OK;
    return zb_scan_fail(r->in, r->header,
                        "expected as many couplings as the header says, %lld, found "
                        "%zu, and %zu fields; where this line is a field, write it "
                        "with a point (%lld %lld.0)",
                        (long long)r->m, pairs, r->used - pairs, (long long)r->n,
                        (long long)r->m);
}

zb_status zb_spins_parse(zb_model **out, zb_scan *in, zb_format format, zb_base base)
{
    zb_spins r = { .in = in, .format = format, .base = base, .n = -1, .m = -1 };
    zb_status status;

    *out = NULL;
    TRY(read_lines(&r));
    if (r.header == 0 && r.used == 0)
        TRY(zb_scan_expected(in, "a list of couplings"));
    TRY(check_header(&r));
    TRY(zb_spins_build(&r));
    *out = r.model, r.model = NULL;
done:
    if (status == ZB_ENOMEM)
        zb_fail(in->err, status, "%s: not enough memory to read it", in->name);
    zb_free(r.entry);
    zb_free(r.label);
    zb_model_free(r.model);
    return status;
}
