/* count(U, F) = ln sum over the unassigned variables U of the product of the factors F
 * that still depend on them. It branches on the variable of U that the elimination
 * order would take last (a separator of what is left, so components fall apart and memo
 * entries come back), assigns and propagates: a factor with one free variable strikes
 * out the values that make it zero. What F and U look like below an assignment is fixed
 * by the list of U and, for every factor, where in its table the assigned values lead:
 * that is the memo's key. */
#include "auto/count.h"

#include "auto/count_memo.h"

#include <string.h>

typedef struct occurrence {
    int factor;
    uint32_t stride;
} occurrence;

typedef struct search {
    const zb_model *model;
    const zb_count_spec *spec;
    int *rank;        /* of a variable in the order: branch on the largest */
    uint64_t *domain; /* values left, as bits */
    bool *assigned;
    uint32_t *offset; /* per factor: of the assigned variables' values */
    int *nfree;       /* per factor: unassigned variables */
    uint32_t *stride; /* per factor and slot, at stride_at[f] */
    size_t *stride_at;
    double *score; /* scratch, per variable */
    int64_t *lone; /* per factor: its one entry unlike the others, or -1 */
    bool *done;    /* per factor: constant by now, and taken into account */
    int *settled;  /* the factors that are done, latest last */
    int nsettled;
    bool *has_zero; /* per factor */
    size_t *occ_at; /* nvars + 1 */
    occurrence *occ;
    struct change {
        int var;
        uint64_t domain;
    } * trail; /* what to undo */
    size_t ntrail, trail_room;
    int *queue; /* assigned, not yet propagated */
    int nqueue;
    int *var_stamp, *factor_stamp, stamp;
    int *pool; /* a stack of lists: variables and factors of components */
    size_t pool_used, pool_room;
    zb_memo *memo;
    uint32_t *key;
    size_t key_room;
    int64_t branches, hits;
    bool late, failed; /* out of time; out of memory */
} search;

/* A component: lists in s->pool, by offsets since the pool may move. */
typedef struct component {
    size_t vars, factors; /* where they start */
    int nvars, nfactors;
} component;

/* ---- assignment and propagation -------------------------------------------------- */

static bool push_change(search *s, int v)
{
    if (s->ntrail == s->trail_room) {
        size_t room = 2 * s->trail_room + 256;
        struct change *more = zb_resize(s->trail, s->ntrail, room, sizeof *more);
        if (more == NULL) {
            s->failed = s->late = true;
            return false;
        }
        s->trail = more;
        s->trail_room = room;
    }
    s->trail[s->ntrail++] = (struct change){ v, s->domain[v] };
    return true;
}

static int only_value(uint64_t domain) { return __builtin_ctzll(domain); }

/* Narrow v's domain; a single value left counts as an assignment. False: no value left.
 */
static bool narrow(search *s, int v, uint64_t domain)
{
    if (domain == s->domain[v])
        return true;
    if (!push_change(s, v))
        return false;
    s->domain[v] = domain;
    if (domain == 0)
        return false;
    if ((domain & (domain - 1)) == 0 && !s->assigned[v]) {
        s->assigned[v] = true;
        s->queue[s->nqueue++] = v;
        uint32_t x = (uint32_t)only_value(domain);
        for (size_t i = s->occ_at[v]; i < s->occ_at[v + 1]; i++) {
            s->offset[s->occ[i].factor] += x * s->occ[i].stride;
            s->nfree[s->occ[i].factor]--;
        }
    }
    return true;
}

static void undo(search *s, size_t mark)
{
    s->nqueue = 0;
    while (s->ntrail > mark) {
        struct change c = s->trail[--s->ntrail];
        int v = c.var;
        if (s->assigned[v] && (c.domain & (c.domain - 1)) != 0) {
            uint32_t x = (uint32_t)only_value(s->domain[v]);
            s->assigned[v] = false;
            for (size_t i = s->occ_at[v]; i < s->occ_at[v + 1]; i++) {
                s->offset[s->occ[i].factor] -= x * s->occ[i].stride;
                s->nfree[s->occ[i].factor]++;
            }
        }
        s->domain[v] = c.domain;
    }
}

/* A factor with at most one free variable strikes out that variable's impossible
 * values. */
