#include "count/solve_count.h"

#include "base/account.h"
#include "base/sum.h"
#include "count/count.h"
#include "exact/solve_exact.h"

/* Which rule of decision suits is not known before: the searches take turns. */
static const double FIRST_SECONDS = 0.25, RATIO = 1.5;

typedef struct part {
    const zb_model *model;
    const int *order;
    uint64_t memory;
    zb_run *run; /* ends with the part's time */
    zb_ball log_z;
    double log_most;
    bool complete;
} part;

/* Until the seconds are over. *open: there is more to do, and memory for it. */
static zb_status search(part *p, zb_counter *c, double seconds, bool *open)
{
    zb_run share = zb_run_share(p->run, zb_now() + seconds, UINT64_MAX, 1);
    zb_count_result r;
    share.relay = zb_run_silent; /* bounds of a part are not the whole's */
    share.context = p->run;
    zb_status status = zb_counter_run(c, &share, &r);
    if (status == ZB_OK && (r.complete || r.log_z > p->log_z.mid)) {
        p->log_z = (zb_ball){ r.log_z, r.radius };
        p->complete = r.complete;
    }
    if (status == ZB_OK)
        p->log_most = fmin(p->log_most, r.log_most);
    *open = zb_counter_open(c);
    return status;
}

static zb_status count_part(part *p)
{
    zb_counter *c[2] = { NULL };
    double seconds = FIRST_SECONDS;
    bool open[2] = { true, true };
    zb_status status = ZB_OK;
    p->log_z = (zb_ball){ -INFINITY, 0 };
    p->log_most = INFINITY;
    for (int i = 0; i < 2; i++) {
        zb_count_spec spec = { .memory = p->memory / 2, .wide = i == 1, .run = p->run };
        TRY(zb_counter_new(&c[i], p->model, p->order, &spec));
    }
    for (int i = 0; !p->complete && zb_run_more(p->run); i = 1 - i) {
        if (open[i])
            TRY(search(p, c[i], seconds, &open[i]));
        if (!open[0] && !open[1])
            break;
        seconds *= i == 1 ? RATIO : 1;
    }
done:
    zb_counter_free(c[0]);
    zb_counter_free(c[1]);
    return status == ZB_ELIMIT ? ZB_OK : status;
}

/* A part that has no variables has its constant. */
static zb_status count_parts(const zb_exact_job *job, zb_run *run, zb_ball *log_z,
                             double *log_most, bool *complete)
{
    double memory = fmin((double)run->memory, (double)zb_account_left());
    zb_sum sum = { 0 }, most = { 0 };
    zb_status status = ZB_OK;
    *complete = true;
    for (int i = 0; i < job->count; i++) {
        double left = zb_run_left(run) / (job->count - i);
        zb_run share = zb_run_share(run, zb_now() + left, UINT64_MAX, 1);
        part p = { .model = job->part[i],
                   .order = job->order[i],
                   .memory = (uint64_t)(0.9 * memory),
                   .run = &share };
        if (job->part[i]->nvars == 0)
            p.log_z = zb_model_scale(job->part[i]), p.complete = true;
        else
            TRY(count_part(&p));
        *complete = *complete && p.complete;
        zb_sum_add_ball(&sum, p.log_z);
        zb_sum_add(&most, p.complete ? zb_up(p.log_z.mid, p.log_z.radius) : p.log_most);
        if (p.complete && p.log_z.mid == -INFINITY) { /* Z = 0, whatever the others */
            *complete = true;
            break;
        }
    }
    *log_z = zb_sum_value(&sum);
    *log_most = *complete ? zb_up(log_z->mid, log_z->radius) : zb_sum_up(&most);
done:
    return status;
}

static zb_stop why(zb_run *run, bool complete)
{
    if (complete)
        return ZB_STOP_EXACT;
    if (zb_run_interrupted(run))
        return ZB_STOP_INTERRUPTED;
    return zb_run_more(run) ? ZB_STOP_MEMORY : ZB_STOP_TIME;
}

zb_status zb_solve_count(const zb_model *model, const zb_options *opt, zb_run *run,
                         zb_result *out, zb_error *err)
{
    zb_exact_job *job = NULL;
    zb_ball log_z;
    double log_most;
    bool complete;
    zb_status status;
    TRY(zb_exact_job_searched(&job, model, opt, fmin(3, 0.05 * zb_run_left(run)), run,
                              err));
    TRY(count_parts(job, run, &log_z, &log_most, &complete));
    out->has_lower = opt->side != ZB_SIDE_UPPER;
    out->has_upper = opt->side != ZB_SIDE_LOWER;
    out->log_lower = zb_down(log_z.mid, log_z.radius);
    out->log_upper = log_most;
    out->guaranteed = true;
    out->exact = complete;
    out->rounding = complete ? log_z.radius : 0;
    out->method = ZB_METHOD_COUNT;
    out->form = ZB_FORM_ORIGINAL;
    out->order = opt->order;
    out->width = job->all.width;
    out->stop = why(run, complete);
    out->upper_by = out->lower_by =
        (zb_recipe){ ZB_METHOD_COUNT, ZB_FORM_ORIGINAL, opt->order, 0 };
    zb_exact_job_describe(job, out);
done:
    zb_exact_job_free(job);
    return status;
}
