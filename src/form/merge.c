/* Merged form: clusters of factors contracted into one table each. The plan says which;
 * here the strategies are chosen and the numbers follow. */
#include "form/merge.h"

#include "base/explog.h"
#include "form/form.h"

#include <string.h>

enum { DEFAULT_IBOUND = 6 };
static const double MAX_ENTRIES = 1 << 20;

/* ---- numbers --------------------------------------------------------------------- */

/* The union of two scopes, each half sorted: first what stays, then what is summed out,
   variables that no other factor holds. */
typedef struct joint_scope {
    int var[2 * ZB_MAX_AXES], stay, leave;
} joint_scope;

static void insert(int *list, int *count, int v)
{
    int at = *count;
    for (int i = 0; i < *count; i++)
        if (list[i] == v)
            return;
    for (; at > 0 && list[at - 1] > v; at--)
        list[at] = list[at - 1];
    list[at] = v;
    ++*count;
}

/* b may be NULL. */
static joint_scope join_scopes(const zb_factor *a, const zb_factor *b,
                               const int *degree)
{
    joint_scope out = { .stay = 0 };
    int leave[2 * ZB_MAX_AXES];
    for (int k = 0; k < 2 && (k == 0 || b != NULL); k++) {
        const zb_factor *f = k == 0 ? a : b;
        for (int i = 0; i < f->arity; i++)
            if (degree[f->scope[i]] > 1)
                insert(out.var, &out.stay, f->scope[i]);
            else
                insert(leave, &out.leave, f->scope[i]);
    }
    memcpy(out.var + out.stay, leave, (size_t)out.leave * sizeof *leave);
    return out;
}

static zb_status multiply_in(const zb_factor *f, const zb_model *model,
                             const joint_scope *scope, double *joint, zb_form_job *job)
{
    return zb_factor_absorb(f, scope->stay + scope->leave, scope->var, model->card,
                            joint, &job->tick)
               ? zb_form_spend(job, 50)
               : ZB_ELIMIT;
}

static void record(const zb_model *model, const zb_factor *a, const zb_factor *b,
                   const joint_scope *scope, zb_record *t)
{
    int to = (int)(a - model->factor);
    if (b != NULL) {
        zb_record_begin(t, ZB_RECORD_MULTIPLY);
        zb_record_push(t, (int)(b - model->factor));
        zb_record_push(t, to);
    }
    for (int i = scope->stay; i < scope->stay + scope->leave; i++) {
        zb_record_begin(t, ZB_RECORD_SUM);
        zb_record_push(t, scope->var[i]);
        zb_record_push(t, to);
    }
}

/* a becomes the product of a and b, summed over the variables of degree one. */
static zb_status contract(const zb_model *model, zb_factor *a, const zb_factor *b,
                          const int *degree, zb_form_job *job)
{
    joint_scope scope = join_scopes(a, b, degree);
    zb_factor out = { .arity = scope.stay, .size = 1, .log = true };
    size_t inner = 1, size;
    double *joint = NULL;
    zb_status status;

    for (int i = 0; i < scope.stay; i++)
        out.size *= (size_t)model->card[scope.var[i]];
    for (int i = scope.stay; i < scope.stay + scope.leave; i++)
        inner *= (size_t)model->card[scope.var[i]];
    out.scope = zb_alloc((size_t)scope.stay, sizeof *out.scope);
    size = out.size * inner;
    joint = zb_calloc(size, sizeof *joint);
    out.value = zb_alloc(inner > 1 ? out.size : 0, sizeof *joint);
    TRY(out.scope && joint && out.value ? ZB_OK : ZB_ENOMEM);
    memcpy(out.scope, scope.var, (size_t)scope.stay * sizeof *scope.var);
    TRY(multiply_in(a, model, &scope, joint, job));
    if (b != NULL) {
        TRY(multiply_in(b, model, &scope, joint, job));
        job->scale.radius += zb_absorb_radius(b, size, joint);
    }
    if (inner > 1) {
        zb_shape shape = { out.size, inner, 1 };
        TRY(zb_axis_sum(shape, joint, out.value, &job->tick) ? ZB_OK : ZB_ELIMIT);
        job->scale.radius += zb_axis_sum_radius(shape, out.value);
    } else {
        zb_free(out.value);
        out.value = joint, joint = NULL;
    }
    record(model, a, b, &scope, job->record);
    zb_factor_clear(a);
    *a = out, out = (zb_factor){ 0 };
done:
    zb_free(joint);
    zb_factor_clear(&out);
    return status;
}

static void drop_merged(zb_model *model, zb_form_job *job)
{
    int n = 0;
    zb_record_begin(job->record, ZB_RECORD_FACTORS);
    for (int f = 0; f < model->nfactors; f++) {
        zb_factor *a = &model->factor[f];
        if (a->value != NULL && a->arity > 0) {
            model->factor[n++] = *a;
            zb_record_push(job->record, f);
            continue;
        }
        if (a->value != NULL)
            zb_sum_add(&job->scale, a->value[0]);
        zb_factor_clear(a);
    }
    model->nfactors = n;
}

static zb_status carry_out(zb_model *model, const zb_merge_plan *plan, zb_form_job *job)
{
    int *degree = zb_calloc((size_t)model->nvars, sizeof *degree);
    zb_status status;

    TRY(degree ? ZB_OK : ZB_ENOMEM);
    for (int f = 0; f < model->nfactors; f++)
        for (int i = 0; i < model->factor[f].arity; i++)
            degree[model->factor[f].scope[i]]++;
    for (int f = 0; f < model->nfactors; f++)
        TRY(contract(model, &model->factor[f], NULL, degree, job));
    for (int k = 0; k < plan->count; k++) {
        zb_factor *a = &model->factor[plan->pair[k][0]];
        zb_factor *b = &model->factor[plan->pair[k][1]];
        for (int i = 0; i < b->arity; i++)
            degree[b->scope[i]] -= zb_factor_axis(a, b->scope[i]) >= 0;
        TRY(contract(model, a, b, degree, job));
        zb_factor_clear(b);
    }
    drop_merged(model, job);
done:
    zb_free(degree);
    return status;
}

