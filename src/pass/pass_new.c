/* Setting up a pass: everything that happens once per tree. */
#include "pass/pass_part.h"

#include "base/explog.h"

void zb_pass_reset(zb_pass *p)
{
    const zb_tree *t = p->tree;
    const zb_part *part = p->spec.part;
    bool signs = !p->spec.absolute && !p->spec.maximum;
    for (int j = 0; part != NULL && j < part->nin; j++)
        p->in_exact[j] = signs && part->in[j].exact;
    for (int k = 0; k < t->nnodes; k++) {
        bool split = zb_tree_is_split(t, k), exact = !split && signs;
        for (int i = 0; i < t->node[k].ninput && exact; i++)
            exact = zb_pass_input_is_exact(p, zb_tree_input(t, k)[i]);
        p->mode[k] = split || p->spec.maximum ? ZB_LOG : ZB_LINEAR;
        p->is_exact[k] = exact;
        if (part != NULL)
            p->born_exact[k] = exact;
    }
    for (int i = 0; part != NULL && i < part->nout; i++) {
        bool log = part->out[i].split || p->spec.maximum;
        p->mode[t->nnodes + i] = log ? ZB_LOG : ZB_LINEAR;
        p->is_exact[t->nnodes + i] = signs && part->out[i].exact;
    }
    p->turned.size = 0;
    p->given_changed = true; /* even if this part has no factor */
}

/* Variables in no factor; the whole tree's where this is rank 0's part of one. */
static void add_free(zb_pass *p)
{
    const zb_tree *t = p->spec.part != NULL ? p->spec.whole : p->tree;
    for (int v = 0; t != NULL && v < t->nvars; v++)
        if (t->bucket[v].count == 0 && !p->spec.maximum)
            zb_sum_add(&p->log_free, zb_log((double)t->card[t->order[v]]));
    p->log_free.radius = ZB_MARGIN * 2 * ZB_LOG_ULP * ZB_UNIT * p->log_free.sum;
}

static zb_status place_modes(zb_pass *p)
{
    const zb_tree *t = p->tree;
    size_t n = (size_t)t->nnodes;
    if (p->spec.part != NULL) { /* parents elsewhere, too */
        size_t in = (size_t)p->spec.part->nin;
        p->in_exact = zb_calloc(in, sizeof *p->in_exact);
        p->in_by_value = zb_calloc(in, sizeof *p->in_by_value);
        p->born_exact = zb_calloc(n, sizeof *p->born_exact);
        if (!p->in_exact || !p->in_by_value || !p->born_exact)
            return ZB_ENOMEM;
        n += (size_t)p->spec.part->nout;
    }
    p->mode = zb_alloc(n, sizeof *p->mode);
    p->is_exact = zb_alloc(n, sizeof *p->is_exact);
    p->by_value = zb_calloc(n, sizeof *p->by_value);
    p->largest =
        zb_calloc(p->spec.gradient ? (size_t)t->nnodes : 0, sizeof *p->largest);
    if (!p->mode || !p->is_exact || !p->by_value || !p->largest)
        return ZB_ENOMEM;
    zb_pass_reset(p);
    add_free(p);
    return ZB_OK;
}

/* What a part needs to know of others; where rank 0 adds up what they say. */
static zb_status place_part(zb_pass *p)
{
    const zb_part *part = p->spec.part;
    const zb_tree *t = p->spec.whole;
    if (part == NULL)
        return ZB_OK;
    p->missing = zb_alloc((size_t)p->tree->nnodes, sizeof *p->missing);
    p->ready = zb_alloc((size_t)p->tree->nnodes, sizeof *p->ready);
    p->came = zb_alloc((size_t)zb_max_int(part->nin, part->nout), sizeof *p->came);
    p->out_node = zb_alloc((size_t)part->nout, sizeof *p->out_node);
    if (!p->missing || !p->ready || !p->came || !p->out_node)
        return ZB_ENOMEM;
    for (int k = 0; k < p->tree->nnodes; k++)
        if (p->tree->node[k].parent >= p->tree->nnodes)
            p->out_node[p->tree->node[k].parent - p->tree->nnodes] = k;
    if (t == NULL)
        return ZB_OK;
    size_t n = (size_t)zb_max_int(t->nnodes, t->nfactors);
    p->scale = zb_alloc(n, sizeof *p->scale);
    p->bytes += n * sizeof *p->scale;
    return p->scale != NULL ? ZB_OK : ZB_ENOMEM;
}

