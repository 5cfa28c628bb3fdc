/* Which clauses of a part are summed exactly: a forest, grown as Kruskal's. */
#include "count/ceiling_internal.h"

/* Clauses of more open literals take next to nothing off. */
enum { LONGEST = 8 };

static int root_of(zb_forest *f, int b)
{
    while (f->root[b] != b)
        b = f->root[b] = f->root[f->root[b]];
    return b;
}

static void add_place(zb_forest *f, uint32_t literal)
{
    int b = (int)(literal >> 1);
    f->lit[f->nlit] = literal;
    f->may[f->nlit] = true;
    f->of[f->nlit] = f->count;
    f->next[f->nlit] = f->head[b];
    f->head[b] = f->nlit++;
}

/* If nothing connects its Booleans so far. Of groups a part is as good: those are left
   out that are connected. */
static void join(zb_forest *f, zb_tie tie, int n, const uint32_t *lit)
{
    int kept = 0, first = -1;
    f->stamp++;
    for (int i = 0; i < n; i++) {
        int r = root_of(f, (int)(lit[i] >> 1));
        if (f->mark[r] == f->stamp) {
            if (tie != ZB_TIE_FEW)
                return;
            continue;
        }
        f->mark[r] = f->stamp;
        f->open[kept++] = lit[i];
    }
    if (kept < 2)
        return;
    for (int i = 0; i < kept; i++) {
        int b = (int)(f->open[i] >> 1), r = root_of(f, b);
        if (tie == ZB_TIE_FEW && f->few[b] < 0)
            f->few[b] = f->nlit;
        add_place(f, f->open[i]);
        first = first < 0 ? r : first;
        f->root[r] = first;
    }
    f->tie[f->count] = tie;
    f->at[++f->count] = f->nlit;
}

/* ---- groups ---------------------------------------------------------------------- */

/* The open ones of some literals, behind the first n of `open`; -1: one is true. */
static int gather(const zb_ceiling *c, size_t n, const uint32_t *lit, uint32_t *open)
{
    const int8_t *value = c->parts->sat->value;
    int count = 0;
    for (size_t i = 0; i < n; i++) {
        if (value[lit[i]] > 0)
            return -1;
        if (value[lit[i]] == 0)
            open[count++] = lit[i];
    }
    return count;
}

/* The values of a variable. */
static void join_values(zb_ceiling *c, int v)
{
    const zb_clauses *k = c->parts->clauses;
    uint32_t *all = c->forest.open + c->parts->sat->nbools;
    int n = 0;
    for (int b = k->first[v]; b < k->first[v + 1]; b++) {
        if (c->parts->sat->value[2 * b] > 0)
            return;
        if (zb_parts_is_open(c->parts, b))
            all[n++] = 2 * (uint32_t)b;
    }
    join(&c->forest, ZB_TIE_FEW, n, all);
    if (n > 1)
        c->forest.tie[c->forest.count - 1] = ZB_TIE_ONE;
}

/* Only those of the part: the others are marked by another stamp. */
static void join_groups(zb_ceiling *c)
{
    uint32_t *all = c->forest.open + c->parts->sat->nbools;
    for (int g = 0; g < c->groups.count; g++) {
        const uint32_t *lit = c->groups.lit + c->groups.at[g];
        int n = gather(c, c->groups.at[g + 1] - c->groups.at[g], lit, all), kept = 0;
        for (int i = 0; i < n; i++)
            if (c->seen[all[i] >> 1] == c->stamp)
                all[kept++] = all[i];
        if (kept > 2)
            join(&c->forest, ZB_TIE_FEW, kept, all);
    }
}

/* A clause of literals of one group: one of them is the one that is true. */
static void tighten_group(zb_ceiling *c, int clause)
{
    zb_forest *f = &c->forest;
    const zb_sat *s = c->parts->sat;
    int n, g = -1, open = 0;
    const uint32_t *lit = zb_sat_literals(s, s->long_at[clause], &n);
    for (int i = 0; i < n; i++) {
        int at = s->value[lit[i]] == 0 ? f->few[lit[i] >> 1] : -1;
        if (s->value[lit[i]] < 0)
            continue;
        if (at < 0 || f->lit[at] != lit[i] || (g >= 0 && f->of[at] != g))
            return;
        g = f->of[at];
        open++;
    }
    if (open == 0 || f->tie[g] != ZB_TIE_FEW)
        return;
    f->tie[g] = ZB_TIE_ONE;
    for (int i = f->at[g]; i < f->at[g + 1]; i++)
        f->may[i] = false;
    for (int i = 0; i < n; i++)
        if (s->value[lit[i]] == 0)
            f->may[f->few[lit[i] >> 1]] = true;
}

/* ---- clauses --------------------------------------------------------------------- */

static void join_pairs(zb_ceiling *c, int b)
{
    const zb_sat *s = c->parts->sat;
    for (uint32_t own = 2 * (uint32_t)b; own < 2 * (uint32_t)b + 2; own++)
        for (size_t i = s->pair_at[own]; i < s->pair_at[own + 1]; i++) {
            uint32_t other = s->pair[i];
            if (other >> 1 > own >> 1 && s->value[other] == 0)
                join(&c->forest, ZB_TIE_SOME, 2, (uint32_t[]){ own, other });
        }
}

/* The open literals of a clause; 0 where there are too many, or it holds. */
static int open_literals(const zb_ceiling *c, int clause, uint32_t *out)
{
    const zb_sat *s = c->parts->sat;
    int n, open = 0;
    const uint32_t *lit = zb_sat_literals(s, s->long_at[clause], &n);
    for (int i = 0; i < n; i++) {
        if (s->value[lit[i]] < 0)
            continue;
        if (s->value[lit[i]] > 0 || open == LONGEST)
            return 0;
        out[open++] = lit[i];
    }
    return open;
}

static void join_longs(zb_ceiling *c, const zb_part *part)
{
    const int *list = c->parts->pool + part->at[ZB_LONGS];
    uint32_t lit[LONGEST];
    for (int i = 0; i < part->n[ZB_LONGS]; i++) {
        tighten_group(c, list[i]);
        c->forest.size[list[i]] = (int8_t)open_literals(c, list[i], lit);
    }
    for (int size = 2; size <= LONGEST; size++)
        for (int i = 0; i < part->n[ZB_LONGS]; i++)
            if (c->forest.size[list[i]] == size)
                join(&c->forest, ZB_TIE_SOME, open_literals(c, list[i], lit), lit);
}

void zb_forest_grow(zb_ceiling *c, const zb_part *part)
{
    const zb_parts *p = c->parts;
    const int *list = p->pool + part->at[ZB_BOOLS];
    zb_forest *f = &c->forest;
    int last = -1;
    f->nlit = f->count = 0;
    f->at[0] = 0;
    c->stamp++;
    for (int i = 0; i < part->n[ZB_BOOLS]; i++) {
        f->root[list[i]] = list[i];
        f->head[list[i]] = f->few[list[i]] = -1;
        c->seen[list[i]] = c->stamp;
    }
    for (int i = 0; i < part->n[ZB_BOOLS]; i++) {
        int v = p->clauses->owner[list[i]];
        if (v != last && p->clauses->card[v] > 2)
            join_values(c, v);
        last = v;
    }
    join_groups(c);
    for (int i = 0; i < part->n[ZB_BOOLS]; i++)
        if (zb_parts_is_open(p, list[i]))
            join_pairs(c, list[i]);
    join_longs(c, part);
}
