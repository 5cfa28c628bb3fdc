#include "certificate/proof.h"

#include <string.h>

static void clear(zb_proof *p)
{
    zb_state_free(p->state);
    zb_free(p->q);
    zb_free(p->cut);
    zb_free(p->value);
    *p = (zb_proof){ 0 };
}

zb_status zb_proofs_new(zb_proofs **out, const zb_parts *parts)
{
    size_t n = (size_t)parts->count;
    zb_proofs *p = zb_calloc(1, sizeof *p);
    *out = NULL;
    if (p == NULL || pthread_mutex_init(&p->lock, NULL) != 0) {
        zb_free(p);
        return ZB_ENOMEM;
    }
    p->of = *parts;
    p->upper = zb_calloc(n, sizeof *p->upper);
    p->lower = zb_calloc(n, sizeof *p->lower);
    if (p->upper == NULL || p->lower == NULL) {
        zb_proofs_free(p);
        return ZB_ENOMEM;
    }
    *out = p;
    return ZB_OK;
}

void zb_proofs_free(zb_proofs *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < p->of.count; i++) {
        if (p->upper != NULL)
            clear(&p->upper[i]);
        if (p->lower != NULL)
            clear(&p->lower[i]);
    }
    zb_free(p->upper);
    zb_free(p->lower);
    pthread_mutex_destroy(&p->lock);
    zb_free(p);
}

/* The proof takes its place, if it shows more than what is there; else it is freed. */
static void enter(zb_proofs *p, int part, zb_side side, zb_proof *proof)
{
    bool upper = side != ZB_SIDE_LOWER || proof->exact;
    zb_proof *at = upper ? &p->upper[part] : &p->lower[part];
    pthread_mutex_lock(&p->lock);
    if (!at->exact && (at->kind == ZB_PROOF_NONE || proof->exact ||
                       zb_tighter(side, proof->bound, at->bound))) {
        zb_proof old = *at;
        *at = *proof;
        *proof = old;
    }
    pthread_mutex_unlock(&p->lock);
    clear(proof);
}

void zb_proofs_order(zb_proofs *p, int part)
{
    zb_proof proof = { .kind = ZB_PROOF_ORDER, .exact = true };
    if (p != NULL)
        enter(p, part, ZB_SIDE_BOTH, &proof);
}

zb_status zb_proofs_buckets(zb_proofs *p, int part, const zb_attempt *a)
{
    zb_side side = a->spec.tighten.side;
    zb_proof proof = { .kind = ZB_PROOF_BUCKETS,
                       .bound = a->bound,
                       .exact = a->tree->splits == 0,
                       .state_side = side };
    zb_status status = ZB_OK;
    if (p == NULL)
        return ZB_OK;
    TRY(zb_state_new(&proof.state));
    TRY(zb_state_keep(proof.state, a));
    enter(p, part, side, &proof);
done:
    clear(&proof);
    return status;
}

zb_status zb_proofs_state(zb_proofs *p, zb_state *state, bool exact)
{
    static const zb_side SIDE[ZB_STATE_SIDES] = { ZB_SIDE_UPPER, ZB_SIDE_LOWER };
    for (int i = 0; i < ZB_STATE_SIDES; i++) {
        zb_proof proof = { .kind = ZB_PROOF_BUCKETS,
                           .exact = exact,
                           .state_side = SIDE[i] };
        if (!state->side[i].present)
            continue;
        zb_status status = zb_state_new(&proof.state);
        if (status != ZB_OK)
            return status;
        proof.state->side[i] = state->side[i];
        state->side[i] = (zb_side_state){ .present = false };
        enter(p, 0, SIDE[i], &proof);
    }
    return ZB_OK;
}

static bool copy_ints(int **to, const int *from, size_t count)
{
    *to = zb_alloc(count, sizeof **to);
    if (*to != NULL && count > 0)
        memcpy(*to, from, count * sizeof **to);
    return *to != NULL;
}

zb_status zb_proofs_field(zb_proofs *p, int part, const double *q, double bound)
{
    zb_proof proof = { .kind = ZB_PROOF_FIELD, .bound = bound };
    size_t n = 0;
    if (p == NULL || bound == -INFINITY)
        return ZB_OK;
    for (int v = 0; v < p->of.part[part]->nvars; v++)
        n += (size_t)p->of.part[part]->card[v];
    proof.q = zb_alloc(n, sizeof *q);
    if (proof.q == NULL)
        return ZB_ENOMEM;
    if (n > 0)
        memcpy(proof.q, q, n * sizeof *q);
    enter(p, part, ZB_SIDE_LOWER, &proof);
    return ZB_OK;
}

zb_status zb_proofs_slices(zb_proofs *p, int part, const zb_slice_set *s, double bound)
{
    bool all = s->value == NULL;
    zb_proof proof = { .kind = ZB_PROOF_SLICES,
                       .bound = bound,
                       .exact = all,
                       .ncut = s->ncut,
                       .nvalue = s->count };
    zb_status status = ZB_OK;
    if (p == NULL || (!all && bound == -INFINITY))
        return ZB_OK;
    if (s->ncut == 0) { /* the one slice is the whole */
        zb_proofs_order(p, part);
        return ZB_OK;
    }
    TRY(copy_ints(&proof.cut, s->cut, (size_t)s->ncut) ? ZB_OK : ZB_ENOMEM);
    if (!all)
        TRY(copy_ints(&proof.value, s->value, s->count * (size_t)s->ncut) ? ZB_OK
                                                                          : ZB_ENOMEM);
    enter(p, part, ZB_SIDE_LOWER, &proof);
done:
    clear(&proof);
    return status;
}
