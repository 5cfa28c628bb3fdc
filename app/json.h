/* JSON as INTERFACE promises it: 17 digits, "inf" and "-inf" as strings. */
#ifndef ZB_APP_JSON_H
#define ZB_APP_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

json_t *app_json_real(double x);           /* not-finite numbers become strings */
json_t *app_json_side(bool has, double x); /* null for an absent side */
json_t *app_json_count(double x);          /* an integer where one holds x exactly */
json_t *app_json_text(const char *text);   /* null for NULL */

/* On one line; takes the reference. False when memory ran out on the way. */
bool app_json_print(json_t *object, FILE *out);

#endif
