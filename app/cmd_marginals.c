/* `marginals`: distributions, exact or with their intervals. */
#include "console.h"
#include "number.h"
#include "page/answers.h"
#include "progress.h"
#include "report.h"
#include "result_file.h"
#include "signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    app_args *args;
    app_input *in;
    int *list; /* the variables that are wanted, in the order of --variables */
    int count;
    zb_marginals *answer;
    app_page page;
    FILE *out;
} job;

/* ---- --variables ----------------------------------------------------------------- */

static int unknown(const zb_model *model, const char *word)
{
    const char *near = app_input_nearest(model, word);
    return app_fail(APP_USAGE, "--variables: there is no variable '%s'%s%s%s", word,
                    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int add_variable(job *j, const char *word)
{
    int v = zb_model_find_var(j->in->model, word);
    if (v < 0)
        return unknown(j->in->model, word);
    for (int i = 0; i < j->count; i++)
        if (j->list[i] == v)
            return app_fail(APP_USAGE, "--variables: '%s' twice", word);
    j->list[j->count++] = v;
    return APP_OK;
}

static int list_variables(job *j, const char *text)
{
    int n = zb_model_nvars(j->in->model), code = APP_OK;
    j->list = malloc(((size_t)n + 1) * sizeof *j->list);
    char *copy = strdup(text != NULL ? text : ""), *rest = copy, *word;
    if (j->list == NULL || copy == NULL)
        code = app_fail(APP_LIMIT, "out of memory");
    for (int v = 0; code == APP_OK && text == NULL && v < n; v++)
        j->list[j->count++] = v;
    while (code == APP_OK && text != NULL && (word = strsep(&rest, ",")) != NULL)
        code = add_variable(j, word);
    free(copy);
    return code;
}

/* ---- names ----------------------------------------------------------------------- */

static void put_var(const job *j, int v)
{
    const char *name = zb_model_var_name(j->in->model, v);
    if (*name != '\0')
        fputs(name, j->out);
    else
        fprintf(j->out, "%d", v);
}

static void put_state(const job *j, int v, int x)
{
    const char *name = zb_model_state_name(j->in->model, v, x);
    if (*name != '\0')
        fputs(name, j->out);
    else
        fprintf(j->out, "%d", x);
}

/* The values of a scope at entry e of its table, the last varying fastest. */
static void put_states(const job *j, int arity, const int *scope, size_t e)
{
    size_t block = 1;
    for (int i = 0; i < arity; i++)
        block *= (size_t)zb_model_card(j->in->model, scope[i]);
    for (int i = 0; i < arity; i++) {
        block /= (size_t)zb_model_card(j->in->model, scope[i]);
        fputs(i > 0 ? " " : "", j->out);
        put_state(j, scope[i], (int)(e / block));
        e %= block;
    }
}

static void put_scope(const job *j, int arity, const int *scope)
{
    for (int i = 0; i < arity; i++) {
        fputs(i > 0 ? " " : "", j->out);
        put_var(j, scope[i]);
    }
}

/* Each distribution that was asked for, variables first. */
typedef void visitor(const job *j, int arity, const int *scope, zb_marginal m);

static void visit(const job *j, visitor *show)
{
    const zb_model *model = j->in->model;
    for (int i = 0; i < j->count; i++)
        show(j, 1, &j->list[i], zb_marginals_of(j->answer, j->list[i]));
    for (int f = 0; j->args->pairs && f < zb_model_nfactors(model); f++)
        show(j, zb_model_arity(model, f), zb_model_scope(model, f),
             zb_marginals_of_factor(j->answer, f));
}

/* ---- for people ------------------------------------------------------------------ */

/* Columns end with tabs, which app_columns turns into spaces. */
static void show_text(const job *j, int arity, const int *scope, zb_marginal m)
{
    char low[APP_NUMBER], high[APP_NUMBER];
    for (size_t e = 0; e < m.size; e++) {
        if (e == 0)
            put_scope(j, arity, scope);
        fputs("\t", j->out);
        put_states(j, arity, scope, e);
        if (zb_marginals_about(j->answer).exact)
            fprintf(j->out, "\t%.10g\n", m.value[e]);
        else
            fprintf(j->out, "\t%.4g\t+- %.2g\tin [%s, %s]\n", m.value[e], m.error[e],
                    app_outward(m.lower[e], 4, -1, low),
                    app_outward(m.upper[e], 4, 1, high));
    }
}

static bool print_rows(job *j)
{
    FILE *out = j->out;
    char *text = NULL;
    size_t length;
    j->out = open_memstream(&text, &length);
    bool good = j->out != NULL;
    if (good) {
        visit(j, show_text);
        good = fclose(j->out) == 0;
    }
    j->out = out;
    if (good)
        app_columns(out, text);
    free(text);
    return good;
}

static bool print_text(job *j)
{
    zb_marginals_info about = zb_marginals_about(j->answer);
    char text[32];
    app_report_model(j->in, j->out);
    if (about.exact)
        fprintf(j->out, "standing  exact, but for rounding\n");
    else
        fprintf(j->out,
                "standing  intervals are guaranteed; values are estimates from %zu "
                "draws, with standard errors\n",
                about.samples);
    fprintf(j->out, "cost      %s\n\n", app_seconds_text(about.seconds, text));
    return print_rows(j);
}

/* ---- CSV ------------------------------------------------------------------------- */

static void show_csv(const job *j, int arity, const int *scope, zb_marginal m)
{
    for (size_t e = 0; e < m.size; e++) {
        put_scope(j, arity, scope);
        fputs(",", j->out);
        put_states(j, arity, scope, e);
        fprintf(j->out, ",%.17g,%.17g,%.17g,%.17g\n", m.value[e], m.lower[e],
                m.upper[e], m.error[e]);
    }
}

/* ---- JSON ------------------------------------------------------------------------ */

static json_t *numbers(size_t n, const double *x)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, app_json_real(x[i]));
    return list;
}

