#include "map/branch.h"

#include "base/explog.h"
#include "map/explore.h"
#include "sample/ascent.h"

#include <string.h>

typedef zb_summit_job job;

/* ---- what is known --------------------------------------------------------------- */

/* The trial state, if it is better, after single and double flips. */
zb_status zb_summit_enter_state(job *j)
{
    zb_summit *s = j->out;
    zb_status status = ZB_OK;
    if (zb_state_value(j->model, j->trial).mid == -INFINITY)
        return ZB_OK;
    TRY(zb_state_ascend(j->model, j->trial, j->run));
    double value = zb_state_value(j->model, j->trial).mid;
    if (!s->found || value > s->value) {
        memcpy(s->state, j->trial, (size_t)j->model->nvars * sizeof *s->state);
        s->value = value;
        s->found = true;
    }
done:
    return status;
}

/* Two numbers that differ by no more than rounding may have done to them. */
static bool meets(const zb_summit *s, double radius)
{
    return s->found &&
           s->upper - s->value <= 4 * radius + 1e-12 * fmax(1, fabs(s->value));
}

void zb_summit_enter_bound(job *j, double upper, double radius)
{
    zb_summit *s = j->out;
    s->upper = fmin(s->upper, upper);
    s->optimal = s->optimal || s->upper == -INFINITY || meets(s, radius);
    zb_run_report(j->run, (zb_progress){ .log_lower = s->found ? s->value : -INFINITY,
                                         .log_upper = s->upper,
                                         .ibound = s->ibound,
                                         .fraction = -1,
                                         .side = ZB_SIDE_UPPER });
}

/* In the units of the model, whose logarithms are beta times larger in the climber's.
 */
double zb_summit_slack(const zb_climber *c, double beta)
{
    return (c->top.radius + c->how.model->radius) / beta +
           4 * ZB_UNIT * fabs(c->top.mid / beta);
}

/* ---- branch and bound ------------------------------------------------------------ */

typedef struct branching {
    job *j;
    const zb_climber *climber;
    double beta;
    zb_explorer *explorer;
    zb_run *run;
    double most; /* what the best state known loses; INFINITY: there is none */
    double budget, searched; /* this one, and the one before */
    double nodes;            /* of that */
} branching;

/* No state loses less than this. */
static void enter_loss(const branching *b, double loss)
{
    double slack = zb_summit_slack(b->climber, b->beta) +
                   zb_explorer_radius(b->explorer, loss) / b->beta;
    if (loss < INFINITY)
        zb_summit_enter_bound(
            b->j, zb_up((b->climber->top.mid - loss) / b->beta, slack), slack);
    else
        zb_summit_enter_bound(b->j, -INFINITY, 0);
}

/* The best state there is, unless time is over before it is read. */
static zb_status enter_best(const branching *b, double loss)
{
    job *j = b->j;
    zb_status status;
    TRY(zb_explorer_state(b->explorer, loss, b->run, j->trial));
    TRY(zb_summit_enter_state(j));
    j->out->optimal = true;
done:
    enter_loss(b, loss);
    return status;
}

/* Budgets grow so that each search takes some four times as long as the last, if that
   grows exponentially as it did; and at least half as much again as what is known. */
static double next_budget(const branching *b, const zb_exploration *last)
{
    double growth = zb_log(fmax(2, last->nodes / fmax(1, b->nodes))) /
                    fmax(b->budget - b->searched, 1e-9 * b->budget);
    double step = fmin(zb_log(4) / growth, 2 * b->budget);
    return fmin(b->most, fmax(last->loss, b->budget) + fmax(step, 0.02 * b->budget));
}

/* Searches with larger and larger budgets: after each the bound is better, and the
   first state that is found is the best. */
static zb_status deepen(branching *b)
{
    zb_status status = ZB_OK;
    b->budget = fmin(b->most, b->most < INFINITY ? 0.1 * b->most : b->beta);
    while (!b->j->out->optimal) {
        zb_exploration seen;
        TRY(zb_explorer_search(b->explorer, b->budget, b->run, &seen));
        if (seen.is_found) {
            TRY(enter_best(b, seen.loss));
            break;
        }
        enter_loss(b, seen.loss);
        if (seen.loss >= b->most) {
            b->j->out->optimal = true;
            break;
        }
        double next = next_budget(b, &seen);
        b->searched = b->budget;
        b->nodes = seen.nodes;
        b->budget = next;
    }
done:
    return status;
}

static const size_t MOST_LEARNED = (size_t)1 << 29; /* bytes */

zb_status zb_summit_branch(job *j, const zb_climber *c, double beta, double share)
{
    double left = zb_run_left(j->run);
    zb_run mine =
        zb_run_share(j->run, isfinite(left) ? zb_now() + share * left : INFINITY,
                     j->run->memory, j->run->threads);
    branching b = { .j = j, .climber = c, .beta = beta, .run = &mine };
    zb_status status;
    mine.relay = zb_run_silent;
    mine.context = j->run;
    TRY(zb_explorer_new(&b.explorer, c->how.tree, c->pass,
                        zb_min_size((size_t)(j->run->memory / 4), MOST_LEARNED),
                        &mine));
    b.most = j->out->found
                 ? fmax(0, c->top.mid - zb_state_value(c->how.model, j->out->state).mid)
                 : INFINITY;
    TRY(deepen(&b));
done:
    zb_explorer_free(b.explorer);
    return status == ZB_ELIMIT ? ZB_OK : status;
}
