/* Bytes that go from one rank to another, or to a file and back.
 *
 * Written one after the other and read in the same order. Ranks are processes of the
 * same program on machines of the same kind, so numbers are as they are in memory; what
 * is read is checked all the same: a letter that is too short, or holds a count that
 * cannot be, is `bad` from there on, reads as zeros, and allocates nothing. */
#ifndef ZB_LETTER_H
#define ZB_LETTER_H

#include "model/model.h"

typedef struct zb_letter {
    unsigned char *data;
    size_t size, room; /* written */
    size_t at;         /* read */
    bool bad;          /* reading: as above; writing: memory was out */
} zb_letter;

void zb_letter_clear(zb_letter *l);
zb_status zb_letter_status(const zb_letter *l); /* of writing: ZB_OK or ZB_ENOMEM */

void zb_letter_put(zb_letter *l, const void *data, size_t bytes);
void zb_letter_put_word(zb_letter *l, uint64_t x);
void zb_letter_put_int(zb_letter *l, int x);
void zb_letter_put_real(zb_letter *l, double x);
/* A count, then so many. */
void zb_letter_put_ints(zb_letter *l, size_t count, const int *x);
void zb_letter_put_reals(zb_letter *l, size_t count, const double *x);
/* But for what they point at: of use to one that has none of it. */
void zb_letter_put_options(zb_letter *l, const zb_options *opt);
void zb_letter_put_model(zb_letter *l, const zb_model *model); /* but for its names */

void zb_letter_take(zb_letter *l, void *data, size_t bytes);
uint64_t zb_letter_take_word(zb_letter *l);
int zb_letter_take_int(zb_letter *l);
double zb_letter_take_real(zb_letter *l);
/* *out from zb_alloc, the caller's to free; NULL and *count = 0 where the letter is
   bad, or memory is out (then the status says so). */
zb_status zb_letter_take_ints(zb_letter *l, size_t *count, int **out);
zb_status zb_letter_take_reals(zb_letter *l, size_t *count, double **out);
/* ZB_EINVAL: the letter holds no model. */
zb_status zb_letter_take_model(zb_letter *l, zb_model **out);

#endif
