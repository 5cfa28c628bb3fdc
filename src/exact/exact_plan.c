/* Symbolic elimination.
 *
 * The buckets are visited in a postorder of the tree, so that the live messages form a
 * stack; kept alternately at the two ends of one arena (by the parity of their depth),
 * a message is made while its inputs are still there, and no place is ever lost between
 * messages. For a bucket whose children c need peak_c while they are made and leave
 * room_c behind, the peak over an order of the children is
 *     max_i (room_1 + .. + room_(i-1) + peak_i),
 * least when peak_c - room_c descends (Liu 1986, as Sethi and Ullman for registers). */
#include "exact/exact_plan.h"

#include "order/order.h"

#include <stdlib.h>
#include <string.h>

typedef struct ranked {
    double key;
    int bucket;
} ranked;

typedef struct work {
    zb_elim *e;
    double *room, *peak; /* by bucket: what its message keeps, what making it takes */
    int **scope;         /* by bucket: the message's axes while not yet used */
    int *count;
    int *stamp, *rank, *axis;
    ranked *list;
    bool *chosen;
    zb_span *input;
    double live, most; /* bytes of the scopes */
    int last;          /* axes of the inputs of the last bucket */
} work;

double zb_elim_entries(const int *card, int count, const int *axis)
{
    double size = 1;
    for (int i = 0; i < count; i++)
        size *= card[axis[i]];
    return fmin(size, ZB_ELIM_HUGE);
}

static double round8(double x) { return 8 * ceil(x / 8); }

double zb_elim_room(double size, int axes)
{
    return round8(size) + round8(axes / 2 + 1);
}

static int compare_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int zb_elim_union(int count, const zb_span *input, int *stamp, int mark, int *axis)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < input[i].count; j++) {
            int a = input[i].axis[j];
            if (stamp[a] != mark)
                axis[n++] = a;
            stamp[a] = mark;
        }
    qsort(axis, (size_t)n, sizeof *axis, compare_int);
    return n;
}

/* Entries of the union of the joint scope (stamped) and one more. */
static double joined(const int *card, double size, const zb_span *s, const int *stamp,
                     int mark)
{
    for (int j = 0; j < s->count; j++)
        if (stamp[s->axis[j]] != mark)
            size *= card[s->axis[j]];
    return size;
}

/* Shell sort of rank by ascending size, then by index: no allocation, no context. */
static void sort_by_size(int count, const zb_span *input, int *rank)
{
    for (int i = 0; i < count; i++)
        rank[i] = i;
    for (int gap = count / 2; gap > 0; gap = gap == 2 ? 1 : (int)(gap / 2.2))
        for (int i = gap; i < count; i++) {
            int r = rank[i], j = i;
            for (; j >= gap; j -= gap) {
                int q = rank[j - gap];
                if (input[q].size < input[r].size ||
                    (input[q].size == input[r].size && q < r))
                    break;
                rank[j] = q;
            }
            rank[j] = r;
        }
}

int zb_elim_choose(const int *card, double clique, int count, const zb_span *input,
                   int *stamp, int mark, int *rank, bool *chosen)
{
    double limit = clique / 16, size = 1;
    int n = 0;

    memset(chosen, 0, (size_t)count * sizeof *chosen);
    if (count < 2 || (clique <= ZB_ELIM_DIRECT && count <= ZB_ELIM_INPUTS))
        return 0;
    sort_by_size(count, input, rank);
    for (int i = 0; i < count; i++) {
        const zb_span *s = &input[rank[i]];
        double more = joined(card, size, s, stamp, mark);
        bool must = count - n >= ZB_ELIM_INPUTS;
        if (more > limit && !must)
            continue;
        for (int j = 0; j < s->count; j++)
            stamp[s->axis[j]] = mark;
        chosen[rank[i]] = true;
        size = fmin(more, ZB_ELIM_HUGE);
        n++;
    }
    if (n == 1)
        memset(chosen, 0, (size_t)count * sizeof *chosen);
    return n == 1 ? 0 : n;
}

/* ---- construction ---------------------------------------------------------------- */

