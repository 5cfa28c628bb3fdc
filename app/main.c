/* All commands, one per file. Output is gathered in memory and shown only when the
 * command has answered, so that stdout stays empty on every error. */
#include "args.h"
#include "console.h"
#include "help.h"

#include <stdlib.h>

const app_command app_commands[] = {
    { "bound", CMD_BOUND, 1, 2, "MODEL [EVIDENCE]", "upper and lower bound on ln Z",
      "The default command: zbound MODEL is the same. --time ends the run with the "
      "best "
      "bounds so far; so do Ctrl-C and SIGTERM, and then the program ends by that "
      "signal.",
      app_bound },
    { "exact", CMD_EXACT, 1, 2, "MODEL [EVIDENCE]", "ln Z by bucket elimination",
      "Plans first: when the tables do not fit into --memory, the bytes needed are "
      "named and the exit code is 4.",
      app_exact },
    { "info", CMD_INFO, 1, 2, "MODEL [EVIDENCE]",
      "sizes, zeros, reduction, width, and what each ibound would take", NULL,
      app_info },
    { "order", CMD_ORDER, 1, 2, "MODEL [EVIDENCE]",
      "an elimination order, its width and cost", NULL, app_order },
    { "forney", CMD_FORNEY, 1, 2, "MODEL [EVIDENCE]",
      "the equivalent model with every variable in two factors",
      "The model goes to -o FILE, or to stdout, and has the same Z. --form forney (the "
      "default here) adds equality factors, lattice contracts the plaquettes of a "
      "grid, "
      "merged first merges factors up to --ibound variables (6 by default).",
      app_forney },
    { "sample", CMD_SAMPLE, 1, 2, "MODEL [EVIDENCE]",
      "independent states with the model's own probabilities",
      "Writes -n states to -o FILE or stdout as they come, a value for every variable. "
      "First the model is solved or bounded, for at most --time (10 seconds); states "
      "are drawn from the bound and accepted or refused, so that those written have "
      "exactly the probabilities of the model. The rate of acceptance is said before; "
      "--weighted writes all draws.",
      app_sample },
    { "marginals", CMD_MARGINALS, 1, 2, "MODEL [EVIDENCE]",
      "the distribution of every variable, exact or as proved intervals",
      "Exact where elimination fits --time (10 seconds) and --memory. Else each "
      "probability is an estimate from draws, with its standard error, and an interval "
      "that is proved.",
      app_marginals },
    { "map", CMD_MAP, 1, 2, "MODEL [EVIDENCE]",
      "the best state found, and an upper bound on the best there is",
      "The state of the largest weight (MPE). --time is 10 seconds by default; the "
      "search ends before it when the two meet.",
      app_map },
    { "generate", CMD_GENERATE, 1, 1, "KIND",
      "test models: ising, regular, random, tree, pedigree",
      "The same seed gives the same file on every machine. It goes to -o FILE, or to "
      "stdout; a name that ends in .LG holds "
      "logarithms. The options depend on the kind: zbound generate KIND --help.",
      app_generate },
    { "compare", CMD_COMPARE, 1, 2, "MODEL [EVIDENCE]",
      "a table of methods side by side",
      "--time is shared fairly among the methods; by default each has 10 seconds. "
      "Every method gets the same ibound, 10 unless said otherwise.",
      app_compare },
    { "thermo", CMD_THERMO, 1, 2, "MODEL [EVIDENCE]",
      "ln Z, free energy, energy, heat capacity, entropy along --beta",
      "Every factor is taken to the power of beta; k = 1. All but the heat capacity "
      "are "
      "proved brackets: the energy's from secants of ln Z, which is convex. With a "
      "--method from mbe to wmbe-wg each beta starts from where the one before ended.",
      app_thermo },
    { "experiment", CMD_EXPERIMENT, 1, 1, "NAME",
      "the paper's figures: fig2a .. fig2e, fig3a .. fig3d, or all",
      "Writes a CSV file, SVG plots and one page, index.html, into --out DIR. Stopped, "
      "it goes on where it was when run again.",
      app_experiment },
    { NULL, 0, 0, 0, NULL, NULL, NULL, NULL }
};

static int run(app_args *args, FILE *out)
{
    if (args->version) {
        fprintf(out, "zbound %s\n", zb_version());
        return APP_OK;
    }
    if (args->help) {
        app_help(args, out);
        return APP_OK;
    }
    return args->command->run(args, out);
}

static int show(const char *text, size_t size)
{
    if (fwrite(text, 1, size, stdout) != size || fflush(stdout) != 0)
        return app_fail(APP_INTERNAL, "stdout: cannot write");
    return APP_OK;
}

static int answer(app_args *args)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return app_fail(APP_LIMIT, "out of memory");
    int code = run(args, out);
    if (fclose(out) != 0 && code == APP_OK)
        code = app_fail(APP_LIMIT, "out of memory");
    if (code == APP_OK)
        code = show(text, size);
    free(text);
    return code;
}

static void take_share(app_args *args, const app_share *share)
{
    args->opt.ranks = share->ranks;
    if (!app_option_given(args, "memory"))
        args->opt.memory = share->memory;
    if (!app_option_given(args, "threads"))
        args->opt.threads = share->threads;
}

/* Commands that rank 0 has all the work of. */
static void say_alone(const app_args *args)
{
    int ranks = zb_ranks_size(args->opt.ranks);
    if (ranks > 1 && args->command != NULL && !args->help &&
        (args->command->bits & CMD_EXPERIMENT) != 0)
        app_note("%s is the work of rank 0 alone: the other %d do nothing",
                 args->command->name, ranks - 1);
}

int app_main(int argc, char **argv, const app_share *share)
{
    app_args args;
    int code = app_args_parse(&args, argc, argv);
    if (share != NULL)
        take_share(&args, share);
    if (code == APP_OK)
        say_alone(&args);
    if (code == APP_OK && args.command == NULL && !args.help && !args.version) {
        app_help_usage(stderr);
        code = APP_USAGE;
    }
    if (code == APP_OK)
        code = answer(&args);
    app_args_free(&args);
    return code;
}
