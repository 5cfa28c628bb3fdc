/* `thermo`: the betas, one after the other. */
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
    double started, limit; /* seconds; limit INFINITY: none */
    zb_error err;
} work;

/* An even share of the time that is left, for `betas` more of them. */
static double share(const work *w, int betas)
{
    double left = w->limit - (app_clock() - w->started);
    return isinf(left) ? w->args->opt.time : fmax(left, 0) / betas;
}

/* Bounds at beta into *r, and a point of the curve. */
static zb_status solve(work *w, double beta, double time, zb_result *r)
{
    zb_model *model;
    zb_state *next = NULL;
    zb_options opt = w->args->opt;
    bool warm = zb_method_has_state(opt.method);
    zb_status status = zb_model_raise(&model, w->in->model, beta);
    if (status != ZB_OK) {
        snprintf(w->err.text, sizeof w->err.text, "--beta: %g is too large", beta);
        return status;
    }
    opt.time = time;
    status = zb_solve_with(model, &opt, w->state, warm ? &next : NULL,
                           &w->progress->observer, r, &w->err);
    zb_model_free(model);
    if (status == ZB_OK && next != NULL) {
        zb_state_free(w->state);
        w->state = next;
    }
    if (status == ZB_OK)
        w->t->point[w->t->points++] =
            (thermo_point){ beta, r->has_upper ? r->log_upper : INFINITY };
    return status;
}

static double middle(const zb_result *r) { return 0.5 * (r->log_lower + r->log_upper); }

/* Where f is exact: its second difference, and points so near that the secants between
   them bracket the slope as narrowly as rounding allows: a step of h leaves h f'' and
   2 radius / h. */
static void look_beside(work *w, thermo_row *row, const zb_result *at)
{
    double h = STEP * fmax(fabs(row->beta), 0.1), f = middle(at);
    zb_result left, right;
    double low = row->beta - h, high = row->beta + h;
    if (solve(w, low, share(w, 1), &left) != ZB_OK || !left.exact ||
        solve(w, high, share(w, 1), &right) != ZB_OK || !right.exact)
        return;
    double second = (middle(&right) - 2 * f + middle(&left)) / ((high - low) / 2) /
                    ((high - low) / 2);
    if (!isfinite(second))
        return;
    row->heat_capacity = row->beta * row->beta * fmax(second, 0);
    double near = sqrt(2 * at->rounding / fmax(second, 1e-300));
    near = fmax(near, 1e-9 * fmax(fabs(row->beta), 0.1));
    if (near < h && solve(w, row->beta - near, share(w, 1), &left) == ZB_OK)
        solve(w, row->beta + near, share(w, 1), &right);
}

static zb_status run_beta(work *w, int i)
{
    thermo *t = w->t;
    char label[64];
    double began = app_clock(), beta = t->beta[i];
    thermo_row *row = &t->row[t->rows];
    zb_result r = { .stop = ZB_STOP_INTERRUPTED };
    snprintf(label, sizeof label, "beta %g (%d of %d)  ", beta, i + 1, t->count);
    app_progress_begin(w->progress, label, app_progress_work(w->args->opt.method));
    zb_status status = solve(w, beta, share(w, t->count - i), &r);
    if (status == ZB_OK && (r.has_lower || r.has_upper)) {
        t->rows++;
        *row = (thermo_row){ .beta = beta,
                             .exact = r.exact,
                             .heat_capacity = NAN,
                             .log_z = { r.has_lower ? r.log_lower : -INFINITY,
                                        r.has_upper ? r.log_upper : INFINITY } };
        if (r.exact && isfinite(r.log_upper) && !app_interrupted())
            look_beside(w, row, &r);
        row->seconds = app_clock() - began;
    }
    app_progress_begin(w->progress, "", NULL);
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
    for (int i = 0; i < w->t->count && status == ZB_OK && !app_interrupted(); i++)
        status = run_beta(w, i);
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
            code = run(&w, out);
            zb_state_free(w.state);
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
