/* `info`: what was read, what reduction leaves, what solving would take. */
#include "console.h"
#include "json.h"
#include "number.h"
#include "report.h"

#include <math.h>

/* ---- for people ------------------------------------------------------------------ */

/* "2 (100), 3 (5)": the sizes that occur and how often; the last slot means "or more"
 */
static void histogram(FILE *out, const char *title, int slots, const int *count)
{
    const char *comma = "";
    fprintf(out, "%-10s", title);
    for (int i = 0; i < slots; i++)
        if (count[i] > 0) {
            fprintf(out, "%s%d%s (%d)", comma, i, i == slots - 1 ? "+" : "", count[i]);
            comma = ", ";
        }
    fputs(*comma == '\0' ? "none\n" : "\n", out);
}

static double share(size_t part, size_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static void change(FILE *out, const char *title, double before, double after)
{
    fprintf(out, "%-12s%14.12g%14.12g\n", title, before, after);
}

static void reduction_text(const zb_survey *s, FILE *out)
{
    const zb_sizes *a = &s->given, *b = &s->reduced;
    fprintf(out, "\n%-12s%14s%14s\n", "", "as read", "reduced");
    change(out, "variables", a->vars, b->vars);
    change(out, "factors", a->factors, b->factors);
    change(out, "entries", (double)a->entries, (double)b->entries);
    change(out, "cardinality", a->max_card, b->max_card);
    change(out, "arity", a->max_arity, b->max_arity);
    fprintf(out, "%-12s%12.1f %%%12.1f %%\n", "zeros", share(a->zeros, a->entries),
            share(b->zeros, b->entries));
    if (b->vars > 0)
        fprintf(out, "%-12s%14s%14d (the largest of %d variables)\n", "components", "",
                s->components, s->largest_component);
}

static void forecast_text(const zb_survey *s, FILE *out)
{
    char bytes[32];
    fprintf(out, "\n%8s%16s%16s%14s%8s\n", "ibound", "largest table", "entries",
            "bytes", "splits");
    for (int i = 0; i < s->rows; i++) {
        const zb_forecast *w = &s->row[i];
        bool last = i == s->rows - 1;
        if (last && s->cut)
            fprintf(out, "%8s\n", "..");
        fprintf(out, "%8d%16.6g%16.6g%14s%8.0f%s%s\n", w->ibound, w->largest, w->total,
                app_bytes_text(w->bytes, bytes), w->splits, last ? "  exact" : "",
                w->fits ? "" : "  does not fit");
    }
}

/* The table in a sentence: what exact takes, or else the largest ibound that fits. */
static void forecast_sentence(const zb_survey *s, FILE *out)
{
    char bytes[32], seconds[32];
    const zb_forecast *last = &s->row[s->rows - 1], *best = NULL;
    for (int i = 0; i < s->rows; i++)
        if (s->row[i].fits)
            best = &s->row[i];
    if (last->seconds > APP_NEVER)
        fputs("\nforecast  exact elimination is out of reach", out);
    else
        fprintf(out, "\nforecast  exact needs %s and about %s",
                app_bytes_text(last->bytes, bytes),
                app_seconds_text(last->seconds, seconds));
    if (last->fits)
        fputs(": it fits\n", out);
    else if (best == NULL)
        fprintf(out, "; no ibound fits in %s\n",
                app_bytes_text((double)s->memory, bytes));
    else
        fprintf(out, "; ibound %d fits in %s, about %s a pass\n", best->ibound,
                app_bytes_text((double)s->memory, bytes),
                app_seconds_text(best->seconds, seconds));
}

static void exact_text(const zb_survey *s, FILE *out)
{
    char bytes[32], memory[32], text[2 * APP_NUMBER];
    double z = s->log_constant, r = s->rounding;
    if (s->reduced.vars == 0) {
        double lower = r > 0 ? nextafter(z - r, -INFINITY) : z;
        double upper = r > 0 ? nextafter(z + r, INFINITY) : z;
        fprintf(out,
                "\nexact     nothing is left to sum: reduction alone gives ln Z = %s\n",
                app_within(lower, upper, text));
        return;
    }
    fprintf(out, "\nexact     width %d: %.6g entries, the largest table 2^%.1f, %s; ",
            s->width, s->exact.total, log2(s->exact.largest),
            app_bytes_text(s->exact.bytes, bytes));
    fprintf(out, "%s the limit of %s\n", s->exact.fits ? "fits" : "exceeds",
            app_bytes_text((double)s->memory, memory));
    forecast_text(s, out);
    forecast_sentence(s, out);
}

/* "smoke (yes, no), lung (yes, no), ..": the first few, as far as a line goes. */
static void names_text(const zb_model *model, FILE *out)
{
    int used = 10, n = zb_model_nvars(model);
    if (!zb_model_has_names(model))
        return;
    fprintf(out, "%-10s", "names");
    for (int v = 0; v < n; v++) {
        if (used > 66) {
            fputs(", ..", out);
            break;
        }
        used += fprintf(out, "%s%s (", v > 0 ? ", " : "", zb_model_var_name(model, v));
        for (int x = 0; x < zb_model_card(model, v) && used <= 66; x++)
            used += fprintf(out, "%s%s", x > 0 ? ", " : "",
                            zb_model_state_name(model, v, x));
        used += fprintf(out, ")");
    }
    fputc('\n', out);
}

static void print_text(const zb_survey *s, const app_input *in, FILE *out)
{
    app_report_model(in, out);
    fprintf(out, "type      %s\n", zb_model_is_bayes(in->model) ? "BAYES" : "MARKOV");
    names_text(in->model, out);
    histogram(out, "values", ZB_SURVEY_SLOTS, s->cards);
    histogram(out, "arities", ZB_SURVEY_SLOTS, s->arities);
    fprintf(out, "tables    %.12g entries, the largest %.12g, %.1f %% zeros\n",
            (double)s->given.entries, (double)s->largest_table,
            share(s->given.zeros, s->given.entries));
    reduction_text(s, out);
    exact_text(s, out);
}

/* ---- for programs ---------------------------------------------------------------- */

static json_t *json_histogram(int slots, const int *count)
{
    char key[16];
    json_t *object = json_object();
    for (int i = 0; i < slots; i++)
        if (count[i] > 0) {
            snprintf(key, sizeof key, "%d%s", i, i == slots - 1 ? "+" : "");
            json_object_set_new(object, key, json_integer(count[i]));
        }
    return object;
}

static json_t *json_sizes(const zb_sizes *z)
{
    return json_pack("{s:i, s:i, s:o, s:o, s:i, s:i}", "variables", z->vars, "factors",
                     z->factors, "entries", app_json_count((double)z->entries), "zeros",
                     app_json_count((double)z->zeros), "max_cardinality", z->max_card,
                     "max_arity", z->max_arity);
}

static json_t *json_reduction(const zb_survey *s)
{
    json_t *object = json_sizes(&s->reduced);
    json_object_set_new(object, "components", json_integer(s->components));
    json_object_set_new(object, "largest_component",
                        json_integer(s->largest_component));
    json_object_set_new(object, "log_constant", app_json_real(s->log_constant));
    json_object_set_new(object, "rounding", app_json_real(s->rounding));
    json_object_set_new(object, "values_removed",
                        app_json_count((double)s->values_removed));
    return object;
}

static json_t *json_exact(const zb_survey *s)
{
    if (s->reduced.vars == 0)
        return json_pack("{s:i, s:i, s:i, s:i, s:b}", "width", 0, "largest_table", 0,
                         "entries", 0, "bytes", 0, "fits", true);
    return json_pack("{s:i, s:o, s:o, s:o, s:b}", "width", s->width, "largest_table",
                     app_json_count(s->exact.largest), "entries",
                     app_json_count(s->exact.total), "bytes",
                     app_json_count(s->exact.bytes), "fits", s->exact.fits);
}

static json_t *json_forecast(const zb_survey *s)
{
    json_t *rows = json_array();
    for (int i = 0; i < s->rows; i++) {
        const zb_forecast *w = &s->row[i];
        json_array_append_new(
            rows, json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "ibound",
                            w->ibound, "seconds", app_json_real(w->seconds),
                            "largest_table", app_json_count(w->largest), "entries",
                            app_json_count(w->total), "bytes", app_json_count(w->bytes),
                            "splits", app_json_count(w->splits), "fits", w->fits,
                            "exact", w->splits == 0));
    }
    return rows;
}

