/* zbound-mpi: the program over the ranks of MPI. Rank 0 is zbound itself; the others
 * serve (zbound.h). Any thread may send while one waits for messages, so every call of
 * MPI is made under one lock. */
#include "app.h"
#include "console.h"
#include "signals.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the transport --------------------------------------------------------------- */

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

/* ---- the program ----------------------------------------------------------------- */

/* Ranks of this machine share its memory and its cores, unless the user says how many
   of these each may have. */
static app_share fair_share(void)
{
    MPI_Comm here;
    int ranks = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &ranks);
    MPI_Comm_free(&here);
    uint64_t memory = zb_memory_default();
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long threads = cores / ranks;
    return (app_share){
        .memory = memory < UINT64_MAX ? memory / (uint64_t)ranks : 0,
        .threads = threads > 1 ? (int)threads : 1,
    };
}

/* Rank 0's signals are everybody's: others wait to be told. */
static int serve(zb_ranks *ranks)
{
    app_signals_ignore();
    return zb_ranks_serve(ranks) == ZB_OK ? APP_OK : APP_INTERNAL;
}

int main(int argc, char **argv)
{
    post p = { .bytes = 0 };
    zb_transport t = {
        .self = &p, .send = post_send, .waits = post_waits, .take = post_take
    };
    zb_ranks *ranks = NULL;
    int threads, code = APP_LIMIT;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &threads);
    if (threads < MPI_THREAD_SERIALIZED) {
        app_fail(APP_INTERNAL, "this MPI has no support for threads");
        MPI_Abort(MPI_COMM_WORLD, APP_INTERNAL);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &p.comm);
    MPI_Comm_rank(p.comm, &t.rank);
    MPI_Comm_size(p.comm, &t.size);
    pthread_mutex_init(&p.lock, NULL);
    app_share share = fair_share();
    app_console_plain();
    if (zb_ranks_open(&ranks, &t) != ZB_OK)
        MPI_Abort(MPI_COMM_WORLD, APP_LIMIT);
    share.ranks = ranks;
    code = t.rank == 0 ? app_main(argc, argv, &share) : serve(ranks);
    zb_ranks_close(ranks);
    tidy(&p, true);
    MPI_Barrier(p.comm);
    MPI_Comm_free(&p.comm);
    MPI_Finalize();
    app_signals_end();
    return code;
}
