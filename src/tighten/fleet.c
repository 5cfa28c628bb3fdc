#include "tighten/fleet.h"

#include "base/cost.h"
#include "tighten/lower.h"
#include "tighten/tighten_internal.h"

#include <string.h>

enum { EVALUATE, EVALUATE_AS, RENEW, STRIDE, POSITIVE, ADD, DROP }; /* orders */

struct zb_fleet {
    const zb_tree *tree;
    zb_crew *crew;
    zb_part *part;   /* rank 0's */
    zb_model *model; /* its factors */
    zb_seams *seams; /* its gauges; NULL: there are none */
    bool *top;
    int *positive; /* lower, per bucket of the tree */
};

/* About 7 ns an entry; what a rank has of a pass should take longer than letters. */
bool zb_fleet_pays(const zb_tree *tree, zb_run *run)
{
    zb_ranks *ranks = zb_run_ranks(run);
    return ranks != NULL && 7e-9 * tree->entries >= ranks->least;
}

/* ---- orders ---------------------------------------------------------------------- */

static void give(zb_fleet *s, zb_letter *l, bool epoch)
{
    zb_crew_order(s->crew, l, epoch);
    zb_letter_clear(l);
}

void zb_fleet_evaluate(zb_fleet *s, const zb_tighten *own, bool gradient)
{
    zb_letter l = { 0 };
    zb_letter_put_int(&l, EVALUATE);
    zb_letter_put_int(&l, gradient);
    zb_pass_put_news(own->pass, &l);
    give(s, &l, true);
}

void zb_fleet_evaluate_as(zb_fleet *s, int how, int load)
{
    zb_letter l = { 0 };
    zb_letter_put_int(&l, EVALUATE_AS);
    zb_letter_put_int(&l, how);
    zb_letter_put_int(&l, load);
    give(s, &l, true);
}

zb_status zb_fleet_add_gauges(zb_fleet *s, zb_run *run)
{
    zb_letter l = { 0 }, *reply;
    zb_letter_put_int(&l, ADD);
    give(s, &l, true);
    return zb_crew_gather(s->crew, run, &reply);
}

void zb_fleet_drop_gauges(zb_fleet *s)
{
    zb_letter l = { 0 };
    zb_letter_put_int(&l, DROP);
    give(s, &l, false);
}

void zb_fleet_renew(zb_fleet *s)
{
    zb_letter l = { 0 };
    zb_letter_put_int(&l, RENEW);
    give(s, &l, false);
}

void zb_fleet_stride(zb_fleet *s, const zb_stride *stride)
{
    zb_letter l = { 0 };
    zb_letter_put_int(&l, STRIDE);
    zb_letter_put(&l, stride, sizeof *stride);
    give(s, &l, false);
}

/* The bucket of the part that begins with this node of the tree; -1: none does. */
static int find_bucket(const zb_part *p, int id)
{
    int low = 0, high = p->tree->nnodes;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (p->node_id[mid] < id)
            low = mid + 1;
        else
            high = mid;
    }
    bool found = low < p->tree->nnodes && p->node_id[low] == id;
    return found ? p->tree->node[low].bucket : -1;
}

static void set_positive(zb_tighten *t, int id, int m)
{
    int bucket = find_bucket(t->spec.part, id);
    if (bucket >= 0)
        zb_tighten_set_positive(t, bucket, m);
}

int zb_fleet_positive(const zb_fleet *s, int bucket) { return s->positive[bucket]; }

void zb_fleet_set_positive(zb_fleet *s, zb_tighten *own, int bucket, int m)
{
    zb_letter l = { 0 };
    int id = s->tree->bucket[bucket].first;
    s->positive[bucket] = m;
    zb_letter_put_int(&l, POSITIVE);
    zb_letter_put_int(&l, id);
    zb_letter_put_int(&l, m);
    give(s, &l, false);
    set_positive(own, id, m);
}

/* ---- a part begins --------------------------------------------------------------- */

typedef struct begin { /* what a part is besides its tree and its factors */
    zb_tighten_spec tighten;
    bool extreme;
} begin;

static zb_status check_size(const zb_part *part, const zb_tighten_spec *t,
                            const zb_run *run)
{
    zb_pass_spec ps = { .gradient = zb_tighten_wants_gradient(t),
                        .theta = t->theta,
                        .shared = t->shared,
                        .threads = t->threads,
                        .part = part };
    double need = zb_pass_forecast(part->tree, &ps);
    return run == NULL || need <= (double)run->memory ? ZB_OK : ZB_ELIMIT;
}

/* The positive mini-buckets of the part, of those of the tree. */
static zb_status start_lower(zb_tighten *t, const int *positive)
{
    memcpy(t->positive, positive, (size_t)t->tree->nvars * sizeof *positive);
    zb_lower_begin(t);
    return ZB_OK;
}

static zb_status begin_part(zb_tighten **out, const zb_part *part,
                            const zb_model *model, const begin *b, const int *positive)
{
    zb_status status;
    TRY(check_size(part, &b->tighten, b->tighten.run));
    TRY(zb_tighten_new(out, part->tree, model, &b->tighten));
    if (b->extreme)
        zb_tighten_extreme_weights(*out);
    else if (b->tighten.side == ZB_SIDE_LOWER)
        TRY(start_lower(*out, positive));
done:
    return status;
}

