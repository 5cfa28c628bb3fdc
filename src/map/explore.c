#include "map/explore.h"

#include "base/rounding.h"
#include "map/recall.h"

/* One variable on the way down: there is one place for each, since a path has each
   variable once. */
typedef struct frame {
    double budget; /* what its subtree must stay below to be of use */
    double best;   /* the least loss so far */
    double lower;  /* no value that was tried loses less */
    double spent;  /* at the value being tried: its own loss, and what is known of the
                      children's */
    double hope;   /* what the parent's spent counts of it */
    size_t at;     /* of its values in loss and value */
    int tried;     /* values */
    int next;      /* child to look at */
    int pick;      /* the best value */
    bool is_trying;
    bool is_solved; /* hope is its loss */
} frame;

struct zb_explorer {
    const zb_tree *t;
    const zb_pass *pass;
    zb_branches *b;
    zb_recall *recall;
    frame *frame;
    double *loss; /* per variable and value, in the order of value */
    int *value;
    int *by_var;   /* the state, by variable */
    int *by_place; /* and by position */
    double *row;
    zb_ticker tick;
    double nodes;
};

/* ---- losses ---------------------------------------------------------------------- */

static int card_at(const zb_explorer *e, int i) { return e->t->card[e->t->order[i]]; }

/* Adds what one mini-bucket loses at each value. */
static void add_losses(zb_explorer *e, int k, int card, double *loss)
{
    double most = -INFINITY;
    for (int x = 0; x < card; x++)
        e->row[x] = 0;
    zb_pass_add_row(e->pass, k, e->by_var, e->row);
    for (int x = 0; x < card; x++)
        most = e->row[x] > most ? e->row[x] : most;
    for (int x = 0; x < card; x++)
        loss[x] = e->row[x] > -INFINITY ? loss[x] + (most - e->row[x]) : INFINITY;
}

/* All losses of i, given those above it. */
static double find_losses(zb_explorer *e, int i)
{
    const zb_bucket *bucket = &e->t->bucket[i];
    frame *f = &e->frame[i];
    int card = card_at(e, i);
    double *loss = e->loss + f->at, least = INFINITY;
    for (int x = 0; x < card; x++) {
        loss[x] = 0;
        e->value[f->at + (size_t)x] = x;
    }
    for (int k = bucket->first; k < bucket->first + bucket->count; k++)
        add_losses(e, k, card, loss);
    zb_tick(&e->tick, 100.0 * bucket->count + 2.0 * card);
    for (int x = 0; x < card; x++)
        least = loss[x] < least ? loss[x] : least;
    return least;
}

/* What is known of i before it is searched. Where nothing is split, its message is what
   its subtree comes to, and is counted above. */
static void look_at(zb_explorer *e, int i)
{
    frame *f = &e->frame[i];
    f->is_solved = e->b->is_settled[i];
    f->hope = 0;
    if (f->is_solved)
        return;
    zb_lesson known = zb_recall_ask(e->recall, i, e->by_place);
    f->is_solved = known.is_exact;
    f->hope = known.is_exact ? known.loss : fmax(known.loss, find_losses(e, i));
}

/* ---- the way down and up --------------------------------------------------------- */

static double limit_of(const frame *f)
{
    return f->best < f->budget ? f->best : f->budget;
}

static void begin(zb_explorer *e, int i, double budget)
{
    frame *f = &e->frame[i];
    f->budget = budget;
    f->best = f->lower = INFINITY;
    f->tried = 0;
    f->pick = -1;
    f->is_trying = false;
}

static void set(zb_explorer *e, int i, int x)
{
    e->by_place[i] = x;
    e->by_var[e->t->order[i]] = x;
}

