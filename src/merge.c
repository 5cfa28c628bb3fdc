/* Merged form: clusters of factors contracted into one table each. The plan says which;
 * here the strategies are chosen and the numbers follow. */
#include "merge.h"

#include "form.h"

#include <string.h>

enum { DEFAULT_IBOUND = 6 };
static const double MAX_ENTRIES = 1 << 20;

/* ---- numbers --------------------------------------------------------------------- */

/* The union of the scopes of a and b (NULL: of a alone), sorted, split into what stays
   and what is summed out: variables that no other factor holds. */
static void split_scope(const zb_factor *a, const zb_factor *b, const int *degree,
                        int *stay, int *nstay, int *leave, int *nleave)
{
    *nstay = *nleave = 0;
    for (int k = 0; k < 2 && (k == 0 || b != NULL); k++) {
        const zb_factor *f = k == 0 ? a : b;
        for (int i = 0; i < f->arity; i++) {
            int v = f->scope[i], *list = degree[v] > 1 ? stay : leave;
            int *n = degree[v] > 1 ? nstay : nleave, j = 0, at = *n;
            while (j < *n && list[j] != v)
                j++;
            if (j < *n)
                continue;
            for (; at > 0 && list[at - 1] > v; at--)
                list[at] = list[at - 1];
            list[at] = v;
            ++*n;
        }
    }
}

/* a becomes the product of a and b, summed over the variables of degree one. */
static zb_status contract(const zb_model *model, zb_factor *a, const zb_factor *b,
                          const int *degree)
{
    int stay[2 * ZB_FORM_ARITY], leave[2 * ZB_FORM_ARITY], nstay, nleave;
    zb_factor out = { .log = true, .size = 1 };
    size_t inner = 1, size;

    split_scope(a, b, degree, stay, &nstay, leave, &nleave);
    for (int i = 0; i < nleave; i++)
        inner *= (size_t)model->card[leave[i]];
    memcpy(stay + nstay, leave, (size_t)nleave * sizeof *stay);
    for (int i = 0; i < nstay; i++)
        out.size *= (size_t)model->card[stay[i]];
    out.arity = nstay;
    out.scope = zb_alloc((size_t)nstay, sizeof *out.scope);
    size = out.size * inner;
    double *joint = zb_calloc(size, sizeof *joint);
    out.value = inner > 1 ? zb_alloc(out.size, sizeof *joint) : joint;
    if (out.scope == NULL || joint == NULL || out.value == NULL) {
        if (out.value != joint)
            zb_free(joint);
        zb_factor_clear(&out);
        return ZB_ENOMEM;
    }
    memcpy(out.scope, stay, (size_t)nstay * sizeof *stay);
    zb_form_multiply(joint, nstay + nleave, stay, model->card, a);
    if (b != NULL)
        zb_form_multiply(joint, nstay + nleave, stay, model->card, b);
    if (inner > 1) {
        zb_form_sum(out.size, inner, joint, out.value);
        zb_free(joint);
    }
    zb_factor_clear(a);
    *a = out;
    return ZB_OK;
}

static bool holds(const zb_factor *a, int v)
{
    for (int i = 0; i < a->arity; i++)
        if (a->scope[i] == v)
            return true;
    return false;
}

static void drop_merged(zb_model *model)
{
    int n = 0;
    for (int f = 0; f < model->nfactors; f++) {
        zb_factor *a = &model->factor[f];
        if (a->value != NULL && a->arity > 0) {
            model->factor[n++] = *a;
            continue;
        }
        if (a->value != NULL)
            model->log_scale += a->value[0];
        zb_factor_clear(a);
    }
    model->nfactors = n;
}

static zb_status carry_out(zb_model *model, const zb_merge_plan *plan)
{
    int *degree = zb_calloc((size_t)model->nvars, sizeof *degree);
    zb_status status;

    TRY(degree ? ZB_OK : ZB_ENOMEM);
    for (int f = 0; f < model->nfactors; f++)
        for (int i = 0; i < model->factor[f].arity; i++)
            degree[model->factor[f].scope[i]]++;
    for (int f = 0; f < model->nfactors; f++)
        TRY(contract(model, &model->factor[f], NULL, degree));
    for (int k = 0; k < plan->count; k++) {
        zb_factor *a = &model->factor[plan->pair[k][0]];
        zb_factor *b = &model->factor[plan->pair[k][1]];
        for (int i = 0; i < b->arity; i++)
            degree[b->scope[i]] -= holds(a, b->scope[i]);
        TRY(contract(model, a, b, degree));
        zb_factor_clear(b);
    }
    drop_merged(model);
done:
    zb_free(degree);
    return status;
}

/* ---- strategies ------------------------------------------------------------------ */

static zb_merge_rule rule_of(int ibound, int variant)
{
    zb_merge_rule rule = { .ibound = ibound > 0 ? ibound : DEFAULT_IBOUND,
                           .max_entries = MAX_ENTRIES,
                           .finish = 0.5,
                           .summed = 1,
                           .growth = 0.5,
                           .further = 0.5,
                           .seed = (uint64_t)variant };
    rule.smallest = variant == 1;
    rule.noise = variant > 2 ? 0.4 : 0;
    return rule;
}

/* Tiles as large as the ibound allows: a tile of side t has 4 t sites on its rim, and
   one more while an inner one is summed out. */
static zb_status plan_tiles(zb_merge_plan *plan, const zb_model *model,
                            const zb_scopes *s, zb_merge_rule *rule)
{
    int side = zb_max_int(1, (rule->ibound - 1) / 4);
    int *label = zb_alloc((size_t)model->nfactors, sizeof *label);
    zb_status status;

    TRY(label ? ZB_OK : ZB_ENOMEM);
    TRY(zb_tile_labels(model, side, label));
    rule->label = label;
    rule->smallest = true;
    TRY(zb_merge_plan_new(plan, s, rule));
done:
    rule->label = NULL;
    rule->smallest = false;
    zb_free(label);
    return status;
}

zb_status zb_merge_factors(zb_model *model, int ibound, int variant, zb_form_info *info)
{
    zb_merge_rule rule = rule_of(ibound, variant);
    zb_merge_plan plan = { 0 };
    zb_scopes *s = NULL;
    zb_status status;

    TRY(zb_forney_absorb(model, info));
    TRY(zb_scopes_new(&s, model));
    status = variant == 2 ? plan_tiles(&plan, model, s, &rule) : ZB_EINVAL;
    if (status == ZB_EINVAL) /* not tiles, or no grid */
        status = zb_merge_plan_new(&plan, s, &rule);
    TRY(status);
    TRY(carry_out(model, &plan));
    info->summed = plan.summed;
done:
    zb_scopes_free(s);
    zb_merge_plan_clear(&plan);
    return status;
}
