/* Greedy merging of factors. Each cluster of factors knows the neighbour with which it
 * would best be merged; a heap gives the best of all. A merge of A and B is worth
 *
 *   one for every shared variable (its degree falls by one, an equality factor less),
 *   more where it arrives at degree two, something where it is summed out,
 *   the size of every other cluster inside the joint scope, which can follow at no
 * cost, less something for every variable by which the larger scope grows.
 *
 * The third line is what finds plaquettes in a grid: three sides invite the fourth; the
 * second makes them meet at corners, as on a checkerboard.
 *
 * After a merge, the scores of the clusters at variables whose degree changed are
 * computed anew, the others at the new cluster are compared with it; what this misses
 * is seen when a cluster comes to the top, where its score is always computed again. At
 * variables of high degree only SIGHT clusters are looked at. */
#include "form/merge.h"

#include "base/heap.h"
#include "base/hold.h"
#include "base/rng.h"

#include <string.h>

enum { SIGHT = 16 };

typedef struct member {
    int var, where; /* where the cluster stands in the variable's list */
} member;

typedef struct cluster {
    int arity, partner;
    member *scope; /* sorted by variable; NULL: merged into another */
    bool owned;    /* scope is its own allocation, not in the pool of the first ones */
    double entries, score;
} cluster;

typedef struct planner {
    const zb_merge_rule *rule;
    const int *card;
    int nvars, count; /* variables, clusters */
    cluster *cluster;
    member *pool; /* of the scopes that were given */
    size_t *at;   /* the clusters of v: list[at[v]] and degree[v] - 1 more */
    int *list, *degree;
    zb_heap heap;         /* clusters, best first */
    int64_t *mark, stamp; /* stamps of the clusters met by followers */
    int *inside, *met;
    double *bring; /* by variable; zero between calls */
    zb_merge_plan *plan;
    zb_ticker *tick; /* once the time is over, nothing is merged any more */
    zb_hold hold;    /* of the arrays */
} planner;

static bool before(const void *clusters, int a, int b)
{
    const cluster *list = clusters;
    double x = list[a].score, y = list[b].score;
    return x > y || (x == y && a < b);
}

/* ---- scores ---------------------------------------------------------------------- */

static double worth(const planner *p, int v)
{
    int d = p->degree[v];
    return d == 2 ? p->rule->summed : d == 3 ? 1 + p->rule->finish : 1;
}

/* The k-th of the clusters of v that cluster a looks at. */
static int seen(const planner *p, int a, int v, int k)
{
    int d = p->degree[v];
    return p->list[p->at[v] + (size_t)(d <= SIGHT ? k : (a + k) % d)];
}

static int sight(const planner *p, int v) { return zb_min_int(p->degree[v], SIGHT); }

/* The one variable of c that is not in the joint scope. */
static int outside(const cluster *c, const int *joint, int n)
{
    int i = 0;
    for (int k = 0; k < c->arity; k++) {
        while (i < n && joint[i] < c->scope[k].var)
            i++;
        if (i == n || joint[i] != c->scope[k].var)
            return c->scope[k].var;
    }
    return c->scope[0].var; /* not reached: one is outside */
}

/* How much further merging into the joint scope of a and b is worth: the sizes of the
   other clusters inside, which can follow at no cost, and, if there is room for one
   variable more, half of what the best one would bring. */
static double outlook(planner *p, int a, int b, const int *joint, int n)
{
    double total = 0, most = 0;
    int met = 0;
    p->stamp++;
    zb_tick(p->tick, 10.0 * n * SIGHT);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < sight(p, joint[i]); k++) {
            int c = seen(p, a, joint[i], k);
            if (p->mark[c] != p->stamp) {
                p->mark[c] = p->stamp;
                p->inside[c] = 0;
                p->met[met++] = c;
            }
            if (++p->inside[c] == p->cluster[c].arity && c != a && c != b)
                total += p->cluster[c].arity;
        }
    for (int i = 0; i < met && n < p->rule->ibound; i++) {
        const cluster *c = &p->cluster[p->met[i]];
        if (p->inside[p->met[i]] != c->arity - 1 || p->met[i] == a || p->met[i] == b)
            continue;
        double *bring = &p->bring[outside(c, joint, n)];
        *bring += c->arity;
        most = fmax(most, *bring);
    }
    for (int i = 0; i < met && n < p->rule->ibound; i++) {
        const cluster *c = &p->cluster[p->met[i]];
        if (p->inside[p->met[i]] == c->arity - 1)
            p->bring[outside(c, joint, n)] = 0;
    }
    return total + p->rule->further * fmax(0, most - 1 - p->rule->growth);
}

