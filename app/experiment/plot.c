/* The figures as SVG files. Every series has its own colour (of the Okabe-Ito set),
 * mark and dash, so that plots can be read without colours. */
#include "experiment.h"

#include "console.h"
#include "page/html.h"
#include "page/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct style {
    const char *label, *title, *look;
    int shape; /* -1: a line without marks */
} style;

#define LOOK(colour, width, dash)                                                      \
    "stroke='" colour "' stroke-width='" width "' stroke-dasharray='" dash "'"
#define FILLED(colour, width, dash) "fill='" colour "' " LOOK(colour, width, dash)
#define HOLLOW(colour, width, dash) "fill='none' " LOOK(colour, width, dash)

/* Lines are drawn with their own fill='none', marks with what stands here. */
static const style styles[] = {
    { "mbe-ising", "MBE, original", HOLLOW("#777777", "1.5", "2 3"), 7 },
    { "trbp-ising", "TRBP, original", HOLLOW("#777777", "1.5", "2 3"), 6 },
    { "mbe", "MBE", HOLLOW("currentColor", "1.5", "6 3"), 5 },
    { "trbp", "TRBP", HOLLOW("#777777", "1.5", "6 2 2 2"), 6 },
    { "wmbe", "WMBE", FILLED("currentColor", "1.5", "none"), 1 },
    { "wmbe-w", "WMBE-w", HOLLOW("#56B4E9", "1.5", "none"), 4 },
    { "wmbe-theta", "WMBE-\u03b8", FILLED("#E69F00", "1.5", "none"), 2 },
    { "wmbe-wtheta", "WMBE-w\u03b8", FILLED("#CC79A7", "1.5", "8 3"), 2 },
    { "wmbe-g", "WMBE-G", FILLED("#009E73", "2", "none"), 0 },
    { "wmbe-wg", "WMBE-wG", FILLED("#0072B2", "2.5", "none"), 3 },
    { "wmbe-wg-own", "wG, own order", HOLLOW("#D55E00", "2", "none"), 5 },
    { "g>w", "G, then w", HOLLOW("#009E73", "2.5", "none"), -1 },
    { "g>theta", "G, then \u03b8", HOLLOW("#009E73", "2", "6 3"), -1 },
    { "w>g", "w, then G", HOLLOW("#0072B2", "2.5", "none"), -1 },
    { "w>theta", "w, then \u03b8", HOLLOW("#0072B2", "2", "2 3"), -1 },
    { "theta>g", "\u03b8, then G", HOLLOW("#D55E00", "2.5", "none"), -1 },
    { "theta>w", "\u03b8, then w", HOLLOW("#D55E00", "2", "6 2 2 2"), -1 },
};

enum { PANELS = 2, MOST_SERIES = 16, MOST_COUPLINGS = 32 };
enum { WIDTH = 1060, HEIGHT = 425, LEFT = 70, ACROSS = 360, APART = 60, DOWN = 310 };

typedef struct panel {
    const char *title, *ylabel;
    exp_family family;
    zb_optimizer optimizer;
    exp_measure measure;
} panel;

typedef struct series { /* of one label in one panel; of one block */
    int n;
    double *x, *y, *error;
} series;

typedef struct drawing {
    const exp_figure *f;
    panel panel[PANELS];
    series series[PANELS][MOST_SERIES];
    svg_axis x, y;
} drawing;

static const style *style_of(const char *label)
{
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(styles[i].label, label) == 0)
            return &styles[i];
    return &styles[0];
}

static const char *const *labels_of(const exp_figure *f)
{
    return f->curves ? exp_curves : exp_labels;
}

static bool of_files(const exp_figure *f)
{
    return f->family == EXP_LINKAGE || f->family == EXP_PEDIGREE;
}

/* ---- panels ---------------------------------------------------------------------- */

#define ABOVE_Z "ln Z(upper) \u2212 ln Z (nats)"
#define ABOVE_MBE "ln Z(upper) \u2212 ln Z(MBE) (nats)"

/* The paper's steps and ours. 3-regular models are measured against MBE, as in the
   paper, and in a plot of its own against Z. */
