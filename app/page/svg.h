/* Charts as SVG, one look for all of them. A plot is a rectangle that data fall into:
 * its axes are drawn first, then the data, which are cut off at its borders, then what
 * is written on top. Lines and areas take the attributes of their `look`, such as
 * "class=upper". A chart is either part of a page, whose style it uses, or stands alone
 * and carries that style along. */
#ifndef ZB_APP_SVG_H
#define ZB_APP_SVG_H

#include <stdbool.h>
#include <stdio.h>

typedef enum svg_unit { SVG_PLAIN, SVG_SECONDS, SVG_COUNT } svg_unit; /* of ticks */

typedef struct svg_axis {
    double low, high; /* low < high; both above 0 where it is logarithmic */
    bool log;
    svg_unit unit;
    const char *label; /* with its unit; NULL: none */
    bool bare;         /* no numbers: the plot beside it has the same axis */
} svg_axis;

typedef struct svg_plot {
    FILE *out;
    double left, top, width, height; /* of the rectangle, in pixels of the chart */
    svg_axis x, y;
    const char *title; /* above it; NULL: none */
} svg_plot;

/* A chart of this size. The title is read to those who do not see it, the description
   says what there is to see. */
void svg_open(FILE *out, double width, double height, const char *title,
              const char *description);
/* The same as a file of its own. */
void svg_open_alone(FILE *out, double width, double height, const char *title,
                    const char *description);
void svg_close(FILE *out);

/* The style that charts need, light and dark. */
extern const char SVG_STYLE[];

/* Frame, grid, ticks, labels; then data, until svg_end. */
void svg_begin(const svg_plot *p);
void svg_end(const svg_plot *p);

/* Where a value is drawn, inside the rectangle. */
double svg_x(const svg_plot *p, double x);
double svg_y(const svg_plot *p, double y);

/* Between svg_begin and svg_end. Values that are not finite break lines. */
void svg_line(const svg_plot *p, int n, const double *x, const double *y,
              const char *look);
/* y[i] holds from x[i] up to x[i + 1], the last one to the right border. */
void svg_steps(const svg_plot *p, int n, const double *x, const double *y,
               const char *look);
typedef struct svg_band { /* between two curves; infinite: to the border */
    int n;
    const double *x, *low, *high;
    bool steps;
} svg_band;
void svg_area(const svg_plot *p, const svg_band *band, const char *look);
void svg_bar(const svg_plot *p, double from, double to, double y, const char *look);
void svg_whisker(const svg_plot *p, double x, double low, double high,
                 const char *look);
void svg_rule(const svg_plot *p, double y, const char *look); /* across */
void svg_upright(const svg_plot *p, double x,
                 const char *look); /* from top to bottom */

/* Shapes that can be told apart without colours: 0 .. SVG_SHAPES - 1. */
enum { SVG_SHAPES = 8, SVG_DOT = 100 };
void svg_mark(const svg_plot *p, double x, double y, int shape, const char *look);

/* Anywhere in a chart; look may say text-anchor. */
void svg_text(FILE *out, double x, double y, const char *look, const char *text);

typedef struct svg_entry { /* of a legend */
    const char *look, *text;
    int shape; /* -1: a line without a mark, -2: an area, SVG_DOT + a shape: a mark
                  without a line */
} svg_entry;
/* In a row from the left (width: where it must break), or one below the other (0).
   Returns the height used. */
double svg_legend(FILE *out, double x, double y, double width, int n,
                  const svg_entry *entry);
/* That height, before there is a chart. */
double svg_legend_height(double width, int n, const svg_entry *entry);

/* A picture of cells, row by row; values in [0, 1] become shades from the paper to full
   colour, NAN stays paper. */
typedef struct svg_cells {
    int rows, cols;
    const double *value;
} svg_cells;
void svg_paint(FILE *out, double x, double y, double width, double height,
               const svg_cells *c);
double svg_cells_height(const svg_cells *c, double width); /* where cells are squares */
/* The shades as a legend between two words; y is their baseline. */
void svg_shades(FILE *out, double x, double y, const char *low, const char *high);

/* A number as ticks have it: "0.25", "10 ms", "1.5k". */
const char *svg_number(double x, double step, svg_unit unit, char text[32]);

/* An axis from low to high with a little room. */
svg_axis svg_axis_over(double low, double high, const char *label);
/* What the numbers and the label of a vertical axis of this height take, in pixels. */
double svg_left(const svg_axis *y, double height);
/* Of a text, about, in pixels. */
double svg_length(const char *text);

#endif
