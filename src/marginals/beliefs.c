/* Exact answers: elimination there and back over a tree in which nothing is split. */
#include "marginals/inquiry.h"

#include "base/cost.h"
#include "model/table.h"
#include "order/order.h"
#include "pass/layout.h"
#include "pass/pass.h"

/* ---- plan ------------------------------------------------------------------------ */

static zb_status make_tree(zb_tree **out, const zb_inquiry *q, bool searched,
                           zb_run *run)
{
    double left = zb_run_left(run);
    double most = searched ? 60 : 0.5; /* seconds */
    zb_order_request request = { .kind = ZB_ORDER_AUTO,
                                 .seed = q->opt->seed,
                                 .tries = 1000,
                                 .seconds = isfinite(left) ? fmin(0.05 * left, most)
                                                           : fmin(2, most),
                                 .run = run };
    zb_split_spec whole = { .ibound = q->model->nvars + 1, .run = run };
    zb_scopes *scopes = NULL;
    int *order = zb_alloc((size_t)q->model->nvars, sizeof *order);
    zb_status status;
    *out = NULL;
    TRY(order != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_scopes_new(&scopes, q->model));
    TRY(zb_order_make(scopes, &request, order, NULL));
    status = zb_tree_new(out, scopes, order, &whole);
    if (status == ZB_ELIMIT && zb_run_more(run)) /* a table beyond all memory */
        status = ZB_OK;
done:
    zb_free(order);
    zb_scopes_free(scopes);
    return status;
}

/* What an ibound that was asked for allows, and the budget. Speeds are known within a
   factor of three. */
static bool is_affordable(const zb_inquiry *q, const zb_tree *t,
                          const zb_pass_spec *spec)
{
    double left = zb_run_left(spec->run);
    return (q->opt->ibound == 0 || t->width < q->opt->ibound) &&
           zb_pass_forecast(t, spec) <= 0.9 * (double)spec->run->memory &&
           zb_cost_pass(t->entries, t->nnodes) <= 0.5 * left;
}

/* ---- numbers --------------------------------------------------------------------- */

static size_t largest_table(const zb_model *model)
{
    size_t most = 1;
    for (int f = 0; f < model->nfactors; f++)
        most = zb_max_size(most, model->factor[f].size);
    return most;
}

/* p is within radius nats of the marginal. Of that, twice the inquiry's own is due to
   the tables: each of Z(y) and Z may be that far off. */
static void enter(zb_answers *a, size_t at, double p, double radius)
{
    double share = ZB_MARGIN * radius + 4 * ZB_UNIT; /* e^r - 1 and 1 - e^-r, r small */
    a->value[at] = fmin(p, 1);
    a->error[at] = 0;
    if (!(share < 0.01))
        return;
    a->lower[at] = fmax(0, p * (1 - share) - ZB_BELIEF_LEAST);
    a->upper[at] = fmin(1, p * (1 + share) + ZB_BELIEF_LEAST);
}

typedef struct reading {
    zb_inquiry *q;
    const zb_tree *tree;
    zb_pass *pass;
    double *table, *radius; /* of the largest factor; per factor */
} reading;

/* From the tree's sequence of axes into that of the scope. */
static void read_question(reading *r, int i)
{
    const zb_model *model = r->q->model;
    zb_question question = r->q->question[i];
    const int *scope;
    int f = question.factor, arity = zb_tree_scope(r->tree, f, &scope);
    size_t e = 0;
    zb_walk w;
    zb_pass_belief(r->pass, f, r->table);
    zb_walk_begin(&w, arity, scope, model->card, &model->factor[f]);
    do
        enter(r->q->answers, question.at + w.at, r->table[e++],
              r->radius[f] + 2 * r->q->radius);
    while (zb_walk_next(&w) >= 0);
}

static void all_zero(zb_inquiry *q)
{
    for (int i = 0; i < q->count; i++)
        for (size_t e = 0; e < zb_question_size(q, i); e++)
            q->answers->value[q->question[i].at + e] =
                q->answers->lower[q->question[i].at + e] =
                    q->answers->upper[q->question[i].at + e] =
                        q->answers->error[q->question[i].at + e] = 0;
}

static zb_status pass_twice(reading *r)
{
    const zb_model *model = r->q->model;
    zb_status status = ZB_OK;
    for (int f = 0; f < model->nfactors; f++) {
        zb_layout_factor(r->tree, model, f, r->table);
        zb_pass_set_log(r->pass, f, r->table);
    }
    double log_z = zb_pass_forward(r->pass);
    TRY(zb_pass_was_cut(r->pass) ? ZB_ELIMIT : ZB_OK);
    if (log_z == -INFINITY) {
        all_zero(r->q);
        return ZB_OK;
    }
    zb_pass_backward(r->pass);
    TRY(zb_pass_was_cut(r->pass) ? ZB_ELIMIT : ZB_OK);
    TRY(zb_pass_belief_radii(r->pass, r->radius));
    for (int i = 0; i < r->q->count; i++)
        read_question(r, i);
done:
    return status;
}

zb_status zb_inquiry_exact(zb_inquiry *q, bool searched, zb_run *run, bool *found)
{
    zb_pass_spec spec = {
        .gradient = true, .side = ZB_SIDE_UPPER, .threads = run->threads, .run = run
    };
    reading r = { .q = q };
    zb_tree *tree = NULL;
    zb_status status;
    *found = false;
    TRY(make_tree(&tree, q, searched, run));
    if (tree == NULL || !is_affordable(q, tree, &spec))
        goto done;
    r.tree = tree;
    r.table = zb_alloc(largest_table(q->model), sizeof *r.table);
    r.radius = zb_alloc((size_t)q->model->nfactors, sizeof *r.radius);
    TRY(r.table != NULL && r.radius != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_pass_new(&r.pass, tree, &spec));
    TRY(pass_twice(&r));
    *found = q->exact = true;
done:
    zb_pass_free(r.pass);
    zb_free(r.table);
    zb_free(r.radius);
    zb_tree_free(tree);
    return status;
}