static void panels_of(const exp_figure *f, const char *name, panel p[PANELS])
{
    static const char *const steps[PANELS] = { "the paper's steps",
                                               "zbound's default" };
    static const zb_optimizer optimizer[PANELS] = { ZB_OPTIMIZER_PAPER,
                                                    ZB_OPTIMIZER_DEFAULT };
    bool random = strstr(name, "random") != NULL;
    bool ratio =
        f->family == EXP_REGULAR && !f->curves && strstr(name, "error") == NULL;
    for (int o = 0; o < PANELS; o++)
        p[o] = (panel){ .title = steps[o],
                        .ylabel = ratio ? ABOVE_MBE : ABOVE_Z,
                        .family = random ? EXP_REGULAR_RANDOM : f->family,
                        .optimizer = optimizer[o],
                        .measure = ratio ? EXP_RATIO : EXP_ERROR };
}

/* ---- data ------------------------------------------------------------------------ */

static void add(series *s, double x, double y, double error)
{
    s->x[s->n] = x;
    s->y[s->n] = y;
    s->error[s->n++] = error;
}

static void by_coupling(series *s, const exp_figure *f, const panel *p,
                        const char *label)
{
    double coupling[MOST_COUPLINGS];
    int n = exp_couplings(f, p->family, coupling, MOST_COUPLINGS);
    for (int i = 0; i < n; i++) {
        exp_stat a =
            exp_series(f, p->family, coupling[i], label, p->optimizer, p->measure);
        if (a.count > 0)
            add(s, coupling[i], a.mean, a.error_mean);
    }
}

static void by_instance(series *s, const exp_figure *f, const panel *p,
                        const char *label)
{
    for (int i = 0; i < f->ninstances; i++) {
        double y;
        const exp_task *t = exp_find(f, i, label, p->optimizer);
        if (t != NULL && exp_value(f, t, p->measure, &y))
            add(s, i + 1, y, 0);
    }
}

/* Thinned out where nothing happens any more. */
static void by_iteration(series *s, const exp_figure *f, const panel *p,
                         const char *label)
{
    const exp_task *t = exp_find(f, 0, label, p->optimizer);
    const exp_instance *i = &f->instance[0];
    if (t == NULL || !i->has_z)
        return;
    for (int k = 0; k <= t->iterations; k++) {
        int since = k < t->switch_at ? k : k - t->switch_at;
        if (since < 12 || since % 6 == 0 || k == t->iterations)
            add(s, k, t->values[k] - i->log_z, 0);
    }
}

static int most_points(const exp_figure *f)
{
    int most = f->ninstances > MOST_COUPLINGS ? f->ninstances : MOST_COUPLINGS;
    for (int i = 0; i < f->ntasks; i++)
        if (f->task[i].iterations + 1 > most)
            most = f->task[i].iterations + 1;
    return most;
}

static bool collect(drawing *d)
{
    size_t room = (size_t)most_points(d->f);
    for (int k = 0; k < PANELS; k++)
        for (int i = 0; labels_of(d->f)[i] != NULL; i++) {
            series *s = &d->series[k][i];
            s->x = malloc(3 * room * sizeof *s->x);
            if (s->x == NULL)
                return false;
            s->y = s->x + room;
            s->error = s->y + room;
            (d->f->curves     ? by_iteration
             : of_files(d->f) ? by_instance
                              : by_coupling)(s, d->f, &d->panel[k], labels_of(d->f)[i]);
        }
    return true;
}

/* ---- axes ------------------------------------------------------------------------ */

static svg_axis x_axis(const exp_figure *f)
{
    if (f->curves)
        return (svg_axis){ 0, 3.0 * (f->ntasks > 1 ? f->task[1].switch_at : 1),
                           .unit = SVG_COUNT, .label = "iteration" };
    if (of_files(f))
        return (svg_axis){ 0.4, f->ninstances + 0.6, .unit = SVG_COUNT, .bare = true };
    return (svg_axis){ -0.05, 2.05, .label = "interaction strength T" };
}

/* Errors that span more than a factor of 50 lie on zero otherwise: a logarithmic axis,
   of four decades at most. */
