#include "ranks/keep_files.h"

#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ----------------------------------------------------------------------- */

uint64_t zb_keep_sum(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t h = zb_hash_word(ZB_HASH_START, bytes);
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, at + i, zb_min_size(8, bytes - i));
        h = zb_hash_word(h, word);
    }
    return h;
}

char *zb_keep_path(const zb_keep *k, const char *name)
{
    size_t room = strlen(k->path) + strlen(name) + 2;
    char *path = zb_alloc(room, 1);
    if (path != NULL)
        snprintf(path, room, "%s/%s", k->path, name);
    return path;
}

/* All of a file. *there: there is one. */
zb_status zb_keep_read(const zb_keep *k, const char *name, zb_letter *out, bool *there,
                       zb_error *err)
{
    char *path = zb_keep_path(k, name);
    unsigned char part[4096];
    size_t got;
    zb_status status = ZB_OK;
    FILE *file = NULL;
    *there = false;
    TRY(path != NULL ? ZB_OK : ZB_ENOMEM);
    file = fopen(path, "rbe");
    if (file == NULL) {
        if (errno != ENOENT)
            status = zb_fail(err, ZB_EIO, "%s: cannot read: %s", path, strerror(errno));
        goto done;
    }
    *there = true;
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        zb_letter_put(out, part, got);
    TRY(zb_letter_status(out));
    if (ferror(file))
        status = zb_fail(err, ZB_EIO, "%s: cannot read", path);
done:
    if (file != NULL)
        fclose(file);
    zb_free(path);
    return status;
}

