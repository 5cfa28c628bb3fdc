/* Every model below ../shared/data that can be solved exactly, as CSV: how wide, how
 * long, how much memory, and whether ln Z agrees with the published value.
 *
 *     exact_all [--memory SIZE] [--threads N] [--forecast] [FILE...] */
#include "exact/solve_exact.h"
#include "within.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char DATA[] = "../shared/data";

/* Published values that do not belong to their files, as the format notes say. */
static bool doubtful(const char *name)
{
    return strstr(name, "relational_") != NULL || strstr(name, "linkage_15") != NULL ||
           strstr(name, "sat-grid-pbl-0010") != NULL;
}

/* family/name.uai.gz -> the line of exact.csv: ln Z to 12 digits. */
static bool reference_exact(const char *name, double *log_z)
{
    char path[512], line[512], model[256];
    bool found = false;
    snprintf(path, sizeof path, "%s/exact.csv", DATA);
    FILE *f = fopen(path, "r");
    while (f != NULL && !found && fgets(line, sizeof line, f) != NULL)
        found = sscanf(line, "%*[^,],%255[^,],%lf", model, log_z) == 2 &&
                strcmp(model, name) == 0;
    if (f != NULL)
        fclose(f);
    return found;
}

/* name.PR: log10 Z to 6 digits. */
static bool reference_pr(const char *stem, double *log_z)
{
    char path[512];
    double log10_z;
    snprintf(path, sizeof path, "%s.PR", stem);
    FILE *f = fopen(path, "r");
    bool found = f != NULL && fscanf(f, " PR %lf", &log10_z) == 1;
    if (f != NULL)
        fclose(f);
    *log_z = found ? log10_z * log(10) : NAN;
    return found;
}

static bool near(double a, double b, double tol)
{
    return a == b ||
           (isfinite(a) && isfinite(b) && fabs(a - b) <= tol * fmax(fabs(a), fabs(b)));
}

static void print_reference(const char *stem, const char *name, double log_z)
{
    double truth;
    if (reference_exact(name, &truth))
        printf("%.12g,%s\n", truth, near(log_z, truth, 1e-9) ? "yes" : "NO");
    else if (!doubtful(name) && reference_pr(stem, &truth))
        printf("%.6g,%s\n", truth, near(log_z, truth, 1e-5) ? "yes" : "NO");
    else
        printf(",\n");
}

static bool load(zb_model **model, const char *path, const char *stem)
{
    char evid[512];
    zb_error err;
    if (zb_model_read(model, path, &err) != ZB_OK) {
        fprintf(stderr, "%s\n", err.text);
        return false;
    }
    snprintf(evid, sizeof evid, "%s.evid", stem);
    FILE *f = fopen(evid, "r");
    if (f == NULL)
        return true;
    fclose(f);
    if (zb_evidence_read(*model, evid, ZB_EVIDENCE_DETECT, NULL, &err) != ZB_OK)
        fprintf(stderr, "%s\n", err.text);
    zb_model *given = *model;
    zb_status status = zb_model_condition(model, given, given->evidence);
    zb_model_free(given);
    return status == ZB_OK;
}

static void solve(const char *path, const zb_options *opt, bool forecast)
{
    char stem[512];
    zb_model *model = NULL;
    zb_exact_job *job = NULL;
    zb_error err = { "" };
    double begin = zb_now();
    zb_ball log_z;

    snprintf(stem, sizeof stem, "%s", path);
    if (strlen(stem) > 3 && strcmp(stem + strlen(stem) - 3, ".gz") == 0)
        stem[strlen(stem) - 3] = 0;
    const char *name = strrchr(stem, '/') != NULL ? strrchr(stem, '/') + 1 : stem;
    if (!load(&model, path, stem))
        return;
    zb_run run = open_run(NULL, opt->memory, opt->threads);
    zb_status status = zb_exact_job_new(&job, model, opt, 10, &run, &err);
    if (status == ZB_OK && forecast)
        printf("%s,%d,%d,,%.2f,%.4g,%.4g,\n", name, model->nvars, job->all.width,
               zb_now() - begin, job->all.bytes, job->all.total);
    else if (status == ZB_OK)
        status = zb_exact_job_run(job, &run, &log_z, &err);
    zb_run_close(&run);
    if (status != ZB_OK)
        fprintf(stderr, "%s: %s\n", name, err.text);
    else if (!forecast) {
        printf("%s,%d,%d,%.12g,%.2f,%.0f,", name, model->nvars, job->all.width,
               log_z.mid, zb_now() - begin, job->all.bytes);
        print_reference(stem, name, log_z.mid);
    }
    fflush(stdout);
    zb_exact_job_free(job);
    zb_model_free(model);
}

int main(int argc, char **argv)
{
    zb_options opt = zb_options_default();
    bool forecast = false;
    int first = 1;

    opt.memory = (uint64_t)2 << 30;
    for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
        if (strcmp(argv[first], "--forecast") == 0)
            forecast = true;
        else if (first + 1 == argc ||
                 zb_options_set(&opt, argv[first] + 2, argv[first + 1], NULL) != ZB_OK)
            return 2;
        else
            first++;
    }
    glob_t files = { 0 };
    char pattern[512];
    snprintf(pattern, sizeof pattern, "%s/*/*.uai.gz", DATA);
    if (first == argc && glob(pattern, 0, NULL, &files) != 0)
        printf("exact_all: skipped, there are no models in %s\n", DATA);
    printf("model,variables,width,log_z,seconds,bytes,reference,agrees\n");
    for (int i = first; i < argc; i++)
        solve(argv[i], &opt, forecast);
    for (size_t i = 0; i < files.gl_pathc; i++)
        solve(files.gl_pathv[i], &opt, forecast);
    globfree(&files);
    return 0;
}
