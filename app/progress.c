#include "progress.h"
#include "console.h"
#include "number.h"
#include "signals.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

double app_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- live line ------------------------------------------------------------------- */

/* Seconds left: by the limit, by the share done, whichever ends first. */
static double seconds_left(const app_progress *p, const zb_progress *at)
{
    double left = p->limit > 0 ? p->limit - at->seconds : INFINITY;
    if (at->fraction > 0.01)
        left = fmin(left, at->seconds * (1 - at->fraction) / at->fraction);
    return fmax(left, 0);
}

static void show(app_progress *p, const zb_progress *at)
{
    char text[256];
    double left = seconds_left(p, at);
    int used = snprintf(text, sizeof text, "%s", p->label);
#define APPEND(...)                                                                    \
    (used += snprintf(text + used, sizeof text - (size_t)used, __VA_ARGS__))
    if (isfinite(at->log_upper))
        APPEND("upper %.2f  ", at->log_upper + 0.005); /* outward */
    if (isfinite(at->log_lower))
        APPEND("lower %.2f  ", at->log_lower - 0.005);
    if (isfinite(at->log_upper) && isfinite(at->log_lower))
        APPEND("gap %.2f nats  ", at->log_upper - at->log_lower);
    if (at->has_confidence &&
        at->confidence_upper - at->confidence_lower < at->log_upper - at->log_lower)
        APPEND("likely %.3f  ", at->confidence_upper - at->confidence_lower + 5e-4);
    if (at->ibound > 0)
        APPEND("ibound %d  ", at->ibound);
    if (at->fraction >= 0)
        APPEND("%.0f %% done  ", 100 * at->fraction);
    if (isfinite(left))
        APPEND("%.0f s left", left);
    else
        APPEND("%.0f s", at->seconds);
#undef APPEND
    app_live(text);
}

/* ---- trace and competition file -------------------------------------------------- */

static json_t *trace_side(const app_progress *p, zb_side other, double x)
{
    return p->side == other ? json_null() : app_json_real(x);
}

/* A line for each iteration of a side, and for each bound that improves without one.
   Reports in between repeat what is known. */
static void trace(app_progress *p, const zb_progress *at)
{
    bool news = at->iteration != p->iteration[at->side] ||
                at->log_upper != p->log_upper || at->log_lower != p->log_lower;
    if (p->trace == NULL || !news)
        return;
    app_json_print(json_pack("{s:o, s:I, s:s, s:o, s:o}", "seconds",
                             app_json_real(at->seconds), "iteration",
                             (json_int_t)at->iteration, "side", zb_side_name(at->side),
                             "log_upper", trace_side(p, ZB_SIDE_LOWER, at->log_upper),
                             "log_lower", trace_side(p, ZB_SIDE_UPPER, at->log_lower)),
                   p->trace);
    fflush(p->trace);
    p->iteration[at->side] = at->iteration;
    p->log_upper = at->log_upper;
    p->log_lower = at->log_lower;
}

/* The one number a competition asks for: the middle of the bracket, or the one side
   there is. */
static double middle(double lower, double upper)
{
    if (lower == upper || upper == -INFINITY)
        return upper;
    if (isfinite(lower) && isfinite(upper))
        return 0.5 * (lower + upper);
    return isfinite(upper) ? upper : lower;
}

static void uai(app_progress *p, double log_z)
{
    if (p->uai == NULL || log_z == INFINITY || isnan(log_z) || log_z == p->uai_value)
        return;
    if (zb_result_write_pr(p->uai, log_z, !isnan(p->uai_value), NULL) != ZB_OK)
        p->failed = true;
    p->uai_value = log_z;
}

/* ---- --verbose ------------------------------------------------------------------- */

/* The next of 1, 2, 5, 10, 20, 50, .. */
static int64_t step_after(int64_t i)
{
    int64_t ten = 1;
    while (ten * 10 <= i)
        ten *= 10;
    return i < ten ? ten : i < 2 * ten ? 2 * ten : i < 5 * ten ? 5 * ten : 10 * ten;
}

/* Whether a report is worth a line: the bracket is narrower, and by other work than
   before of this side, or one method has come to a round number of iterations. */
static bool worth_telling(const app_progress *p, const zb_progress *at, const char *by)
{
    const char *before = p->told[at->side].by;
    bool same = p->told[at->side].ibound == at->ibound && before != NULL &&
                strcmp(before, by) == 0;
    bool news = at->log_lower > p->told_lower || at->log_upper < p->told_upper;
    bool step = at->by == NULL && at->iteration >= p->told[at->side].next;
    return news && (!same || step);
}

