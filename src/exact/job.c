/* What is known about an exact solution before numbers are touched: the model reduced,
 * by whatever makes it smaller; its parts, their orders and what they cost. */
#include "exact/part_farm.h"
#include "exact/solve_exact.h"
#include "symmetry/exchange.h"

#include <string.h>

/* ---- orders ---------------------------------------------------------------------- */

/* Spread an order of the original variables over the parts: variables that the
   reduction removed are left out. */
static zb_status given_order(zb_exact_job *job, int nvars, const int *list,
                             zb_error *err)
{
    const zb_reduction *r = job->reduction;
    int *order = zb_alloc((size_t)r->model->nvars, sizeof *order);
    int *filled = zb_calloc((size_t)job->count, sizeof *filled);
    zb_status status;

    TRY(order != NULL && filled != NULL ? ZB_OK : ZB_ENOMEM);
    status = zb_order_restrict(nvars, list, r->model->nvars, r->var, order);
    if (status == ZB_EINVAL)
        zb_fail(err, status, "the elimination order does not name all variables once");
    TRY(status);
    for (int i = 0; i < r->model->nvars; i++) {
        int v = order[i], part = job->part_of != NULL ? job->part_of[v] : 0;
        job->order[part][filled[part]++] = job->index_in != NULL ? job->index_in[v] : v;
    }
done:
    zb_free(order);
    zb_free(filled);
    return status;
}

/* A search that has settled rarely leaves its corner, and corners differ by factors of
   ten and more: where solving takes long, the effort is divided over several starts. */
static zb_status search_order(const zb_scopes *scopes, const zb_order_request *request,
                              int *order)
{
    enum { STARTS = 4 };
    static const double QUICK = 2e8; /* entries: solved in less time than searched */
    size_t n = (size_t)scopes->nvars;
    int *trial = zb_alloc(n, sizeof *trial);
    zb_order_request part = *request;
    zb_order_cost best = { .total = INFINITY }, cost;
    zb_status status;

    TRY(trial != NULL ? ZB_OK : ZB_ENOMEM);
    part.seconds /= STARTS;
    for (int k = 0; k < STARTS && best.total > QUICK; k++) {
        TRY(zb_order_make(scopes, &part, trial, &cost));
        if (k == 0 || cost.total < best.total) {
            memcpy(order, trial, n * sizeof *order);
            best = cost;
        }
        if (request->kind != ZB_ORDER_AUTO || request->seconds <= 0 ||
            best.total > ZB_ORDER_HOPELESS)
            break;
        part.seed++;
    }
done:
    zb_free(trial);
    return status;
}

static void add_up(zb_exact_plan *all, const zb_exact_plan *one)
{
    all->width = zb_max_int(all->width, one->width);
    all->largest = fmax(all->largest, one->largest);
    all->bytes = fmax(all->bytes, one->bytes);
    all->total += one->total;
}

