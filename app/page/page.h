/* --report: one page about a run, for people to look at and to hand on. */
#ifndef ZB_APP_PAGE_H
#define ZB_APP_PAGE_H

#include "page/history.h"
#include "page/html.h"
#include "report.h"

typedef struct app_page {
    html_file file;   /* out NULL: no page was asked for */
    history *history; /* owned, like what follows */
    zb_survey *survey;
    bool surveyed; /* the survey came to its end */
} app_page;

/* Before the work: opens the file of --report and looks at the model. Of a time limit
   that takes at most a tenth and two seconds, and args->opt.time becomes what is left:
   the same share whatever the survey took, so that the run's numbers do not depend on
   it. An exit code; app_page_free in every case. */
int app_page_open(app_page *p, app_args *args, const app_input *in);
void app_page_free(app_page *p); /* what was not kept is gone */

/* The page of `bound` and `exact`, into its place. */
int app_page_bound(app_page *p, const app_report *report);
/* Pages of other commands: from the heading "WHAT of MODEL" to what the command has to
   say, and from there to the end. */
void app_page_head(app_page *p, const char *what, const app_input *in);
int app_page_tail(app_page *p, const app_args *args, const app_input *in);

/* ---- parts ----------------------------------------------------------------------- */

/* Each chart twice, for screens and for phones. */
enum { PAGE_WIDE = 720, PAGE_NARROW = 340 };

/* The bracket and its gap over time, and what gave the numbers when. */
void page_time(FILE *out, const history *h, const zb_result *r);
/* The model as read and, where the survey came to its end, reduced; histograms. */
void page_model(FILE *out, const app_input *in, const zb_survey *s, bool surveyed);
/* The widths along the elimination, split above the ibound (0: nowhere), and what each
   ibound would take. h NULL: there was no bracket. */
void page_elimination(FILE *out, const zb_survey *s, const history *h, int ibound);
/* What was asked for, by which program, on what. Of r only where it is not NULL. */
void page_settings(FILE *out, const app_args *args, const app_input *in,
                   const zb_result *r);
/* Rows of such a table: the command line; when, by which program. */
void page_command(FILE *out, const app_args *args);
void page_program(FILE *out);

#endif
