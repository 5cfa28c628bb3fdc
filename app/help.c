#include "help.h"

#include <inttypes.h>
#include <string.h>

enum { MARGIN = 26, WIDTH = 80 };

void app_help_usage(FILE *out)
{
    fputs("usage: zbound MODEL [EVIDENCE] [options]\n"
          "       zbound COMMAND ... [options]\n"
          "commands:",
          out);
    for (const app_command *c = app_commands; c->name != NULL; c++)
        fprintf(out, " %s", c->name);
    fputs("\nzbound --help tells more, zbound COMMAND --help about one command.\n",
          out);
}

/* Words from column `column` on, broken at WIDTH, continued at `margin`. */
static void wrap(FILE *out, int column, int margin, const char *text)
{
    for (const char *word = text; *word != '\0';) {
        int size = (int)strcspn(word, " ");
        if (column + 1 + size > WIDTH) {
            fprintf(out, "\n%*s", margin, "");
            column = margin;
        } else if (word != text) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", size, word);
        column += size;
        word += size;
        word += strspn(word, " ");
    }
    fputc('\n', out);
}

static void number_text(char *text, size_t size, bool whole, const void *field)
{
    double x = whole ? (double)*(const int *)field : *(const double *)field;
    if (whole ? x != 0 : x >= 0)
        snprintf(text, size, " (%g)", x);
}

/* The value in force when the option is not given; nothing where that says nothing. */
static void default_text(char *text, size_t size, const app_option *o)
{
    app_args args = app_args_default();
    if (o->kind == APP_KIND_INT || o->kind == APP_KIND_REAL)
        number_text(text, size, o->kind == APP_KIND_INT, (char *)&args + o->offset);
    for (size_t i = 0; i < zb_options_count() && o->kind == APP_KIND_SOLVER; i++) {
        const zb_option_entry *e = zb_options_entry(i);
        const void *field = (char *)&args.opt + e->offset;
        if (strcmp(e->option, o->name) != 0)
            continue;
        if (e->kind == ZB_KIND_INT || e->kind == ZB_KIND_REAL)
            number_text(text, size, e->kind == ZB_KIND_INT, field);
        else if (e->kind == ZB_KIND_SEED)
            snprintf(text, size, " (%" PRIu64 ")", *(const uint64_t *)field);
    }
}

/* " [first second ..]"; the first is the default. */
static void choices_text(char *text, size_t size, const char *name)
{
    const char *const *choices = NULL;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < zb_options_count(); i++)
        if (strcmp(zb_options_entry(i)->option, name) == 0)
            choices = zb_options_entry(i)->choices;
    for (int k = 0; choices != NULL && choices[k] != NULL && used < size; k++)
        if (strcmp(choices[k], "file") != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     k == 0 ? " [" : " ", choices[k]);
    if (used > 0 && used < size)
        snprintf(text + used, size - used, "]");
}

/* Where an option of the solver means something narrower than to `bound`. */
static const char *help_for(unsigned bits, const app_option *o)
{
    static const struct {
        unsigned commands;
        const char *name, *help;
    } texts[] = {
        { CMD_FORNEY, "form",
          "the form that is made, forney by default: by equality factors; lattice: by "
          "contracting the plaquettes of a grid; merged: factors are merged first; "
          "auto: "
          "lattice for a grid, else merged; original: a copy" },
        { CMD_FORNEY, "ibound", "largest joint scope of merged factors; 6 by default" },
        { CMD_ORDER, "ibound", "the ibound that minsplit aims at; 10 by default" },
        { CMD_COMPARE, "ibound",
          "largest mini-bucket in variables, the eliminated one included; 10 by "
          "default, "
          "0: from the memory" },
        { CMD_ORDER | CMD_INFO, "time",
          "seconds to search for an order; 2 by default" },
        { CMD_EXACT, "time", "time limit in seconds; by default none" },
        { CMD_COMPARE, "time",
          "time limit in seconds, shared by the methods; by default 10 for each" },
        { CMD_THERMO, "time",
          "time limit in seconds, for all of them; by default 10 for each with auto" },
        { CMD_THERMO, "beta", "FROM:TO:COUNT, or a list B,B,..: inverse temperatures" },
        { CMD_INFO, "memory", "the limit that forecasts are held against" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((texts[i].commands & bits) != 0 && strcmp(texts[i].name, o->name) == 0)
            return texts[i].help;
    return o->help;
}

static void option_help(FILE *out, const app_option *o)
{
    char name[64], text[1024], choices[256] = "", def[64] = "";
    snprintf(name, sizeof name, "%s%c%s--%s%s%s", o->letter ? "-" : " ",
             o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
             o->value ? " " : "", o->value ? o->value : "");
    default_text(def, sizeof def, o);
    if (o->kind == APP_KIND_SOLVER)
        choices_text(choices, sizeof choices, o->name);
    snprintf(text, sizeof text, "%s%s%s", o->help, def, choices);
    int column = fprintf(out, "  %s", name);
    if (column >= MARGIN)
        column = fprintf(out, "\n%*s", MARGIN, "") - 1;
    else
        column += fprintf(out, "%*s", MARGIN - column, "");
    wrap(out, column, MARGIN, text);
}

static void command_help(const app_args *args, FILE *out)
{
    const app_command *c = args->command;
    unsigned bits = app_args_bits(args);
    fprintf(out, "usage: zbound %s %s [options]\n", c->name, c->synopsis);
    wrap(out, 0, 0, c->summary);
    if (c->detail != NULL) {
        fputc('\n', out);
        wrap(out, 0, 0, c->detail);
    }
    fputs("\noptions:\n", out);
    for (int i = 0; i < app_option_count(); i++) {
        app_option o = app_option_at(i);
        o.help = help_for(bits, &o);
        if ((o.commands & bits) != 0)
            option_help(out, &o);
    }
}

void app_help(const app_args *args, FILE *out)
{
    if (args->command != NULL) {
        command_help(args, out);
        return;
    }
    fputs("zbound brackets the partition function of a discrete graphical model:\n"
          "lower <= ln Z <= upper, and says so when they meet.\n\n"
          "usage: zbound MODEL [EVIDENCE] [options]\n"
          "       zbound COMMAND ... [options]\n\ncommands:\n",
          out);
    for (const app_command *c = app_commands; c->name != NULL; c++) {
        int column = fprintf(out, "  %-9s %s", c->name, c->synopsis);
        column += fprintf(out, "%*s", column < 36 ? 36 - column : 1, "");
        wrap(out, column, 36, c->summary);
    }
    fputs("\nMODEL is a .uai, .LG, .cnf or .bif file or a list of spins, may be "
          "compressed,\n"
          "- is stdin. Without EVIDENCE, MODEL.evid is used where it exists. Options "
          "may stand anywhere;\n"
          "those of one command: zbound COMMAND --help (zbound bound --help for the\n"
          "solver).\n\n"
          "exit codes: 0 answered, 1 internal error, 2 wrong usage, 3 bad input,\n"
          "4 a limit before any answer; ended by Ctrl-C or SIGTERM: that signal\n",
          out);
}