static zb_status make_workers(zb_pass *p)
{
    zb_plan_spec spec = zb_pass_plan_spec(&p->spec);
    zb_plan_size size = zb_plan_measure(p->tree, &spec);
    size_t tables = (size_t)size.max_table + 1,
           shared = p->spec.gradient ? zb_plan_max_shared(p->plan) : 1;
    p->worker = zb_calloc((size_t)p->nworker, sizeof *p->worker);
    if (p->worker == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < p->nworker; i++) {
        zb_worker *w = &p->worker[i];
        w->buffer = zb_calloc(size.scratch + 8, sizeof *w->buffer);
        w->shared = zb_alloc(shared, sizeof *w->shared);
        w->belief = zb_alloc(tables, sizeof *w->belief);
        w->grad = zb_alloc(tables, sizeof *w->grad);
        w->base = zb_alloc(2 * tables + 2, sizeof *w->base);
        w->count = zb_alloc((size_t)size.max_outer + 1, sizeof *w->count);
        w->ticker = zb_calloc(1, sizeof *w->ticker);
        if (!w->buffer || !w->shared || !w->belief || !w->grad || !w->base ||
            !w->count || !w->ticker)
            return ZB_ENOMEM;
        p->bytes += (size.scratch + shared) * sizeof(double);
    }
    return ZB_OK;
}

zb_status zb_pass_new(zb_pass **out, const zb_tree *tree, const zb_pass_spec *spec)
{
    zb_pass *p = zb_calloc(1, sizeof *p);
    zb_plan_spec plan = zb_pass_plan_spec(spec);
    zb_status status;

    *out = NULL;
    if (p == NULL)
        return ZB_ENOMEM;
    p->tree = tree;
    p->spec = *spec;
    p->nworker = zb_pass_worker_count(tree, spec);
    TRY(zb_plan_new(&p->plan, tree, &plan, spec->run));
    p->job = zb_plan_jobs(p->plan);
    p->bytes = zb_plan_bytes(p->plan);
    if (spec->part == NULL)
        TRY(zb_schedule_new(&p->sched, tree, spec->once != NULL));
    TRY(zb_pass_cut_pieces(p));
    TRY(place_modes(p));
    TRY(zb_pass_place(p));
    TRY(zb_pass_divide(p));
    TRY(make_workers(p));
    TRY(place_part(p));
    zb_pass_watch(p, spec->run);
    *out = p, p = NULL;
done:
    zb_pass_free(p);
    return status;
}

void zb_pass_free(zb_pass *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < p->nworker && p->worker != NULL; i++) {
        zb_free(p->worker[i].buffer);
        zb_free(p->worker[i].shared);
        zb_free(p->worker[i].belief);
        zb_free(p->worker[i].grad);
        zb_free(p->worker[i].base);
        zb_free(p->worker[i].count);
        zb_free(p->worker[i].ticker);
    }
    void *owned[] = { p->worker,       p->pool,
                      p->table,        p->fgrad,
                      p->fgrad_at,     p->mode,
                      p->param.weight, p->is_exact,
                      p->by_value,     p->largest,
                      p->shared,       p->param.entropy,
                      p->param.theta,  p->param.theta_grad,
                      p->weight_at,    p->theta_at,
                      p->piece,        p->top,
                      p->parts,        p->scale,
                      p->missing,      p->ready,
                      p->came,         p->out_node,
                      p->in_exact,     p->in_by_value,
                      p->born_exact };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        zb_free(owned[i]);
    zb_letter_clear(&p->turned);
    zb_plan_free(p->plan);
    zb_schedule_free(p->sched);
    zb_free(p);
}

/* ---- what others may know -------------------------------------------------------- */

const zb_pass_spec *zb_pass_options(const zb_pass *p) { return &p->spec; }
size_t zb_pass_bytes(const zb_pass *p) { return p->bytes; }
int zb_pass_threads(const zb_pass *p) { return p->nworker; }
int zb_pass_parts(const zb_pass *p, int node) { return p->parts[node]; }
bool zb_pass_is_exact(const zb_pass *p, int node) { return p->is_exact[node]; }
bool zb_pass_by_value(const zb_pass *p, int node) { return p->by_value[node]; }

/* A thread may have noticed the end in the middle of a node. */
bool zb_pass_was_cut(const zb_pass *p)
{
    bool cut = p->cut;
    for (int i = 0; i < p->nworker; i++)
        cut = cut || p->worker[i].ticker->over;
    return cut;
}

void zb_pass_treat_signs(zb_pass *p, zb_signed how)
{
    p->signs = p->spec.gradient ? how : ZB_SIGNED_PLAIN;
    for (int k = 0; k < p->tree->nnodes && p->signs == ZB_SIGNED_MAGNITUDES; k++)
        p->largest[k] = (zb_largest){ INFINITY, 0 };
}

void zb_pass_expect_signs(zb_pass *p) { p->linear_given = true; }
void zb_pass_refuse(zb_pass *p, bool refused) { p->refused = refused; }
bool zb_pass_is_refused(const zb_pass *p) { return p->refused; }

double zb_pass_radius(const zb_pass *p) { return p->radius; }
zb_pass_param *zb_pass_params(zb_pass *p) { return &p->param; }
