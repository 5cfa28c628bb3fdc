/* The bracket closing: steps over time, the gap below them, and a table of what gave
 * the numbers. */
#include "page/page.h"
#include "page/svg.h"

#include "number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PHASES = 24 };

/* Neighbouring events of one kind of work, which made the bracket narrower. */
typedef struct phase {
    const history_event *first, *last;
    double gain; /* ln of the gap before over the gap after; infinite where it began */
} phase;

typedef struct story {
    int n;
    double *x, *lower, *upper, *gap; /* by event; of one block */
    double *sure_lower, *sure_upper; /* likewise; from event `sure` on */
    int sure;                        /* n: there are no draws */
    int phases;
    phase phase[MOST_PHASES];
    svg_axis time, value, spread; /* spread: of the gap; none where low is 0 */
    double left;                  /* of both charts: their times lie above each other */
} story;

/* ---- phases ---------------------------------------------------------------------- */

/* 0: exact, up to rounding. */
static double gap_of(const history_event *e)
{
    double gap = e->upper - e->lower;
    return gap > 1e-11 * (1 + fabs(e->upper)) ? gap : 0;
}

static bool alike(const history_event *a, const history_event *b)
{
    const char *x = a->by != NULL ? a->by : "", *y = b->by != NULL ? b->by : "";
    return a->side == b->side && a->ibound == b->ibound && strcmp(x, y) == 0;
}

static double gain(const history_event *before, const history_event *after)
{
    if (before == NULL || isinf(gap_of(before)))
        return isfinite(gap_of(after)) || before == NULL ? INFINITY : 1e-9;
    return log(fmax(gap_of(before), 1e-300) / fmax(gap_of(after), 1e-300));
}

/* The last phase of the side, NULL: none. */
static phase *last_of(story *s, zb_side side)
{
    for (int i = s->phases - 1; i >= 0; i--)
        if (s->phase[i].first->side == side)
            return &s->phase[i];
    return NULL;
}

/* Work that gained nothing is not told; what it interrupted goes on, and so does each
   side while the other one is worked on. Where there is no room the phase that gained
   least goes. */
static void keep_phase(story *s, phase p)
{
    phase *before = last_of(s, p.first->side);
    if (!(p.gain > 0))
        return;
    if (before != NULL && alike(before->first, p.first)) {
        before->last = p.last;
        before->gain += p.gain;
        return;
    }
    if (s->phases == MOST_PHASES) {
        int least = 0;
        for (int i = 1; i < s->phases; i++)
            if (s->phase[i].gain < s->phase[least].gain)
                least = i;
        if (p.gain <= s->phase[least].gain)
            return;
        memmove(&s->phase[least], &s->phase[least + 1],
                (size_t)(--s->phases - least) * sizeof *s->phase);
    }
    s->phase[s->phases++] = p;
}

static void find_phases(story *s, const history *h)
{
    const history_event *before = NULL;
    for (int i = 0; i < h->count;) {
        int end = i + 1;
        while (end < h->count && alike(&h->event[i], &h->event[end]))
            end++;
        const history_event *last = &h->event[end - 1];
        keep_phase(s, (phase){ &h->event[i], last, gain(before, last) });
        before = last;
        i = end;
    }
}

static void side_cell(FILE *out, double x, int outward)
{
    char text[APP_NUMBER];
    fprintf(out, "<td>%s", isfinite(x) ? app_outward(x, 9, outward, text) : "\u2013");
}

static void gap_cell(FILE *out, double gap)
{
    char text[APP_NUMBER];
    fprintf(out, "<td>%s</tr>\n",
            gap == 0     ? "exact"
            : isinf(gap) ? "\u2013"
                         : app_outward(gap, 4, 1, text));
}

static void phase_table(FILE *out, const story *s, const zb_result *r)
{
    char text[APP_NUMBER];
    fputs(
        "<div class=scroll tabindex=0 role=region aria-label=\"what gave the "
        "numbers\"><table>\n<tr><th>from<th>until<th class=words>what gave the numbers"
        "<th>ibound<th>lower<th>upper<th>gap after</tr>\n",
        out);
    for (int i = 0; i < s->phases; i++) {
        const history_event *e = s->phase[i].last;
        svg_number(s->phase[i].first->seconds, 0, SVG_SECONDS, text);
        fprintf(out, "<tr><td>%d. %s", i + 1, text);
        svg_number(e->seconds, 0, SVG_SECONDS, text);
        fprintf(out, "<td>%s<td class=words>", text);
        html_text(out, e->by != NULL                 ? e->by
                       : r->method == ZB_METHOD_AUTO ? "largest and mean entries"
                                                     : zb_method_name(r->method));
        if (e->side != ZB_SIDE_BOTH)
            fprintf(out, ", %s bound", zb_side_name(e->side));
        fprintf(out, e->ibound > 0 ? "<td>%d" : "<td>", e->ibound);
        side_cell(out, e->lower, -1);
        side_cell(out, e->upper, 1);
        gap_cell(out, gap_of(e));
    }
    fputs("</table></div>\n", out);
}