zb_status zb_exact_plan_part(const zb_model *part, const zb_order_request *request,
                             int *order, zb_exact_plan *plan)
{
    zb_scopes *scopes = NULL;
    zb_status status;

    *plan = (zb_exact_plan){ .width = part->nvars - 1,
                             .largest = INFINITY,
                             .total = INFINITY,
                             .bytes = INFINITY };
    for (int v = 0; v < part->nvars && request->kind != ZB_ORDER_FILE; v++)
        order[v] = v;
    TRY(zb_run_more(request->run) ? ZB_OK : ZB_ELIMIT);
    TRY(zb_scopes_new(&scopes, part));
    if (request->kind != ZB_ORDER_FILE)
        TRY(search_order(scopes, request, order));
    TRY(zb_exact_forecast(scopes, order, request->run, plan));
done:
    zb_scopes_free(scopes);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* One plain order of everything: where it is cheap to eliminate, there is nothing to
   search for and no need to take components apart, of which there may be many. */
static zb_status plan_whole(zb_exact_job *job, const zb_order_request *request)
{
    static const double CHEAP = 4e6; /* entries: some milliseconds */
    const zb_model *model = job->reduction->model;
    zb_order_request plain = *request;
    zb_scopes *scopes = NULL;
    int *order = zb_alloc((size_t)model->nvars, sizeof *order);
    zb_exact_plan plan = { .total = INFINITY };
    zb_order_cost cost;
    zb_status status;

    job->rough = INFINITY;
    TRY(order != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_components_count(model, &job->components, NULL));
    if (request->kind != ZB_ORDER_AUTO)
        goto done;
    plain.kind = ZB_ORDER_MINFILL;
    plain.tries = 1;
    TRY(zb_scopes_new(&scopes, model));
    TRY(zb_order_make(scopes, &plain, order, &cost));
    job->rough = cost.total;
    if (cost.total <= CHEAP)
        TRY(zb_exact_forecast(scopes, order, request->run, &plan));
    if (plan.total > CHEAP)
        goto done;
    job->part = zb_alloc(1, sizeof *job->part);
    job->order = zb_calloc(1, sizeof *job->order);
    job->plan = zb_alloc(1, sizeof *job->plan);
    TRY(job->part && job->order && job->plan ? ZB_OK : ZB_ENOMEM);
    job->count = 1;
    job->whole = true;
    job->part[0] = job->reduction->model;
    job->order[0] = order, order = NULL;
    job->plan[0] = job->all = plan;
done:
    zb_scopes_free(scopes);
    zb_free(order);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

void zb_exact_job_free(zb_exact_job *job)
{
    if (job == NULL)
        return;
    for (int i = 0; job->order != NULL && i < job->count; i++)
        zb_free(job->order[i]);
    zb_free(job->order);
    zb_free(job->plan);
    zb_free(job->part_of);
    zb_free(job->index_in);
    if (job->whole)
        zb_free(job->part);
    else
        zb_components_free(job->count, job->part);
    zb_reduction_free(job->reduction);
    zb_free(job);
}

static zb_status alloc_parts(zb_exact_job *job)
{
    size_t n = (size_t)job->count;
    job->plan = zb_calloc(n, sizeof *job->plan);
    job->order = zb_calloc(n, sizeof *job->order);
    if (job->plan == NULL || job->order == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < job->count; i++) {
        job->order[i] = zb_alloc((size_t)job->part[i]->nvars, sizeof **job->order);
        if (job->order[i] == NULL)
            return ZB_ENOMEM;
    }
    return ZB_OK;
}

/* The components; a single one is the reduced model itself. */
static zb_status take_parts(zb_exact_job *job, zb_run *run)
{
    const zb_model *model = job->reduction->model;
    if (job->components != 1)
        return zb_components_split(model, run, &job->count, &job->part, &job->part_of,
                                   &job->index_in);
    job->part = zb_alloc(1, sizeof *job->part);
    if (job->part == NULL)
        return ZB_ENOMEM;
    job->whole = true;
    job->part[0] = job->reduction->model;
    job->count = 1;
    return ZB_OK;
}

/* The components, each with its order. Effort goes to them by their size. */
static zb_status plan_parts(zb_exact_job *job, const zb_model *model,
                            const zb_options *opt, zb_order_request request,
                            zb_error *err)
{
    zb_part_plans plans = { .job = job, .request = request };
    zb_status status;

    TRY(take_parts(job, request.run));
    TRY(alloc_parts(job));
    if (opt->order == ZB_ORDER_FILE)
        TRY(given_order(job, model->nvars, opt->order_list, err));
    TRY((plans.done = zb_calloc((size_t)job->count, 1)) ? ZB_OK : ZB_ENOMEM);
    TRY(zb_part_farm_plan(&plans));
    for (int i = 0; i < job->count; i++) {
        request = zb_part_request(&plans, i);
        if (!plans.done[i])
            TRY(zb_exact_plan_part(job->part[i], &request, job->order[i],
                                   &job->plan[i]));
        add_up(&job->all, &job->plan[i]);
    }
done:
    zb_free(plans.done);
    return status;
}

static zb_order_request order_request(const zb_options *opt, double effort, zb_run *run)
{
    bool buckets = opt->order == ZB_ORDER_MINSPLIT; /* a rule for mini-buckets */
    return (zb_order_request){ .kind = buckets ? ZB_ORDER_AUTO : opt->order,
                               .seed = opt->seed,
                               .tries = 1000,
                               .seconds = effort,
                               .run = run };
}

/* From a reduction, which is the job's from here on. formula: variables may be
   eliminated, and others added, in ways that no record or trail knows. */
typedef struct origin {
    const zb_model *model;
    zb_reduction *reduction;
    bool formula;
    bool search;  /* what elimination cannot do may be summed by search */
    bool reduced; /* rows are looked for in the reduced model */
} origin;

/* What made another model of the one that was given, with the same Z. */
static zb_status reduce_made(zb_exact_job **out, const zb_model *made,
                             const zb_order_request *request)
{
    zb_exact_job *job = zb_calloc(1, sizeof *job);
    zb_status status;
    TRY(job != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_simplify(&job->reduction, made, request->run));
    TRY(plan_whole(job, request));
    *out = job, job = NULL;
done:
    zb_exact_job_free(job);
    return status;
}

/* The other job takes the place of this one, whose model is the one that was given. */
static void take_over(zb_exact_job *job, zb_exact_job *other)
{
    zb_reduction *now = other->reduction, *was = job->reduction;
    now->before = was->before;
    now->summed += now->trivial - was->trivial; /* those with one value left */
    now->trivial = was->trivial;
    zb_exact_job swap = *job;
    *job = *other;
    *other = swap;
}

/* Where elimination is not cheap, a formula may have variables that others define: the
   model without them, if a plain order says that it is no worse. */
static zb_status try_formula(zb_exact_job *job, const zb_model *model,
                             const zb_order_request *request)
{
    zb_exact_job *other = NULL;
    zb_model *formula = NULL;
    zb_status status;

    TRY(zb_simplify_formula(&formula, model, request->run));
    if (formula == NULL)
        goto done;
    TRY(reduce_made(&other, formula, request));
    if (other->whole || other->rough <= job->rough)
        take_over(job, other);
done:
    zb_model_free(formula);
    zb_exact_job_free(other);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* What elimination can do by a plain order, in entries; else zeros are for a search. */
static const double HOPELESS = 1e10;

/* Rows that may be exchanged (symmetry/exchange.h), where a plain order says that it is
   far better then; in order, where it is hopeless otherwise and there is a search.
   *made: the model whose reduction the job has now; NULL: the one that was given. */
static zb_status try_exchange(zb_exact_job *job, const origin *from,
                              const zb_order_request *request, bool sorted,
                              zb_model **made)
{
    static const double FAR = 0.5;
    const zb_model *model = from->reduced ? job->reduction->model : from->model;
    bool searched = from->search && job->reduction->after.zeros > 0,
         wanted = sorted && *made == NULL && job->rough > HOPELESS;
    zb_exact_job *other = NULL;
    zb_model *now = NULL;
    zb_status status;

    TRY(zb_exchange(&now, model, sorted, request->run));
    if (now == NULL)
        goto done;
    TRY(reduce_made(&other, now, request));
    if (other->whole || wanted ||
        other->rough <= fmin(FAR * job->rough, searched ? HOPELESS : INFINITY)) {
        take_over(job, other);
        zb_model_free(*made);
        *made = now, now = NULL;
    }
done:
    zb_model_free(now);
    zb_exact_job_free(other);
    /* for want of time or memory all stays */
    return status == ZB_ELIMIT || status == ZB_ENOMEM ? ZB_OK : status;
}

/* Tables may be alike only as they were given, since sums of ours are rounded; or only
   without variables that are easily summed out, which tell rows apart or are rows
   themselves. Searches are best with rows in order. A share of the time for all. */
static zb_status try_exchanges(zb_exact_job *job, origin from,
                               const zb_order_request *request, zb_model **made)
{
    static const double SHARE = 0.15;
    double left = zb_run_left(request->run);
    zb_run share = zb_run_share(
        request->run, isinf(left) ? left : zb_now() + SHARE * left, UINT64_MAX, 1);
    zb_order_request within = *request;
    bool searched = from.search && job->reduction->after.zeros > 0;
    zb_status status = ZB_OK;
    *made = NULL;
    within.run = &share;
    for (int sorted = searched; sorted >= 0 && *made == NULL; sorted--)
        for (int given = 0; given < 2 && !job->whole; given++) {
            from.reduced = !given;
            TRY(try_exchange(job, &from, &within, sorted, made));
        }
done:
    return status;
}

/* Where a plain order is not cheap: models with the same Z. */
static zb_status try_others(zb_exact_job *job, const origin *from,
                            const zb_order_request *request)
{
    bool zeros = job->reduction->after.zeros > 0;
    zb_model *made = NULL;
    zb_status status;
    TRY(try_exchanges(job, *from, request, &made));
    if (!job->whole && zeros)
        TRY(try_formula(job, made != NULL ? made : from->model, request));
done:
    zb_model_free(made);
    return status;
}

static zb_status make_job(zb_exact_job **out, origin from, const zb_options *opt,
                          const zb_order_request *request, zb_error *err)
{
    zb_exact_job *job = zb_calloc(1, sizeof *job);
    zb_status status;

    TRY(job != NULL ? ZB_OK : ZB_ENOMEM);
    job->reduction = from.reduction, from.reduction = NULL;
    TRY(plan_whole(job, request));
    if (!job->whole && from.formula && request->kind == ZB_ORDER_AUTO)
        TRY(try_others(job, &from, request));
    if (!job->whole)
        TRY(plan_parts(job, from.model, opt, *request, err));
    *out = job, job = NULL;
done:
    zb_reduction_free(from.reduction);
    zb_exact_job_free(job);
    return status;
}

/* from.model reduced by all means. */
static zb_status free_job(zb_exact_job **out, origin from, const zb_options *opt,
                          double effort, zb_run *run, zb_error *err)
{
    zb_order_request request = order_request(opt, effort, run);
    *out = NULL;
    from.formula = true;
    zb_status status = zb_simplify(&from.reduction, from.model, run);
    return status == ZB_OK ? make_job(out, from, opt, &request, err) : status;
}

zb_status zb_exact_job_new(zb_exact_job **out, const zb_model *model,
                           const zb_options *opt, double effort, zb_run *run,
                           zb_error *err)
{
    return free_job(out, (origin){ .model = model }, opt, effort, run, err);
}

zb_status zb_exact_job_searched(zb_exact_job **out, const zb_model *model,
                                const zb_options *opt, double effort, zb_run *run,
                                zb_error *err)
{
    origin from = { .model = model, .search = true };
    return free_job(out, from, opt, effort, run, err);
}

zb_status zb_exact_job_traced(zb_exact_job **out, const zb_model *model,
                              const zb_options *opt, double effort, zb_run *run,
                              zb_error *err)
{
    zb_order_request request = order_request(opt, effort, run);
    origin from = { .model = model };
    *out = NULL;
    zb_status status = zb_simplify_traced(&from.reduction, model, run);
    return status == ZB_OK ? make_job(out, from, opt, &request, err) : status;
}
