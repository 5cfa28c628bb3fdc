/* `map`: the best state found, and how good any state could be. */
#include "console.h"
#include "number.h"
#include "progress.h"
#include "report.h"
#include "result_file.h"
#include "signals.h"

#include <math.h>
#include <stdlib.h>

typedef struct job {
    const app_args *args;
    app_input *in;
    int *state;
    zb_best best;
} job;

/* ---- for people ------------------------------------------------------------------ */

static const char *standing(const zb_best *b)
{
    if (!b->found)
        return "no state was found; the bound is guaranteed";
    return b->optimal ? "optimal: no state has a larger weight"
                      : "the bound is guaranteed; there may be better states";
}

static void print_state(const job *j, FILE *out)
{
    const zb_model *model = j->in->model;
    for (int v = 0; v < zb_model_nvars(model); v++) {
        const char *name = zb_model_var_name(model, v),
                   *value = zb_model_state_name(model, v, j->state[v]);
        if (zb_model_has_names(model))
            fprintf(out, "%s=%s\n", name, value);
        else
            fprintf(out, "%s%d", v > 0 ? " " : "", j->state[v]);
    }
    fputs(zb_model_has_names(model) ? "" : "\n", out);
}

/* Of the best state, up to rounding; or what was found and what there may be. */
static void print_weight(const zb_best *b, FILE *out)
{
    char low[APP_NUMBER], high[APP_NUMBER], text[2 * APP_NUMBER];
    if (b->found && b->optimal && isfinite(b->log_value)) {
        fprintf(out, "\nln weight %s\n\n",
                app_within(b->log_value, b->log_upper, text));
        return;
    }
    fprintf(out, "\n          value                upper                gap\n");
    fprintf(out, "ln weight %-20s %-20s %.6g\n\n",
            app_outward(b->log_value, 12, -1, low),
            app_outward(b->log_upper, 12, 1, high),
            b->found ? b->log_upper - b->log_value : INFINITY);
}

static void print_text(const job *j, FILE *out)
{
    const zb_best *b = &j->best;
    char text[32];
    app_report_model(j->in, out);
    print_weight(b, out);
    fprintf(out, "standing  %s\n", standing(b));
    fprintf(out, "cost      %s\n\n", app_seconds_text(b->seconds, text));
    if (b->found)
        print_state(j, out);
}

/* ---- for programs ---------------------------------------------------------------- */

static json_t *state_json(const job *j)
{
    json_t *list = json_array();
    for (int v = 0; j->best.found && v < zb_model_nvars(j->in->model); v++)
        json_array_append_new(list, json_integer(j->state[v]));
    if (j->best.found)
        return list;
    json_decref(list);
    return json_null();
}

/* "variable": "state" */
static json_t *names_json(const job *j)
{
    const zb_model *model = j->in->model;
    json_t *object = json_object();
    for (int v = 0; v < zb_model_nvars(model); v++)
        json_object_set_new(object, zb_model_var_name(model, v),
                            app_json_text(zb_model_state_name(model, v, j->state[v])));
    return object;
}

static bool print_json(const job *j, FILE *out)
{
    const zb_best *b = &j->best;
    json_t *object = json_object();
    app_report_input(object, j->in);
    json_object_set_new(object, "state", state_json(j));
    if (b->found && zb_model_has_names(j->in->model))
        json_object_set_new(object, "names", names_json(j));
    json_object_set_new(object, "log_value", app_json_side(b->found, b->log_value));
    json_object_set_new(object, "log_upper", app_json_real(b->log_upper));
    json_object_set_new(object, "optimal", json_boolean(b->optimal));
    json_object_set_new(object, "ibound", json_integer(b->ibound));
    json_object_set_new(object, "stop", json_string(zb_stop_name(b->stop)));
    json_object_set_new(object, "seconds", app_json_real(b->seconds));
    json_object_set(object, "notes", j->in->notes);
    return app_json_print(object, out);
}

static bool write_uai(void *context, FILE *file)
{
    const job *j = context;
    int n = zb_model_nvars(j->in->model);
    fprintf(file, "MPE\n%d", n);
    for (int v = 0; v < n; v++)
        fprintf(file, " %d", j->state[v]);
    return fprintf(file, "\n") > 0;
}

/* ---- the command ----------------------------------------------------------------- */

static int answer(const job *j, const char *uai, FILE *out)
{
    if (j->best.log_upper == -INFINITY)
        app_input_note(j->in, "Z = 0: no state has positive weight");
    else if (!j->best.found && j->best.log_upper == INFINITY)
        return app_fail(APP_LIMIT, "%s before there was a state or a bound",
                        app_interrupted() ? "interrupted" : "the time was over");
    int code = app_result_write(j->best.found ? uai : NULL, write_uai, (void *)j);
    if (code != APP_OK)
        return code;
    if (!j->args->json)
        print_text(j, out);
    else if (!print_json(j, out))
        return app_fail(APP_LIMIT, "out of memory");
    return APP_OK;
}

static int solve(job *j, const char *uai, FILE *out)
{
    app_progress progress;
    zb_error err = { "" };
    int code = app_progress_open(&progress, j->args, j->in->notes);
    if (code != APP_OK)
        return code;
    zb_status status = zb_best_state(j->in->model, &j->args->opt, &progress.observer,
                                     j->state, &j->best, &err);
    app_signals_hold();
    app_live("");
    if (status == ZB_ELIMIT && app_interrupted())
        code = app_fail(APP_LIMIT, "interrupted: nothing yet");
    else if (status != ZB_OK)
        code = app_fail_status(status, &err);
    else
        code = answer(j, uai, out);
    int closed = app_progress_close(&progress, NULL);
    return code != APP_OK ? code : closed;
}

int app_map(app_args *args, FILE *out)
{
    app_input in;
    job j = { .args = args, .in = &in };
    const char *uai = args->uai;
    args->uai = NULL; /* written once, at the end */
    int code = app_input_read(&in, args);
    if (code == APP_OK)
        code = app_result_check(uai);
    if (code == APP_OK) {
        j.state = calloc((size_t)zb_model_nvars(in.model) + 1, sizeof *j.state);
        code = j.state != NULL ? APP_OK : app_fail(APP_LIMIT, "out of memory");
    }
    app_signals_catch(); /* from here on there may be something to show */
    if (code == APP_OK)
        code = solve(&j, uai, out);
    free(j.state);
    app_input_free(&in);
    return code;
}
