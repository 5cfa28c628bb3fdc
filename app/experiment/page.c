/* One page with all figures, tables and settings; it needs no other file. */
#include "experiment.h"

#include "console.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char STYLE[] =
    "body{font:15px/1.5 'DejaVu Sans',Verdana,sans-serif;max-width:72rem;margin:2rem "
    "auto;padding:0 1rem;color:#222}table{border-collapse:collapse;margin:1rem 0;"
    "font-size:13px}th,td{padding:.15rem .6rem;text-align:right;border-bottom:1px "
    "solid "
    "#ddd}th:first-child,td:first-child{text-align:left}caption{text-align:left;"
    "font-weight:bold}svg{max-width:100%;height:auto}div.wide{overflow-x:auto}";

/* Text that may hold markup characters. */
static void text(FILE *out, const char *s)
{
    for (; *s != '\0'; s++)
        switch (*s) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        default: fputc(*s, out);
        }
}

/* The file's drawing, without what comes before <svg. */
static void inline_svg(FILE *out, const exp_settings *s, const char *name)
{
    char *path = exp_path(s, name, ".svg"), *line = NULL;
    FILE *in = path != NULL ? fopen(path, "r") : NULL;
    size_t room = 0;
    bool inside = false;
    while (in != NULL && getline(&line, &room, in) > 0) {
        inside = inside || strncmp(line, "<svg", 4) == 0;
        if (inside)
            fputs(line, out);
    }
    if (in != NULL)
        fclose(in);
    free(line);
    free(path);
}

/* ---- tables ---------------------------------------------------------------------- */

static void heading(FILE *out, const char *caption, zb_optimizer optimizer)
{
    fprintf(out, "<div class=wide><table><caption>%s, %s</caption>\n", caption,
            optimizer == ZB_OPTIMIZER_PAPER ? "the paper's steps" : "zbound's default");
}

