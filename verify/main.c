/* zbound-verify: files, options, output. */
#include "verify.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

enum { SHOWN = 0, NOT_SHOWN = 1, USAGE = 2, BAD_INPUT = 3 };

static const char usage[] =
    "usage: zbound-verify [OPTION].. MODEL [EVIDENCE] CERTIFICATE\n"
    "Checks a certificate for bounds on ln Z of a model (.uai, .LG, .cnf; .gz; - is "
    "stdin).\n"
    "Without EVIDENCE, the model's name less .gz with .evid is used where it exists.\n"
    "\n"
    "  --no-evidence   do not look for it\n"
    "  --memory SIZE   for all tables, with K, M, G or T behind it; 4G\n"
    "  --json          one JSON object on stdout\n"
    "  --help\n"
    "\n"
    "Exit code: 0 verified, 1 refused, 2 wrong usage, 3 a file cannot be read.\n";

typedef struct arguments {
    const char *model, *evidence, *certificate;
    bool no_evidence, json, help;
    size_t memory;
} arguments;

/* ---- files ----------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *tail)
{
    size_t n = strlen(name), m = strlen(tail);
    return n >= m && strcasecmp(name + n - m, tail) == 0;
}

static model_format format_of(const char *name)
{
    if (ends_with(name, ".LG") || ends_with(name, ".LG.gz"))
        return LOGARITHMS;
    return ends_with(name, ".cnf") || ends_with(name, ".cnf.gz") ? FORMULA : WEIGHTS;
}

/* All of a file, plain or gzipped; NULL, after a message, if that fails. */
static char *read_all(const char *path, size_t most, size_t *size)
{
    bool standard = strcmp(path, "-") == 0;
    gzFile in = standard ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path, "rb");
    char *data = NULL, *more = NULL;
    int got = in != NULL ? 1 : -1;
    for (size_t room = *size = 0; got > 0; *size += got > 0 ? (size_t)got : 0) {
        if (room - *size < 65536) {
            room = 2 * room + 65536;
            more = *size <= most ? realloc(data, room) : NULL;
            data = more != NULL ? more : data;
        }
        got = more != NULL ? gzread(in, data + *size, 65536) : -1;
    }
    if (in != NULL && gzclose(in) != Z_OK) /* a compressed file that is cut off, too */
        got = -1;
    if (got == 0)
        return data;
    fprintf(stderr, "zbound-verify: %s: cannot be read%s\n", path,
            *size > most ? ", it is larger than --memory" : "");
    free(data);
    return NULL;
}

/* The model's name less .gz, with .evid; NULL where there is no such file. */
static char *beside(const char *model)
{
    size_t length = strlen(model) - (ends_with(model, ".gz") ? 3 : 0);
    char *name = malloc(length + sizeof ".evid");
    if (name == NULL)
        return NULL;
    memcpy(name, model, length);
    strcpy(name + length, ".evid");
    if (access(name, F_OK) == 0)
        return name;
    free(name);
    return NULL;
}

/* ---- options --------------------------------------------------------------------- */

static bool parse_size(const char *word, size_t *out)
{
    static const char units[] = "KMGT";
    char *end;
    double x = strtod(word, &end);
    const char *unit = *end != '\0' ? strchr(units, *end & ~32) : NULL;
    if (end == word || (*end != '\0' && (unit == NULL || end[1] != '\0')))
        return false;
    for (const char *u = units; unit != NULL && u <= unit; u++)
        x *= 1024;
    *out = (size_t)(x > 0 && x < 9e18 ? x : 0);
    return *out > 0;
}

static bool parse_arguments(int argc, char **argv, arguments *a)
{
    static const struct option options[] = { { "no-evidence", no_argument, NULL, 'n' },
                                             { "memory", required_argument, NULL, 'm' },
                                             { "json", no_argument, NULL, 'j' },
                                             { "help", no_argument, NULL, 'h' },
                                             { NULL, 0, NULL, 0 } };
    *a = (arguments){ .memory = (size_t)4 << 30 };
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (option) {
        case 'n': a->no_evidence = true; break;
        case 'j': a->json = true; break;
        case 'h': a->help = true; return true;
        case 'm':
            if (!parse_size(optarg, &a->memory))
                return false;
            break;
        default: return false;
        }
    int count = argc - optind, stdins = 0;
    if (count < 2 || count > 3 || (count == 3 && a->no_evidence))
        return false;
    for (int i = optind; i < argc; i++)
        stdins += strcmp(argv[i], "-") == 0;
    a->model = argv[optind];
    a->evidence = count == 3 ? argv[optind + 1] : NULL;
    a->certificate = argv[argc - 1];
    return stdins <= 1;
}

/* ---- output ---------------------------------------------------------------------- */

static void print_json_side(const char *key, const char *value)
{
    if (value[0] != '\0')
        printf(", \"%s\": \"%s\"", key, value);
    else
        printf(", \"%s\": null", key);
}

static void print_json(const verdict *v)
{
    printf("{\"verified\": %s", v->outcome == VERIFIED ? "true" : "false");
    print_json_side("log_lower", v->lower);
    print_json_side("log_upper", v->upper);
    if (v->outcome == REFUSED) {
        printf(", \"line\": %ld, \"reason\": \"", v->line);
        for (const char *c = v->reason; *c != '\0'; c++)
            printf(*c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        printf("\"");
    }
    printf("}\n");
}

static int print(const verdict *v, bool json)
{
    if (v->outcome == UNREADABLE) {
        fprintf(stderr, "zbound-verify: %s:%ld: %s\n", v->file, v->line, v->reason);
        return BAD_INPUT;
    }
    if (json)
        print_json(v);
    else if (v->outcome == VERIFIED)
        printf("verified: %s%sln Z%s%s\n", v->lower, v->lower[0] != '\0' ? " <= " : "",
               v->upper[0] != '\0' ? " <= " : "", v->upper);
    else
        printf("refused: line %ld: %s\n", v->line, v->reason);
    return fflush(stdout) == 0 && v->outcome == VERIFIED ? SHOWN : NOT_SHOWN;
}

static int run(const arguments *a)
{
    char *found = a->evidence == NULL && !a->no_evidence ? beside(a->model) : NULL;
    const char *name[3] = { a->model, found != NULL ? found : a->evidence,
                            a->certificate };
    char *data[3] = { NULL };
    size_t size[3] = { 0 };
    int code = SHOWN;
    for (int i = 0; i < 3 && code == SHOWN; i++)
        if (name[i] != NULL &&
            (data[i] = read_all(name[i], a->memory, &size[i])) == NULL)
            code = BAD_INPUT;
    if (found != NULL)
        fprintf(stderr, "zbound-verify: with the evidence of %s\n", found);
    if (code == SHOWN) {
        question q = { .model = { name[0], data[0], size[0] },
                       .evidence = { name[1], data[1], size[1] },
                       .certificate = { name[2], data[2], size[2] },
                       .format = format_of(name[0]),
                       .memory = a->memory,
                       .work = UINT64_MAX };
        verdict v = verify(&q);
        code = print(&v, a->json);
    }
    for (int i = 0; i < 3; i++)
        free(data[i]);
    free(found);
    flint_cleanup();
    return code;
}

int main(int argc, char **argv)
{
    arguments a;
    if (!parse_arguments(argc, argv, &a)) {
        fputs(usage, stderr);
        return USAGE;
    }
    if (a.help) {
        fputs(usage, stdout);
        return SHOWN;
    }
    return run(&a);
}
