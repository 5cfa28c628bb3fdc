/* Models (UAI, and LG with logarithms; cnf.c has formulas) and evidence. */
#include "verify.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int64_t read_int(reader *r, int64_t least, int64_t most, const char *what)
{
    next_word(r);
    return as_int(r, least, most, what);
}

static bool is_name(const reader *r, const char *name)
{
    return r->length == strlen(name) && strncasecmp(r->word, name, r->length) == 0;
}

/* ---- evidence --------------------------------------------------------------------
 *
 *   plain    k (variable value){k}
 *   samples  S record{S}, each of them plain; the first one counts
 *
 * Of T numbers, the first being n, the file is plain iff T = 1 + 2 n, and samples iff n
 * records end at T. Where both hold, the lines must tell. */

typedef struct evidence {
    size_t count;
    int *n;
    long *line;
} evidence;

static size_t after(const evidence *e, size_t i) { return i + 1 + 2 * (size_t)e->n[i]; }

static bool is_samples(const evidence *e)
{
    size_t i = 1;
    for (int k = 0; k < e->n[0]; k++) {
        if (i >= e->count)
            return false;
        i = after(e, i);
    }
    return i == e->count;
}

/* Each pair on one line; and the count, then each record, on a line of its own. */
static bool pairs_keep_lines(const evidence *e)
{
    bool keep = true;
    for (size_t i = 1; i + 1 < e->count; i += 2)
        keep = keep && e->line[i] == e->line[i + 1];
    return keep;
}

static bool records_keep_lines(const evidence *e)
{
    bool keep = true;
    for (size_t i = 1; i < e->count; i = after(e, i))
        keep = keep && e->line[i - 1] < e->line[i] &&
               e->line[i] == e->line[after(e, i) - 1];
    return keep;
}

static void read_numbers(evidence *e, reader *r)
{
    for (size_t room = 0; next_word(r); e->count++) {
        if (e->count == room) {
            room = 2 * room + 8;
            e->n = regrow(r->s, e->n, room, sizeof *e->n);
            e->line = regrow(r->s, e->line, room, sizeof *e->line);
        }
        e->line[e->count] = r->s->line;
        e->n[e->count] = (int)as_int(r, 0, INT_MAX, "a count, variable or value");
    }
}

static bool skip_comment(reader *r)
{
    if (!next_word(r) || r->length < 2 || memcmp(r->word, "/*", 2) != 0) {
        r->at = r->word;
        return false;
    }
    for (r->at = r->word + 2; r->end - r->at >= 2 && memcmp(r->at, "*/", 2) != 0;
         r->at++)
        r->s->line += *r->at == '\n';
    if (r->end - r->at < 2)
        refuse(r->s, "expected the end of the comment");
    r->at += 2;
    return true;
}

static void read_evidence(const proof *p, text t, int *observed)
{
    evidence e = { .count = 0 };
    session *s = p->s;
    reader r = reader_of(s, t);
    bool comment = false; /* only plain files have one */
    while (skip_comment(&r))
        comment = true;
    read_numbers(&e, &r);
    if (e.count == 0)
        return;
    bool plain = e.count == 1 + 2 * (size_t)e.n[0];
    bool samples = !comment && is_samples(&e);
    if (plain && samples && e.count > 1)
        plain = pairs_keep_lines(&e), samples = records_keep_lines(&e);
    if (plain == samples && e.count > 1)
        refuse(s, "expected k and k pairs, or a number of such records, but not both");
    size_t at = !plain, stop = at < e.count ? after(&e, at) : 0;
    for (size_t i = at + 1; i < stop; i += 2) {
        int v = e.n[i], x = e.n[i + 1];
        s->line = e.line[i];
        if (v >= p->nvars || x >= p->card[v] || (observed[v] >= 0 && observed[v] != x))
            refuse(s, "variable %d cannot have the value %d", v, x);
        observed[v] = x;
    }
}

const int *read_observed(proof *p, const question *q)
{
    int *observed = scratch(p->s, (size_t)p->nvars, sizeof *observed);
    for (int v = 0; v < p->nvars; v++)
        observed[v] = -1;
    if (q->evidence.data != NULL)
        read_evidence(p, q->evidence, observed);
    for (int v = 0; v < p->nvars; v++)
        p->gone[v] = observed[v] >= 0;
    return observed;
}

/* ---- models ---------------------------------------------------------------------- */

static void read_scope(reader *r, const proof *p, factor_scope *a)
{
    a->n = (int)read_int(r, 0, p->nvars, "the size of a scope");
    for (int i = 0; i < a->n; i++) {
        if ((i & (i - 1)) == 0) /* a claimed size takes no memory */
            a->var = regrow(r->s, a->var, 2 * (size_t)i + 1, sizeof *a->var);
        a->var[i] = (int)read_int(r, 0, p->nvars - 1, "a variable");
        for (int j = 0; j < i; j++)
            if (a->var[j] == a->var[i])
                expected(r, "each variable once in a scope");
    }
}

