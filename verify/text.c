/* Memory, refusals, words and numbers. */
#include "verify.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory: lists of blocks, so that a refusal can leave from anywhere ---------- */

typedef struct block {
    struct block *previous, *next;
    size_t bytes, balls;
    int list;
    max_align_t data[];
} block;

static block *block_of(void *data) { return data != NULL ? (block *)data - 1 : NULL; }

/* A new block of a list, or an old one made larger. Balls have their own memory for
   mantissas of more than two words. */
static block *take(session *s, block *old, int list, size_t count, size_t size)
{
    size_t before = old != NULL ? old->bytes : 0, left = s->limit - s->used + before;
    if (left < sizeof(block) || count > (left - sizeof(block)) / size)
        refuse(s, "more than the %zu bytes of --memory are needed", s->limit);
    block *b = realloc(old, sizeof(block) + count * size);
    if (b == NULL)
        refuse(s, "out of memory");
    if (old == NULL)
        *b = (block){ .next = s->list[list], .list = list };
    b->bytes = sizeof(block) + count * size;
    s->used = s->used - before + b->bytes;
    *(b->previous != NULL ? &b->previous->next : &s->list[b->list]) = b;
    if (b->next != NULL)
        b->next->previous = b;
    return b;
}

void *kept(session *s, int list, size_t count, size_t size)
{
    return memset(take(s, NULL, list, count, size)->data, 0, count * size);
}

void *regrow(session *s, void *old, size_t count, size_t size)
{
    return take(s, block_of(old), SCRATCH, count, size)->data;
}

arb_ptr balls(session *s, int list, arb_ptr old, size_t count)
{
    size_t extra = s->prec > 128 ? (size_t)s->prec / 8 + 32 : 0;
    size_t before = old != NULL ? block_of(old)->balls : 0;
    block *b = take(s, block_of(old), list, count, sizeof(arb_struct) + extra);
    for (arb_ptr x = (arb_ptr)b->data; before < count; before++)
        arb_init(x + before);
    b->balls = count;
    return (arb_ptr)b->data;
}

void drop(session *s, void *data)
{
    block *b = block_of(data);
    for (size_t i = 0; i < b->balls; i++)
        arb_clear((arb_ptr)data + i);
    *(b->previous != NULL ? &b->previous->next : &s->list[b->list]) = b->next;
    if (b->next != NULL)
        b->next->previous = b->previous;
    s->used -= b->bytes;
    free(b);
}

void release(session *s, int list, block *mark)
{
    while (s->list[list] != mark)
        drop(s, s->list[list]->data);
}

/* ---- refusals -------------------------------------------------------------------- */

void refuse_at(session *s, bool retry, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(s->reason, sizeof s->reason, format, args);
    va_end(args);
    for (char *c = s->reason; *c != '\0'; c++) /* words of any file may be quoted */
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    s->retry = retry;
    longjmp(s->refused, 1);
}

void expected(const reader *r, const char *what)
{
    if (r->length == 0)
        refuse(r->s, "expected %s, found the end", what);
    refuse(r->s, "expected %s, found '%.*s'", what,
           (int)(r->length < 40 ? r->length : 40), r->word);
}

/* ---- words ----------------------------------------------------------------------- */

