/* The post office of a rank: letters go out in parts that a transport can take, and are
 * put together again on the other side. */
#include "ranks/crew.h"

#include <string.h>
#include <time.h>

enum { CHUNK = 1 << 26 };
static const double LEAST = 0.02;
static const long NAP = 50000; /* nanoseconds between looks at an empty box */

struct zb_parcel {
    zb_letter letter;
    uint64_t left; /* bytes to come; 0: a new letter begins with how many it has */
};

zb_letter zb_letter_begin(enum zb_letter_kind kind)
{
    zb_letter l = { 0 };
    zb_letter_put_word(&l, (uint64_t)kind);
    return l;
}

/* ---- out ------------------------------------------------------------------------- */

/* The first part begins with the size of the whole. Parts of one letter are not mixed
   with others to the same rank: `send` is called under a lock of its own. */
static zb_status send_parts(zb_ranks *r, int to, const zb_letter *letter)
{
    const zb_transport *t = &r->transport;
    uint64_t size = letter->size;
    zb_status status = t->send(t->self, to, &size, sizeof size);
    for (size_t at = 0; at < letter->size && status == ZB_OK; at += r->chunk)
        status = t->send(t->self, to, letter->data + at,
                         zb_min_size(r->chunk, letter->size - at));
    return status;
}

zb_status zb_ranks_send(zb_ranks *r, int to, const zb_letter *letter)
{
    zb_status status = zb_letter_status(letter);
    if (status != ZB_OK)
        return status;
    pthread_mutex_lock(&r->sending);
    status = send_parts(r, to, letter);
    pthread_mutex_unlock(&r->sending);
    r->bytes += letter->size;
    r->letters++;
    return status;
}

/* ---- in -------------------------------------------------------------------------- */

/* A whole letter, with the lock. */
static void receive(zb_ranks *r, int from, zb_letter *letter)
{
    uint64_t kind = zb_letter_take_word(letter);
    if (kind >= ZB_LETTER_PART)
        zb_crew_receive(r, from, kind, letter);
    else if (r->transport.rank == 0)
        zb_farm_receive(r, from, kind, letter);
    else
        zb_work_receive(r, kind, letter);
}

/* Memory for a part: it is the caller's to wait for some, and to try again. */
static bool accept(zb_ranks *r, int from, size_t bytes)
{
    zb_parcel *p = &r->parcel[from];
    zb_letter *l = &p->letter;
    if (p->left == 0) {
        uint64_t size = 0;
        ZB_ASSERT(bytes == sizeof size);
        r->transport.take(r->transport.self, &size);
        *l = (zb_letter){ 0 };
        p->left = size;
        return true;
    }
    if (!ZB_RESERVE(l->data, &l->room, l->size, l->size + (size_t)p->left))
        return false;
    r->transport.take(r->transport.self, l->data + l->size);
    l->size += bytes;
    p->left -= bytes;
    if (p->left == 0) {
        pthread_mutex_lock(&r->lock);
        r->starved = 0;
        receive(r, from, l);
        pthread_mutex_unlock(&r->lock);
        zb_letter_clear(l);
    }
    return true;
}

static void nap(void)
{
    struct timespec pause = { 0, NAP };
    nanosleep(&pause, NULL);
}

static void *run_office(void *context)
{
    zb_ranks *r = context;
    const zb_transport *t = &r->transport;
    bool leave = false, ready = t->rank == 0;
    while (!leave) {
        int from = 0;
        size_t bytes = ready ? t->waits(t->self, &from) : 0;
        if (bytes > 0 && accept(r, from, bytes))
            continue;
        pthread_mutex_lock(&r->lock);
        if (bytes > 0)
            zb_crew_starve(r);
        if (t->rank == 0)
            zb_farm_look_after(r);
        leave = r->leave;
        ready = ready || r->trades != NULL;
        pthread_mutex_unlock(&r->lock);
        nap();
    }
    return NULL;
}

/* ---- open and close -------------------------------------------------------------- */

static void free_ranks(zb_ranks *r)
{
    for (int i = 0; r->parcel != NULL && i < r->transport.size; i++)
        zb_letter_clear(&r->parcel[i].letter);
    zb_free(r->parcel);
    zb_free(r);
}

zb_status zb_ranks_open(zb_ranks **out, const zb_transport *transport)
{
    if (out == NULL)
        return ZB_EINVAL;
    *out = NULL;
    if (transport == NULL || transport->size < 1 || transport->rank < 0 ||
        transport->rank >= transport->size)
        return ZB_EINVAL;
    zb_ranks *r = zb_calloc(1, sizeof *r);
    if (r == NULL)
        return ZB_ENOMEM;
    r->transport = *transport;
    r->chunk = CHUNK;
    r->memory = UINT64_MAX;
    r->least = LEAST;
    r->parcel = zb_calloc((size_t)transport->size, sizeof *r->parcel);
    if (r->parcel == NULL) {
        free_ranks(r);
        return ZB_ENOMEM;
    }
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->sending, NULL);
    pthread_cond_init(&r->news, NULL);
    if (pthread_create(&r->office, NULL, run_office, r) != 0) {
        free_ranks(r);
        return ZB_ENOMEM;
    }
    *out = r;
    return ZB_OK;
}

void zb_ranks_close(zb_ranks *r)
{
    if (r == NULL)
        return;
    for (int to = 1; r->transport.rank == 0 && to < r->transport.size; to++) {
        zb_letter quit = zb_letter_begin(ZB_LETTER_QUIT);
        zb_ranks_send(r, to, &quit);
        zb_letter_clear(&quit);
    }
    pthread_mutex_lock(&r->lock);
    r->leave = true;
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->office, NULL);
    pthread_mutex_destroy(&r->lock);
    pthread_mutex_destroy(&r->sending);
    pthread_cond_destroy(&r->news);
    free_ranks(r);
}

zb_ranks *zb_ranks_enter(zb_ranks *r, uint64_t memory)
{
    if (r == NULL || r->transport.rank != 0 || r->transport.size == 1)
        return NULL;
    r->memory = memory;
    return r;
}

int zb_ranks_size(const zb_ranks *r) { return r != NULL ? r->transport.size : 1; }
