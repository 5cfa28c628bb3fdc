/* A pass over a part of a tree (tree/part.h): what crosses, and what the parts say
 * together.
 *
 * A table crosses with its scale, and belongs to the part above from then on: what is
 * done to it there is done to the copy, as in one process to the table itself. So all
 * numbers are the same, and so is the bound if the scales are added up in the sequence
 * of the whole tree: rank 0 gathers those that are not zero. */
#include "pass/pass_part.h"
#include "pass/pass_radius.h"

#include <string.h>

/* ---- tables ---------------------------------------------------------------------- */

static bool take_table(zb_pass *p, int slot, zb_table *x)
{
    zb_letter l = { 0 };
    zb_table got;
    if (!zb_crew_wait(p->spec.crew, slot, p->spec.run, &l))
        return false;
    int about = zb_letter_take_int(&l);
    p->in_exact[slot] = (about & 1) != 0;
    p->in_by_value[slot] = (about & 2) != 0;
    zb_letter_take(&l, &got, sizeof got);
    zb_letter_take(&l, x->value, x->size * sizeof *x->value);
    bool fits = !l.bad && got.size == x->size;
    zb_letter_clear(&l);
    got.value = x->value;
    *x = got;
    return fits;
}

/* A parent that has turned to logarithms, or lost its signs, in a pass that was given
   up may have told nobody. */
static bool take_messages(zb_pass *p, int k)
{
    const zb_part *part = p->spec.part;
    for (int i = 0; i < p->tree->node[k].ninput; i++) {
        int in = zb_tree_input(p->tree, k)[i];
        if (in < part->nfactors)
            continue;
        zb_table *x = &p->table[in];
        if (!take_table(p, in - part->nfactors, x))
            return false;
        if (!p->is_exact[k] && !x->is_log && p->in_exact[in - part->nfactors]) {
            zb_table_drop_sign(x);
            zb_pass_note_magnitude(x);
        }
        if (p->mode[k] == ZB_LOG && !x->is_log)
            zb_table_to_log(x, &p->by);
    }
    return true;
}

/* Its derivatives take the place of a message's values. */
static bool take_derivatives(zb_pass *p, int k)
{
    const zb_part *part = p->spec.part;
    int at = p->tree->node[k].parent - p->tree->nnodes;
    zb_table *x = zb_pass_message(p, k);
    zb_letter l = { 0 };
    if (at < 0)
        return true;
    if (!zb_crew_wait(p->spec.crew, part->nin + at, p->spec.run, &l))
        return false;
    p->by_value[p->tree->nnodes + at] = zb_letter_take_int(&l) != 0;
    zb_letter_take(&l, x->value, x->size * sizeof *x->value);
    bool fits = !l.bad;
    zb_letter_clear(&l);
    return fits;
}

bool zb_pass_take(zb_pass *p, int k, bool down)
{
    bool there = down ? take_derivatives(p, k) : take_messages(p, k);
    if (!there)
        p->cut = true;
    return there;
}

void zb_pass_hand_on(zb_pass *p, int k)
{
    int at = p->tree->node[k].parent - p->tree->nnodes;
    const zb_table *x = zb_pass_message(p, k);
    if (at < 0)
        return;
    zb_letter *l = zb_crew_paper(p->spec.crew);
    zb_letter_put_int(l, p->is_exact[k] | p->by_value[k] << 1);
    zb_letter_put(l, x, sizeof *x);
    zb_letter_put(l, x->value, x->size * sizeof *x->value);
    const zb_crossing *to = &p->spec.part->out[at];
    zb_crew_post(p->spec.crew, to->rank, to->slot, l);
}

void zb_pass_hand_back(zb_pass *p, int k)
{
    const zb_part *part = p->spec.part;
    for (int i = 0; i < p->tree->node[k].ninput; i++) {
        int in = zb_tree_input(p->tree, k)[i];
        if (in < part->nfactors)
            continue;
        const zb_crossing *to = &part->in[in - part->nfactors];
        zb_letter *l = zb_crew_paper(p->spec.crew);
        zb_letter_put_int(l, p->by_value[k]);
        zb_letter_put(l, p->fgrad + p->fgrad_at[in],
                      p->table[in].size * sizeof *p->fgrad);
        zb_crew_post(p->spec.crew, to->rank, to->slot, l);
    }
}