/* ---- rank 0 ---------------------------------------------------------------------- */

/* Of the part's buckets. */
static int *positive_of(const zb_fleet *s, const zb_part *p)
{
    int *positive = zb_calloc((size_t)p->tree->nvars, sizeof *positive);
    for (int v = 0; v < p->tree->nvars && positive != NULL; v++)
        if (p->tree->bucket[v].count > 0) {
            int id = p->node_id[p->tree->bucket[v].first];
            positive[v] = s->positive[s->tree->node[id].bucket];
        }
    return positive;
}

static int slots_of(const zb_part *part, const zb_seams *seams)
{
    return part->nin + part->nout + (seams != NULL ? seams->slots : 0);
}

/* plan: of gauges; NULL: there are none. */
static zb_status send_part(zb_fleet *s, int rank, const zb_cutting *c,
                           const zb_seam_plan *plan, const zb_fleet_spec *spec)
{
    zb_part *part = NULL;
    zb_model *model = NULL;
    zb_seams *seams = NULL;
    zb_letter l = { 0 };
    int *positive = NULL;
    begin b = { spec->tighten, spec->extreme };
    zb_status status;
    TRY(zb_part_new(&part, &model, c, rank, spec->model));
    TRY((positive = positive_of(s, part)) ? ZB_OK : ZB_ENOMEM);
    zb_letter_put(&l, &b, sizeof b);
    zb_letter_put_ints(&l, (size_t)part->tree->nvars, positive);
    zb_letter_put_part(&l, part);
    zb_letter_put_model(&l, model);
    if (plan != NULL)
        TRY(zb_seams_new(&seams, plan, rank, part));
    zb_letter_put_int(&l, plan != NULL);
    if (plan != NULL)
        zb_letter_put_seams(&l, seams);
    TRY(zb_crew_part(s->crew, rank, slots_of(part, seams), &l));
done:
    zb_seams_free(seams);
    zb_free(positive);
    zb_letter_clear(&l);
    zb_part_free(part);
    zb_model_free(model);
    return status;
}

static zb_status begin_own(zb_fleet *s, zb_tighten **own, const zb_fleet_spec *spec,
                           zb_run *run)
{
    begin b = { spec->tighten, spec->extreme };
    int *positive = positive_of(s, s->part);
    zb_status status;
    TRY(positive != NULL ? ZB_OK : ZB_ENOMEM);
    b.tighten.part = s->part;
    b.tighten.crew = s->crew;
    b.tighten.fleet = s;
    b.tighten.seams = s->seams;
    b.tighten.run = run;
    TRY(zb_crew_slots(s->crew, slots_of(s->part, s->seams)));
    TRY(begin_part(own, s->part, s->model, &b, positive));
done:
    zb_free(positive);
    return status;
}

/* Others begin while rank 0 does, and all have begun when it goes on. */
static zb_status spread_parts(zb_fleet *s, zb_tighten **own, const zb_fleet_spec *spec,
                              zb_run *run)
{
    zb_cutting *c = NULL;
    zb_seam_plan *plan = NULL;
    zb_letter *reply;
    zb_status status;
    TRY(zb_cutting_new(&c, spec->tree, zb_crew_size(s->crew), s->top));
    if (spec->gauged)
        TRY(zb_seam_plan_new(&plan, c, spec->model, spec->tighten.absolute));
    for (int rank = 1; rank < c->parts; rank++)
        TRY(send_part(s, rank, c, plan, spec));
    TRY(zb_part_new(&s->part, &s->model, c, 0, spec->model));
    if (plan != NULL)
        TRY(zb_seams_new(&s->seams, plan, 0, s->part));
    zb_seam_plan_free(plan), plan = NULL;
    zb_cutting_free(c), c = NULL;
    TRY(begin_own(s, own, spec, run));
    TRY(zb_crew_gather(s->crew, run, &reply));
done:
    zb_seam_plan_free(plan);
    zb_cutting_free(c);
    return status;
}

zb_status zb_fleet_new(zb_fleet **out, zb_tighten **own, const zb_fleet_spec *spec,
                       zb_run *run, zb_error *err)
{
    zb_fleet *s = zb_calloc(1, sizeof *s);
    zb_status status;
    *out = NULL;
    *own = NULL;
    TRY(s != NULL ? ZB_OK : ZB_ENOMEM);
    s->tree = spec->tree;
    s->top = zb_alloc((size_t)spec->tree->nnodes, sizeof *s->top);
    s->positive = zb_calloc((size_t)spec->tree->nvars, sizeof *s->positive);
    TRY(s->top != NULL && s->positive != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_pass_find_top(spec->tree, s->top));
    if (spec->tighten.side == ZB_SIDE_LOWER && !spec->extreme)
        TRY(zb_lower_choose(spec->tree, spec->model, s->positive));
    TRY(zb_crew_open(&s->crew, zb_run_ranks(run), run));
    TRY(spread_parts(s, own, spec, run));
    *out = s, s = NULL;
done:
    if (status == ZB_ELIMIT && zb_run_more(run))
        zb_fail(err, status,
                "mini-buckets of %d variables, spread over ranks, need more than the "
                "limit of %.3g bytes of one of them: give a smaller --ibound, more "
                "--memory or more ranks",
                spec->tree->ibound, run != NULL ? (double)run->memory : INFINITY);
    if (status != ZB_OK) {
        zb_tighten_free(*own);
        *own = NULL;
    }
    zb_fleet_free(s);
    return status;
}

