/* Elimination by resolution: the clauses with b and those with its opposite are
 * replaced by all their resolvents, which hold just where some value of b would do.
 *
 * Which Booleans may go is a matter of their neighbours, not of how many clauses there
 * are: with few neighbours, and few clauses on one side, resolvents soon subsume each
 * other. Those with the fewest neighbours go first, as in an elimination order. */
#include "sat/formula.h"

enum {
    FEW = 4,     /* clauses on one side */
    WIDEST = 20, /* others in the clauses of a Boolean */
    MORE = 100   /* resolvents that a Boolean may have above its clauses */
};

/* The resolvent of two clauses on b, into scratch; 0: it always holds. */
static int resolve(zb_formula *f, int c, int d, uint32_t b)
{
    const uint32_t *x = zb_formula_literals(f, c), *y = zb_formula_literals(f, d);
    int n = 0;
    f->stamp++;
    for (int i = 0; i < f->clause[c].n; i++)
        if (x[i] >> 1 != b) {
            f->mark[x[i]] = f->stamp;
            f->scratch[n++] = x[i];
        }
    for (int i = 0; i < f->clause[d].n; i++) {
        if (y[i] >> 1 == b || f->mark[y[i]] == f->stamp)
            continue;
        if (f->mark[y[i] ^ 1] == f->stamp)
            return 0;
        f->scratch[n++] = y[i];
    }
    return n;
}

/* Other Booleans in the clauses of b. */
static int degree(zb_formula *f, int b)
{
    int n = 0;
    f->stamp++;
    for (uint32_t l = 2 * (uint32_t)b; l < 2 * (uint32_t)b + 2; l++) {
        const zb_flist *in = zb_formula_in(f, l);
        for (size_t i = 0; i < in->n; i++) {
            const zb_fclause *c = &f->clause[in->item[i]];
            zb_tick(&f->tick, 2.0 * c->n);
            for (int k = 0; k < c->n; k++) {
                uint32_t x = f->lit[c->at + (size_t)k] & ~1u;
                n += f->mark[x] != f->stamp;
                f->mark[x] = f->stamp;
            }
        }
    }
    return n - 1;
}

/* Are the resolvents on b few and short? */
static bool is_mild(zb_formula *f, int b)
{
    const zb_flist *yes = zb_formula_in(f, 2 * (uint32_t)b);
    const zb_flist *no = zb_formula_in(f, 2 * (uint32_t)b + 1);
    int count = 0, most = (int)(yes->n + no->n) + MORE;
    if (zb_min_size(yes->n, no->n) > FEW)
        return false;
    for (size_t i = 0; i < yes->n; i++)
        for (size_t k = 0; k < no->n; k++) {
            int n = resolve(f, yes->item[i], no->item[k], (uint32_t)b);
            count += n > 0;
            if (!zb_tick(&f->tick, 30) || n > ZB_FORMULA_LONGEST || count > most)
                return false;
        }
    return true;
}

/* May b be eliminated, among at most `widest` others? Not when the time is over. */
static bool is_cheap(zb_formula *f, int b, int widest)
{
    uint32_t yes = 2 * (uint32_t)b;
    return !f->gone[b] && f->value[yes] == 0 && f->in[yes].n + f->in[yes + 1].n > 0 &&
           degree(f, b) <= widest && is_mild(f, b);
}

/* All resolvents first: where memory is out, they do no harm. */
static zb_status eliminate(zb_formula *f, int b)
{
    zb_status status = ZB_OK;
    uint32_t yes = 2 * (uint32_t)b, no = yes + 1;
    size_t nyes = f->in[yes].n, nno = f->in[no].n;
    for (size_t i = 0; i < nyes; i++)
        for (size_t k = 0; k < nno; k++) {
            int n = resolve(f, f->in[yes].item[i], f->in[no].item[k], (uint32_t)b);
            uint32_t lit[ZB_FORMULA_LONGEST];
            ZB_ASSERT(n <= ZB_FORMULA_LONGEST);
            for (int j = 0; j < n; j++)
                lit[j] = f->scratch[j];
            if (n > 0)
                TRY(zb_formula_add(f, n, lit));
        }
    for (size_t i = 0; i < nyes; i++)
        zb_formula_remove(f, f->in[yes].item[i]);
    for (size_t i = 0; i < nno; i++)
        zb_formula_remove(f, f->in[no].item[i]);
    f->gone[b] = true;
done:
    return status;
}

/* ---- which first ----------------------------------------------------------------- */

typedef struct queue {
    zb_heap heap;
    int *key; /* per Boolean: its degree */
    const bool *wanted;
    zb_hold hold;
} queue;