/* ---- charts ---------------------------------------------------------------------- */

/* Logarithmic where much happens early. The end is the run's. */
static svg_axis time_axis(const story *s, const zb_result *r)
{
    double first = fmax(s->x[0], 1e-5), last = fmax(r->seconds, s->x[s->n - 1]);
    double second = s->phases > 1 ? s->phase[1].first->seconds : last;
    bool log = last > 20 * first && second < 0.1 * last;
    return (svg_axis){ .low = log ? first : 0,
                       .high = fmax(last, 1e-5) * (log ? 1 : 1.02),
                       .log = log,
                       .unit = SVG_SECONDS,
                       .label = log ? "time (logarithmic)" : "time" };
}

/* The last bracket that is not a point, five and a half gaps of it to either side: the
   first ones may be far away and would hide how it ended. */
static svg_axis value_axis(const story *s)
{
    double low = INFINITY, high = -INFINITY, gap = INFINITY;
    int at = s->n - 1;
    while (at > 0 && s->gap[at] == 0)
        at--;
    if (isfinite(s->gap[at]))
        gap = fmax(s->gap[at], 1e-9 * (1 + fabs(s->upper[at])));
    for (int i = 0; i < s->n; i++) {
        if (isfinite(s->lower[i]))
            low = fmin(low, s->lower[i]);
        if (isfinite(s->upper[i]))
            high = fmax(high, s->upper[i]);
    }
    if (isinf(low))
        low = high;
    if (isinf(high))
        high = low;
    if (isfinite(gap)) {
        low = fmax(low, s->lower[at] - 5.5 * gap);
        high = fmin(high, s->upper[at] + 5.5 * gap);
    }
    return svg_axis_over(low, high, "ln Z (nats)");
}

/* A ball with the phase's number at x, and a line from it to where the phase begins. */
static void put_number(const svg_plot *p, int number, double x, double begins)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    fprintf(p->out, "<path class='axis' d='M%.1f %.1fL%.1f %.1f'/>\n", p->left + x,
            p->top - 12, p->left + begins, p->top);
    fprintf(p->out, "<circle class='ball' cx='%.1f' cy='%.1f' r='8'/>\n", p->left + x,
            p->top - 12);
    svg_text(p->out, p->left + x, p->top - 8.5, "class='number' text-anchor='middle'",
             text);
}

/* Numbers of the phases along the upper border. Those that would touch move apart, to
   the right first and back from the border; where there is no room for all of them the
   ones that would touch are left out. */
static void number_phases(const svg_plot *p, const story *s)
{
    const double wide = 17;
    double at[MOST_PHASES], end = p->width - 8, free_from = 8;
    bool all = s->phases * wide <= p->width;
    for (int i = 0; i < s->phases; i++) {
        at[i] =
            fmax(svg_x(p, s->phase[i].first->seconds), i > 0 && !all ? 0 : free_from);
        if (all)
            free_from = at[i] + wide;
    }
    for (int i = s->phases - 1; i >= 0; i--) {
        at[i] = fmin(at[i], end);
        if (all)
            end = at[i] - wide;
    }
    for (int i = 0; i < s->phases; i++)
        if (all || i == 0 || at[i] >= free_from) {
            put_number(p, i + 1, at[i], svg_x(p, s->phase[i].first->seconds));
            free_from = at[i] + wide;
        }
}

/* What draws say, from their first report on. */
static void confidence(const svg_plot *p, const story *s)
{
    int from = s->sure;
    svg_band band = { s->n - from, s->x + from, s->sure_lower + from,
                      s->sure_upper + from, true };
    svg_area(p, &band, "class='trust'");
}

enum { BRACKET_HEIGHT = 200, GAP_HEIGHT = 120 };

static void bracket_chart(FILE *out, const story *s, double width)
{
    static const svg_entry legend[] = { { "class='upper'", "upper bound", -1 },
                                        { "class='lower'", "lower bound", -1 },
                                        { "class='between'", "proved bracket", -2 },
                                        { "class='trust'", "with confidence", -2 } };
    int entries = s->sure < s->n ? 4 : 3;
    double height = BRACKET_HEIGHT;
    svg_plot p = { .out = out, .top = 28, .height = height };
    svg_band band = { s->n, s->x, s->lower, s->upper, true };
    p.x = s->time;
    p.y = s->value;
    p.left = s->left;
    p.width = width - p.left - 26;
    svg_open(out, width, height + 78 + svg_legend_height(p.width, entries, legend),
             "The bracket over time",
             "Upper and lower bound on ln Z as steps over the time of the run");
    svg_begin(&p);
    for (int i = 1; i < s->phases; i++)
        svg_upright(&p, s->phase[i].first->seconds, "class='hair'");
    svg_area(&p, &band, "class='between'");
    confidence(&p, s);
    svg_steps(&p, s->n, s->x, s->upper, "class='upper'");
    svg_steps(&p, s->n, s->x, s->lower, "class='lower'");
    svg_end(&p);
    number_phases(&p, s);
    svg_legend(out, p.left, height + 86, p.width, entries, legend);
    svg_close(out);
}

