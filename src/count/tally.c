#include "count/tally.h"

#include "base/hold.h"
#include "count/guide.h"
#include "count/memo.h"
#include "count/parts.h"
#include "count/path.h"

enum { DEEPEST = 3000 }; /* as in count.c: stacks of threads are small */

struct zb_tallier {
    zb_tally_spec spec;
    zb_model *none; /* no tables */
    zb_sat *sat;
    zb_parts parts;
    zb_memo *memo;
    zb_path path;
    double *near; /* per Boolean: preference by the order (guide.h); wide: none */
    int *ask;     /* Booleans that a solution is wanted for */
    int64_t *in;  /* per Boolean: the last split that left it in a part */
    int64_t splits;
    zb_big *both; /* per Boolean: the sum of its weights; NULL where all are 1 */
    uint32_t *word;
    size_t word_room; /* scratch: a value for the memo */
    zb_hold hold;
    int64_t decisions;
    int64_t gaps; /* times that something was left out */
    bool late;    /* out of time, or out of memory */
    bool deep;    /* it got deeper than it may */
    bool complete;
    zb_status status;
};

static bool is_shown(const zb_tallier *t, int b)
{
    return t->spec.shown == NULL || t->spec.shown[b];
}

static bool is_skipped(const zb_tallier *t, int b)
{
    return t->spec.skip != NULL && t->spec.skip[b];
}

static bool is_late(zb_tallier *t)
{
    t->late = t->late || t->status != ZB_OK || zb_sat_over(t->sat) || t->parts.failed;
    return t->late;
}

static bool fine(zb_tallier *t, zb_status status)
{
    if (t->status == ZB_OK)
        t->status = status;
    return status == ZB_OK;
}

/* ---- weights --------------------------------------------------------------------- */

/* A product of weights: powers of two are gathered. */
typedef struct product {
    zb_big value;
    uint64_t twos;
} product;

static void times(zb_tallier *t, product *p, const zb_big *factor)
{
    if (t->status == ZB_OK && !zb_big_is(factor, 1))
        fine(t, zb_big_multiply(&p->value, factor));
}

static void times_both(zb_tallier *t, product *p, int b)
{
    if (is_skipped(t, b) || !is_shown(t, b))
        return;
    if (t->both == NULL || zb_big_is(&t->both[b], 2))
        p->twos++;
    else
        times(t, p, &t->both[b]);
}

static void times_literal(zb_tallier *t, product *p, uint32_t literal)
{
    if (t->spec.weight != NULL && is_shown(t, (int)(literal >> 1)))
        times(t, p, &t->spec.weight[literal]);
}

/* What is set of the whole, and what no part from `base` on has. */
static void take_outside(zb_tallier *t, zb_part whole, int base, product *p)
{
    const zb_parts *s = &t->parts;
    int64_t now = ++t->splits;
    for (int i = base; i < s->nparts; i++)
        for (int k = 0; k < s->part[i].n[ZB_BOOLS]; k++)
            t->in[s->pool[s->part[i].at[ZB_BOOLS] + (size_t)k]] = now;
    zb_tick(s->tick, 5.0 * whole.n[ZB_BOOLS]);
    for (int i = 0; i < whole.n[ZB_BOOLS]; i++) {
        int b = s->pool[whole.at[ZB_BOOLS] + (size_t)i];
        int8_t value = t->sat->value[2 * b];
        if (value != 0)
            times_literal(t, p, 2 * (uint32_t)b + (value < 0));
        else if (t->in[b] != now)
            times_both(t, p, b);
    }
}

/* The weight of the solution at hand, as far as a part goes: at least that much. */
static void take_solution(zb_tallier *t, const zb_part *part, product *p)
{
    for (int k = 0; k < part->n[ZB_BOOLS]; k++) {
        int b = t->parts.pool[part->at[ZB_BOOLS] + (size_t)k];
        times_literal(t, p, 2 * (uint32_t)b + !t->sat->model[b]);
    }
}

