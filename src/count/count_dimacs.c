/* From a formula to its count: weights to integers, the formula made smaller, an order,
 * and two searches, which decide by different rules and go on in turn. */
#include "base/account.h"
#include "base/hold.h"
#include "count/tally.h"
#include "io/dimacs.h"
#include "order/order.h"
#include "sat/formula.h"

#include <string.h>

static const double REDUCTION_SHARE = 0.2; /* of the time that is left */
static const double FIRST_SECONDS = 0.25, RATIO = 1.5;
static const double ORDER_SECONDS = 0.5;

enum { WIDEST = 12 }; /* others in the clauses of a variable that is not shown */

typedef struct work {
    const zb_dimacs *d;
    zb_run *run;
    zb_formula *formula;
    zb_clauses *clauses;
    zb_purse purse[2];
    zb_tallier *search[2]; /* by either rule; share the time and the memory */
    zb_scopes *scopes;
    int *order;
    uint64_t memory; /* for both searches */
    zb_big *weight;  /* per literal, times its variable's denominator; NULL: all 1 */
    zb_big below;    /* the product of the denominators */
    bool *may;
    zb_hold hold;
} work;

/* ---- weights --------------------------------------------------------------------- */

/* p / q and r / s become p s and r q over q s, or stay as they are where q = s. */
static zb_status scale_weight(work *w, const zb_dimacs_weight *of)
{
    zb_big *to = &w->weight[2 * of->var];
    const zb_fraction *a = &of->of[0], *b = &of->of[1];
    bool same = a->below.n == b->below.n;
    zb_status status;
    for (size_t i = 0; i < a->below.n && same; i++)
        same = a->below.limb[i] == b->below.limb[i];
    TRY(zb_big_copy(&to[0], &a->over));
    TRY(zb_big_copy(&to[1], &b->over));
    TRY(zb_big_multiply(&w->below, &a->below));
    if (!same) {
        TRY(zb_big_multiply(&to[0], &b->below));
        TRY(zb_big_multiply(&to[1], &a->below));
        TRY(zb_big_multiply(&w->below, &b->below));
    }
done:
    return status;
}

