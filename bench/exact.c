/* Clique entries per second of the exact elimination, on grids and random graphs whose
 * cliques have 2^20 entries and more. */
#include "within.h"
#include "exact/exact.h"
#include "base/rng.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void add_pair(zb_model *model, int u, int v, zb_rng *rng, double scale)
{
    int k = zb_model_card(model, u), scope[] = { u, v };
    double value[256];
    for (int i = 0; i < k * k; i++)
        value[i] = scale * (zb_rng_uniform(rng) - 0.5);
    if (zb_model_add_log(model, 2, scope, value) != ZB_OK)
        exit(1);
}

static zb_model *new_model(int nvars, int card)
{
    zb_model *model;
    int *cards = malloc((size_t)nvars * sizeof *cards);
    for (int v = 0; v < nvars; v++)
        cards[v] = card;
    if (zb_model_new(&model, nvars, cards) != ZB_OK)
        exit(1);
    free(cards);
    return model;
}

static zb_model *grid(int rows, int cols, int card, double scale)
{
    zb_rng rng = zb_rng_seed(1);
    zb_model *model = new_model(rows * cols, card);
    for (int v = 0; v < rows * cols; v++) {
        if (v % cols < cols - 1)
            add_pair(model, v, v + 1, &rng, scale);
        if (v + cols < rows * cols)
            add_pair(model, v, v + cols, &rng, scale);
    }
    return model;
}

static void measure(const char *name, const zb_model *model, const int *order)
{
    int n = zb_model_nvars(model), natural[4096];
    zb_scopes *scopes;
    zb_exact_plan plan;
    for (int v = 0; v < n; v++)
        natural[v] = v;
    if (order == NULL)
        order = natural;
    if (zb_scopes_new(&scopes, model) != ZB_OK ||
        zb_exact_forecast(scopes, order, NULL, &plan) != ZB_OK)
        exit(1);
    for (int threads = 1; threads <= omp_get_num_procs() && threads <= 2; threads++) {
        double z = NAN, begin = zb_now();
        clock_t cpu = clock();
        zb_status status = exact_within(model, order, threads, 0, NULL, &z, NULL);
        double seconds = zb_now() - begin;
        double work = (double)(clock() - cpu) / CLOCKS_PER_SEC;
        printf("%-28s width %2d %8.3g entries %6.1f MiB %d threads %6.3f s "
               "%6.3f CPU s %5.2f G/CPU s, ln Z %.12g%s\n",
               name, plan.width, plan.total, plan.bytes / 0x1p20, threads, seconds,
               work, plan.total / work / 1e9, z, status == ZB_OK ? "" : " failed");
    }
    zb_scopes_free(scopes);
}

/* A grid eliminated row by row, the upper half downwards, then the lower half upwards:
   two wide messages meet in the middle row. */
static void inwards(int rows, int cols, int *order)
{
    int n = 0, middle = rows / 2;
    for (int r = 0; r < middle; r++)
        for (int c = 0; c < cols; c++)
            order[n++] = r * cols + c;
    for (int r = rows - 1; r >= middle; r--)
        for (int c = 0; c < cols; c++)
            order[n++] = r * cols + c;
}

static void random_graph(int nvars, int edges, int card)
{
    char name[64];
    zb_rng rng = zb_rng_seed(5);
    zb_model *model = new_model(nvars, card);
    for (int i = 0; i < edges; i++) {
        int u = zb_rng_below(&rng, nvars), v = zb_rng_below(&rng, nvars - 1);
        add_pair(model, u, v < u ? v : v + 1, &rng, 2);
    }
    snprintf(name, sizeof name, "random %d, %d pairs, card %d", nvars, edges, card);
    measure(name, model, NULL);
    zb_model_free(model);
}

int main(void)
{
    int order[4096];
    zb_model *model = grid(20, 20, 2, 2);
    measure("grid 20x20", model, NULL);
    inwards(20, 20, order);
    measure("grid 20x20 from both ends", model, order);
    zb_model_free(model);
    model = grid(12, 24, 2, 2);
    measure("grid 12x24", model, NULL);
    zb_model_free(model);
    model = grid(13, 13, 3, 2);
    measure("grid 13x13, card 3", model, NULL);
    zb_model_free(model);
    model = grid(9, 9, 5, 2);
    measure("grid 9x9, card 5", model, NULL);
    zb_model_free(model);
    model = grid(5, 5, 16, 2);
    measure("grid 5x5, card 16", model, NULL);
    zb_model_free(model);
    random_graph(66, 114, 2);
    random_graph(40, 57, 3);
    model = grid(17, 17, 2, 200);
    measure("grid 17x17 in logarithms", model, NULL);
    zb_model_free(model);
    return 0;
}
