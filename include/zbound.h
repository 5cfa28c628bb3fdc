/* zbound: lower <= ln Z <= upper for discrete graphical models.
 *
 * The whole public interface. All logarithms are natural; ln 0 is -INFINITY. Work
 * objects are opaque, options and results plain structs. Functions return a zb_status;
 * when one fails, outputs are NULL or untouched, and a zb_error (which may be NULL)
 * holds a sentence for people. The library never prints, exits or aborts, and keeps no
 * global state but a count of the memory it holds. Arguments that make no sense (NULL
 * where it is not allowed, an index or an enum out of range) are ZB_EINVAL; functions
 * without a status answer them with "unknown", NULL, 0 or -1. */
#ifndef ZBOUND_H
#define ZBOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* what the shared library exports */
#endif

/* ---- version --------------------------------------------------------------------- */

/* Before 1.0 a minor version may change what stands here, structs included: each has a
   shared library of its own (libzbound.so.0.MINOR), and programs are compiled again. A
   patch version changes nothing but what the library does. Sections marked experimental
   may also go. docs/versioning.md has the whole policy. */
#define ZB_VERSION_MAJOR 0
#define ZB_VERSION_MINOR 2
#define ZB_VERSION_PATCH 0
/* To compare: #if ZB_VERSION_NUMBER >= 200 is "0.2.0 or later". */
#define ZB_VERSION_NUMBER                                                              \
    (ZB_VERSION_MAJOR * 10000 + ZB_VERSION_MINOR * 100 + ZB_VERSION_PATCH)

const char *zb_version(void); /* of the library that is linked, "0.2.0" */

/* ---- status ---------------------------------------------------------------------- */

typedef enum zb_status {
    ZB_OK,
    ZB_ENOMEM, /* an allocation failed */
    ZB_EINVAL, /* an argument makes no sense */
    ZB_EPARSE, /* a file does not follow its format */
    ZB_EIO,    /* a file cannot be read or written */
    ZB_ELIMIT, /* a memory or time limit was hit before there was an answer */
    ZB_EBUG    /* two proved results contradict each other: one of them is wrong */
} zb_status;

typedef struct zb_error {
    char text[512]; /* "FILE:LINE: what was expected, what was found" or a sentence */
} zb_error;

const char *zb_status_text(zb_status status); /* total: never NULL */
/* The vector instructions in use on this machine: "avx512", "avx2", "sse2" or
 * "portable". */
const char *zb_kernels(void);

/* From now on the process stays within so many bytes as far as this library is
   concerned (0: no limit): calls that would need more fail with ZB_ENOMEM. zb_solve
   sees to its own `memory` by itself; this is for what comes before, as reading. It
   also tells the C library to give large blocks back to the system when they are freed.
 */
void zb_limit_memory(uint64_t bytes);
/* What the option `memory` is when it is 0: about 80 % of what this process can have,
   by the machine, control groups and RLIMIT_AS. UINT64_MAX: not known. */
uint64_t zb_memory_default(void);

/* ---- models ---------------------------------------------------------------------- */

typedef struct zb_model zb_model; /* variables, factors, evidence, a constant */

zb_status zb_model_new(zb_model **out, int nvars, const int *card);
void zb_model_free(zb_model *model); /* NULL is fine */
zb_status zb_model_copy(zb_model **out, const zb_model *model);

/* Multiply a factor in. Tables are in C order: the last variable of the scope varies
   fastest. Values are copied. Negative values, NaN and +infinity are refused. arity may
   be 0: a constant. */
zb_status zb_model_add(zb_model *model, int arity, const int *scope,
                       const double *value);
zb_status zb_model_add_log(zb_model *model, int arity, const int *scope,
                           const double *log_value);
/* The same, for callers who know how long their table is: ZB_EINVAL when that is not
   the product of the cardinalities. */
zb_status zb_model_add_table(zb_model *model, int arity, const int *scope,
                             size_t length, const double *value);
zb_status zb_model_add_log_table(zb_model *model, int arity, const int *scope,
                                 size_t length, const double *log_value);

/* Fix a variable to a value; -1 frees it again. */
zb_status zb_model_observe(zb_model *model, int var, int value);

/* Z = e^constant * sum over the states that agree with the evidence of the product of
   the factors. Models that were added to or read have the constant 0; what forms take
   out of a model is in theirs. */
int zb_model_nvars(const zb_model *model);
int zb_model_nfactors(const zb_model *model);
double zb_model_log_constant(const zb_model *model);
bool zb_model_is_bayes(const zb_model *model);         /* its file said BAYES */
int zb_model_card(const zb_model *model, int var);     /* 0: no such variable */
int zb_model_evidence(const zb_model *model, int var); /* -1: not observed */
int zb_model_arity(const zb_model *model, int factor); /* -1: no such factor */
const int *zb_model_scope(const zb_model *model, int factor);
size_t zb_model_size(const zb_model *model, int factor); /* table entries */
void zb_model_log_values(const zb_model *model, int factor, double *out);
void zb_model_values(const zb_model *model, int factor, double *out); /* linear */
/* A fingerprint of cardinalities, scopes, tables, evidence and constant, as they were
   given and in their order; the same on every machine. Not for use against forgers. */
uint64_t zb_model_hash(const zb_model *model);

/* Names of variables and of their states: from a file that has them, or given here. A
   copy keeps them; Z and the fingerprint know nothing of them. "" where there is none.
   A variable or a state without a name answers to its number, one with a name to that
   alone (a plus before it does not count); -1: there is no such one. */
bool zb_model_has_names(const zb_model *model);
const char *zb_model_var_name(const zb_model *model, int var);
const char *zb_model_state_name(const zb_model *model, int var, int state);
int zb_model_find_var(const zb_model *model, const char *name);
int zb_model_find_state(const zb_model *model, int var, const char *name);
zb_status zb_model_name_var(zb_model *model, int var, const char *name);
zb_status zb_model_name_state(zb_model *model, int var, int state, const char *name);

