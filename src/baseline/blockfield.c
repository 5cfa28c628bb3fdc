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

/* out[x] += E[ln f | part k is at x], the expectation over the other parts; k = -1: out
   is one number, over all of them. */
static void expect(zb_field *f, const zb_field_cut *c, int k, double *out)
{
    const zb_factor *a = &f->model->factor[c->factor];
    int x[ZB_MAX_AXES] = { 0 }, last = a->arity - 1, n = f->model->card[a->scope[last]];
    size_t at[ZB_MAX_AXES] = { 0 }, step = c->stride[last], moves = (size_t)c->of[last];
    const double *log = c->log;
    for (size_t rows = c->size / (size_t)n; rows > 0; rows--, log += n) {
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
    zb_tick(&f->tick, 3.0 * (double)c->size);
}

/* The tables of a block by the other blocks' distributions. */
static void set_tables(zb_field *f, zb_field_block *b)
{
    const int *var = f->now->blocks->var + b->first;
    for (int i = 0; i < b->count; i++)
        memset(f->mean + f->at[var[i]], 0,
               (size_t)f->model->card[var[i]] * sizeof *f->mean);
    for (int i = 0; i < b->parts; i++) {
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
    for (int i = 0; i < p->cuts; i++)
        zb_sum_add_ball(&sum, cut_term(f, &p->cut[i]));
    return f->tick.over ? (zb_ball){ -INFINITY, 0 } : zb_sum_value(&sum);
}

/* Is there time for more? */
static bool keep(zb_field *f, zb_ball now)
{
    double lower = zb_down(now.mid, now.radius);
    if (lower > f->out->log_value) {
        f->out->log_value = lower;
        f->out->radius = now.radius;
        f->best = f->kind;
        memcpy(f->spec->q, f->q, f->at[f->model->nvars] * sizeof *f->q);
    }
    return zb_run_report_lower(f->spec->run, f->out->log_value);
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
        f->out->sweeps++;
        if (!keep(f, now) || p->cuts == 0 || !(now.mid - before > little))
            break;
        before = now.mid;
    }
done:
    return status;
}

/* Each kind of sequence once; then by turns the one that was best, and all others. */
static zb_sequence choose_kind(const zb_field *f, int round)
{
    if (round < ZB_SEQUENCES || round % 2 == 1)
        return (zb_sequence)(round / (round < ZB_SEQUENCES ? 1 : 2) % ZB_SEQUENCES);
    return f->best;
}

static zb_status run(zb_field *f)
{
    enum { BACK = 8 }; /* choices after which the best q is the beginning again */
    zb_status status = ZB_OK;
    bool clean = true;
    for (int i = 0; i < f->spec->rounds && clean && zb_run_more(f->spec->run); i++) {
        if (i % BACK == 0)
            memcpy(f->q, f->spec->q, f->at[f->model->nvars] * sizeof *f->q);
        f->kind = choose_kind(f, i);
        status = zb_field_divide(f, f->spec->seed + (uint64_t)i, &clean);
        if (status == ZB_OK && clean)
            status = ascend(f);
        bool whole = status == ZB_OK && f->now->cuts == 0;
        zb_field_drop(f->now);
        f->now = NULL;
        TRY(status);
        f->out->rounds++;
        f->out->zeros = !clean;
        if (whole)
            break; /* it is exact */
    }
done:
    return status == ZB_ELIMIT ? ZB_OK : status;
}

zb_status zb_blockfield_run(const zb_model *model, const zb_blockfield_spec *spec,
                            zb_blockfield_result *out)
{
    zb_field f = {
        .model = model, .spec = spec, .out = out, .tick = { .run = spec->run }
    };
    zb_status status = ZB_OK;
    *out = (zb_blockfield_result){ .log_value = -INFINITY };
    status = zb_field_new(&f);
    if (status == ZB_OK && model->nvars == 0)
        keep(&f, (zb_ball){ f.constant, f.radius });
    else if (status == ZB_OK && f.constant > -INFINITY)
        status = run(&f);
    zb_field_free(&f);
    return status == ZB_ELIMIT ? ZB_OK : status;
}