static json_t *named(const zb_model *model, int v)
{
    json_t *states = json_array();
    for (int x = 0; x < zb_model_card(model, v); x++)
        json_array_append_new(states, app_json_text(zb_model_state_name(model, v, x)));
    return json_pack("{s:o, s:o}", "name", app_json_text(zb_model_var_name(model, v)),
                     "states", states);
}

/* Which variables the arrays below are about, and their names. */
static void put_list(const job *j, json_t *object)
{
    const zb_model *model = j->in->model;
    json_t *of = json_array(), *names = json_array();
    for (int i = 0; i < j->count; i++) {
        json_array_append_new(of, json_integer(j->list[i]));
        if (zb_model_has_names(model))
            json_array_append_new(names, named(model, j->list[i]));
    }
    json_object_set_new(object, "of", of);
    if (zb_model_has_names(model))
        json_object_set_new(object, "names", names);
    else
        json_decref(names);
}

static void put_arrays(const job *j, json_t *object)
{
    json_t *value = json_array(), *lower = json_array(), *upper = json_array(),
           *error = json_array();
    for (int i = 0; i < j->count; i++) {
        zb_marginal m = zb_marginals_of(j->answer, j->list[i]);
        json_array_append_new(value, numbers(m.size, m.value));
        json_array_append_new(lower, numbers(m.size, m.lower));
        json_array_append_new(upper, numbers(m.size, m.upper));
        json_array_append_new(error, numbers(m.size, m.error));
    }
    json_object_set_new(object, "marginals", value);
    json_object_set_new(object, "lower", lower);
    json_object_set_new(object, "upper", upper);
    json_object_set_new(object, "error", error);
}

static json_t *pairs(const job *j)
{
    const zb_model *model = j->in->model;
    json_t *list = json_array();
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        zb_marginal m = zb_marginals_of_factor(j->answer, f);
        json_t *scope = json_array();
        for (int i = 0; i < zb_model_arity(model, f); i++)
            json_array_append_new(scope, json_integer(zb_model_scope(model, f)[i]));
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "scope", scope, "marginals",
                            numbers(m.size, m.value), "lower", numbers(m.size, m.lower),
                            "upper", numbers(m.size, m.upper), "error",
                            numbers(m.size, m.error)));
    }
    return list;
}

