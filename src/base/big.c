#include "base/big.h"

#include "base/explog.h"

#include <string.h>

enum { MOST_LIMBS = 1 << 27 };
static const double LN2 = 0x1.62e42fefa39efp-1;

void zb_big_clear(zb_big *a)
{
    zb_free(a->limb);
    *a = (zb_big){ 0 };
}

static zb_status reserve(zb_big *a, size_t limbs)
{
    if (limbs > MOST_LIMBS)
        return ZB_ELIMIT;
    return ZB_RESERVE(a->limb, &a->room, a->n, limbs) ? ZB_OK : ZB_ENOMEM;
}

static void trim(zb_big *a)
{
    while (a->n > 0 && a->limb[a->n - 1] == 0)
        a->n--;
    a->negative = a->negative && a->n > 0;
}

zb_status zb_big_set(zb_big *a, int64_t x)
{
    uint64_t size = x < 0 ? -(uint64_t)x : (uint64_t)x;
    zb_status status = reserve(a, 2);
    if (status != ZB_OK)
        return status;
    a->limb[0] = (uint32_t)size;
    a->limb[1] = (uint32_t)(size >> 32);
    a->n = 2;
    a->negative = x < 0;
    trim(a);
    return ZB_OK;
}

zb_status zb_big_copy(zb_big *a, const zb_big *b)
{
    zb_status status = a != b ? reserve(a, b->n) : ZB_OK;
    if (status != ZB_OK || a == b)
        return status;
    if (b->n > 0)
        memcpy(a->limb, b->limb, b->n * sizeof *b->limb);
    a->n = b->n;
    a->negative = b->negative;
    return ZB_OK;
}

/* ---- sums ------------------------------------------------------------------------ */

