/* gnuplot scripts with their data inside, and gnuplot over them. Every series has its
 * own colour (of the Okabe-Ito set), point and dash, so that plots can be read without
 * colours. */
#include "experiment.h"

#include "console.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct style {
    const char *label, *title, *look;
} style;

static const style styles[] = {
    { "mbe-ising", "MBE, original", "lc rgb '#777777' dt 3 pt 1 lw 1.5" },
    { "trbp-ising", "TRBP, original", "lc rgb '#777777' dt 3 pt 2 lw 1.5" },
    { "mbe", "MBE", "lc rgb '#000000' dt 2 pt 4 lw 1.5" },
    { "trbp", "TRBP", "lc rgb '#777777' dt 4 pt 3 lw 1.5" },
    { "wmbe", "WMBE", "lc rgb '#000000' dt 1 pt 5 lw 1.5" },
    { "wmbe-w", "WMBE-w", "lc rgb '#56B4E9' dt 1 pt 6 lw 1.5" },
    { "wmbe-theta", "WMBE-θ", "lc rgb '#E69F00' dt 1 pt 8 lw 1.5" },
    { "wmbe-wtheta", "WMBE-wθ", "lc rgb '#CC79A7' dt 5 pt 9 lw 1.5" },
    { "wmbe-g", "WMBE-G", "lc rgb '#009E73' dt 1 pt 7 lw 2" },
    { "wmbe-wg", "WMBE-wG", "lc rgb '#0072B2' dt 1 pt 13 lw 2.5" },
    { "wmbe-wg-own", "wG, own order", "lc rgb '#D55E00' dt 1 pt 11 lw 2" },
    { "g>w", "G, then w", "lc rgb '#009E73' dt 1 lw 2.5" },
    { "g>theta", "G, then θ", "lc rgb '#009E73' dt 2 lw 2" },
    { "w>g", "w, then G", "lc rgb '#0072B2' dt 1 lw 2.5" },
    { "w>theta", "w, then θ", "lc rgb '#0072B2' dt 3 lw 2" },
    { "theta>g", "θ, then G", "lc rgb '#D55E00' dt 1 lw 2.5" },
    { "theta>w", "θ, then w", "lc rgb '#D55E00' dt 4 lw 2" },
};

enum { PANELS = 2 };

typedef struct panel {
    const char *title, *ylabel;
    exp_family family;
    zb_optimizer optimizer;
    exp_measure measure;
} panel;

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

/* ---- data blocks: x, y, width of the error bar ----------------------------------- */

static int by_coupling(FILE *out, const exp_figure *f, const panel *p,
                       const char *label)
{
    double coupling[32];
    int n = exp_couplings(f, p->family, coupling, 32), count = 0;
    for (int i = 0; i < n; i++) {
        exp_stat s =
            exp_series(f, p->family, coupling[i], label, p->optimizer, p->measure);
        if (s.count > 0) {
            fprintf(out, "%g %.5g %.3g\n", coupling[i], s.mean, s.error_mean);
            count++;
        }
    }
    return count;
}

static int by_instance(FILE *out, const exp_figure *f, const panel *p,
                       const char *label)
{
    int count = 0;
    for (int i = 0; i < f->ninstances; i++) {
        double x;
        const exp_task *t = exp_find(f, i, label, p->optimizer);
        if (t != NULL && exp_value(f, t, p->measure, &x)) {
            fprintf(out, "%d %.5g 0\n", i + 1, x);
            count++;
        }
    }
    return count;
}

/* Thinned out where nothing happens any more. */
static int by_iteration(FILE *out, const exp_figure *f, const panel *p,
                        const char *label)
{
    const exp_task *t = exp_find(f, 0, label, p->optimizer);
    const exp_instance *i = &f->instance[0];
    if (t == NULL || !i->has_z)
        return 0;
    for (int k = 0; k <= t->iterations; k++) {
        int since = k < t->switch_at ? k : k - t->switch_at;
        if (since < 12 || since % 6 == 0 || k == t->iterations)
            fprintf(out, "%d %.5g 0\n", k, t->values[k] - i->log_z);
    }
    return t->iterations;
}

