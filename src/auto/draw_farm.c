#include "auto/draw_farm.h"

#include "sample/proposal_letter.h"
#include "sample/proposal_state.h"

/* ---- one batch ------------------------------------------------------------------- */

static int best_lane(const zb_batch *b)
{
    int lane = 0;
    for (int i = 0; i < ZB_LANES; i++)
        lane = b->log_share[i] > b->log_share[lane] ? i : lane;
    return lane;
}

static void put_batch(zb_letter *l, const zb_batch *b, int nvars)
{
    zb_letter_put(l, b->log_ratio, ZB_LANES * sizeof *b->log_ratio);
    if (b->log_share == NULL)
        return;
    int lane = best_lane(b);
    bool alive = b->log_ratio[lane] > -INFINITY;
    zb_letter_put_real(l, b->log_share[lane]);
    zb_letter_put_word(l, alive ? (uint64_t)nvars : 0);
    for (int v = 0; v < nvars && alive; v++)
        zb_letter_put_int(l, b->state[(size_t)v * ZB_LANES + (size_t)lane]);
}

static zb_status draw(const zb_draw_farm *f, uint64_t number, zb_run *run,
                      zb_letter *answer)
{
    zb_batch *b = NULL;
    zb_ticker tick = { .run = run };
    zb_status status;
    TRY(zb_batch_new(&b, f->proposal, f->valued));
    TRY(zb_proposal_draw(f->proposal, f->seed, number, b, &tick) ? ZB_OK : ZB_ELIMIT);
    put_batch(answer, b, f->proposal->nvars);
done:
    zb_batch_free(b);
    return status;
}

/* ---- rank 0 ---------------------------------------------------------------------- */

static void write_task(void *context, size_t i, zb_letter *task)
{
    const zb_draw_farm *f = context;
    zb_letter_put_word(task, f->next + i);
}

static zb_status draw_here(void *context, size_t i, zb_run *run, zb_letter *answer)
{
    const zb_draw_farm *f = context;
    return draw(f, f->next + i, run, answer);
}

static void read_answer(void *context, size_t i, zb_status status, zb_letter *answer)
{
    zb_draw_farm *f = context;
    if (status == ZB_OK)
        zb_letter_put(&f->answer[i], answer->data, answer->size);
    f->missing = f->missing || status != ZB_OK || f->answer[i].bad;
}

static void forget(zb_draw_farm *f)
{
    for (size_t i = 0; i < f->count; i++)
        zb_letter_clear(&f->answer[i]);
    zb_free(f->answer);
    f->answer = NULL;
    f->count = 0;
}

zb_status zb_draw_farm_open(zb_draw_farm *f, const zb_proposal *p, uint64_t seed,
                            bool valued, zb_run *run)
{
    zb_farm_spec spec = { .trade = ZB_TRADE_DRAWS,
                          .threads = run->threads,
                          .memory = run->memory,
                          .context = f,
                          .write = write_task,
                          .local = draw_here,
                          .read = read_answer };
    zb_letter common = { 0 };
    zb_status status = ZB_OK;
    *f = (zb_draw_farm){ .proposal = p, .seed = seed, .valued = valued };
    if (zb_run_ranks(run) == NULL || !zb_proposal_travels(p))
        return ZB_OK;
    zb_letter_put_word(&common, seed);
    zb_letter_put_int(&common, valued);
    TRY(zb_letter_put_proposal(&common, p));
    TRY(zb_farm_open(&f->farm, &spec, &common, run));
done:
    zb_letter_clear(&common);
    return status == ZB_ENOMEM ? ZB_OK : status; /* then it is done here */
}

zb_status zb_draw_farm_run(zb_draw_farm *f, uint64_t next, size_t count, zb_run *run)
{
    zb_status status;
    forget(f);
    f->answer = zb_calloc(count, sizeof *f->answer);
    TRY(f->answer != NULL ? ZB_OK : ZB_ENOMEM);
    f->count = count;
    f->next = next;
    f->missing = false;
    TRY(zb_farm_run(f->farm, count, run));
    for (size_t i = 0; i < count; i++)
        f->missing = f->missing || f->answer[i].size == 0;
    status = f->missing ? ZB_ELIMIT : ZB_OK;
done:
    return status;
}

zb_status zb_draw_farm_take(zb_draw_farm *f, size_t i, zb_drawn *out)
{
    zb_letter *l = &f->answer[i];
    size_t count = 0;
    zb_status status = ZB_OK;
    *out = (zb_drawn){ .log_share = -INFINITY };
    zb_letter_take(l, out->log_ratio, sizeof out->log_ratio);
    if (f->valued) {
        out->log_share = zb_letter_take_real(l);
        TRY(zb_letter_take_ints(l, &count, &out->state));
        if (count != (size_t)zb_proposal_vars(f->proposal)) {
            l->bad = l->bad || count > 0;
            zb_free(out->state);
            out->state = NULL;
        }
    }
    status = l->bad ? ZB_ELIMIT : ZB_OK;
    zb_letter_clear(l);
done:
    return status;
}

void zb_draw_farm_close(zb_draw_farm *f)
{
    zb_farm_close(f->farm);
    forget(f);
    f->farm = NULL;
}

/* ---- the others ------------------------------------------------------------------ */

static void close_shop(void *state)
{
    zb_draw_farm *f = state;
    zb_proposal_free((zb_proposal *)f->proposal);
    zb_free(f);
}

static zb_status open_shop(void **state, zb_letter *common, zb_stint *job)
{
    zb_draw_farm *f = zb_calloc(1, sizeof *f);
    zb_proposal *p = NULL;
    (void)job;
    *state = NULL;
    if (f == NULL)
        return ZB_ENOMEM;
    f->seed = zb_letter_take_word(common);
    f->valued = zb_letter_take_int(common) != 0;
    zb_status status = zb_letter_take_proposal(common, &p);
    f->proposal = p;
    if (status == ZB_OK)
        *state = f;
    else
        zb_free(f);
    return status;
}

static zb_status work(void *state, zb_letter *task, zb_stint *job, zb_letter *answer)
{
    uint64_t number = zb_letter_take_word(task);
    return draw(state, number, zb_stint_run(job), answer);
}

const zb_trade ZB_DRAW_TRADE = { open_shop, work, close_shop, false, false };
