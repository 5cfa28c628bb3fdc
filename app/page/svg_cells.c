/* Pictures of cells: heat maps, states of a lattice. */
#include "page/svg.h"

#include <math.h>

enum { SHADES = 16 };

/* Which of the shades; -1: not known. */
static int shade(double value)
{
    if (isnan(value))
        return -1;
    return (int)fmin(fmax(round(value * (SHADES - 1)), 0), SHADES - 1);
}

/* One path for all cells of a shade: a rectangle for each run of them in a row. */
static void paint(FILE *out, const svg_cells *c, int which)
{
    bool any = false;
    for (int row = 0; row < c->rows; row++)
        for (int col = 0, end; col < c->cols; col = end) {
            const double *line = c->value + (size_t)row * (size_t)c->cols;
            int here = shade(line[col]);
            for (end = col + 1; end < c->cols && shade(line[end]) == here; end++)
                ;
            if (here != which)
                continue;
            if (!any)
                fprintf(out, "<path fill-opacity='%.3f' d='",
                        (double)which / (SHADES - 1));
            any = true;
            fprintf(out, "M%d %dh%dv1h-%dz", col, row, end - col, end - col);
        }
    if (any)
        fputs("'/>\n", out);
}

double svg_cells_height(const svg_cells *c, double width)
{
    return width * c->rows / c->cols;
}

void svg_paint(FILE *out, double x, double y, double width, double height,
               const svg_cells *c)
{
    fprintf(out,
            "<g class='cells' transform='translate(%.2f %.2f) scale(%.5g %.5g)'>\n", x,
            y, width / c->cols, height / c->rows);
    for (int i = 1; i < SHADES; i++)
        paint(out, c, i);
    fprintf(out,
            "</g>\n<rect class='axis' x='%.2f' y='%.2f' width='%.2f' height='%.2f'/>\n",
            x, y, width, height);
}

void svg_shades(FILE *out, double x, double y, const char *low, const char *high)
{
    const double wide = 6, tall = 10;
    svg_text(out, x, y, "class='tick'", low);
    double left = x + svg_length(low) + 6;
    for (int i = 0; i < SHADES; i++)
        fprintf(out,
                "<rect class='cell' fill-opacity='%.3f' x='%.1f' y='%.1f' width='%.1f' "
                "height='%.0f'/>\n",
                (double)i / (SHADES - 1), left + wide * i, y - tall + 1, wide, tall);
    fprintf(out, "<rect class='axis' x='%.1f' y='%.1f' width='%.1f' height='%.0f'/>\n",
            left, y - tall + 1, wide * SHADES, tall);
    svg_text(out, left + wide * SHADES + 6, y, "class='tick'", high);
}
