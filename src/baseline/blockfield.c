/* For any distribution q, ln Z >= E_q[ln weight] + H(q) (Gibbs). Here q is a product of
 * one distribution for each block B of variables. With the others fixed the best one is
 *
 *     q_B ~ prod_{f inside B} f  exp(sum_{f cut} E[ln f | x_B]),
 *
 * the expectation being over the other blocks: a model of its own, whose tables are
 * those inside of B and one m_p for each part p of a scope that is cut. Let Z_B be its
 * sum. The entropy of q_B is ln Z_B less the expectation of its tables' logarithms, so
 * that those inside cancel:
 *
 *     ln Z >= sum_B ln Z_B - sum_p E[m_p] + sum_{f cut} E[ln f],
 *
 * whatever the m_p are: they may be from earlier q of the other blocks. Elimination
 * there and back gives Z_B and the marginals of all parts.
 *
 * A part of one variable is added to the variable's own table, and its marginal is the
 * variable's; others have tables of their own. Where zeros are cut, there is no bound:
 * E[ln f] would be -INFINITY. */
#include "baseline/blockfield.h"

#include "base/sum.h"
#include "baseline/field.h"
#include "model/table.h"

#include <string.h>

/* ---- ascent ---------------------------------------------------------------------- */

enum { STRETCH = 4096 }; /* rows between looks at the clock */

/* out[x] += E[ln f | part k is at x], the expectation over the other parts; k = -1: out
   is one number, over all of them. Unfinished where f->tick is over. */
static void expect(zb_field *f, const zb_field_cut *c, int k, double *out)
{
    const zb_factor *a = &f->model->factor[c->factor];
    int x[ZB_MAX_AXES] = { 0 }, last = a->arity - 1, n = f->model->card[a->scope[last]];
    size_t at[ZB_MAX_AXES] = { 0 }, step = c->stride[last], moves = (size_t)c->of[last];
    const double *log = c->log;
    for (size_t rows = c->size / (size_t)n; rows > 0; rows--, log += n) {
        if (rows % STRETCH == 0 && !zb_tick(&f->tick, 3.0 * STRETCH * n))
            return;
        double base = 1, *to = k >= 0 ? out + at[k] : out;
        for (int j = 0; j < c->count; j++)
            if (j != k && (size_t)j != moves)
                base *= c->part[j].q[at[j]];
        const double *q = c->part[moves].q + at[moves];
        if ((int)moves == k)
            for (int y = 0; y < n; y++)
                to[(size_t)y * step] += base * log[y];
        else
            for (int y = 0; y < n; y++)
                *to += base * q[(size_t)y * step] * log[y];
        for (int i = last - 1; i >= 0; i--) {
            at[c->of[i]] += c->stride[i];
            if (++x[i] < f->model->card[a->scope[i]])
                break;
            at[c->of[i]] -= c->stride[i] * (size_t)x[i];
            x[i] = 0;
        }
    }
    zb_tick(&f->tick, 3.0 * (double)(c->size % ((size_t)n * STRETCH)));
}

/* The tables of a block by the other blocks' distributions. */
static void set_tables(zb_field *f, zb_field_block *b)
{
    const int *var = f->now->blocks->var + b->first;
    for (int i = 0; i < b->count; i++)
        memset(f->mean + f->at[var[i]], 0,
               (size_t)f->model->card[var[i]] * sizeof *f->mean);
    for (int i = 0; i < b->parts && !f->tick.over; i++) {
        zb_field_part *p = b->part[i];
        if (p->shared)
            memset(p->mean, 0, p->size * sizeof *p->mean);
        expect(f, b->of[i], (int)(p - b->of[i]->part), p->mean);
        if (p->shared)
            zb_pass_set_log(b->pass, p->table, p->mean);
    }
    for (int i = 0; i < b->count; i++) {
        size_t at = f->at[var[i]], n = (size_t)f->model->card[var[i]];
        for (size_t y = 0; y < n; y++)
            f->scratch[y] = f->own[at + y] + f->mean[at + y];
        zb_pass_set_log(b->pass, i, f->scratch);
        b->rounded += ZB_MARGIN * ZB_UNIT * zb_log_magnitude(n, f->scratch);
    }
}

