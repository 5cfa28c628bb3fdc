#include "certificate/buckets.h"

#include "form/form.h"
#include "tighten/tighten_internal.h"

void zb_buckets_clear(zb_bucket_steps *b)
{
    zb_view_clear(&b->view);
    zb_free(b->message);
    *b = (zb_bucket_steps){ 0 };
}

/* ---- form and gauges ------------------------------------------------------------- */

/* The form is made once more, to see how. */
static zb_status write_form(zb_script *s, zb_view *view, const zb_attempt *a,
                            const zb_model *model)
{
    const zb_attempt_spec *spec = &a->spec;
    zb_record record = { 0 };
    zb_form_request request = { .form = spec->form,
                                .ibound = spec->form_ibound > 0 ? spec->form_ibound
                                                                : spec->ibound,
                                .variant = spec->variant,
                                .run = spec->tighten.run,
                                .record = &record };
    zb_status status;
    TRY(zb_form_trace(model, &request));
    TRY(zb_script_replay(s, view, &record));
    ZB_ASSERT(view->nvars == a->model->nvars && view->nfactors == a->model->nfactors);
done:
    zb_record_clear(&record);
    return status;
}

static bool is_identity(int d, const double *m)
{
    for (int i = 0; i < d * d; i++)
        if (m[i] != (i % (d + 1) == 0))
            return false;
    return true;
}

static void write_gauge(zb_script *s, zb_view *view, const zb_gauge *g, int v)
{
    int d = g->tree->card[v], *a = &view->table[g->first[v]];
    int *b = &view->table[g->second[v]];
    const double *m = g->matrix + g->matrix_at[v];
    zb_script_text(s, "gauge");
    zb_script_int(s, view->var[v]);
    zb_script_int(s, *a);
    zb_script_int(s, *b);
    zb_script_text(s, " :");
    for (int i = 0; i < d * d; i++)
        zb_script_real(s, m[i]);
    zb_script_text(s, "\n");
    *a = zb_script_table(s);
    *b = zb_script_table(s);
}

static void write_gauges(zb_script *s, zb_view *view, const zb_gauge *g)
{
    for (int v = 0; g != NULL && v < g->tree->nvars; v++)
        if (g->free_var[v] &&
            !is_identity(g->tree->card[v], g->matrix + g->matrix_at[v]))
            write_gauge(s, view, g, v);
}

/* ---- buckets --------------------------------------------------------------------- */

/* Nothing of the bucket is split, nor of any that it takes messages from. */
static bool is_exact(const zb_bucket_steps *b, const zb_bucket *k)
{
    const zb_tree *t = b->attempt->tree;
    for (int i = 0; k->count == 1 && i < t->node[k->first].ninput; i++) {
        int in = zb_tree_input(t, k->first)[i];
        if (in < 0 && b->message[-1 - in] < 0)
            return false;
    }
    return k->count == 1;
}

/* "mini W.. : T..", and "shift .." unless it is the last one. */
static void write_mini(zb_bucket_steps *b, zb_script *s, const zb_bucket *k, int node)
{
    const zb_tighten *t = b->attempt->tighten;
    const zb_tree *tree = t->tree;
    const zb_pass_spec *ps = zb_pass_options(t->pass);
    size_t weights = zb_pass_weight_size(tree, node, ps->shared);
    size_t shifts = ps->theta ? zb_pass_theta_size(tree, node, ps->shared) : 0;
    zb_script_text(s, "mini");
    for (size_t i = 0; i < weights; i++)
        zb_script_real(s, t->param->weight[t->param->weight_at[node] + i]);
    zb_script_text(s, " :");
    for (int i = 0; i < tree->node[node].ninput; i++) {
        int in = zb_tree_input(tree, node)[i];
        zb_script_int(s, in >= 0 ? b->view.table[in] : b->message[-1 - in]);
    }
    zb_script_text(s, "\n");
    if (shifts == 0 || node == k->first + k->count - 1)
        return;
    zb_script_text(s, "shift");
    for (size_t i = 0; i < shifts; i++)
        zb_script_real(s, t->param->theta[t->param->theta_at[node] + i]);
    zb_script_text(s, "\n");
}

static void write_bucket(zb_bucket_steps *b, zb_script *s, int bucket)
{
    const zb_tree *t = b->attempt->tree;
    const zb_bucket *k = &t->bucket[bucket];
    int v = b->view.var[t->order[bucket]];
    bool shared = zb_pass_options(b->attempt->tighten->pass)->shared;
    if (k->count <= 1) {
        int made = zb_script_sum(s, v, k->count > 0);
        if (k->count > 0)
            b->message[k->first] = made;
        return;
    }
    zb_script_text(s, "bucket");
    zb_script_int(s, v);
    zb_script_int(s, k->count);
    if (shared && k->nshared > 0)
        zb_script_text(s, " shared");
    for (int i = 0; shared && i < k->nshared; i++)
        zb_script_int(s, b->view.var[t->shared[k->shared_at + (size_t)i]]);
    zb_script_text(s, "\n");
    for (int m = k->first; m < k->first + k->count; m++)
        write_mini(b, s, k, m);
    for (int m = k->first; m < k->first + k->count; m++)
        b->message[m] = zb_script_table(s);
}

zb_status zb_buckets_begin(zb_bucket_steps *b, zb_script *s, const zb_attempt *attempt,
                           const zb_model *model, zb_view *view)
{
    const zb_tree *t = attempt->tree;
    zb_status status;
    *b = (zb_bucket_steps){ .attempt = attempt, .view = *view };
    *view = (zb_view){ 0 };
    b->message = zb_alloc((size_t)t->nnodes, sizeof *b->message);
    TRY(b->message != NULL ? ZB_OK : ZB_ENOMEM);
    for (int k = 0; k < t->nnodes; k++)
        b->message[k] = -1;
    TRY(write_form(s, &b->view, attempt, model));
    write_gauges(s, &b->view, attempt->tighten->gauge);
    for (int i = 0; i < t->nvars; i++)
        if (is_exact(b, &t->bucket[i]))
            write_bucket(b, s, i);
done:
    return status;
}

void zb_buckets_end(zb_bucket_steps *b, zb_script *s)
{
    const zb_tree *t = b->attempt->tree;
    for (int i = 0; i < t->nvars; i++)
        if (t->bucket[i].count != 1 || b->message[t->bucket[i].first] < 0)
            write_bucket(b, s, i);
}
