#include "auto/cutset.h"

#include "base/explog.h"
#include "order/order.h"

#include <string.h>

/* Cliques that are longer together take too long to look through again and again. */
static const size_t POSITIONS_MOST = 50000000;
static const double LOOKS_MOST = 1e9; /* positions: seconds */

/* Cliques of an order as sorted lists of positions, by the elimination tree: the clique
   of a position is its scopes' later positions and its children's cliques less
   themselves. */
typedef struct cliques {
    const zb_scopes *scopes;
    const int *order;
    int n;
    size_t *at; /* n + 1 */
    int *pos;   /* positions, each clique without its own */
    size_t used, room;
} cliques;

static bool push(cliques *c, int position)
{
    if (c->used == POSITIONS_MOST)
        return false;
    if (c->used == c->room) {
        size_t room = 2 * c->room + 1024;
        int *bigger = zb_resize(c->pos, c->used, room, sizeof *bigger);
        if (bigger == NULL)
            return false;
        c->pos = bigger;
        c->room = room;
    }
    c->pos[c->used++] = position;
    return true;
}

static void sort_ints(size_t n, int *x)
{
    for (size_t gap = n / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < n; i++) {
            int v = x[i];
            size_t j = i;
            for (; j >= gap && x[j - gap] > v; j -= gap)
                x[j] = x[j - gap];
            x[j] = v;
        }
}

typedef struct work {
    const zb_scopes *s;
    int *pos, *stamp;
    int *scope_head, *scope_next; /* scopes by their first position */
    int *child_head, *child_next; /* cliques by their parent */
} work;

static bool gather_clique(cliques *c, work *w, int p)
{
    size_t begin = c->used;
    w->stamp[p] = p;
    for (int i = w->scope_head[p]; i >= 0; i = w->scope_next[i])
        for (int k = 0; k < zb_scopes_arity(w->s, i); k++) {
            int q = w->pos[zb_scopes_of(w->s, i)[k]];
            if (w->stamp[q] != p && (w->stamp[q] = p, !push(c, q)))
                return false;
        }
    for (int child = w->child_head[p]; child >= 0; child = w->child_next[child])
        for (size_t k = c->at[child]; k < c->at[child + 1]; k++) {
            int q = c->pos[k];
            if (w->stamp[q] != p && (w->stamp[q] = p, !push(c, q)))
                return false;
        }
    sort_ints(c->used - begin, c->pos + begin);
    if (c->used > begin) {
        int parent = c->pos[begin];
        w->child_next[p] = w->child_head[parent];
        w->child_head[parent] = p;
    }
    c->at[p + 1] = c->used;
    return true;
}

static zb_status find_cliques(cliques *c, zb_run *run)
{
    const zb_scopes *s = c->scopes;
    const int *order = c->order;
    zb_ticker ticker = { .run = run };
    size_t n = (size_t)s->nvars;
    work w = { .s = s };
    zb_status status = ZB_ENOMEM;
    c->n = s->nvars;
    c->at = zb_calloc(n + 1, sizeof *c->at);
    int *block = zb_alloc(5 * n + (size_t)s->count, sizeof *block);
    if (c->at == NULL || block == NULL)
        goto done;
    w.pos = block;
    w.stamp = block + n;
    w.scope_head = block + 2 * n;
    w.child_head = block + 3 * n;
    w.child_next = block + 4 * n;
    w.scope_next = block + 5 * n;
    for (int i = 0; i < s->nvars; i++) {
        w.pos[order[i]] = i;
        w.stamp[i] = w.scope_head[i] = w.child_head[i] = w.child_next[i] = -1;
    }
    for (int f = 0; f < s->count; f++) {
        int first = s->nvars;
        for (int k = 0; k < zb_scopes_arity(s, f); k++)
            first = zb_min_int(first, w.pos[zb_scopes_of(s, f)[k]]);
        if (first < s->nvars) {
            w.scope_next[f] = w.scope_head[first];
            w.scope_head[first] = f;
        }
    }
    status = ZB_OK;
    for (int p = 0; p < s->nvars && status == ZB_OK; p++) {
        size_t before = c->used;
        if (!gather_clique(c, &w, p))
            status = c->used == POSITIONS_MOST ? ZB_ELIMIT : ZB_ENOMEM;
        else if (!zb_tick(&ticker, 50 + 10 * (double)(c->used - before)))
            status = ZB_ELIMIT;
    }
done:
    zb_free(block);
    return status;
}