static bool check_factor(search *s, int f)
{
    const zb_factor *a = &s->model->factor[f];
    const double *table = a->value + s->offset[f];
    if (s->nfree[f] == 0)
        return *table > -INFINITY;
    if (s->nfree[f] > 1 || !s->has_zero[f])
        return true;
    int slot = 0;
    while (s->assigned[a->scope[slot]])
        slot++;
    int v = a->scope[slot];
    uint32_t stride = s->stride[s->stride_at[f] + (size_t)slot];
    uint64_t left = 0;
    for (uint64_t d = s->domain[v]; d != 0; d &= d - 1)
        if (table[(size_t)only_value(d) * stride] > -INFINITY)
            left |= d & -d;
    return narrow(s, v, left);
}

static bool propagate(search *s)
{
    for (int i = 0; i < s->nqueue; i++) {
        int v = s->queue[i];
        for (size_t k = s->occ_at[v]; k < s->occ_at[v + 1]; k++)
            if (s->nfree[s->occ[k].factor] <= 1 && !check_factor(s, s->occ[k].factor)) {
                s->nqueue = 0;
                return false;
            }
    }
    s->nqueue = 0;
    return true;
}

/* ---- components ------------------------------------------------------------------ */

static bool pool_push(search *s, int x)
{
    if (s->pool_used == s->pool_room) {
        size_t room = 2 * s->pool_room + 4096;
        int *more = zb_resize(s->pool, s->pool_used, room, sizeof *more);
        if (more == NULL) {
            s->failed = s->late = true;
            return false;
        }
        s->pool = more;
        s->pool_room = room;
    }
    s->pool[s->pool_used++] = x;
    return true;
}

/* A table with one entry unlike all others (a clause): where it is, or -1. */
static int64_t lone_entry(const zb_factor *a)
{
    size_t unlike = 0, where = 0;
    if (a->size < 3)
        return -1;
    double common = a->value[0] == a->value[1] ? a->value[0] : a->value[2];
    for (size_t i = 0; i < a->size && unlike < 2; i++)
        if (a->value[i] != common) {
            unlike++;
            where = i;
        }
    return unlike == 1 ? (int64_t)where : -1;
}

/* Is the lone entry out of reach? Then the table is constant. */
static bool clause_satisfied(const search *s, int f)
{
    const zb_factor *a = &s->model->factor[f];
    const uint32_t *stride = s->stride + s->stride_at[f];
    size_t rest = (size_t)s->lone[f];
    for (int i = 0; i < a->arity; i++) {
        uint64_t bit = (uint64_t)1 << (rest / stride[i]);
        rest %= stride[i];
        if ((s->domain[a->scope[i]] & bit) == 0)
            return true;
    }
    return false;
}

/* Walk the entries that are left of a factor; true when all are equal to *value. */
static bool is_constant(const search *s, int f, double *value)
{
    const zb_factor *a = &s->model->factor[f];
    const uint32_t *stride = s->stride + s->stride_at[f];
    if (s->lone[f] >= 0) {
        *value = a->value[s->lone[f] == 0 ? 1 : 0]; /* any of the others */
        return clause_satisfied(s, f);
    }
    int slot[64], n = 0;
    uint64_t todo[64];
    size_t at = s->offset[f];
    for (int i = 0; i < a->arity; i++)
        if (!s->assigned[a->scope[i]]) {
            slot[n] = i;
            todo[n] = s->domain[a->scope[i]];
            at += (size_t)only_value(todo[n]) * stride[i];
            n++;
        }
    *value = a->value[at];
    for (;;) { /* odometer over the domains' bits */
        if (a->value[at] != *value)
            return false;
        int k = n - 1;
        for (; k >= 0; k--) {
            uint64_t full = s->domain[a->scope[slot[k]]];
            int old = only_value(todo[k]);
            todo[k] &= todo[k] - 1;
            bool wrapped = todo[k] == 0;
            todo[k] = wrapped ? full : todo[k];
            at += (size_t)((int64_t)(only_value(todo[k]) - old) *
                           (int64_t)stride[slot[k]]);
            if (!wrapped)
                break;
        }
        if (k < 0)
            return true;
    }
}

/* The component of v among unstamped variables. Factors that no longer depend on their
   free variables go into *constant and connect nothing. */
