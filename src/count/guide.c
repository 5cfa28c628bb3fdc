/* Elimination in an order gives a tree of bags: that of v has v and the variables that
 * v is connected to when it goes; its parent is the bag of the first of these to go.
 * Parents that have nothing but what a child passes on are one with it. The middle is
 * the bag without which the largest piece of the rest is smallest. */
#include "count/guide.h"

#include "base/hold.h"

typedef struct guide {
    const zb_scopes *scopes;
    const int *order;
    zb_ticker *tick;
    int n;
    int *place;                /* of a variable in the order */
    int *scope_next, *scope_1; /* scopes by their first variable to go */
    size_t *at; /* bag i is var[at[i]] .. var[at[i + 1] - 1], by places */
    int *var;
    size_t used, room;
    int *parent;       /* of a bag; the last one has none: n */
    int *child, *next; /* the first one of a bag, and the next one of its parent */
    int *merged;       /* the bag it is one with: a descendant, or itself */
    int *home, *below, *piece; /* per bag: variables that go there, or there and below;
                                  the most of them below one child */
    int *seen;
    int *distance; /* per place: of the nearest bag with the variable; -1: not known */
    int *queue;
    zb_hold hold;
} guide;

static zb_status guide_open(guide *g)
{
    size_t n = (size_t)g->n + 1;
    int **list[] = { &g->place, &g->scope_1, &g->parent, &g->child,
                     &g->next,  &g->merged,  &g->home,   &g->below,
                     &g->piece, &g->seen,    &g->queue,  &g->distance };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        *list[i] = zb_hold_calloc(&g->hold, n, sizeof **list[i]);
    g->scope_next =
        zb_hold_alloc(&g->hold, (size_t)g->scopes->count, sizeof *g->scope_next);
    g->at = zb_hold_calloc(&g->hold, n, sizeof *g->at);
    if (g->hold.failed)
        return ZB_ENOMEM;
    for (int i = 0; i < g->n; i++) {
        g->place[g->order[i]] = i;
        g->scope_1[i] = g->child[i] = g->next[i] = g->distance[i] = -1;
        g->merged[i] = i;
        g->seen[i] = -1;
    }
    for (int s = 0; s < g->scopes->count; s++) {
        int first = g->n;
        for (int k = 0; k < zb_scopes_arity(g->scopes, s); k++)
            first = zb_min_int(first, g->place[zb_scopes_of(g->scopes, s)[k]]);
        if (first == g->n)
            continue;
        g->scope_next[s] = g->scope_1[first];
        g->scope_1[first] = s;
    }
    return ZB_OK;
}

/* ---- bags ------------------------------------------------------------------------ */

/* Into bag i: once, and not who has gone. */
static void join(guide *g, int i, int place)
{
    if (place < i || g->seen[place] == i)
        return;
    g->seen[place] = i;
    g->var[g->used++] = place;
}

static zb_status make_bag(guide *g, int i)
{
    zb_status status = ZB_OK;
    TRY(ZB_RESERVE(g->var, &g->room, g->used, g->used + (size_t)g->n) ? ZB_OK
                                                                      : ZB_ENOMEM);
    g->at[i] = g->used;
    join(g, i, i);
    for (int s = g->scope_1[i]; s >= 0; s = g->scope_next[s])
        for (int k = 0; k < zb_scopes_arity(g->scopes, s); k++)
            join(g, i, g->place[zb_scopes_of(g->scopes, s)[k]]);
    for (int c = g->child[i]; c >= 0; c = g->next[c]) {
        for (size_t k = g->at[c]; k < g->at[c + 1]; k++)
            join(g, i, g->var[k]);
        zb_tick(g->tick, 3.0 * (double)(g->at[c + 1] - g->at[c]));
    }
    g->at[i + 1] = g->used;
    TRY(zb_tick(g->tick, 50) && g->used <= ZB_GUIDE_MOST ? ZB_OK : ZB_ELIMIT);
done:
    return status;
}

