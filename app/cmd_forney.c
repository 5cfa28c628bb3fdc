/* `forney`: the equivalent model in which every variable sits in two factors. */
#include "console.h"
#include "input.h"
#include "json.h"
#include "report.h"

#include <string.h>

enum { IBOUND = 6 }; /* joint scopes of the merged form */

static void print_text(const app_input *in, const zb_form_info *f, const char *path,
                       FILE *out)
{
    char vars[64], factors[64];
    app_report_model(in, out);
    fprintf(out, "form      %s: %s, %s, arity up to %d, %.12g table entries\n",
            zb_form_name(f->form), app_plural(f->nvars, "variable", vars),
            app_plural(f->nfactors, "factor", factors), f->max_arity, f->entries);
    fprintf(out, "factors   %d from the model's, %d equalities, %d uniform\n",
            f->clusters, f->equality, f->uniform);
    fprintf(out, "gone      %d variables summed out, %d fixed, %d in no factor\n",
            f->summed, f->fixed, f->isolated);
    if (f->rows > 0)
        fprintf(out, "grid      %d x %d%s\n", f->rows, f->cols,
                f->ring_rows || f->ring_cols ? ", periodic" : "");
    fprintf(out, "written   %s\n", path);
}

static bool print_json(const app_input *in, const zb_form_info *f, const char *path,
                       FILE *out)
{
    return app_json_print(
        json_pack("{s:s, s:o, s:o, s:i, s:i, s:s, s:{s:i, s:i, s:i, s:o, s:i, s:i, "
                  "s:i, s:i, s:i, s:i, s:i}, s:o, s:O}",
                  "version", zb_version(), "model", app_json_text(in->path), "evidence",
                  app_json_text(in->evidence), "variables", zb_model_nvars(in->model),
                  "factors", zb_model_nfactors(in->model), "form",
                  zb_form_name(f->form), "result", "variables", f->nvars, "factors",
                  f->nfactors, "max_arity", f->max_arity, "entries",
                  app_json_count(f->entries), "clusters", f->clusters, "equality",
                  f->equality, "uniform", f->uniform, "absorbed", f->absorbed, "summed",
                  f->summed, "fixed", f->fixed, "isolated", f->isolated, "output",
                  app_json_text(path), "notes", in->notes),
        out);
}

static int convert(const app_args *args, const app_input *in, FILE *out)
{
    const char *path = args->output != NULL ? args->output : "-";
    int ibound = args->opt.ibound > 0 ? args->opt.ibound : IBOUND;
    zb_form form = app_option_given(args, "form") ? args->opt.form : ZB_FORM_FORNEY;
    zb_model *model = NULL;
    zb_form_info info;
    zb_error err = { "" };
    zb_status status = zb_form_make(&model, in->model, form, ibound, 0, &info, &err);
    if (status != ZB_OK)
        return app_fail_status(status, &err);
    int code = APP_OK;
    if (zb_model_write(model, path, &err) != ZB_OK)
        code = app_fail(APP_USAGE, "%s", err.text);
    else if (strcmp(path, "-") == 0)
        ; /* the model is the output */
    else if (!args->json)
        print_text(in, &info, path, out);
    else if (!print_json(in, &info, path, out))
        code = app_fail(APP_LIMIT, "out of memory");
    zb_model_free(model);
    return code;
}

int app_forney(app_args *args, FILE *out)
{
    app_input in;
    int code = app_input_read(&in, args);
    if (code == APP_OK)
        code = convert(args, &in, out);
    app_input_free(&in);
    return code;
}
