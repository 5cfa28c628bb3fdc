/* Distributions of variables: on a lattice as a map, else by their certainty, and as a
 * table with bars. */
#include "page/answers.h"

#include "page/lattice.h"
#include "page/svg.h"

#include "number.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_ROWS = 32, MOST_ROWS = 160, BINS = 20, FEW = 12 };

static zb_marginal of(const page_marginals *m, int i)
{
    return zb_marginals_of(m->answer, m->list[i]);
}

static double largest(zb_marginal a)
{
    double most = 0;
    for (size_t x = 0; x < a.size; x++)
        most = fmax(most, a.value[x]);
    return most;
}

static double widest(zb_marginal a)
{
    double most = 0;
    for (size_t x = 0; x < a.size; x++)
        most = fmax(most, a.upper[x] - a.lower[x]);
    return most;
}

/* ---- maps ------------------------------------------------------------------------ */

typedef struct map {
    const char *title, *low, *high;
    svg_cells cells;
} map;

static void draw_map(FILE *out, const map *a)
{
    const double width = 320;
    double height = svg_cells_height(&a->cells, width);
    svg_open(out, width + 4, height + 52, a->title,
             "A cell for each site of the lattice");
    svg_text(out, 2, 14, "class='title'", a->title);
    svg_paint(out, 2, 24, width, height, &a->cells);
    svg_shades(out, 2, height + 44, a->low, a->high);
    svg_close(out);
}

/* Of two values the probability of the second one; of more that of the likeliest. */
static double heat(zb_marginal a, bool binary)
{
    return binary ? a.value[a.size - 1] : largest(a);
}

static void maps(FILE *out, const page_marginals *m, const page_lattice *g,
                 double *block)
{
    bool binary = true, exact = zb_marginals_about(m->answer).exact;
    double *value = block, *width = block + m->count, most = 0;
    for (int i = 0; i < m->count; i++)
        binary = binary && of(m, i).size == 2;
    for (int i = 0; i < m->count; i++) {
        value[m->list[i]] = heat(of(m, i), binary);
        width[m->list[i]] = widest(of(m, i));
        most = fmax(most, widest(of(m, i)));
    }
    for (int i = 0; i < m->count; i++)
        width[i] = most > 0 ? width[i] / most : 0;
    char high[32];
    snprintf(high, sizeof high, "%.3g", most);
    map chance = { binary ? "Probability of value 1"
                          : "Probability of the likeliest value",
                   "0",
                   "1",
                   { g->rows, g->cols, value } };
    map unsure = {
        "Width of the proved interval", "0", high, { g->rows, g->cols, width }
    };
    fputs("<div class=row>\n<figure class=map>\n", out);
    draw_map(out, &chance);
    fputs("</figure>\n", out);
    if (!exact) {
        fputs("<figure class=map>\n", out);
        draw_map(out, &unsure);
        fputs("</figure>\n", out);
    }
    fprintf(
        out,
        "</div>\n<p class=quiet>The variables are sites of a lattice of %d rows and "
        "%d columns.</p>\n",
        g->rows, g->cols);
}

/* Where all variables of a lattice were asked for. */
static void lattice(FILE *out, const page_marginals *m)
{
    page_lattice g;
    if (m->count != zb_model_nvars(m->model) || !page_lattice_find(&g, m->model))
        return;
    double *block = malloc(2 * (size_t)m->count * sizeof *block);
    if (block != NULL)
        maps(out, m, &g, block);
    free(block);
}

/* ---- certainty ------------------------------------------------------------------- */

static void certainty_chart(FILE *out, const int *count, double width)
{
    double height = 130, most = 1;
    for (int i = 0; i < BINS; i++)
        most = fmax(most, count[i]);
    svg_plot p = { .out = out, .top = 10, .height = height };
    p.x = (svg_axis){ 0, 1, .label = "probability of the likeliest value" };
    p.y = (svg_axis){ 0, 1.05 * most, .unit = SVG_COUNT, .label = "variables" };
    p.left = svg_left(&p.y, height);
    p.width = width - p.left - 26;
    svg_open(out, width, height + 52, "How certain the variables are",
             "A histogram of the probabilities of each variable's likeliest value");
    svg_begin(&p);
    for (int i = 0; i < BINS; i++)
        if (count[i] > 0)
            svg_bar(&p, (i + 0.05) / BINS, (i + 0.95) / BINS, count[i], "class='bar'");
    svg_end(&p);
    svg_close(out);
}