static svg_axis y_axis(const drawing *d)
{
    double low = INFINITY, high = -INFINITY, least = INFINITY;
    for (int k = 0; k < PANELS; k++)
        for (int i = 0; i < MOST_SERIES; i++)
            for (int j = 0; j < d->series[k][i].n; j++) {
                const series *s = &d->series[k][i];
                low = fmin(low, s->y[j] - s->error[j]);
                high = fmax(high, s->y[j] + s->error[j]);
                if (s->y[j] > 0)
                    least = fmin(least, s->y[j]);
            }
    bool errors = d->panel[0].measure == EXP_ERROR && !d->f->curves;
    const char *label = d->panel[0].ylabel;
    if (!(low < high))
        return (svg_axis){ 0, 1, .label = label };
    if (errors && high > 50 * least)
        return (svg_axis){ fmax(least / 1.5, 1e-4 * high), 1.5 * high, .log = true,
                           .label = label };
    return svg_axis_over(errors ? 0 : low, high, label);
}

/* The end of a model's name, or its seed. */
static const char *short_name(const exp_instance *x, char text[32])
{
    const char *tail = x->name != NULL ? strrchr(x->name, '_') : NULL;
    snprintf(text, 32, "%llu", (unsigned long long)x->seed);
    return tail != NULL ? tail + 1 : text;
}

/* Below the axis, upright where they would touch. */
static void instance_names(const svg_plot *p, const exp_figure *f)
{
    char look[96], text[32];
    double widest = 0, room = svg_x(p, 2) - svg_x(p, 1);
    for (int i = 0; i < f->ninstances; i++)
        widest = fmax(widest, svg_length(short_name(&f->instance[i], text)));
    for (int i = 0; i < f->ninstances; i++) {
        double x = p->left + svg_x(p, i + 1), y = p->top + p->height + 16;
        if (widest + 4 < room)
            snprintf(look, sizeof look, "class='tick' text-anchor='middle'");
        else
            snprintf(look, sizeof look,
                     "class='tick' text-anchor='end' transform='rotate(-60 %.1f %.1f)'",
                     x += 4, y -= 6);
        svg_text(p->out, x, y, look, short_name(&f->instance[i], text));
    }
    svg_text(p->out, p->left + p->width / 2,
             p->top + p->height + (widest + 4 < room ? 34 : 50),
             "class='label' text-anchor='middle'",
             f->family == EXP_LINKAGE ? "linkage instance" : "instance");
}

/* ---- drawing --------------------------------------------------------------------- */

static void draw_series(const svg_plot *p, const exp_figure *f, const series *s,
                        const style *look)
{
    for (int i = 0; i < s->n; i++)
        s->y[i] = fmax(s->y[i], p->y.low); /* below the axis: on its border */
    if (!of_files(f))
        svg_line(p, s->n, s->x, s->y, look->look);
    for (int i = 0; i < s->n && look->shape >= 0; i++) {
        if (s->error[i] > 0)
            svg_whisker(p, s->x[i], s->y[i] - s->error[i], s->y[i] + s->error[i],
                        look->look);
        svg_mark(p, s->x[i], s->y[i], look->shape, look->look);
    }
}

static void draw_panel(const drawing *d, FILE *out, int k)
{
    char title[64];
    snprintf(title, sizeof title, "%c: %s", 'A' + k, d->panel[k].title);
    svg_plot p = { .out = out,
                   .left = LEFT + k * (ACROSS + APART),
                   .top = 34,
                   .width = ACROSS,
                   .height = DOWN,
                   .x = d->x,
                   .y = d->y,
                   .title = title };
    p.y.label = k == 0 ? d->y.label : NULL;
    svg_begin(&p);
    if (d->f->curves && d->f->ntasks > 1)
        svg_upright(&p, d->f->task[1].switch_at, "class='hair'");
    for (int i = 0; labels_of(d->f)[i] != NULL; i++)
        if (d->series[k][i].n > 0)
            draw_series(&p, d->f, &d->series[k][i], style_of(labels_of(d->f)[i]));
    svg_end(&p);
    if (of_files(d->f))
        instance_names(&p, d->f);
}

