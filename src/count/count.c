/* count(P) = ln of the sum over the open Booleans of part P of the product of its
 * tables, where its clauses hold. Two values of one Boolean, each of which leaves parts
 * that do not depend on each other; sums are remembered by what the part looks like.
 *
 * Before a part is counted it is known to have a solution, and so are all parts beside
 * it: zb_sat_solve is asked wherever the last solution does not serve. So learnt
 * clauses, which follow from all clauses together, never set a literal of a part that
 * does not follow from that part alone, and sums that are remembered are right in any
 * surroundings (Sang et al. 2004 purge the memo instead). And there is a solution at
 * hand for every part that time does not suffice to count: a lower bound. */
#include "count/count.h"

#include "count/guide.h"
#include "count/memo.h"
#include "count/parts.h"
#include "count/path.h"
#include "count/spread.h"
#include "base/explog.h"
#include "model/table.h"

/* Stacks of threads are small. A search that gets deeper than this ends: what is cut
   off cannot be remembered, and would come back without end. */
enum { DEEPEST = 3000 };

enum { SPREAD_SHARE = 8 }; /* of the memory: for a model with weights apart */

static const zb_ball NOTHING = { -INFINITY, 0 }; /* ln 0 */

struct zb_counter {
    zb_count_spec spec;
    zb_run *run;      /* of the search under way */
    zb_purse purse;   /* of all that follows */
    zb_model *spread; /* the model with weights apart from zeros; NULL: as given */
    zb_clauses *clauses;
    zb_sat *sat;
    zb_parts parts;
    zb_memo *memo;
    zb_path path;
    double *near;  /* per Boolean: preference by the order (guide.h); wide: none */
    int *ask;      /* Booleans that a solution is wanted for */
    zb_ball floor; /* of one solution: a lower bound to tell of */
    int64_t decisions, hits;
    int64_t gaps; /* times that something was left out */
    bool late;    /* out of time, or out of memory */
    bool zero;    /* the model's constant is: there is nothing to search */
    bool complete;
    bool deep; /* it got deeper than it may */
};

static bool is_late(zb_counter *c)
{
    c->late = c->late || zb_sat_over(c->sat) || c->parts.failed;
    return c->late;
}

/* The same, after some work, with a word to who waits for it. */
static bool report(zb_counter *c)
{
    if (!is_late(c))
        c->late = !zb_run_report_lower(c->run, zb_down(c->floor.mid, c->floor.radius));
    return c->late;
}

/* ---- decisions ----------------------------------------------------------------------
 */

/* Near the middle of the order's tree; in many clauses and in recent conflicts. */
static int choose(const zb_counter *c, const zb_part *part)
{
    const zb_parts *p = &c->parts;
    int best = -1;
    double most = -1;
    zb_tick(p->tick, 10.0 * part->n[ZB_BOOLS]);
    for (int i = 0; i < part->n[ZB_BOOLS]; i++) {
        int b = p->pool[part->at[ZB_BOOLS] + (size_t)i];
        if (c->sat->value[2 * b] != 0)
            continue;
        double score =
            p->frequency[b] + c->sat->long_activity[b] / c->sat->long_bump + c->near[b];
        if (score > most) {
            most = score;
            best = b;
        }
    }
    return best;
}

/* ---- the sum ------------------------------------------------------------------------
 */

static zb_ball count_part(zb_counter *c, zb_part part);

/* Is there a solution of the parts from `base` that the memo did not know? */
static zb_sat_answer ask(zb_counter *c, int base)
{
    const zb_parts *p = &c->parts;
    int n = 0;
    for (int i = base; i < p->nparts; i++)
        for (int k = 0; k < p->part[i].n[ZB_BOOLS]; k++)
            c->ask[n++] = p->pool[p->part[i].at[ZB_BOOLS] + (size_t)k];
    if (n == 0)
        return ZB_SAT_YES;
    zb_sat_answer answer = zb_sat_solve(c->sat, n, c->ask);
    if (answer == ZB_SAT_STOPPED) {
        c->gaps++;
        c->late = true;
    }
    return answer;
}

