/* `order`: an elimination order of the model as given. */
#include "console.h"
#include "input.h"
#include "json.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool print_json(const app_args *args, const app_input *in, const int *order,
                       const zb_order_cost *cost, FILE *out)
{
    int nvars = zb_model_nvars(in->model);
    json_t *list = json_array();
    for (int i = 0; i < nvars; i++)
        json_array_append_new(list, json_integer(order[i]));
    return app_json_print(
        json_pack("{s:s, s:o, s:o, s:i, s:i, s:s, s:o, s:i, s:o, s:o, s:o, s:O}",
                  "version", zb_version(), "model", app_json_text(in->path), "evidence",
                  app_json_text(in->evidence), "variables", nvars, "factors",
                  zb_model_nfactors(in->model), "order", zb_order_name(args->opt.order),
                  "seed", json_integer((json_int_t)args->opt.seed), "width",
                  cost->width, "largest_table", app_json_count(cost->largest),
                  "total_entries", app_json_count(cost->total), "elimination", list,
                  "notes", in->notes),
        out);
}

static void print_text(const app_args *args, const app_input *in,
                       const zb_order_cost *cost, FILE *out)
{
    app_report_model(in, out);
    fprintf(out, "order     %s\n", zb_order_name(args->opt.order));
    fprintf(out, "width     %d\n", cost->width);
    fprintf(out, "largest   %.12g entries (2^%.1f)\n", cost->largest,
            log2(cost->largest));
    fprintf(out, "total     %.12g entries\n", cost->total);
    if (args->output != NULL)
        fprintf(out, "written   %s\n", args->output);
}

static int print(const app_args *args, const app_input *in, const int *order,
                 const zb_order_cost *cost, FILE *out)
{
    int nvars = zb_model_nvars(in->model);
    zb_error err = { "" };
    if (args->output != NULL && strcmp(args->output, "-") == 0) {
        fprintf(out, "%d\n", nvars);
        for (int i = 0; i < nvars; i++)
            fprintf(out, "%d\n", order[i]);
        return APP_OK;
    }
    if (args->output != NULL &&
        zb_order_write(order, nvars, args->output, &err) != ZB_OK)
        return app_fail(APP_USAGE, "%s", err.text);
    if (!args->json)
        print_text(args, in, cost, out);
    else if (!print_json(args, in, order, cost, out))
        return app_fail(APP_LIMIT, "out of memory");
    return APP_OK;
}

static int work(const app_args *args, const app_input *in, FILE *out)
{
    zb_order_cost cost;
    zb_error err = { "" };
    int *order = malloc(((size_t)zb_model_nvars(in->model) + 1) * sizeof *order);
    if (order == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    zb_status status = zb_order_find(in->model, &args->opt, NULL, order, &cost, &err);
    int code = status != ZB_OK ? app_fail_status(status, &err)
                               : print(args, in, order, &cost, out);
    free(order);
    return code;
}

int app_order(app_args *args, FILE *out)
{
    app_input in;
    int code = app_input_read(&in, args);
    if (code == APP_OK)
        code = work(args, &in, out);
    app_input_free(&in);
    return code;
}