/* ---- in which sequence ----------------------------------------------------------- */

typedef struct flow { /* a visit to all nodes of a part */
    zb_pass *p;
    zb_pass_visitor *visit;
    bool down;
    int at;     /* nodes before (up) or behind (down) have been looked at */
    int nready; /* of those that were not ready then */
    int left;
} flow;

static bool is_past(const flow *f, int k) { return f->down ? k >= f->at : k < f->at; }

static void note(flow *f, int k)
{
    if (--f->p->missing[k] == 0 && is_past(f, k))
        f->p->ready[f->nready++] = k;
}

/* A letter has come. Those for the other way keep. */
static void note_letter(flow *f, int slot)
{
    const zb_part *part = f->p->spec.part;
    if (!f->down && slot < part->nin)
        note(f, f->p->tree->factor_node[part->nfactors + slot]);
    if (f->down && slot >= part->nin && slot < part->nin + part->nout)
        note(f, f->p->out_node[slot - part->nin]);
}

static void do_node(flow *f, int k)
{
    const zb_tree *t = f->p->tree;
    f->visit(f->p, k, f->p->worker);
    f->left--;
    if (!f->down && t->node[k].parent >= 0 && t->node[k].parent < t->nnodes)
        note(f, t->node[k].parent);
    for (int i = 0; f->down && i < t->node[k].ninput; i++)
        if (zb_tree_input(t, k)[i] < 0)
            note(f, -1 - zb_tree_input(t, k)[i]);
}

/* Whom others may be waiting for comes first. */
static void do_ready(flow *f)
{
    int slot;
    do {
        while (f->nready > 0 && !f->p->cut)
            do_node(f, f->p->ready[--f->nready]);
        slot = zb_crew_news(f->p->spec.crew, f->p->spec.run, false);
        if (slot >= 0)
            note_letter(f, slot);
    } while (slot >= 0 && !f->p->cut);
}

static void count_missing(zb_pass *p, bool down)
{
    const zb_tree *t = p->tree;
    const zb_part *part = p->spec.part;
    for (int k = 0; k < t->nnodes; k++) {
        p->missing[k] = down && t->node[k].parent >= 0;
        for (int i = 0; !down && i < t->node[k].ninput; i++)
            p->missing[k] += zb_tree_input(t, k)[i] < 0;
    }
    for (int j = 0; !down && j < part->nin; j++)
        p->missing[t->factor_node[part->nfactors + j]]++;
    zb_crew_look(p->spec.crew, down ? part->nin : 0, down ? part->nout : part->nin,
                 p->came);
    for (int j = 0; j < (down ? part->nout : part->nin); j++)
        if (p->came[j])
            p->missing[down ? p->out_node[j] : t->factor_node[part->nfactors + j]]--;
}

void zb_pass_visit_part(zb_pass *p, zb_pass_visitor *visit, bool down)
{
    int n = p->tree->nnodes;
    flow f = { .p = p, .visit = visit, .down = down, .at = down ? n : 0, .left = n };
    count_missing(p, down);
    for (int i = 0; i < n && !p->cut; i++) {
        int k = down ? n - 1 - i : i;
        f.at = down ? k : k + 1;
        if (p->missing[k] == 0)
            do_node(&f, k);
        do_ready(&f);
    }
    while (f.left > 0 && !p->cut) {
        int slot = zb_crew_news(p->spec.crew, p->spec.run, true);
        if (slot < 0)
            p->cut = true;
        else
            note_letter(&f, slot);
        do_ready(&f);
    }
}

/* ---- nodes that have turned to logarithms, or lost their signs ------------------- */

enum { TURNED = 1, UNSIGNED = 2 };