bool zb_keep_write(int file, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    while (bytes > 0) {
        ssize_t put = write(file, at, bytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        bytes -= (size_t)put;
    }
    return true;
}

/* Written beside and renamed. */
zb_status zb_keep_replace(const zb_keep *k, const char *name, const zb_letter *l)
{
    char *path = zb_keep_path(k, name), *fresh = zb_keep_path(k, ".new");
    zb_status status = ZB_ENOMEM;
    if (path != NULL && fresh != NULL && !l->bad) {
        int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        bool done =
            file >= 0 && zb_keep_write(file, l->data, l->size) && fsync(file) == 0;
        done = file >= 0 && close(file) == 0 && done && rename(fresh, path) == 0;
        status = done ? ZB_OK : ZB_EIO;
    }
    zb_free(path);
    zb_free(fresh);
    return status;
}

/* A letter that ends with its checksum. */
void zb_keep_seal(zb_letter *l)
{
    zb_letter_put_word(l, zb_keep_sum(l->data, l->size));
}

static bool unseal(zb_letter *l)
{
    uint64_t sum;
    if (l->size < sizeof sum)
        return false;
    memcpy(&sum, l->data + l->size - sizeof sum, sizeof sum);
    l->size -= sizeof sum;
    return sum == zb_keep_sum(l->data, l->size);
}

/* ---- whose it is ----------------------------------------------------------------- */

static uint64_t fingerprint(const zb_model *model, const zb_options *opt)
{
    uint64_t h = zb_hash_word(zb_model_hash(model), (uint64_t)opt->method);
    h = zb_hash_word(h, (uint64_t)opt->side);
    h = zb_hash_word(h, (uint64_t)opt->form);
    return zb_hash_word(h, (uint64_t)opt->seed);
}

static zb_status check_run(zb_keep *k, zb_error *err)
{
    zb_letter l = { 0 };
    bool there;
    zb_status status;
    TRY(zb_keep_read(k, "run", &l, &there, err));
    if (!there) {
        zb_letter_put_word(&l, ZB_KEEP_MAGIC);
        zb_letter_put_word(&l, k->mark);
        zb_keep_seal(&l);
        status = zb_keep_replace(k, "run", &l);
        if (status == ZB_EIO)
            zb_fail(err, status, "%s: cannot write: %s", k->path, strerror(errno));
        goto done;
    }
    if (!unseal(&l) || zb_letter_take_word(&l) != ZB_KEEP_MAGIC)
        status = zb_fail(err, ZB_EPARSE, "%s/run: damaged, or no checkpoint", k->path);
    else if (zb_letter_take_word(&l) != k->mark || l.bad || l.at != l.size)
        status = zb_fail(err, ZB_EPARSE,
                         "%s: the checkpoint is of another model, evidence, method, "
                         "side, form or seed",
                         k->path);
done:
    zb_letter_clear(&l);
    return status;
}

/* ---- bounds ---------------------------------------------------------------------- */

static zb_status read_bracket(zb_keep *k, zb_error *err)
{
    zb_letter l = { 0 };
    bool there;
    zb_status status;
    TRY(zb_keep_read(k, "bracket", &l, &there, err));
    if (!there)
        goto done;
    bool sound = unseal(&l) && zb_letter_take_word(&l) == k->mark;
    double lower = zb_letter_take_real(&l), upper = zb_letter_take_real(&l);
    if (!sound || l.bad || l.at != l.size || !(lower <= upper))
        status = zb_fail(err, ZB_EPARSE, "%s/bracket: damaged", k->path);
    else
        k->lower = lower, k->upper = upper;
done:
    zb_letter_clear(&l);
    return status;
}

/* With the lock. */
static void write_bracket(zb_keep *k)
{
    zb_letter l = { 0 };
    if (!k->news)
        return;
    zb_letter_put_word(&l, k->mark);
    zb_letter_put_real(&l, k->lower);
    zb_letter_put_real(&l, k->upper);
    zb_keep_seal(&l);
    if (zb_keep_replace(k, "bracket", &l) == ZB_OK)
        k->news = false;
    else
        k->failed = true;
    k->written = zb_now();
    zb_letter_clear(&l);
}

void zb_keep_bounds(zb_keep *k, double lower, double upper)
{
    const double pause = 1; /* seconds */
    pthread_mutex_lock(&k->lock);
    if (lower > k->lower)
        k->lower = lower, k->news = true;
    if (upper < k->upper)
        k->upper = upper, k->news = true;
    if (zb_now() > k->written + pause)
        write_bracket(k);
    pthread_mutex_unlock(&k->lock);
}

void zb_kept_bounds(zb_keep *k, double *lower, double *upper)
{
    pthread_mutex_lock(&k->lock);
    *lower = k->lower;
    *upper = k->upper;
    pthread_mutex_unlock(&k->lock);
}

/* ---- open and close -------------------------------------------------------------- */

static void free_keep(zb_keep *k)
{
    zb_free(k->path);
    zb_free(k);
}

zb_status zb_keep_open(zb_keep **out, const char *path, const zb_model *model,
                       const zb_options *opt, zb_error *err)
{
    zb_keep *k = zb_calloc(1, sizeof *k);
    size_t length = strlen(path);
    zb_status status = ZB_ENOMEM;
    *out = NULL;
    if (k == NULL || (k->path = zb_alloc(length + 1, 1)) == NULL)
        goto done;
    memcpy(k->path, path, length + 1);
    k->mark = fingerprint(model, opt);
    k->lower = -INFINITY;
    k->upper = INFINITY;
    k->written = -INFINITY;
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        status = zb_fail(err, ZB_EIO, "%s: cannot make this directory: %s", path,
                         strerror(errno));
        goto done;
    }
    TRY(check_run(k, err));
    TRY(read_bracket(k, err));
    TRY(pthread_mutex_init(&k->lock, NULL) == 0 ? ZB_OK : ZB_ENOMEM);
    *out = k, k = NULL;
done:
    if (k != NULL)
        free_keep(k);
    return status;
}

zb_status zb_keep_close(zb_keep *k, zb_error *err)
{
    if (k == NULL)
        return ZB_OK;
    pthread_mutex_lock(&k->lock);
    write_bracket(k);
    bool failed = k->failed;
    pthread_mutex_unlock(&k->lock);
    pthread_mutex_destroy(&k->lock);
    zb_status status =
        failed
            ? zb_fail(err, ZB_EIO, "%s: the checkpoint could not be written", k->path)
            : ZB_OK;
    free_keep(k);
    return status;
}
