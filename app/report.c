#include "report.h"
#include "build.h"
#include "console.h"
#include "number.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <string.h>

int app_threads(const zb_options *opt)
{
    return opt->threads > 0 ? opt->threads : omp_get_max_threads();
}

const char *app_bytes_text(double bytes, char text[32])
{
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB",
                                         "TiB",   "PiB", "EiB" };
    size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, 32, unit == 0 || bytes >= 100 ? "%.0f %s" : "%.3g %s", bytes,
             units[unit]);
    if (bytes >= 1e5)
        snprintf(text, 32, "%.3g %s", bytes, units[unit]);
    return text;
}

const char *app_plural(double count, const char *noun, char text[64])
{
    const char *ending = count == 1 ? "" : "s";
    snprintf(text, 64, count < 1e15 ? "%.0f %s%s" : "%.4g %s%s", count, noun, ending);
    return text;
}

/* ---- for people ------------------------------------------------------------------ */

void app_report_model(const app_input *in, FILE *out)
{
    char vars[64], factors[64], text[160];
    int arity = 0;
    for (int f = 0; f < zb_model_nfactors(in->model); f++)
        if (zb_model_arity(in->model, f) > arity)
            arity = zb_model_arity(in->model, f);
    fprintf(out, "model     %s: %s, %s, cardinality up to %d, arity up to %d\n",
            strcmp(in->path, "-") == 0 ? "stdin" : in->path,
            app_plural(zb_model_nvars(in->model), "variable", vars),
            app_plural(zb_model_nfactors(in->model), "factor", factors),
            app_input_max_card(in->model), arity);
    if (in->evidence != NULL) {
        app_input_evidence_text(in, text, sizeof text);
        fprintf(out, "evidence  %s%s: %s\n", in->evidence,
                in->found ? " (found beside the model; --no-evidence turns it off)"
                          : "",
                text);
    }
    if (in->observed != NULL)
        fprintf(out, "evidence  %s\n", in->observed);
}

static void reduced_line(const zb_result *r, FILE *out)
{
    char vars[64], factors[64], parts[64];
    if (r->components == 0)
        return;
    if (r->reduced_vars == 0) {
        fputs("reduced   to nothing: exact reductions alone gave the answer\n", out);
        return;
    }
    fprintf(out, "reduced   to %s and %s in %s\n",
            app_plural(r->reduced_vars, "variable", vars),
            app_plural(r->reduced_factors, "factor", factors),
            app_plural(r->components, "component", parts));
}

static void method_line(const zb_result *r, FILE *out)
{
    bool buckets = r->method != ZB_METHOD_TRBP && r->method != ZB_METHOD_BP &&
                   r->method != ZB_METHOD_MF;
    fprintf(out, "method    %s", zb_method_name(r->method));
    if (r->form != ZB_FORM_AUTO)
        fprintf(out, ", %s form", zb_form_name(r->form));
    if (r->order != ZB_ORDER_AUTO)
        fprintf(out, ", order %s", zb_order_name(r->order));
    if (buckets)
        fprintf(out, ", width %d", r->width);
    if (buckets && !r->exact && r->ibound > 0)
        fprintf(out, ", ibound %d", r->ibound);
    fputc('\n', out);
}

/* Twelve digits, rounded away from the other side. */
static void number(FILE *out, bool has, double x, int outward)
{
    char text[APP_NUMBER];
    fprintf(out, "%-21s", has ? app_outward(x, 12, outward, text) : "-");
}

void app_report_interval(const zb_result *r, double *lower, double *upper)
{
    double apart = 2 * r->rounding;
    *lower = r->has_lower ? r->log_lower : nextafter(r->log_upper - apart, -INFINITY);
    *upper = r->has_upper ? r->log_upper : nextafter(r->log_lower + apart, INFINITY);
    if (*lower == -INFINITY) /* Z = 0 */
        *upper = *lower;
}

static bool is_zero(const zb_result *r)
{
    return r->exact && (r->has_upper ? r->log_upper : r->log_lower) == -INFINITY;
}

static void exact_row(FILE *out, const zb_result *r, const app_unit *unit)
{
    char text[2 * APP_NUMBER];
    double lower, upper;
    app_report_interval(r, &lower, &upper);
    fprintf(
        out, "%s\n",
        app_within(app_convert(lower, unit, -1), app_convert(upper, unit, 1), text));
}

