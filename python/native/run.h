/* What a call from Python needs in C, because it must not take the interpreter's lock:
 * a record of the bounds as they improve, and Ctrl-C. Plain enough for cffi to read. */
#ifndef ZBOUND_PYTHON_RUN_H
#define ZBOUND_PYTHON_RUN_H

#include <zbound.h>

typedef struct zbpy_point {
    double seconds, lower, upper;
} zbpy_point;

typedef struct zbpy_run {
    zb_observer observer; /* hand this to the library; its context is the run */
    void *handle;         /* of the Python object that tell and note belong to */
    bool (*tell)(void *handle, const zb_progress *at); /* NULL: nobody listens */
    void (*note)(void *handle, const char *sentence);  /* never NULL */
    bool heeds_signals;  /* Ctrl-C ends it; see zbpy_signals_catch */
    bool stopped;        /* by Ctrl-C or because tell said so */
    double told;         /* seconds, when tell was called last */
    double lower, upper; /* the best so far */
    zbpy_point *trace;   /* improvements, a few thousand at most */
    size_t points, room;
    double apart; /* seconds between two of them at least */
} zbpy_run;

/* Zeroes and NULLs but handle, tell and note are filled in. */
void zbpy_run_begin(zbpy_run *run);
void zbpy_run_end(zbpy_run *run); /* frees the trace */

/* From catch to release Ctrl-C is not Python's business but that of the runs which heed
   it. The main thread alone may call these. They nest. */
void zbpy_signals_catch(void);
bool zbpy_signals_release(void); /* whether there was one since the outermost catch */

/* Factors exp(weight s_u s_v), s = -1, +1, for `count` pairs of spins. */
zb_status zbpy_add_pairs(zb_model *model, size_t count, const int *u, const int *v,
                         const double *weight);
/* Factors exp(weight[v] s_v) where weight[v] is not 0. */
zb_status zbpy_add_fields(zb_model *model, int count, const double *weight);

#endif