/* The model with every factor, and the constant, to the power of beta: the inverse
   temperature, where ln factors are minus energies. Zeros stay zeros, whatever beta.
   ZB_EINVAL where a logarithm leaves the range of a double. */
zb_status zb_model_raise(zb_model **out, const zb_model *model, double beta);

/* ---- files ----------------------------------------------------------------------- */

typedef struct zb_observer zb_observer; /* who hears notes; see below */

typedef enum zb_format {
    ZB_FORMAT_DETECT, /* by the endings .LG, .cnf, .coo, .qubo, .mc, .rud and .bif
                         (before .gz), else by the contents */
    ZB_FORMAT_UAI,    /* weights */
    ZB_FORMAT_LG,     /* the same grammar, logarithms of weights */
    ZB_FORMAT_CNF,    /* DIMACS: counting */
    ZB_FORMAT_SPINS,  /* couplings i j J and fields i h: weights exp(J s t), exp(h s) */
    ZB_FORMAT_COO, /* biases i j b, energies of annealers: exp(-b s t), exp(-b x y) */
    ZB_FORMAT_MAXCUT, /* edges i j w of a graph: exp(w) where they are cut */
    ZB_FORMAT_BIF     /* Bayesian networks with names */
} zb_format;

/* What number the first spin of a file has. */
typedef enum zb_base {
    ZB_BASE_DETECT, /* 0 where a 0 occurs, else 1 */
    ZB_BASE_0,
    ZB_BASE_1
} zb_base;

/* path "-" is standard input or output. Reading, gzip is understood whatever the name,
   and so are xz and zstd where their libraries were there to build with; writing, the
   ending ".gz" asks for gzip. The ending ".LG" (before .gz) means log-values. A table
   with a weight that no double holds is read as logarithms; writing one as weights is
   refused. Written are the factors with 17 digits, and the model's constant as a factor
   without variables; not the evidence. */
zb_status zb_model_read(zb_model **out, const char *path, zb_error *err);
/* The same; the observer (which may be NULL) hears notes, "FILE:LINE: sentence", about
   what is read but looks wrong. Its progress is not called. */
zb_status zb_model_read_as(zb_model **out, const char *path, zb_format format,
                           const zb_observer *observer, zb_error *err);
/* The same, with all that can be said of a file; how may be NULL: nothing is. */
typedef struct zb_reading {
    zb_format format;
    zb_base base; /* of spins; other formats have their own */
    const zb_observer *observer;
} zb_reading;
zb_status zb_model_read_with(zb_model **out, const char *path, const zb_reading *how,
                             zb_error *err);
zb_status zb_model_write(const zb_model *model, const char *path, zb_error *err);

typedef enum zb_evidence_format {
    ZB_EVIDENCE_DETECT,
    ZB_EVIDENCE_PLAIN,  /* k (var value){k}: 2008, 2014, 2016, 2022; 2006 with a comment
                         */
    ZB_EVIDENCE_SAMPLES /* S, then S records: 2010, 2011 */
} zb_evidence_format;

typedef struct zb_evidence_info {
    zb_evidence_format format; /* the grammar that was found */
    int samples;               /* records in the file; the first one is used */
    int observed;              /* variables fixed */
    bool ergo;                 /* began with a comment (2006) */
} zb_evidence_info;

/* Observes in the model what the file says; nothing when it fails. info may be NULL. */
zb_status zb_evidence_read(zb_model *model, const char *path, zb_evidence_format format,
                           zb_evidence_info *info, zb_error *err);

/* Observes "variable=state", by name or number (zb_model_find_var), or several of them,
   separated by commas; nothing when it fails. ZB_EINVAL with a sentence for names that
   there are not, and for a variable that is observed as something else already. */
zb_status zb_evidence_set(zb_model *model, const char *text, zb_error *err);

/* order: an array of nvars variables, first eliminated first. A file that begins with
   `c` or `s` is read as a PACE tree decomposition. */
zb_status zb_order_read(int *order, int nvars, const char *path, zb_error *err);
zb_status zb_order_write(const int *order, int nvars, const char *path, zb_error *err);

/* Competition result: PR and log10 Z; append: -BEGIN- and a better value. */
zb_status zb_result_write_pr(const char *path, double log_z, bool append,
                             zb_error *err);

/* ---- options: each is said once, here -------------------------------------------- */

/* X(constant, name): the first is the default */
/* clang-format off */
#define ZB_METHODS(X)                                                                  \
    X(AUTO, "auto") X(BE, "be") X(MBE, "mbe") X(WMBE, "wmbe") X(WMBE_W, "wmbe-w")      \
    X(WMBE_THETA, "wmbe-theta") X(WMBE_WTHETA, "wmbe-wtheta")                          \
    X(WMBE_G, "wmbe-g") X(WMBE_WG, "wmbe-wg") X(TRBP, "trbp") X(BP, "bp") X(MF, "mf") \
    X(COUNT, "count")
#define ZB_SIDES(X) X(BOTH, "both") X(UPPER, "upper") X(LOWER, "lower")
#define ZB_FORMS(X)                                                                    \
    X(AUTO, "auto") X(ORIGINAL, "original") X(FORNEY, "forney")                        \
    X(LATTICE, "lattice") X(MERGED, "merged")
#define ZB_ORDERS(X)                                                                   \
    X(AUTO, "auto") X(NATURAL, "natural") X(MINFILL, "minfill")                        \
    X(MINDEGREE, "mindegree") X(MINWEIGHT, "minweight") X(MINSPLIT, "minsplit")        \
    X(SWEEP, "sweep") X(RANDOM, "random") X(FILE, "file")
#define ZB_OPTIMIZERS(X) X(DEFAULT, "default") X(PAPER, "paper")
#define ZB_STOPS(X)                                                                    \
    X(CONVERGED, "converged") X(ITERATIONS, "iterations") X(TIME, "time")              \
    X(INTERRUPTED, "interrupted") X(EXACT, "exact") X(MEMORY, "memory")
