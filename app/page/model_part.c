/* The model at a glance, and what solving it takes. */
#include "page/page.h"
#include "page/svg.h"

#include <math.h>
#include <stdlib.h>

/* ---- histograms ------------------------------------------------------------------ */

typedef struct counts { /* [i]: how many there are of size i; the last: or more */
    const char *title, *what;
    int slots;
    const int *count;
} counts;

static int last_slot(const counts *c)
{
    int last = c->slots - 1;
    while (last > 0 && c->count[last] == 0)
        last--;
    return last;
}

static int first_slot(const counts *c)
{
    int first = 0;
    while (first < c->slots - 1 && c->count[first] == 0)
        first++;
    return first;
}

/* Bars over whole numbers; a few of them are wide enough without filling the width. */
static void histogram(FILE *out, const counts *c)
{
    int first = first_slot(c), last = last_slot(c), most = 1;
    double width = 228, height = 110;
    for (int i = first; i <= last; i++)
        most = c->count[i] > most ? c->count[i] : most;
    if (last - first < 5)
        last = first + 5;
    svg_plot p = { .out = out, .top = 10, .height = height };
    p.x = (svg_axis){ first - 0.6, last + 0.6, .unit = SVG_COUNT, .label = c->what };
    p.y = (svg_axis){ 0, 1.05 * most, .unit = SVG_COUNT };
    p.left = svg_left(&p.y, height);
    p.width = width - p.left - 8;
    fputs("<figure>\n", out);
    svg_open(out, width, height + 52, c->title, "A histogram");
    svg_begin(&p);
    for (int i = first; i <= last && i < c->slots; i++)
        if (c->count[i] > 0)
            svg_bar(&p, i - 0.4, i + 0.4, c->count[i], "class='bar'");
    svg_end(&p);
    svg_close(out);
    fprintf(out, "<figcaption>%s</figcaption>\n</figure>\n", c->title);
}

/* How many factors each variable is in. */
static void count_degrees(const zb_model *model, int slots, int *count)
{
    int n = zb_model_nvars(model);
    int *degree = calloc((size_t)n + 1, sizeof *degree);
    if (degree == NULL)
        return;
    for (int f = 0; f < zb_model_nfactors(model); f++)
        for (int i = 0; i < zb_model_arity(model, f); i++)
            degree[zb_model_scope(model, f)[i]]++;
    for (int v = 0; v < n; v++)
        count[degree[v] < slots ? degree[v] : slots - 1]++;
    free(degree);
}

static void histograms(FILE *out, const app_input *in, const zb_survey *s)
{
    int degrees[ZB_SURVEY_SLOTS] = { 0 };
    count_degrees(in->model, ZB_SURVEY_SLOTS, degrees);
    fputs("<div class=row>\n", out);
    histogram(out, &(counts){ "Variables by their number of values", "values",
                              ZB_SURVEY_SLOTS, s->cards });
    histogram(out, &(counts){ "Factors by their number of variables", "arity",
                              ZB_SURVEY_SLOTS, s->arities });
    histogram(out, &(counts){ "Variables by the factors they are in", "factors",
                              ZB_SURVEY_SLOTS, degrees });
    fputs("</div>\n", out);
}

/* ---- sizes ----------------------------------------------------------------------- */

/* reduced NAN: not known */
static void size_row(FILE *out, const char *name, double given, double reduced)
{
    fprintf(out, "<tr><td>%s<td>%.12g", name, given);
    if (!isnan(reduced))
        fprintf(out, "<td>%.12g", reduced);
    fputs("</tr>\n", out);
}

/* In per cent, to a tenth. */
static double zero_share(const zb_sizes *z)
{
    return z->entries > 0 ? round(1e3 * (double)z->zeros / (double)z->entries) / 10 : 0;
}

static void components(FILE *out, const zb_survey *s)
{
    if (s->values_removed > 0)
        fprintf(out,
                "<p>Zeros forbid %zu values of variables; they were removed.</p>\n",
                s->values_removed);
    if (s->reduced.vars == 0)
        fputs("<p>Exact reductions alone sum the whole model.</p>\n", out);
    else if (s->components == 1)
        fputs("<p>What is left hangs together: it is one component.</p>\n", out);
    else
        fprintf(out,
                "<p>What is left falls into %d components, the largest of %d "
                "variables.</p>\n",
                s->components, s->largest_component);
}

