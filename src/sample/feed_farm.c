#include "sample/feed_farm.h"

#include "sample/feed.h"
#include "sample/proposal_letter.h"
#include "sample/proposal_state.h"

/* ---- one batch as a letter ------------------------------------------------------- */

/* Values of variables go as bytes where all of them fit. */
static bool is_narrow(const zb_proposal *p) { return p->max_card <= 256; }

static void put_lanes(zb_letter *l, const zb_proposal *p, const zb_batch *b,
                      size_t count, const int *lane)
{
    zb_letter_put_ints(l, count, lane);
    for (size_t k = 0; k < count; k++)
        zb_letter_put_real(l, b->log_ratio[lane[k]]);
    for (int v = 0; v < p->nvars; v++) {
        const int32_t *row = b->state + (size_t)v * ZB_LANES;
        unsigned char narrow[ZB_LANES];
        int32_t wide[ZB_LANES];
        for (size_t k = 0; k < count; k++) {
            narrow[k] = (unsigned char)row[lane[k]];
            wide[k] = row[lane[k]];
        }
        if (is_narrow(p))
            zb_letter_put(l, narrow, count);
        else
            zb_letter_put(l, wide, count * sizeof *wide);
    }
}

/* Lanes that are there; the others are dead ends, of which nobody looks at a state. */
static bool take_lanes(zb_letter *l, const zb_proposal *p, zb_batch *b)
{
    int *lane;
    size_t count;
    if (zb_letter_take_ints(l, &count, &lane) != ZB_OK)
        return false;
    bool good = !l->bad && count <= ZB_LANES;
    for (size_t k = 0; k < count && good; k++)
        good = lane[k] >= 0 && lane[k] < ZB_LANES;
    for (int i = 0; i < ZB_LANES; i++)
        b->log_ratio[i] = -INFINITY;
    for (size_t k = 0; k < count && good; k++)
        b->log_ratio[lane[k]] = zb_letter_take_real(l);
    for (int v = 0; v < p->nvars && good; v++) {
        int32_t *row = b->state + (size_t)v * ZB_LANES;
        unsigned char narrow[ZB_LANES];
        int32_t wide[ZB_LANES];
        if (is_narrow(p))
            zb_letter_take(l, narrow, count);
        else
            zb_letter_take(l, wide, count * sizeof *wide);
        for (size_t k = 0; k < count; k++)
            row[lane[k]] = is_narrow(p) ? narrow[k] : wide[k];
    }
    zb_free(lane);
    return good && !l->bad;
}

static zb_status draw(const zb_feed_part *from, uint64_t number, bool perfect,
                      zb_run *run, zb_letter *answer)
{
    const zb_proposal *p = from->proposal;
    zb_batch *b = NULL;
    zb_ticker tick = { .run = run };
    int lane[ZB_LANES];
    size_t count = 0;
    zb_status status;
    TRY(zb_batch_new(&b, p, false));
    TRY(zb_proposal_draw(p, from->seed, number, b, &tick) ? ZB_OK : ZB_ELIMIT);
    for (int i = 0; i < ZB_LANES; i++)
        if (!perfect || zb_feed_accepts(from->seed, number, i, b->log_ratio[i]))
            lane[count++] = i;
    put_lanes(answer, p, b, count, lane);
done:
    zb_batch_free(b);
    return status;
}

/* ---- rank 0 ---------------------------------------------------------------------- */

struct zb_feed_farm {
    zb_farm *farm;
    zb_feed_part *part;
    const zb_feed_order *order; /* at work */
    bool missing;
};

static void write_task(void *context, size_t i, zb_letter *task)
{
    const zb_feed_farm *f = context;
    zb_letter_put_int(task, f->order->part);
    zb_letter_put_int(task, f->order->perfect);
    zb_letter_put_word(task, f->order->first + i);
}

static zb_status draw_here(void *context, size_t i, zb_run *run, zb_letter *answer)
{
    const zb_feed_farm *f = context;
    const zb_feed_order *o = f->order;
    return draw(&f->part[o->part], o->first + i, o->perfect, run, answer);
}

static void read_answer(void *context, size_t i, zb_status status, zb_letter *answer)
{
    zb_feed_farm *f = context;
    const zb_feed_order *o = f->order;
    zb_batch *b = o->slot[i];
    b->failed = status == ZB_ENOMEM;
    if (status != ZB_OK || !take_lanes(answer, f->part[o->part].proposal, b))
        f->missing = true;
}

