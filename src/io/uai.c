/* Models: .uai and .LG files.
 *
 * A count in the file is a claim: arrays grow as its items are really read, so a short
 * file takes little memory whatever it claims. A table whose claimed size cannot be
 * held is refused where its scope is read, before any of it.
 *
 * A weight that no double holds well, such as 1e-400 or 1e400, must become neither 0
 * nor infinite, since either would change Z beyond any bound: the tables that have one
 * are kept as logarithms. */
#include "base/explog.h"
#include "base/rounding.h"
#include "io/formats.h"
#include "model/model.h"

#include <float.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

enum { MOST_FACTORS = 1 << 30 };

static const double MOST_LOG = 1e300; /* sums of log-values stay finite */

typedef struct reader {
    zb_scan *in;
    bool log;
    zb_model *model;
    int nfactors;
    size_t *at; /* scope f is var[at[f]] .. var[at[f + 1] - 1] */
    size_t at_room;
    int *var;
    size_t var_room;
    int *mark;      /* per variable: 1 + the last scope that it was seen in */
    double entries; /* of all tables announced so far */
} reader;

static zb_status read_variables(reader *r)
{
    int64_t nvars, k;
    size_t room = 0;
    int *card = NULL;
    zb_status status;

    TRY(zb_scan_int(r->in, 0, INT_MAX - 1, "the number of variables", &nvars));
    for (int64_t v = 0; v < nvars; v++) {
        TRY(zb_scan_int(r->in, 1, INT_MAX, "a cardinality", &k));
        ZB_GROW(card, room, (size_t)v, (size_t)nvars);
        card[v] = (int)k;
    }
    TRY(zb_model_new(&r->model, (int)nvars, card));
    r->mark = zb_calloc((size_t)nvars, sizeof *r->mark);
    if (r->mark == NULL)
        TRY(ZB_ENOMEM);
done:
    zb_free(card);
    return status;
}

/* Memory for all tables is looked at where each scope ends. */
static zb_status check_size(reader *r, int f, int64_t line)
{
    size_t from = r->at[f], size;
    int arity = (int)(r->at[f + 1] - from);
    double memory = (double)zb_mem_physical(), entries = 1;

    for (int i = 0; i < arity; i++)
        entries *= r->model->card[r->var[from + (size_t)i]];
    if (!zb_model_table_size(r->model, arity, r->var + from, &size))
        return zb_scan_fail(r->in, line,
                            "expected a table that fits into memory, found a scope "
                            "with %.4g entries",
                            entries);
    r->entries += entries;
    if (memory > 0 && r->entries * sizeof(double) > memory)
        return zb_scan_fail(r->in, line,
                            "expected tables that fit into memory, found %.4g bytes "
                            "up to here, of which %.4g for this scope",
                            r->entries * sizeof(double), entries * sizeof(double));
    return ZB_OK;
}

static zb_status read_scope(reader *r, int f)
{
    int nvars = r->model->nvars;
    size_t used = r->at[f];
    int64_t arity, v, line;
    zb_status status;

    TRY(zb_scan_int(r->in, 0, nvars, "the size of a scope", &arity));
    line = r->in->line;
    for (int64_t i = 0; i < arity; i++) {
        TRY(zb_scan_int(r->in, 0, nvars - 1, "a variable", &v));
        if (r->mark[v] == f + 1) {
            status = zb_scan_expected(r->in, "each variable once in a scope");
            goto done;
        }
        r->mark[v] = f + 1;
        ZB_GROW(r->var, r->var_room, used, SIZE_MAX);
        r->var[used++] = (int)v;
    }
    r->at[f + 1] = used;
    TRY(check_size(r, f, line));
done:
    return status;
}

static zb_status read_scopes(reader *r)
{
    int64_t nfactors;
    zb_status status;

    TRY(zb_scan_int(r->in, 0, MOST_FACTORS, "the number of factors", &nfactors));
    r->nfactors = (int)nfactors;
    ZB_GROW(r->at, r->at_room, 0, (size_t)nfactors + 1);
    ZB_GROW(r->var, r->var_room, 0, SIZE_MAX);
    r->at[0] = 0;
    for (int f = 0; f < r->nfactors; f++) {
        ZB_GROW(r->at, r->at_room, (size_t)f + 1, (size_t)nfactors + 1);
        TRY(read_scope(r, f));
    }
done:
    return status;
}

/* What reading did to a table's numbers. */
typedef struct rounding {
    bool rounded; /* not all of them are whole numbers below 2^53 */
    bool tiny;    /* some are subnormal */
} rounding;

