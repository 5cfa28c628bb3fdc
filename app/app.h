/* The program: its commands, its exit codes, and what every command is given. */
#ifndef ZB_APP_H
#define ZB_APP_H

#include "zbound.h"

#include <stdbool.h>
#include <stdio.h>

/* Exit codes, as promised to other programs. */
enum {
    APP_OK = 0,
    APP_INTERNAL = 1, /* a fault of ours, or output that could not be written */
    APP_USAGE = 2,
    APP_INPUT = 3, /* a file that cannot be read or does not follow its format */
    APP_LIMIT = 4  /* memory or time over before there was any answer */
};

/* Commands as bits, so that an option can belong to several. The kinds of `generate`
   count as commands of their own: each has its options. */
enum {
    CMD_BOUND = 1 << 0,
    CMD_EXACT = 1 << 1,
    CMD_INFO = 1 << 2,
    CMD_ORDER = 1 << 3,
    CMD_FORNEY = 1 << 4,
    CMD_COMPARE = 1 << 5,
    CMD_EXPERIMENT = 1 << 6,
    CMD_SAMPLE = 1 << 7,
    CMD_THERMO = 1 << 16,
    CMD_MARGINALS = 1 << 13,
    CMD_MAP = 1 << 14,
    CMD_ISING = 1 << 8,
    CMD_REGULAR = 1 << 9,
    CMD_RANDOM = 1 << 10,
    CMD_TREE = 1 << 11,
    CMD_PEDIGREE = 1 << 12,
    CMD_GENERATE = CMD_ISING | CMD_REGULAR | CMD_RANDOM | CMD_TREE | CMD_PEDIGREE,
    CMD_ASK = CMD_MARGINALS | CMD_MAP,
    CMD_SOLVE = CMD_BOUND | CMD_EXACT | CMD_COMPARE | CMD_THERMO | CMD_ASK,
    CMD_READ = CMD_SOLVE | CMD_INFO | CMD_ORDER | CMD_FORNEY,
    CMD_ALL = CMD_READ | CMD_GENERATE | CMD_EXPERIMENT | CMD_SAMPLE
};

/* What a process has where it is one of several. */
typedef struct app_share {
    zb_ranks *ranks;
    uint64_t memory; /* unless --memory says it; 0: not known */
    int threads;     /* unless --threads says it */
} app_share;

/* From a command line to an exit code; share is NULL for a process alone. */
int app_main(int argc, char **argv, const app_share *share);

typedef struct app_args app_args;

typedef struct app_command {
    const char *name;
    unsigned bits;
    int least, most;      /* positional arguments after the command's name */
    const char *synopsis; /* the positional arguments, as people write them */
    const char *summary;  /* one line */
    const char *detail;   /* a paragraph for --help, may be NULL */
    int (*run)(app_args *args, FILE *out); /* exit code; out is shown only on APP_OK */
} app_command;

extern const app_command app_commands[]; /* ends with a NULL name */

int app_bound(app_args *args, FILE *out);
int app_exact(app_args *args, FILE *out);
int app_info(app_args *args, FILE *out);
int app_order(app_args *args, FILE *out);
int app_forney(app_args *args, FILE *out);
int app_sample(app_args *args, FILE *out);
int app_generate(app_args *args, FILE *out);
int app_compare(app_args *args, FILE *out);
int app_thermo(app_args *args, FILE *out);
int app_marginals(app_args *args, FILE *out);
int app_map(app_args *args, FILE *out);
int app_experiment(app_args *args, FILE *out);

#endif
