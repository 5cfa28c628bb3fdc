/* From the tables of a pass to the shares psi / lambda that draws multiply. */
#include "sample/proposal_state.h"

#include "base/rounding.h"
#include "model/table.h"

#include <omp.h>
#include <string.h>

typedef struct making { /* what one thread needs */
    zb_proposal *p;
    const zb_tree *t;
    zb_pass *pass;
    zb_ticker tick;
    double *table;     /* scratch: the largest input */
    double *clique;    /* scratch: the largest clique, in logs */
    double *lambda;    /* scratch: the largest message, in logs */
    double *odd;       /* scratch, with signs: negative factors of a clique's entries */
    zb_parity *parity; /* NULL: nothing is negative */
} making;

enum { MAKING_MOST = 8 }; /* threads */

typedef struct job { /* a share that is to be filled */
    int node;
    double *out;
    double radius;
} job;

/* ---- numbers --------------------------------------------------------------------- */

static bool multiply(making *m, int arity, const int *scope, zb_factor f)
{
    return zb_factor_absorb(&f, arity, scope, m->t->card, m->clique, &m->tick);
}

/* Negative entries are counted as logarithms are added. */
static bool count_signs(making *m, int arity, const int *scope, zb_factor f, int input)
{
    if (m->parity == NULL || !zb_parity_input(m->parity, input, m->table))
        return true;
    return zb_factor_absorb(&f, arity, scope, m->t->card, m->odd, &m->tick);
}

/* clique[x * rows + s] = ln of psi at value x and row s of the message, shifts
   included: these add up to 0 over a bucket, and with them no share is above 1. */
static zb_status fill_clique(making *m, int k, size_t size)
{
    const zb_tree *t = m->t;
    const zb_bucket *bucket = zb_tree_bucket_of(t, k);
    const zb_pass_spec *spec = zb_pass_options(m->pass);
    zb_pass_param *param = zb_pass_params(m->pass);
    const int *scope = zb_tree_clique(t, k);
    int axes[ZB_MAX_AXES], n = t->node[k].nclique;
    for (size_t i = 0; i < size; i++)
        m->clique[i] = 0;
    for (size_t i = 0; i < size && m->odd != NULL; i++)
        m->odd[i] = 0;
    for (int i = 0; i < t->node[k].ninput; i++) {
        const int *in;
        int input = zb_tree_input(t, k)[i], arity = zb_tree_scope(t, input, &in);
        zb_factor f = { arity, axes, zb_tree_size(t, input), m->table, true };
        for (int a = 0; a < arity; a++)
            axes[a] = in[a];
        zb_pass_read_input(m->pass, input, m->table);
        if (!multiply(m, n, scope, f) || !count_signs(m, n, scope, f, input))
            return ZB_ELIMIT;
    }
    if (bucket->count == 1 || !spec->theta)
        return ZB_OK;
    int shared = spec->shared ? bucket->nshared : 0;
    axes[0] = t->node[k].var;
    for (int a = 0; a < shared; a++)
        axes[a + 1] = t->shared[bucket->shared_at + (size_t)a];
    zb_factor theta = { shared + 1, axes, zb_pass_theta_size(t, k, spec->shared),
                        param->theta + param->theta_at[k], true };
    return multiply(m, n, scope, theta) ? ZB_OK : ZB_ELIMIT;
}

/* e^(x - at), 0 where the message is zero. */
ZB_INLINE double share_of(double x, double at)
{
    double e = zb_vexp(fmin(x - at, 1));
    return at > -INFINITY ? e : 0;
}

ZB_CLONES
static void share_pairs(size_t rows, const double *restrict clique,
                        const double *restrict lambda, double *restrict out)
{
    for (size_t s = 0; s < rows; s++) {
        out[2 * s] = share_of(clique[s], lambda[s]);
        out[2 * s + 1] = share_of(clique[rows + s], lambda[s]);
    }
}