/* Those that others send messages to. */
static void put_turned(const zb_pass *p, zb_letter *l)
{
    const zb_part *part = p->spec.part;
    for (int j = 0; j < part->nin; j++) {
        int k = p->tree->factor_node[part->nfactors + j], what = 0;
        if (p->mode[k] == ZB_LOG && !zb_tree_is_split(p->tree, k))
            what |= TURNED;
        if (p->born_exact[k] && !p->is_exact[k])
            what |= UNSIGNED;
        if (what != 0) {
            zb_letter_put_int(l, part->node_id[k]);
            zb_letter_put_int(l, what);
        }
    }
}

static void turn(zb_pass *p, zb_letter *ids)
{
    const zb_part *part = p->spec.part;
    while (ids->at < ids->size && !ids->bad) {
        int id = zb_letter_take_int(ids), what = zb_letter_take_int(ids);
        for (int j = 0; j < part->nout; j++) {
            if (part->out[j].id != id)
                continue;
            if (what & TURNED)
                p->mode[p->tree->nnodes + j] = ZB_LOG;
            if (what & UNSIGNED)
                p->is_exact[p->tree->nnodes + j] = false;
        }
    }
}

void zb_pass_put_news(const zb_pass *p, zb_letter *l)
{
    zb_letter_put_int(l, p->given_changed);
    zb_letter_put(l, p->turned.data, p->turned.size);
    l->bad = l->bad || p->turned.bad;
}

void zb_pass_take_news(zb_pass *p, zb_letter *l)
{
    p->given_changed = zb_letter_take_int(l) != 0;
    turn(p, l);
}

/* ---- scales ---------------------------------------------------------------------- */

typedef struct entry {
    int64_t id; /* in the whole tree; -1: the end */
    double x;
} entry;

static void put_entry(zb_letter *l, int id, double x)
{
    entry e = { id, x };
    if (x != 0)
        zb_letter_put(l, &e, sizeof e);
}

static void put_end(zb_letter *l)
{
    entry e = { -1, 0 };
    zb_letter_put(l, &e, sizeof e);
}

/* Messages count where they are used. */
static void put_messages(const zb_pass *p, zb_letter *l)
{
    const zb_part *part = p->spec.part;
    const zb_tree *t = p->tree;
    int64_t exp2 = 0;
    for (int k = 0; k < t->nnodes; k++)
        if (t->node[k].parent < t->nnodes)
            exp2 += zb_pass_message(p, k)->exp2;
    for (int j = 0; j < part->nin; j++)
        exp2 += p->table[part->nfactors + j].exp2;
    zb_letter_put_word(l, (uint64_t)exp2);
    for (int k = 0; k < t->nnodes; k++)
        if (t->node[k].parent < t->nnodes)
            put_entry(l, part->node_id[k], zb_pass_message(p, k)->shift);
    for (int j = 0; j < part->nin; j++)
        put_entry(l, part->in[j].id, p->table[part->nfactors + j].shift);
    put_end(l);
    for (int k = 0; k < t->nnodes; k++)
        if (t->node[k].parent < 0)
            put_entry(l, part->node_id[k], zb_pass_message(p, k)->radius);
    put_end(l);
}

static void put_factors(const zb_pass *p, zb_letter *l)
{
    const zb_part *part = p->spec.part;
    int64_t exp2 = 0;
    double radius = 0; /* of those that no node takes in: part 0's */
    for (int f = 0; f < part->nfactors; f++) {
        exp2 += p->table[f].exp2;
        radius += p->tree->factor_node[f] < 0 ? p->table[f].radius : 0;
    }
    zb_letter_put_word(l, (uint64_t)exp2);
    zb_letter_put_real(l, radius);
    for (int f = 0; f < part->nfactors; f++)
        put_entry(l, part->factor_id[f], p->table[f].shift);
    put_end(l);
}

/* What a part says after the way up: of factors only where rank 0 has to know. */
static void put_scales(const zb_pass *p, zb_letter *l)
{
    zb_letter_put_int(l, p->cut | p->refused << 1);
    if (p->cut)
        return;
    if (p->given_changed)
        put_factors(p, l);
    put_messages(p, l);
    put_turned(p, l);
}

