#include "page/svg_internal.h"

#include "page/html.h"

#include <math.h>

/* ---- charts ---------------------------------------------------------------------- */

#define LIGHT                                                                          \
    "--paper:#fff;--ink:#1b1f24;--quiet:#57606a;--line:#d8dee4;--mark:#eef3f8;"        \
    "--upper:#b84a00;--lower:#0063a3;--sure:#00704f;--heat:#0072b2"
#define DARK                                                                           \
    "--paper:#14181d;--ink:#e6e9ed;--quiet:#a3acb7;--line:#343b44;--mark:#1f2730;"     \
    "--upper:#ff9a57;--lower:#6cb8f0;--sure:#3fc795;--heat:#56b4e9"
/* For colours as they are, or for variables of a page: viewers of single charts may not
   know these. */
/* clang-format off */
#define RULES(paper, ink, quiet, line, upper, lower, sure, heat)                       \
    "svg text{font:12px system-ui,'DejaVu Sans',Verdana,sans-serif;fill:" ink "}"      \
    "svg .tick{font-size:11px;fill:" quiet "}svg .title{font-weight:600}"              \
    ".grid{stroke:" line ";fill:none}.axis{stroke:" quiet ";fill:none}"                \
    ".upper,.lower,.sure{fill:none;stroke-width:2;stroke-linejoin:round}"              \
    ".upper{stroke:" upper "}.lower{stroke:" lower "}.sure{stroke:" sure "}"           \
    ".between{fill:" lower ";fill-opacity:.13;stroke:none}"                            \
    ".reach{stroke:" lower ";stroke-opacity:.3;stroke-width:9;fill:none}"              \
    ".trust{fill:" sure ";fill-opacity:.22;stroke:" sure ";stroke-width:.8}"           \
    ".cells{fill:" heat ";shape-rendering:crispEdges}.cell{fill:" heat "}"             \
    ".bar{fill:" lower "}.over{fill:" upper "}"                                        \
    ".bar,.over{shape-rendering:crispEdges}"                                           \
    ".rule{stroke:" ink ";stroke-width:1.5;stroke-dasharray:5 3;fill:none}"            \
    ".hair{stroke:" quiet ";stroke-dasharray:2 4;fill:none}"                           \
    ".ball{fill:" ink "}svg .number{font-size:10px;fill:" paper "}"
/* clang-format on */

const char SVG_STYLE[] =
    ":root{" LIGHT "}"
    "@media screen and (prefers-color-scheme:dark){:root{" DARK
    "}}" RULES("var(--paper)", "var(--ink)", "var(--quiet)", "var(--line)",
               "var(--upper)", "var(--lower)", "var(--sure)", "var(--heat)");

static const char ALONE[] = RULES("#fff", "#1b1f24", "#57606a", "#d8dee4", "#b84a00",
                                  "#0063a3", "#00704f", "#0072b2");

static void begin(FILE *out, double width, double height, const char *space)
{
    fprintf(out,
            "<svg%s viewBox='0 0 %.0f %.0f' width='%.0f' height='%.0f' role='img' "
            "aria-label=\"",
            space, width, height, width, height);
}

static void describe(FILE *out, const char *title, const char *description)
{
    html_text(out, title);
    fputs("\">\n<title>", out);
    html_text(out, title);
    fputs("</title>\n<desc>", out);
    html_text(out, description);
    fputs("</desc>\n", out);
}

void svg_open(FILE *out, double width, double height, const char *title,
              const char *description)
{
    begin(out, width, height, "");
    describe(out, title, description);
}

void svg_open_alone(FILE *out, double width, double height, const char *title,
                    const char *description)
{
    begin(out, width, height, " xmlns='http://www.w3.org/2000/svg'");
    describe(out, title, description);
    fprintf(out, "<style>%s</style>\n<rect width='%.0f' height='%.0f' fill='#fff'/>\n",
            ALONE, width, height);
}

void svg_close(FILE *out) { fputs("</svg>\n", out); }

void svg_text(FILE *out, double x, double y, const char *look, const char *text)
{
    fprintf(out, "<text x='%.1f' y='%.1f' %s>", x, y, look);
    html_text(out, text);
    fputs("</text>\n", out);
}

/* ---- data ------------------------------------------------------------------------ */

/* The share of an axis that lies below v; far beyond its ends it is cut off, since
   viewers lose their way in huge numbers. */
static double share(const svg_axis *a, double v)
{
    double s = a->log ? (v > 0 ? log(v / a->low) / log(a->high / a->low) : -9)
                      : (v - a->low) / (a->high - a->low);
    return fmin(fmax(s, -9), 9);
}

double svg_x(const svg_plot *p, double x) { return p->width * share(&p->x, x); }

double svg_y(const svg_plot *p, double y) { return p->height * (1 - share(&p->y, y)); }

static void point(const svg_plot *p, char how, double x, double y)
{
    fprintf(p->out, "%c%.1f %.1f", how, svg_x(p, x), svg_y(p, y));
}

void svg_line(const svg_plot *p, int n, const double *x, const double *y,
              const char *look)
{
    bool inside = false;
    fprintf(p->out, "<path %s style='fill:none' d='", look);
    for (int i = 0; i < n; i++) {
        bool good = isfinite(x[i]) && isfinite(y[i]);
        if (good)
            point(p, inside ? 'L' : 'M', x[i], y[i]);
        inside = good;
    }
    fputs("'/>\n", p->out);
}

