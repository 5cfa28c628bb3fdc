/* Elimination is the forward pass over a tree in which nothing is split. */
#include "exact/exact.h"

#include "base/sum.h"
#include "order/order.h"
#include "pass/pass.h"

/* ---- forecast -------------------------------------------------------------------- */

static zb_pass_spec pass_spec(const zb_model *model, zb_run *run)
{
    return (zb_pass_spec){ .side = ZB_SIDE_UPPER,
                           .threads = run != NULL ? run->threads : 1,
                           .run = run,
                           .once = model };
}

/* The tree and what it takes. A clique beyond all memory has none: then *tree is NULL,
   and the cliques alone tell. */
static zb_status plan(const zb_scopes *s, const int *order, const zb_pass_spec *spec,
                      zb_tree **tree, zb_exact_plan *out)
{
    zb_split_spec whole = {
        .ibound = s->nvars + 1, .join = true, .drop_single = true, .run = spec->run
    };
    zb_status status = zb_tree_new(tree, s, order, &whole);
    if (status == ZB_OK) {
        double bytes = (double)(*tree)->bytes + zb_pass_forecast(*tree, spec);
        TRY(bytes < INFINITY ? ZB_OK : ZB_ENOMEM);
        *out = (zb_exact_plan){ .width = (*tree)->width,
                                .largest = (*tree)->largest,
                                .total = (*tree)->entries,
                                .bytes = bytes };
    } else if (status == ZB_ELIMIT && zb_run_more(spec->run)) {
        zb_order_cost cost;
        TRY(zb_order_evaluate(s, order, spec->run, &cost));
        *out = (zb_exact_plan){ .width = cost.width,
                                .largest = cost.largest,
                                .total = cost.total,
                                .bytes = sizeof(double) * fmin(cost.largest, 1e300) };
    }
done:
    return status;
}

zb_status zb_exact_forecast(const zb_scopes *s, const int *order, zb_run *run,
                            zb_exact_plan *out)
{
    static const zb_model none; /* there are no tables yet */
    zb_pass_spec spec = pass_spec(&none, run);
    zb_tree *tree = NULL;
    zb_status status = plan(s, order, &spec, &tree, out);
    zb_tree_free(tree);
    return status;
}

zb_status zb_exact_fits(const zb_exact_plan *cost, uint64_t memory, zb_error *err)
{
    double limit = memory < SIZE_MAX / 16 ? (double)memory : (double)(SIZE_MAX / 16);
    if (cost->bytes <= limit)
        return ZB_OK;
    return zb_fail(err, ZB_ELIMIT,
                   "exact elimination needs %.4g bytes (%.3g GiB, width %d), more than "
                   "the %.3g GiB allowed; `zbound bound` needs less",
                   cost->bytes, cost->bytes / 0x1p30, cost->width, limit / 0x1p30);
}

/* ---- elimination ----------------------------------------------------------------- */

static zb_status sum_once(const zb_tree *tree, const zb_pass_spec *spec, zb_ball *log_z)
{
    zb_pass *pass = NULL;
    zb_status status;
    TRY(zb_pass_new(&pass, tree, spec));
    double z = zb_pass_forward(pass);
    TRY(zb_pass_was_cut(pass) ? ZB_ELIMIT : ZB_OK);
    zb_sum sum = { 0 };
    zb_sum_add_ball(&sum, (zb_ball){ z, zb_pass_radius(pass) });
    zb_sum_add_ball(&sum, zb_model_scale(spec->once));
    *log_z = zb_sum_value(&sum);
done:
    zb_pass_free(pass);
    return status;
}

zb_status zb_exact_run(const zb_model *model, const int *order, zb_run *run,
                       zb_ball *log_z, zb_error *err)
{
    zb_model *free_model = NULL;
    zb_scopes *scopes = NULL;
    zb_tree *tree = NULL;
    zb_exact_plan cost;
    zb_status status;

    if (zb_model_observed(model)) {
        TRY(zb_model_condition(&free_model, model, model->evidence));
        model = free_model;
    }
    zb_pass_spec spec = pass_spec(model, run);
    TRY(zb_scopes_new(&scopes, model));
    TRY(plan(scopes, order, &spec, &tree, &cost));
    TRY(zb_exact_fits(&cost, run != NULL ? run->memory : UINT64_MAX, err));
    zb_scopes_free(scopes), scopes = NULL;
    TRY(sum_once(tree, &spec, log_z));
done:
    if (status == ZB_ELIMIT && !zb_run_more(run))
        zb_fail(err, ZB_ELIMIT,
                zb_run_interrupted(run)
                    ? "interrupted: nothing yet"
                    : "the time limit passed before exact elimination ended");
    zb_tree_free(tree);
    zb_scopes_free(scopes);
    zb_model_free(free_model);
    return status;
}