void zb_elim_free(zb_elim *e)
{
    if (e == NULL)
        return;
    void *part[] = {
        e->place,  e->card,    e->at,   e->axis,   e->factor_at, e->factor,
        e->parent, e->sibling, e->side, e->clique, e->schedule,  e->child
    };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        zb_free(part[i]);
    zb_free(e);
}

static zb_status place_variables(zb_elim *e, const zb_scopes *s, const int *order)
{
    for (int v = 0; v < e->n; v++)
        e->place[v] = -1;
    for (int t = 0; t < e->n; t++) {
        int v = order[t];
        if (v < 0 || v >= e->n || e->place[v] >= 0)
            return ZB_EINVAL;
        e->place[v] = t;
        e->card[t] = s->card[v];
    }
    return ZB_OK;
}

/* Factors' scopes in ascending axes, and the list of each bucket's factors. */
static void place_factors(zb_elim *e, const zb_scopes *s)
{
    e->at[0] = 0;
    for (int t = 0; t <= e->n; t++)
        e->factor_at[t] = 0;
    for (int f = 0; f < e->nfactors; f++) {
        const int *scope = zb_scopes_of(s, f);
        int *axis = e->axis + e->at[f], n = 0;
        for (int i = 0; i < zb_scopes_arity(s, f); i++)
            if (s->card[scope[i]] > 1)
                axis[n++] = e->place[scope[i]];
        qsort(axis, (size_t)n, sizeof *axis, compare_int);
        e->at[f + 1] = e->at[f] + (size_t)n;
        if (n > 0)
            e->factor_at[axis[0] + 1]++;
    }
    for (int t = 0; t < e->n; t++)
        e->factor_at[t + 1] += e->factor_at[t];
    int total = e->factor_at[e->n];
    for (int f = e->nfactors - 1; f >= 0; f--) /* backwards, so that lists ascend */
        if (e->at[f + 1] > e->at[f])
            e->factor[--e->factor_at[e->axis[e->at[f]] + 1]] = f;
    for (int t = 0; t < e->n; t++) /* the ends became beginnings, one place late */
        e->factor_at[t] = e->factor_at[t + 1];
    e->factor_at[e->n] = total;
}

static zb_status elim_alloc(zb_elim **out, const zb_scopes *s)
{
    size_t n = (size_t)s->nvars, nf = (size_t)s->count;
    zb_elim *e = zb_calloc(1, sizeof *e);
    *out = e;
    if (e == NULL)
        return ZB_ENOMEM;
    e->n = s->nvars;
    e->nfactors = s->count;
    bool ok = (e->place = zb_alloc(n, sizeof *e->place)) &&
              (e->card = zb_alloc(n, sizeof *e->card)) &&
              (e->at = zb_alloc(nf + 1, sizeof *e->at)) &&
              (e->axis = zb_alloc(s->at[nf], sizeof *e->axis)) &&
              (e->factor_at = zb_alloc(n + 2, sizeof *e->factor_at)) &&
              (e->factor = zb_alloc(nf, sizeof *e->factor)) &&
              (e->parent = zb_alloc(n, sizeof *e->parent)) &&
              (e->child = zb_alloc(n, sizeof *e->child)) &&
              (e->sibling = zb_alloc(n, sizeof *e->sibling)) &&
              (e->side = zb_alloc(n, sizeof *e->side)) &&
              (e->clique = zb_alloc(n, sizeof *e->clique)) &&
              (e->schedule = zb_alloc(n, sizeof *e->schedule));
    return ok ? ZB_OK : ZB_ENOMEM;
}

/* Bytes of all arrays by variable, by factor, by scope, in the plan and in the run. */
static double structure_bytes(const zb_scopes *s)
{
    return 320.0 * s->nvars + 240.0 * s->count + 8.0 * (double)s->at[s->count] +
           ZB_ELIM_FIXED;
}