static json_t *json_evidence(const app_input *in)
{
    if (in->evidence == NULL)
        return json_null();
    return json_pack("{s:s, s:b, s:i, s:i}", "grammar",
                     in->info.ergo                            ? "ergo"
                     : in->info.format == ZB_EVIDENCE_SAMPLES ? "samples"
                                                              : "plain",
                     "found_beside_model", in->found, "samples", in->info.samples,
                     "observed", in->info.observed);
}

/* [{"name": "smoke", "states": ["yes", "no"]}, ..]; null where there are none. */
static json_t *json_names(const zb_model *model)
{
    if (!zb_model_has_names(model))
        return json_null();
    json_t *list = json_array();
    for (int v = 0; v < zb_model_nvars(model); v++) {
        json_t *states = json_array();
        for (int x = 0; x < zb_model_card(model, v); x++)
            json_array_append_new(states,
                                  app_json_text(zb_model_state_name(model, v, x)));
        json_array_append_new(list,
                              json_pack("{s:o, s:o}", "name",
                                        app_json_text(zb_model_var_name(model, v)),
                                        "states", states));
    }
    return list;
}

static bool print_json(const zb_survey *s, const app_input *in, const app_args *args,
                       FILE *out)
{
    const zb_sizes *z = &s->given;
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:f, s:i}", "version",
        zb_version(), "model", app_json_text(in->path), "evidence",
        app_json_text(in->evidence), "variables", z->vars, "factors", z->factors,
        "max_cardinality", z->max_card, "max_arity", z->max_arity, "entries",
        app_json_count((double)z->entries), "zeros", app_json_count((double)z->zeros),
        "largest_table", app_json_count((double)s->largest_table), "zero_share",
        share(z->zeros, z->entries) / 100, "observed", s->observed);
    json_object_set_new(object, "type",
                        json_string(zb_model_is_bayes(in->model) ? "BAYES" : "MARKOV"));
    json_object_set_new(object, "names", json_names(in->model));
    json_object_set_new(object, "evidence_file", json_evidence(in));
    json_object_set_new(object, "cardinalities",
                        json_histogram(ZB_SURVEY_SLOTS, s->cards));
    json_object_set_new(object, "arities", json_histogram(ZB_SURVEY_SLOTS, s->arities));
    json_object_set_new(object, "reduced", json_reduction(s));
    json_object_set_new(object, "order", json_string(zb_order_name(args->opt.order)));
    json_object_set_new(object, "width", json_integer(s->width > 0 ? s->width : 0));
    json_object_set_new(object, "memory", app_json_count((double)s->memory));
    json_object_set_new(object, "exact", json_exact(s));
    json_object_set_new(object, "forecast", json_forecast(s));
    json_object_set(object, "notes", in->notes);
    return app_json_print(object, out);
}

int app_info(app_args *args, FILE *out)
{
    app_input in;
    zb_survey s;
    zb_error err = { "" };
    int code = app_input_read(&in, args);
    if (code == APP_OK) {
        zb_status status = zb_survey_make(&s, in.model, &args->opt, NULL, &err);
        if (status != ZB_OK)
            code = app_fail_status(status, &err);
        else if (!args->json)
            print_text(&s, &in, out);
        else if (!print_json(&s, &in, args, out))
            code = app_fail(APP_LIMIT, "out of memory");
    }
    app_input_free(&in);
    return code;
}
