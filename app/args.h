/* The command line. Options of the solver come from the library's table; those that
 * only the program has stand in APP_OPTIONS. Both are parsed, checked and explained
 * from their tables. */
#ifndef ZB_APP_ARGS_H
#define ZB_APP_ARGS_H

#include "app.h"

/* X(kind, field, option, letter or 0, value, default, least, most, commands, help).
   Kinds: FLAG, TEXT, LIST (of several, joined by commas), INT, REAL, CHOICE (value
   holds the names, separated by |). */
#define APP_OPTIONS(X)                                                                 \
    X(FLAG, json, "json", 0, NULL, 0, 0, 0, CMD_READ, "one JSON object on stdout")     \
    X(FLAG, csv, "csv", 0, NULL, 0, 0, 0, CMD_COMPARE | CMD_THERMO | CMD_MARGINALS,    \
      "the table as CSV on stdout")                                                    \
    X(TEXT, methods, "methods", 0, "A,B,..", NULL, 0, 0, CMD_COMPARE,                  \
      "the methods to compare, separated by commas; all of them by default")           \
    X(FLAG, per_variable, "per-variable", 0, NULL, 0, 0, 0, CMD_BOUND | CMD_EXACT,     \
      "print ln Z per variable too (minus the free energy per site)")                  \
    X(LIST, observe, "evidence", 'e', "NAME=STATE,..", NULL, 0, 0,                     \
      CMD_READ | CMD_SAMPLE,                                                           \
      "observe variables, by name or number; may be given several times")              \
    X(FLAG, no_evidence, "no-evidence", 0, NULL, 0, 0, 0, CMD_READ | CMD_SAMPLE,       \
      "leave an evidence file beside the model alone")                                 \
    X(CHOICE, model_format, "model-format", 0,                                         \
      "detect|uai|lg|cnf|spins|coo|maxcut|bif", 0, 0, 0, CMD_READ | CMD_SAMPLE,        \
      "format of the model, where its name does not tell: lg for logarithms on stdin") \
    X(CHOICE, base, "base", 0, "detect|0|1", 0, 0, 0, CMD_READ | CMD_SAMPLE,           \
      "the number of the first spin in a file of spins; by default 0 where it occurs") \
    X(TEXT, beta, "beta", 0, "B", NULL, 0, 0, CMD_READ | CMD_ISING | CMD_SAMPLE,       \
      "inverse temperature: every factor to the power of B; 1 by default")             \
    X(TEXT, plot, "plot", 0, "FILE", NULL, 0, 0, CMD_THERMO,                           \
      "draw the curves per variable as SVG")                                           \
    X(CHOICE, evidence_format, "evidence-format", 0, "detect|plain|samples", 0, 0, 0,  \
      CMD_READ | CMD_SAMPLE, "grammar of the evidence file, where it is ambiguous")    \
    X(TEXT, trace, "trace", 0, "FILE", NULL, 0, 0, CMD_BOUND | CMD_EXACT,              \
      "write JSON lines, one per iteration of a side: seconds iteration side "         \
      "log_upper log_lower")                                                           \
    X(TEXT, report, "report", 0, "FILE", NULL, 0, 0,                                   \
      (CMD_SOLVE | CMD_SAMPLE) & ~(unsigned)CMD_MAP,                                   \
      "write a page (HTML) to look at: the answer, how it came, the model, the run")   \
    X(TEXT, uai, "uai", 0, "FILE", NULL, 0, 0, CMD_BOUND | CMD_EXACT | CMD_ASK,        \
      "write a competition result file: PR with log10, each improvement as it comes; " \
      "MAR of marginals, MPE of map")                                                  \
    X(FLAG, mc, "mc", 0, NULL, 0, 0, 0, CMD_BOUND,                                     \
      "count a DIMACS formula exactly, projections and negative weights included, in " \
      "the form that the model counting competitions ask for")                         \
    X(TEXT, certificate, "certificate", 0, "FILE", NULL, 0, 0, CMD_BOUND | CMD_EXACT,  \
      "write what proves the bounds, for zbound-verify; only what can be proved so "   \
      "is used")                                                                       \
    X(TEXT, checkpoint, "checkpoint", 0, "DIR", NULL, 0, 0, CMD_BOUND,                 \
      "auto: keep slices and bounds there as they come, and go on from what is there") \
    X(TEXT, save, "save", 0, "FILE", NULL, 0, 0, CMD_BOUND,                            \
      "write the state reached: form, order, weights, shifts, gauges; not for auto, "  \
      "be, trbp, bp, mf")                                                              \
    X(TEXT, load, "load", 0, "FILE", NULL, 0, 0, CMD_BOUND | CMD_SAMPLE,               \
      "go on from a saved state, with its method, form, order and ibound unless "      \
      "others are named; with --iterations 0, the bounds that it had; of sample: "     \
      "draw "                                                                          \
      "by the state's upper bound")                                                    \
    X(TEXT, output, "output", 'o', "FILE", NULL, 0, 0,                                 \
      CMD_ORDER | CMD_FORNEY | CMD_GENERATE | CMD_SAMPLE,                              \
      "where to write; - is stdout")                                                   \
    X(INT, samples, "samples", 'n', "N", 1, 0, 2e9, CMD_SAMPLE, "states to draw")      \
    X(CHOICE, format, "format", 0, "text|csv|npy", 0, 0, 0, CMD_SAMPLE,                \
      "one state a line, values separated by spaces or commas, or a NumPy array")      \
    X(FLAG, weighted, "weighted", 0, NULL, 0, 0, 0, CMD_SAMPLE,                        \
      "every draw, with ln of its weight before the values; their mean weight is Z")   \
    X(INT, rows, "rows", 0, "N", 10, 1, 1e6, CMD_ISING, "rows of the lattice")         \
    X(INT, cols, "cols", 0, "N", 10, 1, 1e6, CMD_ISING, "columns of the lattice")      \
    X(INT, layers, "layers", 0, "N", 1, 1, 1e6, CMD_ISING,                             \
      "layers of the lattice: more than one make it three-dimensional")                \
    X(CHOICE, lattice, "lattice", 0, "square|triangular", 0, 0, 0, CMD_ISING,          \
      "triangular: a diagonal of each square is a pair, too")                          \
    X(INT, states, "states", 0, "Q", 2, 2, 1000, CMD_ISING,                            \
      "values of a spin; from 3 on a Potts model, where equal neighbours weigh e^J")   \
    X(CHOICE, couplings, "couplings", 0, "gauss|pm1|uniform", 0, 0, 0, CMD_ISING,      \
      "what couplings are: normal numbers, +J or -J at random, or J, all of them; "    \
      "fields likewise")                                                               \
    X(REAL, coupling, "coupling", 0, "J", 1, -1e6, 1e6, CMD_ISING | CMD_REGULAR,       \
      "size of the couplings: their standard deviation where they are normal")         \
    X(REAL, field, "field", 0, "H", 0.1, -1e6, 1e6, CMD_ISING,                         \
      "size of the fields; 0 by default unless they are normal")                       \
    X(FLAG, variance, "variance", 0, NULL, 0, 0, 0,                                    \
      CMD_ISING | CMD_REGULAR | CMD_EXPERIMENT,                                        \
      "read couplings and fields as variances")                                        \
    X(FLAG, periodic, "periodic", 0, NULL, 0, 0, 0, CMD_ISING,                         \
      "join opposite borders of the grid")                                             \
    X(CHOICE, chord, "chord", 0, "opposite|random", 0, 0, 0, CMD_REGULAR,              \
      "what the third variable of a factor on the cycle joins it to")                  \
    X(TEXT, variables, "variables", 0, "N", NULL, 0, 0,                                \
      CMD_RANDOM | CMD_TREE | CMD_MARGINALS,                                           \
      "number of variables, 20 by default; of marginals: the variables whose "         \
      "distributions are wanted, by name or number, separated by commas")              \
    X(FLAG, pairs, "pairs", 0, NULL, 0, 0, 0, CMD_MARGINALS,                           \
      "the joint distributions of all factors' scopes, too")                           \
    X(INT, factors, "factors", 0, "M", 0, 0, 1e8, CMD_RANDOM | CMD_REGULAR,            \
      "number of factors; by default as many as variables, and 180 for regular")       \
    X(INT, arity, "arity", 0, "A", 3, 0, 30, CMD_RANDOM, "variables per factor")       \
    X(INT, cardinality, "cardinality", 0, "D", 2, 1, 1e6, CMD_RANDOM | CMD_TREE,       \
      "values per variable")                                                           \
    X(REAL, zeros, "zeros", 0, "P", 0, 0, 1, CMD_RANDOM,                               \
      "chance that a table entry is zero")                                             \
    X(INT, founders, "founders", 0, "N", 4, 0, 1e6, CMD_PEDIGREE,                      \
      "persons without parents")                                                       \
    X(INT, children, "children", 0, "N", 8, 0, 1e6, CMD_PEDIGREE,                      \
      "persons with parents")                                                          \
    X(INT, loci, "loci", 0, "N", 4, 1, 1e6, CMD_PEDIGREE, "places on the chromosome")  \
    X(INT, alleles, "alleles", 0, "N", 3, 1, 1000, CMD_PEDIGREE,                       \
      "values of an allele")                                                           \
    X(REAL, typed, "typed", 0, "P", 0.5, 0, 1, CMD_PEDIGREE,                           \
      "chance that a person is typed at a locus")                                      \
    X(TEXT, out, "out", 0, "DIR", NULL, 0, 0, CMD_EXPERIMENT,                          \
      "where tables, plots and the page go; rows found there are not computed again")  \
    X(TEXT, data, "data", 0, "DIR", NULL, 0, 0, CMD_EXPERIMENT,                        \
      "linkage models for fig2e; by default pedigrees are generated")                  \
    X(FLAG, quick, "quick", 0, NULL, 0, 0, 0, CMD_EXPERIMENT,                          \
      "a few couplings, instances and iterations: two minutes")                        \
    X(INT, jobs, "jobs", 'j', "N", 0, 0, 4096, CMD_EXPERIMENT,                         \
      "instances at a time; all cores by default")                                     \
    X(FLAG, quiet, "quiet", 'q', NULL, 0, 0, 0, CMD_ALL,                               \
      "nothing on stderr but errors")                                                  \
    X(FLAG, verbose, "verbose", 'v', NULL, 0, 0, 0, CMD_SOLVE,                         \
      "tell on stderr what gives a bound, as it comes")                                \
    X(FLAG, no_progress, "no-progress", 0, NULL, 0, 0, 0, CMD_SOLVE,                   \
      "no live line on the terminal")                                                  \
    X(FLAG, help, "help", 'h', NULL, 0, 0, 0, CMD_ALL, "this help")                    \
    X(FLAG, version, "version", 'V', NULL, 0, 0, 0, CMD_ALL, "the version")

