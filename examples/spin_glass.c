/* A spin glass, bounded with small tables, listening as the bracket closes. */
#include <math.h>
#include <stdio.h>
#include <zbound.h>

static bool listen(void *context, const zb_progress *at)
{
    int64_t *next = context;
    if (at->iteration >= *next) {
        printf("%6lld  %12.6f <= ln Z <= %12.6f\n", (long long)at->iteration,
               at->log_lower, at->log_upper);
        *next = at->iteration * 2 + 1;
    }
    return true; /* false would stop here, and keep the best bounds so far */
}

int main(void)
{
    const zb_ising_spec spec = {
        .rows = 10, .cols = 10, .coupling = 1, .field = 0.1, .seed = 7
    };
    int64_t next = 0;
    const zb_observer observer = { .context = &next, .progress = listen };
    zb_options opt = zb_options_default();
    zb_model *model = NULL;
    zb_result bracket = { .seconds = 0 }, exact = { .seconds = 0 };
    zb_error err = { "" };

    opt.method = ZB_METHOD_WMBE_WG;
    opt.ibound = 4;
    opt.iterations = 100;
    zb_status status = zb_generate_ising(&model, &spec);
    if (status == ZB_OK)
        status = zb_solve(model, &opt, &observer, &bracket, &err);
    opt.method = ZB_METHOD_BE;
    if (status == ZB_OK)
        status = zb_solve(model, &opt, NULL, &exact, &err);
    zb_model_free(model);
    if (status != ZB_OK) {
        fprintf(stderr, "%s: %s\n", zb_status_text(status), err.text);
        return 1;
    }
    printf("bounds  %12.6f <= ln Z <= %12.6f\n", bracket.log_lower, bracket.log_upper);
    printf("exact                    %12.6f\n", exact.log_upper);
    return bracket.log_lower <= exact.log_upper && exact.log_lower <= bracket.log_upper
               ? 0
               : 1;
}
