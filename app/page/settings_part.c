/* Enough to know later which run of which program this was, and on what. */
#include "page/page.h"

#include "build.h"
#include "page/svg.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* Words of a shell, quoted where they have to be. */
void page_command(FILE *out, const app_args *args)
{
    fputs("<tr><td>command</td><td><code>", out);
    for (int i = 0; i < args->words; i++) {
        const char *word = args->line[i];
        bool plain =
            *word != '\0' && strpbrk(word, " \t\n'\"\\$`&|;<>()*?[]#~!{}") == NULL;
        fputs(i > 0 ? " " : "", out);
        fputs(plain ? "<span>" : "<span>'", out);
        html_text(out, word);
        fputs(plain ? "</span>" : "'</span>", out);
    }
    fputs("</code></td></tr>\n", out);
}

static void limits(FILE *out, const zb_result *r)
{
    char text[32], seconds[32];
    if (isfinite(r->time_limit))
        html_row(out, "time limit", "%.4g s, after a look at the model", r->time_limit);
    else
        html_row(out, "time limit", "none");
    if (r->memory_limit > 0)
        html_row(out, "memory limit", "%s",
                 app_bytes_text((double)r->memory_limit, text));
    html_row(out, "taken", "%s, %s of tables",
             svg_number(r->seconds, 0, SVG_SECONDS, seconds),
             app_bytes_text((double)r->bytes, text));
}

static void recipe(FILE *out, const char *name, bool has, const zb_recipe *by)
{
    if (has && by->method != ZB_METHOD_AUTO)
        html_row(out, name, "%s, %s form, order %s, ibound %d",
                 zb_method_name(by->method), zb_form_name(by->form),
                 zb_order_name(by->order), by->ibound);
}

static void run(FILE *out, const zb_result *r)
{
    html_row(out, "method", "%s", zb_method_name(r->method));
    if (!r->exact) { /* what was exact is in the table of what gave the numbers */
        recipe(out, "upper bound by", r->has_upper, &r->upper_by);
        recipe(out, "lower bound by", r->has_lower, &r->lower_by);
    }
    html_row(out, "iterations", "%" PRId64, r->iterations);
    html_row(out, "ended by", "%s", zb_stop_name(r->stop));
    limits(out, r);
}

void page_program(FILE *out)
{
    char when[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL)
        strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &utc);
    html_row(out, "made", "%s", when);
    html_row(out, "program", "zbound %s, commit %s", zb_version(), app_build_commit());
    html_row(out, "compiler", "%s, %s instructions", app_build_compiler(),
             zb_kernels());
}

void page_settings(FILE *out, const app_args *args, const app_input *in,
                   const zb_result *r)
{
    fputs("<h2>This run</h2>\n<div class=scroll><table class=facts>\n", out);
    page_command(out, args);
    html_row(out, "model", "%s", in->path);
    html_row(out, "model hash", "%016" PRIx64, zb_model_hash(in->model));
    if (r != NULL)
        run(out, r);
    html_row(out, "seed", "%" PRIu64, args->opt.seed);
    html_row(out, "threads", "%d", app_threads(&args->opt));
    page_program(out);
    for (size_t i = 0; i < json_array_size(in->notes); i++)
        html_row(out, "note", "%s", json_string_value(json_array_get(in->notes, i)));
    fputs("</table></div>\n", out);
}
