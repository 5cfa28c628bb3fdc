#include "page/html.h"

#include "app.h"
#include "console.h"
#include "page/svg.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- text ------------------------------------------------------------------------ */

void html_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
}

/* Colours of the Okabe-Ito set, darker or lighter where contrast asks for it. Tables
   that are wider than a phone scroll by themselves. */
static const char STYLE[] =
    ":root{color-scheme:light dark}"
    "*{box-sizing:border-box}"
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif}"
    "main{max-width:48rem;margin:0 auto;padding:1rem 1rem 3rem}"
    "h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0;overflow-wrap:anywhere}"
    "h2{font-size:1.2rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line);"
    "padding-bottom:.2rem}"
    "h3{font-size:1rem;margin:1.2rem 0 .3rem}"
    "p{margin:.4rem 0 .8rem;overflow-wrap:anywhere}"
    ".standing{font-size:1.05rem}"
    ".quiet,figcaption{color:var(--quiet);font-size:.9rem}"
    ".scroll{overflow-x:auto;max-width:100%}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}"
    "th,td{padding:.2rem .7rem .2rem 0;text-align:right;border-bottom:1px solid "
    "var(--line);white-space:nowrap}"
    "th{font-weight:600;color:var(--quiet)}td small{color:var(--quiet)}"
    "th:first-child,td:first-child{text-align:left}"
    "td.words,th.words{text-align:left}"
    "tr.mark td{background:var(--mark)}"
    "table.answer{font-size:1.05rem}"
    "table.facts td{text-align:left;white-space:normal;overflow-wrap:anywhere;"
    "vertical-align:top}"
    "table.facts td:first-child{color:var(--quiet);white-space:nowrap}"
    "code{font:.88rem/1.4 ui-monospace,'DejaVu Sans Mono',monospace;"
    "overflow-wrap:anywhere}"
    "code span{display:inline-block;max-width:100%}" /* lines end between words */
    "figure{margin:.6rem 0 1rem;break-inside:avoid}"
    "figure svg{display:block;max-width:100%;height:auto}"
    ".narrow{display:none!important}"
    ".row{display:flex;flex-wrap:wrap;gap:0 1.2rem}"
    ".row figure{flex:0 1 14.3rem;min-width:0}"
    ".row figure.map{flex-basis:20.4rem}.row figure.state{flex:0 1 9.4rem}"
    "rect.mark{fill:var(--mark)}.span{stroke:var(--ink);stroke-width:1.5;fill:none}"
    "td svg{display:block}"
    "details{margin:.5rem 0}"
    "summary{cursor:pointer;color:var(--lower)}"
    "summary:focus-visible{outline:2px solid var(--lower);outline-offset:2px}"
    "@media(max-width:640px){.narrow{display:block!important}.wide{display:none"
    "!important}h1{font-size:1.3rem}table.answer{font-size:.8rem}.answer td,.answer "
    "th{padding-right:.3rem}}"
    "@media print{body{font-size:11pt}main{max-width:none;padding:0}"
    ".row{gap:0 .6rem}.row figure{flex-basis:13.5rem}"
    "h2{break-after:avoid}.scroll{overflow:visible}"
    "table{font-size:.8rem}tr{break-inside:avoid}"
    "details::details-content{display:block;content-visibility:visible}}";

void html_open(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
          "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
          "<link rel=icon href=\"data:,\">\n<title>",
          out);
    html_text(out, title);
    fprintf(out, "</title>\n<style>%s\n%s</style>\n</head>\n<body>\n<main>\n<h1>",
            SVG_STYLE, STYLE);
    html_text(out, title);
    fputs("</h1>\n", out);
}

void html_close(FILE *out) { fputs("</main>\n</body>\n</html>\n", out); }

void html_row(FILE *out, const char *name, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fprintf(out, "<tr><td>%s</td><td>", name);
    html_text(out, text);
    fputs("</td></tr>\n", out);
}

/* ---- files ----------------------------------------------------------------------- */

static int refuse(html_file *f, const char *option, const char *why)
{
    int code = app_fail(APP_USAGE, "--%s: cannot write '%s': %s", option, f->path, why);
    html_file_discard(f);
    return code;
}

/* A file of mkstemp is for its owner alone; others get what umask leaves. */
static FILE *open_beside(html_file *f)
{
    static const char ending[] = ".XXXXXX";
    size_t length = strlen(f->path);
    f->beside = malloc(length + sizeof ending);
    if (f->beside == NULL)
        return NULL;
    memcpy(f->beside, f->path, length);
    memcpy(f->beside + length, ending, sizeof ending);
    int fd = mkstemp(f->beside);
    if (fd < 0) {
        free(f->beside);
        f->beside = NULL;
        return NULL;
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    return fdopen(fd, "w");
}

int html_file_open(html_file *f, const char *option, const char *path)
{
    struct stat there;
    *f = (html_file){ .path = path };
    if (path == NULL)
        return APP_OK;
    if (strcmp(path, "-") == 0)
        return refuse(f, option, "stdout is taken");
    bool known = stat(path, &there) == 0;
    if (known && S_ISDIR(there.st_mode))
        return refuse(f, option, "it is a directory");
    if (known && access(path, W_OK) != 0)
        return refuse(f, option, strerror(errno));
    f->out = known && !S_ISREG(there.st_mode) ? fopen(path, "w") : open_beside(f);
    return f->out != NULL ? APP_OK : refuse(f, option, strerror(errno));
}

int html_file_keep(html_file *f)
{
    bool written = f->out == NULL || ferror(f->out) == 0;
    if (f->out != NULL)
        written = fclose(f->out) == 0 && written;
    f->out = NULL;
    if (written && f->beside != NULL)
        written = rename(f->beside, f->path) == 0;
    if (written) {
        free(f->beside);
        f->beside = NULL;
        return APP_OK;
    }
    html_file_discard(f);
    return app_fail(APP_INTERNAL, "%s: writing failed", f->path);
}

void html_file_discard(html_file *f)
{
    if (f->out != NULL)
        fclose(f->out);
    if (f->beside != NULL)
        unlink(f->beside);
    free(f->beside);
    f->out = NULL;
    f->beside = NULL;
}
