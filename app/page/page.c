#include "page/page.h"

#include "number.h"
#include "progress.h"
#include "signals.h"

#include "console.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- before the work ------------------------------------------------------------- */

static bool go_on(void *context, const zb_progress *at)
{
    (void)context;
    (void)at;
    return !app_interrupted();
}

/* Seconds for the survey; the run's limit is shortened by them. */
static double survey_share(app_args *args)
{
    zb_options *opt = &args->opt;
    bool single = (app_args_bits(args) & (CMD_BOUND | CMD_EXACT | CMD_MARGINALS)) != 0;
    double limit = opt->time < 0 && opt->method == ZB_METHOD_AUTO && single
                       ? ZB_AUTO_SECONDS
                       : opt->time;
    if (limit <= 0)
        return 2;
    double share = fmin(2, 0.1 * limit);
    opt->time = limit - share;
    return share;
}

int app_page_open(app_page *p, app_args *args, const app_input *in)
{
    zb_observer observer = { .progress = go_on };
    *p = (app_page){ .history = NULL };
    int code = html_file_open(&p->file, "report", args->report);
    if (code != APP_OK || p->file.out == NULL)
        return code;
    p->history = calloc(1, sizeof *p->history);
    p->survey = malloc(sizeof *p->survey);
    if (p->history == NULL || p->survey == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    zb_options opt = args->opt;
    opt.time = survey_share(args);
    opt.method = ZB_METHOD_AUTO; /* a survey has none, but options are checked */
    opt.side = ZB_SIDE_BOTH;
    p->surveyed = zb_survey_make(p->survey, in->model, &opt, &observer, NULL) == ZB_OK;
    return APP_OK;
}

void app_page_free(app_page *p)
{
    html_file_discard(&p->file);
    free(p->history);
    free(p->survey);
}

/* ---- the answer ------------------------------------------------------------------ */

static void side_cell(FILE *out, bool has, double x, int outward)
{
    char text[APP_NUMBER];
    fprintf(out, "<td>%s",
            has && isfinite(x) ? app_outward(x, 12, outward, text) : "\u2013");
}

static void bracket_row(FILE *out, const zb_result *r, const app_unit *unit,
                        const char *name)
{
    char text[APP_NUMBER];
    double low = app_convert(r->log_lower, unit, -1);
    double high = app_convert(r->log_upper, unit, 1);
    bool both = r->has_lower && r->has_upper && isfinite(high - low);
    fprintf(out, "<tr><td>%s", name);
    side_cell(out, r->has_lower, low, -1);
    side_cell(out, r->has_upper, high, 1);
    fprintf(out, "<td>%s</tr>\n",
            both ? app_outward(high - low, 5, 1, text) : "\u2013");
}

static void value_row(FILE *out, const zb_result *r, const app_unit *unit,
                      const char *name)
{
    char text[2 * APP_NUMBER];
    double lower, upper;
    fprintf(out, "<tr><td>%s<td>", name);
    app_report_interval(r, &lower, &upper);
    if (r->exact && isinf(upper))
        fputs("\u2212\u221e", out);
    else if (r->exact)
        fputs(
            app_within(app_convert(lower, unit, -1), app_convert(upper, unit, 1), text),
            out);
    else
        fprintf(out, "about %.12g", app_convert(r->log_estimate, unit, 0));
    fputs("</tr>\n", out);
}

static void answer(FILE *out, const zb_result *r)
{
    static const struct {
        const app_unit *unit;
        const char *name;
    } units[] = { { &APP_NATS, "ln Z" },
                  { &APP_LOG10, "log10 Z" },
                  { &APP_BITS, "bits" } };
    bool one = r->exact || (!r->has_lower && !r->has_upper);
    fputs("<div class=scroll tabindex=0 role=region aria-label=answer>"
          "<table class=answer>\n",
          out);
    if (!one)
        fputs("<tr><th><th>lower<th>upper<th>gap</tr>\n", out);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        (one ? value_row : bracket_row)(out, r, units[i].unit, units[i].name);
    fputs("</table></div>\n", out);
}

/* What draws add; it is not proved, and says so. */
static void sampled(FILE *out, const zb_result *r)
{
    char lower[APP_NUMBER], upper[APP_NUMBER];
    if (!app_report_likely(r))
        return;
    fprintf(out,
            "<p>With confidence, not proved: %s &le; ln Z &le; %s, by %lld draws; the "
            "chance that this is wrong is at most %g.</p>\n",
            app_outward(r->confidence.log_lower, 9, -1, lower),
            app_outward(r->confidence.log_upper, 9, 1, upper),
            (long long)r->confidence.samples, r->confidence.delta);
}

static void verdict(FILE *out, const zb_result *r)
{
    const char *standing = app_report_standing(r);
    fprintf(out, "<p class=standing><strong>%c%s.</strong>", toupper(*standing),
            standing + 1);
    if (r->guaranteed && !r->exact)
        fputs(" This is proved, rounding included, whatever the time and memory the "
              "run was given.",
              out);
    if (r->exact_bytes > 0 && !r->exact && r->exact_seconds < APP_NEVER) {
        char bytes[32], seconds[32];
        fprintf(out, " An exact answer would take about %s and %s.",
                app_bytes_text(r->exact_bytes, bytes),
                app_seconds_text(r->exact_seconds, seconds));
    }
    fputs("</p>\n", out);
}

/* ---- the page -------------------------------------------------------------------- */

static void heading(FILE *out, const char *what, const app_input *in)
{
    const char *slash = strrchr(in->path, '/');
    char title[512];
    snprintf(title, sizeof title, "%s of %s", what,
             strcmp(in->path, "-") == 0 ? "a model from stdin"
             : slash != NULL            ? slash + 1
                                        : in->path);
    html_open(out, title);
}

int app_page_bound(app_page *p, const app_report *report)
{
    FILE *out = p->file.out;
    const zb_result *r = report->result;
    if (out == NULL)
        return APP_OK;
    history_finish(p->history, r);
    heading(out, "ln Z", report->input);
    verdict(out, r);
    answer(out, r);
    sampled(out, r);
    page_time(out, p->history, r);
    page_model(out, report->input, p->survey, p->surveyed);
    if (p->surveyed)
        page_elimination(out, p->survey, p->history, r->exact ? 0 : r->ibound);
    page_settings(out, report->args, report->input, r);
    html_close(out);
    return html_file_keep(&p->file);
}

/* ---- pages of other commands ----------------------------------------------------- */

void app_page_head(app_page *p, const char *what, const app_input *in)
{
    heading(p->file.out, what, in);
}

int app_page_tail(app_page *p, const app_args *args, const app_input *in)
{
    FILE *out = p->file.out;
    page_model(out, in, p->survey, p->surveyed);
    if (p->surveyed)
        page_elimination(out, p->survey, NULL, args->opt.ibound);
    page_settings(out, args, in, NULL);
    html_close(out);
    return html_file_keep(&p->file);
}
