/* The paper's figures: what is run for each, where the numbers go, how they are drawn.
 *
 * A figure is a list of instances (a family, a coupling T, a seed) and a list of tasks,
 * each of which is one method on one instance. The exact values are tasks as well and
 * run first. Every finished task is a row of DIR/FIGURE.csv; rows that are there
 * already are not computed again. */
#ifndef ZB_APP_EXPERIMENT_H
#define ZB_APP_EXPERIMENT_H

#include "args.h"

#include <stdint.h>

typedef enum exp_family {
    EXP_ISING,
    EXP_REGULAR,        /* chords to the opposite factor: a Moebius ladder */
    EXP_REGULAR_RANDOM, /* random chords */
    EXP_LINKAGE,        /* files */
    EXP_PEDIGREE        /* generated, where there are no files */
} exp_family;

typedef struct exp_instance {
    exp_family family;
    double coupling;
    uint64_t seed; /* files: position in the sorted directory, from 1 */
    char *name;    /* files: the name without directory and ending; else NULL; owned */
    char *path;    /* files: owned */
    bool has_z;
    double log_z;
} exp_instance;

/* What a curve of figure 3 moves. */
typedef enum exp_kind { EXP_W, EXP_THETA, EXP_G } exp_kind;

typedef struct exp_task {
    int instance;
    const char *label; /* the series: a method's name, mbe-ising, .. or g>w, .. */
    zb_method method;
    zb_form form;
    zb_order order;
    bool tuned; /* has a schedule; the others belong to both panels */
    zb_optimizer optimizer;
    int iterations;
    bool curve; /* figure 3: kind first up to switch_at, then second */
    exp_kind first, second;
    int switch_at;

    bool done;
    bool has_upper;
    double log_upper, seconds;
    double log_lower; /* of an exact answer: what bounds are compared with */
    int64_t passes;
    zb_form form_used;
    zb_order order_used;
    const char *stop;        /* a literal */
    double *values, *clocks; /* curve: iterations + 1 bounds and seconds; owned */
} exp_task;

typedef struct exp_figure {
    const char *name; /* fig2a */
    const char *title;
    exp_family family;
    int ibound;
    bool curves; /* figure 3 */
    int ninstances, ntasks, room;
    exp_instance *instance;
    exp_task *task;
    int nextra;
    char **extra;   /* rows of the file that belong to no task: kept as they are */
    double seconds; /* of all tasks, whenever they ran */
} exp_figure;

typedef struct exp_settings {
    const char *out;
    const char *data; /* directory of linkage models; NULL: generated */
    bool quick, variance;
    bool generated; /* no linkage models: pedigrees instead */
    int jobs;
    uint64_t seed;
    int nfigures;
    exp_figure figure[12];
    double wall; /* seconds of this run */
    int computed, reused;
    const app_args *args; /* for the page; borrowed */
} exp_settings;

/* figures.c: the lists. An exit code. */
int exp_figure_make(exp_figure *f, const exp_settings *s, const char *name);
void exp_figure_free(exp_figure *f);
bool exp_is_figure(const char *name);
extern const char *const exp_names[]; /* NULL-terminated */
const char *exp_family_name(const exp_settings *s, exp_family family);

/* models.c */
zb_status exp_model_make(zb_model **out, const exp_settings *s, const exp_instance *i,
                         zb_error *err);
/* Names and paths of the models of a directory, sorted; NULL when there is none. */
char **exp_models_list(const char *directory, int *count);

/* csv.c: exit codes */
int exp_csv_load(exp_settings *s, exp_figure *f);        /* rows known so far */
int exp_csv_write(const exp_settings *s, exp_figure *f); /* all, in the tasks' order */
int exp_csv_append(const exp_settings *s, const exp_figure *f, const exp_task *t);

/* run.c: everything that is not done yet. An exit code. */
int exp_run(exp_settings *s);

/* curve.c: one curve of figure 3 on a model. */
zb_status exp_curve_run(exp_task *t, const zb_model *model, int ibound,
                        const zb_observer *observer, zb_error *err);

/* stats.c: a series over the instances that share family and coupling */
typedef enum exp_measure { EXP_ERROR, EXP_RATIO } exp_measure; /* less ln Z, less MBE */
typedef struct exp_stat {
    int count;         /* instances with a number */
    double mean, dev;  /* dev: sample standard deviation; 0 with one instance */
    double error_mean; /* dev / sqrt(count) */
} exp_stat;
/* The task of a series on an instance, or NULL. Untuned ones match either optimizer. */
const exp_task *exp_find(const exp_figure *f, int instance, const char *label,
                         zb_optimizer optimizer);
bool exp_value(const exp_figure *f, const exp_task *t, exp_measure m, double *out);
exp_stat exp_series(const exp_figure *f, exp_family family, double coupling,
                    const char *label, zb_optimizer optimizer, exp_measure m);
int exp_couplings(const exp_figure *f, exp_family family, double *out, int most);
/* Labels in the order of the legend; NULL-terminated. */
extern const char *const exp_labels[], *const exp_curves[];

/* plot.c: DIR/PLOT.svg for every plot. */
int exp_plot(const exp_settings *s);
/* One of them, as a file of its own or in a page. False: out of memory. */
bool exp_draw(FILE *out, const exp_figure *f, const char *name, bool alone);
/* The plots of a figure, names without ending; NULL-terminated. */
const char *const *exp_plots_of(const exp_figure *f);

/* page.c: DIR/index.html */
int exp_page(const exp_settings *s);

/* DIR/NAME and what follows it; NULL when memory runs out. */
char *exp_path(const exp_settings *s, const char *name, const char *ending);

#endif
