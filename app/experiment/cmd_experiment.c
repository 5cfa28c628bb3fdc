/* `experiment`: the figures of the paper, from nothing. */
#include "console.h"
#include "experiment.h"
#include "signals.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int wrong_name(const char *name)
{
    int count = 0;
    while (exp_names[count] != NULL)
        count++;
    const char *near = app_nearest(name, count, exp_names);
    return app_fail(
        APP_USAGE, "'%s' is no figure: fig2a .. fig2e, fig3a .. fig3d, all%s%s%s", name,
        near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Creates the directory, its parents too. */
static int make_directory(const char *out)
{
    char *path = strdup(out);
    struct stat about;
    if (path == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    for (char *c = path + 1; *path != '\0' && *c != '\0'; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(path, 0777);
            *c = '/';
        }
    mkdir(path, 0777);
    int code = stat(path, &about) == 0 && S_ISDIR(about.st_mode)
                   ? APP_OK
                   : app_fail(APP_USAGE, "--out %s: cannot make this directory", out);
    free(path);
    return code;
}

/* The linkage models of fig2e are files, where --data names a directory of them. */
static int find_data(exp_settings *s, const char *data)
{
    int count;
    s->data = data;
    s->generated = data == NULL;
    if (s->generated) {
        app_note("fig2e uses generated pedigrees; --data DIR names linkage models");
        return APP_OK;
    }
    char **list = exp_models_list(data, &count);
    for (int i = 0; i < count; i++)
        free(list[i]);
    free(list);
    return count > 0
               ? APP_OK
               : app_fail(APP_USAGE, "--data %s: no .uai or .uai.gz files there", data);
}

static int settle(exp_settings *s, const app_args *args)
{
    const char *name = args->positional[0];
    bool all = strcmp(name, "all") == 0;
    if (!all && !exp_is_figure(name))
        return wrong_name(name);
    if (args->out == NULL)
        return app_fail(APP_USAGE, "--out DIR is needed: where the files go");
    s->args = args;
    s->out = args->out;
    s->quick = args->quick;
    s->variance = args->variance;
    s->seed = args->opt.seed;
    s->jobs = args->jobs > 0 ? args->jobs : omp_get_num_procs();
    int code = make_directory(s->out);
    if (code == APP_OK && (all || strcmp(name, "fig2e") == 0))
        code = find_data(s, args->data);
    for (int i = 0; exp_names[i] != NULL && code == APP_OK; i++)
        if (all || strcmp(exp_names[i], name) == 0) {
            exp_figure *f = &s->figure[s->nfigures++];
            code = exp_figure_make(f, s, exp_names[i]);
            if (code == APP_OK)
                code = exp_csv_load(s, f);
        }
    return code;
}

static void summary(const exp_settings *s, FILE *out)
{
    fprintf(out, "%d rows computed, %d found, %.1f s with %d job%s\n", s->computed,
            s->reused, s->wall, s->jobs, s->jobs == 1 ? "" : "s");
    for (int i = 0; i < s->nfigures; i++)
        fprintf(out, "  %s  %s.csv .svg  %.1f s  %s\n", s->figure[i].name,
                s->figure[i].name, s->figure[i].seconds, s->figure[i].title);
    fprintf(out, "%s/index.html\n", s->out);
}

int app_experiment(app_args *args, FILE *out)
{
    exp_settings *s = calloc(1, sizeof *s);
    if (s == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    app_signals_catch();
    int code = settle(s, args);
    if (code == APP_OK)
        code = exp_run(s);
    if (code == APP_OK)
        code = exp_plot(s);
    if (code == APP_OK)
        code = exp_page(s);
    if (code == APP_OK)
        summary(s, out);
    for (int i = 0; i < s->nfigures; i++)
        exp_figure_free(&s->figure[i]);
    free(s);
    return code;
}