/* ---- plans ----------------------------------------------------------------------- */

void zb_merge_plan_rate(zb_merge_plan *plan, int nvars, const int *card,
                        const int *degree)
{
    plan->equality = 0;
    plan->nats = 0;
    for (int v = 0; v < nvars; v++) {
        int d = degree[v];
        plan->equality += d > 2 ? d - 2 : 0;
        plan->entries += (d > 2 ? d - 2 : 0) * ((double)card[v] * card[v] * card[v]);
        plan->nats += (d > 2 ? 2 * d - 3 : d > 0) * zb_log(card[v]);
    }
}

void zb_merge_plan_clear(zb_merge_plan *plan)
{
    zb_free(plan->pair);
    *plan = (zb_merge_plan){ 0 };
}

/* ---- strategies ------------------------------------------------------------------ */

/* By measurement: the first is good on pedigrees and grids, the second finds all
   plaquettes of grids, the third leaves the fewest variables on grids, the fourth the
   fewest equality factors on pedigrees. No one is best everywhere. */
static const zb_merge_rule RULES[] = {
    { .finish = 0.5, .summed = 1, .growth = 0.25, .further = 0 },
    { .finish = 0.5, .summed = 1, .growth = 0.25, .further = 0.5 },
    { .finish = 0, .summed = 1, .growth = 0.25, .further = 0 },
    { .finish = 0.5, .summed = 0.5, .growth = 0.25, .further = 0 },
    { .finish = 0.5, .summed = 1, .growth = 0.5, .further = 0 },
    { .smallest = true },
};
enum { NRULES = sizeof RULES / sizeof *RULES, FEW = 2, MANY_FACTORS = 20000 };

/* By gain, the k-th rule; after the first round shaken by the seed k. */
static zb_merge_rule rule_of(int k, int ibound)
{
    zb_merge_rule rule = RULES[k % NRULES];
    rule.ibound = ibound > 0 ? ibound : DEFAULT_IBOUND;
    rule.max_entries = MAX_ENTRIES;
    rule.seed = (uint64_t)k;
    rule.noise = k < NRULES ? 0 : 0.4;
    return rule;
}

/* Tiles as large as the ibound allows: a tile of side t has 4 t sites on its rim, and,
   from t = 2 on, one more while an inner one is summed out. */
static zb_status plan_tiles(zb_merge_plan *plan, const zb_model *model, int ibound,
                            zb_ticker *tick)
{
    int room = ibound > 0 ? ibound : DEFAULT_IBOUND;
    *plan = (zb_merge_plan){ 0 };
    if (room < 4)
        return ZB_EINVAL;
    return zb_tile_plan_new(plan, model, zb_max_int(1, (room - 1) / 4), MAX_ENTRIES,
                            tick);
}

/* Fewer and smaller variables, fewer equality factors. */
static double cost(const zb_merge_plan *plan) { return plan->nats + plan->equality; }

static void keep_cheaper(zb_merge_plan *best, zb_merge_plan *other)
{
    if (best->pair == NULL || cost(other) < cost(best)) {
        zb_merge_plan_clear(best);
        *best = *other;
    } else {
        zb_merge_plan_clear(other);
    }
}

/* The cheapest plan of all; of the first few when there are very many factors. */
static zb_status plan_best(zb_merge_plan *best, const zb_model *model,
                           const zb_scopes *s, zb_form_job *job)
{
    int tries = s->count > MANY_FACTORS ? FEW : NRULES, ibound = job->request->ibound;
    zb_merge_plan plan;
    zb_status status = plan_tiles(&plan, model, ibound, &job->tick);

    if (status == ZB_OK)
        keep_cheaper(best, &plan);
    else if (status != ZB_EINVAL) /* EINVAL: no grid */
        return status;
    for (int k = 0; k < tries; k++) {
        zb_merge_rule rule = rule_of(k, ibound);
        status = zb_merge_plan_new(&plan, s, &rule, &job->tick);
        if (status != ZB_OK)
            return status;
        keep_cheaper(best, &plan);
    }
    return ZB_OK;
}

static zb_status make_plan(zb_merge_plan *plan, const zb_model *model,
                           const zb_scopes *s, zb_form_job *job)
{
    int ibound = job->request->ibound, variant = job->request->variant;
    zb_merge_rule rule = rule_of(NRULES - 1, ibound);
    if (variant <= 0)
        return plan_best(plan, model, s, job);
    if (variant == 2) {
        zb_status status = plan_tiles(plan, model, ibound, &job->tick);
        if (status != ZB_EINVAL)
            return status;
    }
    if (variant >= 2)
        rule = rule_of(variant - (variant == 2 ? 2 : 3), ibound);
    return zb_merge_plan_new(plan, s, &rule, &job->tick);
}

zb_status zb_merge_factors(zb_model *model, zb_form_job *job)
{
    zb_merge_plan plan = { 0 };
    zb_scopes *s = NULL;
    zb_status status;

    TRY(zb_forney_absorb(model, job));
    TRY(zb_scopes_new(&s, model));
    TRY(make_plan(&plan, model, s, job));
    TRY(zb_form_afford(job, "merged", plan.entries));
    TRY(carry_out(model, &plan, job));
    job->info.summed = plan.summed;
done:
    zb_scopes_free(s);
    zb_merge_plan_clear(&plan);
    return status;
}
