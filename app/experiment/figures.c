/* Which instances, methods, forms, orders and iterations make up a figure. */
#include "experiment.h"

#include "console.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const exp_names[] = { "fig2a", "fig2b", "fig2c", "fig2d", "fig2e",
                                  "fig3a", "fig3b", "fig3c", "fig3d", NULL };

static const struct plan {
    const char *name, *title;
    exp_family family;
    int ibound;
    bool curves;
} plans[] = {
    { "fig2a", "Ising 10x10, ibound 4", EXP_ISING, 4, false },
    { "fig2b", "Ising 10x10, ibound 6", EXP_ISING, 6, false },
    { "fig2c", "3-regular, 180 factors, ibound 4", EXP_REGULAR, 4, false },
    { "fig2d", "3-regular, 180 factors, ibound 6", EXP_REGULAR, 6, false },
    { "fig2e", "Linkage, ibound 6", EXP_LINKAGE, 6, false },
    { "fig3a", "Ising 10x10, T = 1, ibound 4", EXP_ISING, 4, true },
    { "fig3b", "Ising 10x10, T = 1, ibound 6", EXP_ISING, 6, true },
    { "fig3c", "3-regular, T = 1, ibound 4", EXP_REGULAR, 4, true },
    { "fig3d", "3-regular, T = 1, ibound 6", EXP_REGULAR, 6, true },
};
enum { PLANS = sizeof plans / sizeof *plans };

/* Iterations: the paper gives 150 + 300 for figure 3 only; the others follow it. */
enum { ISING_PASSES = 450, REGULAR_PASSES = 300, LINKAGE_PASSES = 300 };
enum { TRBP_SWEEPS = 1000, INSTANCES = 10 };

bool exp_is_figure(const char *name)
{
    for (int i = 0; i < PLANS; i++)
        if (strcmp(plans[i].name, name) == 0)
            return true;
    return false;
}

const char *exp_family_name(const exp_settings *s, exp_family family)
{
    static const char *const names[] = { "ising", "regular", "regular-random",
                                         "linkage", "pedigree" };
    static const char *const variance[] = { "ising-variance", "regular-variance",
                                            "regular-random-variance", "linkage",
                                            "pedigree" };
    if (family == EXP_PEDIGREE && s->quick)
        return "pedigree-small"; /* other models: rows must not be mixed up */
    return s->variance ? variance[family] : names[family];
}

/* ---- instances ------------------------------------------------------------------- */

static exp_instance *add_instance(exp_figure *f, exp_family family, double coupling,
                                  uint64_t seed)
{
    int n = f->ninstances;
    exp_instance *all = realloc(f->instance, (size_t)(n + 1) * sizeof *all);
    if (all == NULL)
        return NULL;
    f->instance = all;
    f->ninstances++;
    all[n] = (exp_instance){ .family = family, .coupling = coupling, .seed = seed };
    return &all[n];
}

static bool add_couplings(exp_figure *f, const exp_settings *s, exp_family family)
{
    int step = s->quick ? 5 : 1, count = s->quick ? 2 : INSTANCES;
    if (f->curves)
        return add_instance(f, family, 1, s->seed) != NULL;
    for (int t = 0; t <= 10; t += step)
        for (int k = 0; k < count; k++)
            if (!add_instance(f, family, t / 5.0, s->seed + (uint64_t)k))
                return false;
    return true;
}

static bool add_file(exp_figure *f, const exp_settings *s, const char *file, int at)
{
    exp_instance *i = add_instance(f, EXP_LINKAGE, 0, (uint64_t)at);
    if (i == NULL)
        return false;
    size_t length = strlen(s->data) + strlen(file) + 2;
    i->path = malloc(length);
    i->name = strdup(file);
    if (i->path == NULL || i->name == NULL)
        return false;
    snprintf(i->path, length, "%s/%s", s->data, file);
    *strstr(i->name, ".uai") = '\0';
    for (char *c = i->name; *c != '\0'; c++)
        if (*c == ',')
            *c = '_'; /* names are fields of a CSV file */
    return true;
}

/* --quick: three files, spread over the list. */
static bool add_files(exp_figure *f, const exp_settings *s)
{
    int count;
    char **list = exp_models_list(s->data, &count);
    bool good = list != NULL;
    for (int i = 0; i < count && list != NULL; i++) {
        bool wanted = !s->quick || count <= 3 || i % ((count + 2) / 3) == 0;
        good = good && list[i] != NULL && (!wanted || add_file(f, s, list[i], i + 1));
        free(list[i]);
    }
    free(list);
    return good;
}

static bool add_instances(exp_figure *f, const exp_settings *s)
{
    if (f->family == EXP_LINKAGE)
        return add_files(f, s);
    if (f->family == EXP_PEDIGREE) {
        for (int k = 0; k < (s->quick ? 2 : INSTANCES); k++)
            if (!add_instance(f, EXP_PEDIGREE, 0, s->seed + (uint64_t)k))
                return false;
        return true;
    }
    bool good = add_couplings(f, s, f->family);
    if (f->family == EXP_REGULAR && !f->curves)
        good = good && add_couplings(f, s, EXP_REGULAR_RANDOM);
    return good;
}

/* ---- tasks ----------------------------------------------------------------------- */

static bool add_task(exp_figure *f, exp_task task)
{
    if (f->ntasks == f->room) {
        int room = f->room > 0 ? 2 * f->room : 64;
        exp_task *all = realloc(f->task, (size_t)room * sizeof *all);
        if (all == NULL)
            return false;
        f->task = all;
        f->room = room;
    }
    if (task.curve) {
        size_t n = (size_t)task.iterations + 1;
        task.values = calloc(n, sizeof *task.values);
        task.clocks = calloc(n, sizeof *task.clocks);
    }
    f->task[f->ntasks++] = task;
    return !task.curve || (task.values != NULL && task.clocks != NULL);
}