/* Entries of all cliques under the given logarithms of cardinalities, and for every
   position the entries of the cliques that contain it. */
static double weigh(const cliques *c, const double *log_card, double *share)
{
    double total = 0;
    for (int p = 0; p < c->n; p++)
        share[p] = 0;
    for (int p = 0; p < c->n; p++) {
        double size = log_card[p];
        for (size_t k = c->at[p]; k < c->at[p + 1]; k++)
            size += log_card[c->pos[k]];
        size = zb_exp(fmin(size, 690));
        total += size;
        share[p] += size;
        for (size_t k = c->at[p]; k < c->at[p + 1]; k++)
            share[c->pos[k]] += size;
    }
    return total;
}

/* The position that saves most for its price. */
static int best_cut(const cliques *c, const double *log_card, const double *share,
                    const double *price, double total)
{
    int best = -1;
    double most = 0;
    for (int p = 0; p < c->n; p++) {
        if (log_card[p] == 0)
            continue;
        double left = 1 - share[p] / total * (1 - zb_exp(-log_card[p]));
        double cost = price != NULL ? price[c->order[p]] : log_card[p];
        double gain = -zb_log(fmax(left, 1e-12)) / cost;
        if (gain > most) {
            most = gain;
            best = p;
        }
    }
    return best;
}

/* Cut variables until the cliques have so many entries left. */
static zb_status cut(zb_cutset *cutset, const cliques *c, const zb_cutset_request *r)
{
    const zb_scopes *s = c->scopes;
    const int *order = c->order;
    double *log_card = zb_alloc(2 * (size_t)c->n, sizeof *log_card);
    if (log_card == NULL)
        return ZB_ENOMEM;
    double *share = log_card + c->n;
    for (int p = 0; p < c->n; p++)
        log_card[p] = zb_log(s->card[order[p]]);
    zb_status status = ZB_OK;
    cutset->slices = 1;
    while ((cutset->total = weigh(c, log_card, share)) > r->entries) {
        int p = best_cut(c, log_card, share, r->price, cutset->total);
        double looked = (double)(c->used + (size_t)c->n) * cutset->count;
        if (p < 0 || cutset->count == r->most || looked > LOOKS_MOST ||
            !zb_run_more(r->run)) {
            status = ZB_ELIMIT;
            break;
        }
        cutset->var[cutset->count++] = order[p];
        cutset->slices *= s->card[order[p]];
        log_card[p] = 0;
    }
    zb_free(log_card);
    return status;
}

/* Without `most` of its variables, the largest clique has so many binary ones left. */
static bool is_hopeless(const zb_order_cost *cost, double entries, int most)
{
    return (cost->width + 1 - most) * zb_log(2) > zb_log(fmax(entries, 1));
}

zb_status zb_cutset_choose(zb_cutset **out, const zb_cutset_request *r)
{
    cliques c = { .scopes = r->scopes, .order = r->order };
    zb_order_cost cost;
    zb_cutset *cutset = zb_calloc(1, sizeof *cutset);
    zb_status status = ZB_ENOMEM;

    *out = NULL;
    if (cutset == NULL)
        return ZB_ENOMEM;
    TRY(zb_order_evaluate(r->scopes, r->order, r->run, &cost));
    TRY(is_hopeless(&cost, r->entries, r->most) ? ZB_ELIMIT : ZB_OK);
    cutset->var = zb_alloc((size_t)r->most, sizeof *cutset->var);
    TRY(cutset->var != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(find_cliques(&c, r->run));
    TRY(cut(cutset, &c, r));
    *out = cutset, cutset = NULL;
done:
    zb_free(c.at);
    zb_free(c.pos);
    zb_cutset_free(cutset);
    return status;
}

zb_status zb_cutset_find(zb_cutset **out, const zb_scopes *scopes, const int *order,
                         double entries, int most, zb_run *run)
{
    zb_cutset_request r = {
        .scopes = scopes, .order = order, .entries = entries, .most = most, .run = run
    };
    return zb_cutset_choose(out, &r);
}

void zb_cutset_free(zb_cutset *cutset)
{
    if (cutset == NULL)
        return;
    zb_free(cutset->var);
    zb_free(cutset);
}
