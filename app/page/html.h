/* Pages that need nothing but themselves: style and charts are inside. */
#ifndef ZB_APP_HTML_H
#define ZB_APP_HTML_H

#include <stdio.h>

/* Text, with what means something in HTML written so that it does not. */
void html_text(FILE *out, const char *text);

/* From the doctype to <main>; title is also the heading. And the end of it. */
void html_open(FILE *out, const char *title);
void html_close(FILE *out);

/* Two cells: a name and what printf makes of the rest, which is escaped. */
void html_row(FILE *out, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A file that is there as a whole or not at all: what is written goes to a file beside
   it, which takes its place in the end. */
typedef struct html_file {
    FILE *out;
    const char *path; /* borrowed */
    char *beside;     /* owned; NULL: a device, written as it is */
} html_file;

/* Exit codes, with a sentence. Opened before the work, so that a place that cannot be
   written is found out then. path NULL: nothing is opened, and out is NULL. */
int html_file_open(html_file *f, const char *option, const char *path);
int html_file_keep(html_file *f);     /* it takes its place */
void html_file_discard(html_file *f); /* nothing happened; fine after either */

#endif
