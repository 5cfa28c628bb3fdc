/* Any thread may send while one waits for messages, so every call of MPI is made under
 * one lock. */
#include "transport.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct outgoing { /* a message on its way, with a copy of its bytes */
    struct outgoing *next;
    MPI_Request request;
    unsigned char data[];
} outgoing;

typedef struct post {
    MPI_Comm comm;
    pthread_mutex_t lock;
    outgoing *sent;
    MPI_Message found; /* a message that was seen and not taken yet */
    size_t bytes;      /* of it; 0: none */
    int from;
} post;

/* With the lock: forget what has arrived; wait: until all has. */
static void tidy(post *p, bool wait)
{
    for (outgoing **at = &p->sent; *at != NULL;) {
        outgoing *o = *at;
        int done = 1;
        if (wait)
            MPI_Wait(&o->request, MPI_STATUS_IGNORE);
        else
            MPI_Test(&o->request, &done, MPI_STATUS_IGNORE);
        if (done) {
            *at = o->next;
            free(o);
        } else
            at = &o->next;
    }
}

static zb_status post_send(void *self, int to, const void *data, size_t bytes)
{
    post *p = self;
    outgoing *o = malloc(sizeof *o + bytes);
    if (o == NULL)
        return ZB_ENOMEM;
    memcpy(o->data, data, bytes);
    pthread_mutex_lock(&p->lock);
    MPI_Isend(o->data, (int)bytes, MPI_BYTE, to, 0, p->comm, &o->request);
    o->next = p->sent;
    p->sent = o;
    pthread_mutex_unlock(&p->lock);
    return ZB_OK;
}

static size_t post_waits(void *self, int *from)
{
    post *p = self;
    pthread_mutex_lock(&p->lock);
    tidy(p, false);
    if (p->bytes == 0) {
        MPI_Status status;
        int there, count;
        MPI_Improbe(MPI_ANY_SOURCE, 0, p->comm, &there, &p->found, &status);
        if (there) {
            MPI_Get_count(&status, MPI_BYTE, &count);
            p->bytes = (size_t)count;
            p->from = status.MPI_SOURCE;
        }
    }
    *from = p->from;
    size_t bytes = p->bytes;
    pthread_mutex_unlock(&p->lock);
    return bytes;
}

static zb_status post_take(void *self, void *data)
{
    post *p = self;
    pthread_mutex_lock(&p->lock);
    MPI_Mrecv(data, (int)p->bytes, MPI_BYTE, &p->found, MPI_STATUS_IGNORE);
    p->bytes = 0;
    pthread_mutex_unlock(&p->lock);
    return ZB_OK;
}

/* ---- open and close -------------------------------------------------------------- */

bool transport_open(zb_transport *t, int *argc, char ***argv)
{
    static post p; /* MPI begins once */
    int threads;
    MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &threads);
    if (threads < MPI_THREAD_SERIALIZED)
        return false;
    *t = (zb_transport){
        .self = &p, .send = post_send, .waits = post_waits, .take = post_take
    };
    MPI_Comm_dup(MPI_COMM_WORLD, &p.comm);
    MPI_Comm_rank(p.comm, &t->rank);
    MPI_Comm_size(p.comm, &t->size);
    pthread_mutex_init(&p.lock, NULL);
    return true;
}

int transport_neighbours(void)
{
    MPI_Comm here;
    int ranks = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &ranks);
    MPI_Comm_free(&here);
    return ranks;
}

void transport_abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

void transport_close(zb_transport *t)
{
    post *p = t->self;
    tidy(p, true);
    MPI_Barrier(p->comm);
    MPI_Comm_free(&p->comm);
    MPI_Finalize();
}