/* One row: the bracket in one unit. */
static void row(FILE *out, const zb_result *r, const app_unit *unit)
{
    double lower = app_convert(r->log_lower, unit, -1),
           upper = app_convert(r->log_upper, unit, 1), gap = upper - lower;
    char text[APP_NUMBER];
    fprintf(out, "%-10s", unit->name);
    if (r->exact)
        exact_row(out, r, unit);
    else if (r->has_estimate && !r->has_lower && !r->has_upper)
        fprintf(out, "about %.12g\n", app_convert(r->log_estimate, unit, 0));
    else {
        bool both = r->has_lower && r->has_upper && !isnan(gap);
        number(out, r->has_lower, lower, -1);
        number(out, r->has_upper, upper, 1);
        fprintf(out, "%s\n", both ? app_outward(gap, 6, 1, text) : "-");
    }
}

/* 0.999999 */
static void probability(FILE *out, double delta)
{
    if (1 - delta < 1)
        fprintf(out, "%.15g", 1 - delta);
    else
        fprintf(out, "1 - %g", delta);
}

bool app_report_likely(const zb_result *r)
{
    return r->has_confidence && !r->exact &&
           r->confidence.log_upper - r->confidence.log_lower <
               r->log_upper - r->log_lower;
}

/* What draws say, never mixed with what is proved. */
static void likely(FILE *out, const zb_result *r)
{
    const zb_sampled *c = &r->confidence;
    char text[APP_NUMBER];
    if (!app_report_likely(r))
        return;
    fprintf(out, "%-10s", "likely");
    number(out, true, c->log_lower, -1);
    number(out, true, c->log_upper, 1);
    fprintf(out, "%s  with probability ",
            app_outward(c->log_upper - c->log_lower, 6, 1, text));
    probability(out, c->delta);
    if (r->has_estimate)
        fprintf(out, "; about %.8g +- %.2g", r->log_estimate, r->log_estimate_error);
    fputc('\n', out);
}

static app_unit per_variable(int nvars)
{
    return (app_unit){ "ln Z / n", 1, 1, nvars };
}

static void bracket(const app_report *report, FILE *out)
{
    const zb_result *r = report->result;
    app_unit each = per_variable(zb_model_nvars(report->input->model));
    bool table = !r->exact && (r->has_lower || r->has_upper);
    fputc('\n', out);
    if (table)
        fprintf(out, "%-10s%-21s%-21s%s\n", "", "lower", "upper", "gap");
    fputs(app_ink(1, APP_BOLD), out);
    row(out, r, &APP_NATS);
    fputs(app_ink(1, APP_PLAIN), out);
    row(out, r, &APP_LOG10);
    row(out, r, &APP_BITS);
    if (report->args->per_variable && each.count > 0)
        row(out, r, &each);
    likely(out, r);
    fputc('\n', out);
}

const char *app_report_standing(const zb_result *r)
{
    if (is_zero(r))
        return "exact: Z = 0, no state has positive weight";
    if (r->exact)
        return "exact: nothing was approximated";
    if (r->has_estimate && !r->has_lower && !r->has_upper)
        return "an estimate, not a bound";
    if (!r->guaranteed)
        return "not guaranteed: the method did not prove its number";
    if (!r->has_lower || r->log_lower == -INFINITY)
        return "guaranteed: ln Z is at most the upper bound";
    if (!r->has_upper || r->log_upper == INFINITY)
        return "guaranteed: ln Z is at least the lower bound";
    return "guaranteed: ln Z lies between the two";
}

static void ending(const zb_result *r, FILE *out)
{
    long long n = (long long)r->iterations;
    switch (r->stop) {
    case ZB_STOP_CONVERGED: fprintf(out, "; converged after %lld iterations", n); break;
    case ZB_STOP_ITERATIONS:
        if (n > 0)
            fprintf(out, "; stopped after %lld iterations", n);
        break;
    case ZB_STOP_TIME: fprintf(out, "; stopped by the time limit"); break;
    case ZB_STOP_INTERRUPTED: fprintf(out, "; interrupted"); break;
    case ZB_STOP_MEMORY: fprintf(out, "; stopped by the memory limit"); break;
    case ZB_STOP_EXACT: break;
    }
    fputc('\n', out);
}