static zb_status work_alloc(work *w, zb_elim *e)
{
    size_t n = (size_t)e->n, all = n + (size_t)e->nfactors;
    memset(w, 0, sizeof *w);
    w->e = e;
    bool ok = (w->room = zb_alloc(n, sizeof *w->room)) &&
              (w->peak = zb_alloc(n, sizeof *w->peak)) &&
              (w->scope = zb_calloc(n, sizeof *w->scope)) &&
              (w->count = zb_alloc(n, sizeof *w->count)) &&
              (w->stamp = zb_alloc(n, sizeof *w->stamp)) &&
              (w->axis = zb_alloc(n, sizeof *w->axis)) &&
              (w->list = zb_alloc(n, sizeof *w->list)) &&
              (w->rank = zb_alloc(all, sizeof *w->rank)) &&
              (w->chosen = zb_alloc(all, sizeof *w->chosen)) &&
              (w->input = zb_alloc(all, sizeof *w->input));
    for (int t = 0; ok && t < e->n; t++)
        w->stamp[t] = -1;
    return ok ? ZB_OK : ZB_ENOMEM;
}

static void work_free(work *w)
{
    for (int t = 0; w->scope != NULL && t < w->e->n; t++)
        zb_free(w->scope[t]);
    void *part[] = { w->room, w->peak, w->scope, w->count,  w->stamp,
                     w->axis, w->list, w->rank,  w->chosen, w->input };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        zb_free(part[i]);
}

/* ---- one bucket ------------------------------------------------------------------ */

static int compare_rank(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    return (x->bucket > y->bucket) - (x->bucket < y->bucket);
}

/* Order the children of t by descending peak - room. */
static void sort_children(work *w, int t)
{
    zb_elim *e = w->e;
    int n = 0;
    for (int c = e->child[t]; c >= 0; c = e->sibling[c])
        w->list[n++] = (ranked){ w->peak[c] - w->room[c], c };
    qsort(w->list, (size_t)n, sizeof *w->list, compare_rank);
    for (int i = n - 1, next = -1; i >= 0; next = w->list[i--].bucket) {
        e->sibling[w->list[i].bucket] = next;
        e->child[t] = w->list[i].bucket;
    }
}

static int collect(work *w, int t)
{
    const zb_elim *e = w->e;
    int n = 0;
    for (int c = e->child[t]; c >= 0; c = e->sibling[c])
        w->input[n++] = (zb_span){ w->scope[c], w->count[c],
                                   zb_elim_entries(e->card, w->count[c], w->scope[c]) };
    for (int i = e->factor_at[t]; i < e->factor_at[t + 1]; i++) {
        size_t at = e->at[e->factor[i]];
        int count = (int)(e->at[e->factor[i] + 1] - at);
        w->input[n++] = (zb_span){ e->axis + at, count,
                                   zb_elim_entries(e->card, count, e->axis + at) };
    }
    return n;
}

/* Arena for the copies of the bucket's factors and for the product of the chosen
 * inputs.
 */
static double scratch(work *w, int t, int inputs)
{
    const zb_elim *e = w->e;
    double room = 0;
    int nfactors = e->factor_at[t + 1] - e->factor_at[t], mark = t + e->n;

    for (int i = inputs - nfactors; i < inputs; i++)
        room += zb_elim_room(w->input[i].size, w->input[i].count);
    if (zb_elim_choose(e->card, e->clique[t], inputs, w->input, w->stamp, mark, w->rank,
                       w->chosen) > 0) {
        int n = 0;
        for (int i = 0; i < inputs; i++)
            if (w->chosen[i])
                w->input[n++] = w->input[i];
        n = zb_elim_union(n, w->input, w->stamp, mark + e->n, w->axis);
        room += zb_elim_room(zb_elim_entries(e->card, n, w->axis), n);
    }
    return room;
}

static zb_status keep_scope(work *w, int t, int count, const int *axis)
{
    size_t bytes = (size_t)count * sizeof *axis;
    if ((w->scope[t] = zb_alloc((size_t)count, sizeof *axis)) == NULL)
        return ZB_ENOMEM;
    memcpy(w->scope[t], axis, bytes);
    w->count[t] = count;
    w->live += (double)bytes + 64;
    w->most = fmax(w->most, w->live);
    return ZB_OK;
}

static void drop_children(work *w, int t)
{
    for (int c = w->e->child[t]; c >= 0; c = w->e->sibling[c]) {
        zb_free(w->scope[c]);
        w->scope[c] = NULL;
        w->live -= (double)w->count[c] * sizeof(int) + 64;
    }
}

