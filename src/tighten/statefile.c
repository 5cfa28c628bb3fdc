/* States as text: keywords and numbers with 17 digits, so that nothing is lost.
 *
 *   zbound-state 1
 *   method NAME  variables N  simplified 0|1  sides K, then for each side:
 *   side upper|lower
 *   form NAME VARIANT IBOUND  ibound N  partition N  limit X  order NAME
 *   moves WEIGHTS THETA GAUGES GRADIENT SHARED ABSOLUTE EXTREME GAUGED, each 0|1
 *   formed N HIGH LOW  cardinalities N numbers  elimination N variables
 *   splits K, then K times: split VAR COUNT POSITIVE NWEIGHT NTHETA NSHARED, the shared
 *       variables, COUNT * NWEIGHT logits, COUNT * NTHETA shifts
 *   gauges K, then K times: gauge VAR, card * card numbers
 *   end
 */
#include "tighten/statefile.h"

#include <limits.h>

enum { VERSION = 1, PER_LINE = 8, GAUGE_CARD = 64 };

/* ---- writing --------------------------------------------------------------------- */

static void write_ints(zb_out *out, const int *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        zb_out_text(out, "%s%d", i % (2 * PER_LINE) == 0 ? "\n" : " ", x[i]);
}

static void write_reals(zb_out *out, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        zb_out_text(out, "%s%.17g", i % PER_LINE == 0 ? "\n" : " ", x[i]);
}

static void write_split(zb_out *out, const zb_side_state *s, const zb_split_state *b)
{
    zb_out_text(out, "\nsplit %d %d %d", b->var, b->count, b->positive);
    zb_out_text(out, " %zu %zu %d", b->nweight, b->ntheta, b->nshared);
    write_ints(out, s->shared + b->shared_at, (size_t)b->nshared);
    write_reals(out, s->value + b->value_at,
                (size_t)b->count * (b->nweight + b->ntheta));
}

static void write_gauge(zb_out *out, const zb_side_state *s, const zb_gauge_state *g)
{
    size_t d = (size_t)s->card[g->var];
    zb_out_text(out, "\ngauge %d", g->var);
    write_reals(out, s->value + g->value_at, d * d);
}

static void write_side(zb_out *out, const zb_side_state *s, const char *name)
{
    const zb_tighten_spec *m = &s->moves;
    zb_out_text(out, "\nside %s", name);
    zb_out_text(out, "\nform %s %d %d", zb_form_name(s->form), s->variant,
                s->form_ibound);
    zb_out_text(out, "\nibound %d\npartition %d\nlimit %.17g", s->ibound,
                (int)s->partition, s->max_entries);
    zb_out_text(out, "\norder %s", zb_order_name(s->order_kind));
    zb_out_text(out, "\nmoves %d %d %d %d %d %d %d %d", m->weights, m->theta, m->gauges,
                m->gradient, m->shared, m->absolute, s->extreme, s->gauged);
    zb_out_text(out, "\nformed %d %lu %lu", s->nvars,
                (unsigned long)(s->structure >> 32),
                (unsigned long)(s->structure & UINT32_MAX));
    zb_out_text(out, "\ncardinalities");
    write_ints(out, s->card, (size_t)s->nvars);
    zb_out_text(out, "\nelimination");
    write_ints(out, s->order, (size_t)s->nvars);
    zb_out_text(out, "\nsplits %zu", s->nsplit);
    for (size_t i = 0; i < s->nsplit; i++)
        write_split(out, s, &s->split[i]);
    zb_out_text(out, "\ngauges %zu", s->ngauge);
    for (size_t i = 0; i < s->ngauge; i++)
        write_gauge(out, s, &s->gauge[i]);
}

static const char *const side_name[ZB_STATE_SIDES] = { "upper", "lower" };

