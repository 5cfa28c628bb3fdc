#include "result_file.h"
#include "console.h"

#include <errno.h>
#include <string.h>

int app_result_check(const char *path)
{
    FILE *probe;
    if (path == NULL)
        return APP_OK;
    probe = strcmp(path, "-") != 0 ? fopen(path, "a") : NULL;
    if (probe == NULL)
        return app_fail(APP_USAGE, "%s: cannot write: %s", path,
                        strcmp(path, "-") != 0 ? strerror(errno) : "stdout is taken");
    fclose(probe);
    return APP_OK;
}

int app_result_write(const char *path, bool (*write)(void *context, FILE *file),
                     void *context)
{
    if (path == NULL)
        return APP_OK;
    FILE *file = fopen(path, "w");
    bool good = file != NULL && write(context, file) && ferror(file) == 0;
    if (file != NULL && fclose(file) != 0)
        good = false;
    return good ? APP_OK : app_fail(APP_INTERNAL, "--uai: writing '%s' failed", path);
}