static void take_entries(zb_letter *l, size_t n, double *scale)
{
    entry e = { 0, 0 };
    while (!l->bad) {
        zb_letter_take(l, &e, sizeof e);
        if (e.id < 0)
            return;
        if ((size_t)e.id < n)
            scale[e.id] = e.x;
        else
            l->bad = true;
    }
}

/* The same of all parts: shifts are added in the sequence of ids. */
static void add_entries(zb_pass *p, zb_letter *said, int n, zb_sum *sum, bool radii)
{
    int parts = zb_crew_size(p->spec.crew);
    memset(p->scale, 0, (size_t)n * sizeof *p->scale);
    for (int r = 0; r < parts; r++)
        take_entries(&said[r], (size_t)n, p->scale);
    for (int i = 0; i < n; i++)
        if (radii)
            sum->radius += p->scale[i];
        else if (p->scale[i] != 0)
            zb_sum_add(sum, p->scale[i]);
}

static void read_factors(zb_pass *p, zb_letter *said)
{
    p->given = (zb_sum){ 0 };
    for (int r = 0; r < zb_crew_size(p->spec.crew); r++) {
        p->given.exp2 += (int64_t)zb_letter_take_word(&said[r]);
        p->given.radius += zb_letter_take_real(&said[r]);
    }
    add_entries(p, said, p->spec.whole->nfactors, &p->given, false);
    p->given_changed = false;
}

static zb_ball add_scales(zb_pass *p, zb_letter *said)
{
    int n = p->spec.whole->nnodes;
    if (p->given_changed)
        read_factors(p, said);
    zb_sum sum = p->given;
    zb_sum_add_ball(&sum, zb_sum_value(&p->log_free));
    for (int r = 0; r < zb_crew_size(p->spec.crew); r++)
        sum.exp2 += (int64_t)zb_letter_take_word(&said[r]);
    add_entries(p, said, n, &sum, false);
    add_entries(p, said, n, &sum, true);
    return zb_sum_value(&sum);
}

/* ---- together -------------------------------------------------------------------- */

/* What letters have left is which nodes have turned. */
static void gather_turned(zb_pass *p, zb_letter *said)
{
    p->turned.size = 0;
    for (int r = 0; r < zb_crew_size(p->spec.crew); r++)
        zb_letter_put(&p->turned, said[r].data + said[r].at, said[r].size - said[r].at);
    zb_letter own = p->turned;
    own.at = 0;
    turn(p, &own);
}

static void conclude_all(zb_pass *p, zb_letter *own)
{
    zb_letter *said;
    zb_status status = zb_crew_gather(p->spec.crew, p->spec.run, &said);
    if (own->bad)
        zb_crew_break(p->spec.crew);
    if (status != ZB_OK || own->bad) {
        p->cut = true;
        return;
    }
    said[0] = *own;
    p->refused = false;
    for (int r = 0; r < zb_crew_size(p->spec.crew); r++) {
        int what = zb_letter_take_int(&said[r]);
        p->cut = p->cut || (what & 1) != 0;
        p->refused = p->refused || (what & 2) != 0;
    }
    if (!p->cut) {
        zb_ball sum = add_scales(p, said);
        p->radius = sum.radius;
        p->bound = sum.mid;
        gather_turned(p, said);
    }
    for (int r = 0; r < zb_crew_size(p->spec.crew); r++)
        p->cut = p->cut || said[r].bad;
    said[0] = (zb_letter){ 0 };
}

double zb_pass_conclude_part(zb_pass *p)
{
    zb_letter own = { 0 };
    p->cut = zb_pass_was_cut(p);
    if (p->cut)
        zb_crew_give_up(p->spec.crew);
    put_scales(p, &own);
    if (p->spec.whole == NULL)
        zb_crew_reply(p->spec.crew, zb_letter_status(&own), &own);
    else
        conclude_all(p, &own);
    zb_letter_clear(&own);
    if (p->cut || p->spec.whole == NULL)
        return p->spec.side == ZB_SIDE_LOWER ? -INFINITY : INFINITY;
    return p->bound;
}
