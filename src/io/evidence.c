/* Evidence files, in any of their dialects.
 *
 *   plain:    k (var value){k}                   2008, 2014, 2016, 2022; 2006 with a
 *                                                comment before it
 *   samples:  S record{S}, a record being plain  2010, 2011
 *
 * With T numbers of which the first is n, plain holds iff T = 1 + 2n, samples iff n
 * records end at T. Both hold for the file `0`, which is the same in both, and when n
 * is twice the number of observations in all records. Then at least n / 2 records are
 * empty, a lone 0, so that a file with one record a line has a pair of the plain
 * reading broken over two lines: the line structure cannot speak for both. */
#include "io/formats.h"
#include "model/model.h"

#include <limits.h>

typedef struct number {
    int value;
    int64_t line;
} number;

typedef struct evidence {
    zb_scan *in;
    const zb_model *model;
    number *at; /* all numbers of the file */
    size_t count, room;
    int *seen; /* per variable: the value it has in the record being checked, or -1 */
} evidence;

static zb_status read_numbers(evidence *e)
{
    int64_t n;
    zb_status status;

    for (;;) {
        TRY(zb_scan_word(e->in));
        if (e->in->length == 0)
            return ZB_OK;
        zb_scan_unread(e->in);
        TRY(zb_scan_int(e->in, 0, INT_MAX, "a count, variable or value", &n));
        ZB_GROW(e->at, e->room, e->count, SIZE_MAX);
        e->at[e->count++] = (number){ (int)n, e->in->line };
    }
done:
    return status;
}

/* ---- which dialect --------------------------------------------------------------- */

static bool is_plain(const evidence *e)
{
    return e->count == 1 + 2 * (size_t)e->at[0].value;
}

/* The place after the record at i, which is past the end when the record is cut off. */
static size_t after_record(const evidence *e, size_t i)
{
    return i + 1 + 2 * (size_t)e->at[i].value;
}

static bool is_samples(const evidence *e)
{
    size_t i = 1;
    for (int s = 0; s < e->at[0].value; s++) {
        if (i >= e->count)
            return false;
        i = after_record(e, i);
    }
    return i == e->count;
}

static bool same_line(const evidence *e, size_t i, size_t j)
{
    return e->at[i].line == e->at[j].line;
}

static bool pairs_keep_lines(const evidence *e)
{
    for (size_t i = 1; i + 1 < e->count; i += 2)
        if (!same_line(e, i, i + 1))
            return false;
    return true;
}

/* The count, then each record, on a line of its own. */
static bool records_keep_lines(const evidence *e)
{
    for (size_t i = 1, next; i < e->count; i = next) {
        next = after_record(e, i);
        if (same_line(e, i - 1, i) || !same_line(e, i, next - 1))
            return false;
    }
    return true;
}

static bool in_range(const evidence *e, size_t i, int k)
{
    for (; k > 0; k--, i += 2)
        if (e->at[i].value >= e->model->nvars ||
            e->at[i + 1].value >= e->model->card[e->at[i].value])
            return false;
    return true;
}

static bool records_in_range(const evidence *e)
{
    for (size_t i = 1; i < e->count; i = after_record(e, i))
        if (!in_range(e, i + 1, e->at[i].value))
            return false;
    return true;
}

/* Neither dialect fits: the one that the message should be about. */
static zb_evidence_format likely(const evidence *e)
{
    size_t stop = 1;
    if (e->count < 2 || same_line(e, 0, 1))
        return ZB_EVIDENCE_PLAIN;
    while (stop < e->count && same_line(e, 1, stop))
        stop++;
    return stop == after_record(e, 1) ? ZB_EVIDENCE_SAMPLES : ZB_EVIDENCE_PLAIN;
}

static zb_status detect(const evidence *e, zb_evidence_format *out)
{
    bool plain = is_plain(e), samples = is_samples(e);

    *out = samples && !plain ? ZB_EVIDENCE_SAMPLES : ZB_EVIDENCE_PLAIN;
    if (!plain && !samples)
        *out = likely(e);
    if (!plain || !samples || e->count == 1)
        return ZB_OK;
    plain = pairs_keep_lines(e);
    samples = records_keep_lines(e);
    if (plain == samples) {
        plain = in_range(e, 1, e->at[0].value);
        samples = records_in_range(e);
    }
    if (plain == samples)
        return zb_scan_fail(e->in, e->at[0].line,
                            "expected one reading of the evidence, found two: %d "
                            "observations, or %d samples; say which with "
                            "--evidence-format",
                            e->at[0].value, e->at[0].value);
    *out = samples ? ZB_EVIDENCE_SAMPLES : ZB_EVIDENCE_PLAIN;
    return ZB_OK;
}

/* ---- what it says ---------------------------------------------------------------- */

