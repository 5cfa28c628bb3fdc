/* States that were drawn: how, how many they are worth, and what they look like. */
#include "page/answers.h"

#include "page/lattice.h"
#include "page/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 240 }; /* variables of a picture that is no lattice */

/* ---- while they are drawn -------------------------------------------------------- */

bool page_samples_new(page_samples *s, int nvars, bool weighted)
{
    *s = (page_samples){ .nvars = nvars, .weighted = weighted, .top = -INFINITY };
    s->state = malloc((PAGE_STATES * (size_t)nvars + 1) * sizeof *s->state);
    return s->state != NULL;
}

void page_samples_free(page_samples *s)
{
    free(s->state);
    s->state = NULL;
}

/* Sums are kept relative to the largest weight, which may change. */
static void add_weight(page_samples *s, double log_weight)
{
    if (log_weight > s->top) {
        double shrink = isfinite(s->top) ? exp(s->top - log_weight) : 0;
        s->sum *= shrink;
        s->squares *= shrink * shrink;
        s->top = log_weight;
    }
    if (!isfinite(log_weight))
        return;
    double w = exp(log_weight - s->top);
    s->sum += w;
    s->squares += w * w;
}

void page_samples_add(page_samples *s, size_t n, const int *state,
                      const double *log_weight)
{
    size_t room = PAGE_STATES - s->kept, nvars = (size_t)s->nvars;
    if (s->state == NULL)
        return;
    if (n < room)
        room = n;
    memcpy(s->state + s->kept * nvars, state, room * nvars * sizeof *state);
    s->kept += room;
    s->count += n;
    for (size_t i = 0; s->weighted && i < n; i++)
        add_weight(s, log_weight[i]);
}

/* ---- words ----------------------------------------------------------------------- */

/* Draws of equal weight that would say as much. */
static double effective(const page_samples *s)
{
    if (!s->weighted)
        return (double)s->count;
    return s->squares > 0 ? s->sum * s->sum / s->squares : 0;
}

static void verdict(FILE *out, const page_samples *s, const zb_sampler_info *about)
{
    fprintf(out, "<p class=standing><strong>%zu %s.</strong> %s</p>\n", s->count,
            s->weighted ? "weighted draws" : "independent states",
            s->weighted ? "Averages with these weights are averages of the model."
                        : "Each has exactly the model's probabilities; none depends on "
                          "another.");
    fputs("<h2>How they were drawn</h2>\n<div class=scroll><table class=facts>\n", out);
    html_row(out, "drawn from", "%s",
             about->exact ? "the model, summed exactly" : "an upper bound");
    if (!about->exact)
        html_row(out, "ln of the bound", "%.12g", about->log_upper);
    if (!s->weighted)
        html_row(out, "accepted", "%.3g %% of the draws%s", 100 * about->rate,
                 about->components > 1 ? ", in the worst component" : "");
    html_row(out, "components", "%d, drawn by themselves", about->components);
    html_row(out, "effective size", "%.6g of %zu", effective(s), s->count);
    double n = (double)s->count, spread = 1 / effective(s) - 1 / n;
    if (s->weighted && s->sum > 0)
        html_row(out, "ln Z, estimated", "%.9g, standard error %.2g",
                 s->top + log(s->sum / n), sqrt(fmax(spread, 0)));
    fputs("</table></div>\n", out);
}

/* ---- pictures -------------------------------------------------------------------- */

static double level(const zb_model *model, int v, int x)
{
    int card = zb_model_card(model, v);
    return card > 1 ? (double)x / (card - 1) : 0;
}

/* Two rows of four, each with its number. value: room for one. */
static void lattices(FILE *out, const page_samples *s, const zb_model *model,
                     const page_lattice *g, double *value)
{
    const double width = 150;
    size_t show = s->kept < 8 ? s->kept : 8;
    svg_cells cells = { g->rows, g->cols, value };
    double height = svg_cells_height(&cells, width);
    fputs("<div class=row>\n", out);
    for (size_t i = 0; i < show; i++) {
        char title[32];
        for (int v = 0; v < s->nvars; v++)
            value[v] = level(model, v, s->state[i * (size_t)s->nvars + (size_t)v]);
        snprintf(title, sizeof title, "State %zu", i + 1);
        fputs("<figure class=state>\n", out);
        svg_open(out, width + 4, height + 26, title,
                 "A cell for each site of the lattice");
        svg_text(out, 2, 14, "class='tick'", title);
        svg_paint(out, 2, 22, width, height, &cells);
        svg_close(out);
        fputs("</figure>\n", out);
    }
    fprintf(
        out,
        "</div>\n<p class=quiet>The first %zu of %zu on their lattice of %d rows and "
        "%d columns: a filled cell has its largest value, an empty one value "
        "0.</p>\n",
        show, s->count, g->rows, g->cols);
}

/* A row for each state, a column for each variable. value: room for all cells. */
static void strips(FILE *out, const page_samples *s, const zb_model *model,
                   double width, double *value)
{
    int cols = s->nvars < MOST_COLUMNS ? s->nvars : MOST_COLUMNS;
    double height = 10 * (double)s->kept;
    svg_cells cells = { (int)s->kept, cols, value };
    for (size_t i = 0; i < s->kept; i++)
        for (int v = 0; v < cols; v++)
            value[i * (size_t)cols + (size_t)v] =
                level(model, v, s->state[i * (size_t)s->nvars + (size_t)v]);
    svg_open(out, width, height + 24, "The first states",
             "A row for each state, a column for each variable");
    svg_paint(out, 1, 1, width - 2, height, &cells);
    svg_shades(out, 1, height + 18, "value 0", "the largest");
    svg_close(out);
}

static void pictures(FILE *out, const page_samples *s, const zb_model *model,
                     double *value)
{
    page_lattice g;
    fputs("<h2>What they look like</h2>\n", out);
    if (page_lattice_find(&g, model)) {
        lattices(out, s, model, &g, value);
        return;
    }
    fputs("<figure class=wide>\n", out);
    strips(out, s, model, PAGE_WIDE, value);
    fputs("</figure>\n<figure class=narrow>\n", out);
    strips(out, s, model, PAGE_NARROW, value);
    fputs("</figure>\n", out);
    fprintf(out,
            "<p class=quiet>The first %zu of %zu, a row each; a column is a "
            "variable%s.</p>\n",
            s->kept, s->count,
            s->nvars > MOST_COLUMNS ? ", the first 240 of them" : "");
}

void page_samples_part(FILE *out, const page_samples *s, const zb_model *model,
                       const zb_sampler_info *about)
{
    verdict(out, s, about);
    if (s->kept == 0 || s->nvars == 0)
        return;
    double *value = malloc(PAGE_STATES * (size_t)s->nvars * sizeof *value);
    if (value != NULL)
        pictures(out, s, model, value);
    free(value);
}
