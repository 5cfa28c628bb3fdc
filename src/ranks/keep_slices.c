/* Slices that are kept. The file of a component:
 *
 *   magic, fingerprint of the run, of the component, the cutset, the order, checksum
 *   then records of one size: the cutset's values, mid, radius, checksum
 */
#include "ranks/keep_files.h"

#include "base/hash.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct zb_kept_slices {
    zb_keep *keep;
    int file;
    size_t cut, nvars;
    int *var, *order;
    int *value; /* of all records */
    zb_ball *log_z;
    size_t count, value_room, log_z_room;
    size_t *slot, slots; /* base/hash.h */
};

static size_t record_size(const zb_kept_slices *s)
{
    return s->cut * sizeof(int) + sizeof(zb_ball) + sizeof(uint64_t);
}

static void name_of(uint64_t component, char *name, size_t room)
{
    snprintf(name, room, "slices-%016llx", (unsigned long long)component);
}

/* ---- in memory ------------------------------------------------------------------- */

typedef struct key {
    const zb_kept_slices *kept;
    const int *value;
} key;

static bool same(const void *context, size_t i)
{
    const key *k = context;
    size_t cut = k->kept->cut;
    return cut == 0 ||
           memcmp(k->kept->value + i * cut, k->value, cut * sizeof(int)) == 0;
}

static size_t *find(const zb_kept_slices *s, const int *value)
{
    key k = { s, value };
    return zb_hash_slot(s->slot, s->slots, zb_hash_ints(ZB_HASH_START, value, s->cut),
                        same, &k);
}

static bool grow(zb_kept_slices *s)
{
    size_t slots = 4 * s->count + 256, *slot;
    if (!ZB_RESERVE(s->value, &s->value_room, s->count * s->cut,
                    zb_max_size(1, (s->count + 1) * s->cut)) ||
        !ZB_RESERVE(s->log_z, &s->log_z_room, s->count, s->count + 1))
        return false;
    if (2 * s->count < s->slots)
        return true;
    if ((slot = zb_calloc(slots, sizeof *slot)) == NULL)
        return false;
    zb_free(s->slot);
    s->slot = slot;
    s->slots = slots;
    for (size_t i = 0; i < s->count; i++)
        *find(s, s->value + i * s->cut) = i + 1;
    return true;
}

/* *fresh: it was not there. False: no memory. */
static bool remember(zb_kept_slices *s, const int *value, zb_ball log_z, bool *fresh)
{
    *fresh = false;
    if (!grow(s))
        return false;
    size_t *slot = find(s, value);
    if (*slot != 0)
        return true;
    if (s->cut > 0)
        memcpy(s->value + s->count * s->cut, value, s->cut * sizeof *value);
    s->log_z[s->count] = log_z;
    *slot = ++s->count;
    return *fresh = true;
}

bool zb_kept_slice(const zb_kept_slices *s, const int *value, zb_ball *log_z)
{
    pthread_mutex_lock(&s->keep->lock);
    size_t at = s->slots > 0 ? *find(s, value) : 0;
    if (at > 0)
        *log_z = s->log_z[at - 1];
    pthread_mutex_unlock(&s->keep->lock);
    return at > 0;
}

int zb_kept_cutset(const zb_kept_slices *s, const int **var)
{
    *var = s->var;
    return (int)s->cut;
}

const int *zb_kept_order(const zb_kept_slices *s) { return s->order; }

size_t zb_kept_count(const zb_kept_slices *s) { return s->count; }

/* ---- on disk --------------------------------------------------------------------- */

/* One write: a kill leaves all of it, none, or a beginning. */
void zb_keep_slice(zb_kept_slices *s, const int *value, zb_ball log_z)
{
    zb_letter l = { 0 };
    bool fresh;
    pthread_mutex_lock(&s->keep->lock);
    bool done = remember(s, value, log_z, &fresh);
    if (done && fresh) {
        zb_letter_put(&l, value, s->cut * sizeof *value);
        zb_letter_put_real(&l, log_z.mid);
        zb_letter_put_real(&l, log_z.radius);
        zb_keep_seal(&l);
        done = !l.bad && zb_keep_write(s->file, l.data, l.size);
    }
    s->keep->failed = s->keep->failed || !done;
    pthread_mutex_unlock(&s->keep->lock);
    zb_letter_clear(&l);
}

static zb_status damaged(const zb_keep *k, const char *name, zb_error *err)
{
    return zb_fail(err, ZB_EPARSE, "%s/%s: damaged", k->path, name);
}

/* Of a sound file: each variable in range, and of the order each once. */
static bool is_plan(const zb_kept_slices *s, const zb_model *model)
{
    if (s->nvars != (size_t)model->nvars || s->cut > s->nvars)
        return false;
    for (size_t i = 0; i < s->cut; i++)
        if (s->var[i] < 0 || s->var[i] >= model->nvars)
            return false;
    for (size_t i = 0; i < s->nvars; i++)
        if (s->order[i] < 0 || s->order[i] >= model->nvars)
            return false;
    return true;
}