/* clang-format on */

#define ZB_CONST_METHOD(id, name) ZB_METHOD_##id,
#define ZB_CONST_SIDE(id, name) ZB_SIDE_##id,
#define ZB_CONST_FORM(id, name) ZB_FORM_##id,
#define ZB_CONST_ORDER(id, name) ZB_ORDER_##id,
#define ZB_CONST_OPTIMIZER(id, name) ZB_OPTIMIZER_##id,
#define ZB_CONST_STOP(id, name) ZB_STOP_##id,
typedef enum zb_method { ZB_METHODS(ZB_CONST_METHOD) } zb_method;
typedef enum zb_side { ZB_SIDES(ZB_CONST_SIDE) } zb_side;
typedef enum zb_form { ZB_FORMS(ZB_CONST_FORM) } zb_form;
typedef enum zb_order { ZB_ORDERS(ZB_CONST_ORDER) } zb_order;
typedef enum zb_optimizer { ZB_OPTIMIZERS(ZB_CONST_OPTIMIZER) } zb_optimizer;
typedef enum zb_stop { ZB_STOPS(ZB_CONST_STOP) } zb_stop;

/* X(kind, field, option, default, least, most, help). Kinds: METHOD, SIDE, FORM, ORDER,
   OPTIMIZER (an enum), INT, REAL, SIZE (bytes; K, M, G accepted), SEED. */
#define ZB_OPTIONS(X)                                                                  \
    X(METHOD, method, "method", ZB_METHOD_AUTO, 0, 0,                                  \
      "auto: exact where it fits, else the tightest bracket within the budget")        \
    X(SIDE, side, "side", ZB_SIDE_BOTH, 0, 0, "which bound to compute")                \
    X(FORM, form, "form", ZB_FORM_AUTO, 0, 0,                                          \
      "model form that is bounded: as given, equality-factor Forney, "                 \
      "plaquette-contracted Forney, merged Forney")                                    \
    X(INT, ibound, "ibound", 0, 0, 1000,                                               \
      "largest mini-bucket in variables, the eliminated one included; 0: from the "    \
      "memory")                                                                        \
    X(ORDER, order, "order", ZB_ORDER_AUTO, 0, 0,                                      \
      "elimination order; the command line also takes a file name")                    \
    X(INT, iterations, "iterations", 300, 0, 1000000000,                               \
      "most iterations of each side, one forward and one backward pass each")          \
    X(OPTIMIZER, optimizer, "optimizer", ZB_OPTIMIZER_DEFAULT, 0, 0,                   \
      "paper: the fixed steps of the paper")                                           \
    X(REAL, step_gauge, "step-gauge", 0.01, 0, 10, "the paper's step for gauges")      \
    X(REAL, step_weight, "step-weight", 0.1, 0, 10, "the paper's step for weights")    \
    X(REAL, step_theta, "step-theta", 0.1, 0, 10, "the paper's step for theta")        \
    X(REAL, time, "time", -1, -1, 1e9,                                                 \
      "time limit in seconds; 0: until converged; by default none, and 10 for auto")   \
    X(SIZE, memory, "memory", 0, 0, 0,                                                 \
      "memory limit of the process; 0: about 80 % of what is available")               \
    X(REAL, delta, "delta", 1e-6, 0, 0.5,                                              \
      "auto: the chance that the bracket with confidence may miss; 0: no draws")       \
    X(REAL, tolerance, "tolerance", 1e-6, 0, 1,                                        \
      "stop when the bound moves less than this, relative, over 10 iterations")        \
    X(SEED, seed, "seed", 1, 0, 0, "random seed: same seed, same numbers")             \
    X(INT, threads, "threads", 0, 0, 4096,                                             \
      "threads; 0: all cores; changes no number unless the clock ends the run")

#define ZB_TYPE_METHOD zb_method
#define ZB_TYPE_SIDE zb_side
#define ZB_TYPE_FORM zb_form
#define ZB_TYPE_ORDER zb_order
#define ZB_TYPE_OPTIMIZER zb_optimizer
#define ZB_TYPE_INT int
#define ZB_TYPE_REAL double
#define ZB_TYPE_SIZE uint64_t
#define ZB_TYPE_SEED uint64_t

typedef struct zb_options {
#define ZB_FIELD(kind, field, option, value, least, most, help) ZB_TYPE_##kind field;
    ZB_OPTIONS(ZB_FIELD)
#undef ZB_FIELD
    const int *order_list;  /* with ZB_ORDER_FILE: the order, nvars entries; borrowed */
    struct zb_ranks *ranks; /* processes that help, see below; NULL: none; borrowed */
    const char
        *checkpoint; /* a directory where finished work is kept, and taken up from
                        by a later call on the same model; NULL: none; borrowed */
} zb_options;

/* Time limit of method auto when none is given, in seconds. */
#define ZB_AUTO_SECONDS 10

zb_options zb_options_default(void);
/* Set one option by its command-line name, checking its range. Numbers have a decimal
   point, whatever the locale. */
zb_status zb_options_set(zb_options *opt, const char *option, const char *text,
                         zb_error *err);
/* Whether every field is in its range and the method has the side: ZB_EINVAL with a
   sentence that names the option. Calls that take options check them so themselves. */
zb_status zb_options_check(const zb_options *opt, zb_error *err);

/* The table above, for command lines and the like: entries 0 .. count - 1, NULL beyond.
 */
typedef enum zb_option_kind {
    ZB_KIND_METHOD,
    ZB_KIND_SIDE,
    ZB_KIND_FORM,
    ZB_KIND_ORDER,
    ZB_KIND_OPTIMIZER,
    ZB_KIND_INT,
    ZB_KIND_REAL,
    ZB_KIND_SIZE,
    ZB_KIND_SEED
} zb_option_kind;