static int passes(const exp_figure *f, const exp_settings *s)
{
    int full = f->family == EXP_ISING     ? ISING_PASSES
               : f->family == EXP_REGULAR ? REGULAR_PASSES
                                          : LINKAGE_PASSES;
    return s->quick ? full / 6 : full;
}

static bool add_fixed(exp_figure *f, const exp_settings *s, exp_task t)
{
    bool ising = f->family == EXP_ISING;
    exp_task trbp = t, be = t;
    trbp.iterations = s->quick ? TRBP_SWEEPS / 5 : TRBP_SWEEPS;
    trbp.label = "trbp", trbp.method = ZB_METHOD_TRBP;
    be.form = ZB_FORM_ORIGINAL, be.order = ZB_ORDER_AUTO;
    be.label = "be", be.method = ZB_METHOD_BE;
    t.label = "mbe", t.method = ZB_METHOD_MBE;
    bool good = add_task(f, be) && add_task(f, t) && add_task(f, trbp);
    t.label = "wmbe", t.method = ZB_METHOD_WMBE;
    good = good && add_task(f, t);
    if (ising) {
        t.form = trbp.form = ZB_FORM_ORIGINAL;
        t.label = "mbe-ising", t.method = ZB_METHOD_MBE;
        trbp.label = "trbp-ising";
        good = good && add_task(f, t) && add_task(f, trbp);
    }
    return good;
}

static bool add_tuned(exp_figure *f, const exp_settings *s, exp_task t)
{
    static const zb_method methods[] = { ZB_METHOD_WMBE_W, ZB_METHOD_WMBE_THETA,
                                         ZB_METHOD_WMBE_WTHETA, ZB_METHOD_WMBE_G,
                                         ZB_METHOD_WMBE_WG };
    bool good = true, files = f->family == EXP_LINKAGE || f->family == EXP_PEDIGREE;
    t.tuned = true;
    t.iterations = passes(f, s);
    for (int o = 0; o < 2; o++) {
        t.optimizer = o == 0 ? ZB_OPTIMIZER_PAPER : ZB_OPTIMIZER_DEFAULT;
        if (o == 1 && files)
            t.form = ZB_FORM_AUTO, t.order = ZB_ORDER_AUTO;
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            t.method = methods[m];
            t.label = zb_method_name(t.method);
            good = good && add_task(f, t);
        }
    }
    if (files)
        return good;
    /* with a form and an order of its own choice */
    t.form = ZB_FORM_AUTO, t.order = ZB_ORDER_AUTO;
    t.label = "wmbe-wg-own";
    return good && add_task(f, t);
}

static bool add_curves(exp_figure *f, const exp_settings *s, exp_task t)
{
    bool good = true;
    exp_task be = t;
    be.form = ZB_FORM_ORIGINAL, be.order = ZB_ORDER_AUTO;
    be.label = "be", be.method = ZB_METHOD_BE;
    good = add_task(f, be);
    t.tuned = t.curve = true;
    t.switch_at = s->quick ? 25 : 150;
    t.iterations = 3 * t.switch_at;
    for (int o = 0; o < 2; o++)
        for (int c = 0; exp_curves[c] != NULL; c++) {
            static const exp_kind first[] = { EXP_G, EXP_G,     EXP_W,
                                              EXP_W, EXP_THETA, EXP_THETA };
            static const exp_kind second[] = { EXP_W,     EXP_THETA, EXP_G,
                                               EXP_THETA, EXP_G,     EXP_W };
            t.optimizer = o == 0 ? ZB_OPTIMIZER_PAPER : ZB_OPTIMIZER_DEFAULT;
            t.label = exp_curves[c];
            t.first = first[c];
            t.second = second[c];
            good = good && add_task(f, t);
        }
    return good;
}

static bool add_tasks(exp_figure *f, const exp_settings *s, int instance)
{
    bool files = f->family == EXP_LINKAGE || f->family == EXP_PEDIGREE;
    exp_task t = { .instance = instance,
                   .order = files ? ZB_ORDER_MINFILL : ZB_ORDER_NATURAL,
                   .form = files                    ? ZB_FORM_FORNEY
                           : f->family == EXP_ISING ? ZB_FORM_LATTICE
                                                    : ZB_FORM_ORIGINAL,
                   .optimizer = ZB_OPTIMIZER_PAPER };
    return f->curves ? add_curves(f, s, t) : add_fixed(f, s, t) && add_tuned(f, s, t);
}

int exp_figure_make(exp_figure *f, const exp_settings *s, const char *name)
{
    const struct plan *p = plans;
    while (strcmp(p->name, name) != 0)
        p++;
    *f = (exp_figure){ .name = p->name,
                       .title = p->title,
                       .family = p->family,
                       .ibound = p->ibound,
                       .curves = p->curves };
    if (f->family == EXP_LINKAGE && s->generated)
        f->family = EXP_PEDIGREE, f->title = "Generated pedigrees, ibound 6";
    bool good = add_instances(f, s);
    for (int i = 0; i < f->ninstances; i++)
        good = good && add_tasks(f, s, i);
    return good ? APP_OK : app_fail(APP_LIMIT, "out of memory");
}

void exp_figure_free(exp_figure *f)
{
    for (int i = 0; i < f->ninstances; i++) {
        free(f->instance[i].name);
        free(f->instance[i].path);
    }
    for (int i = 0; i < f->ntasks; i++) {
        free(f->task[i].values);
        free(f->task[i].clocks);
    }
    for (int i = 0; i < f->nextra; i++)
        free(f->extra[i]);
    free(f->extra);
    free(f->instance);
    free(f->task);
}