static double step_end(const svg_plot *p, int n, const double *x, int i)
{
    return i + 1 < n ? x[i + 1] : p->x.high;
}

void svg_steps(const svg_plot *p, int n, const double *x, const double *y,
               const char *look)
{
    bool inside = false;
    fprintf(p->out, "<path %s style='fill:none' d='", look);
    for (int i = 0; i < n; i++) {
        bool good = isfinite(y[i]);
        if (good) {
            point(p, inside ? 'L' : 'M', x[i], y[i]);
            fprintf(p->out, "H%.1f", svg_x(p, step_end(p, n, x, i)));
        }
        inside = good;
    }
    fputs("'/>\n", p->out);
}

static double within(const svg_axis *a, double v, double otherwise)
{
    return isfinite(v) ? v : otherwise > 0 ? a->high : a->low;
}

/* There along the upper curve, back along the lower one. */
void svg_area(const svg_plot *p, const svg_band *b, const char *look)
{
    if (b->n == 0)
        return;
    fprintf(p->out, "<path %s d='", look);
    for (int i = 0; i < b->n; i++) {
        double y = within(&p->y, b->high[i], 1);
        point(p, i > 0 ? 'L' : 'M', b->x[i], y);
        if (b->steps)
            point(p, 'L', step_end(p, b->n, b->x, i), y);
    }
    for (int i = b->n - 1; i >= 0; i--) {
        double y = within(&p->y, b->low[i], -1);
        if (b->steps)
            point(p, 'L', step_end(p, b->n, b->x, i), y);
        point(p, 'L', b->x[i], y);
    }
    fputs("Z'/>\n", p->out);
}

void svg_bar(const svg_plot *p, double from, double to, double y, const char *look)
{
    double left = svg_x(p, from), top = svg_y(p, y);
    fprintf(p->out, "<rect %s x='%.1f' y='%.1f' width='%.1f' height='%.1f'/>\n", look,
            left, top, fmax(svg_x(p, to) - left, 0.5),
            fmax(svg_y(p, p->y.low) - top, 0));
}

void svg_whisker(const svg_plot *p, double x, double low, double high, const char *look)
{
    fprintf(p->out, "<path %s style='fill:none' d='M%.1f %.1fV%.1f'/>\n", look,
            svg_x(p, x), svg_y(p, low), svg_y(p, high));
}

void svg_rule(const svg_plot *p, double y, const char *look)
{
    fprintf(p->out, "<path %s d='M0 %.1fH%.1f'/>\n", look, svg_y(p, y), p->width);
}

void svg_upright(const svg_plot *p, double x, const char *look)
{
    fprintf(p->out, "<path %s d='M%.1f 0V%.1f'/>\n", look, svg_x(p, x), p->height);
}

/* ---- marks and legends ----------------------------------------------------------- */

/* Around the origin; the first four are filled, the others outlines. */
static const char *const shapes[SVG_SHAPES] = {
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z",
    "M-3 -3h6v6h-6Z",
    "M0 -4.2L4 3H-4Z",
    "M0 -4.4L4.4 0L0 4.4L-4.4 0Z",
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z",
    "M-3 -3h6v6h-6Z",
    "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5",
    "M-4.2 0H4.2M0 -4.2V4.2",
};

static void mark(FILE *out, double x, double y, int shape, const char *look)
{
    fprintf(out,
            "<path %s style='stroke-dasharray:none' d='%s' "
            "transform='translate(%.1f %.1f)'/>\n",
            look, shapes[shape], x, y);
}

void svg_mark(const svg_plot *p, double x, double y, int shape, const char *look)
{
    mark(p->out, svg_x(p, x), svg_y(p, y), shape, look);
}

static void sample(FILE *out, double x, double y, const svg_entry *e)
{
    if (e->shape == -2)
        fprintf(out, "<rect %s x='%.1f' y='%.1f' width='22' height='10'/>\n", e->look,
                x, y - 9);
    else if (e->shape < SVG_DOT)
        fprintf(out, "<path %s style='fill:none' d='M%.1f %.1fh22'/>\n", e->look, x,
                y - 4);
    if (e->shape >= 0)
        mark(out, x + 11, y - 4, e->shape % SVG_DOT, e->look);
}

enum { LEGEND_LINE = 18, LEGEND_APART = 16 };

/* What an entry takes in a row, with the room after it. */
static double entry_width(const svg_entry *e)
{
    return 28 + svg_length(e->text) + LEGEND_APART;
}

/* Whether an entry goes on a line of its own: there is no room after `used` pixels. */
static bool breaks(double width, double used, const svg_entry *e)
{
    return used > 0 && (width <= 0 || used + entry_width(e) > width + LEGEND_APART);
}

double svg_legend(FILE *out, double x, double y, double width, int n,
                  const svg_entry *entry)
{
    double used = 0, down = y;
    for (int i = 0; i < n; i++) {
        if (breaks(width, used, &entry[i])) {
            used = 0;
            down += LEGEND_LINE;
        }
        sample(out, x + used, down, &entry[i]);
        svg_text(out, x + used + 28, down, "class='label'", entry[i].text);
        used += entry_width(&entry[i]);
    }
    return down - y + LEGEND_LINE;
}

double svg_legend_height(double width, int n, const svg_entry *entry)
{
    double used = 0, height = LEGEND_LINE;
    for (int i = 0; i < n; i++) {
        if (breaks(width, used, &entry[i])) {
            used = 0;
            height += LEGEND_LINE;
        }
        used += entry_width(&entry[i]);
    }
    return height;
}
