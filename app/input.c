#include "input.h"
#include "console.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void app_input_note(app_input *in, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    app_note("%s", text);
    json_array_append_new(in->notes, app_json_text(text));
}

static void on_note(void *context, const char *sentence)
{
    app_input_note(context, "%s", sentence);
}

/* The length of a model's name less .gz, .xz or .zst. */
static size_t unpacked_length(const char *path)
{
    static const char *const packed[] = { ".gz", ".xz", ".zst" };
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        size_t tail = strlen(packed[i]);
        if (length > tail && strcmp(path + length - tail, packed[i]) == 0)
            return length - tail;
    }
    return length;
}

/* The model's name less .gz, with .evid; NULL where there is no such file. */
static char *beside(const char *path)
{
    size_t length = unpacked_length(path);
    char *name = malloc(length + sizeof ".evid");
    if (name == NULL)
        return NULL;
    memcpy(name, path, length);
    strcpy(name + length, ".evid");
    if (access(name, F_OK) == 0)
        return name;
    free(name);
    return NULL;
}

static int read_evidence(app_input *in, const app_args *args)
{
    zb_error err = { "" };
    if (args->count > 1)
        in->evidence = strdup(args->positional[1]);
    else if (!args->no_evidence && strcmp(in->path, "-") != 0)
        in->evidence = beside(in->path);
    in->found = in->evidence != NULL && args->count < 2;
    if (in->evidence == NULL)
        return APP_OK;
    zb_status status =
        zb_evidence_read(in->model, in->evidence,
                         (zb_evidence_format)args->evidence_format, &in->info, &err);
    if (status != ZB_OK)
        return app_fail_status(status, &err);
    if (in->info.samples > 1)
        app_input_note(in, "%s: %d samples; the first one is used", in->evidence,
                       in->info.samples);
    return APP_OK;
}

static int read_order(app_input *in, app_args *args)
{
    int nvars = zb_model_nvars(in->model);
    zb_error err = { "" };
    if (args->order_file == NULL)
        return APP_OK;
    in->order = calloc((size_t)nvars + 1, sizeof *in->order);
    if (in->order == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    zb_status status = zb_order_read(in->order, nvars, args->order_file, &err);
    if (status != ZB_OK)
        return app_fail_status(status, &err);
    args->opt.order_list = in->order;
    return APP_OK;
}

const char *app_input_nearest(const zb_model *model, const char *word)
{
    int n = zb_model_has_names(model) ? zb_model_nvars(model) : 0;
    const char **names = malloc(((size_t)n + 1) * sizeof *names), *near = NULL;
    if (names != NULL) {
        for (int v = 0; v < n; v++)
            names[v] = zb_model_var_name(model, v);
        near = app_nearest(word, n, names);
    }
    free(names);
    return near;
}

/* What --evidence perhaps meant by the first variable that is none. */
static const char *meant(const zb_model *model, const char *text)
{
    char word[64];
    for (const char *at = text; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        size_t length = strcspn(at, "=,");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (zb_model_find_var(model, word) < 0)
            return app_input_nearest(model, word);
    }
    return NULL;
}

/* --evidence, besides what a file says. */
static int observe(app_input *in, const app_args *args)
{
    zb_error err = { "" };
    if (args->observe == NULL)
        return APP_OK;
    in->observed = args->observe;
    zb_status status = zb_evidence_set(in->model, args->observe, &err);
    const char *near = status == ZB_EINVAL ? meant(in->model, args->observe) : NULL;
    return status == ZB_OK       ? APP_OK
           : status == ZB_EINVAL ? app_fail(APP_USAGE, "%s%s%s%s", err.text,
                                            near ? "; did you mean " : "",
                                            near ? near : "", near ? "?" : "")
                                 : app_fail_status(status, &err);
}

/* --beta: the model at that inverse temperature in its place. */
static int raise_model(app_input *in, const app_args *args)
{
    zb_model *raised;
    double beta;
    int code = app_args_beta(args, &beta);
    if (code != APP_OK || beta == 1)
        return code;
    zb_status status = zb_model_raise(&raised, in->model, beta);
    if (status == ZB_EINVAL)
        return app_fail(APP_USAGE, "--beta: %g is too large for this model", beta);
    if (status != ZB_OK)
        return app_fail_status(status, &(zb_error){ "" });
    zb_model_free(in->model);
    in->model = raised;
    return APP_OK;
}

static int check_stdin(const app_args *args)
{
    int uses = args->order_file != NULL && strcmp(args->order_file, "-") == 0;
    for (int i = 0; i < args->count; i++)
        uses += strcmp(args->positional[i], "-") == 0;
    if (uses > 1)
        return app_fail(APP_USAGE, "only one file can be read from stdin");
    if (args->no_evidence && args->count > 1)
        return app_fail(APP_USAGE, "--no-evidence, but '%s' is given as evidence",
                        args->positional[1]);
    return APP_OK;
}

int app_input_read(app_input *in, app_args *args)
{
    zb_error err = { "" };
    *in = (app_input){ .path = args->positional[0], .notes = json_array() };
    const zb_observer observer = { .context = in, .note = on_note };
    int code = check_stdin(args);
    if (code != APP_OK)
        return code;
    zb_limit_memory(args->opt.memory > 0 ? args->opt.memory : zb_memory_default());
    const zb_reading how = { .format = (zb_format)args->model_format,
                             .base = (zb_base)args->base,
                             .observer = &observer };
    zb_status status = zb_model_read_with(&in->model, in->path, &how, &err);
    if (status != ZB_OK)
        return app_fail_status(status, &err);
    code = raise_model(in, args);
    if (code == APP_OK)
        code = read_evidence(in, args);
    if (code == APP_OK)
        code = observe(in, args);
    return code != APP_OK ? code : read_order(in, args);
}

void app_input_free(app_input *in)
{
    zb_model_free(in->model);
    free(in->evidence);
    free(in->order);
    json_decref(in->notes);
}

void app_input_evidence_text(const app_input *in, char *text, size_t size)
{
    const zb_evidence_info *e = &in->info;
    const char *grammar = e->ergo ? "2006 grammar with a comment"
                          : e->format == ZB_EVIDENCE_SAMPLES
                              ? "2010 grammar with samples"
                              : "plain grammar";
    int used = snprintf(text, size, "%d observed, %s", e->observed, grammar);
    if (e->samples > 1 && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", the first of %d samples",
                 e->samples);
}

int app_input_max_card(const zb_model *model)
{
    int most = 0;
    for (int v = 0; v < zb_model_nvars(model); v++)
        if (zb_model_card(model, v) > most)
            most = zb_model_card(model, v);
    return most;
}