typedef struct zb_option_entry {
    zb_option_kind kind;
    const char *option;         /* its name, without dashes */
    const char *const *choices; /* of an enum: NULL-terminated names, the first the
                                   default; else NULL */
    size_t offset;              /* of the field in zb_options */
    double least, most;
    const char *help;
} zb_option_entry;

size_t zb_options_count(void);
const zb_option_entry *zb_options_entry(size_t i);

/* Whether a method bounds that side: trbp has no lower bound, mf no upper one, bp
   neither. Every method has ZB_SIDE_BOTH: what it can. */
bool zb_method_has_side(zb_method method, zb_side side);
/* Whether it is a mini-bucket method (mbe, wmbe .. wmbe-wg), which has a state to keep
   and to go on from: see zb_solve_with. */
bool zb_method_has_state(zb_method method);

const char *zb_method_name(zb_method method); /* "unknown" where there is none */
const char *zb_side_name(zb_side side);
const char *zb_form_name(zb_form form);
const char *zb_order_name(zb_order order);
const char *zb_optimizer_name(zb_optimizer optimizer);
const char *zb_stop_name(zb_stop stop);

/* ---- forms (experimental) -------------------------------------------------------- */

/* How a form was made, and what it costs. */
typedef struct zb_form_info {
    zb_form form;        /* the one made; with ZB_FORM_AUTO the one chosen */
    int nvars, nfactors; /* of the result */
    int max_arity;
    double entries; /* of all tables */
    double merit;   /* sum of ln cardinality over the variables: less is better */
    int equality;   /* ternary equality factors added */
    int uniform;    /* all-ones factors added */
    int absorbed;   /* factors multiplied into one that contains their scope */
    int clusters;   /* factors that are not equality or uniform */
    int summed;     /* variables summed out inside a cluster */
    int fixed;      /* variables observed, or of cardinality one */
    int isolated;   /* variables in no factor: constants */
    int rows, cols; /* lattice */
    bool ring_rows, ring_cols; /* lattice: the last row (column) meets the first */
} zb_form_info;

/* An equivalent model with the same Z, of which the constant is a part
   (zb_model_log_constant).
     ORIGINAL  a copy;
     FORNEY    every variable in exactly two factors, by equality factors: arities stay
               within max(the largest, 3);
     LATTICE   the same for two-dimensional grids of pairwise factors, in any numbering,
               open or periodic (even sides), by contracting the plaquettes of one
               checkerboard colour (variant 0 or 1); variables are numbered row by row;
     MERGED    the same for any model, factors merged first while their joint scope has
               at most ibound variables (0: 6); variables of one factor only are summed
               out. variant 0: the cheapest of several strategies; 1: by smallest scope;
               2: tiles, on grids; others: single strategies, from 9 on randomised;
     AUTO      LATTICE where the model is a grid, else MERGED.
   All but ORIGINAL have no evidence, no variable of cardinality one and no empty scope.
   info may be NULL. ZB_EINVAL with a sentence when the model is not a grid. */
zb_status zb_form_make(zb_model **out, const zb_model *model, zb_form form, int ibound,
                       int variant, zb_form_info *info, zb_error *err);

/* ---- gauges (experimental) ------------------------------------------------------- */

/* Gauge transformations of a Forney-style model: every variable v sits in exactly two
   factors, and carries an invertible matrix G_v, card x card, rows first. The factor
   that was added first is multiplied along v by G_v, the other one by the inverse
   transpose of G_v: f_hat(x) = sum over x' of f(x') prod_v G_v(x_v, x'_v). The signed
   sum over all states of the product of the f_hat, times e^constant of the model
   (zb_model_log_constant), is Z, whatever the gauges are; single entries may become
   negative. */
typedef struct zb_gauges zb_gauges;

/* All gauges start at the identity. The model is copied. ZB_EINVAL with a sentence when
   it is not Forney-style, or has evidence (zb_form_make removes both). */
zb_status zb_gauges_new(zb_gauges **out, const zb_model *model, zb_error *err);
void zb_gauges_free(zb_gauges *gauges); /* NULL is fine */

/* G_v <- matrix; G_v <- matrix G_v; G_v <- its inverse. ZB_EINVAL, and nothing changes,
   when the result is singular or has a condition number beyond 1e8, and for variables
   that cannot be moved: of more than 64 values, or in a factor whose entries span more
   than 300 nats. */
zb_status zb_gauges_set(zb_gauges *gauges, int var, const double *matrix);
zb_status zb_gauges_multiply(zb_gauges *gauges, int var, const double *matrix);
zb_status zb_gauges_invert(zb_gauges *gauges, int var);

/* The matrices on the variable's first and second factor; either may be NULL. */
zb_status zb_gauges_get(const zb_gauges *gauges, int var, double *first,
                        double *second);

/* A factor's transformed table, laid out like the factor that was added: always
   computed from the original table and the gauges as they are. */
zb_status zb_gauges_values(zb_gauges *gauges, int factor, double *out);

/* ---- answers --------------------------------------------------------------------- */

/* An iteration is one forward and one backward pass of one side, in zb_options, here
   and in zb_result alike; each side counts its own. */
typedef struct zb_progress {
    double seconds;
    int64_t iteration;           /* of this side, so far */
    double log_lower, log_upper; /* best so far; infinite where there is none yet */
    int ibound;
    double fraction; /* share of the work done, in [0, 1]; negative: not known */
    zb_side side;    /* that the iteration belongs to; both: work that has no side */
    const char *by;  /* auto: what gave the last number, a few words; NULL: not said */
    bool has_confidence; /* auto: draws say that ln Z is between these two, with */
    double confidence_lower, confidence_upper; /* probability 1 - delta */
} zb_progress;

/* What the caller wants to hear while work goes on. Every member may be NULL. Calls
   never overlap, but may come from different threads.

   progress is called after every iteration and whenever a bound improves, and in
   between about every 50 ms, with the numbers of the call before: so that a caller who
   wants to stop is asked in time. It should return soon, since the work waits for it.
 */