static inline void note_rounding(rounding *r, const zb_decimal *d)
{
    r->rounded = r->rounded || d->exponent != 0 || d->digits >> 53 != 0 || !d->exact;
}

/* How far that moves ln of an entry. The nearest double to a decimal is within u of it;
   a subnormal one that `holds`, within 1e-12 as far as two logarithms of at most 745,
   good to two units in the last place, can tell. Logarithms: u of their size; those
   that zb_decimal_log or zb_log made, within 4u. */
static double table_radius(const rounding *r, size_t n, const double *value, bool logs,
                           bool given)
{
    double most = 0;
    if (!r->rounded && logs == given)
        return 0;
    if (!logs)
        return ZB_MARGIN * (r->tiny ? 1e-12 + 8 * 745 * ZB_UNIT : ZB_UNIT);
    for (size_t i = 0; i < n; i++)
        most = value[i] == -INFINITY ? most : fmax(most, fabs(value[i]));
    double rest = r->tiny ? 1e-12 + 8 * 745 * ZB_UNIT : 0;
    return ZB_MARGIN * ((given ? 1 : 4) * ZB_UNIT * most + rest);
}

/* Whether x, the nearest double, stands for the decimal: not when out of range, nor
   when so far among the subnormals that it is off by more than a trifle. */
static inline bool holds(const zb_decimal *d, double x)
{
    if ((x >= DBL_MIN && x <= DBL_MAX) || d->digits == 0)
        return true;
    return x > 0 && x < DBL_MIN && fabs(zb_log(x) - zb_decimal_log(d, x)) <= 1e-12;
}

/* Entries from .. to - 1 of a table of weights; *logs once they are logarithms. */
static zb_status read_weights(zb_scan *in, size_t from, size_t to, double *value,
                              bool *logs, rounding *seen)
{
    zb_decimal d;
    double x;
    zb_status status = ZB_OK;

    for (size_t i = from; i < to; i++) {
        TRY(zb_scan_decimal(in, "a non-negative number", &d, &x));
        if (d.negative && d.digits != 0)
            return zb_scan_expected(in, "a non-negative number");
        if (!*logs && !holds(&d, x)) {
            for (size_t j = 0; j < i; j++)
                value[j] = zb_log(value[j]);
            *logs = true;
        }
        value[i] = *logs ? zb_decimal_log(&d, x) : x;
        note_rounding(seen, &d);
        seen->tiny = seen->tiny || (x < DBL_MIN && d.digits != 0 && !*logs);
    }
done:
    return status;
}

static bool is_minus_infinity(const zb_scan *in)
{
    return (in->length == 4 && strncasecmp(in->word, "-inf", 4) == 0) ||
           (in->length == 9 && strncasecmp(in->word, "-infinity", 9) == 0);
}

static zb_status read_logs(zb_scan *in, size_t from, size_t to, double *value,
                           rounding *seen)
{
    zb_decimal d;
    double x;
    zb_status status = ZB_OK;

    for (size_t i = from; i < to; i++) {
        TRY(zb_scan_word(in));
        if (is_minus_infinity(in)) {
            value[i] = -INFINITY;
            continue;
        }
        zb_scan_unread(in);
        TRY(zb_scan_decimal(in, "the logarithm of a weight, or -inf", &d, &x));
        if (!(x <= MOST_LOG))
            return zb_scan_expected(in, "a logarithm of at most %g in size", MOST_LOG);
        value[i] = d.negative ? -x : x;
        note_rounding(seen, &d);
    }
done:
    return status;
}

static zb_status read_table(reader *r, int f)
{
    size_t from = r->at[f], size, room = 0;
    int arity = (int)(r->at[f + 1] - from);
    bool logs = r->log;
    int64_t n;
    double *value = NULL, *table;
    rounding seen = { false, false };
    zb_status status;

    zb_model_table_size(r->model, arity, r->var + from, &size);
    TRY(zb_scan_int(r->in, INT64_MIN, INT64_MAX, "the size of a table", &n));
    if (n < 0 || (uint64_t)n != size)
        TRY(zb_scan_expected(r->in, "%zu, the product of the cardinalities", size));
    for (size_t done_to = 0; done_to < size; done_to = room) {
        ZB_GROW(value, room, done_to, size);
        TRY(r->log ? read_logs(r->in, done_to, room, value, &seen)
                   : read_weights(r->in, done_to, room, value, &logs, &seen));
    }
    r->model->radius += table_radius(&seen, size, value, logs, r->log);
    table = value;
    value = NULL; /* taken, even if that fails */
    TRY(zb_model_take(r->model, arity, r->var + from, table, logs));
done:
    zb_free(value);
    return status;
}

