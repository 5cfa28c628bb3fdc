#include "io/dimacs.h"

#include "io/cnf.h"

#include <string.h>

enum { DIGITS = 10000 }; /* most of a weight, zeros of its exponent included */

/* ---- weights --------------------------------------------------------------------- */

/* digits 10^exponent, exactly; the text has been found to be a decimal. ZB_EINVAL: it
   is too long. */
static zb_status read_decimal(zb_big *a, int64_t *exponent, const char *text,
                              const char *end)
{
    zb_status status;
    bool point = false, negative = *text == '-';
    *exponent = 0;
    TRY(zb_big_set(a, 0));
    TRY(end - text < DIGITS ? ZB_OK : ZB_EINVAL);
    for (text += *text == '-' || *text == '+'; text < end && (*text | 32) != 'e';
         text++) {
        if (*text != '.')
            TRY(zb_big_scale(a, 10, (uint32_t)(*text - '0')));
        *exponent -= point && *text != '.';
        point = point || *text == '.';
    }
    if (text < end) {
        bool down = text[1] == '-';
        int64_t more = 0;
        for (text += 1 + (text[1] == '-' || text[1] == '+'); text < end; text++)
            more = more < DIGITS ? 10 * more + (*text - '0') : more;
        *exponent += down ? -more : more;
    }
    TRY(*exponent <= DIGITS && *exponent >= -DIGITS ? ZB_OK : ZB_EINVAL);
    a->negative = negative && a->n > 0;
done:
    return status;
}

static zb_status times_power_of_ten(zb_big *a, int64_t power)
{
    zb_status status = ZB_OK;
    for (int64_t i = 0; i < power && status == ZB_OK; i++)
        status = zb_big_scale(a, 10, 0);
    return status;
}

/* a 10^x / (b 10^y) */
static zb_status read_fraction(zb_fraction *f, const char *text, size_t length)
{
    const char *end = text + length, *slash = memchr(text, '/', length);
    int64_t x = 0, y = 0;
    zb_status status;
    TRY(zb_big_set(&f->over, 1));
    TRY(zb_big_set(&f->below, 1));
    if (length > 0)
        TRY(read_decimal(&f->over, &x, text, slash != NULL ? slash : end));
    if (slash != NULL)
        TRY(read_decimal(&f->below, &y, slash + 1, end));
    f->base = zb_big_is(&f->below, 1) ? 1000000000 /* 10^9, nine digits at a time */
              : f->below.n == 1 && f->below.limb[0] < UINT32_MAX / 10
                  ? 10 * f->below.limb[0]
                  : 0;
    TRY(times_power_of_ten(&f->over, x - y));
    TRY(times_power_of_ten(&f->below, y - x));
done:
    return status;
}

/* What the negation weighs if nothing is said of it: 1 - f, or 1 where f > 1. */
static zb_status rest_of(zb_fraction *rest, const zb_fraction *f)
{
    zb_status status;
    rest->base = f->base;
    TRY(zb_big_copy(&rest->below, &f->below));
    TRY(zb_big_copy(&rest->over, &f->over));
    rest->over.negative = !rest->over.negative && rest->over.n > 0;
    TRY(zb_big_add(&rest->over, &f->below));
    if (rest->over.negative)
        TRY(zb_big_copy(&rest->over, &rest->below));
done:
    return status;
}

static zb_status take_weight(zb_dimacs *d, const zb_cnf *r, const size_t *giver, int v)
{
    zb_dimacs_weight *w = &d->weight[d->weights];
    zb_status status = ZB_OK;
    *w = (zb_dimacs_weight){ .var = v };
    d->weights++;
    for (size_t i = 0; i < 2; i++) {
        size_t by = giver[2 * (size_t)v + i];
        if (by == 0)
            continue;
        const zb_cnf_named *n = &r->given[by - 1];
        const char *text = n->length > 0 ? r->text + n->text : "";
        status = read_fraction(&w->of[i], text, n->length);
        if (status == ZB_EINVAL)
            return zb_scan_fail(r->in, n->line,
                                "expected a weight of at most %d digits", DIGITS);
        TRY(status);
        d->info.negative = d->info.negative || n->negative;
    }
    for (size_t i = 0; i < 2; i++)
        if (giver[2 * (size_t)v + i] == 0)
            TRY(rest_of(&w->of[i], &w->of[1 - i]));
done:
    return status;
}

/* The last weight of a literal counts. */
static zb_status take_weights(zb_dimacs *d, const zb_cnf *r)
{
    size_t *giver = zb_calloc(2 * (size_t)d->nvars, sizeof *giver), count = 0;
    zb_status status = giver != NULL ? ZB_OK : ZB_ENOMEM;
    for (size_t i = 0; i < r->given_used && status == ZB_OK; i++)
        giver[zb_cnf_index(r->given[i].lit)] = i + 1;
    for (int v = 0; v < d->nvars && status == ZB_OK; v++)
        count += giver[2 * v] + giver[2 * v + 1] > 0;
    TRY(status);
    d->weight = zb_alloc(count, sizeof *d->weight);
    TRY(d->weight != NULL ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < d->nvars; v++)
        if (giver[2 * v] + giver[2 * v + 1] > 0)
            TRY(take_weight(d, r, giver, v));
    d->info.weighted = count > 0;
done:
    zb_free(giver);
    return status;
}

