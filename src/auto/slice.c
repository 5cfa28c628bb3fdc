#include "auto/slice.h"

#include "auto/slice_farm.h"
#include "base/explog.h"
#include "base/hash.h"
#include "exact/solve_exact.h"
#include "ranks/keep.h"

#include <string.h>

enum { BATCH = 8 * ZB_SLICES_AT_ONCE };   /* slices between reports */
static const double ORDER_SECONDS = 0.02; /* of a search, where no order is given */

/* An order of the model is an order of a slice, whose cliques are the model's without
   the variables that were cut. Values that are fixed may rule out others, and make
   tables that are absorbed by larger ones: slices are reduced before they are solved.
 */
zb_status zb_slice_exact(const zb_slices *s, const int *value, zb_run *run,
                         zb_ball *log_z)
{
    int *fix = zb_alloc((size_t)s->model->nvars, sizeof *fix);
    zb_model *fixed = NULL;
    zb_exact_job *job = NULL;
    zb_options opt = zb_options_default();
    zb_status status;
    TRY(fix != NULL ? ZB_OK : ZB_ENOMEM);
    for (int v = 0; v < s->model->nvars; v++)
        fix[v] = -1;
    for (int i = 0; i < s->cutset->count; i++)
        fix[s->cutset->var[i]] = value[i];
    TRY(zb_model_condition(&fixed, s->model, fix));
    opt.order = s->order != NULL ? ZB_ORDER_FILE : ZB_ORDER_AUTO;
    opt.order_list = s->order;
    TRY(zb_exact_job_new(&job, fixed, &opt, ORDER_SECONDS, run, NULL));
    TRY(zb_exact_job_run(job, run, log_z, NULL));
done:
    zb_exact_job_free(job);
    zb_model_free(fixed);
    zb_free(fix);
    return status;
}

/* ---- a list of assignments, each once -------------------------------------------- */

typedef struct list {
    const zb_cutset *cutset;
    int *value;     /* count * cutset->count */
    zb_ball *log_z; /* mid NAN: not solved (yet); -INFINITY: zero */
    bool *open;     /* its neighbours have not been listed */
    size_t count, value_room, log_z_room, open_room;
    size_t *slot; /* base/hash.h */
    size_t slots;
} list;

static const int *values_at(const list *l, size_t i)
{
    return l->value + i * (size_t)l->cutset->count;
}

typedef struct key {
    const list *list;
    const int *value;
} key;

static bool same(const void *context, size_t i)
{
    const key *k = context;
    return memcmp(values_at(k->list, i), k->value,
                  (size_t)k->list->cutset->count * sizeof *k->value) == 0;
}

/* known: it is not in the list yet. */
static size_t *find_slot(list *l, const int *value, bool known)
{
    key k = { l, value };
    uint64_t hash = zb_hash_ints(ZB_HASH_START, value, (size_t)l->cutset->count);
    return known ? zb_hash_slot(l->slot, l->slots, hash, NULL, NULL)
                 : zb_hash_slot(l->slot, l->slots, hash, same, &k);
}

/* Room for one more. */
static bool grow(list *l)
{
    size_t n = l->count, width = (size_t)l->cutset->count;
    size_t need = zb_max_size(1, (n + 1) * width); /* an empty cutset has one slice */
    if (!ZB_RESERVE(l->value, &l->value_room, n * width, need) ||
        !ZB_RESERVE(l->log_z, &l->log_z_room, n, n + 1) ||
        !ZB_RESERVE(l->open, &l->open_room, n, n + 1))
        return false;
    if (2 * n < l->slots)
        return true;
    size_t slots = 4 * n + 256, *slot = zb_calloc(slots, sizeof *slot);
    if (slot == NULL)
        return false;
    zb_free(l->slot);
    l->slot = slot;
    l->slots = slots;
    for (size_t i = 0; i < n; i++)
        *find_slot(l, values_at(l, i), true) = i + 1;
    return true;
}

static zb_status add(list *l, const int *value)
{
    size_t width = (size_t)l->cutset->count;
    if (!grow(l))
        return ZB_ENOMEM;
    size_t *slot = find_slot(l, value, false);
    if (*slot != 0)
        return ZB_OK;
    if (width > 0)
        memcpy(l->value + l->count * width, value, width * sizeof *value);
    l->log_z[l->count] = (zb_ball){ .mid = NAN };
    l->open[l->count] = true;
    *slot = ++l->count;
    return ZB_OK;
}