static void legend(const drawing *d, FILE *out)
{
    svg_entry entry[MOST_SERIES];
    int n = 0;
    for (int i = 0; labels_of(d->f)[i] != NULL; i++)
        if (d->series[0][i].n + d->series[1][i].n > 0) {
            const style *s = style_of(labels_of(d->f)[i]);
            int dots = of_files(d->f) ? SVG_DOT : 0;
            entry[n++] = (svg_entry){ s->look, s->title, s->shape + dots };
        }
    svg_legend(out, LEFT + PANELS * (ACROSS + APART) - 20, 50, 0, n, entry);
}

/* Instances of the family at one coupling. */
static int instances_each(const drawing *d)
{
    int n = 0;
    const exp_instance *first = NULL;
    for (int i = 0; i < d->f->ninstances; i++) {
        const exp_instance *x = &d->f->instance[i];
        if (x->family != d->panel[0].family)
            continue;
        first = first != NULL ? first : x;
        n += x->coupling == first->coupling;
    }
    return n;
}

/* Whether a value was below the axis, and is drawn on its border. */
static bool on_border(const drawing *d)
{
    bool found = false;
    for (int k = 0; k < PANELS; k++)
        for (int i = 0; i < MOST_SERIES; i++)
            for (int j = 0; j < d->series[k][i].n; j++)
                found = found || d->series[k][i].y[j] <= d->y.low;
    return found;
}

/* What points and bars are. */
static void caption(const drawing *d, FILE *out)
{
    char text[200];
    const char *border =
        d->y.log && on_border(d) ? "; below the axis: at its lower border" : "";
    if (d->f->curves)
        snprintf(text, sizeof text,
                 "one model; the second kind of parameters moves from the dotted line "
                 "on%s",
                 border);
    else if (of_files(d->f))
        snprintf(text, sizeof text, "n = %d models, a mark each%s", d->f->ninstances,
                 border);
    else
        snprintf(text, sizeof text,
                 "n = %d models for each T; marks are means, bars their standard "
                 "error%s",
                 instances_each(d), border);
    svg_text(out, LEFT, HEIGHT - 14, "class='tick'", text);
}

bool exp_draw(FILE *out, const exp_figure *f, const char *name, bool alone)
{
    drawing d = { .f = f };
    char title[128];
    panels_of(f, name, d.panel);
    bool good = collect(&d);
    if (good) {
        d.x = x_axis(f);
        d.y = y_axis(&d);
        snprintf(title, sizeof title, "%s: %s", name, f->title);
        (alone ? svg_open_alone : svg_open)(
            out, WIDTH, HEIGHT, title,
            "Upper bounds by method, left with the paper's steps, right with zbound's "
            "default");
        for (int k = 0; k < PANELS; k++)
            draw_panel(&d, out, k);
        legend(&d, out);
        caption(&d, out);
        svg_close(out);
    }
    for (int k = 0; k < PANELS; k++)
        for (int i = 0; i < MOST_SERIES; i++)
            free(d.series[k][i].x);
    return good;
}

/* ---- which plots ----------------------------------------------------------------- */

const char *const *exp_plots_of(const exp_figure *f)
{
    static const char *const names[][4] = {
        { "fig2a" },
        { "fig2b" },
        { "fig2c", "fig2c-error", "fig2c-random" },
        { "fig2d", "fig2d-error", "fig2d-random" },
        { "fig2e" },
        { "fig3a" },
        { "fig3b" },
        { "fig3c" },
        { "fig3d" },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], f->name) == 0)
            return names[i];
    return names[0];
}

static int write_plot(const exp_settings *s, const exp_figure *f, const char *name)
{
    html_file file;
    char *path = exp_path(s, name, ".svg");
    if (path == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    int code = html_file_open(&file, "out", path);
    if (code == APP_OK) {
        code = exp_draw(file.out, f, name, true) ? html_file_keep(&file)
                                                 : app_fail(APP_LIMIT, "out of memory");
        html_file_discard(&file);
    }
    free(path);
    return code;
}

int exp_plot(const exp_settings *s)
{
    int code = APP_OK;
    for (int i = 0; i < s->nfigures && code == APP_OK; i++)
        for (const char *const *name = exp_plots_of(&s->figure[i]);
             *name != NULL && code == APP_OK; name++)
            code = write_plot(s, &s->figure[i], *name);
    return code;
}
