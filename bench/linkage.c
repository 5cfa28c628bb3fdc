/* The linkage models at ibound 6: linkage [SECONDS]
 *
 * Upper bounds of every method, less the known ln Z; at most SECONDS (20) per run. */
#include "shared_data.h"

static const zb_method METHOD[] = { ZB_METHOD_MBE,         ZB_METHOD_WMBE,
                                    ZB_METHOD_WMBE_W,      ZB_METHOD_WMBE_THETA,
                                    ZB_METHOD_WMBE_WTHETA, ZB_METHOD_WMBE_G,
                                    ZB_METHOD_WMBE_WG };

static void bound(const zb_model *model, zb_method method, zb_form form, double seconds,
                  known k)
{
    zb_options opt = zb_options_default();
    zb_result r;
    zb_error err = { "" };
    opt.method = method;
    opt.side = ZB_SIDE_UPPER;
    opt.form = form;
    opt.ibound = 6;
    opt.time = seconds;
    must(zb_solve(model, &opt, NULL, &r, &err), err.text);
    if (isfinite(k.slack) && r.log_upper < k.log_z - k.slack) {
        printf("WRONG SIDE %.12g\n", r.log_upper);
        exit(1);
    }
    if (isfinite(k.slack))
        printf("%.3f%s | ", r.log_upper - k.log_z, r.exact ? " (exact)" : "");
    else
        printf("[%.3f]%s | ", r.log_upper, r.exact ? " (exact)" : "");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 20;
    glob_t found;
    if (glob("../shared/data/linkage/*.uai.gz", 0, NULL, &found) != 0) {
        printf("skipped: ../shared/data/linkage is not here\n");
        return 0;
    }
    printf(
        "# Linkage models, ibound 6: ln(Z_UB / Z)\n\nForm and order free; in the last "
        "two columns the form merged, which is Forney-style, so that gauges move "
        "whatever else would be better. At most %g s per run. ln Z from exact "
        "elimination where that is known, else the published six digits. In brackets: "
        "the bound itself, where no ln Z can be trusted.\n\n| model | variables | ln "
        "Z ",
        seconds);
    for (int m = 0; m < 7; m++)
        printf("| %s ", zb_method_name(METHOD[m]));
    for (int m = 5; m < 7; m++)
        printf("| %s, merged ", zb_method_name(METHOD[m]));
    printf("|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        zb_model *model = read_shared(found.gl_pathv[i]);
        known k = look_up(found.gl_pathv[i]);
        printf("| %.*s | %d | ", (int)strcspn(base_name(found.gl_pathv[i]), "."),
               base_name(found.gl_pathv[i]), zb_model_nvars(model));
        if (isfinite(k.slack))
            printf("%.*f | ", k.slack > 1e-6 ? 3 : 6, k.log_z);
        else
            printf("? | ");
        for (int m = 0; m < 7; m++)
            bound(model, METHOD[m], ZB_FORM_AUTO, seconds, k);
        for (int m = 5; m < 7; m++)
            bound(model, METHOD[m], ZB_FORM_MERGED, seconds, k);
        printf("\n");
        zb_model_free(model);
    }
    globfree(&found);
    return 0;
}