static void finish(zb_tallier *t, product *p, zb_big *out)
{
    if (t->status == ZB_OK)
        fine(t, zb_big_shift(&p->value, p->twos));
    zb_big_clear(out);
    *out = p->value;
}

/* ---- the memo -------------------------------------------------------------------- */

static void remember(zb_tallier *t, const zb_part *part, const zb_big *value)
{
    size_t n = zb_big_words(value);
    if (!ZB_RESERVE(t->word, &t->word_room, 0, n)) {
        fine(t, ZB_ENOMEM);
        return;
    }
    zb_big_store(value, t->word);
    zb_memo_put(t->memo, t->parts.key + part->key, part->key_length, t->word, n);
}

/* Parts that are in the memo leave the stack, and their sums go into the product. */
static bool look_up(zb_tallier *t, int base, product *p)
{
    zb_parts *s = &t->parts;
    int n = base;
    for (int i = base; i < s->nparts; i++) {
        zb_part part = s->part[i];
        size_t count;
        zb_big value = { 0 };
        if (!zb_parts_key(s, &part))
            return false;
        const uint32_t *word =
            zb_memo_find(t->memo, s->key + part.key, part.key_length, &count);
        if (word == NULL) {
            s->part[n++] = part;
            continue;
        }
        s->key_used = part.key;
        if (fine(t, zb_big_load(&value, word, count)))
            times(t, p, &value);
        zb_big_clear(&value);
    }
    s->nparts = n;
    return true;
}

/* ---- the search ------------------------------------------------------------------ */

/* Shown; near the middle of the order's tree; in many clauses and in recent conflicts.
   -1: none. */
static int choose(const zb_tallier *t, const zb_part *part)
{
    const zb_parts *s = &t->parts;
    int best = -1;
    double most = -1;
    zb_tick(s->tick, 10.0 * part->n[ZB_BOOLS]);
    for (int i = 0; i < part->n[ZB_BOOLS]; i++) {
        int b = s->pool[part->at[ZB_BOOLS] + (size_t)i];
        if (t->sat->value[2 * b] != 0 || !is_shown(t, b))
            continue;
        double score =
            s->frequency[b] + t->sat->long_activity[b] / t->sat->long_bump + t->near[b];
        if (score > most) {
            most = score;
            best = b;
        }
    }
    return best;
}

/* Is there a solution of the parts from `base` that the memo did not know? */
static zb_sat_answer ask(zb_tallier *t, int base)
{
    const zb_parts *s = &t->parts;
    int n = 0;
    for (int i = base; i < s->nparts; i++)
        for (int k = 0; k < s->part[i].n[ZB_BOOLS]; k++)
            t->ask[n++] = s->pool[s->part[i].at[ZB_BOOLS] + (size_t)k];
    if (n == 0)
        return ZB_SAT_YES;
    zb_sat_answer answer = zb_sat_solve(t->sat, n, t->ask);
    if (answer == ZB_SAT_STOPPED) {
        t->gaps++;
        t->late = true;
    }
    return answer;
}

static void count_part(zb_tallier *t, zb_part part, zb_big *out);

static void count_parts(zb_tallier *t, int base, product *p)
{
    for (int i = base; i < t->parts.nparts && t->status == ZB_OK; i++) {
        zb_big value = { 0 };
        count_part(t, t->parts.part[i], &value);
        times(t, p, &value);
        zb_big_clear(&value);
    }
}

