#include "tighten/seams.h"

#include "form/form.h"

#include <stdlib.h>

/* ---- the plan -------------------------------------------------------------------- */

static int owner_of(const zb_cutting *c, int factor)
{
    int k = c->tree->factor_node[factor];
    return k < 0 ? 0 : zb_cutting_owner(c, k);
}

static void number_seams(zb_seam_plan *p)
{
    for (int v = 0; v < p->cut->tree->nvars; v++) {
        if (!p->moves[v])
            continue;
        int a = owner_of(p->cut, p->first[v]), b = owner_of(p->cut, p->second[v]);
        p->any = true;
        if (a == b)
            continue;
        p->at_first[v] = p->count[a]++;
        p->at_second[v] = p->count[b]++;
    }
}

zb_status zb_seam_plan_new(zb_seam_plan **out, const zb_cutting *cut,
                           const zb_model *model, bool absolute)
{
    size_t n = (size_t)cut->tree->nvars;
    zb_seam_plan *p = zb_calloc(1, sizeof *p);
    zb_status status;
    *out = NULL;
    TRY(p != NULL ? ZB_OK : ZB_ENOMEM);
    *p = (zb_seam_plan){ .cut = cut,
                         .first = zb_alloc(n, sizeof *p->first),
                         .second = zb_alloc(n, sizeof *p->second),
                         .moves = zb_alloc(n, sizeof *p->moves),
                         .at_first = zb_calloc(n, sizeof *p->at_first),
                         .at_second = zb_calloc(n, sizeof *p->at_second),
                         .count = zb_calloc((size_t)cut->parts, sizeof *p->count) };
    TRY(p->first && p->second && p->moves && p->at_first && p->at_second && p->count
            ? ZB_OK
            : ZB_ENOMEM);
    TRY(zb_form_pairs(model, p->first, p->second));
    TRY(zb_gauge_find_free(cut->tree, model, p->first, p->second, p->moves));
    for (int v = 0; v < cut->tree->nvars; v++) {
        const zb_bucket *b = &cut->tree->bucket[cut->tree->pos[v]];
        bool exact = b->count == 1 && !absolute && cut->exact[b->first];
        p->moves[v] = p->moves[v] && b->count > 0 && !exact;
    }
    number_seams(p);
    *out = p, p = NULL;
done:
    zb_seam_plan_free(p);
    return status;
}

void zb_seam_plan_free(zb_seam_plan *p)
{
    if (p == NULL)
        return;
    zb_free(p->first);
    zb_free(p->second);
    zb_free(p->moves);
    zb_free(p->at_first);
    zb_free(p->at_second);
    zb_free(p->count);
    zb_free(p);
}

/* ---- a part's -------------------------------------------------------------------- */

typedef struct place { /* of a variable: in the model, in the part */
    int id, var;
} place;