static bool is_name(const zb_scan *in, const char *name)
{
    return in->length == strlen(name) && strncasecmp(in->word, name, in->length) == 0;
}

bool zb_uai_begins(const zb_scan *in, bool *bayes)
{
    *bayes = is_name(in, "BAYES");
    return *bayes || is_name(in, "MARKOV");
}

/* After any comment lines, which begin with the word c. */
static zb_status read_header(zb_scan *in, bool *bayes)
{
    zb_status status;

    TRY(zb_scan_word(in));
    while (zb_scan_is(in, "c")) {
        TRY(zb_scan_skip_line(in));
        TRY(zb_scan_word(in));
    }
    if (!zb_uai_begins(in, bayes))
        return zb_scan_expected(in, "MARKOV or BAYES");
done:
    return status;
}

zb_status zb_uai_parse(zb_model **out, zb_scan *in, bool log)
{
    reader r = { .in = in, .log = log };
    zb_status status;
    bool bayes;

    *out = NULL;
    TRY(read_header(in, &bayes));
    TRY(read_variables(&r));
    TRY(read_scopes(&r));
    TRY(zb_model_reserve(r.model, r.nfactors)); /* the file has shown so many scopes */
    for (int f = 0; f < r.nfactors; f++)
        TRY(read_table(&r, f));
    TRY(zb_scan_end(in));
    r.model->bayes = bayes;
    *out = r.model, r.model = NULL;
done:
    if (status == ZB_ENOMEM)
        zb_fail(in->err, status, "%s: not enough memory to read it", in->name);
    zb_free(r.at);
    zb_free(r.var);
    zb_free(r.mark);
    zb_model_free(r.model);
    return status;
}

/* ---- writing --------------------------------------------------------------------- */

/* Whether e^x can be written as a weight. */
static bool has_weight(double x) { return x == -INFINITY || isnormal(zb_exp(x)); }

static zb_status check_weights(const zb_model *model, const char *path, zb_error *err)
{
    if (!has_weight(model->log_scale))
        return zb_fail(err, ZB_EINVAL,
                       "%s: no double holds the constant e^%g of this model; write a "
                       "file that ends in .LG",
                       path, model->log_scale);
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        for (size_t i = 0; a->log && i < a->size; i++)
            if (!has_weight(a->value[i]))
                return zb_fail(err, ZB_EINVAL,
                               "%s: no double holds the weight e^%g in factor %d; "
                               "write a file that ends in .LG",
                               path, a->value[i], f);
    }
    return ZB_OK;
}

static void write_table(zb_out *out, const zb_model *model, const zb_factor *a,
                        bool as_log)
{
    size_t row = a->arity > 0 ? (size_t)model->card[a->scope[a->arity - 1]] : 1;

    zb_out_text(out, "\n%zu\n", a->size);
    for (size_t i = 0; i < a->size; i++) {
        double x = a->value[i];
        zb_out_text(out, "%.17g",
                    a->log == as_log ? x
                    : as_log         ? zb_log(x)
                                     : zb_exp(x));
        zb_out_text(out, (i + 1) % row == 0 ? "\n" : " ");
    }
}

static void write_model(zb_out *out, const zb_model *model, bool as_log)
{
    bool scaled = model->log_scale != 0;
    zb_factor scale = { .size = 1,
                        .value = &(double){ model->log_scale },
                        .log = true };

    zb_out_text(out, "MARKOV\n%d\n", model->nvars);
    for (int v = 0; v < model->nvars; v++)
        zb_out_text(out, v > 0 ? " %d" : "%d", model->card[v]);
    zb_out_text(out, "\n%d\n", model->nfactors + scaled);
    for (int f = 0; f < model->nfactors; f++) {
        zb_out_text(out, "%d", model->factor[f].arity);
        for (int i = 0; i < model->factor[f].arity; i++)
            zb_out_text(out, " %d", model->factor[f].scope[i]);
        zb_out_text(out, "\n");
    }
    if (scaled)
        zb_out_text(out, "0\n");
    for (int f = 0; f < model->nfactors; f++)
        write_table(out, model, &model->factor[f], as_log);
    if (scaled)
        write_table(out, model, &scale, as_log);
}

zb_status zb_model_write(const zb_model *model, const char *path, zb_error *err)
{
    bool as_log = path != NULL && zb_path_ends(path, ".LG", true);
    zb_out out;
    zb_status status;

    if (model == NULL || path == NULL)
        return zb_fail(err, ZB_EINVAL, "no model, or no path to write to");
    if (!as_log)
        TRY(check_weights(model, path, err));
    TRY(zb_out_open(&out, path, false, err));
    write_model(&out, model, as_log);
    TRY(zb_out_close(&out));
done:
    return status;
}
