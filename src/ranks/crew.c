#include "ranks/crew_state.h"

#include <string.h>
#include <time.h>

/* ---- letters that need no memory ------------------------------------------------- */

void zb_crew_send(zb_crew *c, int to, size_t count, uint64_t *word)
{
    zb_letter l = { .data = (unsigned char *)word, .size = count * sizeof *word };
    if (zb_ranks_send(c->ranks, to, &l) != ZB_OK)
        c->status = ZB_ENOMEM;
}

static void send_all(zb_crew *c, size_t count, uint64_t *word)
{
    for (int to = 0; to < c->ranks->transport.size; to++)
        if (to != c->ranks->transport.rank)
            zb_crew_send(c, to, count, word);
}

void zb_crew_give_up(zb_crew *c)
{
    uint64_t word[] = { ZB_LETTER_GIVE_UP, c->serial, c->epoch };
    pthread_mutex_lock(&c->ranks->lock);
    bool known = zb_crew_is_over(c, c->epoch);
    c->over[c->epoch % 2] = c->epoch;
    pthread_mutex_unlock(&c->ranks->lock);
    if (!known)
        send_all(c, 3, word);
}

/* ---- rank 0 ---------------------------------------------------------------------- */

void zb_crew_free(zb_crew *c)
{
    for (int i = 0; c->slot != NULL && i < c->nslot; i++)
        zb_letter_clear(&c->slot[i].letter);
    for (int i = 0; c->reply != NULL && i < c->ranks->transport.size; i++)
        zb_letter_clear(&c->reply[i]);
    while (c->orders != NULL) {
        zb_order_letter *o = c->orders;
        c->orders = o->next;
        zb_letter_clear(&o->letter);
        zb_free(o);
    }
    zb_letter_clear(&c->part);
    zb_letter_clear(&c->paper);
    zb_free(c->slot);
    zb_free(c->came);
    zb_free(c->reply);
    zb_free(c->said);
    zb_free(c->owes);
    zb_free(c);
}

zb_crew **zb_crew_find(zb_ranks *r, uint64_t serial)
{
    zb_crew **at = &r->crews;
    while (*at != NULL && (*at)->serial != serial)
        at = &(*at)->next;
    return at;
}

zb_status zb_crew_slots(zb_crew *c, int slots)
{
    c->slot = zb_calloc((size_t)slots, sizeof *c->slot);
    c->came = zb_calloc((size_t)slots, sizeof *c->came);
    c->nslot = c->slot != NULL ? slots : 0;
    return c->slot != NULL && c->came != NULL ? ZB_OK : ZB_ENOMEM;
}

zb_status zb_crew_open(zb_crew **out, zb_ranks *ranks, const zb_run *run)
{
    size_t size = (size_t)ranks->transport.size;
    zb_crew *c = zb_calloc(1, sizeof *c);
    *out = NULL;
    if (c == NULL)
        return ZB_ENOMEM;
    c->ranks = ranks;
    c->run.threads = run != NULL ? run->threads : 1;
    c->over[0] = c->over[1] = UINT64_MAX;
    c->reply = zb_calloc(size, sizeof *c->reply);
    c->said = zb_calloc(size, sizeof *c->said);
    c->owes = zb_calloc(size, sizeof *c->owes);
    if (c->reply == NULL || c->said == NULL || c->owes == NULL) {
        zb_crew_free(c);
        return ZB_ENOMEM;
    }
    pthread_mutex_lock(&ranks->lock);
    c->serial = ++ranks->crew_serial;
    c->next = ranks->crews;
    ranks->crews = c;
    pthread_mutex_unlock(&ranks->lock);
    *out = c;
    return ZB_OK;
}

/* False: the crew is broken, at any time, and who is waited for then never answers. */
static bool set_owed(zb_crew *c, int rank, bool owes)
{
    pthread_mutex_lock(&c->ranks->lock);
    bool whole = !c->broken;
    c->owes[rank] = owes && whole;
    pthread_mutex_unlock(&c->ranks->lock);
    return whole;
}

