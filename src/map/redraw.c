#include "map/redraw.h"

#include "base/explog.h"
#include "base/rng.h"
#include "map/climb.h"
#include "sample/ascent.h"

#include <string.h>

/* ---- which variables keep their values ------------------------------------------- */

/* Scopes, and the separators that eliminated variables leave, in the places of the
   order; each waits at its first variable that is neither eliminated nor kept. */
typedef struct elimination {
    const zb_scopes *s;
    const int *order;
    double most; /* ln of the entries of a clique */
    int *place;  /* of a variable in the order */
    double *priority;
    bool *kept;        /* by variable */
    int *head, *next;  /* items by the place at which they wait; -1 ends */
    size_t *at;        /* items: where their places begin; one more at the end */
    int *list, *stamp; /* places; when a place was last seen */
    size_t used, room; /* of list */
    int items;
} elimination;

/* Item i waits at its first place behind p, if there is one. */
static void wait(elimination *e, int i, int p)
{
    int first = e->s->nvars;
    for (size_t k = e->at[i]; k < e->at[i + 1]; k++)
        if (e->list[k] > p && e->list[k] < first && !e->kept[e->order[e->list[k]]])
            first = e->list[k];
    if (first == e->s->nvars)
        return;
    e->next[i] = e->head[first];
    e->head[first] = i;
}

/* The later places of all items that wait at p: a new item. */
static bool gather(elimination *e, int p)
{
    size_t begin = e->used;
    for (int i = e->head[p]; i >= 0; i = e->next[i])
        for (size_t k = e->at[i]; k < e->at[i + 1]; k++) {
            int q = e->list[k];
            if (q <= p || e->stamp[q] == p || e->kept[e->order[q]])
                continue;
            e->stamp[q] = p;
            if (!ZB_RESERVE(e->list, &e->room, e->used, e->used + 1))
                return false;
            e->list[e->used++] = q;
        }
    e->at[e->items] = begin;
    e->at[++e->items] = e->used;
    return true;
}

/* Variables of the last item are kept until the clique with p is small enough. */
static void keep_some(elimination *e, int p)
{
    size_t begin = e->at[e->items - 1];
    double size = zb_log(e->s->card[e->order[p]]);
    for (size_t k = begin; k < e->used; k++)
        size += zb_log(e->s->card[e->order[e->list[k]]]);
    while (size > e->most && e->used > begin) {
        size_t best = begin;
        for (size_t k = begin; k < e->used; k++)
            if (e->priority[e->list[k]] > e->priority[e->list[best]])
                best = k;
        int v = e->order[e->list[best]];
        e->kept[v] = true;
        size -= zb_log(e->s->card[v]);
        e->list[best] = e->list[--e->used];
    }
    e->at[e->items] = e->used;
}

static bool eliminate(elimination *e)
{
    for (int p = 0; p < e->s->nvars; p++) {
        if (e->kept[e->order[p]]) {
            for (int i = e->head[p], then; i >= 0; i = then) {
                then = e->next[i];
                wait(e, i, p);
            }
            continue;
        }
        if (!gather(e, p))
            return false;
        keep_some(e, p);
        wait(e, e->items - 1, p);
    }
    return true;
}

static bool open_elimination(elimination *e)
{
    size_t n = (size_t)e->s->nvars, items = n + (size_t)e->s->count;
    e->place = zb_alloc(n, sizeof *e->place);
    e->priority = zb_alloc(n, sizeof *e->priority);
    e->head = zb_alloc(n, sizeof *e->head);
    e->stamp = zb_alloc(n, sizeof *e->stamp);
    e->next = zb_alloc(items, sizeof *e->next);
    e->at = zb_calloc(items + 1, sizeof *e->at);
    if (!e->place || !e->priority || !e->head || !e->stamp || !e->next || !e->at)
        return false;
    for (int p = 0; p < e->s->nvars; p++) {
        e->place[e->order[p]] = p;
        e->head[p] = e->stamp[p] = -1;
        e->kept[p] = false;
    }
    for (int f = 0; f < e->s->count; f++) {
        size_t arity = (size_t)zb_scopes_arity(e->s, f);
        if (!ZB_RESERVE(e->list, &e->room, e->used, e->used + arity))
            return false;
        for (size_t k = 0; k < arity; k++)
            e->list[e->used++] = e->place[zb_scopes_of(e->s, f)[k]];
        e->at[++e->items] = e->used;
        wait(e, f, -1);
    }
    return true;
}