struct zb_observer {
    void *context;
    bool (*progress)(void *context,
                     const zb_progress *at);           /* false: stop, keep the best */
    void (*note)(void *context, const char *sentence); /* warnings, choices made */
};

/* What found a bound; method auto: not said. */
typedef struct zb_recipe {
    zb_method method;
    zb_form form;
    zb_order order;
    int ibound; /* 0: does not apply */
} zb_recipe;

/* What draws say: a bracket that holds with probability 1 - delta, at whatever moment
   the run was stopped. */
typedef struct zb_sampled {
    double delta;
    double log_lower, log_upper; /* never outside the proved bracket */
    int64_t samples;
    double effective; /* draws of equal weight that would say as much */
} zb_sampled;

typedef struct zb_result {
    double log_lower, log_upper; /* lower <= ln Z <= upper; -INFINITY, +INFINITY for a
                                    side that there is not (has_lower, has_upper) */
    double log_estimate; /* bp; auto, where its bracket with confidence is narrow */
    bool has_lower, has_upper, has_estimate;
    double log_estimate_error; /* auto: its standard error; else 0 */
    bool has_confidence;       /* auto: draws were made */
    zb_sampled confidence;
    bool guaranteed; /* the numbers are proved bounds, rounding included */
    bool exact;      /* nothing was approximated: no bucket was split */
    double rounding; /* nats: the radius of rounding errors that both sides already
                        include; of an exact answer half their distance */
    zb_method method;
    zb_form form;
    zb_order order;
    int ibound, width;
    zb_recipe upper_by, lower_by; /* where has_upper, has_lower */
    int64_t iterations;           /* of the side that made more of them */
    zb_stop stop;
    double seconds;
    uint64_t bytes;        /* taken for tables */
    double time_limit;     /* in force, seconds; INFINITY: none */
    uint64_t memory_limit; /* in force, bytes; 0: none */
    /* Methods auto and be only, else 0. */
    int reduced_vars, reduced_factors, components; /* what exact reductions left */
    double exact_bytes, exact_seconds; /* about what an exact answer would take */
} zb_result;

/* Bound ln Z as the options say. observer may be NULL. The options are checked first:
   ZB_EINVAL for a value out of range (zb_options_check), a side that the method does
   not have, an order that is no permutation of the variables. Where the call fails, the
   result has no side. */
zb_status zb_solve(const zb_model *model, const zb_options *opt,
                   const zb_observer *observer, zb_result *out, zb_error *err);

/* The same at each of `count` inverse temperatures (zb_model_raise): results of calls
   that know nothing of each other, shared out over the options' ranks. A time limit is
   that of all of them: each begins with an even part of what is left; without one, and
   by default, each has what zb_solve gives it. The observer hears of those that this
   process works on. Stopped, what was not begun has no side, and is interrupted. Where
   the call fails, err is of the first beta that did, and other results may be there. */
zb_status zb_solve_betas(const zb_model *model, const zb_options *opt, size_t count,
                         const double *beta, const zb_observer *observer,
                         zb_result *out, zb_error *err);

/* ---- states: going on from an earlier run ---------------------------------------- */

/* What a run of a mini-bucket method (mbe, wmbe .. wmbe-wg) found: form, order,
   weights, shifts and gauges of each side. It holds no bound: bounds are always
   computed again, and hold whatever the state, even one from a file that was tampered
   with. */
typedef struct zb_state zb_state;

void zb_state_free(zb_state *state); /* NULL is fine */
/* Plain text with 17 digits; "-" and .gz as for models. */
zb_status zb_state_read(zb_state **out, const char *path, zb_error *err);
zb_status zb_state_write(const zb_state *state, const char *path, zb_error *err);

/* zb_solve, starting from a state and handing out the one it reached; both may be NULL,
   and the caller frees *to. *to is NULL unless ZB_OK is returned.

   With a state, the options' defaults mean the state's method, form, order and ibound.
   The same model and no iterations give the bounds of the run that made the state, to
   the last digit; with iterations the run goes on from there. Another ibound, other
   factors of the same scopes, or another method take over what fits, and are never
   looser than a fresh start; a side that the state lacks, and a form that nothing of it
   fits, start fresh. ZB_EINVAL when the model has another number of variables, or the
   method has no state (auto, be, trbp, bp, mf). */
zb_status zb_solve_with(const zb_model *model, const zb_options *opt,
                        const zb_state *from, zb_state **to,
                        const zb_observer *observer, zb_result *out, zb_error *err);

/* ---- certificates (experimental) ------------------------------------------------- */

/* What proves the bounds of a run, step by step: zbound-verify follows it from the
   model's files alone (docs/certificates.md). */
typedef struct zb_certificate zb_certificate;

/* zb_solve, with a proof of the bounds that it gives. Only what can be proved so is
   used: reductions that have a step, no counting by search, no mixtures of forests, no
   mean field between blocks, no gauges below. ZB_EINVAL for trbp and bp, which have no
   certificate. Writing the proof down is part of the time limit, and some is held back
   for it, up to half of it. Where that is not enough, the bounds come with a note and
   without a proof: *proof is NULL then, as it is unless ZB_OK is returned. The caller
   frees it. */
zb_status zb_solve_certified(const zb_model *model, const zb_options *opt,
                             const zb_observer *observer, zb_certificate **proof,
                             zb_result *out, zb_error *err);
void zb_certificate_free(zb_certificate *certificate); /* NULL is fine */
/* "-" and .gz as for models. Until the file is complete it is called FILE.part (or
   FILE.part.gz): there is never one that is cut off. */
zb_status zb_certificate_write(const zb_certificate *certificate, const char *path,
                               zb_error *err);

/* ---- samples --------------------------------------------------------------------- */

