#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *app_json_real(double x)
{
    if (isfinite(x))
        return json_real(x);
    return json_string(isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

json_t *app_json_side(bool has, double x)
{
    return has ? app_json_real(x) : json_null();
}

json_t *app_json_count(double x)
{
    if (x >= 0 && x <= 0x1p53 && x == floor(x))
        return json_integer((json_int_t)x);
    return app_json_real(x);
}

/* A file name need not be UTF-8, which JSON asks for. */
json_t *app_json_text(const char *text)
{
    json_t *string = text != NULL ? json_string(text) : json_null();
    if (string != NULL || text == NULL)
        return string;
    char *ascii = strdup(text);
    for (char *c = ascii; c != NULL && *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    string = ascii != NULL ? json_string(ascii) : NULL;
    free(ascii);
    return string;
}

bool app_json_print(json_t *object, FILE *out)
{
    int failed = object == NULL ||
                 json_dumpf(object, out, JSON_REAL_PRECISION(17) | JSON_PRESERVE_ORDER);
    json_decref(object);
    return !failed && fputc('\n', out) != EOF;
}