static bool collect(search *s, int v, component *c, double *constant)
{
    c->vars = s->pool_used;
    c->nvars = c->nfactors = 0;
    s->var_stamp[v] = s->stamp;
    if (!pool_push(s, v))
        return false;
    for (size_t i = c->vars; i < s->pool_used; i++) {
        int u = s->pool[i];
        for (size_t k = s->occ_at[u]; k < s->occ_at[u + 1]; k++) {
            int f = s->occ[k].factor;
            double value;
            if (s->done[f] || s->factor_stamp[f] == s->stamp)
                continue;
            s->factor_stamp[f] = s->stamp;
            if (is_constant(s, f, &value)) {
                *constant += value;
                s->done[f] = true;
                s->settled[s->nsettled++] = f;
                continue;
            }
            const zb_factor *a = &s->model->factor[f];
            for (int j = 0; j < a->arity; j++) {
                int w = a->scope[j];
                if (s->assigned[w] || s->var_stamp[w] == s->stamp)
                    continue;
                s->var_stamp[w] = s->stamp;
                if (!pool_push(s, w))
                    return false;
            }
        }
    }
    c->nvars = (int)(s->pool_used - c->vars);
    return true;
}

/* Factors of the component: those of its variables that are not done. */
static bool collect_factors(search *s, component *c)
{
    c->factors = s->pool_used;
    s->stamp++;
    for (int i = 0; i < c->nvars; i++) {
        int u = s->pool[c->vars + (size_t)i];
        for (size_t k = s->occ_at[u]; k < s->occ_at[u + 1]; k++) {
            int f = s->occ[k].factor;
            if (s->done[f] || s->factor_stamp[f] == s->stamp)
                continue;
            s->factor_stamp[f] = s->stamp;
            if (!pool_push(s, f))
                return false;
        }
    }
    c->nfactors = (int)(s->pool_used - c->factors);
    return true;
}

/* ---- the memo's key -------------------------------------------------------------- */

static void sort_list(int n, int *x)
{
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {
            int v = x[i], j = i;
            for (; j >= gap && x[j - gap] > v; j -= gap)
                x[j] = x[j - gap];
            x[j] = v;
        }
}

/* Large components hardly ever come back: their keys are not worth the sorting. */
enum { KEY_MOST = 4000 };

static size_t make_key(search *s, const component *c)
{
    size_t need = 3 * (size_t)c->nvars + 2 * (size_t)c->nfactors + 1, n = 0;
    if (c->nvars + c->nfactors > KEY_MOST)
        return 0;
    if (need > s->key_room) {
        zb_free(s->key);
        s->key_room = 2 * need;
        s->key = zb_alloc(s->key_room, sizeof *s->key);
        if (s->key == NULL) {
            s->key_room = 0;
            s->failed = s->late = true;
            return 0;
        }
    }
    sort_list(c->nvars, s->pool + c->vars);
    sort_list(c->nfactors, s->pool + c->factors);
    s->key[n++] = (uint32_t)c->nvars;
    for (int i = 0; i < c->nvars; i++) {
        int v = s->pool[c->vars + (size_t)i];
        s->key[n++] = (uint32_t)v;
        if (s->model->card[v] > 2) { /* a free variable may have lost some values */
            s->key[n++] = (uint32_t)s->domain[v];
            s->key[n++] = (uint32_t)(s->domain[v] >> 32);
        }
    }
    for (int i = 0; i < c->nfactors; i++) {
        int f = s->pool[c->factors + (size_t)i];
        s->key[n++] = (uint32_t)f;
        s->key[n++] = s->offset[f];
    }
    return n;
}

/* ---- the sum --------------------------------------------------------------------- */

static double count_component(search *s, const component *c);

/* What is left of the variables pool[from, to): constants, single variables,
 * components. */
static double count_rest(search *s, size_t from, size_t to)
{
    size_t mark = s->pool_used;
    double sum = 0;
    int found = 0, settled = s->nsettled;
    s->stamp++;
    /* find the components first: their lists stay on the pool while they are counted */
    for (size_t i = from; i < to && sum > -INFINITY; i++) {
        int v = s->pool[i];
        component c;
        if (s->assigned[v] || s->var_stamp[v] == s->stamp)
            continue;
        if (!collect(s, v, &c, &sum))
            return -INFINITY;
        if (!pool_push(s, c.nvars))
            return -INFINITY;
        found++;
    }
    size_t end = s->pool_used;
    component *parts = zb_alloc((size_t)found, sizeof *parts);
    if (parts == NULL) {
        s->failed = s->late = true;
        return -INFINITY;
    }
    for (int k = found - 1; k >= 0; k--) { /* lists are closed by their length */
        int n = s->pool[--end];
        end -= (size_t)n;
        parts[k] = (component){ .vars = end, .nvars = n };
    }
    for (int k = 0; k < found && sum > -INFINITY; k++)
        sum += count_component(s, &parts[k]);
    zb_free(parts);
    while (s->nsettled > settled)
        s->done[s->settled[--s->nsettled]] = false;
    s->pool_used = mark;
    return sum;
}