static int write_block(FILE *out, const exp_figure *f, const panel *p,
                       const char *label)
{
    bool files = f->family == EXP_LINKAGE || f->family == EXP_PEDIGREE;
    return f->curves ? by_iteration(out, f, p, label)
           : files   ? by_instance(out, f, p, label)
                     : by_coupling(out, f, p, label);
}

/* ---- scripts --------------------------------------------------------------------- */

static void head(FILE *out, const char *name)
{
    const int width = 1060, height = 440;
    fprintf(out,
            "# gnuplot -e \"png=1\" FILE draws a .png file instead\n"
            "if (exists(\"png\")) {\n"
            "  set terminal pngcairo size %d,%d font 'DejaVu Sans,10'\n"
            "  set output '%s.png'\n"
            "} else {\n"
            "  set terminal svg size %d,%d dynamic background rgb 'white' "
            "font 'DejaVu Sans,Verdana,sans-serif,12'\n"
            "  set output '%s.svg'\n"
            "}\n"
            "set encoding utf8\nset tics nomirror\nset border 3\n"
            "set grid ytics lt 1 lc rgb '#dddddd' lw 1\nset pointsize 0.75\n"
            "set style data yerrorlines\nset bars 0\n",
            width, height, name, width, height, name);
}

static void plot_line(FILE *out, const exp_figure *f, int number, const bool *has,
                      bool legend)
{
    const char *const *labels = labels_of(f);
    bool files = f->family == EXP_LINKAGE || f->family == EXP_PEDIGREE;
    bool first = true;
    for (int i = 0; labels[i] != NULL; i++) {
        const style *s = style_of(labels[i]);
        if (!has[i])
            continue;
        fprintf(out, "%s$p%d_%d using 1:2%s with %s %s title \"%s\"",
                first ? "plot " : ", \\\n     ", number, i,
                f->curves || files ? "" : ":3",
                f->curves ? "lines"
                : files   ? "linespoints"
                          : "yerrorlines",
                s->look, legend ? s->title : "");
        first = false;
    }
    if (!first)
        fputc('\n', out);
}

static void axes(FILE *out, const exp_figure *f)
{
    if (f->curves) {
        int at = f->ntasks > 1 ? f->task[1].switch_at : 0;
        fprintf(out,
                "set xlabel 'iteration'\nset xrange [0:%d]\n"
                "set arrow 1 from %d, graph 0 to %d, graph 1 nohead lc rgb '#aaaaaa' "
                "dt 3\n",
                3 * at, at, at);
    } else if (f->family == EXP_LINKAGE || f->family == EXP_PEDIGREE) {
        fprintf(out, "set xlabel 'instance'\nset xrange [0.5:%d.5]\n", f->ninstances);
        fputs("set xtics rotate by -60 font ',9' (", out);
        for (int i = 0; i < f->ninstances; i++) {
            const char *name = f->instance[i].name;
            const char *number = name ? strrchr(name, '_') : NULL;
            if (number != NULL)
                fprintf(out, "%s\"%s\" %d", i > 0 ? ", " : "", number + 1, i + 1);
            else
                fprintf(out, "%s\"%llu\" %d", i > 0 ? ", " : "",
                        (unsigned long long)f->instance[i].seed, i + 1);
        }
        fputs(")\n", out);
    } else
        fputs("set xlabel 'interaction strength T'\nset xrange [-0.05:2.05]\n", out);
}

/* Side by side, the legend to the right of both. */
static void place(FILE *out, int number)
{
    double left = number == 0 ? 0.065 : 0.46;
    fprintf(out,
            "set lmargin at screen %g\nset rmargin at screen %g\n"
            "set tmargin at screen 0.89\nset bmargin at screen 0.15\n",
            left, left + 0.335);
}

enum { MOST_SERIES = 16 };

typedef struct range { /* of the values in a plot */
    double low, high;
} range;

