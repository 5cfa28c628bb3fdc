/* The zeros as clauses, searched with learning (sat/). Scores speak through the phases
 * that literals are first tried with, and through the order of the first decisions:
 * variables that prefer a value clearly come first. */
#include "baseline/support.h"

#include "sat/sat.h"

static zb_status load(zb_clauses **out, const zb_graph *g, const double *score,
                      zb_run *run)
{
    zb_ticker tick = { .run = run };
    zb_clauses *c = NULL;
    zb_status status;
    TRY(zb_clauses_new(&c, g->nvars, g->card, NULL));
    for (int v = 0; v < g->nvars; v++)
        for (int x = 0; x < g->card[v]; x++) {
            size_t i = g->var_at[v] + (size_t)x;
            uint32_t not = zb_clauses_literal(c, v, x) ^ 1;
            if (score[i] == -INFINITY || g->unary[i] == -INFINITY)
                TRY(zb_clauses_add(c, 1, &not ));
        }
    for (int a = 0; a < g->nfactors; a++)
        TRY(zb_clauses_add_zeros(c, zb_graph_arity(g, a), g->edge_var + g->edge_at[a],
                                 g->table + g->tab_at[a], &tick));
    *out = c;
    c = NULL;
done:
    zb_clauses_free(c);
    return status;
}

/* The best value of v, and in *lead by how much. */
static int best_value(int card, const double *score, double *lead)
{
    int best = 0;
    double second = -INFINITY;
    for (int x = 1; x < card; x++)
        if (score[x] > score[best]) {
            second = score[best];
            best = x;
        } else
            second = fmax(second, score[x]);
    *lead = second > -INFINITY ? score[best] - second : 0;
    return best;
}

static void prefer(zb_sat *s, const zb_graph *g, const double *score)
{
    const zb_clauses *c = s->clauses;
    for (int v = 0; v < g->nvars; v++) {
        double lead;
        int best = best_value(g->card[v], score + g->var_at[v], &lead);
        for (int b = c->first[v]; b < c->first[v + 1]; b++)
            s->activity[b] = lead / (1 + lead);
        uint32_t literal = zb_clauses_literal(c, v, best);
        s->phase[literal >> 1] = !(literal & 1);
    }
}

static int value_of(const zb_sat *s, int v)
{
    const zb_clauses *c = s->clauses;
    int x = 0;
    if (c->card[v] == 2)
        return s->model[c->first[v]];
    while (!s->model[c->first[v] + x])
        x++;
    return x;
}

zb_status zb_support_find(const zb_graph *g, const double *score, double budget,
                          zb_run *run, int *x, zb_support *out)
{
    zb_clauses *c = NULL;
    zb_sat *s = NULL;
    int *all = NULL;
    zb_status status;
    *out = ZB_SUPPORT_GAVE_UP;
    status = load(&c, g, score, run);
    if (status == ZB_OK)
        status = zb_sat_new(&s, c, run);
    if (status == ZB_ELIMIT) {
        status = ZB_OK;
        goto done;
    }
    TRY(status);
    all = zb_alloc((size_t)c->nbools, sizeof *all);
    TRY(all != NULL ? ZB_OK : ZB_ENOMEM);
    for (int b = 0; b < c->nbools; b++)
        all[b] = b;
    prefer(s, g, score);
    s->budget = budget;
    zb_sat_answer answer = zb_sat_solve(s, c->nbools, all);
    TRY(s->failed ? ZB_ENOMEM : ZB_OK);
    if (answer == ZB_SAT_NO)
        *out = ZB_SUPPORT_NONE;
    if (answer != ZB_SAT_YES)
        goto done;
    *out = ZB_SUPPORT_FOUND;
    for (int v = 0; v < g->nvars; v++)
        x[v] = value_of(s, v);
done:
    zb_free(all);
    zb_sat_free(s);
    zb_clauses_free(c);
    return status;
}
