#include "exact/solve_exact.h"

#include "base/sum.h"
#include "exact/part_farm.h"

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

/* Where elimination is not cheap, a formula may have variables that others define: the
   model without them, if a plain order says that it is no worse. */
static zb_status try_formula(zb_exact_job *job, const zb_model *model,
                             const zb_order_request *request)
{
    zb_exact_job *other = zb_calloc(1, sizeof *other);
    zb_model *formula = NULL;
    zb_status status;

    TRY(other != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_simplify_formula(&formula, model, request->run));
    if (formula == NULL)
        goto done;
    TRY(zb_simplify(&other->reduction, formula, request->run));
    TRY(plan_whole(other, request));
    if (!other->whole && !(other->rough <= job->rough))
        goto done;
    zb_reduction *now = other->reduction, *was = job->reduction;
    now->before = was->before;
    now->summed += now->trivial - was->trivial; /* those with one value left */
    now->trivial = was->trivial;
    zb_exact_job swap = *job;
    *job = *other;
    *other = swap;
done:
    zb_model_free(formula);
    zb_exact_job_free(other);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* From a reduction, which is the job's from here on. formula: variables may be
   eliminated in ways that no record or trail knows. */
typedef struct origin {
    const zb_model *model;
    zb_reduction *reduction;
    bool formula;
} origin;

static zb_status make_job(zb_exact_job **out, origin from, const zb_options *opt,
                          const zb_order_request *request, zb_error *err)
{
    zb_exact_job *job = zb_calloc(1, sizeof *job);
    zb_status status;

    TRY(job != NULL ? ZB_OK : ZB_ENOMEM);
    job->reduction = from.reduction, from.reduction = NULL;
    TRY(plan_whole(job, request));
    if (!job->whole && from.formula && request->kind == ZB_ORDER_AUTO &&
        job->reduction->after.zeros > 0)
        TRY(try_formula(job, from.model, request));
    if (!job->whole)
        TRY(plan_parts(job, from.model, opt, *request, err));
    *out = job, job = NULL;
done:
    zb_reduction_free(from.reduction);
    zb_exact_job_free(job);
    return status;
}

zb_status zb_exact_job_new(zb_exact_job **out, const zb_model *model,
                           const zb_options *opt, double effort, zb_run *run,
                           zb_error *err)
{
    zb_order_request request = order_request(opt, effort, run);
    origin from = { .model = model, .formula = true };
    *out = NULL;
    zb_status status = zb_simplify(&from.reduction, model, run);
    return status == ZB_OK ? make_job(out, from, opt, &request, err) : status;
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

/* ---- elimination ------------------------------------------------------------------
 */

/* Turns the progress of a part into that of the whole. */
typedef struct relay {
    zb_run *run;
    /* work of earlier parts and of this one, shares of 1 */
    _Atomic double before;
    double share;
} relay;

static bool pass_on(void *context, const zb_progress *at)
{
    const relay *r = context;
    zb_progress whole = *at;
    whole.fraction = r->before + r->share * fmax(0, at->fraction);
    return zb_run_report(r->run, whole);
}

static double share_of(const zb_exact_job *job, int i)
{
    return job->all.total > 0 ? job->plan[i].total / job->all.total : 0;
}

typedef struct harvest { /* of parts over ranks */
    const zb_exact_job *job;
    relay *relay;
    zb_ball *z;
} harvest;

static bool on_solved(void *context, int i, zb_ball z)
{
    harvest *h = context;
    h->z[i] = z;
    h->relay->before = h->relay->before + share_of(h->job, i);
    return z.mid > -INFINITY; /* else the product is zero, too */
}

/* What other ranks can do: z of the rest is NAN. Once a part is zero all are. */
static zb_status eliminate_there(const zb_exact_job *job, relay *r, zb_run *run,
                                 zb_ball *z)
{
    harvest h = { .job = job, .relay = r, .z = z };
    zb_part_work work = { .job = job, .context = &h, .solved = on_solved };
    for (int i = 0; i < job->count; i++)
        z[i].mid = NAN;
    r->share = 1;
    zb_status status = zb_part_farm_eliminate(&work, run);
    bool zero = false;
    for (int i = 0; i < job->count; i++)
        zero = zero || z[i].mid == -INFINITY;
    for (int i = 0; i < job->count && zero; i++)
        z[i] = (zb_ball){ -INFINITY, 0 };
    r->before = 0;
    return status;
}

zb_status zb_exact_job_run(const zb_exact_job *job, zb_run *run, zb_ball *log_z,
                           zb_error *err)
{
    relay r = { .run = run };
    zb_run part =
        zb_run_share(run, INFINITY, UINT64_MAX, run != NULL ? run->threads : 1);
    zb_ball *z = zb_alloc((size_t)job->count, sizeof *z);
    zb_status status;
    zb_sum sum = { 0 };

    TRY(z != NULL ? ZB_OK : ZB_ENOMEM);
    part.relay = pass_on;
    part.context = &r;
    if (zb_run_more(run)) /* else what is missing is time */
        TRY(zb_exact_fits(&job->all, part.memory, err));
    TRY(eliminate_there(job, &r, &part, z));
    for (int i = 0; i < job->count && sum.sum > -INFINITY; i++) {
        r.share = share_of(job, i);
        if (isnan(z[i].mid))
            TRY(zb_exact_run(job->part[i], job->order[i], &part, &z[i], err));
        r.before = r.before + r.share;
        zb_sum_add_ball(&sum, z[i]);
    }
    *log_z = zb_sum_value(&sum);
done:
    zb_free(z);
    return status;
}

void zb_exact_job_describe(const zb_exact_job *job, zb_result *out)
{
    out->reduced_vars = job->reduction->after.vars;
    out->reduced_factors = job->reduction->after.factors;
    out->components = job->components;
    out->exact_bytes = job->all.bytes;
}

static void fill_result(zb_result *out, const zb_exact_job *job, zb_side side,
                        zb_ball log_z)
{
    out->has_lower = side != ZB_SIDE_UPPER;
    out->has_upper = side != ZB_SIDE_LOWER;
    out->log_lower = out->has_lower ? zb_down(log_z.mid, log_z.radius) : -INFINITY;
    out->log_upper = out->has_upper ? zb_up(log_z.mid, log_z.radius) : INFINITY;
    out->guaranteed = out->exact = true;
    out->rounding = log_z.radius;
    out->method = ZB_METHOD_BE;
    out->form = ZB_FORM_ORIGINAL;
    out->width = job->all.width;
    out->ibound = job->all.width + 1;
    out->stop = ZB_STOP_EXACT;
    out->bytes = (uint64_t)job->all.bytes;
    zb_exact_job_describe(job, out);
}

zb_status zb_solve_exact(const zb_model *model, const zb_options *opt, zb_run *run,
                         zb_exact_job **kept, zb_result *out, zb_error *err)
{
    zb_exact_job *job = NULL;
    zb_ball log_z;
    double begin = zb_now(), effort = fmin(10, zb_run_left(run) / 4);
    zb_status status;

    TRY((kept != NULL ? zb_exact_job_traced : zb_exact_job_new)(&job, model, opt,
                                                                effort, run, err));
    TRY(zb_exact_job_run(job, run, &log_z, err));
    fill_result(out, job, opt->side, log_z);
    out->order = opt->order;
    out->upper_by = out->lower_by =
        (zb_recipe){ ZB_METHOD_BE, ZB_FORM_ORIGINAL, opt->order, 0 };
    out->exact_seconds = zb_now() - begin;
    if (kept != NULL)
        *kept = job, job = NULL;
done:
    zb_exact_job_free(job);
    return status;
}
