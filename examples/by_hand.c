/* A model built by hand: rain, a sprinkler, wet grass. Z is the sum over all eight
   states of the product of the tables; with the grass observed to be wet, it is the
   probability of wet grass. */
#include <math.h>
#include <stdio.h>
#include <zbound.h>

enum { RAIN, SPRINKLER, GRASS };

static zb_status build(zb_model *model)
{
    const double rain[2] = { 0.8, 0.2 };
    const double sprinkler[4] = { 0.6, 0.4, 0.99, 0.01 }; /* the last varies fastest */
    const double grass[8] = { 1, 0, 0.1, 0.9, 0.2, 0.8, 0.01, 0.99 };
    zb_status status = zb_model_add(model, 1, (int[]){ RAIN }, rain);
    if (status == ZB_OK)
        status = zb_model_add(model, 2, (int[]){ RAIN, SPRINKLER }, sprinkler);
    if (status == ZB_OK)
        status = zb_model_add(model, 3, (int[]){ RAIN, SPRINKLER, GRASS }, grass);
    if (status == ZB_OK)
        status = zb_model_observe(model, GRASS, 1);
    return status;
}

int main(void)
{
    const int card[3] = { 2, 2, 2 };
    zb_options opt = zb_options_default();
    zb_model *model = NULL;
    zb_result z = { .log_lower = 0 };
    zb_error err = { "the model could not be built" };

    zb_status status = zb_model_new(&model, 3, card);
    if (status == ZB_OK)
        status = build(model);
    if (status == ZB_OK)
        status = zb_solve(model, &opt, NULL, &z, &err);
    zb_model_free(model);
    if (status != ZB_OK) {
        fprintf(stderr, "%s: %s\n", zb_status_text(status), err.text);
        return 1;
    }
    printf("P(wet grass) is between %.6f and %.6f%s\n", exp(z.log_lower),
           exp(z.log_upper), z.exact ? ", exactly" : "");

    const double truth = 0.8 * 0.4 * 0.9 + 0.2 * (0.99 * 0.8 + 0.01 * 0.99);
    return fabs(exp(z.log_lower) - truth) < 1e-12 && z.exact ? 0 : 1;
}
