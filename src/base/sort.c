/* Insertion sort of short runs, then merges of runs of twice the length, back and forth
 * between the array and a copy. */
#include "base/sort.h"

#include <string.h>

enum { RUN = 8 };

typedef struct sorter {
    size_t size;
    int (*compare)(const void *, const void *);
    char *element; /* room for one */
    zb_ticker *tick;
} sorter;

static void insert(sorter *s, char *at, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        size_t j = i;
        memcpy(s->element, at + i * s->size, s->size);
        for (; j > 0 && s->compare(at + (j - 1) * s->size, s->element) > 0; j--)
            memcpy(at + j * s->size, at + (j - 1) * s->size, s->size);
        memcpy(at + j * s->size, s->element, s->size);
    }
}

/* The sorted runs from[0 .. left) and from[left .. count) into to. */
static void merge(sorter *s, const char *from, size_t left, size_t count, char *to)
{
    const char *a = from, *a_end = from + left * s->size;
    const char *b = a_end, *b_end = from + count * s->size;
    for (; a < a_end || b < b_end; to += s->size) {
        const char **next =
            b == b_end || (a < a_end && s->compare(a, b) <= 0) ? &a : &b;
        memcpy(to, *next, s->size);
        *next += s->size;
        if (!zb_tick(s->tick, 15))
            return;
    }
}

zb_status zb_sort(void *array, size_t count, size_t size,
                  int (*compare)(const void *, const void *), zb_ticker *tick)
{
    char *from = array, *copy = zb_alloc(count + 1, size), *to = copy;
    sorter s = { size, compare, copy != NULL ? copy + count * size : NULL, tick };

    if (copy == NULL)
        return ZB_ENOMEM;
    for (size_t i = 0; i < count && zb_tick(tick, 10 * RUN * RUN); i += RUN)
        insert(&s, from + i * size, zb_min_size(RUN, count - i));
    for (size_t run = RUN; run < count && !tick->over; run *= 2) {
        for (size_t i = 0; i < count && !tick->over; i += 2 * run)
            merge(&s, from + i * size, zb_min_size(run, count - i),
                  zb_min_size(2 * run, count - i), to + i * size);
        char *swap = from;
        from = to, to = swap;
    }
    if (from != (char *)array && !tick->over)
        memcpy(array, from, count * size);
    zb_free(copy);
    return tick->over ? ZB_ELIMIT : ZB_OK;
}
