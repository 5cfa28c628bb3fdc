/* `sample`: states drawn from the model, written as they come. */
#include "console.h"
#include "input.h"
#include "page/answers.h"
#include "progress.h"
#include "report.h"
#include "signals.h"
#include "states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096 }; /* states at a time, at most */

static const double HOPELESS = 3600; /* seconds */

typedef struct job {
    const app_args *args;
    const app_input *in;
    zb_sampler *sampler;
    app_states out;
    int *state;
    double *weight; /* NULL: perfect states */
    size_t done;
    double end; /* of the time limit */
    app_page page;
    page_samples shown; /* on it */
} job;

/* context: the moment at which the time limit is over */
static bool go_on(void *context, const zb_progress *at)
{
    (void)at;
    return !app_interrupted() && app_clock() < *(const double *)context;
}

static void on_note(void *context, const char *sentence)
{
    (void)context;
    app_note("%s", sentence);
}

/* What to expect, before it starts. */
static void announce(const job *j)
{
    zb_sampler_info about = zb_sampler_about(j->sampler);
    double all = about.seconds * j->args->samples;
    char text[32], parts[64];
    if (about.exact) {
        app_note("solved exactly: every draw is accepted");
        return;
    }
    if (j->weight != NULL) {
        app_note("weighted draws; ln w is at most %.12g, and the mean of w is Z",
                 about.log_upper);
        return;
    }
    app_note("%.3g %% of the draws are accepted (%s): %d states take %s%s",
             100 * about.rate, app_plural(about.components, "component", parts),
             j->args->samples,
             all < APP_NEVER ? app_seconds_text(all, text) : "for ever",
             all > HOPELESS ? "; a longer --time gives a tighter bound and a better "
                              "rate, --weighted draws with weights"
                            : "");
}

/* Chunks that take about a fifth of a second, so that states are seen as they come. */
static size_t next_chunk(size_t chunk, size_t drawn, double seconds)
{
    if (drawn == chunk && seconds < 0.1)
        return 2 * chunk < CHUNK ? 2 * chunk : CHUNK;
    return seconds > 0.3 && chunk > 1 ? chunk / 2 : chunk;
}

static int draw_all(job *j)
{
    size_t all = (size_t)j->args->samples, chunk = 1;
    zb_error err = { "" };
    while (j->done < all && go_on(&j->end, NULL)) {
        size_t n = all - j->done < chunk ? all - j->done : chunk, drawn = 0;
        double start = app_clock();
        zb_status status =
            zb_sampler_draw(j->sampler, n, j->state, j->weight, &drawn, &err);
        if (status != ZB_OK)
            return app_fail_status(status, &err);
        if (!app_states_write(&j->out, drawn, j->state, j->weight))
            return app_fail(APP_INTERNAL, "%s: cannot write", j->out.path);
        page_samples_add(&j->shown, drawn, j->state, j->weight);
        j->done += drawn;
        /* fewer than asked for: the call's own limit, or ours, which the loop asks */
        chunk = next_chunk(chunk, drawn, app_clock() - start);
    }
    return APP_OK;
}

static int finish(job *j, int code)
{
    bool closed = app_states_close(&j->out);
    if (code != APP_OK)
        return code;
    if (!closed)
        return app_fail(APP_INTERNAL, "%s: cannot write", j->out.path);
    if (j->done == 0 && j->args->samples > 0)
        return app_fail(APP_LIMIT,
                        app_interrupted()
                            ? "interrupted: nothing yet"
                            : "the time limit passed before the first state");
    if (j->done < (size_t)j->args->samples)
        app_note("%zu of %d states were drawn", j->done, j->args->samples);
    return APP_OK;
}

static int write_page(job *j)
{
    zb_sampler_info about = zb_sampler_about(j->sampler);
    if (j->page.file.out == NULL)
        return APP_OK;
    app_page_head(&j->page, "States", j->in);
    page_samples_part(j->page.file.out, &j->shown, j->in->model, &about);
    return app_page_tail(&j->page, j->args, j->in);
}

