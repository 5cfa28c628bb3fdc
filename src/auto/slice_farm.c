#include "auto/slice_farm.h"

#include "base/cost.h"
#include "ranks/keep.h"

#include <string.h>

/* ---- rank 0 ---------------------------------------------------------------------- */

static size_t width(const zb_slice_farm *f) { return (size_t)f->slices->cutset->count; }

static void write_task(void *context, size_t i, zb_letter *task)
{
    const zb_slice_farm *f = context;
    zb_letter_put_ints(task, width(f), f->value + f->todo[i] * width(f));
}

static zb_status solve(const zb_slices *s, const int *value, zb_run *run,
                       zb_letter *answer)
{
    zb_run share =
        zb_run_share(run, INFINITY, s->run->memory / ZB_SLICES_AT_ONCE, run->threads);
    zb_ball z;
    zb_status status = zb_slice_exact(s, value, &share, &z);
    if (status != ZB_OK)
        return status;
    zb_letter_put_real(answer, z.mid);
    zb_letter_put_real(answer, z.radius);
    return ZB_OK;
}

static zb_status solve_task(void *context, size_t i, zb_run *run, zb_letter *answer)
{
    const zb_slice_farm *f = context;
    return solve(f->slices, f->value + f->todo[i] * width(f), run, answer);
}

static void read_answer(void *context, size_t i, zb_status status, zb_letter *answer)
{
    zb_slice_farm *f = context;
    f->failed = f->failed || status == ZB_ENOMEM;
    if (status != ZB_OK)
        return;
    double mid = zb_letter_take_real(answer), radius = zb_letter_take_real(answer);
    if (answer->bad)
        return;
    f->log_z[f->todo[i]] = (zb_ball){ mid, radius };
    if (f->slices->kept != NULL)
        zb_keep_slice(f->slices->kept, f->value + f->todo[i] * width(f),
                      f->log_z[f->todo[i]]);
}

static bool is_worth_it(const zb_slices *s)
{
    zb_ranks *r = zb_run_ranks(s->run);
    return r != NULL &&
           zb_cost_slices(s->cutset->slices, s->cutset->total, 1) >= r->least;
}

int zb_slice_farm_ranks(const zb_slices *s)
{
    return is_worth_it(s) ? zb_ranks_size(zb_run_ranks(s->run)) : 1;
}

zb_status zb_slice_farm_open(zb_slice_farm *f, const zb_slices *s)
{
    zb_farm_spec spec = { .trade = ZB_TRADE_SLICES,
                          .threads = ZB_SLICES_AT_ONCE,
                          .memory = s->run->memory,
                          .context = f,
                          .write = write_task,
                          .local = solve_task,
                          .read = read_answer };
    zb_letter common = { 0 };
    *f = (zb_slice_farm){ .slices = s };
    if (!is_worth_it(s))
        return ZB_OK;
    zb_letter_put_model(&common, s->model);
    zb_letter_put_ints(&common, width(f), s->cutset->var);
    zb_letter_put_ints(&common, s->order != NULL ? (size_t)s->model->nvars : 0,
                       s->order);
    zb_status status = zb_farm_open(&f->farm, &spec, &common, s->run);
    zb_letter_clear(&common);
    return status == ZB_ENOMEM ? ZB_OK : status; /* then it is done here */
}

/* ---- the others ------------------------------------------------------------------ */

typedef struct shop {
    zb_slices slices;
    zb_cutset cutset;
    zb_model *model;
    int *var, *order;
} shop;

static void close_shop(void *state)
{
    shop *w = state;
    zb_model_free(w->model);
    zb_free(w->var);
    zb_free(w->order);
    zb_free(w);
}

static zb_status open_shop(void **state, zb_letter *common, zb_stint *job)
{
    shop *w = zb_calloc(1, sizeof *w);
    size_t cut, ordered;
    zb_status status = ZB_ENOMEM;
    *state = NULL;
    if (w == NULL)
        return ZB_ENOMEM;
    TRY(zb_letter_take_model(common, &w->model));
    TRY(zb_letter_take_ints(common, &cut, &w->var));
    TRY(zb_letter_take_ints(common, &ordered, &w->order));
    TRY(!common->bad && (ordered == 0 || ordered == (size_t)w->model->nvars)
            ? ZB_OK
            : ZB_EINVAL);
    w->cutset = (zb_cutset){ .count = (int)cut, .var = w->var };
    w->slices = (zb_slices){ .model = w->model,
                             .cutset = &w->cutset,
                             .order = ordered > 0 ? w->order : NULL,
                             .run = zb_stint_run(job) };
    *state = w, w = NULL;
done:
    if (w != NULL)
        close_shop(w);
    return status;
}

static zb_status work(void *state, zb_letter *task, zb_stint *job, zb_letter *answer)
{
    const shop *w = state;
    int *value;
    size_t count;
    zb_status status;
    TRY(zb_letter_take_ints(task, &count, &value));
    TRY(!task->bad && count == (size_t)w->cutset.count ? ZB_OK : ZB_EINVAL);
    TRY(solve(&w->slices, value, zb_stint_run(job), answer));
done:
    zb_free(value);
    return status;
}

const zb_trade ZB_SLICE_TRADE = { open_shop, work, close_shop, false, false };
