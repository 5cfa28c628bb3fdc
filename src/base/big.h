/* Integers of any size, for counts that are to be exact. Memory comes from zb_alloc, so
 * that its lack is an ordinary error. Operations take time quadratic in the length,
 * which is short: counts have some thousand bits. */
#ifndef ZB_BIG_H
#define ZB_BIG_H

#include "base/base.h"

typedef struct zb_big { /* { 0 }: the number 0 */
    uint32_t *limb;     /* of |x|, least first; limb[n - 1] > 0 */
    size_t n, room;
    bool negative; /* never of 0 */
} zb_big;

void zb_big_clear(zb_big *a); /* a becomes 0 and holds no memory */

/* Functions give ZB_ENOMEM, and `a` is then of no use but for zb_big_clear; or
   ZB_ELIMIT for numbers beyond 2^32 bits. Operands may be the same. */
zb_status zb_big_set(zb_big *a, int64_t x);
zb_status zb_big_copy(zb_big *a, const zb_big *b);
zb_status zb_big_add(zb_big *a, const zb_big *b);                  /* a + b */
zb_status zb_big_multiply(zb_big *a, const zb_big *b);             /* a b */
zb_status zb_big_scale(zb_big *a, uint32_t factor, uint32_t plus); /* |a| f + p */
zb_status zb_big_shift(zb_big *a, uint64_t bits);                  /* a 2^bits */
/* |a| divided, the sign stays; gives the remainder. The divisor is not 0. */
uint32_t zb_big_divide(zb_big *a, uint32_t divisor);
uint32_t zb_big_modulo(const zb_big *a, uint32_t divisor); /* of |a| */

static inline bool zb_big_is_zero(const zb_big *a) { return a->n == 0; }
static inline bool zb_big_is(const zb_big *a, uint32_t x) /* a = x > 0? */
{
    return a->n == 1 && !a->negative && a->limb[0] == x;
}

/* Words that zb_big_load makes the same number of; zb_big_words of them. */
static inline size_t zb_big_words(const zb_big *a) { return a->n + 1; }
void zb_big_store(const zb_big *a, uint32_t *word);
zb_status zb_big_load(zb_big *a, const uint32_t *word, size_t count);

/* ln |a|, within 4 units of its last place and of 1; -INFINITY for 0. */
double zb_big_log(const zb_big *a);

/* In decimal, freed by zb_free; NULL when memory is out. */
char *zb_big_text(const zb_big *a);

#endif