static void certainty(FILE *out, const page_marginals *m)
{
    int count[BINS] = { 0 };
    if (m->count <= FEW)
        return;
    for (int i = 0; i < m->count; i++)
        count[(int)fmin(BINS * largest(of(m, i)), BINS - 1)]++;
    fputs("<figure class=wide>\n", out);
    certainty_chart(out, count, PAGE_WIDE);
    fputs("</figure>\n<figure class=narrow>\n", out);
    certainty_chart(out, count, PAGE_NARROW);
    fputs("</figure>\n", out);
}

/* ---- the table ------------------------------------------------------------------- */

static void put_name(FILE *out, const char *name, int number)
{
    if (*name != '\0')
        html_text(out, name);
    else
        fprintf(out, "%d", number);
}

/* The bar is for the eye; the numbers beside it say the same. */
static void bar(FILE *out, zb_marginal a, size_t x, bool exact)
{
    const double width = 110;
    fprintf(out,
            "<td><svg width='%.0f' height='12' aria-hidden='true'>"
            "<rect class='mark' width='%.0f' height='12'/>"
            "<rect class='bar' y='1' width='%.1f' height='10'/>",
            width, width, width * a.value[x]);
    if (!exact)
        fprintf(out, "<path class='span' d='M%.1f 6H%.1fM%.1f 3v6M%.1f 3v6'/>",
                1 + (width - 2) * a.lower[x], 1 + (width - 2) * a.upper[x],
                1 + (width - 2) * a.lower[x], 1 + (width - 2) * a.upper[x]);
    fputs("</svg>", out);
}

static void value_row(FILE *out, const page_marginals *m, int v, size_t x)
{
    bool exact = zb_marginals_about(m->answer).exact;
    zb_marginal a = zb_marginals_of(m->answer, v);
    char low[APP_NUMBER], high[APP_NUMBER];
    fputs("<tr><td>", out);
    if (x == 0)
        put_name(out, zb_model_var_name(m->model, v), v);
    fputs("<td class=words>", out);
    put_name(out, zb_model_state_name(m->model, v, (int)x), (int)x);
    fprintf(out, exact ? "<td>%.6g" : "<td>%.4g", a.value[x]);
    bar(out, a, x, exact);
    if (!exact)
        fprintf(out, "<td>%.2g<td>%s to %s", a.error[x],
                app_outward(a.lower[x], 4, -1, low),
                app_outward(a.upper[x], 4, 1, high));
    fputs("</tr>\n", out);
}

/* Variables from `from` on as long as their values fit in `most` rows, one at least;
   the first one that is left. */
static int rows(FILE *out, const page_marginals *m, int from, size_t most)
{
    size_t used = 0;
    int i;
    fputs("<div class=scroll tabindex=0 role=region aria-label=marginals><table>\n"
          "<tr><th>variable<th class=words>value<th>probability<th>",
          out);
    fputs(zb_marginals_about(m->answer).exact
              ? "</tr>\n"
              : "<th>standard error<th>proved interval</tr>\n",
          out);
    for (i = from; i < m->count && (i == from || used + of(m, i).size <= most); i++)
        for (size_t x = 0; x < of(m, i).size && used < most; x++, used++)
            value_row(out, m, m->list[i], x);
    fputs("</table></div>\n", out);
    return i;
}

/* Some are seen at once, more on demand, the others by --csv. */
static void table(FILE *out, const page_marginals *m)
{
    int shown = rows(out, m, 0, FIRST_ROWS);
    if (shown < m->count) {
        fputs("<details><summary>More variables</summary>\n", out);
        shown = rows(out, m, shown, MOST_ROWS);
        fputs("</details>\n", out);
    }
    if (shown < m->count)
        fprintf(out,
                "<p class=quiet>The first %d of %d variables; "
                "<code>zbound marginals --csv</code> has all of them.</p>\n",
                shown, m->count);
}

void page_marginals_part(FILE *out, const page_marginals *m)
{
    zb_marginals_info about = zb_marginals_about(m->answer);
    if (about.exact)
        fprintf(out,
                "<p class=standing><strong>Exact, but for rounding.</strong> %d "
                "distributions in %.3g s.</p>\n",
                m->count, about.seconds);
    else
        fprintf(out,
                "<p class=standing><strong>Intervals are proved; values are "
                "estimates</strong> from %zu draws, with standard errors. %d "
                "distributions in %.3g s.</p>\n",
                about.samples, m->count, about.seconds);
    fputs("<h2>The distributions</h2>\n", out);
    lattice(out, m);
    certainty(out, m);
    table(out, m);
}
