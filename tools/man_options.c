/* man_options TEMPLATE: print the man page's source with @VERSION@ and the lines
 * @OPTIONS@ and @APP_OPTIONS@ replaced, by the tables of options in zbound.h and in
 * app/args.h, in scdoc's language. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

static void put_escaped(const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\*_<>#`~", *text) != NULL)
            putchar('\\');
        putchar(*text);
    }
}

static const char *argument(zb_option_kind kind)
{
    switch (kind) {
    case ZB_KIND_INT:
    case ZB_KIND_SEED: return "N";
    case ZB_KIND_REAL: return "X";
    case ZB_KIND_SIZE: return "SIZE";
    default: return "NAME";
    }
}

static void put_choices(const zb_option_entry *e)
{
    printf(" One of");
    for (int i = 0; e->choices[i] != NULL; i++)
        if (strcmp(e->choices[i], "file") != 0) /* what a file's name stands for */
            printf("%s *%s*%s", i > 0 ? "," : "", e->choices[i],
                   i == 0 ? " (default)" : "");
    putchar('.');
}

static void put_default(const zb_option_entry *e, const zb_options *opt)
{
    const char *field = (const char *)opt + e->offset;
    if (strstr(e->help, "default") != NULL) /* the help says it better */
        return;
    printf(" Default: ");
    switch (e->kind) {
    case ZB_KIND_INT: printf("%d", *(const int *)(const void *)field); break;
    case ZB_KIND_REAL: printf("%g", *(const double *)(const void *)field); break;
    default: printf("%llu", (unsigned long long)*(const uint64_t *)(const void *)field);
    }
    putchar('.');
}

static void put_options(void)
{
    const zb_options opt = zb_options_default();
    for (size_t i = 0; i < zb_options_count(); i++) {
        const zb_option_entry *e = zb_options_entry(i);
        printf("%s*--%s* _%s_\n\t", i > 0 ? "\n" : "", e->option, argument(e->kind));
        put_escaped(e->help);
        putchar('.');
        if (e->choices != NULL)
            put_choices(e);
        else
            put_default(e, &opt);
        putchar('\n');
    }
}

/* The commands an option belongs to; nothing for one that all have. */
static void put_commands(unsigned commands)
{
    const char *before = " Of";
    if (commands == CMD_ALL)
        return;
    for (int i = 0; i < COMMAND_NAMES; i++)
        if ((commands & command_names[i].bits) == command_names[i].bits) {
            printf("%s *%s*", before, command_names[i].name);
            commands &= ~command_names[i].bits;
            before = ",";
        }
    putchar('.');
}

static void put_app_option(const char *name, char letter, const char *value,
                           unsigned commands, const char *help)
{
    putchar('\n');
    if (letter != '\0')
        printf("*-%c*, ", letter);
    printf("*--%s*", name);
    if (value != NULL) {
        printf(" _");
        put_escaped(value);
        putchar('_');
    }
    printf("\n\t");
    put_escaped(help);
    putchar('.');
    put_commands(commands);
    putchar('\n');
}

static void put_app_options(void)
{
#define PUT(kind, field, option, letter, value, def, least, most, commands, help)      \
    put_app_option(option, letter, value, commands, help);
    APP_OPTIONS(PUT)
#undef PUT
}

static void put_line(const char *line)
{
    const char *at = strstr(line, "@VERSION@");
    if (strcmp(line, "@OPTIONS@\n") == 0)
        put_options();
    else if (strcmp(line, "@APP_OPTIONS@\n") == 0)
        put_app_options();
    else if (at != NULL)
        printf("%.*s%s%s", (int)(at - line), line, zb_version(),
               at + strlen("@VERSION@"));
    else
        fputs(line, stdout);
}

int main(int argc, char **argv)
{
    char line[1024];
    FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (in == NULL) {
        fprintf(stderr, "man_options: expected the template's name, a readable file\n");
        return 2;
    }
    while (fgets(line, sizeof line, in) != NULL)
        put_line(line);
    fclose(in);
    return fflush(stdout) == 0 ? 0 : 1;
}
