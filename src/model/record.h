/* A record: what was done to a model, in steps that each keep Z (two of them up to
 * rounding) and that another program can make again (docs/certificates.md).
 *
 * Steps speak of variables and factors by the numbers that they have at that moment.
 * Whoever changes a model in place keeps its numbers; where they change, a step says so
 * (ZB_RECORD_FACTORS, ZB_RECORD_VARIABLES). Whoever records may be given no record:
 * then nothing is recorded. */
#ifndef ZB_RECORD_H
#define ZB_RECORD_H

#include "base/base.h"

typedef enum zb_record_kind {
    ZB_RECORD_VALUES, /* v, x..: of v's values these are left, in this order; each of
                        the others has no entry in some factor */
    ZB_RECORD_TIE,    /* v, u, f, pi..: factor f has no entry but where x_v = pi(x_u); u
                        takes the place of v in all factors */
    ZB_RECORD_MULTIPLY, /* f, g: factor g becomes f g, and f is gone */
    ZB_RECORD_SUM,      /* v, f: v, which is in f alone, is summed out of it; f = -1: v
                          is in no factor */
    ZB_RECORD_DROP,     /* f, v: f does not depend on v, up to rounding: without v */
    ZB_RECORD_SPLIT,    /* f, v, w: f, up to rounding the product of a table without w
                          and one without v, becomes the first; the second is a new
                          factor, numbered on */
    ZB_RECORD_ZERO,     /* f: factor f has no entry but 0; f = -1: the constant is 0 */
    ZB_RECORD_ONES, /* v, f, g: factor g, which may not be there yet, becomes g times
                      a table of ones over v; f is the only one that has v */
    ZB_RECORD_EQUALITY, /* v, f..: v is in these factors alone, three or more. Copies of
                          it take its place, joined by equality factors: form/forney.c
                          says how. The new factors are numbered on */
    ZB_RECORD_FACTORS,  /* f..: factor i is the one that was f_i; -1: not there yet */
    ZB_RECORD_VARIABLES, /* v..: variable i is the one that was v_i; after copies v_i is
                           -1 - c for the c-th copy that was made since the last such
                           step, v itself (the first of its copies) included */
} zb_record_kind;

typedef struct zb_record {
    int *word; /* kind, number of operands, operands; and again */
    size_t count, room;
    size_t last; /* where the last step begins */
    bool failed; /* memory was out: the record is of no use */
} zb_record;

/* A step without operands; one more operand of the last step. t may be NULL. */
void zb_record_begin(zb_record *t, zb_record_kind kind);
void zb_record_push(zb_record *t, int operand);

/* The step at *at, which then is that of the next one; false: there is none. */
bool zb_record_next(const zb_record *t, size_t *at, zb_record_kind *kind, int *count,
                    const int **operand);

bool zb_record_is_exact(const zb_record *t); /* no step is so but for rounding */
void zb_record_clear(zb_record *t);

#endif