reader reader_of(session *s, text t)
{
    reader r = { .s = s, .at = t.data, .end = t.data + t.size };
    static const char mark[] = "\xEF\xBB\xBF"; /* of UTF-8 */
    if (t.size >= 3 && memcmp(t.data, mark, 3) == 0)
        r.at += 3;
    r.word = r.at;
    s->file = t.name;
    s->line = 1;
    return r;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool take_word(reader *r)
{
    r->word = r->at;
    while (r->at < r->end && !is_blank(*r->at) && *r->at != '\n')
        r->at++;
    r->length = (size_t)(r->at - r->word);
    return r->length > 0;
}

bool next_word(reader *r)
{
    for (; r->at < r->end && (is_blank(*r->at) || *r->at == '\n'); r->at++)
        r->s->line += *r->at == '\n';
    return take_word(r);
}

bool next_on_line(reader *r)
{
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
    if (r->at < r->end && *r->at == '#')
        while (r->at < r->end && *r->at != '\n')
            r->at++;
    return take_word(r);
}

bool next_line(reader *r)
{
    while (!next_on_line(r)) {
        if (r->at == r->end)
            return false;
        r->at++;
        r->s->line++;
    }
    return true;
}

bool next_line_is(reader *r, const char *word)
{
    reader before = *r;
    long line = r->s->line;
    if (next_line(r) && word_is(r, word))
        return true;
    *r = before;
    r->s->line = line;
    return false;
}

bool word_is(const reader *r, const char *word)
{
    return strlen(word) == r->length && memcmp(r->word, word, r->length) == 0;
}

/* ---- numbers --------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* [+-] digits; of more than 18, some number beyond every range. */
static bool parse_int(const char *p, const char *end, int64_t *out)
{
    const int64_t most = 1000000000000000000;
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    bool ok = p < end;
    int64_t n = 0;
    for (; p < end && ok; p++) {
        ok = is_digit(*p);
        n = n >= most / 10 ? most : n * 10 + (*p - '0');
    }
    *out = negative ? -n : n;
    return ok;
}

/* [+-] digits [e exponent], or [+-] 0x digits [p exponent], nothing else: the numbers
   next to it from below and from above, which are one where it fits into prec bits. */
static bool parse_number(const reader *r, arb_t x)
{
    char word[2000], *end;
    mpfr_t low, high;
    if (r->length >= sizeof word || memchr(r->word, '\0', r->length) != NULL)
        return false;
    memcpy(word, r->word, r->length);
    word[r->length] = '\0';
    const char *digits = word + (word[0] == '-' || word[0] == '+');
    int base = digits[0] == '0' && (digits[1] | 32) == 'x' ? 16 : 10;
    if ((!is_digit(digits[0]) && digits[0] != '.') || strpbrk(word, "@_") != NULL)
        return false; /* MPFR reads names such as inf, and other signs for exponents */
    mpfr_inits2(r->s->prec, low, high, (mpfr_ptr)NULL);
    mpfr_strtofr(low, word, &end, base, MPFR_RNDD);
    mpfr_strtofr(high, word, NULL, base, MPFR_RNDU);
    bool ok = *end == '\0' && end != word && mpfr_number_p(low) &&
              mpfr_number_p(high) &&
              mpfr_sgn(low) == mpfr_sgn(high); /* no size out of MPFR's range */
    if (ok)
        arb_set_interval_mpfr(x, low, high, r->s->prec);
    mpfr_clears(low, high, (mpfr_ptr)NULL);
    return ok;
}

int64_t as_int(const reader *r, int64_t least, int64_t most, const char *what)
{
    int64_t n;
    if (!parse_int(r->word, r->word + r->length, &n) || n < least || n > most)
        expected(r, what);
    return n;
}

void as_number(const reader *r, arb_t x, const char *what)
{
    if (!parse_number(r, x))
        expected(r, what);
}

/* ---- what a line of a certificate goes on with ----------------------------------- */

int int_on_line(reader *r, int64_t most, const char *what)
{
    next_on_line(r);
    return (int)as_int(r, 0, most, what);
}

arb_ptr numbers_on_line(reader *r, size_t count, const char *what)
{
    if (count > (size_t)(r->end - r->at)) /* a claimed size takes no memory */
        refuse(r->s, "expected %s %zu times", what, count);
    arb_ptr x = scratch_balls(r->s, count);
    for (size_t i = 0; i < count; i++) {
        next_on_line(r);
        as_number(r, x + i, what);
    }
    return x;
}

void word_on_line(reader *r, const char *word)
{
    next_on_line(r);
    if (!word_is(r, word))
        expected(r, word);
}

void end_of_line(reader *r)
{
    if (next_on_line(r))
        expected(r, "the end of the line");
}

int by_number(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

int *list_on_line(reader *r, const char *what, int *count)
{
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    size_t most = (size_t)((end != NULL ? end : r->end) - r->at) / 2 + 1;
    int *n = scratch(r->s, most, sizeof *n), *sorted = scratch(r->s, most, sizeof *n);
    for (*count = 0; next_on_line(r); (*count)++)
        n[*count] = (int)as_int(r, 0, INT_MAX, what);
    if (*count == 0)
        expected(r, what);
    memcpy(sorted, n, (size_t)*count * sizeof *n);
    qsort(sorted, (size_t)*count, sizeof *n, by_number);
    for (int i = 0; i + 1 < *count; i++)
        if (sorted[i] == sorted[i + 1])
            refuse(r->s, "%d stands twice in this line", sorted[i]);
    return n;
}