/* A reply may come before `send` is back. */
static zb_status send_owed(zb_crew *c, int to, const zb_letter *l, bool owes)
{
    if (owes && !set_owed(c, to, true))
        return ZB_ENOMEM;
    zb_status status = zb_ranks_send(c->ranks, to, l);
    if (owes && status != ZB_OK)
        set_owed(c, to, false);
    return status;
}

zb_status zb_crew_part(zb_crew *c, int rank, int slots, const zb_letter *part)
{
    zb_letter l = zb_letter_begin(ZB_LETTER_PART);
    zb_letter_put_word(&l, c->serial);
    zb_letter_put_word(&l, c->ranks->memory);
    zb_letter_put_int(&l, c->run.threads);
    zb_letter_put_int(&l, slots);
    zb_letter_put(&l, part->data, part->size);
    l.bad = l.bad || part->bad;
    zb_status status = send_owed(c, rank, &l, true);
    zb_letter_clear(&l);
    return status;
}

void zb_crew_order(zb_crew *c, const zb_letter *what, bool epoch)
{
    zb_letter l = zb_letter_begin(ZB_LETTER_ORDER);
    pthread_mutex_lock(&c->ranks->lock);
    c->epoch += epoch;
    pthread_mutex_unlock(&c->ranks->lock);
    zb_letter_put_word(&l, c->serial);
    zb_letter_put_word(&l, c->epoch);
    zb_letter_put(&l, what->data, what->size);
    l.bad = l.bad || what->bad;
    for (int to = 1; to < c->ranks->transport.size && c->status == ZB_OK; to++)
        if (send_owed(c, to, &l, epoch) != ZB_OK)
            c->status = ZB_ENOMEM; /* never back to ZB_OK: others write it, too */
    zb_letter_clear(&l);
    if (c->status != ZB_OK)
        zb_crew_give_up(c);
}

static bool is_owed(const zb_crew *c)
{
    for (int i = 1; i < c->ranks->transport.size; i++)
        if (c->owes[i])
            return true;
    return false;
}

/* With the lock: until there is news, or a hundredth of a second. */
static void wait_for_news(zb_ranks *r)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 10000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&r->news, &r->lock, &until);
}

/* With the lock, which it gives up meanwhile: is the epoch still of use? */
static void look_after(zb_crew *c, zb_run *run)
{
    bool failed = c->failed;
    pthread_mutex_unlock(&c->ranks->lock);
    if (failed || !zb_run_more(run))
        zb_crew_give_up(c);
    pthread_mutex_lock(&c->ranks->lock);
}

zb_status zb_crew_gather(zb_crew *c, zb_run *run, zb_letter **reply)
{
    zb_ranks *r = c->ranks;
    pthread_mutex_lock(&r->lock);
    while (is_owed(c)) {
        wait_for_news(r);
        look_after(c, run);
    }
    for (int i = 1; i < r->transport.size && c->status == ZB_OK; i++)
        c->status = (int)c->said[i];
    zb_status status = (zb_status)c->status;
    pthread_mutex_unlock(&r->lock);
    *reply = c->reply;
    return status;
}

void zb_crew_close(zb_crew *c)
{
    if (c == NULL)
        return;
    zb_ranks *r = c->ranks;
    uint64_t word[] = { ZB_LETTER_DISMISS, c->serial };
    send_all(c, 2, word);
    pthread_mutex_lock(&r->lock);
    *zb_crew_find(r, c->serial) = c->next;
    pthread_mutex_unlock(&r->lock);
    zb_crew_free(c);
}

/* ---- all members ----------------------------------------------------------------- */

int zb_crew_size(const zb_crew *c) { return c->ranks->transport.size; }
int zb_crew_rank(const zb_crew *c) { return c->ranks->transport.rank; }
zb_status zb_crew_status(const zb_crew *c) { return (zb_status)c->status; }

void zb_crew_break(zb_crew *c) { c->status = ZB_ENOMEM; }

zb_letter *zb_crew_paper(zb_crew *c)
{
    c->paper.size = 0;
    c->paper.bad = false;
    zb_letter_put_word(&c->paper, ZB_LETTER_SLOT);
    zb_letter_put_word(&c->paper, c->serial);
    zb_letter_put_word(&c->paper, c->epoch);
    zb_letter_put_word(&c->paper, 0); /* the slot */
    return &c->paper;
}