#define APP_TYPE_FLAG bool
#define APP_TYPE_TEXT const char *
#define APP_TYPE_LIST char * /* for free() */
#define APP_TYPE_INT int
#define APP_TYPE_REAL double
#define APP_TYPE_CHOICE int

enum { APP_MOST_OPTIONS = 128 }; /* rows of the joint table below */

struct app_args {
#define APP_FIELD(kind, field, option, letter, value, def, least, most, cmds, help)    \
    APP_TYPE_##kind field;
    APP_OPTIONS(APP_FIELD)
#undef APP_FIELD
    zb_options opt;
    const char *order_file;       /* --order FILE: read once the model is known */
    bool given[APP_MOST_OPTIONS]; /* which rows of the joint table were on the line */
    const app_command *command;
    int count; /* positional arguments, the command's name not among them */
    char **positional;
    int words;   /* of the command line as it was written, the program's name first */
    char **line; /* an array of its own, for free() */
};

typedef enum app_kind {
    APP_KIND_FLAG,
    APP_KIND_TEXT,
    APP_KIND_LIST,
    APP_KIND_INT,
    APP_KIND_REAL,
    APP_KIND_CHOICE,
    APP_KIND_SOLVER /* set by zb_options_set */
} app_kind;

/* One row of the joint table: the solver's options first, then the program's. */
typedef struct app_option {
    app_kind kind;
    const char *name;
    char letter;
    const char *value; /* placeholder, NULL for a flag; choices are joined by | */
    unsigned commands;
    const char *help;
    size_t offset; /* of the field in app_args */
    double least, most;
} app_option;

int app_option_count(void);
app_option app_option_at(int i);
bool app_option_given(const app_args *args, const char *name);
/* --beta as one number, 1 where it is not given. */
int app_args_beta(const app_args *args, double *out);
/* --variables as a number, 20 where it is not given. */
int app_args_variables(const app_args *args, int *out);

app_args app_args_default(void);

/* Fills args; on APP_OK with args->command NULL there is nothing left to do but what
   help or version say. Permutes argv. */
int app_args_parse(app_args *args, int argc, char **argv);
void app_args_free(app_args *args);

/* The bits of the command, narrowed to the kind of `generate` when one is named. */
unsigned app_args_bits(const app_args *args);

/* The nearest of names by edit distance, or NULL when none is near. */
const char *app_nearest(const char *word, int count, const char *const *names);

#endif
