/* Upper bounds in phases: one kind of parameter moves for a while, then another from
 * where the first has led. Figures that compare the kinds are made of this. */
#include "tighten/attempt.h"
#include "tighten/moves.h"

/* What has been seen so far, over all phases. */
typedef struct recorder {
    zb_run *run;
    int count; /* of the phases */
    const zb_phase *phase;
    double *bound, *seconds; /* may be NULL */
    int at, last;            /* of the phase's first value; of the last one seen */
    double best;
} recorder;

static void put(recorder *r, int i)
{
    if (r->bound != NULL)
        r->bound[i] = r->best;
    if (r->seconds != NULL)
        r->seconds[i] = zb_now() - r->run->start;
    r->last = i;
}

static bool record(void *context, int64_t iteration, double bound, double best)
{
    recorder *r = context;
    (void)bound;
    r->best = fmin(r->best, best);
    put(r, r->at + (int)iteration);
    return zb_run_report(r->run, (zb_progress){ .iteration = r->last,
                                                .log_lower = -INFINITY,
                                                .log_upper = r->best,
                                                .fraction = -1 });
}

static zb_attempt_spec phase_spec(const zb_options *opt, zb_run *run)
{
    bool paper = zb_moves_as_paper(opt);
    return (zb_attempt_spec){ .form = opt->form,
                              .order = opt->order,
                              .order_list = opt->order_list,
                              .seed = opt->seed,
                              .tries = 1,
                              .ibound = opt->ibound,
                              .tighten = { .side = ZB_SIDE_UPPER,
                                           .weights = true,
                                           .theta = true,
                                           .gauges = true,
                                           .shared = !paper,
                                           .absolute = paper,
                                           .run = run } };
}

static bool early(zb_stop stop)
{
    return stop == ZB_STOP_TIME || stop == ZB_STOP_INTERRUPTED;
}

static zb_status descend(zb_attempt *a, const zb_options *opt, const zb_phase *phase,
                         recorder *r, zb_stop *stop)
{
    zb_descent run = { .optimizer = opt->optimizer,
                       .rates = zb_moves_rates(opt, ZB_SIDE_UPPER),
                       .iterations = phase->iterations,
                       .tolerance = -1, /* each iteration counts */
                       .each = true,
                       .run = r->run,
                       .report = record,
                       .context = r };
    zb_tighten_select(a->tighten, phase->moves == ZB_PARAMETER_WEIGHT,
                      phase->moves == ZB_PARAMETER_THETA,
                      phase->moves == ZB_PARAMETER_GAUGE);
    zb_status status = zb_attempt_descend(a, run, stop);
    r->at += phase->iterations;
    while (status == ZB_OK && !early(*stop) && r->last < r->at)
        put(r, r->last + 1); /* nothing was left to gain */
    return status;
}

static zb_status run_phases(const zb_model *model, const zb_options *opt, recorder *r,
                            zb_result *out, zb_error *err)
{
    zb_attempt_spec spec = phase_spec(opt, r->run);
    zb_attempt *a = NULL;
    zb_status status;
    TRY(zb_attempt_new(&a, model, &spec, r->run, err));
    for (int i = 0; i < r->count && !early(out->stop); i++)
        TRY(descend(a, opt, &r->phase[i], r, &out->stop));
    if (!early(out->stop))
        out->stop = ZB_STOP_ITERATIONS;
    out->has_upper = out->guaranteed = true;
    out->log_upper = a->bound;
    out->ibound = a->tree->ibound;
    out->width = a->tree->width;
    out->iterations = a->passes;
    out->bytes = (uint64_t)zb_tighten_bytes(a->tighten);
done:
    zb_attempt_free(a);
    return status;
}

/* All iterations together; -1 when a phase makes no sense. */
static int total_iterations(int count, const zb_phase *phase)
{
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        if (phase[i].iterations < 0 || (unsigned)phase[i].moves > ZB_PARAMETER_GAUGE)
            return -1;
        sum += phase[i].iterations;
    }
    return sum < INT32_MAX ? (int)sum : -1;
}

static zb_status check(const zb_model *model, const zb_options *opt, int total,
                       zb_error *err)
{
    zb_status status;
    TRY(zb_options_check(opt, err));
    if (total < 0)
        return zb_fail(err, ZB_EINVAL, "a phase has no such parameter or iterations");
    if (opt->form == ZB_FORM_AUTO || opt->ibound < 1)
        return zb_fail(err, ZB_EINVAL,
                       "phases need an ibound and a form that is named");
    if (opt->order == ZB_ORDER_FILE) {
        zb_order_cost cost;
        zb_scopes *scopes = NULL;
        status = zb_scopes_new(&scopes, model);
        if (status == ZB_OK)
            status = zb_order_evaluate(scopes, opt->order_list, NULL, &cost);
        zb_scopes_free(scopes);
        if (status == ZB_EINVAL)
            zb_fail(err, status, "option 'order': not every variable once");
    }
done:
    return status;
}

static void fill(int count, double *x)
{
    for (int i = 0; x != NULL && i < count; i++)
        x[i] = INFINITY;
}

zb_status zb_solve_phases(const zb_model *model, const zb_options *opt, int count,
                          const zb_phase *phase, const zb_observer *observer,
                          double *bound, double *seconds, zb_result *out, zb_error *err)
{
    zb_run run;
    zb_status status;

    if (out != NULL)
        *out = (zb_result){ .log_lower = -INFINITY, .log_upper = INFINITY };
    if (model == NULL || opt == NULL || out == NULL || count < 0 ||
        (count > 0 && phase == NULL))
        return zb_fail(err, ZB_EINVAL,
                       "no model, options, phases or place for a result");
    int total = total_iterations(count, phase);
    TRY(check(model, opt, total, err));
    fill(total + 1, bound);
    fill(total + 1, seconds);
    zb_fail(err, ZB_OK, "%s", "");
    TRY(zb_run_open(&run, observer, zb_run_deadline(opt),
                    opt->memory > 0 ? opt->memory : UINT64_MAX, opt->threads));
    recorder r = { .run = &run,
                   .count = count,
                   .phase = phase,
                   .bound = bound,
                   .seconds = seconds,
                   .best = INFINITY };
    out->method = ZB_METHOD_WMBE_WG;
    out->form = opt->form;
    out->order = opt->order;
    status = run_phases(model, opt, &r, out, err);
    out->seconds = zb_now() - run.start;
    zb_run_close(&run);
done:
    if (status != ZB_OK && err != NULL && err->text[0] == '\0')
        zb_fail(err, status, "%s", zb_status_text(status));
    return status;
}