static zb_status put_parts(zb_letter *l, int count, const zb_feed_part *part)
{
    zb_status status = ZB_OK;
    zb_letter_put_word(l, (uint64_t)count);
    for (int i = 0; i < count && status == ZB_OK; i++) {
        zb_letter_put_word(l, part[i].seed);
        status = zb_letter_put_proposal(l, part[i].proposal);
    }
    return status;
}

zb_status zb_feed_farm_open(zb_feed_farm **out, int count, const zb_feed_part *part,
                            zb_run *run)
{
    zb_letter common = { 0 };
    zb_feed_farm *f = NULL;
    zb_status status = ZB_OK;
    *out = NULL;
    if (zb_run_ranks(run) == NULL)
        return ZB_OK;
    for (int i = 0; i < count; i++)
        if (!zb_proposal_travels(part[i].proposal))
            return ZB_OK;
    f = zb_calloc(1, sizeof *f);
    TRY(f != NULL ? ZB_OK : ZB_ENOMEM);
    f->part = zb_alloc((size_t)count, sizeof *f->part);
    TRY(f->part != NULL ? ZB_OK : ZB_ENOMEM);
    for (int i = 0; i < count; i++)
        f->part[i] = part[i];
    zb_farm_spec spec = { .trade = ZB_TRADE_FEEDS,
                          .threads = run->threads,
                          .memory = run->memory,
                          .context = f,
                          .write = write_task,
                          .local = draw_here,
                          .read = read_answer };
    TRY(put_parts(&common, count, part));
    TRY(zb_farm_open(&f->farm, &spec, &common, run));
    *out = f, f = NULL;
done:
    zb_letter_clear(&common);
    zb_feed_farm_close(f);
    return status;
}

void zb_feed_farm_close(zb_feed_farm *f)
{
    if (f == NULL)
        return;
    zb_farm_close(f->farm);
    zb_free(f->part);
    zb_free(f);
}

bool zb_feed_farm_draw(zb_feed_farm *f, const zb_feed_order *order, zb_run *run)
{
    f->order = order;
    f->missing = false;
    for (int i = 0; i < order->count; i++) {
        order->slot[i]->failed = false;
        order->slot[i]->log_ratio[0] = NAN; /* until it is there */
    }
    bool good = zb_farm_run(f->farm, (size_t)order->count, run) == ZB_OK && !f->missing;
    for (int i = 0; i < order->count; i++)
        good = good && !isnan(order->slot[i]->log_ratio[0]);
    return good;
}

/* ---- the others ------------------------------------------------------------------ */

typedef struct shop {
    int count;
    zb_feed_part *part;
} shop;

static void close_shop(void *state)
{
    shop *w = state;
    for (int i = 0; i < w->count; i++)
        zb_proposal_free((zb_proposal *)w->part[i].proposal);
    zb_free(w->part);
    zb_free(w);
}

static zb_status open_shop(void **state, zb_letter *common, zb_stint *job)
{
    shop *w = zb_calloc(1, sizeof *w);
    zb_status status;
    (void)job;
    *state = NULL;
    if (w == NULL)
        return ZB_ENOMEM;
    uint64_t count = zb_letter_take_word(common);
    TRY(!common->bad && count <= common->size ? ZB_OK : ZB_EINVAL);
    w->part = zb_calloc((size_t)count, sizeof *w->part);
    TRY(w->part != NULL ? ZB_OK : ZB_ENOMEM);
    for (; w->count < (int)count; w->count++) {
        zb_proposal *p;
        w->part[w->count].seed = zb_letter_take_word(common);
        TRY(zb_letter_take_proposal(common, &p));
        w->part[w->count].proposal = p;
    }
    *state = w, w = NULL;
done:
    if (w != NULL)
        close_shop(w);
    return status;
}

static zb_status work(void *state, zb_letter *task, zb_stint *job, zb_letter *answer)
{
    const shop *w = state;
    int part = zb_letter_take_int(task);
    bool perfect = zb_letter_take_int(task) != 0;
    uint64_t number = zb_letter_take_word(task);
    if (task->bad || part < 0 || part >= w->count)
        return ZB_EINVAL;
    return draw(&w->part[part], number, perfect, zb_stint_run(job), answer);
}

const zb_trade ZB_FEED_TRADE = { open_shop, work, close_shop, false, false };
