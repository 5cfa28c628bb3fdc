/* What the curve says, as text, CSV, JSON and a plot. */
#include "console.h"
#include "page/html.h"
#include "report.h"
#include "thermo.h"

#include <math.h>

/* ---- from points to rows --------------------------------------------------------- */

/* Quotients and differences of doubles are off by a few units of the last place. */
static double down(double x) { return isinf(x) ? x : x - 1e-15 * fabs(x); }
static double up(double x) { return isinf(x) ? x : x + 1e-15 * fabs(x); }

/* The slope of f at a row, between secants to all points. */
static thermo_bracket slope(const thermo *t, const thermo_row *row)
{
    thermo_bracket s = { -INFINITY, INFINITY };
    for (int i = 0; i < t->points; i++) {
        const thermo_point *p = &t->point[i];
        double step = p->beta - row->beta;
        if (step < 0)
            s.lower = fmax(s.lower, down((row->log_z.lower - p->upper) / -step));
        if (step > 0)
            s.upper = fmin(s.upper, up((p->upper - row->log_z.lower) / step));
    }
    return s;
}

/* beta times a bracket. */
static thermo_bracket times(double beta, thermo_bracket a)
{
    if (beta == 0)
        return (thermo_bracket){ 0, 0 };
    double x = beta * (beta > 0 ? a.lower : a.upper);
    double y = beta * (beta > 0 ? a.upper : a.lower);
    return (thermo_bracket){ down(x), up(y) };
}

void thermo_derive(thermo *t)
{
    for (int i = 0; i < t->rows; i++) {
        thermo_row *r = &t->row[i];
        thermo_bracket s = slope(t, r), work = times(r->beta, s);
        r->energy = (thermo_bracket){ fmax(-s.upper, t->range.lower),
                                      fmin(-s.lower, t->range.upper) };
        r->entropy =
            (thermo_bracket){ fmax(down(r->log_z.lower - work.upper), 0),
                              fmin(up(r->log_z.upper - work.lower), t->states) };
        r->free_energy = (thermo_bracket){ -INFINITY, INFINITY };
        if (r->beta != 0)
            r->free_energy = times(-1 / r->beta, r->log_z);
    }
}

/* ---- text ------------------------------------------------------------------------ */

static double middle(thermo_bracket a)
{
    return isfinite(a.lower) && isfinite(a.upper) ? 0.5 * (a.lower + a.upper) : NAN;
}

static double half(thermo_bracket a) { return 0.5 * (a.upper - a.lower); }

/* "middle +- half of the bracket", or a dash. */
static void cell(FILE *out, thermo_bracket a)
{
    if (isnan(middle(a)))
        fprintf(out, "%22s", "-");
    else
        fprintf(out, "%13.8g +-%7.1e", middle(a), half(a));
}

static void print_text(const thermo *t, const app_input *in, FILE *out)
{
    app_report_model(in, out);
    fprintf(out, "\n%8s%22s%22s%22s%22s%14s%9s\n", "beta", "ln Z", "free energy",
            "mean energy", "entropy", "heat capacity", "seconds");
    for (int i = 0; i < t->rows; i++) {
        const thermo_row *r = &t->row[i];
        fprintf(out, "%8.5g", r->beta);
        cell(out, r->log_z);
        cell(out, r->free_energy);
        cell(out, r->energy);
        cell(out, r->entropy);
        if (isnan(r->heat_capacity))
            fprintf(out, "%14s", "-");
        else
            fprintf(out, "%14.8g", r->heat_capacity);
        fprintf(out, "%9.3g\n", r->seconds);
    }
    fputs(
        "\nunits     k = 1; energies are -ln of the product of factors; +- is half of "
        "a proved\n          bracket, the heat capacity a second difference where ln Z "
        "is exact\n",
        out);
}

/* ---- CSV, JSON ------------------------------------------------------------------- */

typedef struct column {
    const char *lower, *upper;
    size_t offset;
} column;