static bool before(const void *keys, int a, int b)
{
    const int *key = keys;
    return key[a] < key[b] || (key[a] == key[b] && a < b);
}

static void push(zb_formula *f, queue *q, int b)
{
    if (!q->wanted[b] || f->gone[b] || f->value[2 * b] != 0)
        return;
    q->key[b] = degree(f, b);
    if (q->heap.place[b] >= 0)
        zb_heap_update(&q->heap, b, before, q->key);
    else
        zb_heap_push(&q->heap, b, before, q->key);
}

/* The Booleans of the clauses from `from` on. */
static void push_new(zb_formula *f, queue *q, int from)
{
    for (int c = from; c < f->count; c++)
        for (int i = 0; i < f->clause[c].n; i++)
            push(f, q, (int)(zb_formula_literals(f, c)[i] >> 1));
}

static zb_status queue_open(queue *q, zb_formula *f, const bool *wanted)
{
    size_t n = (size_t)f->nbools;
    *q = (queue){ .wanted = wanted };
    q->heap.item = zb_hold_alloc(&q->hold, n, sizeof *q->heap.item);
    q->heap.place = zb_hold_alloc(&q->hold, n, sizeof *q->heap.place);
    q->key = zb_hold_calloc(&q->hold, n, sizeof *q->key);
    if (q->hold.failed)
        return ZB_ENOMEM;
    zb_heap_clear(&q->heap, f->nbools);
    for (int b = 0; b < f->nbools; b++)
        push(f, q, b);
    return ZB_OK;
}

zb_status zb_formula_eliminate(zb_formula *f, const bool *defined, int widest,
                               int *count)
{
    queue q = { 0 };
    zb_status status;
    *count = 0;
    TRY(queue_open(&q, f, defined));
    while (q.heap.size > 0 && !f->empty) {
        int b = zb_heap_pop(&q.heap, before, q.key), from = f->count;
        TRY(zb_tick(&f->tick, 50) ? ZB_OK : ZB_ELIMIT);
        if (!is_cheap(f, b, widest))
            continue;
        TRY(eliminate(f, b));
        ++*count;
        TRY(zb_formula_subsume(f));
        push_new(f, &q, from);
    }
done:
    zb_hold_free(&q.hold);
    return status;
}

/* ---- rounds ---------------------------------------------------------------------- */

/* One round of tests and eliminations. Who is not defined by the others never will be,
   as these only get fewer: it may not be eliminated any more. */
static zb_status reduce_once(zb_formula *f, bool *may, bool *cheap, int widest,
                             int *count)
{
    zb_status status = ZB_OK;
    int found = 0;
    *count = 0;
    for (int b = 0; b < f->nbools; b++)
        found += cheap[b] = may[b] && is_cheap(f, b, widest);
    TRY(f->tick.over ? ZB_ELIMIT : ZB_OK);
    if (found == 0)
        return ZB_OK;
    for (int b = 0; b < f->nbools; b++)
        may[b] = may[b] && !cheap[b];
    TRY(zb_formula_defined(f, cheap));
    for (int b = 0; b < f->nbools; b++)
        may[b] = may[b] || cheap[b];
    TRY(zb_formula_eliminate(f, cheap, widest, count));
done:
    return status;
}

static size_t count_literals(const zb_formula *f)
{
    size_t n = 0;
    for (int c = 0; c < f->count; c++)
        n += (size_t)f->clause[c].n;
    return n;
}

/* Eliminate while anything goes, then shorten; *again: that changed something. */
static zb_status reduce_upto(zb_formula *f, bool *may, bool *cheap, int widest,
                             bool *again)
{
    zb_status status;
    int count, all = 0;
    do {
        TRY(reduce_once(f, may, cheap, widest, &count));
        all += count;
    } while (count > 0 && !f->empty);
    size_t literals = count_literals(f);
    *again = false;
    if (all == 0)
        goto done;
    TRY(zb_formula_vivify(f));
    TRY(zb_formula_subsume(f));
    *again = count_literals(f) < literals;
done:
    return status;
}

zb_status zb_formula_reduce(zb_formula *f, bool *may)
{
    bool *cheap = zb_calloc((size_t)f->nbools, sizeof *cheap), again;
    zb_status status;
    TRY(cheap != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_formula_subsume(f));
    TRY(zb_formula_vivify(f));
    TRY(zb_formula_equal(f));
    TRY(zb_formula_flips(f, may));
    for (int widest = 2; widest <= WIDEST && !f->empty; widest += !again)
        TRY(reduce_upto(f, may, cheap, widest, &again));
done:
    zb_free(cheap);
    return status;
}