static zb_status read_head(zb_kept_slices *s, const zb_model *model, zb_letter *l,
                           const char *name, zb_error *err)
{
    zb_status status;
    bool sound = zb_letter_take_word(l) == ZB_KEEP_MAGIC;
    sound = zb_letter_take_word(l) == s->keep->mark && sound;
    sound = zb_letter_take_word(l) == zb_model_hash(model) && sound;
    TRY(zb_letter_take_ints(l, &s->cut, &s->var));
    TRY(zb_letter_take_ints(l, &s->nvars, &s->order));
    uint64_t want = l->bad ? 0 : zb_keep_sum(l->data, l->at);
    sound = sound && zb_letter_take_word(l) == want && !l->bad;
    if (!sound || !is_plan(s, model))
        status = damaged(s->keep, name, err);
done:
    return status;
}

/* A record that ends with the file before it is whole was being written when the run
   was killed; any other that does not fit its checksum is damage. */
static zb_status read_records(zb_kept_slices *s, const zb_model *model, zb_letter *l,
                              const char *name, zb_error *err)
{
    size_t bytes = record_size(s), body = bytes - sizeof(uint64_t);
    int *value = zb_alloc(s->cut, sizeof *value);
    zb_status status;
    TRY(value != NULL ? ZB_OK : ZB_ENOMEM);
    while (l->size - l->at >= bytes) {
        zb_ball z;
        bool fresh;
        uint64_t want = zb_keep_sum(l->data + l->at, body);
        zb_letter_take(l, value, s->cut * sizeof *value);
        z.mid = zb_letter_take_real(l);
        z.radius = zb_letter_take_real(l);
        bool sound = zb_letter_take_word(l) == want && !isnan(z.mid) && z.radius >= 0;
        for (size_t i = 0; i < s->cut; i++)
            sound = sound && value[i] >= 0 && value[i] < model->card[s->var[i]];
        TRY(sound ? ZB_OK : damaged(s->keep, name, err));
        TRY(remember(s, value, z, &fresh) ? ZB_OK : ZB_ENOMEM);
    }
done:
    zb_free(value);
    return status;
}

/* Behind the last whole record. */
static zb_status open_file(zb_kept_slices *s, const char *name, size_t size)
{
    char *path = zb_keep_path(s->keep, name);
    if (path == NULL)
        return ZB_ENOMEM;
    s->file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    zb_free(path);
    return s->file >= 0 && ftruncate(s->file, (off_t)size) == 0 ? ZB_OK : ZB_EIO;
}

void zb_kept_close(zb_kept_slices *s)
{
    if (s == NULL)
        return;
    if (s->file >= 0)
        close(s->file);
    zb_free(s->var);
    zb_free(s->order);
    zb_free(s->value);
    zb_free(s->log_z);
    zb_free(s->slot);
    zb_free(s);
}

static zb_kept_slices *new_slices(zb_keep *k)
{
    zb_kept_slices *s = zb_calloc(1, sizeof *s);
    if (s != NULL) {
        s->keep = k;
        s->file = -1;
    }
    return s;
}

zb_status zb_kept_find(zb_kept_slices **out, zb_keep *k, const zb_model *model,
                       zb_error *err)
{
    zb_kept_slices *s = NULL;
    zb_letter l = { 0 };
    char name[40];
    bool there = false;
    zb_status status = ZB_OK;
    *out = NULL;
    if (k == NULL)
        return ZB_OK;
    name_of(zb_model_hash(model), name, sizeof name);
    TRY(zb_keep_read(k, name, &l, &there, err));
    if (!there)
        goto done;
    s = new_slices(k);
    TRY(s != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(read_head(s, model, &l, name, err));
    TRY(read_records(s, model, &l, name, err));
    TRY(open_file(s, name, l.at));
    *out = s, s = NULL;
done:
    zb_letter_clear(&l);
    zb_kept_close(s);
    return status;
}

zb_status zb_kept_begin(zb_kept_slices **out, zb_keep *k, const zb_model *model,
                        size_t cut, const int *var, const int *order)
{
    zb_letter l = { 0 };
    char name[40];
    zb_status status = ZB_OK;
    *out = NULL;
    if (k == NULL)
        return ZB_OK;
    name_of(zb_model_hash(model), name, sizeof name);
    zb_letter_put_word(&l, ZB_KEEP_MAGIC);
    zb_letter_put_word(&l, k->mark);
    zb_letter_put_word(&l, zb_model_hash(model));
    zb_letter_put_ints(&l, cut, var);
    zb_letter_put_ints(&l, (size_t)model->nvars, order);
    zb_keep_seal(&l);
    pthread_mutex_lock(&k->lock);
    status = zb_keep_replace(k, name, &l);
    k->failed = k->failed || status == ZB_EIO; /* it goes on, and says so at its end */
    pthread_mutex_unlock(&k->lock);
    if (status == ZB_OK)
        status = zb_kept_find(out, k, model, NULL);
    status = status == ZB_EIO ? ZB_OK : status;
    zb_letter_clear(&l);
    return status;
}