zb_status zb_state_write(const zb_state *state, const char *path, zb_error *err)
{
    zb_out out;
    zb_status status;
    int sides = 0;

    if (state == NULL)
        return zb_fail(err, ZB_EINVAL, "no state to write");
    for (int i = 0; i < ZB_STATE_SIDES; i++)
        sides += state->side[i].present;
    TRY(zb_out_open(&out, path, false, err));
    zb_out_text(&out, "zbound-state %d\nmethod %s\nvariables %d", VERSION,
                zb_method_name(state->method), state->nvars);
    zb_out_text(&out, "\nsimplified %d\nsides %d", state->simplified, sides);
    for (int i = 0; i < ZB_STATE_SIDES; i++)
        if (state->side[i].present)
            write_side(&out, &state->side[i], side_name[i]);
    zb_out_text(&out, "\nend\n");
    TRY(zb_out_close(&out));
done:
    return status;
}

/* ---- reading: words -------------------------------------------------------------- */

static zb_status read_word(zb_scan *in, const char *word)
{
    zb_status status;
    TRY(zb_scan_word(in));
    if (!zb_scan_is(in, word))
        return zb_scan_expected(in, "'%s'", word);
done:
    return status;
}

/* A keyword and a number. */
static zb_status read_field(zb_scan *in, const char *word, int64_t least, int64_t most,
                            const char *what, int *out)
{
    int64_t n;
    zb_status status;
    TRY(read_word(in, word));
    TRY(zb_scan_int(in, least, most, what, &n));
    *out = (int)n;
done:
    return status;
}

/* A keyword and one of `count` names. */
static zb_status read_name(zb_scan *in, const char *word, int count,
                           const char *(*name)(int), int *out)
{
    zb_status status;
    TRY(read_word(in, word));
    TRY(zb_scan_word(in));
    for (*out = 0; *out < count; (*out)++)
        if (zb_scan_is(in, name(*out)))
            return ZB_OK;
    return zb_scan_expected(in, "the name of a%s %s", word[0] == 'o' ? "n" : "", word);
done:
    return status;
}

#define ONE(id, name) +1
enum { METHODS = ZB_METHODS(ONE), FORMS = ZB_FORMS(ONE), ORDERS = ZB_ORDERS(ONE) };
static const char NO_WORD[] = " "; /* the name of what a state cannot have */

static const char *method_name(int i)
{
    zb_method m = (zb_method)i;
    return zb_method_has_state(m) ? zb_method_name(m) : NO_WORD;
}

static const char *form_name(int i)
{
    return i != ZB_FORM_AUTO ? zb_form_name((zb_form)i) : NO_WORD;
}

static const char *order_name(int i)
{
    return i != ZB_ORDER_AUTO ? zb_order_name((zb_order)i) : NO_WORD;
}

static zb_status read_real(zb_scan *in, const char *what, double *out)
{
    zb_decimal d;
    zb_status status;
    TRY(zb_scan_decimal(in, what, &d, out));
    if (!isfinite(*out))
        return zb_scan_expected(in, "%s that is finite", what);
    *out = d.negative ? -*out : *out;
done:
    return status;
}

/* Memory grows with what is read, not with what the file announces. */
static zb_status read_values(zb_scan *in, zb_side_state *s, size_t n, const char *what)
{
    zb_status status = ZB_OK;
    for (size_t i = 0; i < n; i++) {
        ZB_GROW(s->value, s->value_room, s->nvalue, SIZE_MAX);
        TRY(read_real(in, what, &s->value[s->nvalue]));
        s->nvalue++;
    }
done:
    return status;
}

/* ---- reading: a side ------------------------------------------------------------- */

static zb_status read_moves(zb_scan *in, zb_side_state *s)
{
    zb_tighten_spec *m = &s->moves;
    bool *flag[] = { &m->weights, &m->theta,    &m->gauges,  &m->gradient,
                     &m->shared,  &m->absolute, &s->extreme, &s->gauged };
    zb_status status;
    TRY(read_word(in, "moves"));
    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++) {
        int64_t x;
        TRY(zb_scan_int(in, 0, 1, "a flag", &x));
        *flag[i] = x == 1;
    }
done:
    return status;
}