/* ---- the rest -------------------------------------------------------------------- */

static zb_status take_clauses(zb_dimacs *d, const zb_cnf *r)
{
    d->at = zb_alloc(r->clauses + 1, sizeof *d->at);
    d->lit = zb_alloc(r->used, sizeof *d->lit);
    if (d->at == NULL || d->lit == NULL)
        return ZB_ENOMEM;
    memcpy(d->at, r->at, (r->clauses + 1) * sizeof *d->at);
    for (size_t i = 0; i < r->used; i++)
        d->lit[i] = (uint32_t)zb_cnf_index(r->lit[i]);
    d->clauses = r->clauses;
    return ZB_OK;
}

/* Weights of variables that are not shown are left out, with a note. */
static zb_status take_projection(zb_dimacs *d, zb_cnf *r)
{
    size_t kept = 0;
    d->info.projected = r->show > 0;
    d->info.shown = d->nvars;
    if (r->is_shown == NULL)
        return ZB_OK;
    d->shown = zb_alloc((size_t)d->nvars, sizeof *d->shown);
    if (d->shown == NULL)
        return ZB_ENOMEM;
    for (int v = 0; v < d->nvars; v++) {
        d->shown[v] = r->is_shown[v + 1];
        d->info.shown -= !d->shown[v];
    }
    for (size_t i = 0; i < r->given_used; i++)
        if (r->is_shown[abs(r->given[i].lit)])
            r->given[kept++] = r->given[i];
    if (kept < r->given_used)
        zb_scan_note(r->in, r->show,
                     "weights of variables outside of the projection count as 1");
    r->given_used = kept;
    return ZB_OK;
}

/* Where doubles do not hold the weights there is none. */
static zb_status take_model(zb_dimacs *d, zb_cnf *r)
{
    zb_error *err = r->in->err, ignored = { "" };
    for (size_t i = 0; i < r->given_used; i++)
        if (r->given[i].negative || r->given[i].lost)
            return ZB_OK;
    r->in->err = &ignored;
    zb_status status = zb_cnf_build(r);
    r->in->err = err;
    if (status == ZB_OK)
        d->model = r->model, r->model = NULL;
    return status == ZB_EPARSE ? ZB_OK : status;
}

zb_status zb_dimacs_parse(zb_dimacs **out, zb_scan *in)
{
    zb_cnf r = { .in = in, .claimed = -1, .exact = true };
    zb_dimacs *d = zb_calloc(1, sizeof *d);
    zb_status status;
    *out = NULL;
    TRY(d != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_cnf_read(&r));
    d->nvars = d->info.vars = (int)r.nvars;
    d->info.clauses = r.clauses;
    TRY(take_clauses(d, &r));
    TRY(take_projection(d, &r));
    TRY(take_weights(d, &r));
    TRY(take_model(d, &r));
    *out = d, d = NULL;
done:
    if (status == ZB_ENOMEM)
        zb_fail(in->err, status, "%s: not enough memory to read it", in->name);
    zb_cnf_clear(&r);
    zb_dimacs_free(d);
    return status;
}

zb_status zb_dimacs_read(zb_dimacs **out, const char *path, const zb_observer *observer,
                         zb_error *err)
{
    zb_scan in;
    zb_status status;
    if (out != NULL)
        *out = NULL;
    if (out == NULL || path == NULL)
        return zb_fail(err, ZB_EINVAL, "no file, or no place for the formula");
    TRY(zb_scan_open(&in, path, err));
    in.observer = observer;
    TRY(zb_dimacs_parse(out, &in));
done:
    zb_scan_close(&in);
    return status;
}

void zb_dimacs_free(zb_dimacs *d)
{
    if (d == NULL)
        return;
    for (size_t i = 0; i < d->weights; i++)
        for (int k = 0; k < 2; k++) {
            zb_big_clear(&d->weight[i].of[k].over);
            zb_big_clear(&d->weight[i].of[k].below);
        }
    zb_free(d->weight);
    zb_free(d->at);
    zb_free(d->lit);
    zb_free(d->shown);
    zb_model_free(d->model);
    zb_free(d);
}

zb_dimacs_info zb_dimacs_about(const zb_dimacs *d)
{
    return d != NULL ? d->info : (zb_dimacs_info){ .vars = 0 };
}

const zb_model *zb_dimacs_model(const zb_dimacs *d)
{
    return d != NULL ? d->model : NULL;
}
