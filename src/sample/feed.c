#include "sample/feed.h"

#include "base/explog.h"
#include "sample/stream.h"

/* Threads meet after every refill, which takes long where they are kept waiting: so
   many batches that a few thousand variables are drawn by each in between. */
static int batches_each(const zb_proposal *p)
{
    const int variables = 4000, most = 16;
    return zb_max_int(1, zb_min_int(most, variables / (1 + zb_proposal_vars(p))));
}

zb_status zb_feed_open(zb_feed *f, const zb_proposal *p, uint64_t seed, uint64_t first,
                       int threads)
{
    int slots = threads > 1 ? threads * batches_each(p) : 1;
    *f = (zb_feed){ .proposal = p, .seed = seed, .next = first, .threads = threads };
    f->slot = zb_calloc((size_t)slots, sizeof *f->slot);
    if (f->slot == NULL)
        return ZB_ENOMEM;
    f->slots = f->at = slots;
    for (int i = 0; i < slots; i++) {
        zb_status status = zb_batch_new(&f->slot[i], p, false);
        if (status != ZB_OK)
            return status;
    }
    return ZB_OK;
}

/* Ranks meet after every refill, too, and are farther apart: as many batches as a
   moderate part of the memory holds. */
static int slots_over(const zb_feed *f, int ranks)
{
    const double most = 0x1p26; /* bytes */
    double each = (double)ZB_LANES * (4.0 * zb_proposal_vars(f->proposal) + 64);
    double wanted = 16.0 * ranks * f->threads;
    return zb_max_int(f->slots, (int)fmin(wanted, most / each));
}

void zb_feed_spread(zb_feed *f, zb_feed_farm *farm, int part, int ranks)
{
    zb_feed wide = { .proposal = f->proposal,
                     .seed = f->seed,
                     .next = f->next,
                     .threads = f->threads,
                     .farm = farm,
                     .part = part };
    if (f->at < f->slots)
        return; /* there are draws that have not been handed out */
    int slots = slots_over(f, ranks);
    wide.slot = zb_calloc((size_t)slots, sizeof *wide.slot);
    if (wide.slot == NULL)
        return;
    wide.slots = wide.at = slots;
    for (int i = 0; i < slots; i++)
        if (zb_batch_new(&wide.slot[i], f->proposal, false) != ZB_OK) {
            zb_feed_close(&wide);
            return;
        }
    zb_feed_close(f);
    *f = wide;
}

void zb_feed_close(zb_feed *f)
{
    for (int i = 0; i < f->slots; i++)
        zb_batch_free(f->slot[i]);
    zb_free(f->slot);
    *f = (zb_feed){ .proposal = NULL };
}

static bool draw_here(zb_feed *f, zb_run *run)
{
    bool ok = true;
#pragma omp parallel for num_threads(f->threads) schedule(static, 1) reduction(&& : ok)
    for (int i = 0; i < f->slots; i++) {
        zb_ticker tick = { .run = run };
        ok = zb_proposal_draw(f->proposal, f->seed, f->next + (uint64_t)i, f->slot[i],
                              &tick) &&
             ok;
    }
    return ok;
}

/* All slots anew. Unless all of them are finished, none counts. */
static bool refill(zb_feed *f, bool perfect, zb_run *run)
{
    zb_feed_order order = { f->part, perfect, f->next, f->slots, f->slot };
    if (!zb_run_more(run))
        return false;
    bool ok =
        f->farm != NULL ? zb_feed_farm_draw(f->farm, &order, run) : draw_here(f, run);
    for (int i = 0; i < f->slots; i++)
        f->failed = f->failed || f->slot[i]->failed;
    if (!ok)
        return false;
    f->next += (uint64_t)f->slots;
    f->at = f->lane = 0;
    return true;
}

bool zb_feed_accepts(uint64_t seed, uint64_t number, int lane, double log_ratio)
{
    zb_stream stream = zb_stream_open(~seed, number);
    return zb_stream_uniform(stream, (uint64_t)lane) < zb_exp(log_ratio);
}

bool zb_feed_next(zb_feed *f, bool perfect, zb_run *run, zb_draw *out)
{
    for (;;) {
        if (f->at == f->slots && !refill(f, perfect, run))
            return false;
        const zb_batch *b = f->slot[f->at];
        int slot = f->at, lane = f->lane++;
        if (f->lane == ZB_LANES)
            f->at++, f->lane = 0;
        *out = (zb_draw){ b->state + lane, b->log_ratio[lane] };
        uint64_t number = f->next - (uint64_t)f->slots + (uint64_t)slot;
        if (!perfect || zb_feed_accepts(f->seed, number, lane, out->log_ratio))
            return true;
    }
}