static void list_clear(list *l)
{
    zb_free(l->value);
    zb_free(l->log_z);
    zb_free(l->open);
    zb_free(l->slot);
}

static zb_status add_neighbours(list *l, const zb_model *model, size_t i)
{
    const zb_cutset *c = l->cutset;
    zb_status status = ZB_OK;
    int *value = zb_alloc((size_t)c->count, sizeof *value);
    TRY(value != NULL ? ZB_OK : ZB_ENOMEM);
    memcpy(value, values_at(l, i), (size_t)c->count * sizeof *value);
    l->open[i] = false;
    for (int k = 0; k < c->count; k++) {
        int old = value[k];
        for (value[k] = 0; value[k] < model->card[c->var[k]]; value[k]++)
            TRY(add(l, value));
        value[k] = old;
    }
done:
    zb_free(value);
    return status;
}

/* ---- solving --------------------------------------------------------------------- */

static zb_status solve_here(const zb_slices *s, list *l, size_t from, int64_t *solved,
                            bool *whole)
{
    int threads = zb_min_int(s->run->threads, ZB_SLICES_AT_ONCE);
    int64_t done = 0;
    bool failed = false, missing = false;
    _Atomic bool over = false; /* then the others need not ask */
#pragma omp parallel for schedule(dynamic) num_threads(threads) \
    reduction(+ : done) reduction(|| : failed, missing)
    for (size_t i = from; i < l->count; i++) {
        zb_ball z;
        if (!isnan(l->log_z[i].mid)) {
            done++;
            continue;
        }
        if (over || !zb_run_more(s->run)) {
            over = missing = true;
            continue;
        }
        zb_run share =
            zb_run_share(s->run, INFINITY, s->run->memory / ZB_SLICES_AT_ONCE,
                         s->run->threads / threads);
        share.relay = zb_run_silent;
        share.context = s->run;
        share.alone = true;
        zb_status status = zb_slice_exact(s, values_at(l, i), &share, &z);
        l->log_z[i] = status == ZB_OK ? z : (zb_ball){ .mid = NAN };
        if (status == ZB_OK && s->kept != NULL)
            zb_keep_slice(s->kept, values_at(l, i), z);
        done += status == ZB_OK;
        failed = failed || status == ZB_ENOMEM;
        missing = missing || status != ZB_OK;
    }
    *solved += done;
    *whole = *whole && !missing;
    return failed && done == 0 ? ZB_ENOMEM : ZB_OK;
}

/* The same on all ranks. */
static zb_status solve_there(zb_slice_farm *farm, list *l, size_t from, int64_t *solved,
                             bool *whole)
{
    zb_status status;
    size_t todo = 0;
    farm->todo = zb_alloc(l->count - from, sizeof *farm->todo);
    TRY(farm->todo != NULL ? ZB_OK : ZB_ENOMEM);
    for (size_t i = from; i < l->count; i++)
        if (isnan(l->log_z[i].mid))
            farm->todo[todo++] = i;
    farm->value = l->value;
    farm->log_z = l->log_z;
    farm->failed = false;
    if (todo > 0)
        TRY(zb_farm_run(farm->farm, todo, farm->slices->run));
    int64_t done = 0;
    for (size_t i = from; i < l->count; i++)
        done += !isnan(l->log_z[i].mid);
    *solved += done;
    *whole = *whole && done == (int64_t)(l->count - from);
    status = farm->failed && done == 0 ? ZB_ENOMEM : ZB_OK;
done:
    zb_free(farm->todo);
    farm->todo = NULL;
    return status;
}

/* Solve what is new in the list from `from` on; *solved counts, *whole says if all
 * were. */
static zb_status solve_new(zb_slice_farm *farm, list *l, size_t from, int64_t *solved,
                           bool *whole)
{
    for (size_t i = from; i < l->count && farm->slices->kept != NULL; i++)
        zb_kept_slice(farm->slices->kept, values_at(l, i), &l->log_z[i]);
    return farm->farm != NULL ? solve_there(farm, l, from, solved, whole)
                              : solve_here(farm->slices, l, from, solved, whole);
}

/* ln of the sum of what is solved, relative to the largest, in the order of the list,
   so that threads change nothing. With n terms: each has its own radius, of which the
   sum has no more than the largest; differences are rounded by 2^-53 |difference|,
   which counts for at most 1 / e of that together with its exp; then come the exp, n
   additions, the logarithm and the last addition. */