/* |a| against |b|: negative, 0, positive. */
static int compare(const zb_big *a, const zb_big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (size_t i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static zb_status add_sizes(zb_big *a, const zb_big *b)
{
    size_t n = zb_max_size(a->n, b->n);
    uint64_t carry = 0;
    zb_status status = reserve(a, n + 1);
    if (status != ZB_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        carry += i < a->n ? a->limb[i] : 0;
        carry += i < b->n ? b->limb[i] : 0;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    a->limb[n] = (uint32_t)carry;
    a->n = n + 1;
    trim(a);
    return ZB_OK;
}

/* a = |large| - |small|, either of which may be a. */
static zb_status subtract_sizes(zb_big *a, const zb_big *large, const zb_big *small)
{
    size_t n = large->n, m = small->n;
    int64_t borrow = 0;
    zb_status status = reserve(a, n);
    if (status != ZB_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        borrow += large->limb[i];
        borrow -= i < m ? small->limb[i] : 0;
        a->limb[i] = (uint32_t)borrow;
        borrow = borrow < 0 ? -1 : 0;
    }
    a->n = n;
    return ZB_OK;
}

zb_status zb_big_add(zb_big *a, const zb_big *b)
{
    if (a->negative == b->negative || b->n == 0 || a->n == 0) {
        bool negative = a->n > 0 ? a->negative : b->negative;
        zb_status status = add_sizes(a, b);
        a->negative = negative && a->n > 0;
        return status;
    }
    int order = compare(a, b);
    bool negative = order > 0 ? a->negative : b->negative;
    zb_status status = order > 0 ? subtract_sizes(a, a, b) : subtract_sizes(a, b, a);
    a->negative = negative;
    trim(a);
    return status;
}

/* ---- products -------------------------------------------------------------------- */

static void multiply_limbs(uint32_t *out, const zb_big *a, const zb_big *b)
{
    memset(out, 0, (a->n + b->n) * sizeof *out);
    for (size_t i = 0; i < a->n; i++) {
        uint64_t carry = 0;
        for (size_t k = 0; k < b->n; k++) {
            carry += (uint64_t)a->limb[i] * b->limb[k] + out[i + k];
            out[i + k] = (uint32_t)carry;
            carry >>= 32;
        }
        out[i + b->n] = (uint32_t)carry;
    }
}

zb_status zb_big_multiply(zb_big *a, const zb_big *b)
{
    size_t n = a->n + b->n;
    if (zb_big_is(b, 1))
        return ZB_OK;
    if (a->n == 0 || b->n == 0)
        return zb_big_set(a, 0);
    if (n > MOST_LIMBS)
        return ZB_ELIMIT;
    uint32_t *limb = zb_alloc(n, sizeof *limb);
    if (limb == NULL)
        return ZB_ENOMEM;
    multiply_limbs(limb, a, b);
    bool negative = a->negative != b->negative;
    zb_free(a->limb);
    *a = (zb_big){ limb, n, n, negative };
    trim(a);
    return ZB_OK;
}

zb_status zb_big_scale(zb_big *a, uint32_t factor, uint32_t plus)
{
    uint64_t carry = plus;
    zb_status status = reserve(a, a->n + 1);
    if (status != ZB_OK)
        return status;
    for (size_t i = 0; i < a->n; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    a->limb[a->n++] = (uint32_t)carry;
    trim(a);
    return ZB_OK;
}

zb_status zb_big_shift(zb_big *a, uint64_t bits)
{
    size_t limbs = (size_t)(bits / 32);
    if (a->n == 0 || bits == 0)
        return ZB_OK;
    if (bits / 32 > MOST_LIMBS)
        return ZB_ELIMIT;
    zb_status status = reserve(a, a->n + limbs + 1);
    if (status == ZB_OK)
        status = zb_big_scale(a, (uint32_t)1 << bits % 32, 0);
    if (status != ZB_OK || limbs == 0)
        return status;
    memmove(a->limb + limbs, a->limb, a->n * sizeof *a->limb);
    memset(a->limb, 0, limbs * sizeof *a->limb);
    a->n += limbs;
    return ZB_OK;
}

/* ---- quotients ------------------------------------------------------------------- */

uint32_t zb_big_divide(zb_big *a, uint32_t divisor)
{
    uint64_t rest = 0;
    for (size_t i = a->n; i-- > 0;) {
        rest = rest << 32 | a->limb[i];
        a->limb[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    trim(a);
    return (uint32_t)rest;
}

uint32_t zb_big_modulo(const zb_big *a, uint32_t divisor)
{
    uint64_t rest = 0;
    for (size_t i = a->n; i-- > 0;)
        rest = (rest << 32 | a->limb[i]) % divisor;
    return (uint32_t)rest;
}

/* ---- in and out ------------------------------------------------------------------ */

void zb_big_store(const zb_big *a, uint32_t *word)
{
    word[0] = a->negative;
    if (a->n > 0)
        memcpy(word + 1, a->limb, a->n * sizeof *word);
}

zb_status zb_big_load(zb_big *a, const uint32_t *word, size_t count)
{
    zb_status status = reserve(a, count - 1);
    if (status != ZB_OK)
        return status;
    a->n = count - 1;
    a->negative = word[0];
    if (a->n > 0)
        memcpy(a->limb, word + 1, a->n * sizeof *word);
    return ZB_OK;
}

/* The three highest limbs have 65 bits or more; what is below moves ln by 2^-64. */
double zb_big_log(const zb_big *a)
{
    double top = 0;
    if (a->n == 0)
        return -INFINITY;
    size_t low = a->n > 3 ? a->n - 3 : 0;
    for (size_t i = a->n; i-- > low;)
        top = top * 0x1p32 + a->limb[i];
    return zb_log(top) + 32 * (double)low * LN2;
}

char *zb_big_text(const zb_big *a)
{
    static const uint32_t BILLION = 1000000000;
    size_t most = a->n * 10 + 3, at = most;
    char *text = zb_alloc(most, 1);
    zb_big left = { 0 };
    if (text == NULL || zb_big_copy(&left, a) != ZB_OK) {
        zb_free(text);
        return NULL;
    }
    text[--at] = '\0';
    do {
        uint32_t digits = zb_big_divide(&left, BILLION);
        for (int i = 0; i < 9 && (digits > 0 || left.n > 0); i++, digits /= 10)
            text[--at] = (char)('0' + digits % 10);
    } while (left.n > 0);
    if (text[at] == '\0')
        text[--at] = '0';
    if (a->negative)
        text[--at] = '-';
    memmove(text, text + at, most - at);
    zb_big_clear(&left);
    return text;
}
