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
        if (drawn < n)
            break;
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

/* Of a time limit the bound takes at most half, so that states are drawn within it. */
int app_sample(app_args *args, FILE *out)
{
    zb_error err = { "" };
    app_input in;
    job j = { .args = args, .in = &in, .end = INFINITY };
    zb_observer observer = { .context = &j.end, .progress = go_on, .note = on_note };
    int code = app_input_read(&in, args);
    (void)out; /* states are not held back */
    app_signals_catch();
    if (code == APP_OK)
        code = app_page_open(&j.page, args, &in);
    zb_options opt = args->opt;
    if (opt.time > 0) {
        j.end = app_clock() + opt.time;
        opt.time /= 2;
    }
    if (code == APP_OK) {
        zb_status status = zb_sampler_new(&j.sampler, in.model, &opt, &observer, &err);
        if (status == ZB_EINVAL) /* Z = 0: a fault of the model */
            code = app_fail(APP_INPUT, "%s", err.text);
        else if (status != ZB_OK)
            code = app_fail_status(status, &err);
    }
    if (code == APP_OK)
        code = run(&j);
    app_page_free(&j.page);
    page_samples_free(&j.shown);
    zb_sampler_free(j.sampler);
    free(j.state);
    free(j.weight);
    app_input_free(&in);
    return code;
}
