/* Methods side by side: their brackets as bars on one axis, and a table. */
#include "page/methods.h"

#include "page/svg.h"

#include "number.h"

#include <math.h>

static bool finite_lower(const zb_result *r)
{
    return r->has_lower && isfinite(r->log_lower);
}

static bool finite_upper(const zb_result *r)
{
    return r->has_upper && isfinite(r->log_upper);
}

static bool is_point(const zb_result *r)
{
    return r->exact || (r->has_lower && r->has_upper && r->log_lower == r->log_upper);
}

/* The narrowest bracket that is not a point takes a fortieth of the width or more;
   loose methods reach the border. */
static svg_axis value_axis(int n, const page_method *m)
{
    double low = INFINITY, high = -INFINITY, lower = -INFINITY, upper = INFINITY;
    for (int i = 0; i < n; i++) {
        const zb_result *r = m[i].result;
        if (m[i].error != NULL)
            continue;
        if (finite_lower(r)) {
            low = fmin(low, r->log_lower);
            lower = is_point(r) ? lower : fmax(lower, r->log_lower);
        }
        if (finite_upper(r)) {
            high = fmax(high, r->log_upper);
            upper = is_point(r) ? upper : fmin(upper, r->log_upper);
        }
    }
    if (isinf(low) || isinf(high))
        low = high = isfinite(low) ? low : isfinite(high) ? high : 0;
    else if (isfinite(upper - lower)) {
        low = fmax(low, lower - 20 * (upper - lower));
        high = fmin(high, upper + 20 * (upper - lower));
    }
    return svg_axis_over(low, high, "ln Z (nats)");
}

static void one(const svg_plot *p, double y, const zb_result *r)
{
    double x[2] = { finite_lower(r) ? r->log_lower : p->x.low,
                    finite_upper(r) ? r->log_upper : p->x.high };
    double line[2] = { y, y };
    if (r->has_estimate && !r->has_lower && !r->has_upper) {
        svg_mark(p, r->log_estimate, y, 4, "class='sure'");
        return;
    }
    if (is_point(r)) {
        if (finite_upper(r) || finite_lower(r))
            svg_mark(p, finite_upper(r) ? x[1] : x[0], y, 3, "class='ball'");
        return;
    }
    svg_line(p, 2, x, line, "class='reach'");
    if (finite_lower(r))
        svg_whisker(p, r->log_lower, y - 0.3, y + 0.3, "class='lower'");
    if (finite_upper(r))
        svg_whisker(p, r->log_upper, y - 0.3, y + 0.3, "class='upper'");
}

static void chart(FILE *out, int n, const page_method *m, double width)
{
    static const svg_entry legend[] = { { "class='lower'", "lower bound", -1 },
                                        { "class='upper'", "upper bound", -1 },
                                        { "class='ball'", "exact", 3 },
                                        { "class='sure'", "estimate", 4 } };
    double height = 22 * n + 8, aside = width < PAGE_WIDE ? 4 : 96;
    svg_plot p = { .out = out, .left = 96, .top = 8, .height = height };
    p.width = width - p.left - 26;
    p.x = value_axis(n, m);
    p.y = (svg_axis){ .low = 0.4, .high = n + 0.6, .bare = true };
    svg_open(out, width, height + 62 + svg_legend_height(width - aside, 4, legend),
             "Brackets of the methods",
             "For each method a line from its lower to its upper bound on ln Z");
    svg_begin(&p);
    for (int i = 0; i < n; i++)
        if (m[i].error == NULL)
            one(&p, n - i, m[i].result);
    svg_end(&p);
    for (int i = 0; i < n; i++)
        svg_text(out, p.left - 8, p.top + svg_y(&p, n - i) + 4,
                 "class='label' text-anchor='end'", m[i].name);
    svg_legend(out, aside, height + 66, width - aside, 4, legend);
    svg_close(out);
}

static void cell(FILE *out, bool has, double x, int outward, int digits)
{
    char text[APP_NUMBER];
    fprintf(out, "<td>%s",
            has && isfinite(x) ? app_outward(x, digits, outward, text) : "\u2013");
}

static void table_row(FILE *out, const page_method *m)
{
    const zb_result *r = m->result;
    fprintf(out, "<tr><td>%s", m->name);
    if (m->error != NULL) {
        fputs("<td class=words colspan=5>", out);
        html_text(out, m->error);
        fputs("</tr>\n", out);
        return;
    }
    char seconds[32];
    bool both = r->has_lower && r->has_upper && !r->exact;
    if (r->has_estimate && !r->has_lower && !r->has_upper)
        fprintf(out, "<td><td>about %.9g<td>\u2013", r->log_estimate);
    else {
        cell(out, r->has_lower, r->log_lower, -1, 9);
        cell(out, r->has_upper, r->log_upper, 1, 9);
        cell(out, both, fmax(r->log_upper - r->log_lower, 0), 1, 4);
    }
    fprintf(out, "<td>%lld<td>%s<td class=words>%s</tr>\n", (long long)r->iterations,
            svg_number(r->seconds, 0, SVG_SECONDS, seconds),
            r->exact          ? "exact"
            : r->has_estimate ? "estimate"
            : r->guaranteed   ? "proved"
                              : "not proved");
}

void page_methods(FILE *out, int n, const page_method *m)
{
    fputs("<h2>Methods side by side</h2>\n<figure class=wide>\n", out);
    chart(out, n, m, PAGE_WIDE);
    fputs("</figure>\n<figure class=narrow>\n", out);
    chart(out, n, m, PAGE_NARROW);
    fputs("</figure>\n<div class=scroll tabindex=0 role=region aria-label=methods>"
          "<table>\n<tr><th>method<th>lower<th>upper<th>gap<th>iterations<th>time<th>"
          "</tr>\n",
          out);
    for (int i = 0; i < n; i++)
        table_row(out, &m[i]);
    fputs("</table></div>\n", out);
}
