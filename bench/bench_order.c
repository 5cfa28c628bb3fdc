/* What orders cost and how long they take: bench_order [MODEL...]
 *
 * Without models: grids, sparse and dense graphs, minsplit. With models (evidence
 * beside them as MODEL.evid): min-fill against two seconds of auto, after
 * simplification. */
#include "../tests/graphs.h"
#include "order/order.h"
#include "simplify/simplify.h"

#include <stdio.h>

static void line(const char *name, const zb_scopes *s, zb_order_request req)
{
    int *order = malloc(((size_t)s->nvars + 1) * sizeof *order);
    zb_order_cost cost = { 0 };
    double start = zb_now();
    zb_status status = zb_order_make(s, &req, order, &cost);
    printf("%-22s %-10s %2d  width %5d  largest %10.4g  total %10.4g  %7.3f s%s\n",
           name, zb_order_name(req.kind), req.ibound, cost.width, cost.largest,
           cost.total, zb_now() - start, status == ZB_OK ? "" : "  FAILED");
    free(order);
}

static void split_line(const char *name, const zb_scopes *s, int ibound, int tries)
{
    int *order = malloc(((size_t)s->nvars + 1) * sizeof *order);
    zb_order_request req = {
        .kind = ZB_ORDER_MINSPLIT, .ibound = ibound, .seed = 1, .tries = tries
    };
    zb_split_cost cost = { 0 };
    double start = zb_now();
    if (zb_order_make(s, &req, order, NULL) == ZB_OK)
        zb_order_splits(s, order, ibound, 0, NULL, &cost);
    printf("%-22s minsplit   %2d  splits %6.0f  total %10.4g  tries %3d  %7.3f s\n",
           name, ibound, cost.splits, cost.total, tries, zb_now() - start);
    free(order);
}

static void grids(void)
{
    static const int side[] = { 10, 40, 100, 300 };
    static const zb_order kind[] = { ZB_ORDER_NATURAL,   ZB_ORDER_SWEEP,
                                     ZB_ORDER_RANDOM,    ZB_ORDER_MINDEGREE,
                                     ZB_ORDER_MINWEIGHT, ZB_ORDER_MINFILL };
    for (int i = 0; i < 4; i++) {
        char name[40];
        graph g = graph_grid(side[i], side[i]);
        snprintf(name, sizeof name, "grid %dx%d", side[i], side[i]);
        for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
            line(name, &g.s, (zb_order_request){ .kind = kind[k], .tries = 1 });
        graph_free(&g);
    }
}

static void graphs(void)
{
    graph g = graph_random(1, 100000, 110000, 2, 3);
    line("random 100k sparse", &g.s, (zb_order_request){ .kind = ZB_ORDER_MINFILL });
    graph_free(&g);
    g = graph_random(1, 100000, 200000, 2, 3);
    line("random 100k", &g.s, (zb_order_request){ .kind = ZB_ORDER_MINFILL });
    graph_free(&g);
    g = graph_complete(1000);
    line("complete 1000", &g.s, (zb_order_request){ .kind = ZB_ORDER_MINFILL });
    line("complete 1000", &g.s, (zb_order_request){ .kind = ZB_ORDER_AUTO });
    graph_free(&g);
    g = graph_random(1, 3000, 2000000, 2, 3);
    line("random 3000 dense", &g.s, (zb_order_request){ .kind = ZB_ORDER_MINFILL });
    graph_free(&g);
    g = graph_new(100001, 2);
    for (int v = 1; v < g.s.nvars; v++)
        graph_edge(&g, 0, v);
    line("star 100k", &g.s, (zb_order_request){ .kind = ZB_ORDER_MINFILL });
    split_line("star 100k", &g.s, 10, 1);
    graph_free(&g);
}

static void splits(void)
{
    static const int ibound[] = { 5, 7, 11, 15 };
    graph small = graph_grid(10, 10), large = graph_grid(100, 100);
    for (int i = 0; i < 4; i++) {
        split_line("grid 10x10", &small.s, ibound[i], 1);
        split_line("grid 10x10", &small.s, ibound[i], 100);
        split_line("grid 100x100", &large.s, ibound[i], 1);
    }
    graph_free(&small);
    graph_free(&large);
}

static void model_lines(const char *path)
{
    zb_model *given = NULL, *model = NULL;
    zb_reduction *reduction = NULL;
    zb_scopes *s = NULL;
    zb_evidence_info info;
    zb_error err;
    char evidence[4096];
    const char *name = strrchr(path, '/');
    size_t length = strlen(path);

    if (length > 3 && strcmp(path + length - 3, ".gz") == 0)
        length -= 3;
    snprintf(evidence, sizeof evidence, "%.*s.evid", (int)length, path);
    if (zb_model_read(&given, path, &err) != ZB_OK) {
        fprintf(stderr, "%s\n", err.text);
        return;
    }
    zb_evidence_read(given, evidence, ZB_EVIDENCE_DETECT, &info, NULL);
    if (zb_model_condition(&model, given, given->evidence) == ZB_OK &&
        zb_simplify(&reduction, model, NULL) == ZB_OK &&
        zb_scopes_new(&s, reduction->model) == ZB_OK) {
        name = name != NULL ? name + 1 : path;
        line(name, s, (zb_order_request){ .kind = ZB_ORDER_MINFILL, .tries = 1 });
        line(name, s,
             (zb_order_request){
                 .kind = ZB_ORDER_AUTO, .seed = 1, .tries = 1000, .seconds = 2 });
    }
    zb_scopes_free(s);
    zb_reduction_free(reduction);
    zb_model_free(model);
    zb_model_free(given);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        model_lines(argv[i]);
    if (argc > 1)
        return 0;
    grids();
    graphs();
    splits();
    return 0;
}
