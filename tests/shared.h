/* Public models and reference numbers beside the repository, in ../shared. Where they
 * are not, the tests that need them are skipped by name. */
#ifndef ZB_TEST_SHARED_H
#define ZB_TEST_SHARED_H

#include "test.h"
#include "zbound.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SHARED_DATA "../shared/data"
#define SHARED_REFERENCE "../shared/reference"

/* Skips the test that runs unless the file or folder is there. */
static inline void need(const char *path)
{
    if (access(path, R_OK) == 0)
        return;
    print_message("skipped: %s is not here\n", path);
    skip();
}

/* A public model with the evidence beside it, if any. name: family/file.uai */
static inline zb_model *shared_model(const char *name)
{
    char path[512];
    zb_model *model;
    zb_error err = { "" };
    snprintf(path, sizeof path, "%s/%s.gz", SHARED_DATA, name);
    need(path);
    CHECK(zb_model_read(&model, path, &err) == ZB_OK, "%s", err.text);
    snprintf(path, sizeof path, "%s/%s.evid", SHARED_DATA, name);
    if (access(path, R_OK) == 0)
        CHECK(zb_evidence_read(model, path, ZB_EVIDENCE_DETECT, NULL, &err) == ZB_OK,
              "%s", err.text);
    return model;
}

/* What is done with a row of the table of known values: its model's name, as above, and
   ln Z. */
typedef void (*known_value)(void *context, const char *name, double log_z);

/* Every row of the table; the number of rows. */
static inline int each_known_value(known_value visit, void *context)
{
    static const char table[] = SHARED_DATA "/exact.csv";
    char line[512], family[128], file[256], name[400];
    double log_z;
    int rows = 0;
    need(table);
    FILE *in = fopen(table, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, "%127[^,],%255[^,],%lf", family, file, &log_z) == 3) {
            snprintf(name, sizeof name, "%s/%s", family, file);
            visit(context, name, log_z);
            rows++;
        }
    fclose(in);
    return rows;
}

#endif