static void read_value(reader *r, bool logarithm, arb_t x)
{
    next_word(r);
    if (logarithm && (is_name(r, "-inf") || is_name(r, "-infinity"))) {
        arb_zero(x);
        return;
    }
    as_number(r, x, logarithm ? "a logarithm" : "a number from 0");
    if (logarithm)
        arb_exp(x, x, r->s->prec);
    else if (arb_is_negative(x))
        expected(r, "a number from 0");
}

static int64_t states_of(const proof *p, const factor_scope *a)
{
    int64_t size = 1;
    for (int i = 0; i < a->n; i++)
        if (size > INT64_MAX / 2 / p->card[a->var[i]])
            refuse(p->s, "a scope has more than 2^62 states");
        else
            size *= p->card[a->var[i]];
    return size;
}

/* The variables that are neither observed nor of a single value, ascending; stride[i]
   of the file's i-th variable in the table over them, 0 for the others. */
static table *new_table(const proof *p, const factor_scope *a, const int *observed,
                        uint64_t *stride)
{
    int *var = scratch(p->s, (size_t)a->n, sizeof *var), n = 0;
    for (int i = 0; i < a->n; i++) {
        int v = a->var[i], at = n;
        if (observed[v] >= 0 || p->card[v] == 1)
            continue;
        for (n++; at > 0 && var[at - 1] > v; at--)
            var[at] = var[at - 1];
        var[at] = v;
    }
    table *t = table_new(p->s, n, var, p->card);
    for (int i = 0; i < a->n; i++) {
        stride[i] = table_has(t, a->var[i]);
        for (int j = n - 1; stride[i] > 0 && var[j] != a->var[i]; j--)
            stride[i] *= (uint64_t)p->card[var[j]];
    }
    return t;
}

/* The last variable of the file's scope varies fastest. */
table *factor_table(const proof *p, const factor_scope *a, const int *observed,
                    entry_of *entry, void *context)
{
    session *s = p->s;
    struct block *mark = s->list[SCRATCH];
    uint64_t *stride = scratch(s, (size_t)a->n, sizeof *stride);
    int *x = scratch(s, (size_t)a->n, sizeof *x);
    arb_ptr value = scratch_balls(s, 1);
    table *t = new_table(p, a, observed, stride);
    for (int64_t i = 0, size = states_of(p, a); i < size; i++) {
        uint64_t key = 0;
        bool agrees = true;
        entry(context, i, value);
        for (int j = 0; j < a->n; j++) {
            key += stride[j] * (uint64_t)x[j];
            agrees = agrees && (observed[a->var[j]] < 0 || observed[a->var[j]] == x[j]);
        }
        if (agrees)
            table_add(s, t, key, value);
        for (int j = a->n - 1; j >= 0 && ++x[j] == p->card[a->var[j]]; j--)
            x[j] = 0;
    }
    table_sort(s, t);
    release(s, SCRATCH, mark);
    return t;
}

typedef struct entries {
    reader *r;
    bool logarithms;
} entries;

static void read_entry(void *context, int64_t i, arb_t value)
{
    const entries *e = context;
    (void)i;
    read_value(e->r, e->logarithms, value);
}

static table *read_table(reader *r, const proof *p, const factor_scope *a,
                         const int *observed, bool logarithms)
{
    entries e = { r, logarithms };
    if (read_int(r, INT64_MIN, INT64_MAX, "the size of a table") != states_of(p, a))
        expected(r, "the product of the cardinalities");
    return factor_table(p, a, observed, read_entry, &e);
}

static void read_header(reader *r)
{
    next_word(r);
    while (is_name(r, "c")) { /* comment lines, before all else */
        while (r->at < r->end && *r->at != '\n')
            r->at++;
        next_word(r);
    }
    if (!is_name(r, "MARKOV") && !is_name(r, "BAYES"))
        expected(r, "MARKOV or BAYES");
}

static factor_scope *read_scopes(reader *r, const proof *p, int *nfactors)
{
    factor_scope *a = NULL;
    *nfactors = (int)read_int(r, 0, INT_MAX / 4, "the number of factors");
    for (int f = 0, room = 0; f < *nfactors; f++) {
        if (f == room)
            a = regrow(r->s, a, (size_t)(room = 2 * room + 8), sizeof *a);
        a[f] = (factor_scope){ 0, NULL };
        read_scope(r, p, &a[f]);
    }
    return a;
}

proof *model_read(session *s, const question *q)
{
    proof *p = proof_new(s);
    reader r = reader_of(s, q->model);
    int nfactors;
    read_header(&r);
    int nvars = (int)read_int(&r, 0, INT_MAX / 4, "the number of variables");
    for (int v = 0; v < nvars; v++)
        add_variable(p, (int)read_int(&r, 1, INT_MAX, "a cardinality"));
    factor_scope *a = read_scopes(&r, p, &nfactors);
    long line = s->line;
    const int *observed = read_observed(p, q);
    s->file = q->model.name;
    s->line = line;
    for (int f = 0; f < nfactors; f++)
        add_table(p, read_table(&r, p, &a[f], observed, q->format == LOGARITHMS));
    if (next_word(&r))
        expected(&r, "the end of the file");
    release(s, SCRATCH, NULL);
    return p;
}