static zb_ball sum_list(const list *l)
{
    double top = -INFINITY, sum = 0, radius = 0, n = 0;
    for (size_t i = 0; i < l->count; i++)
        if (l->log_z[i].mid > top)
            top = l->log_z[i].mid;
    if (top == -INFINITY)
        return (zb_ball){ -INFINITY, 0 };
    for (size_t i = 0; i < l->count; i++)
        if (l->log_z[i].mid > -INFINITY) {
            sum += zb_exp(l->log_z[i].mid - top);
            radius = fmax(radius, l->log_z[i].radius);
            n++;
        }
    double log = zb_log(sum), mid = top + log;
    double units = 1.4 * n + 2 * ZB_EXP_ULP + 2 * ZB_LOG_ULP * log + fabs(mid);
    return (zb_ball){ mid, radius + ZB_MARGIN * ZB_UNIT * units };
}

static zb_status keep_solved(zb_solved *out, const list *l)
{
    size_t width = (size_t)l->cutset->count, used = 0;
    for (size_t i = 0; out != NULL && i < l->count; i++) {
        if (isnan(l->log_z[i].mid) || l->log_z[i].mid == -INFINITY)
            continue;
        if (!ZB_RESERVE(out->value, &out->room, used, used + width))
            return ZB_ENOMEM;
        if (width > 0)
            memcpy(out->value + used, values_at(l, i), width * sizeof *out->value);
        used += width;
        out->count++;
    }
    return ZB_OK;
}

static bool heaviest_open(const list *l, size_t *which)
{
    double best = -INFINITY;
    bool found = false;
    for (size_t i = 0; i < l->count; i++)
        if (l->open[i] && l->log_z[i].mid > best) {
            best = l->log_z[i].mid;
            *which = i;
            found = true;
        }
    return found;
}

zb_status zb_slices_search(const zb_slices *s, const int *start, zb_ball *log_sum,
                           int64_t *solved)
{
    list l = { .cutset = s->cutset };
    zb_slice_farm farm;
    bool whole = true;
    size_t next;
    zb_status status;
    *log_sum = (zb_ball){ -INFINITY, 0 };
    *solved = 0;
    TRY(zb_slice_farm_open(&farm, s));
    TRY(add(&l, start));
    TRY(solve_new(&farm, &l, 0, solved, &whole));
    *log_sum = sum_list(&l);
    while (zb_run_more(s->run) && (s->most == 0 || *solved < s->most) &&
           heaviest_open(&l, &next)) {
        size_t from = l.count;
        if (!zb_run_report_lower(s->run, zb_down(log_sum->mid, log_sum->radius)))
            break;
        TRY(add_neighbours(&l, s->model, next));
        TRY(solve_new(&farm, &l, from, solved, &whole));
        *log_sum = sum_list(&l);
    }
    TRY(keep_solved(s->solved, &l));
done:
    zb_farm_close(farm.farm);
    list_clear(&l);
    return status;
}

static bool next_value(const zb_model *model, const zb_cutset *c, int *value)
{
    for (int k = c->count - 1; k >= 0; k--) {
        if (++value[k] < model->card[c->var[k]])
            return true;
        value[k] = 0;
    }
    return false;
}

zb_status zb_slices_all(const zb_slices *s, zb_ball *log_z, bool *complete)
{
    list l = { .cutset = s->cutset };
    zb_slice_farm farm = { .slices = s };
    int64_t solved = 0, batch = (int64_t)BATCH * zb_slice_farm_ranks(s);
    int *value = zb_calloc((size_t)s->cutset->count, sizeof *value);
    bool more = true, whole = true;
    zb_status status = ZB_ENOMEM;
    *complete = false;
    *log_z = (zb_ball){ -INFINITY, 0 };
    TRY(value != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_slice_farm_open(&farm, s));
    while (more && whole) {
        size_t from = l.count;
        for (int64_t i = 0; i < batch && more; i++) {
            TRY(add(&l, value));
            more = next_value(s->model, s->cutset, value);
        }
        TRY(solve_new(&farm, &l, from, &solved, &whole));
        *log_z = sum_list(&l);
        if (!zb_run_report_lower(s->run, zb_down(log_z->mid, log_z->radius)))
            whole = false;
    }
    *complete = whole && !more;
    TRY(keep_solved(s->solved, &l));
done:
    zb_farm_close(farm.farm);
    zb_free(value);
    list_clear(&l);
    return status;
}
