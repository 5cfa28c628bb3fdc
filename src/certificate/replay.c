/* From the steps of a record to lines of a certificate. */
#include "certificate/script.h"

#include <string.h>

typedef struct replay {
    zb_script *s;
    zb_view *v;
    int count; /* operands of the step at hand */
    const int *x;
} replay;

static void line(replay *r, const char *name, int n, const int *number)
{
    zb_script_text(r->s, name);
    for (int i = 0; i < n; i++)
        zb_script_int(r->s, number[i]);
}

static void end(replay *r) { zb_script_text(r->s, "\n"); }

static void values(replay *r)
{
    int v = r->x[0], left = r->count - 1;
    line(r, "values", 1, &r->v->var[v]);
    line(r, " :", left, r->x + 1);
    end(r);
    r->v->var[v] = left > 1 ? r->s->vars++ : -1;
    r->s->zero = r->s->zero || left == 0;
}

static void tie(replay *r)
{
    int *var = r->v->var;
    line(r, "tie", 3, (int[]){ var[r->x[0]], var[r->x[1]], r->v->table[r->x[2]] });
    line(r, " :", r->count - 3, r->x + 3);
    end(r);
    var[r->x[0]] = -1;
}

/* The product of two tables. */
static int multiply(replay *r, int a, int b)
{
    line(r, "multiply", 2, (int[]){ a, b });
    end(r);
    return zb_script_table(r->s);
}

static void absorb(replay *r)
{
    int *table = r->v->table, f = r->x[0], g = r->x[1];
    table[g] = multiply(r, table[g], table[f]);
    table[f] = -1;
}

static void sum(replay *r)
{
    int f = r->x[1], made = zb_script_sum(r->s, r->v->var[r->x[0]], f >= 0);
    if (f >= 0)
        r->v->table[f] = made;
    r->v->var[r->x[0]] = -1;
}

static void drop(replay *r)
{
    int *table = &r->v->table[r->x[0]];
    line(r, "drop", 2, (int[]){ *table, r->v->var[r->x[1]] });
    end(r);
    *table = zb_script_table(r->s);
}

static void zero(replay *r)
{
    int f = r->x[0];
    line(r, "zero", f >= 0, f >= 0 ? &r->v->table[f] : NULL);
    end(r);
    r->s->zero = true;
}

/* Factor f has this table; those between are not there yet. */
static zb_status set_table(zb_view *v, int f, int table)
{
    size_t count = (size_t)v->nfactors;
    if (!ZB_RESERVE(v->table, &v->table_room, count, (size_t)f + 1))
        return ZB_ENOMEM;
    for (; v->nfactors <= f; v->nfactors++)
        v->table[v->nfactors] = -1;
    v->table[f] = table;
    return ZB_OK;
}

/* f(x, y, r) = g(x, r) h(y, r) leaves open where a function of r alone goes. Here it is
   with g (simplify/split.c), in a certificate with its second table: so the variables
   change places, and h comes first. */
static zb_status split(replay *r)
{
    int *g = &r->v->table[r->x[0]];
    line(r, "split", 3, (int[]){ *g, r->v->var[r->x[2]], r->v->var[r->x[1]] });
    end(r);
    int h = zb_script_table(r->s);
    *g = zb_script_table(r->s);
    return set_table(r->v, r->v->nfactors, h);
}

/* A copy of variable v in these factors; *equality: the table (v = copy). */
static int copy(replay *r, int v, int n, const int *factor, int *equality)
{
    line(r, "copy", 1, &v);
    zb_script_text(r->s, " :");
    for (int i = 0; i < n; i++)
        zb_script_int(r->s, r->v->table[factor[i]]);
    end(r);
    *equality = zb_script_table(r->s);
    return r->s->vars++;
}

/* v gets a copy in its only factor: the sum over v of (v = copy) is a table of ones. */
static zb_status ones(replay *r)
{
    int *var = &r->v->var[r->x[0]], f = r->x[1], g = r->x[2], equality;
    int other = copy(r, *var, 1, &f, &equality);
    int table = zb_script_sum(r->s, *var, true);
    *var = other;
    if (g < r->v->nfactors && r->v->table[g] >= 0)
        table = multiply(r, r->v->table[g], table);
    return set_table(r->v, g, table);
}

static zb_status keep_copy(zb_view *v, int var)
{
    if (!ZB_RESERVE(v->copy, &v->copy_room, v->copies, v->copies + 1))
        return ZB_ENOMEM;
    v->copy[v->copies++] = var;
    return ZB_OK;
}

/* With factors f_0 .. f_(k-1), for t = 0 .. k-3: c_(2t+2) is a copy of c_2t in f_(t+1)
   and those behind it, c_(2t+1) one of c_(2t+2) in f_(t+1) alone; the product of the
   two equalities is the one of all three. So c_0 is left in f_0, and c_(2k-4) in
   f_(k-1). */
static zb_status equality(replay *r)
{
    const int *f = r->x + 1;
    int k = r->count - 1, c = r->v->var[r->x[0]];
    zb_status status;
    TRY(keep_copy(r->v, c));
    for (int t = 0; t < k - 2; t++) {
        int first, second;
        int next = copy(r, c, k - 1 - t, f + t + 1, &first);
        int leaf = copy(r, next, 1, f + t + 1, &second);
        TRY(set_table(r->v, r->v->nfactors, multiply(r, first, second)));
        TRY(keep_copy(r->v, leaf));
        TRY(keep_copy(r->v, next));
        c = next;
    }
done:
    return status;
}

static zb_status rename_factors(replay *r)
{
    size_t n = (size_t)r->count;
    int *table = zb_alloc(n, sizeof *table);
    if (table == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < r->count; i++)
        table[i] = r->x[i] >= 0 ? r->v->table[r->x[i]] : -1;
    zb_free(r->v->table);
    r->v->table = table;
    r->v->table_room = n;
    r->v->nfactors = r->count;
    return ZB_OK;
}

static zb_status rename_variables(replay *r)
{
    size_t n = (size_t)r->count;
    int *var = zb_alloc(n, sizeof *var);
    if (var == NULL)
        return ZB_ENOMEM;
    for (int i = 0; i < r->count; i++)
        var[i] = r->x[i] >= 0 ? r->v->var[r->x[i]] : r->v->copy[-1 - r->x[i]];
    zb_free(r->v->var);
    r->v->var = var;
    r->v->var_room = n;
    r->v->nvars = r->count;
    r->v->copies = 0;
    return ZB_OK;
}

static zb_status step(replay *r, zb_record_kind kind)
{
    switch (kind) {
    case ZB_RECORD_VALUES: values(r); break;
    case ZB_RECORD_TIE: tie(r); break;
    case ZB_RECORD_MULTIPLY: absorb(r); break;
    case ZB_RECORD_SUM: sum(r); break;
    case ZB_RECORD_DROP: drop(r); break;
    case ZB_RECORD_ZERO: zero(r); break;
    case ZB_RECORD_SPLIT: return split(r);
    case ZB_RECORD_ONES: return ones(r);
    case ZB_RECORD_EQUALITY: return equality(r);
    case ZB_RECORD_FACTORS: return rename_factors(r);
    case ZB_RECORD_VARIABLES: return rename_variables(r);
    }
    return ZB_OK;
}

zb_status zb_script_replay(zb_script *s, zb_view *v, const zb_record *record)
{
    replay r = { .s = s, .v = v };
    zb_record_kind kind;
    zb_status status = ZB_OK;
    for (size_t at = 0;
         status == ZB_OK && zb_record_next(record, &at, &kind, &r.count, &r.x);)
        status = step(&r, kind);
    return status;
}