/* Parts that are in the memo leave the stack; their sums go onto *term. */
static bool look_up(zb_counter *c, int base, zb_sum *term)
{
    zb_parts *p = &c->parts;
    int n = base;
    for (int i = base; i < p->nparts; i++) {
        zb_part part = p->part[i];
        zb_ball value;
        if (!zb_parts_key(p, &part))
            return false;
        if (zb_memo_find_ball(c->memo, p->key + part.key, part.key_length, &value)) {
            c->hits++;
            p->key_used = part.key;
            zb_sum_add_ball(term, value);
        } else
            p->part[n++] = part;
    }
    p->nparts = n;
    return true;
}

/* What is left of a part after a decision; known: a solution is at hand. */
static zb_ball count_rest(zb_counter *c, zb_part whole, bool known)
{
    zb_parts *p = &c->parts;
    int base = p->nparts;
    size_t used = p->used, keys = p->key_used;
    zb_sum term = { 0 };
    bool split = zb_parts_split(p, whole, &term) && look_up(c, base, &term);
    int trail = c->sat->ntrail;
    if (!split) {
        c->gaps++;
        c->late = true;
        term = (zb_sum){ 0 };
        zb_sum_add_ball(&term, known && !p->failed ? zb_parts_model_weight(p, &whole)
                                                   : NOTHING);
    } else if (!known && ask(c, base) != ZB_SAT_YES)
        zb_sum_add_ball(&term, NOTHING);
    else if (c->sat->ntrail > trail) { /* more was found to follow: look again */
        p->nparts = base;
        p->used = used;
        p->key_used = keys;
        return count_rest(c, whole, false); /* of parts not asked about, too */
    } else
        for (int i = base; i < p->nparts; i++)
            zb_sum_add_ball(&term, count_part(c, p->part[i]));
    p->nparts = base;
    p->used = used;
    p->key_used = keys;
    return zb_sum_value(&term);
}

/* ln(e^a + e^b), which moves by no more than a and b do. In units u: the exponent, at
   most 1; exp, 1 where it counts; ln(1 + x) <= ln 2, 3; the sum, its magnitude. */
static zb_ball log_add(zb_ball a, zb_ball b)
{
    double sum = zb_log_add(a.mid, b.mid);
    if (a.mid == -INFINITY || b.mid == -INFINITY)
        return a.mid == -INFINITY ? b : a;
    return (zb_ball){ sum, fmax(a.radius, b.radius) +
                               ZB_MARGIN * ZB_UNIT * (fabs(sum) + 5) };
}

static zb_ball branch(zb_counter *c, const zb_part *part, int b)
{
    zb_ball sum = NOTHING;
    uint32_t first = 2 * (uint32_t)b + !c->sat->model[b];
    int depth = c->sat->depth;
    for (uint32_t i = 0; i < 2; i++) {
        if (i == 1 && is_late(c)) {
            c->gaps++;
            break;
        }
        if (c->sat->value[first ^ i] != 0) { /* cannot be, with a solution at hand */
            c->gaps++;
            break;
        }
        c->decisions++;
        bool decided = zb_sat_decide(c->sat, first ^ i);
        if (decided)
            sum = log_add(sum, count_rest(c, *part, i == 0));
        c->gaps += !decided && is_late(c);
        zb_sat_undo(c->sat, depth);
        bool sound = zb_sat_set_units(c->sat); /* always: there is a solution */
        c->gaps += !sound;
        if (!sound || c->sat->value[first] > 0)
            break;
    }
    return sum;
}

