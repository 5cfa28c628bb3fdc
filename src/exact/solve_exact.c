#include "exact/solve_exact.h"

#include "order/order.h"

#include <string.h>

uint64_t zb_memory_limit(const zb_options *opt)
{
    return opt->memory > 0 ? opt->memory : zb_mem_physical() / 5 * 4;
}

/* ---- orders ---------------------------------------------------------------------- */

/* Spread an order of the original variables over the parts: variables that the
   reduction removed are left out. */
static zb_status given_order(zb_exact_job *job, int nvars, const int *list,
                             const int *part_of, const int *index_in, zb_error *err)
{
    const zb_model *reduced = job->reduction->model;
    int *inverse = zb_alloc((size_t)nvars, sizeof *inverse);
    int *filled = zb_calloc((size_t)job->count, sizeof *filled);
    zb_status status = ZB_OK;

    TRY(inverse != NULL && filled != NULL ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < nvars; v++)
        inverse[v] = -1;
    for (int v = 0; v < reduced->nvars; v++)
        inverse[job->reduction->var[v]] = v;
    int left = reduced->nvars;
    for (int t = 0; t < nvars && list != NULL; t++) {
        int v = list[t] >= 0 && list[t] < nvars ? inverse[list[t]] : -1;
        if (v < 0)
            continue;
        inverse[list[t]] = -1; /* so that a second mention is not counted */
        job->order[part_of[v]][filled[part_of[v]]++] = index_in[v];
        left--;
    }
    if (left > 0)
        status = zb_fail(err, ZB_EINVAL,
                         "the elimination order does not name all variables once");
done:
    zb_free(inverse);
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

static zb_status plan_part(zb_exact_job *job, int i, const zb_order_request *request)
{
    zb_scopes *scopes = NULL;
    zb_status status;

    TRY(zb_scopes_new(&scopes, job->part[i]));
    if (request->kind != ZB_ORDER_FILE)
        TRY(search_order(scopes, request, job->order[i]));
    TRY(zb_exact_forecast(scopes, job->order[i], &job->plan[i]));
    job->all.width = zb_max_int(job->all.width, job->plan[i].width);
    job->all.largest = fmax(job->all.largest, job->plan[i].largest);
    job->all.bytes = fmax(job->all.bytes, job->plan[i].bytes);
    job->all.total += job->plan[i].total;
done:
    zb_scopes_free(scopes);
    return status;
}

void zb_exact_job_free(zb_exact_job *job)
{
    if (job == NULL)
        return;
    for (int i = 0; job->order != NULL && i < job->count; i++)
        zb_free(job->order[i]);
    zb_free(job->order);
    zb_free(job->plan);
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

zb_status zb_exact_job_new(zb_exact_job **out, const zb_model *model,
                           const zb_options *opt, double effort, zb_error *err)
{
    zb_exact_job *job = zb_calloc(1, sizeof *job);
    int *part_of = NULL, *index_in = NULL;
    zb_order_request request = {
        .kind = opt->order, .seed = opt->seed, .tries = 1000, .seconds = effort
    };
    zb_status status;

    *out = NULL;
    TRY(job != NULL ? ZB_OK : ZB_ENOMEM);
    if (opt->order == ZB_ORDER_MINSPLIT) /* a rule for mini-buckets */
        request.kind = ZB_ORDER_AUTO;
    TRY(zb_simplify(&job->reduction, model));
    TRY(zb_components_split(job->reduction->model, &job->count, &job->part, &part_of,
                            &index_in));
    TRY(alloc_parts(job));
    if (opt->order == ZB_ORDER_FILE)
        TRY(given_order(job, model->nvars, opt->order_list, part_of, index_in, err));
    for (int i = 0; i < job->count; i++)
        TRY(plan_part(job, i, &request));
    *out = job, job = NULL;
done:
    zb_free(part_of);
    zb_free(index_in);
    zb_exact_job_free(job);
    return status;
}

/* ---- elimination ------------------------------------------------------------------
 */

/* Turns the progress of a part into that of the whole, and watches the clock. */
typedef struct relay {
    const zb_observer *observer;
    double begin, deadline;
    double before, share; /* work of earlier parts and of this one, shares of 1 */
    bool late;
} relay;

static bool pass_on(void *context, const zb_progress *at)
{
    relay *r = context;
    zb_progress whole = *at;
    double now = zb_now();
    whole.seconds = now - r->begin;
    whole.fraction = r->before + r->share * fmax(0, at->fraction);
    r->late = now > r->deadline;
    if (r->late)
        return false;
    return r->observer == NULL || r->observer->progress == NULL ||
           r->observer->progress(r->observer->context, &whole);
}

zb_status zb_exact_job_run(const zb_exact_job *job, int threads, uint64_t memory,
                           double deadline, const zb_observer *observer, double *log_z,
                           zb_error *err)
{
    relay r = { .observer = observer, .begin = zb_now(), .deadline = deadline };
    zb_observer watch = { .context = &r, .progress = pass_on };
    zb_status status = ZB_OK;
    double sum = 0;

    TRY(zb_exact_fits(&job->all, memory, err));
    for (int i = 0; i < job->count && sum > -INFINITY; i++) {
        double z;
        r.share = job->all.total > 0 ? job->plan[i].total / job->all.total : 0;
        TRY(zb_exact_run(job->part[i], job->order[i], threads, memory, &watch, &z,
                         err));
        r.before += r.share;
        sum += z;
    }
    *log_z = sum;
done:
    if (r.late)
        zb_fail(err, ZB_ELIMIT, "the time limit passed before exact elimination ended");
    return status;
}

void zb_exact_job_describe(const zb_exact_job *job, zb_result *out)
{
    out->reduced_vars = job->reduction->after.vars;
    out->reduced_factors = job->reduction->after.factors;
    out->components = job->count;
    out->exact_bytes = job->all.bytes;
}

static void fill_result(zb_result *out, const zb_exact_job *job, zb_side side,
                        double log_z)
{
    out->has_lower = side != ZB_SIDE_UPPER;
    out->has_upper = side != ZB_SIDE_LOWER;
    out->log_lower = out->has_lower ? log_z : -INFINITY;
    out->log_upper = out->has_upper ? log_z : INFINITY;
    out->guaranteed = out->exact = true;
    out->method = ZB_METHOD_BE;
    out->form = ZB_FORM_ORIGINAL;
    out->width = job->all.width;
    out->ibound = job->all.width + 1;
    out->stop = ZB_STOP_EXACT;
    out->bytes = (uint64_t)job->all.bytes;
    zb_exact_job_describe(job, out);
}

zb_status zb_solve_exact(const zb_model *model, const zb_options *opt,
                         const zb_observer *observer, zb_result *out, zb_error *err)
{
    zb_exact_job *job = NULL;
    double begin = zb_now(), log_z;
    double deadline = opt->time > 0 ? begin + opt->time : INFINITY;
    double effort = opt->time > 0 ? fmin(10, opt->time / 4) : 10;
    zb_status status;

    TRY(zb_exact_job_new(&job, model, opt, effort, err));
    TRY(zb_exact_job_run(job, opt->threads, zb_memory_limit(opt), deadline, observer,
                         &log_z, err));
    memset(out, 0, sizeof *out);
    fill_result(out, job, opt->side, log_z);
    out->order = opt->order;
    out->upper_by = out->lower_by =
        (zb_recipe){ ZB_METHOD_BE, ZB_FORM_ORIGINAL, opt->order, 0 };
    out->seconds = out->exact_seconds = zb_now() - begin;
done:
    if (status == ZB_ENOMEM)
        zb_fail(err, status, "be: out of memory");
    zb_exact_job_free(job);
    return status;
}