/* Pieces that are not connected are, through bags that share nothing. */
static void find_parent(guide *g, int i)
{
    int to = g->n;
    for (size_t k = g->at[i] + 1; k < g->at[i + 1]; k++)
        to = zb_min_int(to, g->var[k]);
    if (to == g->n && i + 1 < g->n)
        to = i + 1;
    g->parent[i] = to;
    if (to == g->n)
        return;
    g->next[i] = g->child[to];
    g->child[to] = i;
}

static size_t bag_size(const guide *g, int i) { return g->at[i + 1] - g->at[i]; }

static void merge(guide *g, int i)
{
    int to = g->parent[i];
    if (to < g->n && g->merged[to] == to && bag_size(g, to) + 1 == bag_size(g, i))
        g->merged[to] = g->merged[i];
}

static zb_status make_bags(guide *g)
{
    zb_status status = ZB_OK;
    for (int i = 0; i < g->n; i++) {
        TRY(make_bag(g, i));
        find_parent(g, i);
    }
    for (int i = 0; i < g->n; i++)
        merge(g, i);
done:
    return status;
}

/* ---- the middle ------------------------------------------------------------------ */

/* Bags that are one: counted in the lowest of them, whose parent is then the parent of
   the topmost. A child's place is lower than its parent's. */
static int upper_of(const guide *g, int i)
{
    int to = g->parent[i];
    while (to < g->n && g->merged[to] == i)
        to = g->parent[to];
    return to < g->n ? g->merged[to] : g->n;
}

static int middle(guide *g)
{
    int best = 0, least = g->n + 1;
    for (int i = 0; i < g->n; i++)
        g->home[g->merged[i]]++;
    for (int i = 0; i < g->n; i++) {
        int to = g->parent[i];
        g->below[i]++;
        if (to == g->n)
            continue;
        g->below[to] += g->below[i];
        if (g->merged[to] != g->merged[i])
            g->piece[g->merged[to]] = zb_max_int(g->piece[g->merged[to]], g->below[i]);
    }
    for (int i = 0; i < g->n; i++) {
        int to = g->parent[i], m = g->merged[i];
        if (to < g->n && g->merged[to] == m)
            continue; /* not the topmost */
        int above = g->n - g->below[i] - ((int)bag_size(g, m) - g->home[m]);
        int worst = zb_max_int(above, g->piece[m]);
        if (worst < least) {
            least = worst;
            best = m;
        }
    }
    return best;
}

/* ---- distances ------------------------------------------------------------------- */

static void reach(guide *g, int i, int distance)
{
    for (size_t k = g->at[i]; k < g->at[i + 1]; k++)
        if (g->distance[g->var[k]] < 0)
            g->distance[g->var[k]] = distance;
}

/* From the middle up to the root; then down, parents before children: the variables of
   a bag that are not in its parent's are one step farther. Returns the farthest. */
static int measure(guide *g, int from)
{
    int *far = g->queue, most = 0, step = 0;
    for (int i = 0; i < g->n; i++)
        far[i] = -1;
    for (int i = from; i < g->n; i = upper_of(g, i), step++) {
        far[i] = step;
        reach(g, i, step);
    }
    for (int i = g->n - 1; i >= 0; i--) {
        int m = g->merged[i]; /* the topmost of those in one comes first */
        if (far[m] < 0)
            far[m] = far[upper_of(g, m)] + 1;
        if (g->distance[i] < 0)
            g->distance[i] = far[m];
        most = zb_max_int(most, g->distance[i]);
    }
    return most;
}

zb_status zb_guide_make(const zb_scopes *scopes, const int *order, zb_ticker *tick,
                        double *near)
{
    guide g = { .scopes = scopes, .order = order, .tick = tick, .n = scopes->nvars };
    zb_status status;
    for (int i = 0; i < g.n; i++)
        near[order[i]] = (i + 1.0) / g.n;
    if (g.n == 0)
        return ZB_OK;
    TRY(guide_open(&g));
    TRY(make_bags(&g));
    int most = measure(&g, middle(&g));
    for (int i = 0; i < g.n; i++)
        near[order[i]] = most > 0 ? 1 - g.distance[i] / (double)most : 1;
done:
    zb_free(g.var);
    zb_hold_free(&g.hold);
    return status == ZB_ELIMIT ? ZB_OK : status;
}
