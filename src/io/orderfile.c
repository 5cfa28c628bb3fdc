/* Elimination orders: lists, and tree decompositions in the format of the PACE
 * challenges.
 *
 * A decomposition becomes an order by walking its tree from the leaves to the root and
 * eliminating, at each bag, the variables that its parent lacks. Their neighbours not
 * yet eliminated all lie in the bag, so no clique exceeds it. A variable whose bags are
 * not connected would be eliminated twice, which is how that is noticed. */
#include "io/formats.h"

#include <limits.h>
#include <string.h>

typedef struct bag {
    int number;   /* in the file, from 1 */
    size_t first; /* of its variables */
    int size;
    int64_t line;
} bag;

typedef struct edge {
    int end[2]; /* bags, from 0 */
} edge;

typedef struct decomposition {
    zb_scan *in;
    int nvars, nbags, most; /* as announced; most: variables in a bag */
    int64_t header_line;
    bag *bags; /* as they come */
    size_t bags_used, bags_room;
    int *var; /* their variables, from 0 */
    size_t var_used, var_room;
    edge *edges;
    size_t edges_used, edges_room;
    int *mark; /* per variable: the last bag that had it */
    /* per bag, numbered from 0 */
    int *place;        /* in bags, -1: nowhere */
    int *near_at;      /* offsets into near, one more than there are bags */
    int *near;         /* the bags that edges lead to */
    int *queue, *from; /* from the root outward; from: the parent, -1 for the root */
} decomposition;

/* ---- the file -------------------------------------------------------------------- */

static bool tells_decomposition(const zb_scan *in)
{
    return zb_scan_is(in, "c") || zb_scan_is(in, "s");
}

/* s td BAGS MOST VARIABLES, after any comment lines; the first word has been read. */
static zb_status read_header(decomposition *d)
{
    int64_t bags, most, vars;
    zb_status status = ZB_OK;

    while (zb_scan_is(d->in, "c")) {
        TRY(zb_scan_skip_line(d->in));
        TRY(zb_scan_word(d->in));
    }
    if (!zb_scan_is(d->in, "s"))
        return zb_scan_expected(d->in, "a line that begins with 's td'");
    d->header_line = d->in->line;
    TRY(zb_scan_word(d->in));
    if (!zb_scan_is(d->in, "td"))
        return zb_scan_expected(d->in, "'td'");
    TRY(zb_scan_int(d->in, 0, INT_MAX / 2, "the number of bags", &bags));
    TRY(zb_scan_int(d->in, 0, INT_MAX, "the size of the largest bag", &most));
    TRY(zb_scan_int(d->in, 0, INT_MAX, "the number of variables", &vars));
    if (vars != d->nvars)
        return zb_scan_expected(d->in, "%d, the number of variables", d->nvars);
    d->nbags = (int)bags;
    d->most = (int)most;
done:
    return status;
}

/* After the word b: the bag's number, and variables to the end of the line. */
static zb_status read_bag(decomposition *d)
{
    bag b = { .first = d->var_used, .line = d->in->line };
    int64_t n, v;
    zb_status status;

    TRY(zb_scan_int(d->in, 1, d->nbags, "a bag", &n));
    b.number = (int)n;
    for (;; b.size++) {
        TRY(zb_scan_word(d->in));
        zb_scan_unread(d->in);
        if (d->in->length == 0 || d->in->line != b.line)
            break;
        TRY(zb_scan_int(d->in, 1, d->nvars, "a variable", &v));
        if (b.size == d->most)
            return zb_scan_expected(d->in, "at most %d variables in a bag", d->most);
        if (d->mark[v - 1] == (int)d->bags_used + 1)
            return zb_scan_expected(d->in, "each variable once in a bag");
        d->mark[v - 1] = (int)d->bags_used + 1;
        ZB_GROW(d->var, d->var_room, d->var_used, SIZE_MAX);
        d->var[d->var_used++] = (int)v - 1;
    }
    if (d->bags_used == (size_t)d->nbags)
        return zb_scan_fail(d->in, b.line, "expected %d bags, found more", d->nbags);
    ZB_GROW(d->bags, d->bags_room, d->bags_used, (size_t)d->nbags);
    d->bags[d->bags_used++] = b;
done:
    return status;
}