void zb_crew_post(zb_crew *c, int to, int slot_there, const zb_letter *letter)
{
    uint64_t at = (uint64_t)slot_there;
    ZB_ASSERT(letter == &c->paper);
    if (!c->paper.bad)
        memcpy(c->paper.data + 3 * sizeof at, &at, sizeof at);
    if (zb_ranks_send(c->ranks, to, &c->paper) == ZB_OK)
        return;
    c->status = ZB_ENOMEM;
    zb_crew_give_up(c);
}

void zb_crew_look(zb_crew *c, int first, int count, bool *there)
{
    pthread_mutex_lock(&c->ranks->lock);
    for (int i = 0; i < count; i++)
        there[i] = c->slot[first + i].epoch == c->epoch;
    c->ncame = c->nread = 0;
    pthread_mutex_unlock(&c->ranks->lock);
}

int zb_crew_news(zb_crew *c, zb_run *run, bool wait)
{
    zb_ranks *r = c->ranks;
    if (c->nread == c->ncame && !wait)
        return -1;
    pthread_mutex_lock(&r->lock);
    while (c->nread == c->ncame && !zb_crew_is_over(c, c->epoch)) {
        wait_for_news(r);
        look_after(c, run);
    }
    int slot = c->nread < c->ncame ? c->came[c->nread++] : -1;
    pthread_mutex_unlock(&r->lock);
    return slot;
}

bool zb_crew_wait(zb_crew *c, int at, zb_run *run, zb_letter *out)
{
    zb_ranks *r = c->ranks;
    zb_slot *s = &c->slot[at];
    ZB_ASSERT(at >= 0 && at < c->nslot);
    pthread_mutex_lock(&r->lock);
    while (s->epoch != c->epoch && !zb_crew_is_over(c, c->epoch)) {
        wait_for_news(r);
        look_after(c, run);
    }
    bool there = s->epoch == c->epoch && !zb_crew_is_over(c, c->epoch);
    if (there) {
        *out = s->letter;
        *s = (zb_slot){ 0 };
    }
    pthread_mutex_unlock(&r->lock);
    return there;
}

/* ---- other ranks ----------------------------------------------------------------- */

zb_run *zb_crew_run(zb_crew *c) { return &c->run; }
zb_letter *zb_crew_given(zb_crew *c) { return &c->part; }

bool zb_crew_next(zb_crew *c, zb_letter *out)
{
    zb_ranks *r = c->ranks;
    pthread_mutex_lock(&r->lock);
    while (c->orders == NULL && !c->closed)
        pthread_cond_wait(&r->news, &r->lock);
    zb_order_letter *o = c->closed ? NULL : c->orders;
    if (o != NULL) {
        c->orders = o->next;
        *out = o->letter;
    }
    pthread_mutex_unlock(&r->lock);
    zb_free(o);
    return o != NULL;
}

void zb_crew_begin(zb_crew *c)
{
    pthread_mutex_lock(&c->ranks->lock);
    c->epoch++;
    c->run.stopped = zb_crew_is_over(c, c->epoch);
    pthread_mutex_unlock(&c->ranks->lock);
}

void zb_crew_reply(zb_crew *c, zb_status status, const zb_letter *letter)
{
    zb_letter l = zb_letter_begin(ZB_LETTER_REPLY);
    if (status == ZB_OK)
        status = (zb_status)c->status;
    zb_letter_put_word(&l, c->serial);
    zb_letter_put_word(&l, (uint64_t)status);
    if (letter != NULL) {
        zb_letter_put(&l, letter->data, letter->size);
        l.bad = l.bad || letter->bad;
    }
    if (zb_ranks_send(c->ranks, 0, &l) != ZB_OK) {
        uint64_t word[] = { ZB_LETTER_REPLY, c->serial, ZB_ENOMEM };
        zb_crew_send(c, 0, 3, word);
    }
    zb_letter_clear(&l);
}