static double noise(const planner *p, int a, int b)
{
    uint64_t pair = (uint64_t)zb_min_int(a, b) << 32 | (uint64_t)zb_max_int(a, b);
    zb_rng rng = zb_rng_seed(p->rule->seed * 0x9E3779B97F4A7C15u ^ pair);
    return p->rule->noise * zb_rng_uniform(&rng);
}

/* Union of two sorted scopes into joint (if not NULL); its size. */
static int unite(const cluster *a, const cluster *b, int *joint)
{
    int i = 0, j = 0, n = 0;
    while (i < a->arity || j < b->arity) {
        int x = i < a->arity ? a->scope[i].var : INT32_MAX;
        int y = j < b->arity ? b->scope[j].var : INT32_MAX;
        if (joint != NULL)
            joint[n] = x < y ? x : y;
        n++;
        i += x <= y;
        j += y <= x;
    }
    return n;
}

static double score(planner *p, int ka, int kb)
{
    const zb_merge_rule *rule = p->rule;
    const cluster *a = &p->cluster[ka], *b = &p->cluster[kb];
    int larger = zb_max_int(a->arity, b->arity), joint[ZB_MAX_AXES], left;
    double gain = 0, shared = 1;

    zb_tick(p->tick, 20 + 10.0 * larger);
    int n = unite(a, b, NULL);
    if (n > zb_max_int(rule->ibound, larger) || n >= ZB_MAX_AXES)
        return -INFINITY;
    unite(a, b, joint);
    left = n;
    for (int i = 0, j = 0; i < a->arity && j < b->arity;) {
        int x = a->scope[i].var, y = b->scope[j].var;
        if (x == y) {
            gain += worth(p, x);
            left -= p->degree[x] == 2;
            shared *= p->card[x];
        }
        i += x <= y;
        j += y <= x;
    }
    if (a->entries * b->entries / shared >
        fmax(rule->max_entries, fmax(a->entries, b->entries)))
        return -INFINITY;
    if (rule->smallest)
        return 1000 - left + gain / 1000 + noise(p, ka, kb);
    gain += outlook(p, ka, kb, joint, n);
    return gain - rule->growth * (left - larger) +
           (rule->noise > 0 ? noise(p, ka, kb) : 0);
}

static void update(planner *p, int k, int partner, double value)
{
    p->cluster[k].partner = partner;
    p->cluster[k].score = value;
    zb_heap_update(&p->heap, k, before, p->cluster);
}

/* The best partner of cluster k among those it sees. */
static void rescore(planner *p, int k)
{
    const cluster *a = &p->cluster[k];
    int best = -1;
    double most = -INFINITY;
    for (int i = 0; i < a->arity && !p->tick->over; i++) {
        int v = a->scope[i].var;
        for (int j = 0; j < sight(p, v); j++) {
            int b = seen(p, k, v, j);
            if (b == k || b == best)
                continue;
            double value = score(p, k, b);
            if (value > most || (value == most && value > -INFINITY && b < best))
                most = value, best = b;
        }
    }
    update(p, k, best, most);
}

/* ---- merging --------------------------------------------------------------------- */

static member *find(const cluster *a, int v)
{
    int low = 0, high = a->arity - 1;
    while (low < high) {
        int mid = (low + high) / 2;
        if (a->scope[mid].var < v)
            low = mid + 1;
        else
            high = mid;
    }
    return &a->scope[low];
}

/* Take the entry at where from the list of v. */
static void detach(planner *p, int v, int where)
{
    int *list = p->list + p->at[v], last = --p->degree[v];
    if (where == last)
        return;
    list[where] = list[last];
    find(&p->cluster[list[where]], v)->where = where;
}

