/* `order`: an elimination order of the model as given. Observed variables take part in
 * nothing, so they come first and cost nothing. */
#include "console.h"
#include "input.h"
#include "json.h"
#include "report.h"

#include "base/base.h"
#include "order/order.h"

#include <math.h>
#include <string.h>

enum { TRIES = 8, SECONDS = 2 };

/* Take the observed variables out of every scope. */
static void drop_observed(zb_scopes *s, const zb_model *model)
{
    size_t kept = 0, from = 0;
    for (int i = 0; i < s->count; i++) {
        size_t to = s->at[i + 1];
        for (; from < to; from++)
            if (zb_model_evidence(model, s->var[from]) < 0)
                s->var[kept++] = s->var[from];
        s->at[i + 1] = kept;
    }
    for (int v = 0; v < s->nvars; v++)
        if (zb_model_evidence(model, v) >= 0)
            s->card[v] = 1;
}

static zb_status find_order(const zb_scopes *s, const app_args *args, int *order,
                            zb_order_cost *cost)
{
    const zb_options *opt = &args->opt;
    zb_order_request request = { .kind = opt->order,
                                 .ibound = opt->ibound > 0 ? opt->ibound : 10,
                                 .seed = opt->seed,
                                 .tries = TRIES,
                                 .seconds = opt->time > 0 ? opt->time : SECONDS };
    if (opt->order != ZB_ORDER_FILE)
        return zb_order_make(s, &request, order, cost);
    memcpy(order, opt->order_list, (size_t)s->nvars * sizeof *order);
    return zb_order_evaluate(s, order, cost);
}

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
    zb_scopes *scopes = NULL;
    zb_order_cost cost;
    int code = APP_OK;
    int *order = zb_alloc((size_t)zb_model_nvars(in->model), sizeof *order);
    zb_status status = order != NULL ? ZB_OK : ZB_ENOMEM;
    if (status == ZB_OK)
        status = zb_scopes_new(&scopes, in->model);
    if (status == ZB_OK) {
        drop_observed(scopes, in->model);
        status = find_order(scopes, args, order, &cost);
    }
    if (status != ZB_OK)
        code = app_fail_status(status, &(zb_error){ "" });
    else
        code = print(args, in, order, &cost, out);
    zb_scopes_free(scopes);
    zb_free(order);
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
