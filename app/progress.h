/* What is seen of a run while it goes on: the live line, the trace, notes, the
 * competition file. Also what ends it early: signals and a deadline. */
#ifndef ZB_APP_PROGRESS_H
#define ZB_APP_PROGRESS_H

#include "args.h"
#include "json.h"
#include "page/history.h"

typedef struct app_progress {
    zb_observer observer; /* hand this to zb_solve */
    zb_side side;
    double limit;    /* seconds, for "left"; <= 0: none */
    double deadline; /* seconds at which to stop even if the solver does not; 0: none */
    double started, shown;
    const char *label; /* begins the live line; may be empty */
    bool live, verbose;
    const char *work; /* a method's name, for reports that name no work; NULL: auto */
    struct {          /* told last, by side */
        const char *by;
        int ibound;
        int64_t next; /* iteration that is told next, where one method is at work */
    } told[3];
    double told_lower, told_upper; /* likewise, of all sides */
    FILE *trace;
    const char *uai;
    double uai_value;            /* last written, NAN before */
    bool failed;                 /* the competition file could not be written */
    int64_t iteration[3];        /* last traced, by side */
    double log_lower, log_upper; /* last traced */
    history *history;            /* for a page; borrowed, NULL: none */
    json_t *notes;               /* where sentences go; borrowed */
} app_progress;

/* Opens the files that args name: APP_USAGE with a sentence when one cannot be. */
int app_progress_open(app_progress *p, const app_args *args, json_t *notes);

/* What --verbose calls the work of a method: its name; NULL for auto, which names its
   own. */
const char *app_progress_work(zb_method method);

/* The next of several runs: its label, and what its work is called. What was told of
   the one before is forgotten. */
void app_progress_begin(app_progress *p, const char *label, const char *work);

/* The final answer into trace and competition file, and everything closed. */
int app_progress_close(app_progress *p, const zb_result *result);

double app_clock(void); /* seconds, monotonic */

#endif