static zb_status read_edge(decomposition *d)
{
    int64_t a, b;
    zb_status status;

    TRY(zb_scan_int(d->in, 1, d->nbags, "a bag", &a));
    TRY(zb_scan_int(d->in, 1, d->nbags, "a bag", &b));
    if (a == b)
        return zb_scan_expected(d->in, "two different bags");
    ZB_GROW(d->edges, d->edges_room, d->edges_used, (size_t)d->nbags);
    d->edges[d->edges_used++] = (edge){ { (int)a - 1, (int)b - 1 } };
    if (d->edges_used == (size_t)d->nbags)
        return zb_scan_fail(d->in, d->in->line,
                            "expected a tree, found %zu edges on %d bags",
                            d->edges_used, d->nbags);
done:
    return status;
}

static zb_status read_body(decomposition *d)
{
    zb_status status;

    d->mark = zb_calloc((size_t)d->nvars, sizeof *d->mark);
    TRY(d->mark != NULL ? ZB_OK : ZB_ENOMEM);
    for (;;) {
        TRY(zb_scan_word(d->in));
        if (d->in->length == 0)
            break;
        if (zb_scan_is(d->in, "c")) {
            TRY(zb_scan_skip_line(d->in));
        } else if (zb_scan_is(d->in, "b")) {
            TRY(read_bag(d));
        } else {
            zb_scan_unread(d->in);
            TRY(read_edge(d));
        }
    }
    if (d->bags_used < (size_t)d->nbags)
        return zb_scan_fail(d->in, d->in->line,
                            "expected %d bags, found %zu and the end of the file",
                            d->nbags, d->bags_used);
done:
    return status;
}

/* ---- the tree -------------------------------------------------------------------- */

static zb_status place_bags(decomposition *d)
{
    size_t n = (size_t)d->nbags;

    d->place = zb_alloc(n, sizeof(int));
    d->near_at = zb_calloc(n + 1, sizeof(int));
    d->near = zb_alloc(2 * n, sizeof(int));
    d->queue = zb_alloc(n, sizeof(int));
    d->from = zb_alloc(n, sizeof(int));
    if (d->place == NULL || d->near_at == NULL || d->near == NULL || d->queue == NULL ||
        d->from == NULL)
        return ZB_ENOMEM;
    for (size_t i = 0; i < n; i++)
        d->place[i] = -1;
    for (size_t i = 0; i < n; i++) {
        int *place = &d->place[d->bags[i].number - 1];
        if (*place >= 0)
            return zb_scan_fail(d->in, d->bags[i].line,
                                "expected each bag once, found '%d' again",
                                d->bags[i].number);
        *place = (int)i;
    }
    return ZB_OK;
}

/* near_at and near from the edges, by counting. */
static void link_bags(decomposition *d)
{
    for (size_t i = 0; i < d->edges_used; i++)
        for (int side = 0; side < 2; side++)
            d->near_at[d->edges[i].end[side]]++;
    for (int b = 0; b < d->nbags; b++)
        d->near_at[b + 1] += d->near_at[b]; /* where b ends; it falls to its start */
    for (size_t i = 0; i < d->edges_used; i++)
        for (int side = 0; side < 2; side++)
            d->near[--d->near_at[d->edges[i].end[side]]] = d->edges[i].end[1 - side];
}

/* Breadth first from bag 0; fewer than all are reached when it is no tree. */
static zb_status walk(decomposition *d)
{
    int used = 0;

    if (d->nbags == 0)
        return ZB_OK;
    for (int b = 0; b < d->nbags; b++)
        d->from[b] = -2;
    d->from[0] = -1;
    d->queue[used++] = 0;
    for (int i = 0; i < used; i++) {
        int b = d->queue[i];
        for (int j = d->near_at[b]; j < d->near_at[b + 1]; j++)
            if (d->from[d->near[j]] == -2) {
                d->from[d->near[j]] = b;
                d->queue[used++] = d->near[j];
            }
    }
    if (used < d->nbags)
        return zb_scan_fail(d->in, d->header_line,
                            "expected a tree of %d bags, found %d connected to bag 1",
                            d->nbags, used);
    return ZB_OK;
}