/* The block of a series; the range grows to cover it. */
static bool series(FILE *out, const exp_figure *f, const panel *p, int number, int i,
                   range *all)
{
    char *text = NULL;
    size_t size = 0;
    FILE *block = open_memstream(&text, &size);
    if (block == NULL)
        return false;
    int count = write_block(block, f, p, labels_of(f)[i]);
    fclose(block);
    double x, y, dev;
    for (char *line = text; line != NULL && *line != '\0';) {
        if (sscanf(line, "%lf %lf %lf", &x, &y, &dev) == 3) {
            all->low = fmin(all->low, y - dev);
            all->high = fmax(all->high, y + dev);
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    if (count > 0)
        fprintf(out, "$p%d_%d << EOD\n%sEOD\n", number, i, text);
    free(text);
    return count > 0;
}

static void script(FILE *out, const exp_figure *f, const char *name,
                   const panel p[PANELS])
{
    bool has[PANELS][MOST_SERIES] = { { false } };
    bool from_zero = p[0].measure == EXP_ERROR && !f->curves;
    range y = { .low = from_zero ? 0 : INFINITY, .high = -INFINITY };
    head(out, name);
    for (int k = 0; k < PANELS; k++)
        for (int i = 0; labels_of(f)[i] != NULL; i++)
            has[k][i] = series(out, f, &p[k], k, i, &y);
    if (!(y.low < y.high))
        y = (range){ 0, 1 };
    fputs("set multiplot\n", out);
    axes(out, f);
    fprintf(out, "set yrange [%g:%g]\nset ylabel '%s' offset 1\nunset key\n",
            y.low - 0.02 * (y.high - y.low), y.high + 0.03 * (y.high - y.low),
            p[0].ylabel);
    for (int k = 0; k < PANELS; k++) {
        place(out, k);
        fprintf(out, "set title \"%s\" font ',12'\n", p[k].title);
        if (k == 1)
            fputs("unset ylabel\nset key at screen 0.81, screen 0.95 left top Left "
                  "reverse samplen 3 spacing 1.35 font ',11'\n",
                  out);
        plot_line(out, f, k, has[k], k == 1);
    }
    fputs("unset multiplot\n", out);
}

/* ---- which plots ----------------------------------------------------------------- */

#define ABOVE_Z "ln (Z_{UB} / Z)"
#define ABOVE_MBE "ln (Z_{UB} / Z_{MBE})"

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

static int write_script(const exp_settings *s, const exp_figure *f, const char *name)
{
    panel p[PANELS];
    char *path = exp_path(s, name, ".gp");
    FILE *out = path != NULL ? fopen(path, "w") : NULL;
    int code = APP_OK;
    if (out == NULL)
        code = app_fail(APP_INTERNAL, "%s: %s", path ? path : name, strerror(errno));
    else {
        panels_of(f, name, p);
        script(out, f, name, p);
        if (fclose(out) != 0)
            code = app_fail(APP_INTERNAL, "%s: %s", path, strerror(errno));
    }
    free(path);
    return code;
}

/* ---- gnuplot --------------------------------------------------------------------- */

static bool has_gnuplot(exp_settings *s)
{
    FILE *pipe = popen("gnuplot --version 2>/dev/null", "r");
    bool found = pipe != NULL && fgets(s->gnuplot, sizeof s->gnuplot, pipe) != NULL;
    s->gnuplot[strcspn(s->gnuplot, "\n")] = '\0';
    if (pipe != NULL)
        pclose(pipe);
    return found;
}

/* In DIR, so that scripts name their outputs without one. */
static int draw(const exp_settings *s, const char *name, const char *variable)
{
    char file[64];
    int status = 0;
    snprintf(file, sizeof file, "%s.gp", name);
    pid_t child = fork();
    if (child == 0) {
        /* scripts are in UTF-8, which gnuplot warns about in other locales */
        if (chdir(s->out) == 0 && setenv("LC_ALL", "C.UTF-8", 1) == 0)
            execlp("gnuplot", "gnuplot", "-e", variable, file, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return app_fail(APP_INTERNAL, "gnuplot %s failed", file);
    return APP_OK;
}

int exp_plot(exp_settings *s)
{
    int code = APP_OK;
    s->plotted = has_gnuplot(s);
    for (int i = 0; i < s->nfigures && code == APP_OK; i++)
        for (const char *const *name = exp_plots_of(&s->figure[i]);
             *name != NULL && code == APP_OK; name++) {
            code = write_script(s, &s->figure[i], *name);
            if (code == APP_OK && s->plotted)
                code = draw(s, *name, "svg=1");
            if (code == APP_OK && s->plotted)
                code = draw(s, *name, "png=1");
        }
    if (code == APP_OK && !s->plotted)
        app_note(
            "gnuplot is not installed: plots were skipped, their scripts are in %s",
            s->out);
    return code;
}
