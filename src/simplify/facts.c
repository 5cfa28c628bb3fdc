/* What is known about values: nothing at first, then what a reduction found out.
 * These are statements about the states with a non-zero product, so they hold for the
 * model as it was given, whatever the reduction did to the tables on the way. */
#include "simplify/reducer.h"

zb_status zb_facts_new(zb_facts **out, const zb_model *model)
{
    size_t n = (size_t)model->nvars, total = 0;
    zb_facts *a = zb_calloc(1, sizeof *a);

    *out = NULL;
    if (a == NULL)
        return ZB_ENOMEM;
    for (size_t v = 0; v < n; v++)
        total += (size_t)model->card[v];
    a->nvars = model->nvars;
    a->rep = zb_hold_alloc(&a->hold, n, sizeof *a->rep);
    a->count = zb_hold_alloc(&a->hold, n, sizeof *a->count);
    a->at = zb_hold_alloc(&a->hold, n, sizeof *a->at);
    a->image = zb_hold_alloc(&a->hold, total, sizeof *a->image);
    if (a->hold.failed) {
        zb_facts_free(a);
        return ZB_ENOMEM;
    }
    total = 0;
    for (int v = 0; v < a->nvars; v++) {
        a->rep[v] = v;
        a->count[v] = model->card[v];
        a->at[v] = total;
        for (int x = 0; x < a->count[v]; x++)
            a->image[total + (size_t)x] = x;
        total += (size_t)model->card[v];
    }
    *out = a;
    return ZB_OK;
}

/* v was merged into u, whose representative and image are known: v's values follow. */
static void follow(zb_facts *a, const zb_reducer *r, int v, int u)
{
    int n = a->count[a->rep[u]], *image = a->image + a->at[v];
    const int *image_u = a->image + a->at[u];
    const int *value = r->value + r->value_at[v], *mate = r->mate + r->value_at[v];

    for (int k = 0; k < n; k++) {
        int x = 0;
        while (mate[x] != image_u[k]) /* u's values only became fewer since */
            x++;
        image[k] = value[x];
    }
    a->rep[v] = n > 1 ? a->rep[u] : v;
    a->count[v] = n;
}

/* r was loaded through these facts. Variables without a representative other than
   themselves first; then those merged, the last first, so that what a variable was
   merged into is settled. Variables that were merged when r was loaded hold on to
   representatives that may be merged now: r must be the first to learn from. */
void zb_facts_learn(zb_facts *facts, const zb_reducer *r)
{
    for (int v = 0; v < r->nvars; v++) {
        if (facts->count[v] == 1 || r->merged_into[v] >= 0)
            continue;
        facts->count[v] = r->card[v];
        for (int x = 0; x < r->card[v]; x++)
            facts->image[facts->at[v] + (size_t)x] =
                r->value[r->value_at[v] + (size_t)x];
    }
    for (int i = r->nmerged - 1; i >= 0; i--)
        follow(facts, r, r->merged[i], r->merged_into[r->merged[i]]);
}

void zb_facts_free(zb_facts *facts)
{
    if (facts == NULL)
        return;
    zb_hold_free(&facts->hold);
    zb_free(facts);
}