/* States of the model, evidence respected, drawn from an upper bound U on Z: each with
   a weight w, 0 <= w <= U, whose mean is Z. Accepted with probability w / U they are
   independent draws with the probabilities f / Z, whatever the bound; its distance from
   Z decides how many are accepted. Where the model is solved exactly, all are. The
   same seed gives the same states, whatever the number of threads, unless the clock
   decides about the bound. */
typedef struct zb_sampler zb_sampler;

typedef struct zb_sampler_info {
    double log_upper; /* ln U */
    bool exact;       /* U = Z: every draw is accepted */
    int components;   /* drawn, accepted and refused by themselves */
    double rate;      /* of acceptance, about; of the worst component */
    double seconds;   /* for one perfect state, about; may be infinite */
} zb_sampler_info;

/* Reduces the model and bounds it. Of the options count time (of this call, and of each
   zb_sampler_draw; when none is given, ZB_AUTO_SECONDS here and no limit there), ibound
   (0: from time and memory, or exact), iterations, memory, seed, threads and ranks,
   which draw the same states in the same order, and are closed after the sampler. The
   observer may be NULL, or has to live as long as the sampler. ZB_EINVAL with a
   sentence where Z = 0 was found out. */
zb_status zb_sampler_new(zb_sampler **out, const zb_model *model, const zb_options *opt,
                         const zb_observer *observer, zb_error *err);
/* The same by the upper bound of a state that was kept (zb_solve_with), in a few
   passes: no other bound is looked for. The state must be of the form 'original',
   without gauges; its components are accepted together. ZB_EINVAL with a sentence where
   it is not, or of another model. */
zb_status zb_sampler_load(zb_sampler **out, const zb_model *model,
                          const zb_state *state, const zb_options *opt,
                          const zb_observer *observer, zb_error *err);
void zb_sampler_free(zb_sampler *sampler); /* NULL is fine */
zb_sampler_info zb_sampler_about(const zb_sampler *sampler);

/* The next n states, one after the other, a value for every variable of the model in
   its order: n times nvars entries. log_weight NULL: perfect, independent states with
   the probabilities f / Z. Else draws with the logarithms of their weights; those of
   weight 0 count in their mean. *drawn of them were made: fewer than n when time was
   over or the observer said so. */
zb_status zb_sampler_draw(zb_sampler *sampler, size_t n, int *state, double *log_weight,
                          size_t *drawn, zb_error *err);

/* ---- counting (experimental) ------------------------------------------------------
 */

/* A formula as a DIMACS file gives it: clauses, weights of literals as exact decimals
   or fractions of any sign, a projection (c p show, c ind). docs/formats.md. */
typedef struct zb_dimacs zb_dimacs;

typedef struct zb_dimacs_info {
    int vars;
    size_t clauses;
    bool weighted;  /* some literal has a weight */
    bool negative;  /* below 0: the count may be anything, and there are no bounds */
    bool projected; /* the file says so, if only to name every variable */
    int shown;      /* variables that are counted over */
} zb_dimacs_info;

/* observer and err may be NULL; path "-" is the standard input. */
zb_status zb_dimacs_read(zb_dimacs **out, const char *path, const zb_observer *observer,
                         zb_error *err);
void zb_dimacs_free(zb_dimacs *formula); /* NULL is fine */
zb_dimacs_info zb_dimacs_about(const zb_dimacs *formula);
/* The same as a model, which is the formula's: its Z is the count, and with a
   projection at least that. NULL where weights are negative or no doubles. */
const zb_model *zb_dimacs_model(const zb_dimacs *formula);

typedef struct zb_tally {
    bool complete;    /* the count is known */
    bool satisfiable; /* a solution is known; complete and not: there is none */
    bool negative;    /* the count is */
    double log_count; /* ln of its size, rounded; not complete: of a lower bound,
                         rounded down, or -INFINITY */
    char *count; /* complete: its digits, or a fraction P/Q in lowest terms as far as
                    denominators have at most 8 digits; else NULL. zb_tally_clear */
    double seconds;
} zb_tally;

/* The sum over the solutions of the products of their weights; with a projection over
   the assignments of the variables shown that extend to a solution. By search, in
   integers. Of the options count time (10 seconds when none is given; 0: no limit),
   memory, seed. ZB_OK also when it is not complete. observer and err may be NULL. */
zb_status zb_dimacs_count(const zb_dimacs *formula, const zb_options *opt,
                          const zb_observer *observer, zb_tally *out, zb_error *err);
void zb_tally_clear(zb_tally *tally);
/* ---- marginals (experimental) ---------------------------------------------------- */

/* The distributions of variables, and of the scopes of factors, by the probabilities
   f / Z: exact where elimination fits time and memory, else estimates from weighted
   draws with their errors; and always an interval for each probability that is proved,
   rounding included. */
typedef struct zb_marginals zb_marginals;

typedef struct zb_marginals_request { /* all zero: the distribution of every variable */
    const int *variables;             /* these alone; NULL: all */
    int count;                        /* of them */
    bool pairs;                       /* those of all factors' scopes too */
} zb_marginals_request;

typedef struct zb_marginals_info {
    bool exact;     /* every value is exact but for rounding */
    size_t samples; /* draws behind the estimates, of all components */
    zb_stop stop;   /* exact, time or interrupted */
    double seconds;
} zb_marginals_info;

/* One distribution: a variable's values in their order, or a factor's entries in the
   layout of its table. The arrays belong to the zb_marginals. */
typedef struct zb_marginal {
    size_t size; /* 0: not asked for, or no such one */
    const double *value;
    const double *lower, *upper; /* proved: lower <= the probability <= upper */
    const double *error; /* standard error of an estimate; 0 where value is exact */
} zb_marginal;

/* Of the options count time (10 seconds when none is given), memory, seed, threads,
   iterations and ibound (0: from time and memory, or exact). request and observer may
   be NULL. ZB_EINVAL with a sentence where Z = 0 was found out. */