static void close_elimination(elimination *e)
{
    zb_free(e->place);
    zb_free(e->priority);
    zb_free(e->head);
    zb_free(e->stamp);
    zb_free(e->next);
    zb_free(e->at);
    zb_free(e->list);
}

zb_status zb_redraw_kept(const zb_scopes *scopes, const zb_redraw_spec *spec,
                         uint64_t seed, bool *kept)
{
    zb_rng rng = zb_rng_seed(seed);
    elimination e = { .s = scopes,
                      .order = spec->order,
                      .most = zb_log(spec->entries) + 1e-9,
                      .kept = kept };
    bool ok = open_elimination(&e);
    double noise = 2 * zb_rng_uniform(&rng);
    for (int p = 0; p < scopes->nvars && ok; p++)
        e.priority[p] = spec->lane != NULL
                            ? spec->lane[spec->order[p]]
                            : (double)p / scopes->nvars + noise * zb_rng_uniform(&rng);
    ok = ok && eliminate(&e);
    close_elimination(&e);
    return ok ? ZB_OK : ZB_ENOMEM;
}

/* ---- the others ------------------------------------------------------------------ */

typedef struct job {
    const zb_model *model;
    const zb_redraw_spec *spec;
    zb_run *run;
    zb_scopes *scopes;
    bool *kept;
    int *fix, *trial;
    int *sweep;            /* an order of its own, for every other group */
    size_t *first, *found; /* of a variable: into list; its place in the sweep */
    int *list;             /* the scopes that it is in */
    double *lane;
} job;

static zb_status index_scopes(job *j)
{
    const zb_scopes *s = j->scopes;
    size_t n = (size_t)s->nvars, axes = 0;
    for (int f = 0; f < s->count; f++)
        axes += (size_t)zb_scopes_arity(s, f);
    j->first = zb_calloc(n + 2, sizeof *j->first);
    j->found = zb_alloc(n, sizeof *j->found);
    j->list = zb_alloc(axes, sizeof *j->list);
    j->sweep = zb_alloc(n, sizeof *j->sweep);
    j->lane = zb_alloc(n, sizeof *j->lane);
    if (!j->lane || !j->first || !j->found || !j->list || !j->sweep)
        return ZB_ENOMEM;
    for (int f = 0; f < s->count; f++)
        for (int k = 0; k < zb_scopes_arity(s, f); k++)
            j->first[zb_scopes_of(s, f)[k] + 2]++;
    for (size_t v = 0; v < n; v++)
        j->first[v + 2] += j->first[v + 1];
    for (int f = 0; f < s->count; f++)
        for (int k = 0; k < zb_scopes_arity(s, f); k++)
            j->list[j->first[zb_scopes_of(s, f)[k] + 1]++] = f;
    return ZB_OK;
}

/* Neighbours of v that were not found yet are. */
static size_t spread(job *j, int v, size_t count, zb_rng *rng)
{
    for (size_t i = j->first[v]; i < j->first[v + 1]; i++)
        for (int k = 0; k < zb_scopes_arity(j->scopes, j->list[i]); k++) {
            int u = zb_scopes_of(j->scopes, j->list[i])[k];
            if (j->found[u] != SIZE_MAX)
                continue;
            j->found[u] = count;
            j->sweep[count++] = u;
            j->lane[u] = zb_rng_uniform(rng) < 0.95 ? j->lane[v] : zb_rng_uniform(rng);
        }
    return count;
}

/* Variables by their distance from one of them: a front that goes through the model,
   each time another way. */
