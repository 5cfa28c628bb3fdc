/* `compare`: methods side by side on one model, with the same options. The exact value
 * comes first where it fits. A method that fails leaves a row that says why. */
#include "console.h"
#include "gap_plot.h"
#include "number.h"
#include "page/methods.h"
#include "progress.h"
#include "report.h"
#include "signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_METHODS = 32, IBOUND = 10, SECONDS = 10 };

typedef struct row {
    zb_method method;
    zb_status status;
    zb_error err;
    zb_result result;
} row;

typedef struct table {
    int count;
    row rows[MOST_METHODS];
    bool exact_asked; /* `be` was named: its failure is worth a row */
} table;

/* ---- which methods --------------------------------------------------------------- */

#define NAME(id, name) name,
static const char *const names[] = { ZB_METHODS(NAME) };
enum { METHODS = sizeof names / sizeof *names };

static int add_method(table *t, const char *name)
{
    for (int m = 0; m < METHODS; m++)
        if (strcmp(names[m], name) == 0) {
            for (int i = 0; i < t->count; i++)
                if (t->rows[i].method == (zb_method)m)
                    return APP_OK;
            t->rows[t->count++].method = (zb_method)m;
            return APP_OK;
        }
    const char *near = app_nearest(name, METHODS, names);
    return app_fail(APP_USAGE, "--methods: '%s' is not a method%s%s%s", name,
                    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* All that have the side, but auto, which is a choice among the others. */
static int add_all(table *t, zb_side side)
{
    for (int m = 0; m < METHODS; m++)
        if (m != ZB_METHOD_AUTO && m != ZB_METHOD_BE &&
            zb_method_has_side((zb_method)m, side))
            t->rows[t->count++].method = (zb_method)m;
    return APP_OK;
}

static int choose(table *t, const char *list, zb_side side)
{
    t->rows[t->count++].method = ZB_METHOD_BE;
    if (list == NULL)
        return add_all(t, side);
    char *copy = strdup(list), *rest = NULL;
    int code = copy != NULL ? APP_OK : app_fail(APP_LIMIT, "out of memory");
    for (char *name = copy != NULL ? strtok_r(copy, ",", &rest) : NULL;
         name != NULL && code == APP_OK; name = strtok_r(NULL, ",", &rest)) {
        t->exact_asked |= strcmp(name, "be") == 0;
        code = add_method(t, name);
    }
    free(copy);
    return code;
}

/* ---- one row --------------------------------------------------------------------- */

static void cell(FILE *out, const char *format, bool has, double x, const char *none)
{
    if (has)
        fprintf(out, format, x);
    else
        fputs(none, out);
}

static double gap(const zb_result *r)
{
    return r->log_upper == r->log_lower ? 0 : r->log_upper - r->log_lower;
}

static bool both(const zb_result *r) { return r->has_lower && r->has_upper; }

static const char *standing(const zb_result *r)
{
    return r->exact          ? "exact"
           : r->has_estimate ? "estimate"
           : r->guaranteed   ? "yes"
                             : "no";
}

static void text_cell(FILE *out, int width, bool has, const char *text)
{
    fprintf(out, "%*s", width, has ? text : "-");
}

static void text_row(FILE *out, const row *w)
{
    const zb_result *r = &w->result;
    char text[APP_NUMBER];
    fprintf(out, "%-12s", zb_method_name(w->method));
    if (w->status != ZB_OK) {
        fprintf(out, " %s\n", w->err.text);
        return;
    }
    if (r->has_estimate && !r->has_lower && !r->has_upper) {
        fprintf(out, "%15s%15.9g%12s", "about", r->log_estimate, "-");
    } else {
        text_cell(out, 15, r->has_lower, app_outward(r->log_lower, 9, -1, text));
        text_cell(out, 15, r->has_upper, app_outward(r->log_upper, 9, 1, text));
        text_cell(out, 12, both(r), app_outward(gap(r), 5, 1, text));
    }
    fprintf(out, "%12lld%9.3g  %s\n", (long long)r->iterations, r->seconds,
            standing(r));
}

static void text_head(FILE *out)
{
    fprintf(out, "\n%s%-12s%15s%15s%12s%12s%9s  %s%s\n", app_ink(1, APP_QUIET),
            "method", "lower", "upper", "gap", "iterations", "seconds", "guaranteed",
            app_ink(1, APP_PLAIN));
}

static void show_row(FILE *out, const row *w)
{
    app_live("");
    text_row(out, w);
    fflush(out);
}

/* ---- running --------------------------------------------------------------------- */

static void run_row(row *r, const app_args *args, const app_input *in,
                    app_progress *progress, double share)
{
    char label[64];
    zb_options opt = args->opt;
    opt.method = r->method;
    opt.time = share;
    snprintf(label, sizeof label, "%-12s", zb_method_name(r->method));
    app_progress_begin(progress, label, app_progress_work(r->method) ? "" : NULL);
    progress->started = app_clock();
    progress->limit = progress->deadline = share;
    r->status = zb_solve(in->model, &opt, &progress->observer, &r->result, &r->err);
    app_progress_begin(progress, "", NULL);
    if (r->status != ZB_OK && r->err.text[0] == '\0')
        snprintf(r->err.text, sizeof r->err.text, "%s", zb_status_text(r->status));
}

static bool hidden(const table *t, int i) /* be, which nobody asked for */
{
    return i == 0 && t->rows[0].status != ZB_OK && !t->exact_asked;
}

/* What is left is divided evenly among those still to run, so that time a fast method
   does not use goes to the others; but counting, which no number of iterations ends,
   has no more than its own unless a time was asked for. shown: where rows are seen as
   they finish, or NULL. */
static void run(table *t, const app_args *args, const app_input *in,
                app_progress *progress, FILE *shown)
{
    double start = app_clock(), total = args->opt.time;
    int done = 0;
    if (total < 0)
        total = (double)SECONDS * t->count;
    for (; done < t->count && !app_interrupted(); done++) {
        double left = fmax(total - (app_clock() - start), 1e-3),
               share = total > 0 ? left / (t->count - done) : 0;
        if (args->opt.time < 0 && t->rows[done].method == ZB_METHOD_COUNT)
            share = fmin(share, SECONDS);
        run_row(&t->rows[done], args, in, progress, share);
        if (shown != NULL && !hidden(t, done))
            show_row(shown, &t->rows[done]);
    }
    t->count = done;
    if (done > 0 && hidden(t, 0))
        memmove(&t->rows[0], &t->rows[1], (size_t)--t->count * sizeof *t->rows);
}

/* ---- output ---------------------------------------------------------------------- */

static void print_text(const table *t, const app_input *in, FILE *out)
{
    app_report_model(in, out);
    text_head(out);
    for (int i = 0; i < t->count; i++)
        text_row(out, &t->rows[i]);
}

/* Below the rows that a terminal has seen. */
static void plot(const table *t, FILE *out)
{
    const char *name[MOST_METHODS];
    double width[MOST_METHODS];
    for (int i = 0; i < t->count; i++) {
        const row *w = &t->rows[i];
        name[i] = zb_method_name(w->method);
        width[i] = w->status == ZB_OK && both(&w->result) ? gap(&w->result) : INFINITY;
        if (w->status == ZB_OK && w->result.exact)
            width[i] = 0;
    }
    app_gap_plot(out, t->count, name, width);
}

static void csv_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void print_csv(const table *t, FILE *out)
{
    fputs("method,lower,upper,gap,estimate,iterations,seconds,guaranteed,exact,form,"
          "order,"
          "ibound,stop,error,rounding\n",
          out);
    for (int i = 0; i < t->count; i++) {
        const row *w = &t->rows[i];
        const zb_result *r = &w->result;
        fprintf(out, "%s,", zb_method_name(w->method));
        if (w->status != ZB_OK) {
            fputs(",,,,,,,,,,,,", out);
            csv_text(out, w->err.text);
            fputs(",\n", out);
            continue;
        }
        cell(out, "%.17g,", r->has_lower, r->log_lower, ",");
        cell(out, "%.17g,", r->has_upper, r->log_upper, ",");
        cell(out, "%.17g,", both(r), gap(r), ",");
        cell(out, "%.17g,", r->has_estimate, r->log_estimate, ",");
        fprintf(out, "%lld,%.6g,%s,%s,%s,%s,%d,%s,,%.17g\n", (long long)r->iterations,
                r->seconds, r->guaranteed ? "true" : "false",
                r->exact ? "true" : "false", zb_form_name(r->form),
                zb_order_name(r->order), r->ibound, zb_stop_name(r->stop), r->rounding);
    }
}

static json_t *json_row(const row *w)
{
    const zb_result *r = &w->result;
    if (w->status != ZB_OK)
        return json_pack("{s:s, s:o}", "method", zb_method_name(w->method), "error",
                         app_json_text(w->err.text));
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:f, s:b, s:b, s:s, s:s, s:i, s:s, s:n}",
        "method", zb_method_name(w->method), "log_lower",
        app_json_side(r->has_lower, r->log_lower), "log_upper",
        app_json_side(r->has_upper, r->log_upper), "gap",
        app_json_side(both(r), gap(r)), "rounding", app_json_real(r->rounding),
        "log_estimate", app_json_side(r->has_estimate, r->log_estimate), "iterations",
        (json_int_t)r->iterations, "seconds", r->seconds, "guaranteed", r->guaranteed,
        "exact", r->exact, "form", zb_form_name(r->form), "order",
        zb_order_name(r->order), "ibound", r->ibound, "stop", zb_stop_name(r->stop),
        "error");
}