zb_status zb_marginals_new(zb_marginals **out, const zb_model *model,
                           const zb_options *opt, const zb_marginals_request *request,
                           const zb_observer *observer, zb_error *err);
void zb_marginals_free(zb_marginals *marginals); /* NULL is fine */
zb_marginals_info zb_marginals_about(const zb_marginals *marginals);
zb_marginal zb_marginals_of(const zb_marginals *marginals, int var);
zb_marginal zb_marginals_of_factor(const zb_marginals *marginals, int factor);

/* ---- the best state (experimental) ----------------------------------------------- */

typedef struct zb_best {
    bool found;       /* is there a state? Not where Z = 0, or time ended first */
    double log_value; /* ln of its weight, rounded down; -INFINITY: none was found */
    double log_upper; /* no state has a larger one: proved, rounding included */
    bool optimal;     /* but for rounding the two are equal: no state is better */
    int ibound;       /* of the bound's mini-buckets */
    zb_stop stop;     /* exact, converged, time or interrupted */
    double seconds;
} zb_best;

/* The state of the largest weight, as far as it is found, evidence respected, into
   state (nvars entries, untouched where there is none): by elimination, or by branch
   and bound below mini-buckets with maxima. Options that count: time (none given: 10
   seconds; 0: until the best is proved), memory, seed, threads, iterations, ibound.
   observer may be NULL; its log_lower and log_upper are of ln of the largest weight
   here. */
zb_status zb_best_state(const zb_model *model, const zb_options *opt,
                        const zb_observer *observer, int *state, zb_best *out,
                        zb_error *err);

/* ---- derivatives (experimental) -------------------------------------------------- */

/* The derivative of a bound by the logarithms of the factors' entries, at the state's
   parameters: of the bound that zb_solve_with gives for this model from the state, in
   the form and order of the state and without iterations. out gets d bound / d ln f(x)
   for every factor in turn, in the layout of its table: zb_model_size entries each. Of
   each factor they add up to one; they are 0 where f(x) = 0 or x contradicts the
   evidence, and the marginals of the factor's scope where no bucket was split.

   side is UPPER or LOWER. Of the options count time, memory and threads. ZB_EINVAL for
   a state that is not of the form `original`, that lacks the side, or that nothing of
   fits the model, and for a bound that is infinite; ZB_ELIMIT when time ends it. out is
   then of no use. observer and err may be NULL. */
zb_status zb_state_gradient(const zb_state *state, const zb_model *model, zb_side side,
                            const zb_options *opt, const zb_observer *observer,
                            double *out, zb_error *err);

/* ---- looking before solving (experimental) --------------------------------------- */

/* What an elimination order costs. */
typedef struct zb_order_cost {
    int width; /* variables of the largest clique, less one; -1 without variables */
    double largest; /* entries of the largest clique table; may be huge or infinite */
    double total;   /* entries of all clique tables */
} zb_order_cost;

/* An elimination order of the model as it stands, into nvars entries, first eliminated
   first; observed variables take part in nothing. Of the options count order
   (ZB_ORDER_FILE: the order_list, which is only evaluated), seed, ibound (what minsplit
   aims at; 0: 10) and time (of the search; 2 seconds when none is given, counted in
   operations). cost, observer and err may be NULL. */
zb_status zb_order_find(const zb_model *model, const zb_options *opt,
                        const zb_observer *observer, int *order, zb_order_cost *cost,
                        zb_error *err);

typedef struct zb_sizes {
    int vars, factors, max_card, max_arity;
    size_t entries, zeros; /* of all tables */
} zb_sizes;

/* What solving with mini-buckets of at most ibound variables would take. */
typedef struct zb_forecast {
    int ibound;
    double largest, total; /* entries of the largest mini-bucket, of all */
    double splits;         /* mini-buckets beyond one per variable; 0: exact */
    double bytes;
    double seconds; /* about, of one pass, or of the exact elimination */
    bool fits;      /* within the memory limit */
} zb_forecast;

enum { ZB_SURVEY_SLOTS = 64, ZB_SURVEY_COLUMNS = 256 };

/* A model, what exact reductions leave of it, and forecasts: found without touching a
   large table. */
typedef struct zb_survey {
    zb_sizes given, reduced;
    int observed;
    int cards[ZB_SURVEY_SLOTS];   /* [c]: variables of c values; the last: or more */
    int arities[ZB_SURVEY_SLOTS]; /* likewise factors by arity */
    size_t largest_table;         /* entries, as given */
    size_t values_removed;        /* that zeros forbid */
    double log_constant; /* of the reduced model: ln Z when no variable is left */
    double rounding;     /* nats: how far rounding may have moved that, at most */
    int components, largest_component; /* of the reduced model */
    int width;                         /* of the best order found; -1: nothing left */
    zb_forecast exact;
    uint64_t memory; /* the limit in force */
    int rows;
    zb_forecast row[ZB_SURVEY_SLOTS]; /* from ibound 2 on, the last one exact */
    bool cut; /* rows between the last that fits and the exact one are left out */
    /* The exact elimination from its first variable to its last, in so many columns of
       equally many: the variables of the largest clique of each. */
    int columns;
    int profile[ZB_SURVEY_COLUMNS];
} zb_survey;

/* Of the options count order, seed, time (of the search for an order; 2 seconds when
   none is given), memory and threads. observer and err may be NULL. */
zb_status zb_survey_make(zb_survey *out, const zb_model *model, const zb_options *opt,
                         const zb_observer *observer, zb_error *err);

/* ---- one kind of parameter at a time (experimental) -------------------------------
 */

typedef enum zb_parameter {
    ZB_PARAMETER_WEIGHT,
    ZB_PARAMETER_THETA,
    ZB_PARAMETER_GAUGE
} zb_parameter;

typedef struct zb_phase {
    zb_parameter moves;
    int iterations;
} zb_phase;

