/* The answer, for people and for programs. */
#ifndef ZB_APP_REPORT_H
#define ZB_APP_REPORT_H

#include "input.h"
#include "json.h"

typedef struct app_report {
    const app_args *args;
    app_input *input; /* its notes may grow */
    const zb_result *result;
} app_report;

void app_report_text(const app_report *r, FILE *out);
bool app_report_json(const app_report *r, FILE *out);

/* Lines that several commands begin with. */
void app_report_model(const app_input *in, FILE *out);
/* The same as keys of a JSON object. */
void app_report_input(json_t *object, const app_input *in);

/* What the numbers are: "exact: nothing was approximated" and the like. */
const char *app_report_standing(const zb_result *r);
/* Whether draws say more than what is proved. */
bool app_report_likely(const zb_result *r);
/* Both sides of an exact answer, whichever was asked for. */
void app_report_interval(const zb_result *r, double *lower, double *upper);

/* "1.5 MiB"; a double, since forecasts can be astronomically large */
const char *app_bytes_text(double bytes, char text[32]);
#define APP_NEVER 1e12 /* seconds: more than written history */
/* "3 minutes", two digits */
const char *app_seconds_text(double seconds, char text[32]);
/* "1 variable", "2 variables" */
const char *app_plural(double count, const char *noun, char text[64]);

int app_threads(const zb_options *opt); /* the number in force */

#endif