static bool print_json(const job *j)
{
    zb_marginals_info about = zb_marginals_about(j->answer);
    json_t *object = json_object();
    app_report_input(object, j->in);
    json_object_set_new(object, "exact", json_boolean(about.exact));
    put_list(j, object);
    put_arrays(j, object);
    if (j->args->pairs)
        json_object_set_new(object, "pairs", pairs(j));
    json_object_set_new(object, "samples", app_json_count((double)about.samples));
    json_object_set_new(object, "stop", json_string(zb_stop_name(about.stop)));
    json_object_set_new(object, "seconds", app_json_real(about.seconds));
    json_object_set(object, "notes", j->in->notes);
    return app_json_print(object, j->out);
}

/* ---- the command ----------------------------------------------------------------- */

/* The competitions' file: all variables, each with its number of values and their
   probabilities. */
static bool write_uai(void *context, FILE *file)
{
    const job *j = context;
    fprintf(file, "MAR\n%d", j->count);
    for (int i = 0; i < j->count; i++) {
        zb_marginal m = zb_marginals_of(j->answer, j->list[i]);
        fprintf(file, " %zu", m.size);
        for (size_t e = 0; e < m.size; e++)
            fprintf(file, " %.17g", m.value[e]);
    }
    return fprintf(file, "\n") > 0;
}

static int answer(job *j, const char *uai)
{
    int code = app_result_write(uai, write_uai, j);
    if (code != APP_OK)
        return code;
    if (j->args->csv) {
        fprintf(j->out, "scope,state,probability,lower,upper,error\n");
        visit(j, show_csv);
    } else if (!(j->args->json ? print_json(j) : print_text(j)))
        return app_fail(APP_LIMIT, "out of memory");
    return APP_OK;
}

static int write_page(job *j)
{
    FILE *out = j->page.file.out;
    if (out == NULL)
        return APP_OK;
    app_page_head(&j->page, "Marginals", j->in);
    page_marginals_part(
        out, &(page_marginals){ j->in->model, j->answer, j->count, j->list });
    return app_page_tail(&j->page, j->args, j->in);
}

static int solve(job *j, const char *uai)
{
    app_progress progress;
    zb_error err = { "" };
    zb_marginals_request what = { j->list, j->count, j->args->pairs };
    int code = app_progress_open(&progress, j->args, j->in->notes);
    if (code != APP_OK)
        return code;
    zb_status status = zb_marginals_new(&j->answer, j->in->model, &j->args->opt, &what,
                                        &progress.observer, &err);
    app_signals_hold();
    app_live("");
    if (status == ZB_EINVAL) /* Z = 0: a fault of the model */
        code = app_fail(APP_INPUT, "%s", err.text);
    else if (status == ZB_ELIMIT && app_interrupted())
        code = app_fail(APP_LIMIT, "interrupted: nothing yet");
    else if (status != ZB_OK)
        code = app_fail_status(status, &err);
    else
        code = answer(j, uai);
    if (code == APP_OK)
        code = write_page(j);
    int closed = app_progress_close(&progress, NULL);
    return code != APP_OK ? code : closed;
}

int app_marginals(app_args *args, FILE *out)
{
    app_input in;
    job j = { .args = args, .in = &in, .out = out };
    const char *uai = args->uai;
    args->uai = NULL; /* written once, at the end */
    int code = app_input_read(&in, args);
    if (code == APP_OK && uai != NULL && args->variables != NULL)
        code = app_fail(APP_USAGE, "--uai is about all variables: no --variables");
    if (code == APP_OK && args->csv && args->json)
        code = app_fail(APP_USAGE, "--csv or --json, not both");
    if (code == APP_OK)
        code = app_result_check(uai);
    if (code == APP_OK)
        code = list_variables(&j, args->variables);
    app_signals_catch(); /* from here on there may be something to show */
    if (code == APP_OK)
        code = app_page_open(&j.page, args, &in);
    if (code == APP_OK)
        code = solve(&j, uai);
    app_page_free(&j.page);
    zb_marginals_free(j.answer);
    free(j.list);
    app_input_free(&in);
    return code;
}