/* The value of least loss that was not tried. */
static void bring_forward(zb_explorer *e, int i)
{
    frame *f = &e->frame[i];
    double *loss = e->loss + f->at;
    int *value = e->value + f->at, best = f->tried;
    for (int x = best + 1; x < card_at(e, i); x++)
        best = loss[x] < loss[best] ? x : best;
    double l = loss[best];
    int v = value[best];
    loss[best] = loss[f->tried];
    value[best] = value[f->tried];
    loss[f->tried] = l;
    value[f->tried] = v;
}

static void give_up(frame *f)
{
    f->lower = fmin(f->lower, f->spent);
    f->is_trying = false;
}

/* Tries the next value that may be of use; false: there is none. */
static bool try_value(zb_explorer *e, int i)
{
    frame *f = &e->frame[i];
    if (f->tried == card_at(e, i))
        return false;
    bring_forward(e, i);
    f->spent = e->loss[f->at + (size_t)f->tried];
    if (!(f->spent < limit_of(f))) {
        give_up(f);
        return false;
    }
    set(e, i, e->value[f->at + (size_t)f->tried++]);
    e->nodes++;
    for (int c = e->b->first[i]; c < e->b->first[i + 1]; c++) {
        look_at(e, e->b->child[c]);
        f->spent += e->frame[e->b->child[c]].hope;
        if (!(f->spent < limit_of(f))) {
            give_up(f);
            return true;
        }
    }
    f->next = e->b->first[i];
    f->is_trying = true;
    return true;
}

/* The child of i to go down to, or -1 when nothing is left to do. */
static int next_child(zb_explorer *e, int i)
{
    frame *f = &e->frame[i];
    do {
        while (f->is_trying && f->next < e->b->first[i + 1]) {
            int c = e->b->child[f->next++];
            if (!e->frame[c].is_solved)
                return c;
        }
        if (f->is_trying) {
            f->best = f->spent;
            f->pick = e->by_place[i];
            give_up(f);
        }
    } while (!e->tick.over && try_value(e, i));
    return -1;
}

/* What was found out about i, which its parent hears. */
static void end(zb_explorer *e, int i)
{
    frame *f = &e->frame[i], *up = &e->frame[e->b->parent[i]];
    bool exact = f->best < f->budget;
    double loss = exact ? f->best : f->lower;
    zb_recall_tell(e->recall, i, e->by_place, (zb_lesson){ loss, exact });
    up->spent = up->spent - f->hope + loss;
    f->hope = loss;
    f->is_solved = true;
    if (!exact || !(up->spent < limit_of(up)))
        give_up(up);
}

/* The subtree of top, whose losses are known. */
static zb_status search(zb_explorer *e, int top, double budget)
{
    int i = top;
    begin(e, top, budget);
    for (;;) {
        int c = next_child(e, i);
        if (e->tick.over)
            return ZB_ELIMIT;
        if (c >= 0) {
            frame *f = &e->frame[i];
            begin(e, c, limit_of(f) - (f->spent - e->frame[c].hope));
            i = c;
        } else if (i == top) {
            return ZB_OK;
        } else {
            end(e, i);
            i = e->b->parent[i];
        }
    }
}

/* ---- calls ----------------------------------------------------------------------- */

zb_status zb_explorer_search(zb_explorer *e, double budget, zb_run *run,
                             zb_exploration *out)
{
    int root = e->b->count - 1;
    frame *f = &e->frame[root];
    zb_status status;
    e->tick = (zb_ticker){ .run = run };
    e->nodes = 0;
    find_losses(e, root);
    TRY(search(e, root, budget));
    out->is_found = f->best < budget;
    out->loss = out->is_found ? f->best : f->lower;
    out->nodes = e->nodes;
done:
    return status;
}