/* Reduced sizes are there where the survey came to its end. */
static void sizes(FILE *out, const zb_survey *s, bool surveyed)
{
    const zb_sizes *a = &s->given, *b = surveyed ? &s->reduced : NULL;
    fprintf(out, "<div class=scroll><table>\n<tr><th><th>as read%s</tr>\n",
            surveyed ? "<th>reduced" : "");
    size_row(out, "variables", a->vars, b != NULL ? (double)b->vars : (double)NAN);
    size_row(out, "factors", a->factors, b != NULL ? (double)b->factors : (double)NAN);
    size_row(out, "table entries", (double)a->entries,
             b != NULL ? (double)b->entries : (double)NAN);
    size_row(out, "of them zero, %", zero_share(a),
             b != NULL ? zero_share(b) : (double)NAN);
    size_row(out, "largest cardinality", a->max_card,
             b != NULL ? (double)b->max_card : (double)NAN);
    size_row(out, "largest arity", a->max_arity,
             b != NULL ? (double)b->max_arity : (double)NAN);
    fputs("</table></div>\n", out);
    if (surveyed)
        components(out, s);
    else
        fputs("<p class=quiet>The survey of the model did not come to its end within "
              "its share of the time; <code>zbound info</code> has all of it.</p>\n",
              out);
}

void page_model(FILE *out, const app_input *in, const zb_survey *s, bool surveyed)
{
    char text[160];
    fputs("<h2>The model</h2>\n", out);
    if (in->evidence != NULL) {
        app_input_evidence_text(in, text, sizeof text);
        fputs("<p>Evidence: ", out);
        html_text(out, in->evidence);
        fputs(", ", out);
        html_text(out, text);
        fputs(".</p>\n", out);
    }
    if (in->observed != NULL) {
        fputs("<p>Evidence: ", out);
        html_text(out, in->observed);
        fputs(".</p>\n", out);
    }
    sizes(out, s, surveyed);
    histograms(out, in, s);
}

/* ---- elimination ----------------------------------------------------------------- */

/* A column is split where its largest clique is above the ibound. */
static void profile_chart(FILE *out, const zb_survey *s, int ibound, double width)
{
    static const svg_entry legend[] = { { "class='bar'", "in one piece", -2 },
                                        { "class='over'", "split", -2 },
                                        { "class='rule'", "ibound", -1 } };
    double height = 170, vars = s->reduced.vars;
    bool split = ibound > 0 && ibound <= s->width;
    svg_plot p = { .out = out, .top = 10, .height = height };
    p.x = (svg_axis){ 0, fmax(vars, 1), .unit = SVG_COUNT,
                      .label = "variables eliminated" };
    p.y = (svg_axis){ 0, 1.08 * fmax(s->width + 1, 1), .unit = SVG_COUNT,
                      .label = "variables in a clique" };
    p.left = svg_left(&p.y, height);
    p.width = width - p.left - 26;
    svg_open(out, width, height + (split ? 80 : 52), "Widths along the elimination",
             "The largest clique in each stretch of the elimination order");
    svg_begin(&p);
    for (int c = 0; c < s->columns; c++)
        svg_bar(&p, vars * c / s->columns, vars * (c + 1) / s->columns, s->profile[c],
                split && s->profile[c] > ibound ? "class='over'" : "class='bar'");
    if (split)
        svg_rule(&p, ibound, "class='rule'");
    svg_end(&p);
    if (split)
        svg_legend(out, p.left, height + 66, p.width, 3, legend);
    svg_close(out);
}

static void profile(FILE *out, const zb_survey *s, int ibound)
{
    fputs("<figure class=wide>\n", out);
    profile_chart(out, s, ibound, PAGE_WIDE);
    fputs("</figure>\n<figure class=narrow>\n", out);
    profile_chart(out, s, ibound, PAGE_NARROW);
    fprintf(out,
            "</figure>\n<p class=quiet>Variables are summed out one after the other, "
            "here in an order of width %d; each step needs a table over its "
            "clique.%s</p>\n",
            s->width,
            ibound == 0
                ? ""
                : " Cliques of more variables than the ibound are split into "
                  "mini-buckets, and that is where an exact sum becomes a bound.");
}

/* The narrowest bracket that work at this ibound came to; INFINITY: it made none
   narrower. */
static double gap_seen(const history *h, int ibound)
{
    double gap = INFINITY, before = INFINITY;
    for (int i = 0; h != NULL && i < h->count; i++) {
        double now = h->event[i].upper - h->event[i].lower;
        if (h->event[i].ibound == ibound && now < before)
            gap = now;
        before = now;
    }
    return fmax(gap, 0);
}