static void make_sweep(job *j, zb_rng *rng)
{
    size_t n = (size_t)j->model->nvars, count = 0;
    int start = zb_rng_below(rng, j->model->nvars);
    for (size_t v = 0; v < n; v++)
        j->found[v] = SIZE_MAX;
    for (size_t at = 0; at < n; at++) {
        if (at == count) { /* the first, or another component */
            while (j->found[start] != SIZE_MAX)
                start = (start + 1) % j->model->nvars;
            j->found[start] = count;
            j->sweep[count++] = start;
            j->lane[start] = zb_rng_uniform(rng);
        }
        count = spread(j, j->sweep[at], count, rng);
    }
}

/* The best values of those that are not kept, into trial. */
static zb_status climb(job *j, const int *order, const int *state)
{
    zb_split_spec whole = { .ibound = j->model->nvars + 1,
                            .drop_single = true,
                            .run = j->run };
    zb_model *fixed = NULL;
    zb_scopes *scopes = NULL;
    zb_tree *tree = NULL;
    zb_climber climber = { .pass = NULL };
    zb_status status;
    for (int v = 0; v < j->model->nvars; v++)
        j->fix[v] = j->kept[v] ? state[v] : -1;
    TRY(zb_model_condition(&fixed, j->model, j->fix));
    TRY(zb_scopes_new(&scopes, fixed));
    TRY(zb_tree_new(&tree, scopes, order, &whole));
    zb_climbing how = { .model = fixed, .tree = tree };
    TRY(zb_climber_open(&climber, &how, j->run));
    TRY(zb_climber_follow(&climber, j->run, j->trial));
    for (int v = 0; v < j->model->nvars; v++)
        j->trial[v] = j->kept[v] ? state[v] : j->trial[v];
done:
    zb_climber_close(&climber);
    zb_tree_free(tree);
    zb_scopes_free(scopes);
    zb_model_free(fixed);
    return status;
}

static zb_status climb_groups(job *j, int *state)
{
    const double least = 1e-9; /* nats: rounding is no gain */
    zb_rng rng = zb_rng_seed(j->spec->seed);
    size_t bytes = (size_t)j->model->nvars * sizeof *state;
    double value = zb_state_value(j->model, state).mid;
    zb_status status = ZB_OK;
    for (int k = 0, idle = 0;
         k < j->spec->most && idle < j->spec->patience && zb_run_more(j->run); k++) {
        zb_redraw_spec group = *j->spec;
        if (k % 2 == 1) {
            make_sweep(j, &rng);
            group.order = j->sweep;
            group.lane = j->lane;
        }
        TRY(zb_redraw_kept(j->scopes, &group, zb_rng_next(&rng), j->kept));
        TRY(climb(j, group.order, state));
        double found = zb_state_value(j->model, j->trial).mid;
        idle = found > value + least * fmax(1, fabs(value)) ? 0 : idle + 1;
        if (found >= value) { /* another one as good may lead on */
            value = found;
            memcpy(state, j->trial, bytes);
        }
    }
done:
    return status;
}

zb_status zb_redraw(const zb_model *model, const zb_redraw_spec *spec, zb_run *run,
                    int *state)
{
    size_t n = (size_t)model->nvars;
    job j = { .model = model, .spec = spec, .run = run };
    zb_status status;
    j.kept = zb_alloc(n, sizeof *j.kept);
    j.fix = zb_alloc(n, sizeof *j.fix);
    j.trial = zb_alloc(n, sizeof *j.trial);
    TRY(j.kept && j.fix && j.trial ? ZB_OK : ZB_ENOMEM);
    TRY(zb_scopes_new(&j.scopes, model));
    TRY(index_scopes(&j));
    TRY(climb_groups(&j, state));
done:
    zb_scopes_free(j.scopes);
    zb_free(j.kept);
    zb_free(j.fix);
    zb_free(j.trial);
    zb_free(j.sweep);
    zb_free(j.lane);
    zb_free(j.first);
    zb_free(j.found);
    zb_free(j.list);
    return status == ZB_ELIMIT ? ZB_OK : status;
}