static zb_ball count_part(zb_counter *c, zb_part part)
{
    zb_parts *p = &c->parts;
    int64_t gaps = c->gaps;
    if ((c->decisions & 15) == 0 ? report(c) : is_late(c)) {
        c->gaps++;
        return zb_parts_model_weight(p, &part);
    }
    int b = zb_path_find(&c->path, p, &part);
    b = b >= 0 ? b : choose(c, &part);
    if (b < 0)
        return count_rest(c, part, true);
    if (c->sat->depth >= DEEPEST) {
        c->late = c->deep = true;
        c->gaps++;
        return zb_parts_model_weight(p, &part);
    }
    zb_ball sum = branch(c, &part, b);
    if (gaps == c->gaps && !is_late(c))
        zb_memo_put_ball(c->memo, p->key + part.key, part.key_length, sum);
    else
        zb_path_note(&c->path, p, &part, b);
    return sum;
}

/* ---- the whole ----------------------------------------------------------------------
 */

static bool suits(const zb_model *model)
{
    for (int v = 0; v < model->nvars; v++)
        if (model->card[v] < 2 || model->evidence[v] >= 0)
            return false;
    for (int f = 0; f < model->nfactors; f++)
        if (!model->factor[f].log || model->factor[f].arity == 0 ||
            model->factor[f].arity > ZB_MAX_AXES)
            return false;
    return true;
}

static zb_status load_clauses(zb_counter *c, const zb_model *model)
{
    zb_ticker tick = { .run = c->run };
    zb_status status;
    TRY(zb_clauses_new(&c->clauses, model->nvars, model->card, &c->purse));
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        TRY(zb_clauses_add_zeros(c->clauses, a->arity, a->scope, a->value, &tick));
    }
done:
    return status;
}

static zb_status load_memo(zb_counter *c)
{
    uint64_t most = (c->purse.most - c->purse.used) / 2;
    if (c->spec.memo > 0 && c->spec.memo < most)
        most = c->spec.memo;
    zb_status status = zb_path_open(&c->path, most, &c->purse);
    return status == ZB_OK ? zb_memo_new(&c->memo, most, &c->purse, &c->sat->tick)
                           : status;
}

/* Not where tables are large: it takes as much memory as the model. */
static zb_status load_spread(zb_counter *c, const zb_model *model)
{
    zb_ticker tick = { .run = c->run };
    uint64_t bytes = 0;
    for (int f = 0; f < model->nfactors; f++)
        bytes += zb_purse_cost(model->factor[f].size, sizeof(double)) +
                 zb_purse_cost((size_t)model->factor[f].arity, sizeof(int));
    if (bytes > c->purse.most / SPREAD_SHARE)
        return ZB_OK;
    zb_purse_charge(&c->purse, bytes);
    return zb_spread(&c->spread, model, &tick);
}

static zb_status load_guide(zb_counter *c, const zb_model *model, const int *order)
{
    zb_scopes *scopes = NULL;
    double *near = zb_alloc((size_t)model->nvars, sizeof *near);
    zb_status status;
    TRY(near != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_scopes_new(&scopes, model));
    TRY(zb_guide_make(scopes, order, &c->sat->tick, near));
    for (int b = 0; b < c->clauses->nbools; b++)
        c->near[b] = ZB_GUIDE_FIRST * near[c->clauses->owner[b]];
done:
    zb_scopes_free(scopes);
    zb_free(near);
    return status;
}

static zb_status load(zb_counter *c, const zb_model *model, const int *order)
{
    zb_status status;
    TRY(load_spread(c, model));
    if (c->spread != NULL)
        model = c->spread;
    TRY(load_clauses(c, model));
    TRY(zb_sat_new(&c->sat, c->clauses, c->run));
    TRY(zb_parts_init(&c->parts, model, c->clauses, c->sat));
    size_t n = (size_t)c->clauses->nbools;
    c->near = zb_purse_calloc(&c->purse, n, sizeof *c->near);
    c->ask = zb_purse_alloc(&c->purse, n, sizeof *c->ask);
    TRY(c->near && c->ask ? ZB_OK : zb_purse_status(&c->purse));
    TRY(load_memo(c));
    if (!c->spec.wide)
        TRY(load_guide(c, model, order));
done:
    return status;
}