/* The range of gaps that are finite and above 0; false: none, or all the same. */
static bool gap_range(const story *s, double *low, double *high)
{
    *low = INFINITY;
    *high = 0;
    for (int i = 0; i < s->n; i++)
        if (isfinite(s->gap[i]) && s->gap[i] > 0) {
            *low = fmin(*low, s->gap[i]);
            *high = fmax(*high, s->gap[i]);
        }
    return *low < *high;
}

static void gap_chart(FILE *out, const story *s, double width)
{
    double height = GAP_HEIGHT;
    if (!(s->spread.low > 0))
        return;
    svg_plot p = { .out = out, .top = 10, .height = height };
    p.x = s->time;
    p.y = s->spread;
    p.left = s->left;
    p.width = width - p.left - 26;
    svg_open(out, width, height + 52, "The gap over time",
             "Upper less lower bound, on logarithmic axes");
    svg_begin(&p);
    svg_steps(&p, s->n, s->x, s->gap, "class='lower'");
    svg_end(&p);
    svg_close(out);
}

/* ---- together -------------------------------------------------------------------- */

static bool make_story(story *s, const history *h)
{
    size_t n = (size_t)h->count;
    *s = (story){ .n = h->count,
                  .x = calloc(6 * (n + 1), sizeof *s->x),
                  .sure = h->count };
    if (s->x == NULL)
        return false;
    s->lower = s->x + n;
    s->upper = s->lower + n;
    s->gap = s->upper + n;
    s->sure_lower = s->gap + n;
    s->sure_upper = s->sure_lower + n;
    for (int i = 0; i < s->n; i++) {
        s->x[i] = h->event[i].seconds;
        s->lower[i] = h->event[i].lower;
        s->upper[i] = h->event[i].upper;
        s->gap[i] = gap_of(&h->event[i]);
        s->sure_lower[i] = h->event[i].sure_lower;
        s->sure_upper[i] = h->event[i].sure_upper;
        if (s->sure == s->n && isfinite(s->sure_upper[i]))
            s->sure = i;
    }
    find_phases(s, h);
    return true;
}

static void set_axes(story *s, const zb_result *r)
{
    double low, high;
    s->time = time_axis(s, r);
    s->value = value_axis(s);
    s->left = svg_left(&s->value, BRACKET_HEIGHT);
    if (!gap_range(s, &low, &high))
        return;
    s->spread = (svg_axis){
        .low = low / 1.3, .high = high * 1.3, .log = true, .label = "gap (nats)"
    };
    s->left = fmax(s->left, svg_left(&s->spread, GAP_HEIGHT));
}

/* Whether a bound is beyond the chart's borders, as a first guess may be. */
static bool cut_off(const story *s)
{
    bool cut = false;
    for (int i = 0; i < s->n; i++)
        cut = cut || (isfinite(s->lower[i]) && s->lower[i] < s->value.low) ||
              (isfinite(s->upper[i]) && s->upper[i] > s->value.high);
    return cut;
}

/* Whether a phase goes on after the next one began. */
static bool overlaps(const story *s)
{
    bool found = false;
    for (int i = 0; i + 1 < s->phases; i++)
        found = found || s->phase[i].last->seconds > s->phase[i + 1].first->seconds;
    return found;
}

static void figure(FILE *out, const story *s, const char *class, double width)
{
    fprintf(out, "<figure class=%s>\n", class);
    bracket_chart(out, s, width);
    gap_chart(out, s, width);
    fputs("</figure>\n", out);
}

void page_time(FILE *out, const history *h, const zb_result *r)
{
    story s;
    bool at_once = h->count == 1 && gap_of(&h->event[0]) == 0; /* nothing closed */
    if (h->count == 0 || at_once || !make_story(&s, h))
        return;
    set_axes(&s, r);
    fputs("<h2>The bracket over time</h2>\n", out);
    figure(out, &s, "wide", PAGE_WIDE);
    figure(out, &s, "narrow", PAGE_NARROW);
    fprintf(out,
            "<p class=quiet>ln Z is between the two lines at every moment.%s%s The "
            "numbers name the rows of this table%s.</p>\n",
            cut_off(&s) ? " Bounds far outside are cut off in the upper chart" : "",
            !cut_off(&s)       ? ""
            : s.spread.low > 0 ? "; the gap in the lower one has them all."
                               : ".",
            overlaps(&s) ? ", whose times overlap where work takes turns" : "");
    phase_table(out, &s, r);
    free(s.x);
}