void zb_fleet_free(zb_fleet *s)
{
    if (s == NULL)
        return;
    zb_crew_close(s->crew);
    zb_part_free(s->part);
    zb_model_free(s->model);
    zb_seams_free(s->seams);
    zb_free(s->top);
    zb_free(s->positive);
    zb_free(s);
}

zb_status zb_fleet_status(const zb_fleet *s)
{
    return s != NULL ? zb_crew_status(s->crew) : ZB_OK;
}
zb_crew *zb_fleet_crew(const zb_fleet *s) { return s->crew; }
const zb_tree *zb_fleet_tree(const zb_fleet *s) { return s->tree; }

/* ---- other ranks ----------------------------------------------------------------- */

typedef struct member {
    zb_crew *crew;
    zb_part *part;
    zb_model *model;
    zb_seams *seams;
    zb_tighten *tighten;
    zb_descender *descender; /* NULL: nothing moves */
} member;

static zb_status open_member(member *m)
{
    zb_letter *l = zb_crew_given(m->crew);
    int *positive = NULL;
    size_t count;
    begin b;
    zb_status status;
    zb_letter_take(l, &b, sizeof b);
    TRY(zb_letter_take_ints(l, &count, &positive));
    TRY(zb_letter_take_part(l, &m->part));
    TRY(zb_letter_take_model(l, &m->model));
    TRY(count == (size_t)m->part->tree->nvars ? ZB_OK : ZB_EINVAL);
    if (zb_letter_take_int(l) != 0)
        TRY(zb_letter_take_seams(l, &m->seams));
    zb_letter_clear(l);
    b.tighten.part = m->part;
    b.tighten.crew = m->crew;
    b.tighten.fleet = NULL;
    b.tighten.seams = m->seams;
    b.tighten.run = zb_crew_run(m->crew);
    TRY(begin_part(&m->tighten, m->part, m->model, &b, positive));
    if (zb_tighten_wants_gradient(&b.tighten))
        TRY(zb_descender_new(&m->descender, zb_tighten_objective(m->tighten)));
done:
    zb_free(positive);
    return status;
}

static void evaluate(member *m, zb_letter *l)
{
    bool gradient = zb_letter_take_int(l) != 0;
    zb_crew_begin(m->crew);
    zb_pass_take_news(m->tighten->pass, l);
    if (gradient && m->descender != NULL)
        zb_descender_look(m->descender);
    else
        zb_tighten_evaluate(m->tighten, NULL);
}

static void evaluate_as(member *m, zb_letter *l)
{
    int how = zb_letter_take_int(l), load = zb_letter_take_int(l);
    zb_crew_begin(m->crew);
    zb_tighten_evaluate_as(m->tighten, (zb_signed)how, (zb_loading)load);
}

/* There are more coordinates then. */
static void add_gauges(member *m)
{
    zb_status status;
    zb_crew_begin(m->crew);
    TRY(zb_tighten_add_gauges(m->tighten));
    zb_descender_free(m->descender);
    m->descender = NULL;
    TRY(zb_descender_new(&m->descender, zb_tighten_objective(m->tighten)));
done:
    zb_crew_reply(m->crew, status, NULL);
}

static void follow(member *m, zb_letter *l)
{
    int what = zb_letter_take_int(l);
    if (what == EVALUATE)
        evaluate(m, l);
    else if (what == EVALUATE_AS)
        evaluate_as(m, l);
    else if (what == ADD)
        add_gauges(m);
    else if (what == DROP)
        zb_tighten_drop_gauges(m->tighten);
    else if (what == RENEW)
        zb_tighten_renew(m->tighten);
    else if (what == POSITIVE) {
        int id = zb_letter_take_int(l), which = zb_letter_take_int(l);
        set_positive(m->tighten, id, which);
    } else if (what == STRIDE && m->descender != NULL) {
        zb_stride stride;
        zb_letter_take(l, &stride, sizeof stride);
        zb_descender_follow(m->descender, &stride);
    }
}

void zb_fleet_serve(zb_crew *crew)
{
    member m = { .crew = crew };
    zb_letter l = { 0 };
    zb_status status = open_member(&m);
    zb_crew_reply(crew, status, NULL);
    while (zb_crew_next(crew, &l)) {
        if (status == ZB_OK)
            follow(&m, &l);
        zb_letter_clear(&l);
    }
    zb_descender_free(m.descender);
    zb_tighten_free(m.tighten);
    zb_part_free(m.part);
    zb_model_free(m.model);
    zb_seams_free(m.seams);
}