static zb_status update(zb_field *f, zb_field_block *b)
{
    const int *var = f->now->blocks->var + b->first;
    zb_status status = ZB_OK;
    b->rounded = 0;
    set_tables(f, b);
    TRY(f->tick.over ? ZB_ELIMIT : ZB_OK);
    b->log_z = zb_pass_forward(b->pass);
    b->radius = zb_pass_radius(b->pass);
    TRY(zb_pass_was_cut(b->pass) || b->log_z == -INFINITY ? ZB_ELIMIT : ZB_OK);
    zb_pass_backward(b->pass);
    TRY(zb_pass_was_cut(b->pass) ? ZB_ELIMIT : ZB_OK);
    TRY(zb_pass_belief_radii(b->pass, b->error));
    for (int i = 0; i < b->count; i++)
        zb_pass_belief(b->pass, i, f->q + f->at[var[i]]);
    for (int i = 0; i < b->parts; i++)
        if (b->part[i]->shared)
            zb_pass_belief(b->pass, b->part[i]->table, b->part[i]->q);
done:
    return status;
}

/* ---- the bound ------------------------------------------------------------------- */

/* E_q[m] over n values; `error` nats are q's, of each entry, and what is below
   ZB_BELIEF_LEAST is missing. Products and sums of n terms round n + 1 times. */
static zb_ball mean_of(size_t n, const double *q, const double *m, double error)
{
    double sum = 0, most = zb_log_magnitude(n, m);
    for (size_t x = 0; x < n; x++)
        sum += q[x] * m[x];
    double share = ZB_MARGIN * (error + ((double)n + 2) * ZB_UNIT);
    return (zb_ball){ sum, most * (2 * share + (double)n * ZB_BELIEF_LEAST) };
}

static zb_ball cut_term(zb_field *f, const zb_field_cut *c)
{
    double sum = 0, error = 0;
    expect(f, c, -1, &sum);
    for (int k = 0; k < c->count; k++)
        error += *c->part[k].error;
    error = ZB_MARGIN * (error + ((double)c->size + c->count + 2) * ZB_UNIT);
    return (zb_ball){ sum, c->most * (2 * error + (double)c->size * ZB_BELIEF_LEAST) };
}

/* What errors say holds where they are small: e^r - 1 <= 2 r for r < 1. */
static bool is_precise(const zb_field_partition *p)
{
    double most = 0;
    for (int b = 0; b < p->blocks->count; b++)
        for (int i = 0; i < p->block[b].tree->nfactors; i++)
            most = fmax(most, p->block[b].error[i]);
    return most < 1e-3;
}

static zb_ball bound(zb_field *f)
{
    const zb_field_partition *p = f->now;
    zb_sum sum = { .radius = f->radius };
    if (!is_precise(p))
        return (zb_ball){ -INFINITY, 0 };
    zb_sum_add(&sum, f->constant);
    for (int k = 0; k < p->blocks->count; k++) {
        const zb_field_block *b = &p->block[k];
        const int *var = p->blocks->var + b->first;
        zb_sum_add_ball(&sum, (zb_ball){ b->log_z, b->radius + b->rounded });
        for (int i = 0; i < b->count; i++) {
            zb_ball m = mean_of((size_t)f->model->card[var[i]], f->q + f->at[var[i]],
                                f->mean + f->at[var[i]], b->error[i]);
            zb_sum_add_ball(&sum, (zb_ball){ -m.mid, m.radius });
        }
        for (int i = 0; i < b->parts; i++)
            if (b->part[i]->shared) {
                const zb_field_part *t = b->part[i];
                zb_ball m = mean_of(t->size, t->q, t->mean, *t->error);
                zb_sum_add_ball(&sum, (zb_ball){ -m.mid, m.radius });
            }
    }
    for (int i = 0; i < p->cuts && !f->tick.over; i++)
        zb_sum_add_ball(&sum, cut_term(f, &p->cut[i]));
    return f->tick.over ? (zb_ball){ -INFINITY, 0 } : zb_sum_value(&sum);
}