static zb_status eliminate(work *w, int t)
{
    zb_elim *e = w->e;
    zb_exact_plan *cost = &e->cost;
    zb_status status = ZB_OK;

    sort_children(w, t);
    int inputs = collect(w, t);
    e->max_inputs = zb_max_int(e->max_inputs, inputs);
    int n = zb_elim_union(inputs, w->input, w->stamp, t, w->axis);
    w->last = 0;
    for (int i = 0; i < inputs; i++)
        w->last += w->input[i].count;
    e->clique[t] = n > 0 ? zb_elim_entries(e->card, n, w->axis) : e->card[t];
    double size = n > 1 ? zb_elim_entries(e->card, n - 1, w->axis + 1) : 1;
    w->room[t] = zb_elim_room(size, n);
    if (n > 1) {
        e->parent[t] = w->axis[1];
        e->sibling[t] = e->child[e->parent[t]];
        e->child[e->parent[t]] = t;
        TRY(keep_scope(w, t, n - 1, w->axis + 1));
    }
    double live = 0, peak = 0;
    for (int c = e->child[t]; c >= 0; c = e->sibling[c]) {
        peak = fmax(peak, live + w->peak[c]);
        live += w->room[c];
    }
    w->peak[t] = fmax(peak, live + scratch(w, t, inputs) + w->room[t]);
    w->peak[t] = fmin(w->peak[t], ZB_ELIM_HUGE);
    cost->width = zb_max_int(cost->width, n - 1);
    cost->largest = fmax(cost->largest, e->clique[t]);
    cost->total = fmin(cost->total + e->clique[t], ZB_ELIM_HUGE);
    e->arena = fmax(e->arena, w->peak[t]);
    drop_children(w, t);
done:
    return status;
}

/* A postorder that visits children in their order: the reverse of a preorder that
   visits them backwards. */
static void make_schedule(zb_elim *e, int *stack)
{
    int at = e->n;
    for (int root = e->n - 1; root >= 0; root--) {
        int depth = 0;
        if (e->parent[root] >= 0)
            continue;
        e->side[root] = false;
        stack[depth++] = root;
        while (depth > 0) {
            int t = stack[--depth];
            e->schedule[--at] = t;
            for (int c = e->child[t]; c >= 0; c = e->sibling[c]) {
                e->side[c] = !e->side[t];
                stack[depth++] = c;
            }
        }
    }
}

zb_status zb_elim_new(zb_elim **out, const zb_scopes *s, const int *order, zb_run *run)
{
    zb_elim *e = NULL;
    work w = { 0 };
    zb_ticker ticker = { .run = run };
    zb_status status;

    *out = NULL;
    TRY(elim_alloc(&e, s));
    TRY(place_variables(e, s, order));
    place_factors(e, s);
    for (int t = 0; t < e->n; t++)
        e->parent[t] = e->child[t] = e->sibling[t] = -1;
    TRY(work_alloc(&w, e));
    for (int t = 0; t < e->n; t++) {
        TRY(zb_tick(&ticker, 200.0 + 20.0 * w.last) ? ZB_OK : ZB_ELIMIT);
        TRY(eliminate(&w, t));
    }
    make_schedule(e, w.axis);
    e->cost.bytes = structure_bytes(s) + w.most + 8 * e->arena;
    *out = e, e = NULL;
done:
    work_free(&w);
    zb_elim_free(e);
    return status;
}

/* The elimination tree of a wide order takes long to lay out: where it could never be
   run, the cliques alone tell. */
zb_status zb_exact_forecast(const zb_scopes *s, const int *order, zb_run *run,
                            zb_exact_plan *out)
{
    static const double NEVER = 1e24; /* entries */
    zb_elim *e = NULL;
    zb_order_cost cost;
    zb_status status;
    TRY(zb_order_evaluate(s, order, run, &cost));
    if (cost.total > NEVER) {
        *out = (zb_exact_plan){ .width = cost.width,
                                .largest = cost.largest,
                                .total = cost.total,
                                .bytes = sizeof(double) * fmin(cost.largest, 1e300) };
        return ZB_OK;
    }
    TRY(zb_elim_new(&e, s, order, run));
    *out = e->cost;
done:
    zb_elim_free(e);
    return status;
}