/* An unsplit bucket's shares are probabilities and add up to one: of two the first. */
ZB_CLONES
static void share_coins(size_t rows, const double *restrict clique,
                        const double *restrict lambda, double *restrict out)
{
    for (size_t s = 0; s < rows; s++) {
        double zero = share_of(clique[s], lambda[s]),
               sum = zero + share_of(clique[rows + s], lambda[s]);
        out[s] = zero / (sum > 0 ? sum : 1);
    }
}

static void normalise(double *row, size_t card)
{
    double sum = 0;
    for (size_t x = 0; x < card; x++)
        sum += row[x];
    for (size_t x = 0; x < card && sum > 0; x++)
        row[x] /= sum;
}

static void share_values(size_t rows, size_t card, bool split,
                         const double *restrict clique, const double *restrict lambda,
                         double *restrict out)
{
    for (size_t s = 0; s < rows; s++) {
        double *to = out + s * card;
        for (size_t x = 0; x < card; x++)
            to[x] = share_of(clique[x * rows + s], lambda[s]);
        if (!split)
            normalise(to, card);
    }
}

/* Rounding: of each logarithm that is added, of exp and of products; the messages have
   a radius of their own, which is that of the bound. */
static double clique_radius(const making *m, int k, size_t size)
{
    double most = 0;
    for (size_t i = 0; i < size; i++)
        if (m->clique[i] > -INFINITY)
            most = fmax(most, fabs(m->clique[i]));
    for (size_t i = 0; i < m->t->node[k].sep_size; i++)
        if (m->lambda[i] > -INFINITY)
            most = fmax(most, fabs(m->lambda[i]));
    double n = m->t->node[k].ninput + 8;
    return ZB_MARGIN * n * (4 * most + 8) * ZB_UNIT;
}

static bool is_half(const making *m, int k)
{
    return m->parity == NULL && !zb_tree_is_split(m->t, k) &&
           zb_tree_states(m->t, k) == 2;
}

static void set_signs(const making *m, size_t rows, size_t card, double *out)
{
    for (size_t i = 0; i < rows * card && m->odd != NULL; i++)
        if (fmod(m->odd[i % card * rows + i / card], 2) != 0)
            out[i] = -out[i];
}

static zb_status fill_share(making *m, job *share)
{
    int k = share->node;
    size_t rows = m->t->node[k].sep_size, card = zb_tree_states(m->t, k);
    bool split = zb_tree_is_split(m->t, k);
    zb_status status;
    TRY(fill_clique(m, k, rows * card));
    zb_pass_read_message(m->pass, k, m->lambda);
    TRY(zb_tick(&m->tick, 4.0 * (double)(rows * card)) ? ZB_OK : ZB_ELIMIT);
    if (is_half(m, k))
        share_coins(rows, m->clique, m->lambda, share->out);
    else if (card == 2 && split)
        share_pairs(rows, m->clique, m->lambda, share->out);
    else
        share_values(rows, card, split, m->clique, m->lambda, share->out);
    set_signs(m, rows, card, share->out);
    if (split)
        share->radius = clique_radius(m, k, rows * card);
done:
    return status;
}

/* ---- structure ------------------------------------------------------------------- */

static size_t share_size(const zb_tree *t, int k, bool half)
{
    return t->node[k].sep_size * (half ? 1 : zb_tree_states(t, k));
}

/* Rows in C order of the separator; they are filled later. */
static zb_status lay_share(making *m, int k, zb_share *out, job *fill)
{
    const int *axis;
    int n = zb_tree_message(m->t, k, &axis);
    size_t card = zb_tree_states(m->t, k), step = 1;
    int *var = zb_hold_alloc(&m->p->hold, (size_t)n, sizeof *var);
    int32_t *stride = zb_hold_alloc(&m->p->hold, (size_t)n, sizeof *stride);
    double *value =
        zb_hold_alloc(&m->p->hold, share_size(m->t, k, is_half(m, k)), sizeof *value);
    if (m->p->hold.failed)
        return ZB_ENOMEM;
    if (m->t->node[k].sep_size > INT32_MAX / card)
        return ZB_ELIMIT;
    for (int i = n - 1; i >= 0; i--) {
        var[i] = axis[i];
        stride[i] = (int32_t)step;
        step *= (size_t)m->t->card[axis[i]];
    }
    *out = (zb_share){ var, stride, n, value };
    *fill = (job){ .node = k, .out = value };
    return ZB_OK;
}

