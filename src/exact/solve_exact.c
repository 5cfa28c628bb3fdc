#include "exact/solve_exact.h"

#include "base/sum.h"
#include "exact/part_farm.h"

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