static int print_json(const table *t, const app_input *in, FILE *out)
{
    json_t *rows = json_array();
    for (int i = 0; i < t->count; i++)
        json_array_append_new(rows, json_row(&t->rows[i]));
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:i, s:i, s:o, s:O}", "version", zb_version(), "model",
        app_json_text(in->path), "evidence", app_json_text(in->evidence), "variables",
        zb_model_nvars(in->model), "factors", zb_model_nfactors(in->model), "methods",
        rows, "notes", in->notes);
    return app_json_print(object, out) ? APP_OK : app_fail(APP_LIMIT, "out of memory");
}

/* For people, who see each row when it is there. */
static bool on_terminal(const app_args *args)
{
    return !args->csv && !args->json && app_is_terminal(STDOUT_FILENO);
}

/* On a terminal the table is there already. */
static int print(const table *t, const app_args *args, const app_input *in, FILE *out)
{
    int answered = 0;
    for (int i = 0; i < t->count; i++)
        answered += t->rows[i].status == ZB_OK;
    if (answered == 0 && app_interrupted())
        return app_fail(APP_LIMIT, "interrupted: nothing yet");
    if (answered == 0)
        return app_fail_status(t->rows[0].status, &t->rows[0].err);
    if (args->json)
        return print_json(t, in, out);
    if (args->csv)
        print_csv(t, out);
    else if (on_terminal(args))
        plot(t, out);
    else
        print_text(t, in, out);
    return APP_OK;
}