static zb_status cut_off(const evidence *e, const char *what)
{
    return zb_scan_fail(e->in, e->in->line, "expected %s, found the end of the file",
                        what);
}

static zb_status check_pair(const evidence *e, size_t i)
{
    const zb_model *model = e->model;
    number var = e->at[i], value = e->at[i + 1];

    if (var.value >= model->nvars)
        return zb_scan_fail(e->in, var.line,
                            "expected a variable from 0 to %d, found '%d'",
                            model->nvars - 1, var.value);
    if (value.value >= model->card[var.value])
        return zb_scan_fail(e->in, value.line,
                            "expected a value of variable %d from 0 to %d, found '%d'",
                            var.value, model->card[var.value] - 1, value.value);
    int *seen = &e->seen[var.value];
    if (*seen >= 0 && *seen != value.value)
        return zb_scan_fail(e->in, value.line,
                            "expected value %d again for variable %d, found '%d'",
                            *seen, var.value, value.value);
    *seen = value.value;
    return ZB_OK;
}

/* The record whose count is at i: complete, in range, without contradictions. */
static zb_status check_record(const evidence *e, size_t i)
{
    size_t stop = after_record(e, i), from = i + 1;
    zb_status status = ZB_OK;

    for (i = from; i < stop; i += 2) {
        if (i >= e->count)
            return cut_off(e, "a variable");
        if (i + 1 >= e->count)
            return cut_off(e, "a value");
        TRY(check_pair(e, i));
    }
    for (i = from; i < stop; i += 2)
        e->seen[e->at[i].value] = -1;
done:
    return status;
}

static zb_status check_all(const evidence *e, zb_evidence_format format)
{
    size_t i = 0;
    zb_status status = ZB_OK;

    if (format == ZB_EVIDENCE_PLAIN) {
        TRY(check_record(e, 0));
        i = after_record(e, 0);
    } else {
        i = 1;
        for (int s = 0; s < e->at[0].value; s++, i = after_record(e, i)) {
            if (i >= e->count)
                return cut_off(e, "the number of observations of a sample");
            TRY(check_record(e, i));
        }
    }
    if (i < e->count)
        return zb_scan_fail(e->in, e->at[i].line,
                            "expected the end of the file, found '%d'", e->at[i].value);
done:
    return status;
}

/* Fix what the record at i says; it has been checked. */
static int apply(zb_model *model, const evidence *e, size_t i)
{
    int observed = 0;
    for (size_t stop = after_record(e, i++); i < stop; i += 2) {
        observed += e->seen[e->at[i].value] < 0;
        e->seen[e->at[i].value] = model->evidence[e->at[i].value] = e->at[i + 1].value;
    }
    return observed;
}

static zb_status parse(zb_model *model, evidence *e, zb_evidence_info *info)
{
    zb_status status;

    TRY(zb_scan_skip_comments(e->in, &info->ergo));
    TRY(read_numbers(e));
    if (e->count == 0) {
        if (info->format == ZB_EVIDENCE_DETECT)
            info->format = ZB_EVIDENCE_PLAIN;
        return ZB_OK;
    }
    if (info->format == ZB_EVIDENCE_DETECT && info->ergo)
        info->format = ZB_EVIDENCE_PLAIN;
    if (info->format == ZB_EVIDENCE_DETECT)
        TRY(detect(e, &info->format));
    e->seen = zb_alloc((size_t)model->nvars, sizeof *e->seen);
    TRY(e->seen != NULL ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < model->nvars; v++)
        e->seen[v] = -1;
    TRY(check_all(e, info->format));
    bool plain = info->format == ZB_EVIDENCE_PLAIN;
    info->samples = plain ? 1 : e->at[0].value;
    if (info->samples > 0)
        info->observed = apply(model, e, plain ? 0 : 1);
done:
    return status;
}

zb_status zb_evidence_parse(zb_model *model, zb_scan *in, zb_evidence_format format,
                            zb_evidence_info *info)
{
    evidence e = { .in = in, .model = model };
    zb_evidence_info found = { .format = format };
    zb_status status = parse(model, &e, &found);

    if (status == ZB_ENOMEM)
        zb_fail(in->err, status, "%s: not enough memory to read it", in->name);
    if (status == ZB_OK && info != NULL)
        *info = found;
    zb_free(e.at);
    zb_free(e.seen);
    return status;
}

zb_status zb_evidence_read(zb_model *model, const char *path, zb_evidence_format format,
                           zb_evidence_info *info, zb_error *err)
{
    zb_scan in;
    zb_status status;

    if (model == NULL || (unsigned)format > ZB_EVIDENCE_SAMPLES)
        return zb_fail(err, ZB_EINVAL, "no model, or no such evidence format: %d",
                       (int)format);
    TRY(zb_scan_open(&in, path, err));
    TRY(zb_evidence_parse(model, &in, format, info));
done:
    zb_scan_close(&in);
    return status;
}