static int by_id(const void *x, const void *y)
{
    const place *a = x, *b = y;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Scopes of the part are those of the tree, in its own numbers. */
static int find_places(zb_seams *s, const zb_seam_plan *plan, const zb_part *part,
                       place *at)
{
    const zb_tree *t = plan->cut->tree;
    int count = 0;
    for (int v = 0; v < s->nvars; v++)
        s->first[v] = s->second[v] = -1;
    for (int x = 0; x < part->nfactors; x++) {
        int f = part->factor_id[x];
        for (size_t i = 0; i < t->scope_at[f + 1] - t->scope_at[f]; i++) {
            int id = t->scope[t->scope_at[f] + i],
                var = part->tree->scope[part->tree->scope_at[x] + i];
            if (!plan->moves[id])
                continue;
            if (s->first[var] < 0 && s->second[var] < 0)
                at[count++] = (place){ id, var };
            *(plan->first[id] == f ? &s->first[var] : &s->second[var]) = x;
        }
    }
    qsort(at, (size_t)count, sizeof *at, by_id);
    return count;
}

static int slot_base(const zb_cutting *c, int rank)
{
    return c->nin[rank] + c->nout[rank];
}

static void fill(zb_seams *s, const zb_seam_plan *plan, int rank, const place *at)
{
    const zb_cutting *c = plan->cut;
    for (int i = 0; i < s->count; i++) {
        int v = at[i].var, id = at[i].id;
        bool has_first = s->first[v] >= 0, both = has_first && s->second[v] >= 0;
        int there = owner_of(c, has_first ? plan->second[id] : plan->first[id]),
            number = has_first ? plan->at_second[id] : plan->at_first[id];
        s->var[i] = v;
        s->which[i] = both ? -1 : s->nseam;
        if (!both)
            s->seam[s->nseam++] = (zb_seam){ v, there, slot_base(c, there) + rank,
                                             slot_base(c, there) + c->parts + number };
    }
}

static zb_status alloc_seams(zb_seams *s, size_t seams)
{
    size_t n = (size_t)s->nvars, count = (size_t)s->count;
    if (s->first == NULL)
        s->first = zb_alloc(n, sizeof *s->first);
    if (s->second == NULL)
        s->second = zb_alloc(n, sizeof *s->second);
    s->var = zb_alloc(count, sizeof *s->var);
    s->which = zb_alloc(count, sizeof *s->which);
    s->seam = zb_alloc(seams, sizeof *s->seam);
    return s->first && s->second && s->var && s->which && s->seam ? ZB_OK : ZB_ENOMEM;
}

zb_status zb_seams_new(zb_seams **out, const zb_seam_plan *plan, int rank,
                       const zb_part *part)
{
    size_t n = (size_t)part->tree->nvars;
    zb_seams *s = zb_calloc(1, sizeof *s);
    place *at = zb_alloc(n, sizeof *at);
    zb_status status;
    *out = NULL;
    TRY(s != NULL && at != NULL ? ZB_OK : ZB_ENOMEM);
    *s = (zb_seams){ .nvars = part->tree->nvars,
                     .count = part->tree->nvars, /* at most */
                     .slot = slot_base(plan->cut, rank),
                     .slots = plan->cut->parts + plan->count[rank],
                     .any = plan->any };
    TRY(alloc_seams(s, (size_t)plan->count[rank]));
    s->count = find_places(s, plan, part, at);
    fill(s, plan, rank, at);
    ZB_ASSERT(s->nseam == plan->count[rank]);
    *out = s, s = NULL;
done:
    zb_free(at);
    zb_seams_free(s);
    return status;
}

void zb_seams_free(zb_seams *s)
{
    if (s == NULL)
        return;
    zb_free(s->first);
    zb_free(s->second);
    zb_free(s->var);
    zb_free(s->which);
    zb_free(s->seam);
    zb_free(s);
}

void zb_letter_put_seams(zb_letter *l, const zb_seams *s)
{
    size_t n = (size_t)s->nvars, count = (size_t)s->count;
    zb_letter_put(l, s, sizeof *s);
    zb_letter_put(l, s->first, n * sizeof *s->first);
    zb_letter_put(l, s->second, n * sizeof *s->second);
    zb_letter_put(l, s->var, count * sizeof *s->var);
    zb_letter_put(l, s->which, count * sizeof *s->which);
    zb_letter_put(l, s->seam, (size_t)s->nseam * sizeof *s->seam);
}

zb_status zb_letter_take_seams(zb_letter *l, zb_seams **out)
{
    zb_seams *s = zb_calloc(1, sizeof *s), told;
    zb_status status;
    *out = NULL;
    TRY(s != NULL ? ZB_OK : ZB_ENOMEM);
    zb_letter_take(l, &told, sizeof told);
    TRY(!l->bad ? ZB_OK : ZB_EINVAL);
    *s = (zb_seams){ .nvars = told.nvars,
                     .count = told.count,
                     .nseam = told.nseam,
                     .slot = told.slot,
                     .slots = told.slots,
                     .any = told.any };
    TRY(alloc_seams(s, (size_t)s->nseam));
    zb_letter_take(l, s->first, (size_t)s->nvars * sizeof *s->first);
    zb_letter_take(l, s->second, (size_t)s->nvars * sizeof *s->second);
    zb_letter_take(l, s->var, (size_t)s->count * sizeof *s->var);
    zb_letter_take(l, s->which, (size_t)s->count * sizeof *s->which);
    zb_letter_take(l, s->seam, (size_t)s->nseam * sizeof *s->seam);
    TRY(!l->bad ? ZB_OK : ZB_EINVAL);
    *out = s, s = NULL;
done:
    zb_seams_free(s);
    return status;
}

/* ---- at work --------------------------------------------------------------------- */

static size_t entries_of(const zb_gauge *g, int var)
{
    return g->matrix_at[var + 1] - g->matrix_at[var];
}

/* The sum of two is the same in either order. */
void zb_seams_add(const zb_seams *s, const zb_gauge *g, zb_crew *crew, zb_run *run,
                  double *grad)
{
    int ranks = zb_crew_size(crew);
    for (int to = 0; to < ranks; to++) {
        zb_letter *l = zb_crew_paper(crew);
        int slot = -1;
        for (int i = 0; i < s->nseam; i++)
            if (s->seam[i].rank == to) {
                int v = s->seam[i].var;
                slot = s->seam[i].sums_slot;
                zb_letter_put(l, grad + g->matrix_at[v],
                              entries_of(g, v) * sizeof *grad);
            }
        if (slot >= 0)
            zb_crew_post(crew, to, slot, l);
    }
    zb_letter come = { 0 };
    int from = -1; /* whose letter that is */
    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < s->nseam; i++) {
            if (s->seam[i].rank != r)
                continue;
            if (from != r) {
                zb_letter_clear(&come);
                if (!zb_crew_wait(crew, s->slot + r, run, &come))
                    return;
                from = r;
            }
            int v = s->seam[i].var;
            for (size_t e = 0; e < entries_of(g, v); e++)
                grad[g->matrix_at[v] + e] += zb_letter_take_real(&come);
        }
    zb_letter_clear(&come);
}

unsigned zb_seams_agree(const zb_seams *s, int seam, zb_crew *crew, zb_run *run,
                        unsigned mine)
{
    zb_letter *l = zb_crew_paper(crew), come = { 0 };
    zb_letter_put_int(l, (int)mine);
    zb_crew_post(crew, s->seam[seam].rank, s->seam[seam].word_slot, l);
    if (!zb_crew_wait(crew, s->slot + zb_crew_size(crew) + seam, run, &come))
        return 0;
    unsigned theirs = (unsigned)zb_letter_take_int(&come);
    zb_letter_clear(&come);
    return mine & theirs;
}