/* The upper bound of wmbe in phases, in each of which parameters of one kind move, from
   where the phase before has led. bound[i], the best after i iterations, and
   seconds[i], when that was, have an entry more than all phases have iterations; either
   may be NULL; what a stopped run did not reach is INFINITY. Of the options count form
   (Forney-style, not auto), order, ibound (at least 1), seed, optimizer and its steps,
   time, memory and threads. */
zb_status zb_solve_phases(const zb_model *model, const zb_options *opt, int count,
                          const zb_phase *phase, const zb_observer *observer,
                          double *bound, double *seconds, zb_result *out,
                          zb_error *err);

/* ---- ranks (experimental) -------------------------------------------------------- */

/* Several processes that work on one call: rank 0 makes it, with `ranks` among its
   options, the others serve. How bytes get from one to another is the transport's;
   zbound-mpi has one by MPI. What is sent arrives, in the order in which one rank sent
   it to another. Exact answers by slices and draws without a clock are the same bits
   for any number of ranks; with a clock, more ranks get further. */
typedef struct zb_transport {
    int rank, size;
    void *self;
    /* Send bytes (at least 1) to another rank, and return without waiting for it to
       take them; the bytes may change then. Any thread may call it, one at a time. */
    zb_status (*send)(void *self, int to, const void *data, size_t bytes);
    /* Bytes of the next message that has come, and from whom; 0: there is none. */
    size_t (*waits)(void *self, int *from);
    /* That message. Only one thread looks for messages and takes them. */
    zb_status (*take)(void *self, void *data);
} zb_transport;

typedef struct zb_ranks zb_ranks;

/* On every rank. The transport must outlive the ranks. */
zb_status zb_ranks_open(zb_ranks **out, const zb_transport *transport);
int zb_ranks_size(const zb_ranks *ranks); /* NULL: 1 */
/* Ranks other than 0: do what rank 0 asks for, until it closes. */
zb_status zb_ranks_serve(zb_ranks *ranks);
/* No call is under way. On rank 0 it ends the service of the others. NULL is fine. */
void zb_ranks_close(zb_ranks *ranks);

/* ---- generators (experimental) --------------------------------------------------- */

/* Seeded test models, the same bits on every platform. Couplings and fields are
   standard deviations of normal numbers, variances where `variance` is set. ZB_EINVAL
   where sizes make no sense or a value leaves the range of a double. */

/* Spins on a lattice of rows x cols x layers sites, numbered layer by layer and row by
   row: singletons exp(beta h_v x_v) (none when the field is 0), then for each site the
   pairs exp(beta J_uv x_u x_v) to the right, down, on a triangular lattice also down to
   the right, and into the next layer; x = -1, +1 are values 0 and 1. With q > 2 states
   (Potts), exp(beta J_uv) where both are equal, and fields act on state 0. Periodic:
   sides of three sites or more wrap around. beta 0, layers 0 and states 0 stand for 1,
   1 and 2. */
typedef enum zb_couplings {
    ZB_COUPLINGS_GAUSS,  /* normal numbers of deviation `coupling` */
    ZB_COUPLINGS_PM1,    /* plus or minus `coupling`, each half of the time */
    ZB_COUPLINGS_UNIFORM /* all of them `coupling`, and all fields `field`, of any sign
                          */
} zb_couplings;
typedef enum zb_lattice { ZB_LATTICE_SQUARE, ZB_LATTICE_TRIANGULAR } zb_lattice;
typedef struct zb_ising_spec {
    int rows, cols;
    double coupling, field;
    bool variance, periodic;
    uint64_t seed;
    zb_couplings couplings;
    zb_lattice lattice;
    int layers, states;
    double beta;
} zb_ising_spec;
zb_status zb_generate_ising(zb_model **out, const zb_ising_spec *spec);

/* Forney-style: ternary factors on a cycle, joined across by chords; variables are the
   edges, first those of the cycle (i between factors i and i + 1), then the chords.
   Entries are exp(normal). Opposite: i and i + factors / 2, a Moebius ladder;
   random: a random perfect matching that avoids neighbours on the cycle. */
typedef enum zb_chord { ZB_CHORD_OPPOSITE, ZB_CHORD_RANDOM } zb_chord;
typedef struct zb_regular_spec {
    int factors; /* even, at least 4 */
    double coupling;
    bool variance;
    zb_chord chord;
    uint64_t seed;
} zb_regular_spec;
zb_status zb_generate_regular(zb_model **out, const zb_regular_spec *spec);

/* Factors on random scopes, entries exp(normal) or, with probability zeros, 0. Entries
   that agree with one hidden state are never 0, so that Z > 0. */
typedef struct zb_random_spec {
    int variables, factors, arity, cardinality;
    double zeros;
    uint64_t seed;
} zb_random_spec;
zb_status zb_generate_random(zb_model **out, const zb_random_spec *spec);

/* A random recursive tree under random labels: singletons, then a pair per edge, all
   entries exp(normal). */
typedef struct zb_random_tree_spec {
    int variables, cardinality;
    uint64_t seed;
} zb_random_tree_spec;
zb_status zb_generate_tree(zb_model **out, const zb_random_tree_spec *spec);

/* Like the linkage models: genotypes of a family at several loci. Per locus a person
   has a paternal and a maternal allele; a child's allele is copied from one of the two
   of a parent, as a binary selector says (four variables, half of the entries zero or
   more); selectors of neighbouring loci are joined by recombination. Typed persons have
   a phenotype, a variable with the one value that was seen. Z is the probability of the
   phenotypes, which are drawn from the model, so Z > 0. */
typedef struct zb_pedigree_spec {
    int founders; /* at least 2, when there are children */
    int children; /* each of two random earlier persons */
    int loci, alleles;
    double typed; /* chance that a person is typed at a locus */
    uint64_t seed;
} zb_pedigree_spec;
zb_status zb_generate_pedigree(zb_model **out, const zb_pedigree_spec *spec);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
