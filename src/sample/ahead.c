#include "sample/ahead.h"

#include "base/explog.h"
#include "sample/proposal_state.h"
#include "sample/stream.h"
#include "sat/sat.h"

struct zb_ahead {
    zb_clauses *clauses;
};

void zb_ahead_free(struct zb_ahead *a)
{
    if (a == NULL)
        return;
    zb_clauses_free(a->clauses);
    zb_free(a);
}

static zb_status load_clauses(struct zb_ahead *a, const zb_model *model, zb_run *run)
{
    zb_ticker tick = { .run = run };
    zb_status status;
    TRY(zb_clauses_new(&a->clauses, model->nvars, model->card, NULL));
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *t = &model->factor[f];
        ZB_ASSERT(t->log);
        TRY(zb_clauses_add_zeros(a->clauses, t->arity, t->scope, t->value, &tick));
    }
done:
    return status;
}

zb_status zb_proposal_look_ahead(zb_proposal *p, const zb_model *model, zb_run *run)
{
    struct zb_ahead *a = zb_calloc(1, sizeof *a);
    zb_status status;
    ZB_ASSERT(!p->is_signed && p->nvars == model->nvars && p->ahead == NULL);
    TRY(a != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(load_clauses(a, model, run));
    p->ahead = a, a = NULL;
done:
    zb_ahead_free(a);
    return status;
}

void zb_proposal_look_no_further(zb_proposal *p)
{
    zb_ahead_free(p->ahead);
    p->ahead = NULL;
}

bool zb_proposal_looks_ahead(const zb_proposal *p) { return p->ahead != NULL; }

/* ---- one draw -------------------------------------------------------------------- */

typedef struct lane { /* that is drawn */
    const zb_proposal *p;
    const zb_clauses *clauses;
    zb_sat *sat;
    zb_batch *b;
    int at;
    double *product; /* per value of the variable */
    double ratio, share;
} lane;

static const double *row_of(const lane *l, const zb_share *s, size_t width)
{
    size_t row = 0;
    for (int a = 0; a < s->count; a++)
        row += (size_t)(s->stride[a] *
                        l->b->state[(size_t)s->var[a] * ZB_LANES + (size_t)l->at]);
    return s->value + row * width;
}

/* product[x] = prod_r psi_r / lambda_r, 0 where the clauses rule x out; their sum. */
static double weigh(lane *l, const zb_draw_step *s)
{
    bool half = s->count == 1 && s->card == 2;
    double sum = 0;
    for (int x = 0; x < s->card; x++)
        l->product[x] = s->count == 0 ? 1.0 / s->card : 1;
    for (int r = 0; r < s->count; r++) {
        const double *row =
            row_of(l, &l->p->share[s->first + r], half ? 1 : (size_t)s->card);
        for (int x = 0; x < s->card; x++)
            l->product[x] *= !half ? row[x] : x == 0 ? row[0] : 1 - row[0];
    }
    for (int x = 0; x < s->card; x++) {
        if (l->sat->value[zb_clauses_literal(l->clauses, s->var, x)] < 0)
            l->product[x] = 0;
        sum += l->product[x];
    }
    return sum;
}

static int choose(const lane *l, const zb_draw_step *s, double target)
{
    double below = 0;
    int at = 0;
    for (int x = 0; x < s->card; x++) {
        if (!(l->product[x] > 0))
            continue;
        at = x;
        below += l->product[x];
        if (target < below)
            break;
    }
    return at;
}

/* False: a dead end. */
static bool draw_variable(lane *l, const zb_draw_step *s, double uniform)
{
    double sum = weigh(l, s);
    int x = choose(l, s, uniform * sum);
    uint32_t literal = zb_clauses_literal(l->clauses, s->var, x);
    l->b->state[(size_t)s->var * ZB_LANES + (size_t)l->at] = x;
    if (!(sum > 0))
        return false;
    ZB_ASSERT(sum <= 1 + 2 * l->p->radius + 1e-9);
    l->ratio += zb_log(fmin(sum, 1));
    l->share += zb_log(fmin(l->product[x], 1));
    return l->sat->value[literal] > 0 || zb_sat_decide(l->sat, literal);
}

/* Dead ends are of weight 0, whatever the values of the rest. */
static void draw_lane(lane *l, zb_stream stream)
{
    const zb_proposal *p = l->p;
    bool alive = zb_sat_set_units(l->sat) && !l->sat->empty;
    l->ratio = l->share = 0;
    for (int k = 0; k < p->steps; k++) {
        uint64_t place = (uint64_t)k * ZB_LANES + (uint64_t)l->at;
        if (alive)
            alive = draw_variable(l, &p->step[k], zb_stream_uniform(stream, place));
        else
            l->b->state[(size_t)p->step[k].var * ZB_LANES + (size_t)l->at] = 0;
    }
    l->b->log_ratio[l->at] = alive ? l->ratio : -INFINITY;
    if (l->b->log_share != NULL)
        l->b->log_share[l->at] = alive ? l->share : -INFINITY;
    zb_sat_undo(l->sat, 0);
}

bool zb_draw_ahead(const zb_proposal *p, uint64_t seed, uint64_t number, zb_batch *b,
                   zb_ticker *tick)
{
    zb_stream stream = zb_stream_open(seed, number);
    lane l = { .p = p, .clauses = p->ahead->clauses, .b = b, .product = b->product };
    zb_status status = zb_sat_new(&l.sat, l.clauses, NULL);
    bool ok = status == ZB_OK;
    b->failed = !ok;
    for (l.at = 0; l.at < ZB_LANES && ok; l.at++) {
        double before = l.sat->spent;
        draw_lane(&l, stream);
        b->failed = l.sat->failed;
        ok = !b->failed &&
             (tick == NULL ||
              zb_tick(tick, 100.0 * p->steps + 20 * (l.sat->spent - before)));
    }
    zb_sat_free(l.sat);
    return ok;
}
