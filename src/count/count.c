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
#include "count/count_internal.h"

#include "base/explog.h"
#include "model/table.h"

#include <limits.h>

/* Stacks of threads are small. A search that gets deeper than this ends: what is cut
   off cannot be remembered, and would come back without end. */
enum { DEEPEST = 3000 };
enum { SHALLOW = 16 };

static const zb_ball NOTHING = { -INFINITY, 0 }; /* ln 0 */

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

/* ln of what was summed, and of what there is at most; equal where nothing was left
   out. */
typedef struct span {
    zb_ball sum, most;
} span;

static const span EMPTY = { { -INFINITY, 0 }, { -INFINITY, 0 } };

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

static bool is_whole(span a)
{
    return a.sum.mid == a.most.mid && a.sum.radius == a.most.radius;
}

static span add(span a, span b)
{
    zb_ball sum = log_add(a.sum, b.sum);
    return (span){ sum, is_whole(a) && is_whole(b) ? sum : log_add(a.most, b.most) };
}

/* Of a part that is not looked at further. Where the time is over, the bounds of what
   is left of the first decisions are worth some more of it, others next to nothing. */
static zb_ball ceiling(const zb_counter *c, const zb_part *part)
{
    return c->late && c->sat->depth > SHALLOW ? zb_ceiling_crude(c->ceiling, part)
                                              : zb_ceiling_of(c->ceiling, part);
}

static span count_part(zb_counter *c, zb_part part);

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

/* The parts from `base` on, each by itself. */
static void count_parts(zb_counter *c, int base, zb_sum *sum, zb_sum *most)
{
    for (int i = base; i < c->parts.nparts; i++) {
        span one = count_part(c, c->parts.part[i]);
        zb_sum_add_ball(sum, one.sum);
        zb_sum_add_ball(most, one.most);
    }
}

static span undivided(zb_counter *c, const zb_part *whole, bool known)
{
    c->gaps++;
    c->late = true;
    return (span){ known && !c->parts.failed ? zb_parts_model_weight(&c->parts, whole)
                                             : NOTHING,
                   ceiling(c, whole) };
}

/* What is left of a part after a decision; known: a solution is at hand. */
static span count_rest(zb_counter *c, zb_part whole, bool known)
{
    zb_parts *p = &c->parts;
    int base = p->nparts;
    size_t used = p->used, keys = p->key_used;
    zb_sum term = { 0 }, most;
    bool split = zb_parts_split(p, whole, &term) && look_up(c, base, &term), again;
    int trail = c->sat->ntrail;
    zb_sat_answer answer = !split || known ? ZB_SAT_YES : ask(c, base);
    again = split && answer == ZB_SAT_YES && c->sat->ntrail > trail;
    most = term;
    if (answer != ZB_SAT_YES)
        zb_sum_add_ball(&term, NOTHING);
    if (answer == ZB_SAT_NO)
        most = term;
    for (int i = base; i < p->nparts && answer == ZB_SAT_STOPPED; i++)
        zb_sum_add_ball(&most, ceiling(c, &p->part[i]));
    if (split && answer == ZB_SAT_YES && !again)
        count_parts(c, base, &term, &most);
    p->nparts = base;
    p->used = used;
    p->key_used = keys;
    if (!split)
        return undivided(c, &whole, known);
    if (again)                              /* more was found to follow: look again, */
        return count_rest(c, whole, false); /* of parts not asked about, too */
    return (span){ zb_sum_value(&term), zb_sum_value(&most) };
}

/* One value of the Boolean that is decided on, which is open; left: it is not looked
   at any more, but bounded. */
static span one_value(zb_counter *c, const zb_part *part, uint32_t literal, bool known)
{
    span sum = EMPTY;
    c->decisions++;
    if (zb_sat_decide(c->sat, literal))
        sum = count_rest(c, *part, known);
    else if (is_late(c)) {
        c->gaps++;
        sum.most = ceiling(c, part);
    }
    return sum;
}

static span branch(zb_counter *c, const zb_part *part, int b)
{
    span sum = EMPTY;
    uint32_t first = 2 * (uint32_t)b + !c->sat->model[b];
    int depth = c->sat->depth;
    for (uint32_t i = 0; i < 2; i++) {
        sum = add(sum, one_value(c, part, first ^ i, i == 0));
        zb_sat_undo(c->sat, depth);
        bool sound = zb_sat_set_units(c->sat) || is_late(c);
        if (i == 1 || (sound && c->sat->value[first] > 0))
            break;
        if (!sound || c->sat->value[first] < 0) { /* cannot be: there is a solution */
            c->gaps++;
            sum.most = log_add(sum.most, ceiling(c, part));
            break;
        }
    }
    return sum;
}