/* What is left of a part after a decision; known: a solution is at hand. */
static void count_rest(zb_tallier *t, zb_part whole, bool known, zb_big *out)
{
    zb_parts *s = &t->parts;
    int base = s->nparts, trail;
    size_t used = s->used, keys = s->key_used;
    product p = { .twos = 0 };
    zb_sum unused = { 0 };
    bool again = false;
    fine(t, zb_big_set(&p.value, 1));
    bool split = zb_parts_split(s, whole, &unused);
    if (split)
        take_outside(t, whole, base, &p);
    split = split && look_up(t, base, &p);
    trail = t->sat->ntrail;
    if (!split || t->status != ZB_OK) {
        t->gaps++;
        t->late = true;
        zb_big_clear(&p.value);
    } else if (zb_big_is_zero(&p.value))
        ; /* a weight of 0: whatever the parts are */
    else if (!known && ask(t, base) != ZB_SAT_YES)
        zb_big_clear(&p.value);
    else if (t->sat->ntrail > trail)
        again = true; /* more was found to follow: look again */
    else
        count_parts(t, base, &p);
    s->nparts = base;
    s->used = used;
    s->key_used = keys;
    if (!again) {
        finish(t, &p, out);
        return;
    }
    zb_big_clear(&p.value);
    count_rest(t, whole, false, out); /* of parts not asked about, too */
}

static void branch(zb_tallier *t, const zb_part *part, int b, zb_big *sum)
{
    uint32_t first = 2 * (uint32_t)b + !t->sat->model[b];
    int depth = t->sat->depth;
    for (uint32_t i = 0; i < 2; i++) {
        zb_big value = { 0 };
        if ((i == 1 && is_late(t)) || t->sat->value[first ^ i] != 0) {
            t->gaps++;
            break;
        }
        t->decisions++;
        bool decided = zb_sat_decide(t->sat, first ^ i);
        if (decided)
            count_rest(t, *part, i == 0, &value);
        if (decided && t->status == ZB_OK)
            fine(t, zb_big_add(sum, &value));
        zb_big_clear(&value);
        t->gaps += !decided && is_late(t);
        zb_sat_undo(t->sat, depth);
        bool sound = zb_sat_set_units(t->sat); /* always: there is a solution */
        t->gaps += !sound;
        if (!sound || t->sat->value[first] > 0)
            break;
    }
}

static bool has_shown(const zb_tallier *t, const zb_part *part)
{
    for (int k = 0; k < part->n[ZB_BOOLS]; k++)
        if (is_shown(t, t->parts.pool[part->at[ZB_BOOLS] + (size_t)k]))
            return true;
    return false;
}

/* A part that has a solution. */
static void count_part(zb_tallier *t, zb_part part, zb_big *out)
{
    int64_t gaps = t->gaps;
    bool shown = has_shown(t, &part);
    if (is_late(t) || (shown && t->sat->depth >= DEEPEST)) {
        product p = { .twos = 0 };
        t->deep = t->deep || !is_late(t);
        t->late = true;
        t->gaps++;
        fine(t, zb_big_set(&p.value, 1));
        take_solution(t, &part, &p);
        finish(t, &p, out);
        return;
    }
    int b = -1;
    if (!shown)
        fine(t, zb_big_set(out, 1));
    else {
        b = zb_path_find(&t->path, &t->parts, &part);
        b = b >= 0 ? b : choose(t, &part);
        if (b < 0) {
            count_rest(t, part, true, out);
            return;
        }
        branch(t, &part, b, out);
    }
    if (gaps == t->gaps && !is_late(t))
        remember(t, &part, out);
    else if (b >= 0)
        zb_path_note(&t->path, &t->parts, &part, b);
}

/* ---- the whole ------------------------------------------------------------------- */

static zb_status load_weights(zb_tallier *t)
{
    int n = t->spec.clauses->nbools;
    zb_status status = ZB_OK;
    if (t->spec.weight == NULL)
        return ZB_OK;
    t->both = zb_hold_calloc(&t->hold, (size_t)n, sizeof *t->both);
    TRY(zb_hold_status(&t->hold));
    for (int b = 0; b < n; b++) {
        TRY(zb_big_copy(&t->both[b], &t->spec.weight[2 * b]));
        TRY(zb_big_add(&t->both[b], &t->spec.weight[2 * b + 1]));
    }
done:
    return status;
}