/* What a longer run would see, about: ln of the gap falls along a line in the ibound,
   fitted to those that this run was at. It needs two of them, and must fall. */
typedef struct trend {
    int count;
    double at, value, slope; /* means of ibound and ln gap */
} trend;

static trend fit_trend(const zb_survey *s, const history *h)
{
    trend t = { .count = 0 };
    double across = 0, both = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->rows; i++) {
            double gap = gap_seen(h, s->row[i].ibound), x = s->row[i].ibound;
            if (!isfinite(gap) || gap <= 0 || s->row[i].splits == 0)
                continue;
            if (pass == 0) {
                t.count++;
                t.at += (x - t.at) / t.count;
                t.value += (log(gap) - t.value) / t.count;
            } else {
                across += (x - t.at) * (x - t.at);
                both += (x - t.at) * (log(gap) - t.value);
            }
        }
    t.slope = across > 0 ? both / across : 0;
    return t;
}

static void expected(FILE *out, double gap)
{
    double step = gap > 0 ? pow(10, floor(log10(gap)) - 1) : 1; /* two digits */
    fprintf(out, gap < 100 ? "about %.2g" : "about %.0f",
            gap < 100 ? gap : step * round(gap / step));
}

static void gap_cell(FILE *out, const zb_forecast *w, double seen, const trend *t)
{
    fputs("<td>", out);
    if (w->splits == 0)
        fputs("0", out);
    else if (isfinite(seen))
        fprintf(out, "%.3g", seen);
    else if (t->count > 1 && t->slope < 0)
        expected(out, exp(t->value + t->slope * (w->ibound - t->at)));
}

static void forecast_row(FILE *out, const zb_forecast *w, bool used)
{
    char bytes[32], seconds[32];
    if (w->seconds < 1)
        svg_number(w->seconds, 0, SVG_SECONDS, seconds);
    else
        app_seconds_text(w->seconds, seconds);
    fprintf(out, "<tr%s><td>%d<td>%s<td>%s<td>%.0f", used ? " class=mark" : "",
            w->ibound, app_bytes_text(w->bytes, bytes),
            w->seconds < APP_NEVER ? seconds : "never", w->splits);
}

static void fits_cell(FILE *out, const zb_forecast *w)
{
    fprintf(out, "<td class=words>%s%s</tr>\n", w->splits == 0 ? "exact" : "",
            w->fits          ? ""
            : w->splits == 0 ? ", does not fit"
                             : "does not fit");
}

static void forecasts(FILE *out, const zb_survey *s, const history *h, int ibound)
{
    trend t = fit_trend(s, h);
    fprintf(out, "<details%s><summary>What each ibound would take",
            s->rows <= 14 ? " open" : "");
    fprintf(out,
            "</summary>\n<div class=scroll tabindex=0 "
            "role=region aria-label=forecast><table>\n<tr><th>ibound<th>memory<th>"
            "time<th>splits%s<th></tr>\n",
            h != NULL ? "<th>gap" : "");
    for (int i = 0; i < s->rows; i++) {
        const zb_forecast *w = &s->row[i];
        if (i > 0 && i == s->rows - 1 && s->cut)
            fprintf(out, "<tr><td>\u2026<td><td><td>%s<td></tr>\n",
                    h != NULL ? "<td>" : "");
        forecast_row(out, w, w->ibound == ibound);
        if (h != NULL)
            gap_cell(out, w, gap_seen(h, w->ibound), &t);
        fits_cell(out, w);
    }
    fprintf(
        out,
        "</table></div>\n<p class=quiet>The time is of one pass, or of the exact "
        "elimination; a bracket takes tens to hundreds of passes.%s%s</p></details>\n",
        h == NULL ? ""
                  : " The gap, in nats, is the narrowest bracket that this run came to "
                    "by work at that ibound; <em>about</em>: expected of others, along "
                    "the line of those.",
        s->rows == 1 && s->cut
            ? " There was no time for smaller ones; <code>zbound info</code> has them."
            : "");
}

void page_elimination(FILE *out, const zb_survey *s, const history *h, int ibound)
{
    if (s->columns == 0)
        return;
    fputs("<h2>The elimination</h2>\n", out);
    profile(out, s, ibound);
    if (s->rows > 0)
        forecasts(out, s, h, ibound);
}
