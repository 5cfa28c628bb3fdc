/* From argv to app_args. All commands share one table of long options, so that options
 * may stand anywhere, even before the command; afterwards each one given is checked
 * against the command. */
#include "args.h"
#include "console.h"
#include "help.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROW(kind, field, option, letter, value, def, least, most, cmds, help)          \
    { APP_KIND_##kind,           option, letter, value, cmds, help,                    \
      offsetof(app_args, field), least,  most },
static const app_option own[] = { APP_OPTIONS(ROW) };
enum { OWN = sizeof own / sizeof *own };

/* Where the solver's options make sense; one not named here: bound and compare. */
static const struct {
    const char *name;
    unsigned commands;
} solver_commands[] = {
    { "method", CMD_BOUND | CMD_THERMO },
    { "form", CMD_BOUND | CMD_COMPARE | CMD_FORNEY | CMD_THERMO },
    { "ibound", CMD_BOUND | CMD_COMPARE | CMD_ORDER | CMD_FORNEY | CMD_THERMO |
                    CMD_SAMPLE | CMD_ASK },
    { "iterations", CMD_BOUND | CMD_COMPARE | CMD_THERMO | CMD_SAMPLE | CMD_ASK },
    { "order", CMD_READ & ~(unsigned)(CMD_FORNEY | CMD_ASK) },
    { "time", CMD_SOLVE | CMD_ORDER | CMD_INFO | CMD_SAMPLE },
    { "memory", CMD_SOLVE | CMD_INFO | CMD_SAMPLE },
    { "seed", CMD_ALL },
    { "threads", CMD_SOLVE | CMD_SAMPLE },
};

static const char *placeholder(zb_option_kind kind)
{
    switch (kind) {
    case ZB_KIND_INT:
    case ZB_KIND_SEED: return "N";
    case ZB_KIND_REAL: return "X";
    case ZB_KIND_SIZE: return "SIZE";
    default: return "NAME";
    }
}

static app_option solver_option(const zb_option_entry *e)
{
    app_option row = { .kind = APP_KIND_SOLVER,
                       .name = e->option,
                       .value = placeholder(e->kind),
                       .commands = CMD_BOUND | CMD_COMPARE,
                       .help = e->help };
    for (size_t i = 0; i < sizeof solver_commands / sizeof *solver_commands; i++)
        if (strcmp(solver_commands[i].name, e->option) == 0)
            row.commands = solver_commands[i].commands;
    return row;
}

int app_option_count(void) { return (int)zb_options_count() + OWN; }

app_option app_option_at(int i)
{
    int solver = (int)zb_options_count();
    return i < solver ? solver_option(zb_options_entry((size_t)i)) : own[i - solver];
}

bool app_option_given(const app_args *args, const char *name)
{
    for (int i = 0; i < app_option_count(); i++)
        if (strcmp(app_option_at(i).name, name) == 0)
            return args->given[i];
    return false;
}

/* ---- values ---------------------------------------------------------------------- */

static int set_number(const app_option *o, void *field, const char *text)
{
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end != '\0')
        return app_fail(APP_USAGE, "--%s: expected a number, found '%s'", o->name,
                        text);
    if (o->kind == APP_KIND_INT && (x != (double)(long long)x))
        return app_fail(APP_USAGE, "--%s: expected a whole number, found '%s'", o->name,
                        text);
    if (!(x >= o->least && x <= o->most))
        return app_fail(APP_USAGE, "--%s: expected a number from %g to %g, found '%s'",
                        o->name, o->least, o->most, text);
    if (o->kind == APP_KIND_INT)
        *(int *)field = (int)x;
    else
        *(double *)field = x;
    return APP_OK;
}

static int set_choice(const app_option *o, int *field, const char *text)
{
    size_t length = strlen(text);
    int index = 0;
    for (const char *name = o->value; name != NULL; index++) {
        const char *bar = strchr(name, '|');
        size_t size = bar != NULL ? (size_t)(bar - name) : strlen(name);
        if (size == length && strncmp(name, text, length) == 0) {
            *field = index;
            return APP_OK;
        }
        name = bar != NULL ? bar + 1 : NULL;
    }
    return app_fail(APP_USAGE, "--%s: expected %s, found '%s'", o->name, o->value,
                    text);
}

/* --order takes a name or a file. A name wins; write ./natural for such a file. */
static int set_order(app_args *args, const char *text)
{
    zb_error err = { "" };
    if (strcmp(text, "file") != 0 &&
        zb_options_set(&args->opt, "order", text, &err) == ZB_OK) {
        args->order_file = NULL;
        return APP_OK;
    }
    if (strcmp(text, "-") != 0 && access(text, R_OK) != 0)
        return app_fail(APP_USAGE,
                        "--order: '%s' is neither an order's name (see --help) nor a "
                        "file that can be read",
                        text);
    args->opt.order = ZB_ORDER_FILE;
    args->order_file = text;
    return APP_OK;
}

