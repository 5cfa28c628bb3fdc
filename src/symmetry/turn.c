#include "symmetry/turn.h"

#include "base/explog.h"
#include "base/rounding.h"
#include "base/sets.h"
#include "base/sum.h"
#include "model/table.h"

typedef struct turn {
    const zb_model *model;
    int *parent;  /* union-find over variables of several values */
    bool *broken; /* per root: a turn changes something */
    int *degree;  /* factors of each variable with another one */
    int *value;   /* -1, or where it is fixed */
    zb_ticker tick;
} turn;

/* Is f's entry at every state the one at the state that is turned? Bit by bit: numbers
   that are equal up to rounding are another model. `at` is where x is, `to` where the
   turned one is. */
static bool is_turned(const zb_factor *f, const int *card)
{
    int x[ZB_MAX_AXES] = { 0 };
    size_t stride[ZB_MAX_AXES], all = 1, to = 0;
    if (f->arity > ZB_MAX_AXES)
        return false;
    for (int i = f->arity - 1; i >= 0; i--) {
        size_t n = (size_t)card[f->scope[i]];
        stride[i] = all;
        all *= n;
        to += n > 1 ? stride[i] : 0;
    }
    for (size_t at = 0; at < f->size; at++) {
        if (!(f->value[at] == f->value[to]))
            return false;
        for (int i = f->arity - 1; i >= 0; i--) {
            int n = card[f->scope[i]];
            if (n == 1)
                continue;
            bool last = ++x[i] == n;
            to = x[i] == n - 1 ? to - (size_t)(n - 1) * stride[i] : to + stride[i];
            if (!last)
                break;
            x[i] = 0;
        }
    }
    return true;
}

/* The i-th variable of several values that f has, counted from 0; -1: there are fewer.
 */
static int open_variable(const turn *t, const zb_factor *f, int i)
{
    for (int k = 0; k < f->arity; k++)
        if (t->model->card[f->scope[k]] > 1 && i-- == 0)
            return f->scope[k];
    return -1;
}

/* Variables that a factor joins must have as many values. */
static void join(turn *t, const zb_factor *f)
{
    const int *card = t->model->card;
    int first = open_variable(t, f, 0);
    if (open_variable(t, f, 1) < 0)
        return;
    for (int i = 0; i < f->arity; i++) {
        int v = f->scope[i];
        if (card[v] < 2)
            continue;
        t->degree[v]++;
        int a = zb_find_root(t->parent, first), b = zb_find_root(t->parent, v);
        int top = zb_min_int(a, b), below = zb_max_int(a, b);
        t->broken[top] = t->broken[a] || t->broken[b] || card[a] != card[b];
        t->parent[below] = top;
    }
}

static zb_status find_broken(turn *t)
{
    const zb_model *model = t->model;
    zb_status status = ZB_OK;
    for (int v = 0; v < model->nvars; v++)
        t->parent[v] = v;
    for (int i = 0; i < model->nfactors; i++) {
        TRY(zb_tick(&t->tick, 20) ? ZB_OK : ZB_ELIMIT);
        join(t, &model->factor[i]);
    }
    for (int i = 0; i < model->nfactors; i++) {
        const zb_factor *f = &model->factor[i];
        int first = open_variable(t, f, 0);
        int root = first >= 0 ? zb_find_root(t->parent, first) : -1;
        if (root < 0 || t->broken[root])
            continue;
        TRY(zb_tick(&t->tick, 3.0 * (double)f->size) ? ZB_OK : ZB_ELIMIT);
        t->broken[root] = !is_turned(f, model->card);
    }
done:
    return status;
}

/* Of each component the one in the middle, by number, of those with most factors: a hub
   is in the way of every order, and what is far from all borders tells most of the
   others where they are. most, middle: per root, most factors; and how many variables
   have as many, less two for each that was met. */
static zb_status choose(turn *t, int *found)
{
    int n = t->model->nvars;
    int *most = zb_calloc((size_t)n, sizeof *most);
    int *middle = zb_calloc((size_t)n, sizeof *middle);
    zb_status status = most != NULL && middle != NULL ? ZB_OK : ZB_ENOMEM;
    for (int v = 0; v < n && status == ZB_OK; v++) {
        int r = zb_find_root(t->parent, v);
        if (t->degree[v] > most[r])
            most[r] = t->degree[v], middle[r] = 0;
        middle[r] += t->degree[v] == most[r];
    }
    for (int v = 0; v < n && status == ZB_OK; v++) {
        int r = zb_find_root(t->parent, v);
        t->value[v] = -1;
        if (t->broken[r] || most[r] == 0 || t->degree[v] != most[r])
            continue;
        middle[r] -= 2;
        if (middle[r] == 0 || middle[r] == -1) {
            t->value[v] = 0;
            ++*found;
        }
    }
    zb_free(most);
    zb_free(middle);
    return status;
}

/* ln of the cardinalities of all that is fixed goes into the constant. */
static void multiply(const turn *t, zb_model *made)
{
    zb_sum sum = { .radius = 0 };
    zb_sum_add_ball(&sum, zb_model_scale(made));
    for (int v = 0; v < t->model->nvars; v++)
        if (t->value[v] >= 0) {
            double ln = zb_log(t->model->card[v]);
            zb_sum_add_ball(&sum, (zb_ball){ ln, zb_log_radius(1, &ln) });
        }
    zb_ball all = zb_sum_value(&sum);
    made->log_scale = all.mid;
    made->radius = all.radius;
}

zb_status zb_turn_fix(zb_model **out, const zb_model *model, zb_run *run)
{
    size_t n = (size_t)model->nvars;
    turn t = { .model = model, .tick = { .run = run } };
    int found = 0;
    zb_status status;
    *out = NULL;
    if (model->nvars == 0 || zb_model_observed(model))
        return ZB_OK;
    t.parent = zb_alloc(n, sizeof *t.parent);
    t.broken = zb_calloc(n, sizeof *t.broken);
    t.degree = zb_calloc(n, sizeof *t.degree);
    t.value = zb_alloc(n, sizeof *t.value);
    TRY(t.parent && t.broken && t.degree && t.value ? ZB_OK : ZB_ENOMEM);
    TRY(find_broken(&t));
    TRY(choose(&t, &found));
    if (found == 0)
        goto done;
    TRY(zb_model_condition(out, model, t.value));
    multiply(&t, *out);
done:
    zb_free(t.parent);
    zb_free(t.broken);
    zb_free(t.degree);
    zb_free(t.value);
    return status == ZB_ELIMIT ? ZB_OK : status;
}
