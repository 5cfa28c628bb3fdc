/* The public models in ../shared/data and what their ln Z is known to be. */
#ifndef ZB_BENCH_SHARED_DATA_H
#define ZB_BENCH_SHARED_DATA_H

#include "bench.h"

#include <glob.h>
#include <math.h>
#include <string.h>

/* A known ln Z, to within `slack`. */
typedef struct known {
    double log_z, slack; /* slack INFINITY: nothing to trust */
} known;

static inline const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* exact.csv has 12 digits; a .PR file has 6 digits of log10 Z. */
static inline known look_up(const char *path)
{
    static const char *const distrusted[] = { "sat-grid", "relational", "linkage_15" };
    char line[512], name[256], pr[512];
    size_t stem = strlen(path) - 3; /* less .gz */
    known k = { .slack = INFINITY };
    FILE *in = fopen("../shared/data/exact.csv", "r");
    snprintf(name, sizeof name, ",%.*s,", (int)(strlen(base_name(path)) - 3),
             base_name(path));
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        char *at = strstr(line, name);
        if (at != NULL)
            k = (known){ strtod(at + strlen(name), NULL), 1e-9 };
    }
    if (in != NULL)
        fclose(in);
    for (size_t i = 0; i < sizeof distrusted / sizeof *distrusted; i++)
        if (strstr(path, distrusted[i]) != NULL || isfinite(k.slack)) {
            k.slack *= isfinite(k.slack) ? fmax(1, fabs(k.log_z)) : 1;
            return k;
        }
    snprintf(pr, sizeof pr, "%.*s.PR", (int)stem, path);
    in = fopen(pr, "r");
    if (in != NULL && fgets(line, sizeof line, in) != NULL &&
        fgets(line, sizeof line, in) != NULL) {
        double l = strtod(line, NULL), digits = floor(log10(fmax(1e-9, fabs(l))));
        k.log_z = l * 2.302585092994045684;
        k.slack = 2.302585092994045684 * 0.51 * pow(10, digits - 5);
    }
    if (in != NULL)
        fclose(in);
    return k;
}

/* A model and its evidence. */
static inline zb_model *read_shared(const char *path)
{
    char evid[512];
    zb_model *model;
    zb_error err = { "" };
    must(zb_model_read(&model, path, &err), err.text);
    snprintf(evid, sizeof evid, "%.*s.evid", (int)strlen(path) - 3, path);
    must(zb_evidence_read(model, evid, ZB_EVIDENCE_DETECT, NULL, &err), err.text);
    return model;
}

#endif
