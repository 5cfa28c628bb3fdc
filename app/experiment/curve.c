/* A curve of figure 3: one kind of parameter moves for a while, then another from where
 * the first has led. */
#include "experiment.h"

zb_status exp_curve_run(exp_task *t, const zb_model *model, int ibound,
                        const zb_observer *observer, zb_error *err)
{
    static const zb_parameter moves[] = { [EXP_W] = ZB_PARAMETER_WEIGHT,
                                          [EXP_THETA] = ZB_PARAMETER_THETA,
                                          [EXP_G] = ZB_PARAMETER_GAUGE };
    const zb_phase phases[] = { { moves[t->first], t->switch_at },
                                { moves[t->second], t->iterations - t->switch_at } };
    zb_options opt = zb_options_default();
    zb_result r;
    opt.form = t->form;
    opt.order = t->order;
    opt.optimizer = t->optimizer;
    opt.ibound = ibound;
    opt.threads = 1;
    zb_status status = zb_solve_phases(model, &opt, 2, phases, observer, t->values,
                                       t->clocks, &r, err);
    if (status != ZB_OK)
        return status;
    t->has_upper = true;
    t->log_upper = r.log_upper;
    t->form_used = t->form;
    t->order_used = t->order;
    t->passes = r.iterations;
    t->stop = "iterations";
    t->seconds = r.seconds;
    return ZB_OK;
}
