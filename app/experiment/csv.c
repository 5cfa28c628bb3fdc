/* DIR/FIGURE.csv: a row per task, or per iteration of a curve. */
#include "experiment.h"

#include "console.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char HEADER[] = "family,ibound,T,seed,method,form,optimizer,iterations,"
                             "log_upper,log_z,seconds,order,passes,stop,instance";
enum { /* fields of a row */
       FAMILY,
       IBOUND,
       COUPLING,
       SEED,
       METHOD,
       FORM,
       OPTIMIZER,
       ITERATIONS,
       UPPER,
       LOG_Z,
       SECONDS,
       ORDER,
       PASSES,
       STOP,
       INSTANCE,
       FIELDS
};

char *exp_path(const exp_settings *s, const char *name, const char *ending)
{
    size_t size = strlen(s->out) + strlen(name) + strlen(ending) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s%s", s->out, name, ending);
    return path;
}

/* ---- writing --------------------------------------------------------------------- */

static void number(FILE *out, bool has, double x)
{
    if (has)
        fprintf(out, "%.17g", x);
    fputc(',', out);
}

static const char *optimizer_text(const exp_task *t)
{
    return t->tuned ? zb_optimizer_name(t->optimizer) : "none";
}

typedef struct point { /* where a task stood after some iterations */
    int iterations;
    double upper, seconds;
} point;

static void write_row(FILE *out, const exp_settings *s, const exp_figure *f,
                      const exp_task *t, point at)
{
    const exp_instance *i = &f->instance[t->instance];
    bool files = i->family == EXP_LINKAGE || i->family == EXP_PEDIGREE;
    fprintf(out, "%s,%d,", exp_family_name(s, i->family), f->ibound);
    if (!files)
        fprintf(out, "%.1f", i->coupling);
    fprintf(out, ",%llu,%s,%s,%s,%d,", (unsigned long long)i->seed, t->label,
            zb_form_name(t->form_used), optimizer_text(t), at.iterations);
    number(out, t->has_upper, at.upper);
    number(out, i->has_z, i->log_z);
    fprintf(out, "%.6g,%s,%lld,%s,%s\n", at.seconds, zb_order_name(t->order_used),
            (long long)t->passes, t->stop, i->name ? i->name : "");
}

static void write_task(FILE *out, const exp_settings *s, const exp_figure *f,
                       const exp_task *t)
{
    if (!t->curve) {
        write_row(out, s, f, t, (point){ t->iterations, t->log_upper, t->seconds });
        return;
    }
    for (int i = 0; i <= t->iterations; i++)
        write_row(out, s, f, t, (point){ i, t->values[i], t->clocks[i] });
}

static int cannot(const char *path, int code)
{
    return app_fail(code, "%s: %s", path, strerror(errno));
}

int exp_csv_append(const exp_settings *s, const exp_figure *f, const exp_task *t)
{
    char *path = exp_path(s, f->name, ".csv");
    FILE *out = path != NULL ? fopen(path, "a") : NULL;
    int code = APP_OK;
    if (out == NULL)
        code = cannot(path ? path : f->name, APP_INTERNAL);
    else {
        write_task(out, s, f, t);
        if (fclose(out) != 0)
            code = cannot(path, APP_INTERNAL);
    }
    free(path);
    return code;
}

/* Beside the old file, then in its place: it is whole at every moment. */
int exp_csv_write(const exp_settings *s, exp_figure *f)
{
    char *path = exp_path(s, f->name, ".csv"),
         *fresh = exp_path(s, f->name, ".csv.new");
    FILE *out = path && fresh ? fopen(fresh, "w") : NULL;
    int code = APP_OK;
    if (out == NULL)
        code = cannot(fresh ? fresh : f->name, APP_INTERNAL);
    else {
        fprintf(out, "%s\n", HEADER);
        for (int i = 0; i < f->ntasks; i++)
            if (f->task[i].done)
                write_task(out, s, f, &f->task[i]);
        for (int i = 0; i < f->nextra; i++)
            fprintf(out, "%s\n", f->extra[i]);
        if (fclose(out) != 0 || rename(fresh, path) != 0)
            code = cannot(path, APP_INTERNAL);
    }
    free(path);
    free(fresh);
    return code;
}

/* ---- reading --------------------------------------------------------------------- */

static bool split(char *line, char *field[FIELDS])
{
    int n = 0;
    for (char *part; (part = strsep(&line, ",")) != NULL;)
        if (n == FIELDS)
            return false;
        else
            field[n++] = part;
    return n == FIELDS;
}