/* Is there time for more? */
static bool keep(zb_field *f, zb_ball now)
{
    zb_blockfield_result *out = f->out;
    double lower = isfinite(now.mid) ? zb_down(now.mid, now.radius) : -INFINITY;
    if (lower > out->log_value) {
        out->log_value = lower;
        out->radius = now.radius;
    }
    if (lower > f->known) {
        f->known = lower;
        out->best = f->kind;
        memcpy(f->spec->q, f->q, f->at[f->model->nvars] * sizeof *f->q);
    }
    return zb_run_report_lower(f->spec->run, out->log_value);
}

/* Sweeps there and back over the blocks, until they gain little. */
static zb_status ascend(zb_field *f)
{
    enum { MOST = 100 };
    const double little = 1e-3; /* nats: less than any other choice of blocks */
    const zb_field_partition *p = f->now;
    double before = -INFINITY;
    zb_status status = ZB_OK;
    for (int i = 0; i < MOST; i++) {
        for (int k = 0; k < p->blocks->count; k++) {
            int b = i % 2 == 0 ? k : p->blocks->count - 1 - k;
            TRY(update(f, &p->block[b]));
        }
        zb_ball now = bound(f);
        if (!keep(f, now) || p->cuts == 0 || !(now.mid - before > little))
            break;
        before = now.mid;
    }
done:
    return status;
}

/* Each kind of sequence once; then by turns the one that was best, and all others. */
static zb_sequence choose_kind(zb_sequence best, int round)
{
    if (round < ZB_SEQUENCES)
        return (zb_sequence)round;
    return round % 2 == 0 ? best : (zb_sequence)(round / 2 % ZB_SEQUENCES);
}

/* One choice of blocks. *whole: there is one block, whose sum is exact. */
static zb_status try_choice(zb_field *f, int round, bool *clean, bool *whole)
{
    zb_status status;
    f->kind = choose_kind(f->out->best, round);
    f->out->tried++;
    TRY(zb_field_divide(f, f->spec->seed + (uint64_t)round, clean));
    if (!*clean)
        goto done;
    TRY(ascend(f));
    f->out->rounds++;
    *whole = f->now->cuts == 0;
done:
    zb_field_drop(f->now);
    f->now = NULL;
    return status;
}

static zb_status run(zb_field *f)
{
    enum { BACK = 8 }; /* choices after which the best q is the beginning again */
    const int all = (1 << ZB_SEQUENCES) - 1;
    const zb_blockfield_spec *spec = f->spec;
    zb_blockfield_result *out = f->out;
    zb_status status = ZB_OK;
    int unclean = 0; /* kinds, a bit each */
    bool whole = false;
    for (int i = 0; i < spec->rounds && !whole && !out->zeros && zb_run_more(spec->run);
         i++) {
        bool clean = true;
        if (i % BACK == 0)
            memcpy(f->q, spec->q, f->at[f->model->nvars] * sizeof *f->q);
        TRY(try_choice(f, spec->first + i, &clean, &whole));
        unclean |= clean ? 0 : 1 << f->kind;
        out->zeros = unclean == all && out->rounds == 0;
    }
done:
    return status;
}

zb_status zb_blockfield_run(const zb_model *model, const zb_blockfield_spec *spec,
                            zb_blockfield_result *out)
{
    zb_field f = { .model = model,
                   .spec = spec,
                   .known = spec->known,
                   .out = out,
                   .tick = { .run = spec->run } };
    zb_status status = ZB_OK;
    ZB_ASSERT(!zb_model_observed(model));
    *out = (zb_blockfield_result){ .log_value = -INFINITY, .best = spec->best };
    status = zb_field_new(&f);
    if (status == ZB_OK && model->nvars == 0)
        keep(&f, (zb_ball){ f.constant, f.radius });
    else if (status == ZB_OK && f.constant > -INFINITY)
        status = run(&f);
    zb_field_free(&f);
    return status == ZB_ELIMIT ? ZB_OK : status;
}
