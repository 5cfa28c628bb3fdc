/* `bound`, `exact` and the bare `zbound MODEL`. */
#include "console.h"
#include "mc.h"
#include "page/page.h"
#include "progress.h"
#include "report.h"
#include "signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool nothing(const zb_result *r)
{
    bool lower = r->has_lower && r->log_lower != -INFINITY;
    bool upper = r->has_upper && r->log_upper != INFINITY;
    return !lower && !upper && !r->has_estimate;
}

/* A lower bound of -inf alone is true and says nothing, but it is what was asked for;
   only an early end makes it "nothing yet". */
static int refuse(zb_status status, const zb_error *err, const zb_result *r)
{
    bool early = r->stop == ZB_STOP_INTERRUPTED || r->stop == ZB_STOP_TIME ||
                 r->stop == ZB_STOP_MEMORY;
    if (status != ZB_OK && app_interrupted() && status == ZB_ELIMIT)
        return app_fail(APP_LIMIT, "interrupted: nothing yet");
    if (status != ZB_OK)
        return app_fail_status(status, err);
    if (nothing(r) && early)
        return app_fail(APP_LIMIT, "%s before there was any bound: nothing yet",
                        r->stop == ZB_STOP_TIME     ? "the time was over"
                        : r->stop == ZB_STOP_MEMORY ? "the memory was used up"
                                                    : "interrupted");
    return APP_OK;
}

static int answer(const app_report *report, FILE *out)
{
    const zb_result *r = report->result;
    if ((r->has_upper && r->log_upper == -INFINITY) ||
        (r->exact && r->has_lower && r->log_lower == -INFINITY))
        app_input_note(report->input,
                       "Z = 0: the evidence contradicts the model, or its factors each "
                       "other; no state has positive weight");
    if (!report->args->json)
        app_report_text(report, out);
    else if (!app_report_json(report, out))
        return app_fail(APP_LIMIT, "out of memory");
    return APP_OK;
}

/* ---- states ---------------------------------------------------------------------- */

typedef struct states { /* --load and --save; either may be NULL */
    zb_state *from, *to;
} states;

static int load_state(states *s, const app_args *args, const app_input *in)
{
    zb_method m = args->opt.method;
    zb_error err = { "" };
    bool named = args->load == NULL || app_option_given(args, "method");
    if ((args->save != NULL || args->load != NULL) && named && !zb_method_has_state(m))
        return app_fail(APP_USAGE,
                        "--%s: method '%s' has no state: name a --method from mbe to "
                        "wmbe-wg%s",
                        args->save != NULL ? "save" : "load", zb_method_name(m),
                        args->load != NULL ? ", or none to use the state's" : "");
    if (args->load == NULL)
        return APP_OK;
    if (strcmp(args->load, "-") == 0 && strcmp(in->path, "-") == 0)
        return app_fail(APP_USAGE, "only one file can be read from stdin");
    zb_status status = zb_state_read(&s->from, args->load, &err);
    return status == ZB_OK ? APP_OK : app_fail_status(status, &err);
}

/* Before the work is done: that its result will find a place. What was not there is not
   there afterwards. */
static int check_place(const char *option, const char *path)
{
    if (path == NULL)
        return APP_OK;
    bool is_new = access(path, F_OK) != 0;
    FILE *probe = strcmp(path, "-") != 0 ? fopen(path, "a") : NULL;
    if (probe == NULL)
        return app_fail(APP_USAGE, "--%s: cannot write '%s'", option, path);
    fclose(probe);
    if (is_new)
        unlink(path);
    return APP_OK;
}

static int save_state(const states *s, const app_args *args)
{
    zb_error err = { "" };
    if (args->save == NULL || s->to == NULL)
        return APP_OK;
    zb_status status = zb_state_write(s->to, args->save, &err);
    return status == ZB_OK ? APP_OK : app_fail(APP_INTERNAL, "%s", err.text);
}

/* ---- certificates ---------------------------------------------------------------- */

static int check_certificate(const app_args *args)
{
    if (args->certificate != NULL && (args->save != NULL || args->load != NULL))
        return app_fail(APP_USAGE, "--certificate does not go with --save or --load");
    return check_place("certificate", args->certificate);
}

