/* What the classical methods trbp, bp and mf have in common: options and results. */
#ifndef ZB_BASELINE_H
#define ZB_BASELINE_H

#include "base/run.h"

typedef struct zb_baseline_options {
    int iterations;   /* sweeps over all factors (mf: over all variables) */
    double tolerance; /* of the value, relative; messages: of their change */
    double damping;   /* bp, trbp: share of the old message kept, in [0, 1) */
    zb_run *run;      /* may be NULL; hears of every sweep */
    uint64_t seed;
    int restarts; /* mf: starting points, at least 1 */
    double *q;    /* mf: or NULL: where the best q goes, all values of all variables of
                     the model; not touched when no bound is found */
    int trees;    /* trbp: most forests beyond those needed to cover; 0: uniform */
} zb_baseline_options;

typedef struct zb_baseline_result {
    double log_value;   /* trbp: upper bound, mf: lower bound, bp: an estimate */
    double radius;      /* trbp, mf: what of it is for rounding (base/rounding.h) */
    double rho_least;   /* trbp: least appearance probability of a factor */
    bool converged;     /* a fixed point was reached within the tolerance */
    bool guaranteed;    /* log_value is a proved bound on ln Z */
    bool exact;         /* the factor graph has no cycle (bp, trbp), or Z = 0 proved */
    bool found;         /* there is a value: not where the run ended too soon */
    int64_t iterations; /* sweeps done */
    int forests;        /* trbp: distinct forests in the mixture */
    uint64_t bytes;     /* taken for tables and messages */
    zb_stop stop;
} zb_baseline_result;

zb_baseline_options zb_baseline_default(void);

/* Why a run that says that it is enough does so. */
zb_stop zb_baseline_stop(const zb_baseline_options *opt);

/* For a status that is ZB_ELIMIT because the run ended: ZB_OK, and out says so. */
zb_status zb_baseline_ended(const zb_baseline_options *opt, zb_status status,
                            zb_baseline_result *out);

/* Tell the run where we are. True, with *stop set, when it is enough. */
bool zb_baseline_halted(const zb_baseline_options *opt, zb_progress at, zb_stop *stop);

#endif