/* The best value of i, those above it being what they should. left: of the loss. */
static zb_status settle(zb_explorer *e, int i, double left)
{
    frame *f = &e->frame[i];
    zb_status status = ZB_OK;
    zb_lesson known = zb_recall_ask(e->recall, i, e->by_place);
    find_losses(e, i);
    if (e->b->is_settled[i]) {
        bring_forward(e, i);
        set(e, i, e->value[f->at]);
        return ZB_OK;
    }
    double least = known.is_exact ? fmin(left, known.loss) : left;
    TRY(search(e, i, least + 1e-9 * (1 + least)));
    TRY(f->pick >= 0 ? ZB_OK : ZB_ELIMIT); /* lost in rounding */
    set(e, i, f->pick);
done:
    return status;
}

zb_status zb_explorer_state(zb_explorer *e, double loss, zb_run *run, int *state)
{
    zb_status status = ZB_OK;
    e->tick = (zb_ticker){ .run = run };
    for (int i = 0; i < e->b->count; i++)
        e->frame[i].tried = 0;
    for (int i = e->b->count - 1; i >= 0; i--)
        TRY(settle(e, i, loss));
    for (int i = 0; i < e->b->count; i++)
        state[e->t->order[i]] = e->by_place[i];
done:
    return status;
}

/* The radius of the pass has, for every node, what the sum of its inputs may be off;
   a row is summed once more, and the message was rounded when it was stored. Then there
   is a sum of losses, of which each is at most the whole. */
double zb_explorer_radius(const zb_explorer *e, double loss)
{
    double sums = 4.0 * ((double)e->t->nvars + e->t->nnodes + 4);
    return 3 * zb_pass_radius(e->pass) + ZB_MARGIN * ZB_UNIT * sums * (1 + loss);
}

/* ---- making one ------------------------------------------------------------------ */

static zb_status take_memory(zb_explorer *e)
{
    size_t n = (size_t)e->t->nvars, values = 0;
    int card = 1;
    e->frame = zb_calloc(n, sizeof *e->frame);
    e->by_var = zb_calloc(n, sizeof *e->by_var);
    e->by_place = zb_calloc(n, sizeof *e->by_place);
    if (e->frame == NULL || e->by_var == NULL || e->by_place == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < e->t->nvars; i++) {
        e->frame[i].at = values;
        values += (size_t)card_at(e, i);
        card = zb_max_int(card, card_at(e, i));
    }
    e->loss = zb_alloc(values, sizeof *e->loss);
    e->value = zb_alloc(values, sizeof *e->value);
    e->row = zb_alloc((size_t)card, sizeof *e->row);
    return e->loss != NULL && e->value != NULL && e->row != NULL ? ZB_OK : ZB_ENOMEM;
}

zb_status zb_explorer_new(zb_explorer **out, const zb_tree *tree, const zb_pass *pass,
                          uint64_t memory, zb_run *run)
{
    static const size_t MOST = 1 << 24; /* members of contexts */
    zb_explorer *e = zb_calloc(1, sizeof *e);
    int *card = NULL;
    zb_status status;
    *out = NULL;
    TRY(e != NULL ? ZB_OK : ZB_ENOMEM);
    e->t = tree;
    e->pass = pass;
    TRY(zb_branches_new(&e->b, tree, zb_min_size(MOST, (size_t)(memory / 8)), run));
    TRY(take_memory(e));
    card = zb_alloc((size_t)tree->nvars, sizeof *card);
    TRY(card != NULL ? ZB_OK : ZB_ENOMEM);
    for (int i = 0; i < tree->nvars; i++)
        card[i] = card_at(e, i);
    TRY(zb_recall_new(&e->recall, e->b, card, memory / 2));
    *out = e;
    e = NULL;
done:
    zb_free(card);
    zb_explorer_free(e);
    return status;
}

void zb_explorer_free(zb_explorer *e)
{
    if (e == NULL)
        return;
    zb_branches_free(e->b);
    zb_recall_free(e->recall);
    zb_free(e->frame);
    zb_free(e->loss);
    zb_free(e->value);
    zb_free(e->by_var);
    zb_free(e->by_place);
    zb_free(e->row);
    zb_free(e);
}
