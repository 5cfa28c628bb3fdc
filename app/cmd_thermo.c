/* `thermo`: the betas, one after the other, or as many at a time as there are ranks. */
#include "console.h"
#include "page/page.h"
#include "progress.h"
#include "report.h"
#include "signals.h"
#include "thermo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BETAS = 100000, BESIDE = 4 }; /* points beside one that is exact */

/* Steps of second differences, relative to beta (or to 0.1 where beta is smaller). */
static const double STEP = 1e-3;

/* ---- --beta ---------------------------------------------------------------------- */

static int wrong_betas(const char *text)
{
    return app_fail(APP_USAGE,
                    "--beta: expected FROM:TO:COUNT or a list of numbers B,B,.., found "
                    "'%s'",
                    text);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The next number of a list, up to `end`. */
static bool number(const char **at, char end, double *out)
{
    char *stop;
    *out = strtod(*at, &stop);
    bool good = stop != *at && (*stop == end || *stop == '\0') && isfinite(*out);
    *at = *stop == '\0' ? stop : stop + 1;
    return good;
}

static bool parse_range(const char *text, thermo *t)
{
    double from, to, count;
    if (!number(&text, ':', &from) || !number(&text, ':', &to) ||
        !number(&text, ':', &count) || *text != '\0' || !(count >= 1) ||
        count > MOST_BETAS || count != floor(count) || (count == 1 && from != to))
        return false;
    t->count = (int)count;
    for (int i = 0; i < t->count; i++)
        t->beta[i] = count == 1 ? from : from + (to - from) * i / (count - 1);
    return true;
}

static bool parse_list(const char *text, thermo *t)
{
    while (*text != '\0')
        if (t->count == MOST_BETAS || !number(&text, ',', &t->beta[t->count++]))
            return false;
    return t->count > 0;
}

static int parse_betas(thermo *t, const char *text)
{
    if (text == NULL)
        return app_fail(APP_USAGE, "thermo: --beta FROM:TO:COUNT is missing");
    t->beta = malloc(MOST_BETAS * sizeof *t->beta);
    t->row = calloc(MOST_BETAS, sizeof *t->row);
    t->point = calloc((size_t)(1 + BESIDE) * MOST_BETAS + 1, sizeof *t->point);
    if (t->beta == NULL || t->row == NULL || t->point == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    if (!(strchr(text, ':') != NULL ? parse_range(text, t) : parse_list(text, t)))
        return wrong_betas(text);
    qsort(t->beta, (size_t)t->count, sizeof *t->beta, compare);
    for (int i = 1; i < t->count; i++)
        if (t->beta[i] == t->beta[i - 1])
            return app_fail(APP_USAGE, "--beta: %g twice", t->beta[i]);
    return APP_OK;
}

/* ---- one beta -------------------------------------------------------------------- */

typedef struct work {
    thermo *t;
    app_args *args;
    app_input *in;
    app_progress *progress;
    app_page *page;
    zb_state *state;       /* of the beta before, with a method that has one */
    zb_result *result;     /* of the betas that were solved last, */
    double *asked;         /* which may be those beside others */
    double started, limit; /* seconds; limit INFINITY: none */
    zb_error err;
} work;

/* Betas that are worked on together: as many as there are ranks, so that where the time
   ends the run those before are done with; all where nothing ends it. */
static int wave(const work *w)
{
    int ranks = zb_ranks_size(w->args->opt.ranks);
    if (ranks == 1 || zb_method_has_state(w->args->opt.method))
        return 1;
    return isinf(w->limit) ? w->t->count : ranks;
}

/* An even share of the time that is left, for `waves` more of them. */
static double share(const work *w, int waves)
{
    double left = w->limit - (app_clock() - w->started);
    return isinf(left) ? w->args->opt.time : fmax(left, 1e-3) / waves;
}

/* Bounds from the state of the beta before. */
static zb_status solve_warm(work *w, double beta, const zb_options *opt, zb_result *r)
{
    zb_model *model;
    zb_state *next = NULL;
    zb_status status = zb_model_raise(&model, w->in->model, beta);
    if (status != ZB_OK) {
        snprintf(w->err.text, sizeof w->err.text, "beta %g is too large", beta);
        return status;
    }
    status =
        zb_solve_with(model, opt, w->state, &next, &w->progress->observer, r, &w->err);
    zb_model_free(model);
    if (status == ZB_OK) {
        zb_state_free(w->state);
        w->state = next;
    }
    return status;
}

/* Bounds at some betas, within so many seconds in all, and points of the curve. */
static zb_status solve(work *w, size_t count, const double *beta, double time)
{
    zb_options opt = w->args->opt;
    zb_status status;
    opt.time = time;
    if (count == 0)
        return ZB_OK;
    status = zb_method_has_state(opt.method) && count == 1
                 ? solve_warm(w, *beta, &opt, w->result)
                 : zb_solve_betas(w->in->model, &opt, count, beta,
                                  &w->progress->observer, w->result, &w->err);
    for (size_t i = 0; i < count && status == ZB_OK; i++)
        if (w->result[i].has_upper)
            w->t->point[w->t->points++] =
                (thermo_point){ beta[i], w->result[i].log_upper };
    return status;
}

static double middle(const zb_result *r) { return 0.5 * (r->log_lower + r->log_upper); }

typedef struct beside { /* a row that is exact, and a step to both of its sides */
    thermo_row *row;
    double seconds, log_z, rounding, step;
} beside;

/* Seconds for both sides of rows that are exact, when so many waves follow: an even
   share, but twice what rows like them took where that is more. */
static double share_beside(const work *w, size_t count, const beside *b, int waves)
{
    double slowest = 0;
    for (size_t k = 0; k < count; k++)
        slowest = fmax(slowest, b[k].seconds);
    return isinf(w->limit) ? w->args->opt.time
                           : fmin(share(w, 1), fmax(share(w, waves), 4 * slowest));
}

/* Both sides of all of them; false: not all of it was done. */
static bool solve_beside(work *w, size_t count, const beside *b, int waves)
{
    double time = share_beside(w, count, b, waves);
    for (size_t k = 0; k < count; k++) {
        w->asked[2 * k] = b[k].row->beta - b[k].step;
        w->asked[2 * k + 1] = b[k].row->beta + b[k].step;
    }
    if (app_interrupted() || solve(w, 2 * count, w->asked, time) != ZB_OK)
        return false;
    for (size_t k = 0; k < 2 * count; k++)
        b[k / 2].row->seconds += w->result[k].seconds;
    return true;
}

/* The second difference of row b from its two neighbours; then a step so short that
   the secants bracket the slope as narrowly as rounding allows: a step of h leaves
   h f'' and 2 radius / h. False: there is none. */
static bool bend(beside *b, const zb_result *left, const zb_result *right)
{
    double beta = b->row->beta, h = b->step;
    double half = ((beta + h) - (beta - h)) / 2;
    double second = (middle(right) - 2 * b->log_z + middle(left)) / half / half;
    if (!left->exact || !right->exact || !isfinite(second))
        return false;
    b->row->heat_capacity = beta * beta * fmax(second, 0);
    b->step = fmax(sqrt(2 * b->rounding / fmax(second, 1e-300)),
                   1e-9 * fmax(fabs(beta), 0.1));
    return b->step < h;
}

/* Rows that are exact: their second differences, and narrow brackets of their slopes.
 */
static void look_beside(work *w, size_t count, beside *b, int waves)
{
    size_t kept = 0;
    if (!solve_beside(w, count, b, waves))
        return;
    for (size_t k = 0; k < count; k++)
        if (bend(&b[k], &w->result[2 * k], &w->result[2 * k + 1]))
            b[kept++] = b[k];
    solve_beside(w, kept, b, waves);
}

/* The rows of `count` betas from the i-th on; in b those that are exact. */
static size_t add_rows(work *w, int i, int count, beside *b)
{
    thermo *t = w->t;
    size_t exact = 0;
    for (int k = 0; k < count; k++) {
        const zb_result *r = &w->result[k];
        thermo_row *row = &t->row[t->rows];
        if (!r->has_lower && !r->has_upper)
            continue;
        t->rows++;
        *row = (thermo_row){ .beta = t->beta[i + k],
                             .exact = r->exact,
                             .heat_capacity = NAN,
                             .seconds = r->seconds,
                             .log_z = { r->has_lower ? r->log_lower : -INFINITY,
                                        r->has_upper ? r->log_upper : INFINITY } };
        if (r->exact && isfinite(r->log_upper))
            b[exact++] = (beside){ row, r->seconds, middle(r), r->rounding,
                                   STEP * fmax(fabs(row->beta), 0.1) };
    }
    return exact;
}

static zb_status run_wave(work *w, int i, int count)
{
    char label[64];
    beside *b = malloc((size_t)count * sizeof *b);
    if (count == 1)
        snprintf(label, sizeof label, "beta %g (%d of %d)  ", w->t->beta[i], i + 1,
                 w->t->count);
    else
        snprintf(label, sizeof label, "betas %d to %d of %d  ", i + 1, i + count,
                 w->t->count);
    app_progress_begin(w->progress, label, app_progress_work(w->args->opt.method));
    int waves = (w->t->count - i + count - 1) / count;
    zb_status status = b != NULL
                           ? solve(w, (size_t)count, &w->t->beta[i], share(w, waves))
                           : ZB_ENOMEM;
    if (status == ZB_OK)
        look_beside(w, add_rows(w, i, count, b), b, waves);
    app_progress_begin(w->progress, "", NULL);
    free(b);
    return status;
}

/* What is known before any work: f(0), and how far energies go. */
static int look_first(thermo *t, const zb_model *model)
{
    double slack = 1e-12; /* far above the rounding of these sums */
    for (int v = 0; v < zb_model_nvars(model); v++)
        t->states += zb_model_evidence(model, v) < 0 ? log(zb_model_card(model, v)) : 0;
    t->states *= 1 + slack;
    t->point[t->points++] = (thermo_point){ 0, t->states };
    t->range = (thermo_bracket){ 0, 0 };
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        size_t size = zb_model_size(model, f);
        double *value = malloc((size + 1) * sizeof *value);
        if (value == NULL)
            return app_fail(APP_LIMIT, "out of memory");
        double least = INFINITY, most = -INFINITY;
        zb_model_log_values(model, f, value);
        for (size_t i = 0; i < size; i++)
            if (value[i] != -INFINITY) {
                least = fmin(least, value[i]);
                most = fmax(most, value[i]);
            }
        free(value);
        t->range.lower -= most + slack * fabs(most);
        t->range.upper -= least - slack * fabs(least);
    }
    return APP_OK;
}

/* ---- all of them ----------------------------------------------------------------- */

static int write_page(const work *w)
{
    FILE *out = w->page->file.out;
    if (out == NULL)
        return APP_OK;
    app_page_head(w->page, "Thermodynamics", w->in);
    double sites = fmax(zb_model_nvars(w->in->model), 1);
    fputs("<h2>Along the inverse temperature</h2>\n<figure class=wide>\n", out);
    bool drawn = thermo_chart(w->t, sites, out, THERMO_WIDE);
    fputs("</figure>\n<figure class=narrow>\n", out);
    drawn = drawn && thermo_chart(w->t, sites, out, THERMO_NARROW);
    fputs("</figure>\n", out);
    if (!drawn)
        return app_fail(APP_LIMIT, "out of memory");
    thermo_table(w->t, out);
    return app_page_tail(w->page, w->args, w->in);
}

static int run(work *w, FILE *out)
{
    zb_status status = ZB_OK;
    int count = w->t->count, most = wave(w);
    for (int i = 0; i < count && status == ZB_OK && !app_interrupted(); i += most)
        status = run_wave(w, i, count - i < most ? count - i : most);
    app_signals_hold();
    app_live("");
    if (w->t->rows == 0 && app_interrupted())
        return app_fail(APP_LIMIT, "interrupted: nothing yet");
    if (status != ZB_OK && !app_interrupted())
        return app_fail_status(status, &w->err);
    if (app_interrupted() && w->t->rows < w->t->count)
        app_input_note(w->in, "interrupted after %d of %d betas", w->t->rows,
                       w->t->count);
    thermo_derive(w->t);
    int code = thermo_plot(w->t, w->args, w->in);
    if (code == APP_OK)
        code = thermo_print(w->t, w->args, w->in, out);
    return code != APP_OK || w->t->rows == 0 ? code : write_page(w);
}

/* --time is for all of them; by default each has what method auto takes, others none.
 */
static double limit(const app_args *args, int count)
{
    if (args->opt.time >= 0)
        return args->opt.time > 0 ? args->opt.time : INFINITY;
    return args->opt.method == ZB_METHOD_AUTO ? ZB_AUTO_SECONDS * (double)count
                                              : INFINITY;
}

static int open_places(work *w)
{
    size_t most = 2 * (size_t)wave(w);
    w->result = calloc(most, sizeof *w->result);
    w->asked = calloc(most, sizeof *w->asked);
    return w->result != NULL && w->asked != NULL ? APP_OK
                                                 : app_fail(APP_LIMIT, "out of memory");
}

int app_thermo(app_args *args, FILE *out)
{
    thermo t = { .count = 0 };
    app_input in;
    app_progress progress;
    app_page page = { .history = NULL };
    int code = parse_betas(&t, args->beta);
    args->beta = NULL; /* the model is read as it is */
    if (code == APP_OK) {
        code = app_input_read(&in, args);
        app_signals_catch(); /* from here on there may be rows to show */
        if (code == APP_OK)
            code = look_first(&t, in.model);
        if (code == APP_OK)
            code = app_page_open(&page, args, &in);
        if (code == APP_OK)
            code = app_progress_open(&progress, args, in.notes);
        if (code == APP_OK) {
            work w = { .t = &t,
                       .args = args,
                       .in = &in,
                       .progress = &progress,
                       .page = &page,
                       .started = app_clock(),
                       .limit = limit(args, t.count) };
            code = open_places(&w);
            if (code == APP_OK)
                code = run(&w, out);
            zb_state_free(w.state);
            free(w.result);
            free(w.asked);
            app_progress_close(&progress, NULL);
        }
        app_page_free(&page);
        app_input_free(&in);
    }
    free(t.beta);
    free(t.row);
    free(t.point);
    return code;
}