/* Variables in one cluster only leave its scope. */
static void sum_out(planner *p, int k)
{
    cluster *a = &p->cluster[k];
    int n = 0;
    for (int i = 0; i < a->arity; i++) {
        int v = a->scope[i].var;
        if (p->degree[v] > 1) {
            a->scope[n++] = a->scope[i];
        } else {
            p->degree[v] = 0;
            a->entries /= p->card[v];
            p->plan->summed++;
        }
    }
    a->arity = n;
}

static void drop_scope(cluster *a)
{
    if (a->owned)
        zb_free(a->scope);
    a->scope = NULL;
    a->owned = false;
}

/* The scope of a becomes the union; lists follow. */
static zb_status join(planner *p, int ka, int kb)
{
    cluster *a = &p->cluster[ka], *b = &p->cluster[kb];
    member *scope = zb_alloc((size_t)(a->arity + b->arity), sizeof *scope);
    int i = 0, j = 0, n = 0;

    if (scope == NULL)
        return ZB_ENOMEM;
    while (i < a->arity || j < b->arity) {
        int x = i < a->arity ? a->scope[i].var : INT32_MAX;
        int y = j < b->arity ? b->scope[j].var : INT32_MAX;
        if (y < x) {
            p->list[p->at[y] + (size_t)b->scope[j].where] = ka;
            a->entries *= p->card[y];
        }
        scope[n++] = x <= y ? a->scope[i] : b->scope[j];
        i += x <= y;
        j += y <= x;
    }
    drop_scope(a);
    a->scope = scope;
    a->owned = true;
    a->arity = n;
    for (j = 0; j < b->arity; j++) {
        int v = b->scope[j].var;
        if (p->list[p->at[v] + (size_t)b->scope[j].where] == kb)
            detach(p, v, b->scope[j].where);
    }
    return ZB_OK;
}

/* New scores around cluster k, after b, whose scope is still there, went into it. */
static void spread(planner *p, int k, const cluster *b)
{
    const cluster *a = &p->cluster[k];
    for (int j = 0; j < b->arity; j++) {
        int v = b->scope[j].var; /* its worth changes at degrees three and two */
        for (int i = 0; p->degree[v] <= 3 && i < p->degree[v]; i++)
            if (seen(p, k, v, i) != k)
                rescore(p, seen(p, k, v, i));
    }
    for (int j = 0; j < a->arity; j++)
        for (int i = 0; i < sight(p, a->scope[j].var); i++) {
            int c = seen(p, k, a->scope[j].var, i);
            double value = c == k ? -INFINITY : score(p, c, k);
            if (c != k && (value > p->cluster[c].score || p->cluster[c].partner == k))
                update(p, c, k, value);
        }
    rescore(p, k);
}

static zb_status merge(planner *p, int a, int b)
{
    zb_status status = join(p, a, b);
    if (status != ZB_OK)
        return status;
    int *pair = p->plan->pair[p->plan->count++];
    pair[0] = a, pair[1] = b;
    sum_out(p, a);
    zb_heap_remove(&p->heap, b, before, p->cluster);
    spread(p, a, &p->cluster[b]);
    drop_scope(&p->cluster[b]);
    return ZB_OK;
}

static zb_status run(planner *p)
{
    while (p->heap.size > 0) {
        if (!zb_tick(p->tick, 100))
            return ZB_ELIMIT;
        int k = p->heap.item[0], partner = p->cluster[k].partner;
        double old = p->cluster[k].score;
        if (old == -INFINITY || (!p->rule->smallest && old <= 0))
            return ZB_OK;
        rescore(p, k);
        if (p->cluster[k].score != old || p->cluster[k].partner != partner)
            continue;
        zb_status status = merge(p, zb_min_int(k, partner), zb_max_int(k, partner));
        if (status != ZB_OK)
            return status;
    }
    return ZB_OK;
}

/* ---- setting up ------------------------------------------------------------------ */

static void planner_free(planner *p)
{
    for (int k = 0; p->cluster != NULL && k < p->count; k++)
        drop_scope(&p->cluster[k]);
    zb_hold_free(&p->hold);
}

