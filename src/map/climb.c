#include "map/climb.h"

#include "base/sum.h"
#include "pass/layout.h"
#include "sample/ascent.h"
#include "sample/feed.h"

#include <string.h>

zb_pass_spec zb_climb_spec(zb_run *run, bool theta, bool shared)
{
    return (zb_pass_spec){ .keep = true,
                           .theta = theta,
                           .shared = shared,
                           .maximum = true,
                           .side = ZB_SIDE_UPPER,
                           .threads = run->threads,
                           .run = run };
}

static zb_status load(zb_pass *pass, const zb_climbing *how)
{
    const zb_model *model = how->model;
    size_t most = 1;
    for (int f = 0; f < model->nfactors; f++)
        most = zb_max_size(most, model->factor[f].size);
    double *table = zb_alloc(most, sizeof *table);
    if (table == NULL)
        return ZB_ENOMEM;
    for (int f = 0; f < model->nfactors; f++) {
        ZB_ASSERT(model->factor[f].log);
        zb_layout_factor(how->tree, model, f, table);
        zb_pass_set_log(pass, f, table);
    }
    zb_free(table);
    return ZB_OK;
}

static void take_shifts(zb_pass *pass, const zb_attempt *from)
{
    const zb_pass_param *theirs = zb_pass_params(zb_tighten_pass(from->tighten));
    zb_pass_param *ours = zb_pass_params(pass);
    ZB_ASSERT(ours->ntheta == theirs->ntheta);
    memcpy(ours->theta, theirs->theta, ours->ntheta * sizeof *ours->theta);
}

/* Values of one variable given those eliminated after it. */
static int best_value(const zb_tree *t, const zb_pass *pass, int at, const int *state,
                      double *row)
{
    int v = t->order[at], best = 0;
    const zb_bucket *b = &t->bucket[at];
    for (int x = 0; x < t->card[v]; x++)
        row[x] = 0;
    for (int k = b->first; k < b->first + b->count; k++)
        zb_pass_add_row(pass, k, state, row);
    for (int x = 1; x < t->card[v]; x++)
        best = row[x] > row[best] ? x : best;
    return best;
}

zb_status zb_climber_follow(const zb_climber *c, zb_run *run, int *state)
{
    const zb_tree *t = c->how.tree;
    zb_ticker tick = { .run = run };
    int card = 1;
    for (int v = 0; v < t->nvars; v++)
        card = zb_max_int(card, t->card[v]);
    double *row = zb_alloc((size_t)card, sizeof *row);
    zb_status status = row != NULL ? ZB_OK : ZB_ENOMEM;
    for (int i = t->nvars - 1; status == ZB_OK && i >= 0; i--) {
        state[t->order[i]] = best_value(t, c->pass, i, state, row);
        status = zb_tick(&tick, 100) ? ZB_OK : ZB_ELIMIT;
    }
    zb_free(row);
    return status;
}

zb_status zb_climber_open(zb_climber *c, const zb_climbing *how, zb_run *run)
{
    const zb_attempt *a = how->shifts;
    zb_pass_spec spec =
        zb_climb_spec(run, a != NULL, a != NULL && a->spec.tighten.shared);
    zb_sum sum = { 0 };
    zb_status status;
    *c = (zb_climber){ .how = *how };
    TRY(zb_pass_new(&c->pass, how->tree, &spec));
    TRY(load(c->pass, how));
    if (a != NULL)
        take_shifts(c->pass, a);
    double bound = zb_pass_forward(c->pass);
    TRY(zb_pass_was_cut(c->pass) ? ZB_ELIMIT : ZB_OK);
    zb_sum_add_ball(&sum, (zb_ball){ bound, zb_pass_radius(c->pass) });
    zb_sum_add(&sum, how->model->log_scale);
    c->top = zb_sum_value(&sum);
done:
    if (status != ZB_OK)
        zb_climber_close(c);
    return status;
}

void zb_climber_close(zb_climber *c)
{
    zb_pass_free(c->pass);
    c->pass = NULL;
}

zb_status zb_climb_draws(zb_attempt *upper, uint64_t seed, zb_run *run, int *state)
{
    enum { DRAWS = 16 * ZB_LANES };
    zb_source source = { .proposal = NULL };
    zb_feed feed = { .slots = 0 };
    zb_draw d;
    double best = -INFINITY;
    zb_status status;
    int n = upper->model->nvars;
    TRY(zb_source_take(&source, upper, run));
    TRY(zb_feed_open(&feed, source.proposal, seed, 0, run->threads));
    int *trial = zb_alloc((size_t)n, sizeof *trial);
    TRY(trial != NULL ? ZB_OK : ZB_ENOMEM);
    for (int i = 0; i < DRAWS && zb_feed_next(&feed, false, run, &d); i++) {
        for (int v = 0; v < n; v++)
            trial[v] = d.state[(size_t)v * ZB_LANES];
        double value = zb_state_value(upper->model, trial).mid;
        if (value > best) {
            best = value;
            memcpy(state, trial, (size_t)n * sizeof *state);
        }
    }
    zb_free(trial);
done:
    zb_feed_close(&feed);
    zb_source_close(&source);
    return status;
}