/* An unknown name: say which there are, and which was meant. */
static int wrong_choice(const zb_option_entry *e, const char *text)
{
    char list[256] = "";
    size_t used = 0;
    int count = 0;
    for (; e->choices[count] != NULL && used < sizeof list; count++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, " %s", e->choices[count]);
    const char *near = app_nearest(text, count, e->choices);
    return app_fail(APP_USAGE, "--%s: expected one of%s; found '%s'%s%s%s", e->option,
                    list, text, near ? "; did you mean " : "", near ? near : "",
                    near ? "?" : "");
}

static int set_solver(app_args *args, int i, const char *text)
{
    const zb_option_entry *e = zb_options_entry((size_t)i);
    zb_error err = { "" };
    if (strcmp(e->option, "order") == 0)
        return set_order(args, text);
    if (zb_options_set(&args->opt, e->option, text, &err) == ZB_OK)
        return APP_OK;
    return e->choices != NULL ? wrong_choice(e, text)
                              : app_fail(APP_USAGE, "%s", err.text);
}

static int append(char **list, const char *text)
{
    size_t before = *list != NULL ? strlen(*list) + 1 : 0, length = strlen(text) + 1;
    char *longer = realloc(*list, before + length);
    if (longer == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    if (before > 0)
        longer[before - 1] = ',';
    memcpy(longer + before, text, length);
    *list = longer;
    return APP_OK;
}

static int set_option(app_args *args, int i, const char *text)
{
    app_option o = app_option_at(i);
    void *field = (char *)args + o.offset;
    args->given[i] = true;
    switch (o.kind) {
    case APP_KIND_FLAG: *(bool *)field = true; return APP_OK;
    case APP_KIND_TEXT: *(const char **)field = text; return APP_OK;
    case APP_KIND_LIST: return append(field, text);
    case APP_KIND_CHOICE: return set_choice(&o, field, text);
    case APP_KIND_SOLVER: return set_solver(args, i, text);
    default: return set_number(&o, field, text);
    }
}

int app_args_beta(const app_args *args, double *out)
{
    app_option o = {
        .kind = APP_KIND_REAL, .name = "beta", .least = -1e9, .most = 1e9
    };
    *out = 1;
    return args->beta != NULL ? set_number(&o, out, args->beta) : APP_OK;
}

int app_args_variables(const app_args *args, int *out)
{
    app_option o = {
        .kind = APP_KIND_INT, .name = "variables", .least = 0, .most = 1e8
    };
    *out = 20;
    return args->variables != NULL ? set_number(&o, out, args->variables) : APP_OK;
}

/* ---- the line -------------------------------------------------------------------- */

enum { FIRST_CODE = 256 }; /* what getopt_long returns for option 0 */

static void long_options(struct option *table, char *letters)
{
    *letters++ = ':';
    for (int i = 0; i < app_option_count(); i++) {
        app_option o = app_option_at(i);
        int argument = o.kind == APP_KIND_FLAG ? no_argument : required_argument;
        table[i] = (struct option){ o.name, argument, NULL, FIRST_CODE + i };
        if (o.letter != 0) {
            *letters++ = o.letter;
            if (argument == required_argument)
                *letters++ = ':';
        }
    }
    table[app_option_count()] = (struct option){ 0 };
    *letters = '\0';
}

static const app_command *command_named(const char *name)
{
    for (const app_command *c = app_commands; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

static unsigned kind_bits(const char *name)
{
    static const struct {
        const char *name;
        unsigned bits;
    } kinds[] = { { "ising", CMD_ISING },
                  { "regular", CMD_REGULAR },
                  { "random", CMD_RANDOM },
                  { "tree", CMD_TREE },
                  { "pedigree", CMD_PEDIGREE } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].bits;
    return 0;
}

/* The command of a line that cannot be parsed: the first word that names one. */
static unsigned likely_bits(const app_args *args)
{
    const app_command *c = NULL;
    unsigned bits = 0;
    for (int i = 1; i < args->words; i++) {
        if (c == NULL)
            c = command_named(args->line[i]);
        else if (bits == 0)
            bits = kind_bits(args->line[i]);
    }
    if (c == NULL)
        c = &app_commands[0];
    return bits != 0 && c->bits == CMD_GENERATE ? bits : c->bits;
}

static int unknown_option(const app_args *args, const char *word)
{
    const char *names[APP_MOST_OPTIONS];
    char name[64];
    int count = 0;
    unsigned bits = likely_bits(args);
    for (int i = 0; i < app_option_count(); i++)
        if ((app_option_at(i).commands & bits) != 0)
            names[count++] = app_option_at(i).name;
    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = '\0';
    const char *near = app_nearest(name, count, names);
    if (near != NULL && strcmp(near, name) != 0)
        return app_fail(APP_USAGE, "unknown option '%s'; did you mean --%s?", word,
                        near);
    return app_fail(APP_USAGE, "unknown or ambiguous option '%s'; see zbound --help",
                    word);
}

static int option_of_letter(int letter)
{
    for (int i = 0; i < app_option_count(); i++)
        if (app_option_at(i).letter == letter)
            return i;
    return -1;
}

static int parse_options(app_args *args, int argc, char **argv)
{
    struct option table[APP_MOST_OPTIONS + 1];
    char letters[3 * APP_MOST_OPTIONS];
    int code = APP_OK, c;
    long_options(table, letters);
    opterr = 0;
    while (code == APP_OK && (c = getopt_long(argc, argv, letters, table, NULL)) != -1)
        if (c == ':')
            code = app_fail(APP_USAGE, "option '%s' needs a value", argv[optind - 1]);
        else if (c == '?' && optopt >= FIRST_CODE)
            code = app_fail(APP_USAGE, "option '%s' takes no value", argv[optind - 1]);
        else if (c == '?' && optopt != 0)
            code =
                app_fail(APP_USAGE, "unknown option '-%c'; see zbound --help", optopt);
        else if (c == '?')
            code = unknown_option(args, argv[optind - 1]);
        else
            code = set_option(
                args, c >= FIRST_CODE ? c - FIRST_CODE : option_of_letter(c), optarg);
    return code;
}

/* A first word that is no command is the model of `bound`, unless it looks like a
   mistyped command: no such file, neither dot nor slash. */
static int find_command(app_args *args)
{
    const char *word = args->positional[0], *names[16];
    int count = 0;
    args->command = command_named(word);
    if (args->command != NULL) {
        args->positional++;
        args->count--;
        return APP_OK;
    }
    args->command = &app_commands[0];
    if (strpbrk(word, "./") != NULL || strcmp(word, "-") == 0 ||
        access(word, F_OK) == 0)
        return APP_OK;
    for (const app_command *c = app_commands; c->name != NULL; c++)
        names[count++] = c->name;
    const char *near = app_nearest(word, count, names);
    if (near != NULL)
        return app_fail(APP_USAGE,
                        "'%s' is neither a command nor a file; did you mean '%s'?",
                        word, near);
    return app_fail(APP_USAGE,
                    "'%s' is neither a command nor a file; see zbound --help", word);
}

unsigned app_args_bits(const app_args *args)
{
    unsigned bits = args->command->bits, kind = 0;
    if (bits == CMD_GENERATE && args->count > 0)
        kind = kind_bits(args->positional[0]);
    return kind != 0 ? kind : bits;
}

static int check(const app_args *args)
{
    const app_command *c = args->command;
    unsigned bits = app_args_bits(args);
    const char *kind = bits == c->bits ? "" : args->positional[0];
    for (int i = 0; i < app_option_count(); i++)
        if (args->given[i] && (app_option_at(i).commands & bits) == 0)
            return app_fail(APP_USAGE, "--%s is not an option of 'zbound %s%s%s'",
                            app_option_at(i).name, c->name, *kind ? " " : "", kind);
    if (args->count < c->least || args->count > c->most)
        return app_fail(APP_USAGE, "too %s arguments: zbound %s %s",
                        args->count < c->least ? "few" : "many", c->name, c->synopsis);
    return APP_OK;
}

app_args app_args_default(void)
{
    return (app_args){
#define DEFAULT(kind, field, option, letter, value, def, least, most, cmds, help)      \
    .field = def,
        APP_OPTIONS(DEFAULT)
#undef DEFAULT
            .opt = zb_options_default()
    };
}

/* The line as it was written: parsing permutes argv. */
static int keep_line(app_args *args, int argc, char **argv)
{
    args->words = argc;
    args->line = malloc(((size_t)argc + 1) * sizeof *args->line);
    if (args->line == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    memcpy(args->line, argv, (size_t)argc * sizeof *args->line);
    return APP_OK;
}

int app_args_parse(app_args *args, int argc, char **argv)
{
    *args = app_args_default();
    int code = keep_line(args, argc, argv);
    if (code == APP_OK)
        code = parse_options(args, argc, argv);
    if (code != APP_OK)
        return code;
    if (args->quiet)
        app_console_quiet();
    args->positional = argv + optind;
    args->count = argc - optind;
    if (args->version)
        return APP_OK;
    if (args->count > 0 && strcmp(args->positional[0], "help") == 0) {
        args->help = true;
        args->positional++;
        args->count--;
    }
    if (args->count == 0)
        return APP_OK;
    code = find_command(args);
    return code != APP_OK || args->help ? code : check(args);
}

void app_args_free(app_args *args)
{
    free(args->line);
    free(args->observe);
}
