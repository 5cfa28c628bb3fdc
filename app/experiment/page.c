/* One page with all figures, tables and settings; it needs no other file. */
#include "experiment.h"

#include "console.h"
#include "page/html.h"
#include "page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---------------------------------------------------------------------- */

static void heading(FILE *out, const char *caption, zb_optimizer optimizer)
{
    const char *steps =
        optimizer == ZB_OPTIMIZER_PAPER ? "the paper's steps" : "zbound's default";
    fprintf(
        out,
        "<div class=scroll tabindex=0 role=region aria-label=\"numbers, %s\"><table>"
        "<caption>%s, %s</caption>\n",
        steps, caption, steps);
}

/* What two decimals show of x; zero has no sign. */
static double hundredths(double x) { return fabs(x) < 0.005 ? 0 : x; }

static void table_by_coupling(FILE *out, const exp_figure *f, exp_family family,
                              zb_optimizer optimizer, exp_measure m)
{
    double coupling[32];
    int n = exp_couplings(f, family, coupling, 32);
    heading(out,
            m == EXP_ERROR ? "ln(Z<sub>UB</sub>/Z): mean, standard error"
                           : "ln(Z<sub>UB</sub>/Z<sub>MBE</sub>): mean, standard "
                             "error",
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
            fprintf(out, "<td>%.2f<br><small>%.2f</small></td>", hundredths(s.mean),
                    s.error_mean);
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
        html_text(out, x->name != NULL ? x->name : "");
        fprintf(out, x->name != NULL ? "</td>" : "%llu</td>",
                (unsigned long long)x->seed);
        fprintf(out, x->has_z ? "<td>%.4f</td>" : "<td>not known</td>", x->log_z);
        for (int k = 0; exp_labels[k] != NULL; k++) {
            double value;
            const exp_task *t = exp_find(f, i, exp_labels[k], optimizer);
            if (t == NULL)
                continue;
            if (exp_value(f, t, EXP_ERROR, &value))
                fprintf(out, "<td>%.2f</td>", hundredths(value));
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
        html_text(out, t->label);
        fprintf(out, "</td><td>%.2f</td><td>%.2f</td><td>%.2f</td></tr>\n",
                t->values[0] - z, t->values[t->switch_at] - z,
                t->values[t->iterations] - z);
    }
    fputs("</table></div>\n", out);
}

static void tables(FILE *out, const exp_figure *f)
{
    static const zb_optimizer both[] = { ZB_OPTIMIZER_PAPER, ZB_OPTIMIZER_DEFAULT };
    fputs("<div class=row>\n", out);
    for (int o = 0; o < 2; o++)
        if (f->curves)
            table_of_curves(out, f, both[o]);
        else if (f->family == EXP_LINKAGE || f->family == EXP_PEDIGREE)
            table_by_instance(out, f, both[o]);
        else
            table_by_coupling(out, f, f->family, both[o], EXP_ERROR);
    fputs("</div>\n", out);
    if (f->family != EXP_REGULAR || f->curves)
        return;
    fputs("<h3>Random chords, in numbers</h3>\n<div class=row>\n", out);
    for (int o = 0; o < 2; o++)
        table_by_coupling(out, f, EXP_REGULAR_RANDOM, both[o], EXP_RATIO);
    fputs("</div>\n", out);
}

/* ---- the page -------------------------------------------------------------------- */

static void settings(FILE *out, const exp_settings *s)
{
    fputs("<h2>This run</h2>\n<div class=scroll><table class=facts>\n", out);
    page_command(out, s->args);
    html_row(out, "T is a", "%s", s->variance ? "variance" : "standard deviation");
    html_row(out, "first seed", "%llu", (unsigned long long)s->seed);
    html_row(out, "quick", "%s", s->quick ? "yes" : "no");
    html_row(out, "jobs", "%d", s->jobs);
    html_row(out, "rows", "%d computed, %d found", s->computed, s->reused);
    html_row(out, "seconds of this run", "%.1f", s->wall);
    page_program(out);
    fputs("</table></div>\n", out);
}

static const char *subtitle(const char *plot)
{
    return strstr(plot, "random") != NULL  ? "<h3>Random chords</h3>\n"
           : strstr(plot, "error") != NULL ? "<h3>The true error</h3>\n"
                                           : "";
}

static bool figure(FILE *out, const exp_figure *f)
{
    const exp_task *t = &f->task[f->ntasks - 1];
    bool good = true;
    fprintf(out, "<h2 id=%s>%s: %s</h2>\n", f->name, f->name, f->title);
    for (const char *const *name = exp_plots_of(f); good && *name != NULL; name++) {
        fprintf(out, "%s<figure class=scroll tabindex=0 role=group aria-label=%s>\n",
                subtitle(*name), *name);
        good = exp_draw(out, f, *name, false);
        fputs("</figure>\n", out);
    }
    fprintf(out,
            "<p>%d instance%s, %d iterations, %.1f seconds of computing. All rows: "
            "<a href=%s.csv>%s.csv</a>.</p>\n",
            f->ninstances, f->ninstances == 1 ? "" : "s", t->iterations, f->seconds,
            f->name, f->name);
    tables(out, f);
    return good;
}

static bool page(FILE *out, const exp_settings *s)
{
    bool good = true;
    html_open(out, "Gauged mini-bucket elimination: the paper's figures");
    fputs("<style>main{max-width:70rem}.row{row-gap:.8rem}@media screen{figure "
          "svg{min-width:58rem}}@media "
          "print{table{font-size:.62rem}th,td{padding-right:.25rem}}caption{text-align:"
          "left;font-weight:600}</style>\n"
          "<p>Upper bounds on ln Z. Left: the paper's fixed steps; right: zbound's "
          "default optimiser in the same number of passes, on the same form and order "
          "(linkage: its own); \"wG, own order\" chooses form and order too. Points "
          "are means over the instances, bars their standard error.</p>\n",
          out);
    for (int i = 0; i < s->nfigures && good; i++)
        good = figure(out, &s->figure[i]);
    settings(out, s);
    html_close(out);
    return good;
}

int exp_page(const exp_settings *s)
{
    html_file file;
    char *path = exp_path(s, "index", ".html");
    if (path == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    int code = html_file_open(&file, "out", path);
    if (code == APP_OK)
        code = page(file.out, s) ? html_file_keep(&file)
                                 : app_fail(APP_LIMIT, "out of memory");
    html_file_discard(&file);
    free(path);
    return code;
}