static bool same_instance(const exp_settings *s, const exp_instance *i, char **field)
{
    bool files = i->family == EXP_LINKAGE || i->family == EXP_PEDIGREE;
    char coupling[32] = "";
    if (!files)
        snprintf(coupling, sizeof coupling, "%.1f", i->coupling);
    return strcmp(field[FAMILY], exp_family_name(s, i->family)) == 0 &&
           strcmp(field[COUPLING], coupling) == 0 &&
           strtoull(field[SEED], NULL, 10) == i->seed &&
           strcmp(field[INSTANCE], i->name ? i->name : "") == 0;
}

static exp_task *task_of(const exp_settings *s, exp_figure *f, char **field)
{
    if (atoi(field[IBOUND]) != f->ibound)
        return NULL;
    for (int i = 0; i < f->ntasks; i++) {
        exp_task *t = &f->task[i];
        int iterations = atoi(field[ITERATIONS]);
        bool fits = t->curve ? iterations >= 0 && iterations <= t->iterations
                             : iterations == t->iterations;
        if (fits && !t->done && strcmp(field[METHOD], t->label) == 0 &&
            strcmp(field[OPTIMIZER], optimizer_text(t)) == 0 &&
            same_instance(s, &f->instance[t->instance], field))
            return t;
    }
    return NULL;
}

/* One of the names that are written; they live as long as the program. */
static const char *stop_named(const char *text)
{
#define NAME(id, name) name,
    static const char *const names[] = { ZB_STOPS(NAME) "limit" };
#undef NAME
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return names[i];
    return "";
}

static void restore(exp_figure *f, exp_task *t, char **field)
{
    exp_instance *i = &f->instance[t->instance];
    zb_options names = zb_options_default();
    t->has_upper = field[UPPER][0] != '\0';
    t->log_upper = strtod(field[UPPER], NULL);
    t->seconds = strtod(field[SECONDS], NULL);
    t->passes = strtoll(field[PASSES], NULL, 10);
    t->stop = stop_named(field[STOP]);
    zb_options_set(&names, "form", field[FORM], NULL);
    zb_options_set(&names, "order", field[ORDER], NULL);
    t->form_used = names.form;
    t->order_used = names.order;
    if (t->curve) { /* rows of a curve are in sequence; the last one completes it */
        int at = atoi(field[ITERATIONS]);
        if (t->passes < 0)
            return;
        t->values[at] = t->log_upper;
        t->clocks[at] = t->seconds;
        t->done = at == t->iterations;
        for (int k = 0; k <= t->iterations && t->done; k++)
            t->done = t->clocks[k] > 0;
    } else
        t->done = true;
    if (t->method == ZB_METHOD_BE && t->done)
        i->has_z = t->has_upper, i->log_z = strtod(field[LOG_Z], NULL);
}

static bool keep_line(exp_figure *f, const char *line)
{
    char **all = realloc(f->extra, (size_t)(f->nextra + 1) * sizeof *all);
    if (all == NULL)
        return false;
    f->extra = all;
    f->extra[f->nextra] = strdup(line);
    return f->extra[f->nextra] != NULL && ++f->nextra > 0;
}

/* A row that is cut short (the program was killed) is dropped. */
static bool load_line(const exp_settings *s, exp_figure *f, char *line, ssize_t length)
{
    char *field[FIELDS], *copy;
    if (line[length - 1] != '\n' || strncmp(line, "family,", 7) == 0)
        return true;
    line[length - 1] = '\0';
    copy = strdup(line);
    if (copy == NULL || !split(line, field)) {
        free(copy);
        return copy != NULL;
    }
    exp_task *t = task_of(s, f, field);
    bool good = true;
    if (t != NULL)
        restore(f, t, field);
    else
        good = keep_line(f, copy);
    free(copy);
    return good;
}

int exp_csv_load(exp_settings *s, exp_figure *f)
{
    char *path = exp_path(s, f->name, ".csv"), *line = NULL;
    FILE *in = path != NULL ? fopen(path, "r") : NULL;
    size_t room = 0;
    bool good = path != NULL;
    for (ssize_t n; in != NULL && good && (n = getline(&line, &room, in)) > 0;)
        good = load_line(s, f, line, n);
    if (in != NULL)
        fclose(in);
    free(line);
    free(path);
    for (int i = 0; i < f->ntasks; i++)
        s->reused += f->task[i].done;
    return good ? exp_csv_write(s, f) : app_fail(APP_LIMIT, "out of memory");
}