/* A part that is not counted: one solution of it, and what it has at most. */
static span leave(zb_counter *c, const zb_part *part)
{
    c->gaps++;
    return (span){ zb_parts_model_weight(&c->parts, part), ceiling(c, part) };
}

static span count_part(zb_counter *c, zb_part part)
{
    zb_parts *p = &c->parts;
    int64_t gaps = c->gaps;
    if ((c->decisions & 15) == 0 ? report(c) : is_late(c))
        return leave(c, &part);
    int b = zb_path_find(&c->path, p, &part);
    b = b >= 0 ? b : choose(c, &part);
    if (b < 0)
        return count_rest(c, part, true);
    if (c->sat->depth >= c->levels)
        return leave(c, &part);
    if (c->sat->depth >= DEEPEST) {
        c->late = c->deep = true;
        return leave(c, &part);
    }
    span sum = branch(c, &part, b);
    if (gaps == c->gaps && !is_late(c))
        zb_memo_put_ball(c->memo, p->key + part.key, part.key_length, sum.sum);
    else if (c->levels == INT_MAX)
        zb_path_note(&c->path, p, &part, b);
    return sum;
}

/* ---- the whole ----------------------------------------------------------------------
 */

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

static span count_all(zb_counter *c)
{
    zb_parts *p = &c->parts;
    const span unknown = { NOTHING, { INFINITY, 0 } };
    if (!zb_parts_whole(p)) {
        c->gaps++;
        return unknown;
    }
    for (int b = 0; b < c->clauses->nbools; b++)
        c->ask[b] = b;
    zb_sat_answer answer = zb_sat_solve(c->sat, c->clauses->nbools, c->ask);
    if (answer == ZB_SAT_NO)
        return EMPTY;
    zb_sum one = constants(p), sum = one, most = one;
    if (answer == ZB_SAT_STOPPED) {
        c->gaps++;
        zb_sum_add_ball(&most, ceiling(c, &p->part[0]));
        return (span){ NOTHING, zb_sum_value(&most) };
    }
    zb_sum_add_ball(&one, zb_parts_model_weight(p, &p->part[0]));
    c->floor = zb_sum_value(&one);
    report(c);
    span all = count_rest(c, p->part[0], true);
    zb_sum_add_ball(&sum, all.sum);
    zb_sum_add_ball(&most, all.most);
    return (span){ zb_sum_value(&sum), zb_sum_value(&most) };
}

/* ---- runs ------------------------------------------------------------------------
 */

static void begin_run(zb_counter *c, zb_run *run, int levels)
{
    c->run = run;
    zb_parts_restart(&c->parts, c->sat, run);
    c->gaps = 0;
    c->levels = levels;
    c->late = false;
    c->floor = NOTHING;
}

zb_status zb_counter_look(zb_counter *c, zb_run *run, int levels, zb_count_result *out)
{
    *out = (zb_count_result){ .log_z = -INFINITY,
                              .log_most = -INFINITY,
                              .complete = c->zero };
    if (c->zero)
        return ZB_OK;
    begin_run(c, run, levels);
    span all = count_all(c);
    if (all.sum.mid < c->floor.mid)
        all.sum = c->floor;
    c->complete = c->gaps == 0;
    *out = (zb_count_result){ .log_z = all.sum.mid,
                              .radius = all.sum.radius,
                              .log_most = zb_up(all.most.mid, all.most.radius),
                              .complete = c->complete,
                              .decisions = c->decisions,
                              .hits = c->hits,
                              .conflicts = c->sat->conflicts };
    return c->parts.failed || c->sat->failed ? ZB_ENOMEM : ZB_OK;
}

zb_status zb_counter_run(zb_counter *c, zb_run *run, zb_count_result *out)
{
    return zb_counter_look(c, run, INT_MAX, out);
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
    *out = (zb_count_result){ .log_z = -INFINITY, .log_most = INFINITY };
    zb_status status = zb_counter_new(&c, model, order, spec);
    if (status == ZB_OK)
        status = zb_counter_run(c, spec->run, out);
    if (status != ZB_OK)
        *out = (zb_count_result){ .log_z = -INFINITY, .log_most = INFINITY };
    zb_counter_free(c);
    return status;
}