static int write_page(app_page *page, const table *t, const app_args *args,
                      const app_input *in)
{
    page_method m[MOST_METHODS];
    if (page->file.out == NULL)
        return APP_OK;
    for (int i = 0; i < t->count; i++) {
        const row *w = &t->rows[i];
        m[i] = (page_method){ zb_method_name(w->method),
                              w->status != ZB_OK ? w->err.text : NULL, &w->result };
    }
    app_page_head(page, "Methods on ln Z", in);
    page_methods(page->file.out, t->count, m);
    return app_page_tail(page, args, in);
}

static int work(table *t, app_args *args, app_input *in, FILE *out)
{
    app_progress progress;
    app_page page;
    int code = app_page_open(&page, args, in);
    if (code == APP_OK &&
        (code = app_progress_open(&progress, args, in->notes)) == APP_OK) {
        FILE *shown = on_terminal(args) ? stdout : NULL;
        if (shown != NULL) {
            app_report_model(in, shown);
            text_head(shown);
        }
        run(t, args, in, &progress, shown);
        app_signals_hold();
        app_progress_close(&progress, NULL);
        code = print(t, args, in, out);
    }
    if (code == APP_OK)
        code = write_page(&page, t, args, in);
    app_page_free(&page);
    return code;
}

int app_compare(app_args *args, FILE *out)
{
    app_input in;
    table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    if (!app_option_given(args, "ibound"))
        args->opt.ibound = IBOUND;
    int code = choose(t, args->methods, args->opt.side);
    if (code == APP_OK) {
        code = app_input_read(&in, args);
        app_signals_catch(); /* from here on there may be rows to show */
        if (code == APP_OK)
            code = work(t, args, &in, out);
        app_input_free(&in);
    }
    free(t);
    return code;
}
