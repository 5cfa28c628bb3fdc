/* What the office does with the letters of crews. */
#include "ranks/crew_state.h"

#include "base/account.h"

#include <string.h>

static const double COMPLAINT = 0.05; /* seconds */

static void *run_member(void *context)
{
    zb_crew *c = context;
    c->ranks->member(c);
    return NULL;
}

static zb_status join(zb_crew *c, zb_letter *l)
{
    c->limit = zb_letter_take_word(l);
    int threads = zb_letter_take_int(l), slots = zb_letter_take_int(l);
    zb_letter_put(&c->part, l->data + l->at, l->size - l->at);
    if (l->bad || c->part.bad || zb_crew_slots(c, slots) != ZB_OK)
        return ZB_ENOMEM;
    uint64_t left = zb_account_enter(c->limit);
    zb_status status = zb_run_open(&c->run, NULL, INFINITY, left, threads);
    if (status == ZB_OK && pthread_create(&c->thread, NULL, run_member, c) == 0)
        return ZB_OK;
    if (status == ZB_OK)
        zb_run_close(&c->run);
    zb_account_leave(c->limit);
    return ZB_ENOMEM;
}

static void found(zb_ranks *r, uint64_t serial, zb_letter *l)
{
    zb_crew *c = r->member != NULL ? zb_calloc(1, sizeof *c) : NULL;
    zb_crew none = { .ranks = r, .serial = serial, .over = { UINT64_MAX, UINT64_MAX } };
    uint64_t word[] = { ZB_LETTER_REPLY, serial, ZB_ENOMEM };
    if (c != NULL) {
        memcpy(c, &none, sizeof none);
        if (join(c, l) == ZB_OK) {
            c->next = r->crews;
            r->crews = c;
            return;
        }
        zb_crew_free(c);
    }
    zb_crew_send(&none, 0, 3, word);
}

/* Nobody may be left waiting for an order that there was no memory for. */
static void add_order(zb_crew *c, zb_letter *l)
{
    zb_order_letter **end = &c->orders, *o = zb_calloc(1, sizeof *o);
    zb_letter body = { 0 };
    uint64_t epoch = zb_letter_take_word(l);
    zb_letter_put(&body, l->data + l->at, l->size - l->at);
    if (o == NULL || body.bad) {
        uint64_t word[] = { ZB_LETTER_REPLY, c->serial, ZB_ENOMEM };
        zb_free(o);
        zb_letter_clear(&body);
        c->status = ZB_ENOMEM;
        c->over[epoch % 2] = epoch;
        zb_crew_send(c, 0, 3, word);
        return;
    }
    o->letter = body;
    while (*end != NULL)
        end = &(*end)->next;
    *end = o;
}

static void fill_slot(zb_crew *c, zb_letter *l)
{
    uint64_t epoch = zb_letter_take_word(l), at = zb_letter_take_word(l);
    if (l->bad || at >= (uint64_t)c->nslot || epoch < c->epoch ||
        zb_crew_is_over(c, epoch))
        return;
    zb_letter_clear(&c->slot[at].letter);
    c->slot[at].letter = *l; /* as it is: no copy, no memory */
    c->slot[at].epoch = epoch;
    if (epoch == c->epoch && c->ncame < c->nslot)
        c->came[c->ncame++] = (int)at;
    *l = (zb_letter){ 0 };
}

static void take_reply(zb_crew *c, int from, zb_letter *l)
{
    c->said[from] = (zb_status)zb_letter_take_word(l);
    zb_letter_clear(&c->reply[from]);
    c->reply[from] = *l;
    *l = (zb_letter){ 0 };
    c->owes[from] = false;
    c->failed = c->failed || c->said[from] != ZB_OK;
}

static void end_epoch(zb_crew *c, uint64_t epoch)
{
    c->over[epoch % 2] = epoch;
    if (epoch == c->epoch)
        zb_run_stop(&c->run);
}

static void shut(zb_crew *c)
{
    c->closed = true;
    zb_run_stop(&c->run);
}

/* Rank 0 waits for nobody then. */
static void break_all(zb_ranks *r)
{
    for (zb_crew *c = r->crews; c != NULL; c = c->next) {
        c->failed = c->broken = true;
        c->status = ZB_ENOMEM;
        memset(c->owes, 0, (size_t)r->transport.size * sizeof *c->owes);
    }
    pthread_cond_broadcast(&r->news);
}

/* Said again as long as it lasts: rank 0 may have opened another crew since. */
void zb_crew_starve(zb_ranks *r)
{
    uint64_t word[] = { ZB_LETTER_STARVED, 0 };
    zb_crew none = { .ranks = r };
    if (zb_now() < r->starved)
        return;
    r->starved = zb_now() + COMPLAINT;
    if (r->transport.rank == 0) {
        break_all(r);
        return;
    }
    zb_crew_shut(r);
    zb_crew_send(&none, 0, 2, word);
    pthread_cond_broadcast(&r->news);
}

void zb_crew_receive(zb_ranks *r, int from, uint64_t kind, zb_letter *l)
{
    uint64_t serial = zb_letter_take_word(l);
    zb_crew *c = *zb_crew_find(r, serial);
    if (kind == ZB_LETTER_STARVED && r->transport.rank == 0)
        break_all(r);
    if (kind == ZB_LETTER_PART && c == NULL)
        found(r, serial, l);
    if (c != NULL && kind == ZB_LETTER_ORDER)
        add_order(c, l);
    if (c != NULL && kind == ZB_LETTER_SLOT)
        fill_slot(c, l);
    if (c != NULL && kind == ZB_LETTER_REPLY && r->transport.rank == 0)
        take_reply(c, from, l);
    if (c != NULL && kind == ZB_LETTER_GIVE_UP)
        end_epoch(c, zb_letter_take_word(l));
    if (c != NULL && kind == ZB_LETTER_DISMISS)
        shut(c);
    pthread_cond_broadcast(&r->news);
}

void zb_crew_shut(zb_ranks *r)
{
    for (zb_crew *c = r->crews; c != NULL; c = c->next)
        shut(c);
}

bool zb_crew_bury(zb_ranks *r)
{
    zb_crew *c = r->crews;
    while (c != NULL && !c->closed)
        c = c->next;
    if (c == NULL)
        return false;
    pthread_mutex_unlock(&r->lock);
    pthread_join(c->thread, NULL);
    pthread_mutex_lock(&r->lock);
    *zb_crew_find(r, c->serial) = c->next;
    uint64_t limit = c->limit;
    zb_run_close(&c->run);
    zb_crew_free(c);
    zb_account_leave(limit);
    return true;
}