static int run(job *j)
{
    const app_args *args = j->args;
    size_t nvars = (size_t)zb_model_nvars(j->in->model);
    j->state = malloc((CHUNK * nvars + 1) * sizeof *j->state);
    if (args->weighted)
        j->weight = malloc(CHUNK * sizeof *j->weight);
    if (j->state == NULL || (args->weighted && j->weight == NULL))
        return app_fail(APP_LIMIT, "out of memory");
    if (args->report != NULL &&
        !page_samples_new(&j->shown, zb_model_nvars(j->in->model), args->weighted))
        return app_fail(APP_LIMIT, "out of memory");
    announce(j);
    int code = app_states_open(&j->out, args, j->in->model);
    if (code == APP_OK)
        code = finish(j, draw_all(j));
    return code == APP_OK ? write_page(j) : code;
}

/* ---- the sampler ----------------------------------------------------------------- */

typedef struct source { /* what a sampler is made from */
    zb_state *from;     /* --load, or NULL */
    zb_options opt;
    zb_observer observer;
} source;

static int read_state(source *of, const job *j)
{
    const char *path = j->args->load;
    zb_error err = { "" };
    if (path == NULL)
        return APP_OK;
    if (strcmp(path, "-") == 0 && strcmp(j->in->path, "-") == 0)
        return app_fail(APP_USAGE, "only one file can be read from stdin");
    zb_status status = zb_state_read(&of->from, path, &err);
    return status == ZB_OK ? APP_OK : app_fail_status(status, &err);
}

/* Where time was over before there was one, a longer search may follow unless it is the
   last. */
static int make_sampler(job *j, const source *of, double seconds, bool last)
{
    const zb_model *model = j->in->model;
    zb_options opt = of->opt;
    zb_sampler *made = NULL;
    zb_error err = { "" };
    zb_status status;
    opt.time = seconds;
    status = of->from != NULL
                 ? zb_sampler_load(&made, model, of->from, &opt, &of->observer, &err)
                 : zb_sampler_new(&made, model, &opt, &of->observer, &err);
    if (status == ZB_ELIMIT && (j->sampler != NULL || !last))
        return APP_OK;
    if (status == ZB_EINVAL) /* Z = 0, or another's state: a fault of the files */
        return app_fail(APP_INPUT, "%s", err.text);
    if (status != ZB_OK)
        return app_fail_status(status, &err);
    if (j->sampler != NULL &&
        zb_sampler_about(made).seconds > zb_sampler_about(j->sampler).seconds) {
        zb_sampler_free(made);
        return APP_OK;
    }
    zb_sampler_free(j->sampler);
    j->sampler = made;
    return APP_OK;
}

/* A longer search for a bound pays while drawing by the present one would take longer
   than it: each takes four times as long as the last, half of the time limit in all.
   Weighted draws have no end to plan for, and take the best bound. */
static int find_sampler(job *j, const source *of)
{
    const double first = 1.0 / 32, ratio = 4; /* of what all of them may take */
    double all = of->opt.time > 0 ? 0.5 * of->opt.time : ZB_AUTO_SECONDS,
           start = app_clock();
    int code;
    if (of->from != NULL || of->opt.time == 0 || j->args->weighted)
        return make_sampler(j, of, of->opt.time > 0 ? all : of->opt.time, true);
    for (double share = first;; share *= ratio) {
        double left = all - (app_clock() - start);
        bool last = left < (1 + ratio) * share * all || app_interrupted();
        code = make_sampler(j, of, last ? fmax(left, 0.01) : share * all, last);
        double spent = app_clock() - start;
        if (code != APP_OK || last ||
            (j->sampler != NULL &&
             zb_sampler_about(j->sampler).seconds * j->args->samples < spent))
            return code;
    }
}

int app_sample(app_args *args, FILE *out)
{
    app_input in;
    job j = { .args = args, .in = &in, .end = INFINITY };
    source of = { .opt = args->opt,
                  .observer = {
                      .context = &j.end, .progress = go_on, .note = on_note } };
    int code = app_input_read(&in, args);
    (void)out; /* states are not held back */
    app_signals_catch();
    if (of.opt.time > 0)
        j.end = app_clock() + of.opt.time;
    if (code == APP_OK)
        code = app_page_open(&j.page, args, &in);
    if (code == APP_OK)
        code = read_state(&of, &j);
    if (code == APP_OK)
        code = find_sampler(&j, &of);
    if (code == APP_OK)
        code = run(&j);
    app_page_free(&j.page);
    page_samples_free(&j.shown);
    zb_sampler_free(j.sampler);
    zb_state_free(of.from);
    free(j.state);
    free(j.weight);
    app_input_free(&in);
    return code;
}