/* Variables of b that its parent lacks, into order; mark is 0 for those done. */
static zb_status eliminate(decomposition *d, int b, int *order, int *used)
{
    const bag *here = &d->bags[d->place[b]];

    for (int i = 0; d->from[b] >= 0 && i < d->bags[d->place[d->from[b]]].size; i++) {
        int v = d->var[d->bags[d->place[d->from[b]]].first + (size_t)i];
        if (d->mark[v] > 0)
            d->mark[v] = b + 2; /* kept for the parent */
    }
    for (int i = 0; i < here->size; i++) {
        int v = d->var[here->first + (size_t)i];
        if (d->mark[v] == b + 2)
            continue;
        if (d->mark[v] == 0)
            return zb_scan_fail(d->in, here->line,
                                "expected the bags of each variable to be connected, "
                                "found those of %d apart",
                                v + 1);
        d->mark[v] = 0;
        order[(*used)++] = v;
    }
    return ZB_OK;
}

static zb_status make_order(decomposition *d, int *order)
{
    int used = 0;
    zb_status status = ZB_OK;

    TRY(place_bags(d));
    link_bags(d);
    TRY(walk(d));
    for (int v = 0; v < d->nvars; v++) {
        if (d->mark[v] == 0)
            return zb_scan_fail(d->in, d->header_line,
                                "expected every variable in some bag, found %d in none",
                                v + 1);
        d->mark[v] = 1;
    }
    for (int i = d->nbags - 1; i >= 0; i--)
        TRY(eliminate(d, d->queue[i], order, &used));
done:
    return status;
}

static zb_status parse_decomposition(int *order, int nvars, zb_scan *in)
{
    decomposition d = { .in = in, .nvars = nvars };
    zb_status status;

    TRY(read_header(&d));
    TRY(read_body(&d));
    TRY(make_order(&d, order));
done:
    zb_free(d.bags);
    zb_free(d.var);
    zb_free(d.edges);
    zb_free(d.mark);
    zb_free(d.place);
    zb_free(d.near_at);
    zb_free(d.near);
    zb_free(d.queue);
    zb_free(d.from);
    return status;
}

/* ---- lists ----------------------------------------------------------------------- */

static zb_status parse_list(int *order, int nvars, zb_scan *in)
{
    bool *used = zb_calloc((size_t)nvars, sizeof *used);
    int64_t n, v;
    zb_status status;

    TRY(used != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_scan_int(in, INT64_MIN, INT64_MAX, "the number of variables", &n));
    if (n != nvars)
        TRY(zb_scan_expected(in, "%d, the number of variables", nvars));
    for (int i = 0; i < nvars; i++) {
        TRY(zb_scan_int(in, 0, nvars - 1, "a variable", &v));
        if (used[v])
            TRY(zb_scan_expected(in, "each variable once in the order"));
        used[v] = true;
        order[i] = (int)v;
    }
    TRY(zb_scan_end(in));
done:
    zb_free(used);
    return status;
}

zb_status zb_order_parse(int *order, int nvars, zb_scan *in)
{
    int *found = zb_alloc((size_t)nvars, sizeof *found);
    zb_status status;

    TRY(found != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_scan_word(in));
    bool decomposed = tells_decomposition(in);
    if (!decomposed)
        zb_scan_unread(in);
    TRY(decomposed ? parse_decomposition(found, nvars, in)
                   : parse_list(found, nvars, in));
    if (nvars > 0)
        memcpy(order, found, (size_t)nvars * sizeof *found);
done:
    if (status == ZB_ENOMEM)
        zb_fail(in->err, status, "%s: not enough memory to read it", in->name);
    zb_free(found);
    return status;
}

zb_status zb_order_read(int *order, int nvars, const char *path, zb_error *err)
{
    zb_scan in;
    zb_status status;

    if (nvars < 0 || (nvars > 0 && order == NULL))
        return zb_fail(err, ZB_EINVAL, "no place for an order of %d variables", nvars);
    TRY(zb_scan_open(&in, path, err));
    TRY(zb_order_parse(order, nvars, &in));
done:
    zb_scan_close(&in);
    return status;
}

zb_status zb_order_write(const int *order, int nvars, const char *path, zb_error *err)
{
    zb_out out;
    zb_status status;

    if (nvars < 0 || (nvars > 0 && order == NULL))
        return zb_fail(err, ZB_EINVAL, "no order of %d variables", nvars);
    TRY(zb_out_open(&out, path, false, err));
    zb_out_text(&out, "%d\n", nvars);
    for (int i = 0; i < nvars; i++)
        zb_out_text(&out, i > 0 ? " %d" : "%d", order[i]);
    zb_out_text(&out, "\n");
    TRY(zb_out_close(&out));
done:
    return status;
}