static zb_status load_weights(work *w)
{
    size_t n = 2 * (size_t)w->d->nvars;
    zb_ticker tick = { .run = w->run };
    zb_status status;
    TRY(zb_big_set(&w->below, 1));
    if (w->d->weights == 0)
        goto done;
    w->weight = zb_hold_calloc(&w->hold, n, sizeof *w->weight);
    TRY(zb_hold_status(&w->hold));
    for (size_t i = 0; i < n; i++)
        TRY(zb_big_set(&w->weight[i], 1));
    for (size_t i = 0; i < w->d->weights; i++) {
        TRY(scale_weight(w, &w->d->weight[i]));
        TRY(zb_tick(&tick, 100 + 10 * (double)w->below.n) ? ZB_OK : ZB_ELIMIT);
    }
done:
    return status;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Divide both by what they share with `base`, until that is 1. */
static void cancel(zb_big *over, zb_big *below, uint32_t base)
{
    uint32_t g;
    while (base > 1 && !zb_big_is(below, 1)) {
        g = common_divisor(base, zb_big_modulo(over, base));
        g = common_divisor(g, zb_big_modulo(below, base));
        if (g == 1)
            return;
        zb_big_divide(over, g);
        zb_big_divide(below, g);
    }
}

/* over / below in lowest terms. A count of 0 is 0 / 1. */
static void reduce_fraction(work *w, zb_big *over)
{
    uint32_t last = 0;
    if (zb_big_is_zero(over))
        zb_big_set(&w->below, 1);
    for (size_t i = 0; i < w->d->weights; i++)
        for (int k = 0; k < 2; k++) {
            uint32_t base = w->d->weight[i].of[k].base;
            if (base != last)
                cancel(over, &w->below, base);
            last = base;
        }
}

/* ---- the formula ----------------------------------------------------------------- */

static zb_status load_formula(work *w, zb_run *share)
{
    const zb_dimacs *d = w->d;
    zb_status status;
    TRY(zb_formula_new(&w->formula, d->nvars, share));
    for (size_t k = 0; k < d->clauses; k++) {
        TRY(zb_tick(&w->formula->tick, 100) ? ZB_OK : ZB_ELIMIT);
        TRY(zb_formula_add(w->formula, (int)(d->at[k + 1] - d->at[k]),
                           d->lit + d->at[k]));
    }
done:
    return status;
}

/* Variables that others define go where they have no weight; with a projection, those
   that are not shown go in any case, where that is cheap. */
static zb_status reduce_formula(work *w)
{
    const zb_dimacs *d = w->d;
    zb_status status;
    int count;
    w->may = zb_hold_calloc(&w->hold, (size_t)d->nvars, sizeof *w->may);
    TRY(zb_hold_status(&w->hold));
    for (int v = 0; v < d->nvars; v++)
        w->may[v] = d->shown == NULL;
    for (size_t i = 0; i < d->weights; i++)
        w->may[d->weight[i].var] = false;
    TRY(zb_formula_reduce(w->formula, w->may));
    for (int v = 0; v < d->nvars && d->shown != NULL; v++)
        w->may[v] = !d->shown[v];
    for (int widest = 2; widest <= WIDEST && d->shown != NULL; widest++)
        TRY(zb_formula_eliminate(w->formula, w->may, widest, &count));
done:
    return status == ZB_ELIMIT ? ZB_OK : status; /* what was done holds */
}

static zb_status prepare(work *w, uint64_t seed)
{
    double left = zb_run_left(w->run);
    zb_run share = zb_run_share(
        w->run, isinf(left) ? left : zb_now() + REDUCTION_SHARE * left, UINT64_MAX, 1);
    zb_order_request request = { .kind = ZB_ORDER_AUTO,
                                 .seed = seed,
                                 .tries = 100,
                                 .seconds = fmin(ORDER_SECONDS, left / 10),
                                 .run = w->run };
    zb_status status;
    TRY(load_weights(w));
    TRY(load_formula(w, w->run));
    w->formula->tick.run = &share;
    TRY(reduce_formula(w));
    w->formula->tick.run = w->run;
    TRY(zb_formula_clauses(w->formula, &w->clauses));
    if (w->formula->empty)
        TRY(zb_clauses_add(w->clauses, 0, NULL));
    w->order = zb_hold_alloc(&w->hold, (size_t)w->d->nvars, sizeof *w->order);
    TRY(zb_hold_status(&w->hold));
    TRY(zb_clauses_scopes(w->clauses, &w->scopes));
    TRY(zb_order_make(w->scopes, &request, w->order, NULL));
done:
    return status;
}

static void close_work(work *w)
{
    zb_tallier_free(w->search[0]);
    zb_tallier_free(w->search[1]);
    for (int i = 0; w->weight != NULL && i < 2 * w->d->nvars; i++)
        zb_big_clear(&w->weight[i]);
    zb_big_clear(&w->below);
    zb_scopes_free(w->scopes);
    zb_clauses_free(w->clauses);
    zb_formula_free(w->formula);
    zb_hold_free(&w->hold);
}

/* ---- searches -------------------------------------------------------------------- */

/* ln of the lower bound: over less the denominators, rounded down. */
static double log_of(const work *w, const zb_big *over, bool down)
{
    double a = zb_big_log(over), b = zb_big_log(&w->below);
    double error = 8 * ZB_UNIT * (fabs(a) + fabs(b) + 1);
    return down ? zb_down(a - b, error) : a - b;
}

static zb_status put_count(work *w, zb_big *count, zb_tally *out)
{
    char *over, *below;
    out->negative = count->negative;
    out->log_count = log_of(w, count, false);
    reduce_fraction(w, count);
    over = zb_big_text(count);
    below = zb_big_text(&w->below);
    size_t n = over != NULL ? strlen(over) : 0, m = below != NULL ? strlen(below) : 0;
    bool whole = zb_big_is(&w->below, 1);
    out->count = over != NULL && below != NULL ? zb_alloc(n + m + 2, 1) : NULL;
    if (out->count != NULL) {
        memcpy(out->count, over, n + 1);
        if (!whole) {
            out->count[n] = '/';
            memcpy(out->count + n + 1, below, m + 1);
        }
    }
    zb_free(over);
    zb_free(below);
    return out->count != NULL ? ZB_OK : ZB_ENOMEM;
}

static zb_status open_search(work *w, int rule)
{
    zb_tally_spec spec = { .clauses = w->clauses,
                           .weight = w->weight,
                           .shown = w->d->shown,
                           .skip = w->formula->gone,
                           .order = w->order,
                           .wide = rule == 1,
                           .run = w->run };
    w->purse[rule] = (zb_purse){ .most = (uint64_t)(0.4 * (double)w->memory) };
    w->clauses->purse = &w->purse[rule];
    zb_status status = zb_tallier_new(&w->search[rule], &spec);
    w->clauses->purse = NULL;
    return status;
}

/* One search, for so many seconds. *open: there is more to do, and memory for it. */
static zb_status search(work *w, int rule, double seconds, zb_tally *out, bool *open)
{
    zb_run share = zb_run_share(w->run, zb_now() + seconds, UINT64_MAX, 1);
    zb_tally_result r = { .complete = false };
    zb_status status = zb_tallier_run(w->search[rule], &share, &r);
    if (status == ZB_OK) {
        out->complete = r.complete;
        out->satisfiable = out->satisfiable || r.satisfiable;
        if (r.complete)
            status = put_count(w, &r.count, out);
        else if (!w->d->info.negative)
            out->log_count = fmax(out->log_count, log_of(w, &r.count, true));
    }
    zb_big_clear(&r.count);
    *open = zb_tallier_open(w->search[rule]);
    return status;
}

static zb_status count(work *w, uint64_t seed, zb_tally *out)
{
    double seconds = FIRST_SECONDS;
    bool open[2] = { true, true };
    zb_status status;
    TRY(prepare(w, seed));
    w->memory = zb_account_left();
    for (int i = 0; !out->complete && zb_run_more(w->run); i = 1 - i) {
        if (w->search[i] == NULL)
            TRY(open_search(w, i));
        if (open[i])
            TRY(search(w, i, seconds, out, &open[i]));
        if (!open[0] && !open[1])
            break;
        seconds *= i == 1 ? RATIO : 1;
    }
done:
    return status == ZB_ELIMIT ? ZB_OK : status;
}

zb_status zb_dimacs_count(const zb_dimacs *d, const zb_options *opt,
                          const zb_observer *observer, zb_tally *out, zb_error *err)
{
    work w = { .d = d };
    zb_run run;
    zb_status status;
    if (out != NULL)
        *out = (zb_tally){ .log_count = -INFINITY };
    if (d == NULL || opt == NULL || out == NULL)
        return zb_fail(err, ZB_EINVAL,
                       "no formula, no options or no place for a count");
    zb_fail(err, ZB_OK, "%s", "");
    TRY(zb_options_check(opt, err));
    double start = zb_now(), seconds = opt->time < 0 ? ZB_AUTO_SECONDS : opt->time;
    uint64_t memory = opt->memory > 0 ? opt->memory : zb_memory_default();
    uint64_t left = zb_account_enter(memory);
    status = zb_run_open(&run, observer, start + (seconds > 0 ? seconds : INFINITY),
                         left, 1);
    if (status == ZB_OK) {
        w.run = &run;
        status = count(&w, opt->seed, out);
        close_work(&w);
        zb_run_close(&run);
    }
    zb_account_leave(memory);
    out->seconds = zb_now() - start;
done:
    if (status != ZB_OK && err != NULL && err->text[0] == '\0')
        zb_fail(err, status, "%s", zb_status_text(status));
    return status;
}

void zb_tally_clear(zb_tally *t)
{
    if (t == NULL)
        return;
    zb_free(t->count);
    *t = (zb_tally){ .log_count = -INFINITY };
}
