/* Axes: round numbers, grid, labels. */
#include "page/svg_internal.h"

#include <math.h>
#include <string.h>

/* ---- ticks ----------------------------------------------------------------------- */

/* The least of 1, 2, 5 times a power of ten that is not below x. */
static double round_up(double x)
{
    double ten = pow(10, floor(log10(x))), digit = x / ten;
    return ten * (digit <= 1.0001 ? 1 : digit <= 2.0001 ? 2 : digit <= 5.0001 ? 5 : 10);
}

static int linear_ticks(const svg_axis *a, double room, double *tick, double *step)
{
    int n = 0;
    *step = round_up((a->high - a->low) / fmax(room, 1));
    if (a->unit == SVG_COUNT)
        *step = fmax(*step, 1);
    for (double k = ceil(a->low / *step - 1e-9);
         k * *step <= a->high + 1e-9 * *step && n < SVG_TICKS; k++)
        tick[n++] = k * *step;
    return n;
}

/* Powers of ten, some of them left out or with 3, or 2 and 5, between them, as there is
   room. An axis too short for two of these has the round numbers of a linear one. */
static int log_ticks(const svg_axis *a, double room, double *tick, double *step)
{
    static const double digits[3][3] = { { 1 }, { 1, 3 }, { 1, 2, 5 } };
    double first = floor(log10(a->low)), last = ceil(log10(a->high));
    double decades = log10(a->high / a->low);
    int every = (int)fmax(1, ceil(decades / fmax(room, 1)));
    int inside = decades * 3 <= room ? 3 : decades * 2.1 <= room ? 2 : 1, n = 0;
    *step = 0;
    for (double e = first; e <= last; e += every)
        for (int d = 0; d < inside && n < SVG_TICKS; d++) {
            double x = digits[inside - 1][d] * pow(10, e);
            if (x >= a->low * 0.999999 && x <= a->high * 1.000001)
                tick[n++] = x;
        }
    return n < 2 && decades < 1 ? linear_ticks(a, room, tick, step) : n;
}

int svg_ticks(const svg_axis *a, double room, double *tick, double *step)
{
    return a->log ? log_ticks(a, room, tick, step) : linear_ticks(a, room, tick, step);
}

static void seconds_text(double x, char text[32])
{
    if (x == 0)
        snprintf(text, 32, "0");
    else if (x < 0.999e-3)
        snprintf(text, 32, "%.3g \u00b5s", x * 1e6);
    else if (x < 0.999)
        snprintf(text, 32, "%.3g ms", x * 1e3);
    else if (x < 9999)
        snprintf(text, 32, "%.4g s", x);
    else
        snprintf(text, 32, "%.3g h", x / 3600);
}

const char *svg_number(double x, double step, svg_unit unit, char text[32])
{
    int places = step > 0 ? (int)fmax(0, -floor(log10(step) + 1e-9)) : 0;
    const char *minus = x < 0 ? "\u2212" : "";
    if (unit == SVG_SECONDS)
        seconds_text(x, text);
    else if (unit == SVG_COUNT && fabs(x) >= 1e4)
        snprintf(text, 32, fabs(x) < 1e6 ? "%s%gk" : "%s%gM", minus,
                 fabs(x) / (fabs(x) < 1e6 ? 1e3 : 1e6));
    else if (step > 0 && fabs(x) < 1e9 && places < 9)
        snprintf(text, 32, "%s%.*f", minus, places, fabs(x));
    else
        snprintf(text, 32, "%s%.7g", minus, fabs(x));
    return text;
}

/* Characters that are seen: bytes of UTF-8 that go on do not count. */
double svg_length(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return 6.6 * n;
}

/* How many numbers there is room for; small counts are short. */
static double tick_room(const svg_plot *p, bool across)
{
    bool brief = p->x.unit == SVG_COUNT && p->x.high < 100;
    return across ? p->width / (brief ? 30 : 64) : p->height / 34;
}

double svg_left(const svg_axis *y, double height)
{
    double tick[SVG_TICKS], step, widest = 0;
    char text[32];
    int n = svg_ticks(y, height / 34, tick, &step);
    for (int i = 0; i < n; i++)
        widest = fmax(widest, svg_length(svg_number(tick[i], step, y->unit, text)));
    return widest + 10 + (y->label != NULL ? 18 : 0);
}

svg_axis svg_axis_over(double low, double high, const char *label)
{
    if (!(low < high)) {
        double half = fmax(1e-3 * fabs(low), 0.5);
        low -= half;
        high += half;
    }
    double room = 0.04 * (high - low);
    return (svg_axis){ .low = low - room, .high = high + room, .label = label };
}

/* ---- drawing --------------------------------------------------------------------- */

static void x_axis(const svg_plot *p)
{
    double tick[SVG_TICKS], step, bottom = p->top + p->height;
    char text[32];
    int n = svg_ticks(&p->x, tick_room(p, true), tick, &step);
    for (int i = 0; i < n; i++) {
        double x = p->left + svg_x(p, tick[i]);
        fprintf(p->out, "<path class='axis' d='M%.1f %.1fv4'/>\n", x, bottom);
        if (!p->x.bare)
            svg_text(p->out, x, bottom + 17, "class='tick' text-anchor='middle'",
                     svg_number(tick[i], step, p->x.unit, text));
    }
    if (p->x.label != NULL)
        svg_text(p->out, p->left + p->width / 2, bottom + (p->x.bare ? 18 : 34),
                 "class='label' text-anchor='middle'", p->x.label);
}

static void y_axis(const svg_plot *p)
{
    double tick[SVG_TICKS], step, middle = p->top + p->height / 2;
    char text[32];
    int n = svg_ticks(&p->y, tick_room(p, false), tick, &step);
    for (int i = 0; i < n; i++) {
        double y = p->top + svg_y(p, tick[i]);
        fprintf(p->out, "<path class='grid' d='M%.1f %.1fh%.1f'/>\n", p->left, y,
                p->width);
        if (!p->y.bare)
            svg_text(p->out, p->left - 6, y + 4, "class='tick' text-anchor='end'",
                     svg_number(tick[i], step, p->y.unit, text));
    }
    if (p->y.label == NULL || p->y.bare)
        return;
    double x = p->left - svg_left(&p->y, p->height) + 13;
    char turned[128];
    snprintf(turned, sizeof turned,
             "class='label' text-anchor='middle' transform='rotate(-90 %.1f %.1f)'", x,
             middle);
    svg_text(p->out, x, middle, turned, p->y.label);
}

void svg_begin(const svg_plot *p)
{
    y_axis(p);
    x_axis(p);
    fprintf(p->out, "<path class='axis' d='M%.1f %.1fv%.1fh%.1f'/>\n", p->left, p->top,
            p->height, p->width);
    if (p->title != NULL)
        svg_text(p->out, p->left + p->width / 2, p->top - 9,
                 "class='title' text-anchor='middle'", p->title);
    fprintf(p->out, "<svg x='%.1f' y='%.1f' width='%.1f' height='%.1f'>\n", p->left,
            p->top, p->width, p->height);
}

void svg_end(const svg_plot *p) { fputs("</svg>\n", p->out); }