static void table_by_coupling(FILE *out, const exp_figure *f, exp_family family,
                              zb_optimizer optimizer, exp_measure m)
{
    double coupling[32];
    int n = exp_couplings(f, family, coupling, 32);
    heading(out,
            m == EXP_ERROR ? "ln(Z<sub>UB</sub>/Z): mean, standard deviation"
                           : "ln(Z<sub>UB</sub>/Z<sub>MBE</sub>): mean, standard "
                             "deviation",
            optimizer);
    fputs("<tr><th>T</th>", out);
    for (int i = 0; i < n; i++)
        fprintf(out, "<th>%.1f</th>", coupling[i]);
    fputs("</tr>\n", out);
    for (int k = 0; exp_labels[k] != NULL; k++) {
        if (exp_series(f, family, coupling[n - 1], exp_labels[k], optimizer, m).count ==
            0)
            continue;
        fprintf(out, "<tr><td>%s</td>", exp_labels[k]);
        for (int i = 0; i < n; i++) {
            exp_stat s =
                exp_series(f, family, coupling[i], exp_labels[k], optimizer, m);
            fprintf(out, "<td>%.2f<br><small>%.2f</small></td>", s.mean, s.dev);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void table_by_instance(FILE *out, const exp_figure *f, zb_optimizer optimizer)
{
    heading(out, "ln(Z<sub>UB</sub>/Z)", optimizer);
    fputs("<tr><th>instance</th><th>ln Z</th>", out);
    for (int k = 0; exp_labels[k] != NULL; k++)
        if (exp_find(f, 0, exp_labels[k], optimizer) != NULL)
            fprintf(out, "<th>%s</th>", exp_labels[k]);
    fputs("</tr>\n", out);
    for (int i = 0; i < f->ninstances; i++) {
        const exp_instance *x = &f->instance[i];
        fputs("<tr><td>", out);
        text(out, x->name != NULL ? x->name : "");
        fprintf(out, x->name != NULL ? "</td>" : "%llu</td>",
                (unsigned long long)x->seed);
        fprintf(out, x->has_z ? "<td>%.4f</td>" : "<td>not known</td>", x->log_z);
        for (int k = 0; exp_labels[k] != NULL; k++) {
            double value;
            const exp_task *t = exp_find(f, i, exp_labels[k], optimizer);
            if (t == NULL)
                continue;
            if (exp_value(f, t, EXP_ERROR, &value))
                fprintf(out, "<td>%.2f</td>", value);
            else
                fputs("<td></td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void table_of_curves(FILE *out, const exp_figure *f, zb_optimizer optimizer)
{
    double z = f->instance[0].log_z;
    heading(out, "ln(Z<sub>UB</sub>/Z)", optimizer);
    fputs("<tr><th>parameters</th><th>start</th><th>at the "
          "switch</th><th>end</th></tr>\n",
          out);
    for (int k = 0; exp_curves[k] != NULL; k++) {
        const exp_task *t = exp_find(f, 0, exp_curves[k], optimizer);
        if (t == NULL)
            continue;
        fputs("<tr><td>", out);
        text(out, t->label);
        fprintf(out, "</td><td>%.2f</td><td>%.2f</td><td>%.2f</td></tr>\n",
                t->values[0] - z, t->values[t->switch_at] - z,
                t->values[t->iterations] - z);
    }
    fputs("</table></div>\n", out);
}

static void tables(FILE *out, const exp_figure *f)
{
    static const zb_optimizer both[] = { ZB_OPTIMIZER_PAPER, ZB_OPTIMIZER_DEFAULT };
    for (int o = 0; o < 2; o++)
        if (f->curves)
            table_of_curves(out, f, both[o]);
        else if (f->family == EXP_LINKAGE || f->family == EXP_PEDIGREE)
            table_by_instance(out, f, both[o]);
        else
            table_by_coupling(out, f, f->family, both[o], EXP_ERROR);
    if (f->family != EXP_REGULAR || f->curves)
        return;
    fputs("<h3>Random chords, in numbers</h3>\n", out);
    for (int o = 0; o < 2; o++)
        table_by_coupling(out, f, EXP_REGULAR_RANDOM, both[o], EXP_RATIO);
}

/* ---- the page -------------------------------------------------------------------- */

static void settings(FILE *out, const exp_settings *s)
{
    char when[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL)
        strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &utc);
    fprintf(out,
            "<h2>Settings</h2>\n<table>\n<tr><td>zbound</td><td>%s</td></tr>\n"
            "<tr><td>compiler</td><td>",
            zb_version());
    text(out, __VERSION__);
    fprintf(out,
            "</td></tr>\n<tr><td>gnuplot</td><td>%s</td></tr>\n"
            "<tr><td>made</td><td>%s</td></tr>\n"
            "<tr><td>T is a</td><td>%s</td></tr>\n<tr><td>first "
            "seed</td><td>%llu</td></tr>\n"
            "<tr><td>quick</td><td>%s</td></tr>\n<tr><td>jobs</td><td>%d</td></tr>\n"
            "<tr><td>rows computed, found</td><td>%d, %d</td></tr>\n"
            "<tr><td>seconds of this run</td><td>%.1f</td></tr>\n</table>\n",
            s->gnuplot[0] != '\0' ? s->gnuplot : "not installed", when,
            s->variance ? "variance" : "standard deviation",
            (unsigned long long)s->seed, s->quick ? "yes" : "no", s->jobs, s->computed,
            s->reused, s->wall);
}

static void figure(FILE *out, const exp_settings *s, const exp_figure *f)
{
    const exp_task *t = &f->task[f->ntasks - 1];
    fprintf(out, "<h2 id=%s>%s: %s</h2>\n", f->name, f->name, f->title);
    for (const char *const *name = exp_plots_of(f); s->plotted && *name != NULL;
         name++) {
        if (strchr(*name, '-') != NULL)
            fprintf(out, "<h3>%s</h3>\n",
                    strstr(*name, "random") ? "Random chords" : "The true error");
        inline_svg(out, s, *name);
    }
    fprintf(out,
            "<p>%d instances, %d iterations, %.1f seconds of computing. All rows: "
            "<a href=%s.csv>%s.csv</a>.</p>\n",
            f->ninstances, t->iterations, f->seconds, f->name, f->name);
    tables(out, f);
}

static void page(FILE *out, const exp_settings *s)
{
    fprintf(
        out,
        "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>"
        "<title>zbound: the paper's figures</title><style>%s</style></head><body>\n"
        "<h1>Gauged mini-bucket elimination: the paper's figures</h1>\n"
        "<p>Upper bounds on ln Z. Left: the paper's fixed steps; right: zbound's "
        "default optimiser in the same number of passes, on the same form and order "
        "(linkage: its own); \"wG, own order\" chooses form and order too. Points "
        "are means over the instances, bars their standard error.</p>\n",
        STYLE);
    for (int i = 0; i < s->nfigures; i++)
        figure(out, s, &s->figure[i]);
    settings(out, s);
    fputs("</body></html>\n", out);
}

int exp_page(const exp_settings *s)
{
    char *path = exp_path(s, "index", ".html");
    FILE *out = path != NULL ? fopen(path, "w") : NULL;
    int code = APP_OK;
    if (out == NULL)
        code = app_fail(APP_INTERNAL, "%s: %s", path ? path : "index.html",
                        strerror(errno));
    else {
        page(out, s);
        if (fclose(out) != 0)
            code = app_fail(APP_INTERNAL, "%s: %s", path, strerror(errno));
    }
    free(path);
    return code;
}