static void cost(const app_report *report, FILE *out)
{
    char bytes[32], threads[64];
    fprintf(out, "cost      %.3g s, %s of tables, %s\n", report->result->seconds,
            app_bytes_text((double)report->result->bytes, bytes),
            app_plural(app_threads(&report->args->opt), "thread", threads));
}

const char *app_seconds_text(double seconds, char text[32])
{
    static const struct {
        const char *unit;
        double size;
    } units[] = { { "years", 31557600 },
                  { "days", 86400 },
                  { "hours", 3600 },
                  { "minutes", 60 },
                  { "s", 1 } };
    size_t i = 0;
    while (i < 4 && seconds < 2 * units[i].size)
        i++;
    snprintf(text, 32, "%.2g %s", seconds / units[i].size, units[i].unit);
    return text;
}

/* What would help: more of what ran out, and what an exact answer would take. */
static void advice(const app_report *report, FILE *out)
{
    const zb_result *r = report->result;
    char bytes[32], seconds[32];
    if (r->exact || (r->has_estimate && !r->has_upper))
        return;
    fputs("tighter   ", out);
    if (r->stop == ZB_STOP_TIME || r->stop == ZB_STOP_INTERRUPTED)
        fputs("more time (--time S)", out);
    else if (r->stop == ZB_STOP_MEMORY)
        fputs("more memory (--memory SIZE)", out);
    else if (r->stop == ZB_STOP_ITERATIONS && r->iterations > 0)
        fprintf(out, "more iterations (--iterations %lld)",
                2 * (long long)report->args->opt.iterations);
    else
        fputs("another method (zbound compare shows them)", out);
    if (r->method != ZB_METHOD_AUTO && r->ibound > 0)
        fputs(" or a larger --ibound", out);
    if (r->exact_seconds > APP_NEVER)
        fprintf(out, "; an exact answer is out of reach");
    else if (r->exact_bytes > 0)
        fprintf(out, "; exact would take about %s and %s",
                app_bytes_text(r->exact_bytes, bytes),
                app_seconds_text(r->exact_seconds, seconds));
    fputc('\n', out);
}

void app_report_text(const app_report *report, FILE *out)
{
    const zb_result *r = report->result;
    app_report_model(report->input, out);
    reduced_line(r, out);
    method_line(r, out);
    bracket(report, out);
    fprintf(out, "standing  %s%s%s", app_ink(1, r->guaranteed ? APP_GOOD : APP_WARN),
            app_report_standing(r), app_ink(1, APP_PLAIN));
    ending(r, out);
    cost(report, out);
    advice(report, out);
}

/* ---- for programs ---------------------------------------------------------------- */

static void put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

void app_report_input(json_t *object, const app_input *in)
{
    put(object, "version", json_string(zb_version()));
    put(object, "model", app_json_text(in->path));
    put(object, "evidence", app_json_text(in->evidence));
    put(object, "variables", json_integer(zb_model_nvars(in->model)));
    put(object, "factors", json_integer(zb_model_nfactors(in->model)));
    put(object, "max_cardinality", json_integer(app_input_max_card(in->model)));
}

static void put_settings(json_t *object, const app_report *report)
{
    const zb_result *r = report->result;
    put(object, "width", json_integer(r->width));
    put(object, "method", json_string(zb_method_name(r->method)));
    put(object, "form", json_string(zb_form_name(r->form)));
    put(object, "order", json_string(zb_order_name(r->order)));
    put(object, "ibound", json_integer(r->ibound));
    put(object, "seed", json_integer((json_int_t)report->args->opt.seed));
    put(object, "threads", json_integer(app_threads(&report->args->opt)));
    if (report->args->opt.ranks != NULL)
        put(object, "ranks", json_integer(zb_ranks_size(report->args->opt.ranks)));
}

/* What was asked for, and the limits in force. */
static void put_request(json_t *object, const app_report *report)
{
    const zb_options *opt = &report->args->opt;
    const zb_result *r = report->result;
    put(object, "side", json_string(zb_side_name(opt->side)));
    put(object, "optimizer", json_string(zb_optimizer_name(opt->optimizer)));
    put(object, "tolerance", app_json_real(opt->tolerance));
    put(object, "time_limit", app_json_side(isfinite(r->time_limit), r->time_limit));
    put(object, "memory_limit",
        r->memory_limit > 0 ? app_json_count((double)r->memory_limit) : json_null());
}

