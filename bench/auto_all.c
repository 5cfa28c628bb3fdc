/* Method auto on every model below ../shared/data, each in a process of its own, as
 * CSV: exact or a bracket, the gap, seconds, peak memory, and whether the bracket
 * contains the published value.
 *
 *     auto_all [--time S] [--memory SIZE] [--threads N] [FILE | ising:SIDE:COUPLING]...
 *
 * ising:40:1 is the spin glass of `zbound generate ising --rows 40 --cols 40
 * --coupling 1 --field 0.1 --seed 1`. */
#include "base/base.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char DATA[] = "../shared/data";

typedef struct answer { /* what a child writes into its pipe */
    zb_status status;
    zb_result result;
    double seconds; /* with reading */
    int nvars;
    char error[200];
} answer;

/* ---- the child ------------------------------------------------------------------- */

static zb_status load(zb_model **model, const char *path, const char *stem,
                      zb_error *err)
{
    char evid[512];
    zb_ising_spec spec = { .field = 0.1, .seed = 1 };
    if (sscanf(path, "ising:%d:%lf", &spec.rows, &spec.coupling) == 2) {
        spec.cols = spec.rows;
        return zb_generate_ising(model, &spec);
    }
    zb_status status = zb_model_read(model, path, err);
    snprintf(evid, sizeof evid, "%s.evid", stem);
    if (status == ZB_OK && access(evid, R_OK) == 0)
        status = zb_evidence_read(*model, evid, ZB_EVIDENCE_DETECT, NULL, err);
    return status;
}

static void solve(int pipe, const char *path, const char *stem, const zb_options *opt)
{
    answer a = { .status = ZB_OK };
    zb_model *model = NULL;
    zb_error err = { "" };
    double begin = zb_now();
    a.status = load(&model, path, stem, &err);
    if (a.status == ZB_OK) {
        a.nvars = zb_model_nvars(model);
        a.status = zb_solve(model, opt, NULL, &a.result, &err);
    }
    a.seconds = zb_now() - begin;
    snprintf(a.error, sizeof a.error, "%s", err.text);
    _exit(write(pipe, &a, sizeof a) == (ssize_t)sizeof a ? 0 : 1);
}

/* ---- references ------------------------------------------------------------------ */

/* Published values that do not belong to their files, as the format notes say. */
static bool is_doubtful(const char *name)
{
    return strstr(name, "relational_") != NULL || strstr(name, "linkage_15") != NULL;
}

/* ln Z and how far it can be trusted, relative: exact.csv has 12 digits, PR files 6. */
static bool reference(const char *stem, const char *name, double *log_z, double *trust)
{
    char path[512], line[512], model[256];
    bool found = false;
    snprintf(path, sizeof path, "%s/exact.csv", DATA);
    FILE *f = fopen(path, "r");
    *trust = 1e-9;
    while (f != NULL && !found && fgets(line, sizeof line, f) != NULL)
        found = sscanf(line, "%*[^,],%255[^,],%lf", model, log_z) == 2 &&
                strcmp(model, name) == 0;
    if (f != NULL)
        fclose(f);
    if (found || is_doubtful(name))
        return found;
    snprintf(path, sizeof path, "%s.PR", stem);
    f = fopen(path, "r");
    *trust = 1e-5;
    found = f != NULL && fscanf(f, " PR %lf", log_z) == 1;
    *log_z *= log(10);
    if (f != NULL)
        fclose(f);
    return found;
}

/* ---- the table ------------------------------------------------------------------- */

static void print_row(const char *stem, const answer *a, long rss)
{
    const char *name = strrchr(stem, '/') != NULL ? strrchr(stem, '/') + 1 : stem;
    const zb_result *r = &a->result;
    double truth, trust, gap = r->log_upper - r->log_lower;
    if (a->status != ZB_OK) {
        printf("%s,%d,,,,no,%s,%.2f,%ld,,\n", name, a->nvars, zb_status_text(a->status),
               a->seconds, rss);
        fprintf(stderr, "%s: %s\n", name, a->error);
        return;
    }
    printf("%s,%d,%.12g,%.12g,%.6g,%s,%s,%.2f,%ld,", name, a->nvars, r->log_lower,
           r->log_upper, r->log_lower == r->log_upper ? 0 : gap,
           r->exact ? "yes" : "no", zb_stop_name(r->stop), a->seconds, rss);
    if (reference(stem, name, &truth, &trust)) {
        double slack = trust * fmax(1, fabs(truth));
        bool in = (r->log_lower <= truth || r->log_lower - truth <= slack) &&
                  (truth <= r->log_upper || truth - r->log_upper <= slack);
        printf("%.12g,%s\n", truth, in ? "yes" : "NO");
    } else
        printf(",\n");
}

static void run(const char *path, const zb_options *opt)
{
    char stem[512];
    answer a = { .status = ZB_EIO };
    int ends[2], code = 0;
    struct rusage usage = { 0 };
    snprintf(stem, sizeof stem, "%s", path);
    if (strlen(stem) > 3 && strcmp(stem + strlen(stem) - 3, ".gz") == 0)
        stem[strlen(stem) - 3] = 0;
    fflush(stdout);
    if (pipe(ends) != 0)
        return;
    pid_t child = fork();
    if (child == 0)
        solve(ends[1], path, stem, opt);
    close(ends[1]);
    if (child < 0 || read(ends[0], &a, sizeof a) != (ssize_t)sizeof a)
        snprintf(a.error, sizeof a.error, "the process died");
    close(ends[0]);
    wait4(child, &code, 0, &usage);
    print_row(stem, &a, usage.ru_maxrss);
}

int main(int argc, char **argv)
{
    zb_options opt = zb_options_default();
    glob_t files = { 0 };
    char pattern[512];
    int first = 1;
    for (; first < argc && strncmp(argv[first], "--", 2) == 0; first += 2)
        if (first + 1 == argc ||
            zb_options_set(&opt, argv[first] + 2, argv[first + 1], NULL) != ZB_OK)
            return 2;
    snprintf(pattern, sizeof pattern, "%s/*/*.uai.gz", DATA);
    if (first == argc && glob(pattern, 0, NULL, &files) != 0)
        printf("auto_all: skipped, there are no models in %s\n", DATA);
    printf("model,variables,log_lower,log_upper,gap,exact,stop,seconds,peak_kib,"
           "reference,contained\n");
    for (int i = first; i < argc; i++)
        run(argv[i], &opt);
    for (size_t i = 0; i < files.gl_pathc; i++)
        run(files.gl_pathv[i], &opt);
    globfree(&files);
    return 0;
}