/* Factors without weights: their one value, once. */
static zb_sum constants(const zb_parts *p)
{
    zb_sum sum = { .radius = p->model->radius };
    int t = 0;
    zb_sum_add(&sum, p->model->log_scale);
    for (int f = 0; f < p->model->nfactors; f++) {
        if (t < p->ntables && p->table[t] == f)
            t++;
        else
            zb_sum_add(&sum, zb_factor_extremes(&p->model->factor[f]).most);
    }
    return sum;
}

static zb_ball count_all(zb_counter *c)
{
    zb_parts *p = &c->parts;
    if (!zb_parts_whole(p)) {
        c->gaps++;
        return NOTHING;
    }
    for (int b = 0; b < c->clauses->nbools; b++)
        c->ask[b] = b;
    zb_sat_answer answer = zb_sat_solve(c->sat, c->clauses->nbools, c->ask);
    if (answer != ZB_SAT_YES) {
        c->gaps += answer == ZB_SAT_STOPPED;
        return NOTHING;
    }
    zb_sum one = constants(p), all = one;
    zb_sum_add_ball(&one, zb_parts_model_weight(p, &p->part[0]));
    c->floor = zb_sum_value(&one);
    report(c);
    zb_sum_add_ball(&all, count_rest(c, p->part[0], true));
    return zb_sum_value(&all);
}

/* ---- runs ------------------------------------------------------------------------
 */

void zb_counter_free(zb_counter *c)
{
    if (c == NULL)
        return;
    zb_memo_free(c->memo);
    zb_path_close(&c->path);
    zb_parts_clear(&c->parts);
    zb_sat_free(c->sat);
    zb_clauses_free(c->clauses);
    zb_model_free(c->spread);
    zb_free(c->near);
    zb_free(c->ask);
    zb_free(c);
}

zb_status zb_counter_new(zb_counter **out, const zb_model *model, const int *order,
                         const zb_count_spec *spec)
{
    zb_counter *c = zb_calloc(1, sizeof *c);
    zb_status status;
    *out = NULL;
    TRY(c != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(suits(model) ? ZB_OK : ZB_EINVAL);
    c->spec = *spec;
    c->run = spec->run;
    c->purse.most = spec->memory;
    c->zero = model->log_scale == -INFINITY;
    if (!c->zero)
        TRY(load(c, model, order));
    *out = c, c = NULL;
done:
    zb_counter_free(c);
    return status;
}

static void begin_run(zb_counter *c, zb_run *run)
{
    c->run = run;
    zb_parts_restart(&c->parts, c->sat, run);
    c->gaps = 0;
    c->late = false;
    c->floor = NOTHING;
}

zb_status zb_counter_run(zb_counter *c, zb_run *run, zb_count_result *out)
{
    *out = (zb_count_result){ .log_z = -INFINITY, .complete = c->zero };
    if (c->zero)
        return ZB_OK;
    begin_run(c, run);
    zb_ball log_z = count_all(c);
    if (log_z.mid < c->floor.mid)
        log_z = c->floor;
    c->complete = c->gaps == 0;
    *out = (zb_count_result){ .log_z = log_z.mid,
                              .radius = log_z.radius,
                              .complete = c->complete,
                              .decisions = c->decisions,
                              .hits = c->hits,
                              .conflicts = c->sat->conflicts };
    return c->parts.failed || c->sat->failed ? ZB_ENOMEM : ZB_OK;
}

bool zb_counter_open(const zb_counter *c)
{
    return !c->zero && !c->complete && !c->parts.failed && !c->sat->failed &&
           !c->purse.empty && !c->deep;
}

uint64_t zb_counter_bytes(const zb_counter *c) { return c->purse.used; }

zb_status zb_count_run(const zb_model *model, const int *order,
                       const zb_count_spec *spec, zb_count_result *out)
{
    zb_counter *c;
    *out = (zb_count_result){ .log_z = -INFINITY };
    zb_status status = zb_counter_new(&c, model, order, spec);
    if (status == ZB_OK)
        status = zb_counter_run(c, spec->run, out);
    if (status != ZB_OK)
        *out = (zb_count_result){ .log_z = -INFINITY };
    zb_counter_free(c);
    return status;
}