static json_t *recipe(bool has, const zb_recipe *by)
{
    if (!has || by->method == ZB_METHOD_AUTO)
        return json_null();
    return json_pack("{s:s, s:s, s:s, s:i}", "method", zb_method_name(by->method),
                     "form", zb_form_name(by->form), "order", zb_order_name(by->order),
                     "ibound", by->ibound);
}

/* Enough to know later which run of which program this was, and on what. */
static void put_origin(json_t *object, const app_report *report)
{
    char hash[17];
    json_t *line = json_array();
    for (int i = 0; i < report->args->words; i++)
        json_array_append_new(line, app_json_text(report->args->line[i]));
    snprintf(hash, sizeof hash, "%016" PRIx64, zb_model_hash(report->input->model));
    put(object, "model_hash", json_string(hash));
    put(object, "command", line);
    put(object, "build", app_build_json());
}

/* 17 digits are within half a unit in the last place of the number. That the numbers
   were rounded outward by one more than they had to is what makes the text a bound. */
static void put_bounds(json_t *object, const char *suffix, const zb_result *r,
                       const char *prefix, const app_unit *unit)
{
    char key[64];
    snprintf(key, sizeof key, "%s_lower%s", prefix, suffix);
    put(object, key, app_json_side(r->has_lower, app_convert(r->log_lower, unit, -1)));
    snprintf(key, sizeof key, "%s_upper%s", prefix, suffix);
    put(object, key, app_json_side(r->has_upper, app_convert(r->log_upper, unit, 1)));
    if (r->has_estimate) {
        snprintf(key, sizeof key, "%s_estimate%s", prefix, suffix);
        put(object, key, app_json_real(app_convert(r->log_estimate, unit, 0)));
    }
}

/* What draws say: null where there are none. */
static void put_confidence(json_t *object, const zb_result *r)
{
    const zb_sampled *c = &r->confidence;
    bool estimate = r->has_confidence && r->has_estimate;
    if (!r->has_estimate)
        put(object, "log_estimate", json_null());
    put(object, "log_estimate_error", app_json_side(estimate, r->log_estimate_error));
    put(object, "confidence",
        r->has_confidence
            ? json_pack("{s:o, s:o, s:o, s:I, s:o}", "delta", app_json_real(c->delta),
                        "log_lower", app_json_real(c->log_lower), "log_upper",
                        app_json_real(c->log_upper), "samples", (json_int_t)c->samples,
                        "effective", app_json_real(c->effective))
            : json_null());
}

bool app_report_json(const app_report *report, FILE *out)
{
    const zb_result *r = report->result;
    app_unit each = per_variable(zb_model_nvars(report->input->model));
    json_t *object = json_object();
    app_report_input(object, report->input);
    put_settings(object, report);
    put_bounds(object, "", r, "log", &APP_NATS);
    put_bounds(object, "", r, "log10", &APP_LOG10);
    if (report->args->per_variable && each.count > 0)
        put_bounds(object, "_per_variable", r, "log", &each);
    put_confidence(object, r);
    put(object, "rounding", app_json_real(r->rounding));
    put(object, "guaranteed", json_boolean(r->guaranteed));
    put(object, "exact", json_boolean(r->exact));
    put(object, "iterations", json_integer((json_int_t)r->iterations));
    put(object, "stop", json_string(zb_stop_name(r->stop)));
    put(object, "seconds", app_json_real(r->seconds));
    put(object, "bytes", json_integer((json_int_t)r->bytes));
    put_request(object, report);
    put(object, "upper_by", recipe(r->has_upper, &r->upper_by));
    put(object, "lower_by", recipe(r->has_lower, &r->lower_by));
    if (r->components > 0)
        put(object, "reduced",
            json_pack("{s:i, s:i, s:i}", "variables", r->reduced_vars, "factors",
                      r->reduced_factors, "components", r->components));
    if (r->exact_bytes > 0) {
        put(object, "exact_bytes", app_json_count(r->exact_bytes));
        put(object, "exact_seconds", app_json_real(r->exact_seconds));
    }
    put_origin(object, report);
    json_object_set(object, "notes", report->input->notes);
    return app_json_print(object, out);
}
