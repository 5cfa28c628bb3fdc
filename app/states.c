#include "states.h"
#include "console.h"

#include <math.h>
#include <string.h>

/* ---- NumPy ----------------------------------------------------------------------- */

/* Version 1.0: a magic string, the length of a dictionary, and that, padded so that the
   data begin at 128 bytes, or 192 where the dictionary is long: its length must not
   depend on the number of states, which is known last. */
enum { NPY_HEAD = 192 };

static bool npy_head(app_states *s)
{
    unsigned char head[NPY_HEAD];
    char text[NPY_HEAD];
    size_t length = NPY_HEAD - 10;
    int n =
        s->weighted
            ? snprintf(text, sizeof text,
                       "{'descr': [('log_weight', '<f8'), ('state', '<i4', (%d,))], "
                       "'fortran_order': False, 'shape': (%zu,), }",
                       s->nvars, s->count)
            : snprintf(text, sizeof text,
                       "{'descr': '<i4', 'fortran_order': False, 'shape': (%zu, "
                       "%d), }",
                       s->count, s->nvars);
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = (unsigned char)(length & 0xff);
    head[9] = (unsigned char)(length >> 8);
    memcpy(head + 10, text, (size_t)n);
    head[NPY_HEAD - 1] = '\n';
    return fwrite(head, 1, sizeof head, s->file) == sizeof head;
}

static void put_little(FILE *file, uint64_t bits, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(bits >> 8 * i & 0xff), file);
}

static void npy_state(app_states *s, const int *state, const double *log_weight)
{
    if (log_weight != NULL) {
        uint64_t bits;
        memcpy(&bits, log_weight, sizeof bits);
        put_little(s->file, bits, 8);
    }
    for (int v = 0; v < s->nvars; v++)
        put_little(s->file, (uint32_t)state[v], 4);
}

/* ---- lines ----------------------------------------------------------------------- */

/* In quotes where it has to be. */
static void csv_name(FILE *file, const char *name)
{
    bool quoted = strpbrk(name, ",\"\n") != NULL;
    if (quoted)
        fputc('"', file);
    for (; *name != '\0'; name++) {
        if (*name == '"')
            fputc('"', file);
        fputc(*name, file);
    }
    if (quoted)
        fputc('"', file);
}

static void csv_head(app_states *s, const zb_model *model)
{
    if (s->weighted)
        fputs(s->nvars > 0 ? "log_weight," : "log_weight", s->file);
    for (int v = 0; v < s->nvars; v++) {
        const char *name = zb_model_var_name(model, v);
        fputs(v > 0 ? "," : "", s->file);
        if (*name != '\0')
            csv_name(s->file, name);
        else
            fprintf(s->file, "x%d", v);
    }
    fputc('\n', s->file);
}

static void put_line(app_states *s, const int *state, const double *log_weight)
{
    char between = s->format == APP_STATES_CSV ? ',' : ' ';
    bool first = true;
    if (log_weight != NULL) {
        fprintf(s->file, isfinite(*log_weight) ? "%.17g" : "-inf", *log_weight);
        first = false;
    }
    for (int v = 0; v < s->nvars; v++) {
        if (!first)
            fputc(between, s->file);
        first = false;
        if (state[v] < 10)
            fputc('0' + state[v], s->file);
        else
            fprintf(s->file, "%d", state[v]);
    }
    fputc('\n', s->file);
}

/* ---- streams --------------------------------------------------------------------- */

int app_states_open(app_states *s, const app_args *args, const zb_model *model)
{
    const char *path = args->output != NULL ? args->output : "-";
    bool is_stdout = strcmp(path, "-") == 0;
    *s = (app_states){ .path = is_stdout ? "stdout" : path,
                       .format = args->format,
                       .nvars = zb_model_nvars(model),
                       .weighted = args->weighted };
    s->file = is_stdout ? stdout : fopen(path, "wb");
    if (s->file == NULL)
        return app_fail(APP_USAGE, "--output: cannot write '%s'", path);
    if (s->format == APP_STATES_NPY && fseek(s->file, 0, SEEK_SET) != 0)
        return app_fail(APP_USAGE, "--format npy needs a file: -o FILE");
    if (s->format == APP_STATES_CSV)
        csv_head(s, model);
    if (s->format == APP_STATES_NPY && !npy_head(s))
        return app_fail(APP_INTERNAL, "%s: cannot write", s->path);
    return APP_OK;
}

bool app_states_write(app_states *s, size_t n, const int *state,
                      const double *log_weight)
{
    for (size_t i = 0; i < n; i++) {
        const int *x = state + i * (size_t)s->nvars;
        const double *w = log_weight != NULL ? log_weight + i : NULL;
        if (s->format == APP_STATES_NPY)
            npy_state(s, x, w);
        else
            put_line(s, x, w);
    }
    s->count += n;
    return fflush(s->file) == 0 && ferror(s->file) == 0;
}

bool app_states_close(app_states *s)
{
    bool ok = true;
    if (s->format == APP_STATES_NPY)
        ok = fseek(s->file, 0, SEEK_SET) == 0 && npy_head(s);
    ok = fflush(s->file) == 0 && ferror(s->file) == 0 && ok;
    if (s->file != stdout)
        ok = fclose(s->file) == 0 && ok;
    return ok;
}
