/* Free energies along a range of inverse temperatures: each solve starts from the state
   of the one before, so that a few passes do what many do from scratch. */
#include <math.h>
#include <stdio.h>
#include <zbound.h>

enum { SIDE = 10, PASSES = 20, STEPS = 8 };

/* The glass at inverse temperature beta: the same couplings and fields, scaled. */
static zb_status make_glass(zb_model **out, double beta)
{
    const zb_ising_spec spec = {
        .rows = SIDE, .cols = SIDE, .coupling = beta, .field = 0.1 * beta, .seed = 3
    };
    return zb_generate_ising(out, &spec);
}

typedef struct sweep {
    zb_options opt;
    zb_state *state; /* of the temperature before */
    double warm_gap, cold_gap;
    bool inside; /* every bracket holds the exact value */
} sweep;

static bool holds(const zb_result *r, double exact)
{
    return r->log_lower <= exact + 1e-9 && exact <= r->log_upper + 1e-9;
}

/* One temperature: with the state, without it, and exactly. */
static zb_status step(sweep *s, double beta, zb_error *err)
{
    zb_options exactly = zb_options_default();
    zb_model *model = NULL;
    zb_state *next = NULL;
    zb_result warm, cold, exact;
    zb_status status = make_glass(&model, beta);
    exactly.method = ZB_METHOD_BE;
    if (status == ZB_OK)
        status = zb_solve_with(model, &s->opt, s->state, &next, NULL, &warm, err);
    if (status == ZB_OK)
        status = zb_solve(model, &s->opt, NULL, &cold, err);
    if (status == ZB_OK)
        status = zb_solve(model, &exactly, NULL, &exact, err);
    zb_model_free(model);
    if (status != ZB_OK) {
        zb_state_free(next);
        return status;
    }
    zb_state_free(s->state);
    s->state = next;
    double n = SIDE * SIDE;
    printf("%4.2f   %.6f .. %.6f   %.6f   %9.6f   %9.6f\n", beta, warm.log_lower / n,
           warm.log_upper / n, exact.log_upper / n, warm.log_upper - warm.log_lower,
           cold.log_upper - cold.log_lower);
    s->warm_gap += warm.log_upper - warm.log_lower;
    s->cold_gap += cold.log_upper - cold.log_lower;
    s->inside =
        s->inside && holds(&warm, exact.log_upper) && holds(&cold, exact.log_upper);
    return ZB_OK;
}

int main(void)
{
    sweep s = { .opt = zb_options_default(), .inside = true };
    zb_error err = { "" };
    zb_status status = ZB_OK;

    s.opt.method = ZB_METHOD_WMBE_WTHETA;
    s.opt.ibound = 5;
    s.opt.iterations = PASSES;
    printf("beta   ln Z per spin, %d passes    exact      gap, warm   gap, cold\n",
           PASSES);
    for (int i = 1; i <= STEPS && status == ZB_OK; i++)
        status = step(&s, 0.15 * i, &err);
    zb_state_free(s.state);
    if (status != ZB_OK) {
        fprintf(stderr, "%s: %s\n", zb_status_text(status), err.text);
        return 1;
    }
    return s.inside && s.warm_gap < s.cold_gap ? 0 : 1;
}