static int write_certificate(const zb_certificate *proof, const app_args *args)
{
    zb_error err = { "" };
    if (proof == NULL)
        return APP_OK;
    zb_status status = zb_certificate_write(proof, args->certificate, &err);
    return status == ZB_OK ? APP_OK : app_fail(APP_INTERNAL, "%s", err.text);
}

/* ---- the command ----------------------------------------------------------------- */

static int solve(app_args *args, app_input *in, states *s, app_page *page, FILE *out)
{
    app_progress progress;
    zb_result result = { .stop = ZB_STOP_INTERRUPTED };
    zb_certificate *proof = NULL;
    zb_error err = { "" };
    int code = app_progress_open(&progress, args, in->notes);
    if (code != APP_OK) {
        app_progress_close(&progress, NULL);
        return code;
    }
    progress.history = page->history;
    zb_status status =
        args->certificate != NULL
            ? zb_solve_certified(in->model, &args->opt, &progress.observer, &proof,
                                 &result, &err)
            : zb_solve_with(in->model, &args->opt, s->from, args->save ? &s->to : NULL,
                            &progress.observer, &result, &err);
    args->opt.method = result.method; /* the state may have named it */
    app_signals_hold();
    app_live("");
    code = refuse(status, &err, &result);
    if (code == APP_OK)
        code = save_state(s, args);
    if (code == APP_OK)
        code = write_certificate(proof, args);
    zb_certificate_free(proof);
    if (code == APP_OK)
        code = answer(&(app_report){ args, in, &result }, out);
    if (code == APP_OK)
        code = app_page_bound(page, &(app_report){ args, in, &result });
    int closed = app_progress_close(&progress, code == APP_OK ? &result : NULL);
    return code != APP_OK ? code : closed;
}

/* The competitions' limits, with a margin for what the tables are not; options on the
   command line win. UAI_ and INF_ count gigabytes, MEMKB kilobytes. */
static void competition(app_args *args)
{
    static const struct {
        const char *name;
        double memory; /* bytes per unit, 0 for a time in seconds */
    } limits[] = {
        { "TIMESEC", 0 }, { "UAI_TIME", 0 },        { "INF_TIME", 0 },
        { "MEMKB", 1e3 }, { "UAI_MEMORY", 0x1p30 }, { "INF_MEMORY", 0x1p30 }
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const char *text = getenv(limits[i].name);
        double x = text != NULL ? strtod(text, NULL) : 0;
        if (!(x > 0 && x < 1e12))
            continue;
        if (limits[i].memory > 0 && !app_option_given(args, "memory"))
            args->opt.memory = (uint64_t)(0.9 * x * limits[i].memory);
        if (limits[i].memory == 0 && !app_option_given(args, "time"))
            args->opt.time = fmin(0.95 * x, 1e9);
    }
}

int app_bound(app_args *args, FILE *out)
{
    app_input in;
    if (args->mc)
        return app_mc(args, out);
    if (args->uai != NULL)
        competition(args);
    args->opt.checkpoint = args->checkpoint;
    if (args->checkpoint != NULL &&
        (args->certificate != NULL || args->opt.method != ZB_METHOD_AUTO))
        return app_fail(APP_USAGE,
                        "--checkpoint is for --method auto, and does not go with "
                        "--certificate");
    int code = app_input_read(&in, args);
    states s = { .from = NULL };
    app_page page = { .history = NULL };
    if (code == APP_OK)
        code = load_state(&s, args, &in);
    if (code == APP_OK)
        code = check_place("save", args->save);
    if (code == APP_OK)
        code = check_certificate(args);
    app_signals_catch(); /* from here on there may be bounds to show */
    if (code == APP_OK)
        code = app_page_open(&page, args, &in);
    if (code == APP_OK)
        code = solve(args, &in, &s, &page, out);
    app_page_free(&page);
    zb_state_free(s.from);
    zb_state_free(s.to);
    app_input_free(&in);
    return code;
}

int app_exact(app_args *args, FILE *out)
{
    args->opt.method = ZB_METHOD_BE;
    return app_bound(args, out);
}
