/* Files written through zlib, which leaves plain ones as they are (mode T). */
#include "io/formats.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 1 << 16, LONGEST = 100 };

bool zb_path_ends(const char *path, const char *ending, bool under_pack)
{
    static const char *const packed[] = { ".gz", ".xz", ".zst" };
    size_t length = strlen(path), tail = strlen(ending);

    for (size_t i = 0; under_pack && i < sizeof packed / sizeof *packed; i++)
        if (zb_path_ends(path, packed[i], false)) {
            length -= strlen(packed[i]);
            break;
        }
    return length >= tail && strncasecmp(path + length - tail, ending, tail) == 0;
}

static zb_status cannot_write(const zb_out *out, int code)
{
    return zb_fail(out->err, ZB_EIO, "%s: cannot write: %s", out->name, strerror(code));
}

static gzFile open_file(const char *path, bool append)
{
    char mode[8];
    bool compress = zb_path_ends(path, ".gz", false);

    snprintf(mode, sizeof mode, "%cb%s", append ? 'a' : 'w', compress ? "6" : "T");
    if (strcmp(path, "-") != 0)
        return gzopen(path, mode);
    fflush(stdout); /* what the program printed comes first */
    int fd = dup(STDOUT_FILENO);
    gzFile file = fd >= 0 ? gzdopen(fd, "wbT") : NULL;
    if (file == NULL && fd >= 0)
        close(fd);
    return file;
}

zb_status zb_out_open(zb_out *out, const char *path, bool append, zb_error *err)
{
    if (path == NULL)
        return zb_fail(err, ZB_EINVAL, "no path to write to");
    *out = (zb_out){ .name = strcmp(path, "-") == 0 ? "<stdout>" : path, .err = err };
    if (zb_path_ends(path, ".xz", false) || zb_path_ends(path, ".zst", false))
        return zb_fail(err, ZB_EINVAL,
                       "%s: cannot write: only .gz is written compressed", out->name);
    out->buffer = zb_alloc(ROOM, 1);
    out->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (out->buffer == NULL || out->c == (locale_t)0) {
        out->status =
            zb_fail(err, ZB_ENOMEM, "%s: not enough memory to write it", out->name);
        goto failed;
    }
    errno = 0;
    out->file = open_file(path, append);
    if (out->file == NULL) {
        out->status = cannot_write(out, errno != 0 ? errno : ENOMEM);
        goto failed;
    }
    out->before = uselocale(out->c);
    return ZB_OK;
failed:
    if (out->c != (locale_t)0)
        freelocale(out->c);
    zb_free(out->buffer);
    return out->status;
}

static void flush(zb_out *out)
{
    errno = 0;
    if (out->status == ZB_OK && out->used > 0 &&
        gzwrite(out->file, out->buffer, (unsigned)out->used) != (int)out->used)
        out->status = cannot_write(out, errno != 0 ? errno : EIO);
    out->used = 0;
}

void zb_out_text(zb_out *out, const char *fmt, ...)
{
    va_list args;

    if (out->used + LONGEST > ROOM)
        flush(out);
    va_start(args, fmt);
    int n = vsnprintf(out->buffer + out->used, LONGEST, fmt, args);
    va_end(args);
    out->used += (size_t)zb_max_int(0, zb_min_int(n, LONGEST - 1));
}

/* ---- all or nothing -------------------------------------------------------------- */

/* The ending says whether a file is compressed. */
static char *name_aside(const char *path)
{
    size_t room = strlen(path) + sizeof ".part.gz";
    char *name = zb_alloc(room, 1);
    if (name != NULL)
        snprintf(name, room, "%s.part%s", path,
                 zb_path_ends(path, ".gz", false) ? ".gz" : "");
    return name;
}

static bool can_be_replaced(const char *path)
{
    struct stat there;
    return strcmp(path, "-") != 0 &&
           (lstat(path, &there) != 0 || S_ISREG(there.st_mode));
}

zb_status zb_out_open_whole(zb_out *out, const char *path, zb_error *err)
{
    if (path == NULL || !can_be_replaced(path))
        return zb_out_open(out, path, false, err);
    char *aside = name_aside(path);
    if (aside == NULL)
        return zb_fail(err, ZB_ENOMEM, "%s: not enough memory to write it", path);
    zb_status status = zb_out_open(out, aside, false, err);
    out->name = path;
    out->aside = aside;
    if (status != ZB_OK)
        zb_free(aside);
    return status;
}

static void put_in_place(zb_out *out)
{
    if (out->aside == NULL)
        return;
    errno = 0;
    if (out->status == ZB_OK && rename(out->aside, out->name) != 0)
        out->status = cannot_write(out, errno);
    if (out->status != ZB_OK)
        unlink(out->aside);
    zb_free(out->aside);
}

zb_status zb_out_close(zb_out *out)
{
    flush(out);
    errno = 0;
    if (gzclose_w(out->file) != Z_OK && out->status == ZB_OK)
        out->status = cannot_write(out, errno != 0 ? errno : EIO);
    uselocale(out->before);
    freelocale(out->c);
    zb_free(out->buffer);
    put_in_place(out);
    return out->status;
}