static bool out_of_time(search *s)
{
    if (s->late)
        return true;
    if ((s->branches & 255) == 0) {
        bool over = s->spec->deadline > 0 && zb_now() > s->spec->deadline;
        bool stop = s->spec->report != NULL && !s->spec->report(s->spec->context);
        s->late = over || stop;
    }
    return s->late;
}

/* Where the order is of no use (wide cliques) the variable that bites most: in many
   factors that few free variables are left of. */
static int busiest_variable(const search *s, const component *c)
{
    int best = s->pool[c->vars];
    for (int i = 0; i < c->nvars; i++)
        s->score[s->pool[c->vars + (size_t)i]] = 0;
    for (int i = 0; i < c->nfactors; i++) {
        int f = s->pool[c->factors + (size_t)i];
        const zb_factor *a = &s->model->factor[f];
        double bite =
            s->has_zero[f] ? ldexp(1, -2 * zb_min_int(s->nfree[f], 30)) : 1e-9;
        for (int k = 0; k < a->arity; k++)
            s->score[a->scope[k]] += bite;
    }
    for (int i = 0; i < c->nvars; i++) {
        int v = s->pool[c->vars + (size_t)i];
        if (s->score[v] > s->score[best])
            best = v;
    }
    return best;
}

static int branch_variable(const search *s, const component *c)
{
    int best = s->pool[c->vars];
    if (s->spec->wide)
        return busiest_variable(s, c);
    for (int i = 1; i < c->nvars; i++) {
        int v = s->pool[c->vars + (size_t)i];
        if (s->rank[v] > s->rank[best])
            best = v;
    }
    return best;
}

/* Factors of the component that an assignment has completed. */
static double finished_factors(const search *s, const component *c)
{
    double sum = 0;
    for (int i = 0; i < c->nfactors; i++) {
        int f = s->pool[c->factors + (size_t)i];
        if (s->nfree[f] == 0)
            sum += s->model->factor[f].value[s->offset[f]];
    }
    return sum;
}

static double branch(search *s, const component *c)
{
    int v = branch_variable(s, c);
    double sum = -INFINITY;
    for (uint64_t d = s->domain[v]; d != 0 && !out_of_time(s); d &= d - 1) {
        size_t mark = s->ntrail;
        s->branches++;
        if (narrow(s, v, d & -d) && propagate(s)) {
            double term = finished_factors(s, c);
            if (term > -INFINITY)
                term += count_rest(s, c->vars, c->vars + (size_t)c->nvars);
            sum = zb_log_add(sum, term);
        }
        undo(s, mark);
    }
    return sum;
}

static double count_component(search *s, const component *given)
{
    component c = *given;
    size_t mark = s->pool_used, length;
    double value;
    if (s->late || !collect_factors(s, &c))
        return -INFINITY;
    if (c.nfactors == 0) { /* one variable that nothing depends on */
        s->pool_used = mark;
        return log((double)__builtin_popcountll(s->domain[s->pool[c.vars]]));
    }
    length = make_key(s, &c);
    if (length > 0 && zb_memo_find(s->memo, s->key, length, &value)) {
        s->hits++;
        s->pool_used = mark;
        return value;
    }
    value = branch(s, &c);
    if (!s->late && (length = make_key(s, &c)) > 0)
        zb_memo_put(s->memo, s->key, length, value); /* a sum cut short is not kept */
    s->pool_used = mark;
    return value;
}

/* ---- construction ---------------------------------------------------------------- */

