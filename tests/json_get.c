/* json_get FILE [PATH]: check that FILE holds one JSON value and nothing else, and
 * print what stands at PATH ("methods.0.gap"): strings bare, numbers with 17 digits, an
 * array or object as its size. FILE - is stdin. Exit 1: not JSON; 2: nothing at PATH.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *step(const json_t *at, const char *key)
{
    if (json_is_array(at))
        return json_array_get(at, (size_t)strtoul(key, NULL, 10));
    return json_object_get(at, key);
}

static int print(const json_t *at)
{
    switch (json_typeof(at)) {
    case JSON_STRING: return puts(json_string_value(at));
    case JSON_INTEGER: return printf("%lld\n", (long long)json_integer_value(at));
    case JSON_REAL: return printf("%.17g\n", json_real_value(at));
    case JSON_ARRAY: return printf("%zu\n", json_array_size(at));
    case JSON_OBJECT: return printf("%zu\n", json_object_size(at));
    default:
        return puts(json_is_null(at) ? "null" : json_is_true(at) ? "true" : "false");
    }
}

int main(int argc, char **argv)
{
    json_error_t error;
    size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
    if (argc < 2 || argc > 3)
        return 2;
    json_t *root = strcmp(argv[1], "-") == 0 ? json_loadf(stdin, flags, &error)
                                             : json_load_file(argv[1], flags, &error);
    if (root == NULL) {
        fprintf(stderr, "json_get: %s:%d: %s\n", argv[1], error.line, error.text);
        return 1;
    }
    const json_t *at = root;
    for (char *key = argc == 3 ? strtok(argv[2], ".") : NULL; key != NULL && at != NULL;
         key = strtok(NULL, "."))
        at = step(at, key);
    int code = at == NULL ? 2 : argc == 3 ? print(at) < 0 : 0;
    json_decref(root);
    return code;
}