/* *used: so many shares are to be filled. */
static zb_status lay_steps(making *m, job *fill, int *used)
{
    const zb_tree *t = m->t;
    zb_proposal *p = m->p;
    zb_status status = ZB_OK;
    *used = 0;
    for (int i = 0; i < t->nvars; i++) {
        int at = t->nvars - 1 - i, v = t->order[at];
        const zb_bucket *b = &t->bucket[at];
        if (m->parity != NULL && b->count == 1 && zb_pass_is_exact(m->pass, b->first))
            continue; /* summed with signs: not drawn */
        p->step[p->steps++] = (zb_draw_step){ v, t->card[v], *used, b->count };
        p->max_card = zb_max_int(p->max_card, t->card[v]);
        p->exact = p->exact && b->count <= 1;
        for (int k = b->first; k < b->first + b->count; k++, ++*used)
            TRY(lay_share(m, k, &p->share[*used], &fill[*used]));
    }
done:
    return status;
}

/* The signs of what is summed with them; of roots there is one. */
static zb_status make_signs(making *m)
{
    zb_status status = ZB_OK;
    for (int k = 0; k < m->t->nnodes && m->parity != NULL; k++) {
        if (!zb_pass_is_exact(m->pass, k))
            continue;
        TRY(fill_clique(m, k, m->t->node[k].sep_size * zb_tree_states(m->t, k)));
        TRY(zb_parity_sum(m->parity, k, m->clique, m->odd));
        if (m->t->node[k].parent < 0 && m->parity->message[k][0] != 0)
            m->p->minus = !m->p->minus;
    }
done:
    return status;
}

static zb_status make_scratch(making *m)
{
    size_t input = 1, clique = 1, message = 1;
    for (int k = 0; k < m->t->nnodes; k++) {
        const zb_node *node = &m->t->node[k];
        ZB_ASSERT(node->var >= 0);
        for (int i = 0; i < node->ninput; i++)
            input = zb_max_size(input, zb_tree_size(m->t, zb_tree_input(m->t, k)[i]));
        clique = zb_max_size(clique, node->sep_size * zb_tree_states(m->t, k));
        message = zb_max_size(message, node->sep_size);
    }
    m->table = zb_alloc(input, sizeof *m->table);
    m->clique = zb_alloc(clique, sizeof *m->clique);
    m->lambda = zb_alloc(message, sizeof *m->lambda);
    if (m->parity != NULL && (m->odd = zb_alloc(clique, sizeof *m->odd)) == NULL)
        return ZB_ENOMEM;
    return m->table && m->clique && m->lambda ? ZB_OK : ZB_ENOMEM;
}

static void free_scratch(making *m)
{
    zb_free(m->table);
    zb_free(m->clique);
    zb_free(m->lambda);
    zb_free(m->odd);
}

/* All of them, by a thread of its own for each of several `making`. */
static zb_status fill_shares(making *m, int threads, job *fill, int count)
{
    zb_status status = ZB_OK;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (int i = 0; i < count; i++) {
        zb_status here, before;
#pragma omp atomic read
        before = status;
        if (before != ZB_OK)
            continue;
        here = fill_share(&m[omp_get_thread_num()], &fill[i]);
        if (here != ZB_OK) {
#pragma omp atomic write
            status = here;
        }
    }
    for (int i = 0; i < count; i++)
        m->p->radius += fill[i].radius;
    return status;
}

/* Signs count in the order of the nodes, and small trees are made before threads are.
 */