static zb_status load_guide(zb_tallier *t)
{
    const zb_clauses *c = t->spec.clauses;
    zb_scopes *scopes = NULL;
    zb_status status;
    TRY(zb_clauses_scopes(c, &scopes));
    TRY(zb_guide_make(scopes, t->spec.order, &t->sat->tick, t->near));
    for (int b = 0; b < c->nbools; b++)
        t->near[b] *= ZB_GUIDE_FIRST;
done:
    zb_scopes_free(scopes);
    return status;
}

static zb_status load(zb_tallier *t)
{
    const zb_clauses *c = t->spec.clauses;
    size_t n = (size_t)c->nbools;
    zb_status status;
    TRY(zb_model_new(&t->none, c->nvars, c->card));
    TRY(zb_sat_new(&t->sat, c, t->spec.run));
    TRY(zb_parts_init(&t->parts, t->none, c, t->sat));
    t->near = zb_hold_calloc(&t->hold, n, sizeof *t->near);
    t->ask = zb_hold_alloc(&t->hold, n, sizeof *t->ask);
    t->in = zb_hold_calloc(&t->hold, n, sizeof *t->in);
    TRY(zb_hold_status(&t->hold));
    if (!t->spec.wide)
        TRY(load_guide(t));
    TRY(load_weights(t));
    uint64_t left = c->purse != NULL ? c->purse->most - c->purse->used : UINT64_MAX;
    TRY(zb_path_open(&t->path, left / 2, c->purse));
    TRY(zb_memo_new(&t->memo, left / 2, c->purse, &t->sat->tick));
done:
    return status;
}

void zb_tallier_free(zb_tallier *t)
{
    if (t == NULL)
        return;
    for (int b = 0; t->both != NULL && b < t->spec.clauses->nbools; b++)
        zb_big_clear(&t->both[b]);
    zb_path_close(&t->path);
    zb_memo_free(t->memo);
    zb_parts_clear(&t->parts);
    zb_sat_free(t->sat);
    zb_model_free(t->none);
    zb_free(t->word);
    zb_hold_free(&t->hold);
    zb_free(t);
}

static void count_all(zb_tallier *t, zb_tally_result *out)
{
    zb_parts *s = &t->parts;
    zb_sat_answer answer = ZB_SAT_STOPPED;
    for (int b = 0; b < t->sat->nbools; b++)
        t->ask[b] = b;
    if (zb_parts_whole(s))
        answer = zb_sat_solve(t->sat, t->sat->nbools, t->ask);
    out->satisfiable = answer == ZB_SAT_YES;
    if (answer == ZB_SAT_YES)
        count_rest(t, s->part[0], true, &out->count);
    out->complete = answer != ZB_SAT_STOPPED && t->gaps == 0;
}

zb_status zb_tallier_new(zb_tallier **out, const zb_tally_spec *spec)
{
    zb_tallier *t = zb_calloc(1, sizeof *t);
    zb_status status;
    *out = NULL;
    TRY(t != NULL ? ZB_OK : ZB_ENOMEM);
    t->spec = *spec;
    TRY(load(t));
    *out = t, t = NULL;
done:
    zb_tallier_free(t);
    return status;
}

zb_status zb_tallier_run(zb_tallier *t, zb_run *run, zb_tally_result *out)
{
    *out = (zb_tally_result){ .complete = false };
    zb_parts_restart(&t->parts, t->sat, run);
    t->gaps = 0;
    t->late = false;
    count_all(t, out);
    t->complete = out->complete;
    return t->parts.failed || t->sat->failed ? ZB_ENOMEM : t->status;
}

bool zb_tallier_open(const zb_tallier *t)
{
    return !t->complete && t->status == ZB_OK && !t->parts.failed && !t->sat->failed &&
           !t->deep && (t->sat->purse == NULL || !t->sat->purse->empty);
}

zb_status zb_tally_run(const zb_tally_spec *spec, zb_tally_result *out)
{
    zb_tallier *t;
    *out = (zb_tally_result){ .complete = false };
    zb_status status = zb_tallier_new(&t, spec);
    if (status == ZB_OK)
        status = zb_tallier_run(t, spec->run, out);
    zb_tallier_free(t);
    return status;
}
