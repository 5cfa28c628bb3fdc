/* `generate`: test models, to a file or to stdout. */
#include "args.h"
#include "console.h"

#include <string.h>

static zb_status ising(zb_model **out, const app_args *args)
{
    bool normal = args->couplings == ZB_COUPLINGS_GAUSS;
    double beta;
    if (app_args_beta(args, &beta) != APP_OK || !(beta > 0))
        return ZB_EINVAL;
    zb_ising_spec spec = { .rows = args->rows,
                           .cols = args->cols,
                           .coupling = args->coupling,
                           .field = normal || app_option_given(args, "field")
                                        ? args->field
                                        : 0,
                           .variance = args->variance,
                           .periodic = args->periodic,
                           .seed = args->opt.seed,
                           .couplings = (zb_couplings)args->couplings,
                           .lattice = (zb_lattice)args->lattice,
                           .layers = args->layers,
                           .states = args->states,
                           .beta = beta };
    return zb_generate_ising(out, &spec);
}

static zb_status regular(zb_model **out, const app_args *args)
{
    zb_regular_spec spec = { .factors = args->factors > 0 ? args->factors : 180,
                             .coupling = args->coupling,
                             .variance = args->variance,
                             .chord = (zb_chord)args->chord,
                             .seed = args->opt.seed };
    return zb_generate_regular(out, &spec);
}

static zb_status random_factors(zb_model **out, const app_args *args)
{
    bool given = app_option_given(args, "factors");
    int variables;
    app_args_variables(args, &variables);
    zb_random_spec spec = { .variables = variables,
                            .factors = given ? args->factors : variables,
                            .arity = args->arity,
                            .cardinality = args->cardinality,
                            .zeros = args->zeros,
                            .seed = args->opt.seed };
    return zb_generate_random(out, &spec);
}

static zb_status tree(zb_model **out, const app_args *args)
{
    int variables;
    app_args_variables(args, &variables);
    zb_random_tree_spec spec = { .variables = variables,
                                 .cardinality = args->cardinality,
                                 .seed = args->opt.seed };
    return zb_generate_tree(out, &spec);
}

static zb_status pedigree(zb_model **out, const app_args *args)
{
    zb_pedigree_spec spec = { .founders = args->founders,
                              .children = args->children,
                              .loci = args->loci,
                              .alleles = args->alleles,
                              .typed = args->typed,
                              .seed = args->opt.seed };
    return zb_generate_pedigree(out, &spec);
}

static const struct {
    const char *name;
    zb_status (*make)(zb_model **out, const app_args *args);
    const char *sense; /* what the sizes must satisfy */
} kinds[] = {
    { "ising", ising,
      "the lattice is too large, --beta not above 0 or too large, or a deviation "
      "negative (--couplings "
      "uniform "
      "takes numbers of any sign, and no --variance)" },
    { "regular", regular, "--factors must be even and at least 4 (6 at random)" },
    { "random", random_factors, "--arity must not exceed --variables" },
    { "tree", tree, "the tree is too large" },
    { "pedigree", pedigree, "children need two founders; or the family is too large" },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int write_model(const app_args *args, const zb_model *model)
{
    zb_error err = { "" };
    const char *path = args->output != NULL ? args->output : "-";
    if (zb_model_write(model, path, &err) != ZB_OK)
        return app_fail(APP_USAGE, "%s", err.text);
    return APP_OK;
}

int app_generate(app_args *args, FILE *out)
{
    const char *kind = args->positional[0], *names[KINDS];
    zb_model *model = NULL;
    int variables, wrong = app_args_variables(args, &variables);
    (void)out;
    if (wrong != APP_OK)
        return wrong;
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
        if (strcmp(kind, kinds[i].name) != 0)
            continue;
        zb_status status = kinds[i].make(&model, args);
        if (status == ZB_EINVAL)
            return app_fail(APP_USAGE, "generate %s: %s", kind, kinds[i].sense);
        if (status != ZB_OK)
            return app_fail_status(status, &(zb_error){ "" });
        int code = write_model(args, model);
        zb_model_free(model);
        return code;
    }
    const char *near = app_nearest(kind, KINDS, names);
    return app_fail(
        APP_USAGE,
        "generate: expected ising, regular, random, tree or pedigree, found '%s'%s%s%s",
        kind, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}