static const column columns[] = {
    { "log_z_lower", "log_z_upper", offsetof(thermo_row, log_z) },
    { "free_energy_lower", "free_energy_upper", offsetof(thermo_row, free_energy) },
    { "energy_lower", "energy_upper", offsetof(thermo_row, energy) },
    { "entropy_lower", "entropy_upper", offsetof(thermo_row, entropy) },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const thermo_bracket *bracket(const thermo_row *r, int c)
{
    return (const thermo_bracket *)((const char *)r + columns[c].offset);
}

static void print_csv(const thermo *t, FILE *out)
{
    fputs("beta", out);
    for (int c = 0; c < COLUMNS; c++)
        fprintf(out, ",%s,%s", columns[c].lower, columns[c].upper);
    fputs(",heat_capacity,exact,seconds\n", out);
    for (int i = 0; i < t->rows; i++) {
        const thermo_row *r = &t->row[i];
        fprintf(out, "%.17g", r->beta);
        for (int c = 0; c < COLUMNS; c++)
            fprintf(out, ",%.17g,%.17g", bracket(r, c)->lower, bracket(r, c)->upper);
        if (isnan(r->heat_capacity))
            fputc(',', out);
        else
            fprintf(out, ",%.17g", r->heat_capacity);
        fprintf(out, ",%d,%.3f\n", r->exact, r->seconds);
    }
}

static json_t *json_row(const thermo_row *r)
{
    json_t *row = json_pack("{s:f}", "beta", r->beta);
    for (int c = 0; c < COLUMNS; c++) {
        json_object_set_new(row, columns[c].lower, app_json_real(bracket(r, c)->lower));
        json_object_set_new(row, columns[c].upper, app_json_real(bracket(r, c)->upper));
    }
    json_object_set_new(row, "heat_capacity",
                        app_json_side(!isnan(r->heat_capacity), r->heat_capacity));
    json_object_set_new(row, "exact", json_boolean(r->exact));
    json_object_set_new(row, "seconds", app_json_real(r->seconds));
    return row;
}

static bool print_json(const thermo *t, const app_args *args, const app_input *in,
                       FILE *out)
{
    json_t *rows = json_array();
    for (int i = 0; i < t->rows; i++)
        json_array_append_new(rows, json_row(&t->row[i]));
    return app_json_print(
        json_pack("{s:s, s:o, s:o, s:i, s:i, s:s, s:i, s:o, s:O}", "version",
                  zb_version(), "model", app_json_text(in->path), "evidence",
                  app_json_text(in->evidence), "variables", zb_model_nvars(in->model),
                  "factors", zb_model_nfactors(in->model), "method",
                  zb_method_name(args->opt.method), "betas", t->count, "rows", rows,
                  "notes", in->notes),
        out);
}

int thermo_print(const thermo *t, const app_args *args, const app_input *in, FILE *out)
{
    if (args->json)
        return print_json(t, args, in, out) ? APP_OK
                                            : app_fail(APP_LIMIT, "out of memory");
    if (args->csv)
        print_csv(t, out);
    else
        print_text(t, in, out);
    return APP_OK;
}

/* ---- page ------------------------------------------------------------------------ */

static void html_cell(FILE *out, thermo_bracket a)
{
    if (isnan(middle(a)))
        fputs("<td>\u2013", out);
    else
        fprintf(out, "<td>%.8g<br><small>\u00b1 %.1e</small>", middle(a), half(a));
}

void thermo_table(const thermo *t, FILE *out)
{
    fputs("<div class=scroll tabindex=0 role=region aria-label=rows><table>\n<tr><th>"
          "beta<th>ln Z<th>free energy<th>mean energy<th>entropy<th>heat capacity"
          "</tr>\n",
          out);
    for (int i = 0; i < t->rows; i++) {
        const thermo_row *r = &t->row[i];
        fprintf(out, "<tr><td>%.6g", r->beta);
        for (int c = 0; c < COLUMNS; c++)
            html_cell(out, *bracket(r, c));
        if (isnan(r->heat_capacity))
            fputs("<td>\u2013</tr>\n", out);
        else
            fprintf(out, "<td>%.6g</tr>\n", r->heat_capacity);
    }
    fputs(
        "</table></div>\n<p class=quiet>k = 1; energies are \u2212ln of the product "
        "of factors. \u00b1 is half of a proved bracket; the heat capacity is a second "
        "difference where ln Z is exact.</p>\n",
        out);
}

/* ---- plot ------------------------------------------------------------------------ */

int thermo_plot(const thermo *t, const app_args *args, const app_input *in)
{
    html_file file;
    if (args->plot == NULL || t->rows == 0)
        return APP_OK;
    int code = html_file_open(&file, "plot", args->plot);
    if (code != APP_OK)
        return code;
    double sites = fmax(zb_model_nvars(in->model), 1);
    if (!thermo_chart(t, sites, file.out, THERMO_ALONE)) {
        html_file_discard(&file);
        return app_fail(APP_LIMIT, "out of memory");
    }
    return html_file_keep(&file);
}
