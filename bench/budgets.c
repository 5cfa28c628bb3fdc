/* Are budgets kept? The program is run on every model below ../shared/data, as CSV: its
 * wall time less the time that reading takes, and the most memory that the process ever
 * took, against what was promised: --time and 5 % and 0.2 s, --memory. The last line
 * counts those beyond. Exits with 1 if there are any.
 *
 *     budgets [--program FILE] [--time S] [--memory SIZE] [--threads N] [FILE]... */
#include "base/base.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct settings {
    const char *program, *time, *memory, *threads;
    zb_options opt; /* the same, understood */
} settings;

typedef struct outcome {
    double reading, seconds; /* wall time of reading alone; of the rest */
    double bytes;
    int code;      /* exit code; 128 + signal */
    char what[64]; /* exact, or why it stopped */
} outcome;

/* In a process of its own, which must not add to ours. */
static double reading_seconds(const char *path)
{
    double begin = zb_now();
    pid_t child = fork();
    if (child == 0) {
        zb_model *model;
        _exit(zb_model_read(&model, path, NULL) != ZB_OK);
    }
    waitpid(child, NULL, 0);
    return zb_now() - begin;
}

static void become_program(const settings *s, const char *path, int out)
{
    dup2(out, STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    execl(s->program, s->program, path, "--time", s->time, "--memory", s->memory,
          "--threads", s->threads, "--json", (char *)NULL);
    _exit(127);
}

/* The value of a key of the flat object that the program prints. */
static void find_value(const char *json, const char *key, size_t room, char *out)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(json, quoted);
    out[0] = '\0';
    if (at != NULL)
        snprintf(out, room, "%.*s", (int)strcspn(at + strlen(quoted), ",}"),
                 at + strlen(quoted));
}

static outcome run(const settings *s, const char *path)
{
    outcome o = { .reading = reading_seconds(path) };
    char json[65536], exact[16];
    int ends[2], status = 0;
    size_t used = 0;
    struct rusage usage;
    if (pipe(ends) != 0)
        exit(1);
    double begin = zb_now();
    pid_t child = fork();
    if (child == 0)
        become_program(s, path, ends[1]);
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], json + used, sizeof json - 1 - used)) > 0;)
        used += (size_t)n;
    close(ends[0]);
    wait4(child, &status, 0, &usage);
    json[used] = '\0';
    o.seconds = zb_now() - begin - o.reading;
    o.bytes = (double)usage.ru_maxrss * 1024;
    o.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    find_value(json, "exact", sizeof exact, exact);
    find_value(json, "stop", sizeof o.what, o.what);
    if (strcmp(exact, "true") == 0)
        snprintf(o.what, sizeof o.what, "exact");
    return o;
}

static bool show(const settings *s, const char *path)
{
    outcome o = run(s, path);
    double seconds = 1.05 * s->opt.time + 0.2;
    bool late = o.seconds > seconds, large = o.bytes > (double)s->opt.memory;
    bool died = o.code != 0 && o.code != 3 && o.code != 4;
    printf("%s,%d,%s,%.2f,%.2f,%.0f,%s%s%s\n", path, o.code, o.what, o.reading,
           o.seconds, o.bytes / 0x1p20, late ? "late " : "", large ? "large " : "",
           died ? "died" : "");
    fflush(stdout);
    return late || large || died;
}

static void add_models(const char *pattern, glob_t *list, int *flags)
{
    if (glob(pattern, *flags, NULL, list) == 0)
        *flags = GLOB_APPEND;
}

static bool is_model(const char *path)
{
    return strstr(path, ".evid") == NULL && strstr(path, ".PR") == NULL;
}

int main(int argc, char **argv)
{
    settings s = { "build/zbound", "5", "1G", "2", zb_options_default() };
    struct {
        const char *name, **value;
    } options[] = { { "--program", &s.program },
                    { "--time", &s.time },
                    { "--memory", &s.memory },
                    { "--threads", &s.threads } };
    glob_t list = { .gl_pathc = 0 };
    int flags = 0, first = 1, beyond = 0, count = 0;
    for (bool more = true; more && first + 1 < argc; first += more ? 2 : 0) {
        more = false;
        for (size_t i = 0; i < sizeof options / sizeof *options; i++)
            if (strcmp(argv[first], options[i].name) == 0)
                *options[i].value = argv[first + 1], more = true;
    }
    if (zb_options_set(&s.opt, "time", s.time, NULL) != ZB_OK ||
        zb_options_set(&s.opt, "memory", s.memory, NULL) != ZB_OK)
        return 2;
    for (int i = first; i < argc; i++)
        add_models(argv[i], &list, &flags);
    if (first >= argc) {
        add_models("../shared/data/*/*.gz", &list, &flags);
        add_models("../shared/data/hard/*/*.gz", &list, &flags);
        add_models("../shared/data/hard/*/*.xz", &list, &flags);
    }
    puts("model,code,what,reading,seconds,MiB,beyond");
    for (size_t i = 0; i < list.gl_pathc; i++)
        if (is_model(list.gl_pathv[i])) {
            beyond += show(&s, list.gl_pathv[i]);
            count++;
        }
    printf("%d models, %d beyond the promise\n", count, beyond);
    globfree(&list);
    return beyond > 0;
}