static zb_status allocate(planner *p, const zb_scopes *s)
{
    size_t n = (size_t)s->nvars, m = (size_t)s->count;
    p->cluster = zb_hold_calloc(&p->hold, m, sizeof *p->cluster);
    p->pool = zb_hold_alloc(&p->hold, s->at[m], sizeof *p->pool);
    p->at = zb_hold_calloc(&p->hold, n + 1, sizeof *p->at);
    p->list = zb_hold_alloc(&p->hold, s->at[m], sizeof *p->list);
    p->degree = zb_hold_calloc(&p->hold, n, sizeof *p->degree);
    p->heap.item = zb_hold_alloc(&p->hold, m, sizeof *p->heap.item);
    p->heap.place = zb_hold_alloc(&p->hold, m, sizeof *p->heap.place);
    p->mark = zb_hold_calloc(&p->hold, m, sizeof *p->mark);
    p->inside = zb_hold_alloc(&p->hold, m, sizeof *p->inside);
    p->met = zb_hold_alloc(&p->hold, m, sizeof *p->met);
    p->bring = zb_hold_calloc(&p->hold, n, sizeof *p->bring);
    p->plan->pair = zb_alloc(m, sizeof *p->plan->pair);
    return p->plan->pair != NULL ? zb_hold_status(&p->hold) : ZB_ENOMEM;
}

/* Cluster k is scope k, sorted by insertion, and in the lists of its variables. */
static void fill(planner *p, const zb_scopes *s, int k)
{
    cluster *a = &p->cluster[k];
    int n = zb_scopes_arity(s, k);

    a->scope = p->pool + s->at[k];
    a->entries = 1;
    for (; a->arity < n; a->arity++) {
        int v = zb_scopes_of(s, k)[a->arity], i = a->arity;
        for (; i > 0 && a->scope[i - 1].var > v; i--)
            a->scope[i] = a->scope[i - 1];
        a->scope[i] = (member){ .var = v, .where = p->degree[v] };
        p->list[p->at[v] + (size_t)p->degree[v]++] = k;
        a->entries *= s->card[v];
    }
}

static zb_status set_up(planner *p, const zb_scopes *s)
{
    zb_status status;

    TRY(allocate(p, s));
    TRY(zb_tick(p->tick, 100.0 * s->count) ? ZB_OK : ZB_ELIMIT);
    for (size_t i = 0; i < s->at[s->count]; i++)
        p->at[s->var[i] + 1]++;
    for (int v = 0; v < s->nvars; v++)
        p->at[v + 1] += p->at[v];
    TRY(zb_tick(p->tick, 50.0 * s->count) ? ZB_OK : ZB_ELIMIT);
    for (int k = 0; k < s->count; k++) {
        TRY(zb_tick(p->tick, 100) ? ZB_OK : ZB_ELIMIT);
        fill(p, s, k);
    }
    for (int k = 0; k < s->count; k++) {
        TRY(zb_tick(p->tick, 50) ? ZB_OK : ZB_ELIMIT);
        sum_out(p, k);
    }
    for (int k = 0; k < s->count; k++) {
        p->cluster[k].score = -INFINITY, p->cluster[k].partner = -1;
        zb_heap_put(&p->heap, p->heap.size++, k);
    }
    for (int k = 0; k < s->count; k++)
        rescore(p, k);
    TRY(p->tick->over ? ZB_ELIMIT : ZB_OK);
done:
    return status;
}

zb_status zb_merge_plan_new(zb_merge_plan *out, const zb_scopes *s,
                            const zb_merge_rule *rule, zb_ticker *tick)
{
    planner p = { .rule = rule,
                  .card = s->card,
                  .nvars = s->nvars,
                  .count = s->count,
                  .plan = out,
                  .tick = tick };
    zb_status status;

    *out = (zb_merge_plan){ 0 };
    TRY(set_up(&p, s));
    TRY(run(&p));
    for (int k = 0; k < p.count; k++)
        out->entries += p.cluster[k].scope != NULL ? p.cluster[k].entries : 0;
    zb_merge_plan_rate(out, s->nvars, s->card, p.degree);
done:
    planner_free(&p);
    if (status != ZB_OK)
        zb_merge_plan_clear(out);
    return status;
}