static zb_status load(search *s, const int *order)
{
    const zb_model *m = s->model;
    size_t nv = (size_t)m->nvars, nf = (size_t)m->nfactors, slots = 0, at = 0;
    for (int f = 0; f < m->nfactors; f++)
        slots += (size_t)m->factor[f].arity;
    s->rank = zb_alloc(nv, sizeof *s->rank);
    s->domain = zb_alloc(nv, sizeof *s->domain);
    s->assigned = zb_calloc(nv, sizeof *s->assigned);
    s->queue = zb_alloc(nv + 1, sizeof *s->queue);
    s->var_stamp = zb_calloc(nv, sizeof *s->var_stamp);
    s->factor_stamp = zb_calloc(nf, sizeof *s->factor_stamp);
    s->offset = zb_calloc(nf, sizeof *s->offset);
    s->nfree = zb_alloc(nf, sizeof *s->nfree);
    s->has_zero = zb_calloc(nf, sizeof *s->has_zero);
    s->done = zb_calloc(nf, sizeof *s->done);
    s->score = zb_alloc(nv, sizeof *s->score);
    s->lone = zb_alloc(nf, sizeof *s->lone);
    s->settled = zb_alloc(nf, sizeof *s->settled);
    s->stride_at = zb_alloc(nf + 1, sizeof *s->stride_at);
    s->stride = zb_alloc(slots, sizeof *s->stride);
    s->occ_at = zb_calloc(nv + 2, sizeof *s->occ_at);
    s->occ = zb_alloc(slots, sizeof *s->occ);
    if (!s->rank || !s->domain || !s->assigned || !s->queue || !s->var_stamp ||
        !s->factor_stamp || !s->offset || !s->nfree || !s->has_zero || !s->done ||
        !s->settled || !s->stride_at || !s->stride || !s->occ_at || !s->occ)
        return ZB_ENOMEM;
    for (int i = 0; i < m->nvars; i++) {
        s->rank[order[i]] = i;
        s->domain[i] = m->card[i] == 64 ? UINT64_MAX : ((uint64_t)1 << m->card[i]) - 1;
    }
    for (int f = 0; f < m->nfactors; f++)
        for (int i = 0; i < m->factor[f].arity; i++)
            s->occ_at[m->factor[f].scope[i] + 2]++;
    for (size_t v = 0; v < nv; v++)
        s->occ_at[v + 2] += s->occ_at[v + 1];
    for (int f = 0; f < m->nfactors; f++) {
        const zb_factor *a = &m->factor[f];
        uint32_t stride = 1;
        s->stride_at[f] = at;
        s->nfree[f] = a->arity;
        s->lone[f] = lone_entry(a);
        for (int i = a->arity - 1; i >= 0; i--) {
            s->stride[at + (size_t)i] = stride;
            s->occ[s->occ_at[a->scope[i] + 1]++] = (occurrence){ f, stride };
            stride *= (uint32_t)m->card[a->scope[i]];
        }
        for (size_t i = 0; i < a->size && !s->has_zero[f]; i++)
            s->has_zero[f] = a->value[i] == -INFINITY;
        at += (size_t)a->arity;
    }
    s->stride_at[nf] = at;
    return ZB_OK;
}

static bool suits(const zb_model *model)
{
    for (int v = 0; v < model->nvars; v++)
        if (model->card[v] > 64 || model->evidence[v] >= 0)
            return false;
    for (int f = 0; f < model->nfactors; f++)
        if (!model->factor[f].log || model->factor[f].size >= UINT32_MAX ||
            model->factor[f].arity == 0 || model->factor[f].arity > 64)
            return false;
    return true;
}

static void clear(search *s)
{
    void *owned[] = { s->score,    s->lone,  s->rank,      s->domain,
                      s->assigned, s->queue, s->var_stamp, s->factor_stamp,
                      s->offset,   s->nfree, s->has_zero,  s->stride_at,
                      s->stride,   s->done,  s->settled,   s->occ_at,
                      s->occ,      s->trail, s->pool,      s->key };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        zb_free(owned[i]);
    zb_memo_free(s->memo);
}

zb_status zb_count_run(const zb_model *model, const int *order,
                       const zb_count_spec *spec, zb_count_result *out)
{
    search s = { .model = model, .spec = spec };
    zb_status status;
    *out = (zb_count_result){ .log_z = -INFINITY };
    if (!suits(model))
        return ZB_EINVAL;
    TRY(load(&s, order));
    TRY(zb_memo_new(&s.memo, spec->memory));
    for (int v = 0; v < model->nvars; v++)
        TRY(pool_push(&s, v) ? ZB_OK : ZB_ENOMEM);
    bool possible = true;
    for (int f = 0; f < model->nfactors && possible; f++)
        possible = check_factor(&s, f);
    double sum = model->log_scale;
    if (possible && propagate(&s)) {
        for (int f = 0; f < model->nfactors; f++)
            if (s.nfree[f] == 0)
                sum += model->factor[f].value[s.offset[f]];
        sum += count_rest(&s, 0, (size_t)model->nvars);
    } else
        sum = -INFINITY;
    TRY(s.failed ? ZB_ENOMEM : ZB_OK);
    *out = (zb_count_result){
        .log_z = sum, .complete = !s.late, .branches = s.branches, .hits = s.hits
    };
done:
    clear(&s);
    return status;
}