static zb_status read_spec(zb_scan *in, zb_side_state *s)
{
    int64_t n;
    int x;
    zb_status status;
    TRY(read_name(in, "form", FORMS, form_name, &x));
    s->form = (zb_form)x;
    TRY(zb_scan_int(in, 0, INT_MAX, "a variant", &n));
    s->variant = (int)n;
    TRY(zb_scan_int(in, 1, 1000, "an ibound", &n));
    s->form_ibound = (int)n;
    TRY(read_field(in, "ibound", 1, 1000, "an ibound", &s->ibound));
    TRY(read_field(in, "partition", ZB_PARTITION_REFERENCE, ZB_PARTITION_SCOPE,
                   "a partition", &x));
    s->partition = (zb_partition)x;
    TRY(read_word(in, "limit"));
    TRY(read_real(in, "a number of entries", &s->max_entries));
    if (s->max_entries < 0)
        return zb_scan_expected(in, "a number of entries of at least 0");
    TRY(read_name(in, "order", ORDERS, order_name, &x));
    s->order_kind = (zb_order)x;
    TRY(read_moves(in, s));
done:
    return status;
}

static zb_status read_variables(zb_scan *in, zb_side_state *s)
{
    int64_t high, low, x;
    size_t n;
    bool *seen = NULL;
    zb_status status;
    TRY(read_field(in, "formed", 0, INT_MAX, "the number of variables", &s->nvars));
    TRY(zb_scan_int(in, 0, UINT32_MAX, "half a fingerprint", &high));
    TRY(zb_scan_int(in, 0, UINT32_MAX, "half a fingerprint", &low));
    s->structure = (uint64_t)high << 32 | (uint64_t)low;
    n = (size_t)s->nvars;
    TRY(read_word(in, "cardinalities"));
    for (size_t v = 0; v < n; v++) {
        ZB_GROW(s->card, s->vars_room, v, n);
        TRY(zb_scan_int(in, 1, INT_MAX, "a cardinality", &x));
        s->card[v] = (int)x;
    }
    s->order = zb_alloc(n, sizeof *s->order);
    seen = zb_calloc(n, sizeof *seen);
    TRY(s->order != NULL && seen != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(read_word(in, "elimination"));
    for (size_t i = 0; i < n; i++) {
        TRY(zb_scan_int(in, 0, s->nvars - 1, "a variable", &x));
        if (seen[x])
            TRY(zb_scan_expected(in, "each variable once in the order"));
        seen[x] = true;
        s->order[i] = (int)x;
    }
done:
    zb_free(seen);
    return status;
}

static zb_status read_split(zb_scan *in, zb_side_state *s, zb_split_state *b)
{
    int64_t x;
    zb_status status;
    TRY(read_field(in, "split", 0, s->nvars - 1, "a variable", &b->var));
    TRY(zb_scan_int(in, 2, INT_MAX, "the number of mini-buckets", &x));
    b->count = (int)x;
    TRY(zb_scan_int(in, 0, b->count - 1, "a mini-bucket", &x));
    b->positive = (int)x;
    TRY(zb_scan_int(in, 1, INT_MAX, "the number of weights", &x));
    b->nweight = (size_t)x;
    TRY(zb_scan_int(in, 0, INT_MAX, "the number of shifts", &x));
    b->ntheta = (size_t)x;
    TRY(zb_scan_int(in, 0, s->nvars, "the number of shared variables", &x));
    b->nshared = (int)x;
    b->shared_at = s->nshared;
    b->value_at = s->nvalue;
    for (int i = 0; i < b->nshared; i++) {
        TRY(zb_scan_int(in, 0, s->nvars - 1, "a variable", &x));
        ZB_GROW(s->shared, s->shared_room, s->nshared, SIZE_MAX);
        s->shared[s->nshared++] = (int)x;
    }
    TRY(read_values(in, s, (size_t)b->count * b->nweight, "a logit"));
    TRY(read_values(in, s, (size_t)b->count * b->ntheta, "a shift"));
done:
    return status;
}

static zb_status read_gauge(zb_scan *in, zb_side_state *s, zb_gauge_state *g)
{
    zb_status status;
    TRY(read_field(in, "gauge", 0, s->nvars - 1, "a variable", &g->var));
    size_t d = (size_t)s->card[g->var];
    if (d > GAUGE_CARD)
        return zb_scan_expected(in, "a variable of at most %d values", GAUGE_CARD);
    g->value_at = s->nvalue;
    TRY(read_values(in, s, d * d, "an entry of a gauge"));
done:
    return status;
}

static zb_status read_parameters(zb_scan *in, zb_side_state *s)
{
    int splits, gauges;
    zb_status status;
    TRY(read_field(in, "splits", 0, s->nvars, "the number of splits", &splits));
    for (int i = 0; i < splits; i++) {
        ZB_GROW(s->split, s->split_room, s->nsplit, (size_t)splits);
        TRY(read_split(in, s, &s->split[s->nsplit]));
        s->nsplit++;
    }
    TRY(read_field(in, "gauges", 0, s->nvars, "the number of gauges", &gauges));
    for (int i = 0; i < gauges; i++) {
        ZB_GROW(s->gauge, s->gauge_room, s->ngauge, (size_t)gauges);
        TRY(read_gauge(in, s, &s->gauge[s->ngauge]));
        s->ngauge++;
    }
    /* empty arrays are arrays too */
    ZB_GROW(s->card, s->vars_room, (size_t)s->nvars, SIZE_MAX);
    ZB_GROW(s->shared, s->shared_room, s->nshared, SIZE_MAX);
    ZB_GROW(s->value, s->value_room, s->nvalue, SIZE_MAX);
done:
    return status;
}

static zb_status read_side(zb_scan *in, zb_state *state)
{
    zb_side_state *s = NULL;
    zb_status status;
    TRY(read_word(in, "side"));
    TRY(zb_scan_word(in));
    for (int i = 0; i < ZB_STATE_SIDES; i++)
        if (zb_scan_is(in, side_name[i]))
            s = &state->side[i];
    if (s == NULL || s->present)
        return zb_scan_expected(in, "'upper' or 'lower', each once");
    s->present = true;
    TRY(read_spec(in, s));
    TRY(read_variables(in, s));
    TRY(read_parameters(in, s));
done:
    return status;
}

/* ---- reading: the file ----------------------------------------------------------- */

static zb_status read_all(zb_scan *in, zb_state *state)
{
    int version, method, simplified, sides;
    zb_status status;
    TRY(read_field(in, "zbound-state", 1, INT_MAX, "a version", &version));
    if (version != VERSION)
        return zb_scan_expected(in, "version %d", VERSION);
    TRY(read_name(in, "method", METHODS, method_name, &method));
    state->method = (zb_method)method;
    TRY(read_field(in, "variables", 0, INT_MAX, "the number of variables",
                   &state->nvars));
    TRY(read_field(in, "simplified", 0, 1, "a flag", &simplified));
    state->simplified = simplified == 1;
    TRY(read_field(in, "sides", 0, ZB_STATE_SIDES, "the number of sides", &sides));
    for (int i = 0; i < sides; i++)
        TRY(read_side(in, state));
    TRY(read_word(in, "end"));
    TRY(zb_scan_end(in));
done:
    return status;
}

zb_status zb_state_parse(zb_state **out, zb_scan *in)
{
    zb_state *state = NULL;
    zb_status status;
    *out = NULL;
    TRY(zb_state_new(&state));
    TRY(read_all(in, state));
    *out = state, state = NULL;
done:
    if (status == ZB_ENOMEM)
        zb_fail(in->err, status, "%s: not enough memory to read it", in->name);
    zb_state_free(state);
    return status;
}

zb_status zb_state_read(zb_state **out, const char *path, zb_error *err)
{
    zb_scan in;
    zb_status status;
    if (out == NULL)
        return zb_fail(err, ZB_EINVAL, "no place for the state");
    *out = NULL;
    TRY(zb_scan_open(&in, path, err));
    TRY(zb_state_parse(out, &in));
done:
    zb_scan_close(&in);
    return status;
}
