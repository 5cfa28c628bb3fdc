/* Ranks that are threads of one process: letters lie in boxes. What they do is the same
 * code as under MPI. */
#ifndef ZB_TEST_THREAD_RANKS_H
#define ZB_TEST_THREAD_RANKS_H

#include "ranks/ranks.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct box_entry {
    struct box_entry *next;
    int from;
    size_t bytes;
    unsigned char data[];
} box_entry;

enum { RANKS_MOST = 8 };

typedef struct thread_ranks thread_ranks;

typedef struct box {
    thread_ranks *all;
    int rank;
    pthread_mutex_t lock;
    box_entry *first;
    pthread_t thread;
    zb_ranks *ranks;
} box;

struct thread_ranks {
    int size;
    box at[RANKS_MOST];
};

static zb_status box_send(void *self, int to, const void *data, size_t bytes)
{
    box *from = self, *b = &from->all->at[to];
    box_entry *e = malloc(sizeof *e + bytes), **end = &b->first;
    assert(e != NULL && bytes > 0);
    *e = (box_entry){ .from = from->rank, .bytes = bytes };
    memcpy(e->data, data, bytes);
    pthread_mutex_lock(&b->lock);
    while (*end != NULL)
        end = &(*end)->next;
    *end = e;
    pthread_mutex_unlock(&b->lock);
    return ZB_OK;
}

static size_t box_waits(void *self, int *from)
{
    box *b = self;
    size_t bytes = 0;
    pthread_mutex_lock(&b->lock);
    if (b->first != NULL) {
        *from = b->first->from;
        bytes = b->first->bytes;
    }
    pthread_mutex_unlock(&b->lock);
    return bytes;
}

static zb_status box_take(void *self, void *data)
{
    box *b = self;
    pthread_mutex_lock(&b->lock);
    box_entry *e = b->first;
    b->first = e->next;
    pthread_mutex_unlock(&b->lock);
    memcpy(data, e->data, e->bytes);
    free(e);
    return ZB_OK;
}

static void *box_serve(void *context)
{
    box *b = context;
    zb_ranks_serve(b->ranks);
    zb_ranks_close(b->ranks);
    return NULL;
}

/* Ranks 1 .. size - 1 serve; returns rank 0's. chunk: bytes of a part of a letter; 0:
   as usual. Every task is worth a letter. */
static inline zb_ranks *thread_ranks_open(thread_ranks *t, int size, size_t chunk)
{
    *t = (thread_ranks){ .size = size };
    /* clang's OpenMP ends when the last thread that has used it does, and is not ready
       to begin again: this one stays */
    (void)omp_get_max_threads();
    for (int i = 0; i < size; i++) {
        box *b = &t->at[i];
        b->all = t;
        b->rank = i;
        pthread_mutex_init(&b->lock, NULL);
        zb_transport transport = { i, size, b, box_send, box_waits, box_take };
        if (zb_ranks_open(&b->ranks, &transport) != ZB_OK)
            abort();
        b->ranks->least = 0;
        if (chunk > 0)
            b->ranks->chunk = chunk;
    }
    for (int i = 1; i < size; i++)
        if (pthread_create(&t->at[i].thread, NULL, box_serve, &t->at[i]) != 0)
            abort();
    return t->at[0].ranks;
}

static inline void thread_ranks_close(thread_ranks *t)
{
    zb_ranks_close(t->at[0].ranks);
    for (int i = 1; i < t->size; i++)
        pthread_join(t->at[i].thread, NULL);
    for (int i = 0; i < t->size; i++) {
        while (t->at[i].first != NULL) { /* what came after the end */
            box_entry *e = t->at[i].first;
            t->at[i].first = e->next;
            free(e);
        }
        pthread_mutex_destroy(&t->at[i].lock);
    }
}

#endif
