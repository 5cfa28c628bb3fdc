/* completion bash|zsh: print what completes command lines of zbound, from the tables of
 * options in zbound.h and in app/args.h. */
#include "commands.h"

#include <string.h>

const app_command app_commands[] = { { .name = NULL } }; /* args.c asks for one */

/* Choices as words, "" where there are none; of a solver's option too. */
static const char *choices(const app_option *o, char text[1024])
{
    text[0] = '\0';
    for (size_t i = 0; i < zb_options_count(); i++) {
        const zb_option_entry *e = zb_options_entry(i);
        if (strcmp(e->option, o->name) != 0 || e->choices == NULL)
            continue;
        for (int k = 0; e->choices[k] != NULL; k++) {
            strcat(text, k > 0 ? " " : "");
            strcat(text, e->choices[k]);
        }
    }
    if (o->kind == APP_KIND_CHOICE)
        strcpy(text, o->value);
    for (char *at = text; (at = strchr(at, '|')) != NULL;)
        *at = ' ';
    return text;
}

static bool is_single(int i) { return strchr(command_names[i].name, ' ') == NULL; }

/* The words that a command begins with instead of a model, "" where it has none: kinds
   of models, figures. */
static const char *first_words(const char *command, char text[256])
{
    size_t length = strlen(command);
    text[0] = '\0';
    for (int c = 0; c < COMMAND_NAMES; c++) {
        const char *name = command_names[c].name;
        if (!is_single(c) && strncmp(name, command, length) == 0 && name[length] == ' ')
            strcat(text[0] != '\0' ? strcat(text, " ") : text, name + length + 1);
    }
    if (strcmp(command, "experiment") == 0)
        strcpy(text, "all fig2a fig2b fig2c fig2d fig2e fig3a fig3b fig3c fig3d");
    return text;
}

/* ---- bash ------------------------------------------------------------------------ */

static void bash_options(void)
{
    for (int c = 0; c < COMMAND_NAMES; c++) {
        if (!is_single(c))
            continue;
        printf("    %s) options='", command_names[c].name);
        for (int i = 0; i < app_option_count(); i++)
            if ((app_option_at(i).commands & command_names[c].bits) != 0)
                printf("--%s ", app_option_at(i).name);
        printf("' ;;\n");
    }
}

static void bash_values(void)
{
    char text[1024];
    for (int i = 0; i < app_option_count(); i++) {
        app_option o = app_option_at(i);
        if (choices(&o, text)[0] != '\0')
            printf(
                "    --%s) COMPREPLY=($(compgen -W '%s' -- \"$current\")); return ;;\n",
                o.name, text);
    }
}

static void bash_first_words(void)
{
    char text[256];
    for (int c = 0; c < COMMAND_NAMES; c++)
        if (first_words(command_names[c].name, text)[0] != '\0')
            printf(
                "    %s) COMPREPLY=($(compgen -W '%s' -- \"$current\")); return ;;\n",
                command_names[c].name, text);
}

static void bash(void)
{
    printf("# bash completion for zbound; made from its table of options\n"
           "_zbound()\n{\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} "
           "before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    local command=bound options word commands='");
    for (int c = 0; c < COMMAND_NAMES; c++)
        if (is_single(c))
            printf("%s ", command_names[c].name);
    printf(
        "'\n"
        "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
        "        case \" $commands \" in *\" $word \"*) command=$word; break ;; esac\n"
        "    done\n"
        "    case $before in\n");
    bash_values();
    bash_first_words();
    printf("    esac\n"
           "    case $command in\n");
    bash_options();
    printf("    esac\n"
           "    case $current in\n"
           "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
           "    *)  COMPREPLY=($(compgen -f -- \"$current\"))\n"
           "        [ \"$COMP_CWORD\" -gt 1 ] ||\n"
           "            COMPREPLY+=($(compgen -W \"$commands\" -- \"$current\")) ;;\n"
           "    esac\n"
           "}\n"
           "complete -o filenames -F _zbound zbound\n");
}

/* ---- zsh ------------------------------------------------------------------------- */

/* Inside '..[..]': neither quotes nor brackets, and a colon would begin a message. */
static void zsh_help(const char *text)
{
    for (; *text != '\0'; text++)
        if (strchr("'[]", *text) == NULL)
            printf(*text == ':' ? "\\:" : "%c", *text);
}

static void zsh_option(const app_option *o)
{
    char text[1024];
    printf("        '--%s[", o->name);
    zsh_help(o->help);
    printf("]");
    if (o->kind != APP_KIND_FLAG && choices(o, text)[0] != '\0')
        printf(":%s:(%s)", o->name, text);
    else if (o->kind != APP_KIND_FLAG) {
        bool file = o->value != NULL && strcmp(o->value, "FILE") == 0;
        bool folder = o->value != NULL && strcmp(o->value, "DIR") == 0;
        printf(":%s:%s", o->name, file ? "_files" : folder ? "_files -/" : " ");
    }
    printf("' \\\n");
}

/* One command: its options, and what follows its name. */
static void zsh_command(const command_name *command)
{
    char text[256];
    printf("    %s)\n        _arguments \\\n", command->name);
    for (int i = 0; i < app_option_count(); i++) {
        app_option o = app_option_at(i);
        if ((o.commands & command->bits) != 0)
            zsh_option(&o);
    }
    printf("        '1:command or model:{ compadd $commands; _files }' ");
    if (first_words(command->name, text)[0] != '\0')
        printf("'2:what:(%s)' ", text);
    printf("'*:file:_files' ;;\n");
}

static void zsh(void)
{
    printf("#compdef zbound\n# made from its table of options\n"
           "local command=bound word\n"
           "local -a commands=(");
    for (int c = 0; c < COMMAND_NAMES; c++)
        if (is_single(c))
            printf("%s ", command_names[c].name);
    printf(")\n"
           "for word in ${words[2,CURRENT-1]}; do\n"
           "    if (( ${commands[(Ie)$word]} )); then command=$word; break; fi\n"
           "done\n"
           "case $command in\n");
    for (int c = 0; c < COMMAND_NAMES; c++)
        if (is_single(c))
            zsh_command(&command_names[c]);
    printf("esac\n");
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "bash") == 0)
        bash();
    else if (argc == 2 && strcmp(argv[1], "zsh") == 0)
        zsh();
    else
        return fprintf(stderr, "usage: completion bash|zsh\n"), 2;
    return 0;
}
