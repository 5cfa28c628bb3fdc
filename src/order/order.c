/* The front door: one request, one order. */
#include "order/order_internal.h"

#include <string.h>

static const double RUN_LEAST =
    2e7; /* operations of a greedy run, whatever the budget */

typedef struct finder {
    const zb_scopes *s;
    const zb_order_request *req;
    zb_primal *g;
    zb_greedy *greedy;
    zb_rng rng;
    int *best, *trial; /* best is the caller's array */
    double total;      /* entries of best; INFINITY: nothing yet, or too many */
    bool any;
    double work, end; /* operations spent, and when to stop */
    zb_ticker tick;   /* the time, on top of that */
} finder;

static void keep(finder *f, double total)
{
    if (f->any && total >= f->total)
        return;
    f->any = true;
    f->total = total;
    memcpy(f->best, f->trial, (size_t)f->s->nvars * sizeof *f->best);
}

/* An order that there is no time to look at is as good as none. */
static zb_status keep_evaluated(finder *f)
{
    zb_order_cost cost = { .total = INFINITY };
    zb_status status = zb_order_evaluate(f->s, f->trial, f->tick.run, &cost);
    f->work += 8.0 * (double)(f->s->at[f->s->count] + (size_t)f->s->nvars);
    if (status == ZB_OK || status == ZB_ELIMIT)
        keep(f, cost.total);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* Operations for one run: a small budget must not spoil the order of a model that could
   be solved, so dense graphs alone feel it. */
static double run_most(const finder *f) { return fmax(f->end, RUN_LEAST); }

/* A run that is dearer than the best is cut short and forgotten; one that met a graph
   too dense to follow is complete but not costed. */
static zb_status try_greedy(finder *f, zb_greedy_rule rule)
{
    double limit = f->any ? f->total : INFINITY, total;
    zb_status status;
    rule.limit = limit;
    rule.most = run_most(f);
    TRY(zb_greedy_run(f->greedy, rule, &f->rng, f->trial, &total, &f->work));
    if (!isinf(total))
        keep(f, total);
    else if (isinf(limit))
        TRY(keep_evaluated(f));
done:
    return status;
}

static zb_status try_plain(finder *f, zb_order kind)
{
    zb_status status;
    for (int v = 0; v < f->s->nvars; v++)
        f->trial[v] = v;
    if (kind == ZB_ORDER_RANDOM)
        zb_rng_shuffle(&f->rng, f->s->nvars, f->trial);
    if (kind == ZB_ORDER_SWEEP)
        TRY(zb_sweep_run(f->s, f->g, &f->tick, f->trial, &f->work));
    TRY(keep_evaluated(f));
done:
    return status;
}

static zb_greedy_rule rule_of(zb_order kind)
{
    switch (kind) {
    case ZB_ORDER_MINDEGREE:
        return (zb_greedy_rule){ .first = ZB_KEY_DEGREE, .second = ZB_KEY_FILL };
    case ZB_ORDER_MINWEIGHT:
        return (zb_greedy_rule){ .first = ZB_KEY_WEIGHT, .second = ZB_KEY_FILL };
    default: return (zb_greedy_rule){ .first = ZB_KEY_FILL, .second = ZB_KEY_DEGREE };
    }
}

/* Is there nothing to be gained by looking further? Of a chordal graph the first greedy
   order is as good as any. */
static bool settled(const finder *f)
{
    return f->tick.over || zb_greedy_perfect(f->greedy);
}

/* One rule: first as it stands, then with ties (and soon more) at random. */
static zb_status run_rule(finder *f, zb_greedy_rule rule)
{
    zb_status status;
    TRY(try_greedy(f, rule));
    rule.random = true;
    for (int t = 1; t < f->req->tries && f->work < f->end && !settled(f); t++) {
        rule.stray = t % 3 * 0.03;
        TRY(try_greedy(f, rule));
    }
done:
    return status;
}

static const zb_greedy_rule RULES[] = {
    { .first = ZB_KEY_FILL, .second = ZB_KEY_WEIGHT },
    { .first = ZB_KEY_WEIGHT, .second = ZB_KEY_FILL },
    { .first = ZB_KEY_WFILL, .second = ZB_KEY_WEIGHT },
    { .first = ZB_KEY_DEGREE, .second = ZB_KEY_FILL },
};
static const double SEARCH_LEAST = 1e5, SEARCH_SHARE = 0.2, SEARCH_TRY = 4e6;
static const double SEARCH_SMALL = 20; /* operations an entry, of small models */
enum { NRULES = sizeof RULES / sizeof *RULES };

/* Solving takes one to two nanoseconds an entry, searching about five an operation:
   stop once solving would take no longer than what was spent. A millisecond at least is
   always well spent, but not on a component of a few variables: there may be many. */
static double search_end(const finder *f)
{
    double least = fmin(SEARCH_LEAST, SEARCH_SMALL * f->total);
    return fmin(f->end, least + f->total * SEARCH_SHARE);
}

static bool enough(const finder *f) { return f->tick.over || f->work >= search_end(f); }

static zb_status improve_trial(finder *f)
{
    zb_status status;
    TRY(zb_improve_run(f->g, &f->rng, &f->tick, f->trial, &f->work, search_end(f)));
    TRY(keep_evaluated(f));
done:
    return status;
}

/* A start of its own: a random greedy order, improved until little moves. Descents get
   stuck early, so what is left of the budget goes into new ones. */
static zb_status try_improved(finder *f, int t)
{
    zb_greedy_rule rule = RULES[t % (NRULES - 1)];
    double total;
    zb_status status;
    rule.random = true;
    rule.stray = 0.03 * (t % 4);
    rule.limit = INFINITY;
    rule.most = run_most(f);
    TRY(zb_greedy_run(f->greedy, rule, &f->rng, f->trial, &total, &f->work));
    TRY(improve_trial(f));
done:
    return status;
}

/* Cliques of hundreds of variables: another rule will not do much better. */
static bool is_vast(const finder *f) { return f->total > 1e100; }

static zb_status run_auto(finder *f)
{
    zb_status status;

    TRY(try_greedy(f, RULES[0]));
    if (settled(f))
        return ZB_OK;
    for (int r = 1; r < NRULES && f->work < run_most(f) && !is_vast(f); r++)
        TRY(try_greedy(f, RULES[r]));
    if (is_vast(f) && f->work > run_most(f))
        return ZB_OK;
    if (!f->tick.over)
        TRY(try_plain(f, ZB_ORDER_NATURAL));
    if (!f->tick.over)
        TRY(try_plain(f, ZB_ORDER_SWEEP));
    if (f->total > ZB_ORDER_HOPELESS)
        return ZB_OK;
    if (isinf(f->end)) /* no budget: a few times what the plain rules took, per try */
        f->end = f->work + f->req->tries * (SEARCH_TRY + 4 * f->work);
    if (f->req->tries > 1 && !enough(f)) {
        memcpy(f->trial, f->best, (size_t)f->s->nvars * sizeof *f->best);
        TRY(improve_trial(f));
    }
    for (int t = 2; t < f->req->tries && !enough(f); t++)
        TRY(try_improved(f, t));
done:
    return status;
}

static zb_status run_kind(finder *f)
{
    zb_order kind = f->req->kind;
    switch (kind) {
    case ZB_ORDER_AUTO: return run_auto(f);
    case ZB_ORDER_MINFILL:
    case ZB_ORDER_MINDEGREE:
    case ZB_ORDER_MINWEIGHT: return run_rule(f, rule_of(kind));
    case ZB_ORDER_NATURAL:
    case ZB_ORDER_RANDOM:
    case ZB_ORDER_SWEEP: return try_plain(f, kind);
    case ZB_ORDER_MINSPLIT: return zb_minsplit_run(f->s, f->req, &f->tick, f->best);
    case ZB_ORDER_FILE: break;
    }
    return ZB_EINVAL;
}

/* Without a graph: variables by the sum of the sizes of their scopes, which bounds
   their degrees. */
static zb_status order_roughly(const zb_scopes *s, int *order)
{
    enum { MOST = 1024 };
    size_t n = (size_t)s->nvars, at[MOST + 2] = { 0 };
    int *degree = zb_calloc(n, sizeof *degree);
    if (degree == NULL)
        return ZB_ENOMEM;
    for (int f = 0; f < s->count; f++)
        for (int i = 0, k = zb_scopes_arity(s, f); i < k; i++)
            degree[zb_scopes_of(s, f)[i]] += zb_min_int(k - 1, MOST);
    for (size_t v = 0; v < n; v++)
        at[zb_min_int(degree[v], MOST) + 1]++;
    for (int d = 0; d <= MOST; d++)
        at[d + 1] += at[d];
    for (size_t v = 0; v < n; v++)
        order[at[zb_min_int(degree[v], MOST)]++] = (int)v;
    zb_free(degree);
    return ZB_OK;
}

/* What the rule asks for. */
static zb_status prepare(finder *f)
{
    zb_order kind = f->req->kind;
    bool plain = kind == ZB_ORDER_NATURAL || kind == ZB_ORDER_RANDOM;
    zb_status status = ZB_OK;
    if (plain || kind == ZB_ORDER_MINSPLIT)
        return ZB_OK;
    TRY(zb_primal_new(&f->g, f->s, &f->tick));
    if (kind != ZB_ORDER_SWEEP)
        TRY(zb_greedy_new(&f->greedy, f->g, &f->tick));
done:
    return status;
}

static zb_status find_cost(const finder *f, zb_order_cost *cost)
{
    zb_status status = zb_order_evaluate(f->s, f->best, f->tick.run, cost);
    if (status != ZB_ELIMIT)
        return status;
    *cost = (zb_order_cost){ .width = f->s->nvars - 1,
                             .largest = INFINITY,
                             .total = INFINITY };
    return ZB_OK;
}

zb_status zb_order_make(const zb_scopes *s, const zb_order_request *req, int *order,
                        zb_order_cost *cost)
{
    finder f = { .s = s,
                 .req = req,
                 .best = order,
                 .total = INFINITY,
                 .tick = { .run = req->run } };
    zb_status status;

    f.rng = zb_rng_seed(req->seed);
    f.end = req->seconds > 0 ? req->seconds * ZB_ORDER_SPEED : INFINITY;
    f.trial = zb_alloc((size_t)s->nvars, sizeof *f.trial);
    TRY(f.trial != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(req->kind != ZB_ORDER_FILE ? ZB_OK : ZB_EINVAL);
    status = prepare(&f);
    if (status == ZB_ELIMIT)
        TRY(order_roughly(s, order));
    else {
        TRY(status);
        TRY(run_kind(&f));
    }
    if (cost != NULL)
        TRY(find_cost(&f, cost));
done:
    zb_greedy_free(f.greedy);
    zb_primal_free(f.g);
    zb_free(f.trial);
    return status;
}