static void print_step(const app_progress *p, const zb_progress *at, const char *by)
{
    char low[APP_NUMBER], high[APP_NUMBER];
    app_live("");
    fprintf(stderr, "%s%8.2f s%s  ", app_ink(2, APP_QUIET), at->seconds,
            app_ink(2, APP_PLAIN));
    fprintf(stderr, "%s .. %s", app_outward(at->log_lower, 8, -1, low),
            app_outward(at->log_upper, 8, 1, high));
    if (isfinite(at->log_upper - at->log_lower))
        fprintf(stderr, "  gap %s",
                app_outward(at->log_upper - at->log_lower, 4, 1, low));
    fprintf(stderr, "  %s%s", p->label, by);
    if (at->side != ZB_SIDE_BOTH)
        fprintf(stderr, "%s%s bound", *by != '\0' ? ", " : "", zb_side_name(at->side));
    if (at->ibound > 0)
        fprintf(stderr, ", ibound %d", at->ibound);
    if (at->by == NULL && at->iteration > 0)
        fprintf(stderr, ", iteration %" PRId64, at->iteration);
    fputc('\n', stderr);
}

static void tell(app_progress *p, const zb_progress *at)
{
    const char *by = at->by != NULL ? at->by : p->work;
    if (!p->verbose || by == NULL || !worth_telling(p, at, by))
        return;
    print_step(p, at, by);
    p->told_lower = at->log_lower;
    p->told_upper = at->log_upper;
    p->told[at->side].by = by;
    p->told[at->side].ibound = at->ibound;
    p->told[at->side].next = step_after(at->iteration);
}

const char *app_progress_work(zb_method method)
{
    return method == ZB_METHOD_AUTO ? NULL : zb_method_name(method);
}

void app_progress_begin(app_progress *p, const char *label, const char *work)
{
    p->label = label;
    p->work = work;
    memset(p->told, 0, sizeof p->told);
    p->told_lower = -INFINITY;
    p->told_upper = INFINITY;
}

/* ---- observer -------------------------------------------------------------------- */

static bool on_progress(void *context, const zb_progress *at)
{
    app_progress *p = context;
    double now = app_clock();
    bool bounded = isfinite(at->log_upper) || isfinite(at->log_lower);
    trace(p, at);
    if (p->history != NULL)
        history_add(p->history, at);
    if (bounded) {
        tell(p, at);
        uai(p, middle(at->log_lower, at->log_upper));
    }
    if (p->live && now - p->shown > 0.1) {
        show(p, at);
        p->shown = now;
    }
    return !app_interrupted() && (p->deadline <= 0 || now - p->started < p->deadline);
}

static void on_note(void *context, const char *sentence)
{
    app_progress *p = context;
    app_note("%s", sentence);
    json_array_append_new(p->notes, app_json_text(sentence));
}

static int open_file(FILE **file, const char *path)
{
    *file = NULL;
    if (path == NULL)
        return APP_OK;
    *file = strcmp(path, "-") != 0 ? fopen(path, "w") : NULL;
    if (*file == NULL)
        return app_fail(APP_USAGE, "%s: cannot write: %s", path,
                        strcmp(path, "-") != 0 ? strerror(errno) : "stdout is taken");
    return APP_OK;
}

/* Whether the competition file can be written is better known before the work. */
static int open_uai(app_progress *p, const char *path)
{
    FILE *file;
    int code = open_file(&file, path);
    if (file != NULL)
        fclose(file);
    p->uai = path;
    return code;
}

int app_progress_open(app_progress *p, const app_args *args, json_t *notes)
{
    *p = (app_progress){
        .observer = { .context = p, .progress = on_progress, .note = on_note },
        .side = args->opt.side,
        .limit = args->opt.method == ZB_METHOD_AUTO && args->opt.time < 0
                     ? ZB_AUTO_SECONDS
                     : args->opt.time,
        .started = app_clock(),
        .live = !args->no_progress && app_live_possible(),
        .verbose = args->verbose,
        .uai_value = NAN,
        .log_lower = -INFINITY,
        .log_upper = INFINITY,
        .notes = notes
    };
    app_progress_begin(p, "", app_progress_work(args->opt.method));
    p->shown = p->started; /* runs of a blink stay silent */
    int code = open_file(&p->trace, args->trace);
    return code != APP_OK ? code : open_uai(p, args->uai);
}

/* The last line is the answer, also where it differs from the best point on the way. */
static void final(app_progress *p, const zb_result *r)
{
    zb_progress at = { .seconds = r->seconds,
                       .iteration = r->iterations,
                       .log_lower = r->has_lower ? r->log_lower : -INFINITY,
                       .log_upper = r->has_upper ? r->log_upper : INFINITY };
    p->iteration[at.side] = at.iteration; /* news only where the bounds are */
    trace(p, &at);
    uai(p, r->has_estimate ? r->log_estimate : middle(at.log_lower, at.log_upper));
}

static bool close_file(FILE *file)
{
    bool good = file == NULL || ferror(file) == 0;
    return (file == NULL || fclose(file) == 0) && good;
}

int app_progress_close(app_progress *p, const zb_result *result)
{
    if (p->live)
        app_live("");
    if (result != NULL)
        final(p, result);
    bool written = close_file(p->trace) && !p->failed;
    *p = (app_progress){ 0 };
    return written ? APP_OK
                   : app_fail(APP_INTERNAL, "--trace or --uai: writing failed");
}