static int most_threads(const zb_tree *tree, bool is_signed)
{
    const double large = 1e6; /* entries */
    return !is_signed && tree->entries > large ? MAKING_MOST : 1;
}

static zb_status make(zb_proposal **out, const zb_tree *tree, zb_pass *pass,
                      zb_parity *parity, zb_run *run)
{
    zb_proposal *p = zb_calloc(1, sizeof *p);
    int threads = zb_min_int(most_threads(tree, parity != NULL),
                             run != NULL ? run->threads : 1),
        shares;
    making m[MAKING_MOST] = { { .p = p } };
    job *fill = zb_calloc((size_t)tree->nnodes + 1, sizeof *fill);
    zb_status status;

    *out = NULL;
    TRY(p != NULL && fill != NULL ? ZB_OK : ZB_ENOMEM);
    p->nvars = tree->nvars;
    p->max_card = 1;
    p->exact = true;
    p->is_signed = parity != NULL;
    p->step = zb_hold_alloc(&p->hold, (size_t)tree->nvars, sizeof *p->step);
    p->share = zb_hold_alloc(&p->hold, (size_t)tree->nnodes, sizeof *p->share);
    p->card = zb_hold_alloc(&p->hold, (size_t)tree->nvars, sizeof *p->card);
    TRY(zb_hold_status(&p->hold));
    memcpy(p->card, tree->card, (size_t)tree->nvars * sizeof *p->card);
    for (int i = 0; i < threads; i++) {
        m[i] = (making){
            .p = p, .t = tree, .pass = pass, .parity = parity, .tick.run = run
        };
        TRY(make_scratch(&m[i]));
    }
    TRY(make_signs(m));
    TRY(lay_steps(m, fill, &shares));
    TRY(fill_shares(m, threads, fill, shares));
    *out = p, p = NULL;
done:
    zb_proposal_free(p);
    zb_free(fill);
    for (int i = 0; i < MAKING_MOST; i++)
        free_scratch(&m[i]);
    return status;
}

zb_status zb_proposal_new(zb_proposal **out, const zb_tree *tree, zb_pass *pass,
                          zb_run *run)
{
    return make(out, tree, pass, NULL, run);
}

zb_status zb_proposal_new_signed(zb_proposal **out, const zb_tree *tree, zb_pass *pass,
                                 const zb_signs *signs, zb_run *run)
{
    zb_parity parity = { .tree = tree, .pass = pass, .signs = signs };
    zb_status status;
    *out = NULL;
    TRY(zb_parity_open(&parity));
    TRY(make(out, tree, pass, &parity, run));
done:
    zb_parity_close(&parity);
    return status;
}

void zb_proposal_free(zb_proposal *p)
{
    if (p == NULL)
        return;
    zb_ahead_free(p->ahead);
    zb_hold_free(&p->hold);
    zb_free(p);
}

double zb_proposal_forecast(const zb_tree *t, bool is_signed)
{
    double sum = 0, most = 0, axes = 0;
    for (int k = 0; k < t->nnodes; k++) {
        double clique = (double)t->node[k].sep_size * (double)zb_tree_states(t, k);
        bool half = !is_signed && !zb_tree_is_split(t, k) && zb_tree_states(t, k) == 2;
        sum += (double)share_size(t, k, half);
        most = fmax(most, clique);
        axes += t->node[k].nclique;
    }
    return 8 * (sum + 3 * most_threads(t, is_signed) * most + axes) +
           150.0 * t->nnodes + 64.0 * t->nvars;
}

int zb_proposal_vars(const zb_proposal *p) { return p->nvars; }

int zb_proposal_card(const zb_proposal *p, int var) { return p->card[var]; }

double zb_proposal_radius(const zb_proposal *p) { return p->radius; }

bool zb_proposal_is_exact(const zb_proposal *p) { return p->exact; }

bool zb_proposal_is_signed(const zb_proposal *p) { return p->is_signed; }
