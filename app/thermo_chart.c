/* The four curves of `thermo` per variable: bands between proved bounds. */
#include "page/svg.h"
#include "thermo.h"

#include <math.h>
#include <stdlib.h>

enum { PANELS = 4, WIDTH = 340, HEIGHT = 170 }; /* of a panel, in pixels */

static double chart_height(int columns)
{
    return (double)PANELS / columns * (HEIGHT + 66.0) + 28;
}

static const char *const titles[PANELS] = { "ln Z", "free energy", "mean energy",
                                            "entropy" };

static const thermo_bracket *curve(const thermo_row *r, int c)
{
    const thermo_bracket *all[PANELS] = { &r->log_z, &r->free_energy, &r->energy,
                                          &r->entropy };
    return all[c];
}

typedef struct points {
    int n;
    double *x, *low, *high; /* of one block */
} points;

/* Where both sides are there. */
static points collect(const thermo *t, int c, double sites, double *block)
{
    points p = { 0, block, block + t->rows, block + 2 * (size_t)t->rows };
    for (int i = 0; i < t->rows; i++) {
        const thermo_bracket *a = curve(&t->row[i], c);
        if (!isfinite(a->lower) || !isfinite(a->upper))
            continue;
        p.x[p.n] = t->row[i].beta;
        p.low[p.n] = a->lower / sites;
        p.high[p.n++] = a->upper / sites;
    }
    return p;
}

static void panel(svg_plot *p, const points *a)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < a->n; i++) {
        low = fmin(low, a->low[i]);
        high = fmax(high, a->high[i]);
    }
    p->y = a->n > 0 ? svg_axis_over(low, high, NULL) : (svg_axis){ 0, 1, .bare = true };
    double room = svg_left(&p->y, p->height);
    p->left += room;
    p->width -= room;
    svg_begin(p);
    svg_area(p, &(svg_band){ a->n, a->x, a->low, a->high, false }, "class='between'");
    svg_line(p, a->n, a->x, a->high, "class='upper'");
    svg_line(p, a->n, a->x, a->low, "class='lower'");
    svg_end(p);
}

static void draw(const thermo *t, double sites, int columns, double *block, FILE *out)
{
    static const svg_entry legend[] = { { "class='upper'", "upper bound", -1 },
                                        { "class='lower'", "lower bound", -1 } };
    svg_axis beta = svg_axis_over(t->row[0].beta, t->row[t->rows - 1].beta, "beta");
    for (int c = 0; c < PANELS; c++) {
        char title[64];
        snprintf(title, sizeof title, "%s per variable", titles[c]);
        points a = collect(t, c, sites, block);
        svg_plot p = { .out = out,
                       .left = c % columns * (WIDTH + 24.0),
                       .top = 28 + c / columns * (HEIGHT + 66.0),
                       .width = WIDTH - 8,
                       .height = HEIGHT,
                       .x = beta,
                       .title = title };
        panel(&p, &a);
    }
    svg_legend(out, 40, chart_height(columns) - 10, WIDTH, 2, legend);
}

bool thermo_chart(const thermo *t, double sites, FILE *out, thermo_look look)
{
    int columns = look == THERMO_NARROW ? 1 : 2;
    double *block = malloc(3 * ((size_t)t->rows + 1) * sizeof *block);
    if (block == NULL)
        return false;
    (look == THERMO_ALONE ? svg_open_alone : svg_open)(
        out, columns * WIDTH + (columns - 1) * 24, chart_height(columns),
        "Curves along the inverse temperature",
        "Per variable: ln Z, free energy, mean energy and entropy, each between proved "
        "bounds");
    draw(t, sites, columns, block, out);
    svg_close(out);
    free(block);
    return true;
}
