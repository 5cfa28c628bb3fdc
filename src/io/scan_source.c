/* Where the words come from: a buffer over gzread, over what unpacks its bytes, or over
 * memory. */
#include "io/scan.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 20, MOST_ROOM = 1 << 20 };

/* The end of a long path says more than its beginning. */
const char *zb_scan_name(const zb_scan *scan)
{
    size_t length = strlen(scan->name), most = 300;
    return scan->name + (length > most ? length - most : 0);
}

zb_status zb_scan_no_memory(const zb_scan *scan)
{
    return zb_fail(scan->err, ZB_ENOMEM, "%s: not enough memory to read it",
                   zb_scan_name(scan));
}

static zb_status start(zb_scan *scan, size_t room)
{
    scan->room = room;
    scan->at_line = scan->line = 1;
    scan->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    scan->buffer = zb_alloc(room + 1, 1);
    if (scan->buffer == NULL || scan->c == (locale_t)0)
        return zb_scan_no_memory(scan);
    scan->at = scan->end = scan->buffer;
    *scan->end = ' ';
    return ZB_OK;
}

static zb_status append(zb_scan *scan);

static int pull(void *context, char *to, size_t room)
{
    return gzread(context, to, (unsigned)room);
}

/* What the file's first bytes say: plain text, or packed by something else than gzip;
   then they go through its library. */
static zb_status look(zb_scan *scan)
{
    zb_status status;

    TRY(append(scan));
    size_t count = (size_t)(scan->end - scan->buffer);
    const zb_codec *codec = zb_codec_of(scan->buffer, count);
    if (codec == NULL)
        return ZB_OK;
    status =
        zb_unpack_open(&scan->unpack, codec, pull, scan->file, scan->buffer, count);
    scan->end = scan->buffer; /* its bytes are with the codec now */
    *scan->end = ' ';
    scan->ended = false;
    if (status == ZB_ENOMEM)
        zb_scan_no_memory(scan);
    if (status == ZB_EINVAL && codec->library != NULL)
        status = zb_fail(scan->err, ZB_EIO,
                         "%s: compressed by %s, and this zbound was built without %s: "
                         "unpack it first",
                         zb_scan_name(scan), codec->name, codec->library);
    else if (status == ZB_EINVAL)
        status = zb_fail(scan->err, ZB_EIO, "%s: compressed by %s: unpack it first",
                         zb_scan_name(scan), codec->name);
done:
    return status;
}

zb_status zb_scan_open(zb_scan *scan, const char *path, zb_error *err)
{
    zb_status status;
    bool standard = path != NULL && strcmp(path, "-") == 0;
    int fd = -1;

    *scan = (zb_scan){ 0 };
    if (path == NULL)
        return zb_fail(err, ZB_EINVAL, "no path to read from");
    *scan = (zb_scan){ .name = standard ? "<stdin>" : path, .err = err };
    errno = 0;
    if (!standard)
        scan->file = gzopen(path, "rb");
    else if ((fd = dup(STDIN_FILENO)) >= 0 && (scan->file = gzdopen(fd, "rb")) == NULL)
        close(fd);
    if (scan->file == NULL && (errno == 0 || errno == ENOMEM))
        return zb_scan_no_memory(scan);
    if (scan->file == NULL)
        return zb_fail(err, ZB_EIO, "%s: cannot open: %s", zb_scan_name(scan),
                       strerror(errno));
    gzbuffer(scan->file, 1 << 17);
    TRY(start(scan, ROOM));
    TRY(look(scan));
done:
    return status;
}

zb_status zb_scan_memory(zb_scan *scan, const char *name, const char *text,
                         size_t length, size_t room, zb_error *err)
{
    *scan = (zb_scan){ .name = name, .err = err, .text = text, .left = length };
    return start(scan, zb_min_size(zb_max_size(room, 1), MOST_ROOM));
}

void zb_scan_close(zb_scan *scan)
{
    zb_unpack_close(&scan->unpack);
    if (scan->file != NULL)
        gzclose_r(scan->file);
    if (scan->c != (locale_t)0)
        freelocale(scan->c);
    zb_free(scan->buffer);
    *scan = (zb_scan){ 0 };
}

static zb_status read_failed(const zb_scan *scan)
{
    int code;
    const char *text = gzerror(scan->file, &code);

    if (code == Z_MEM_ERROR)
        return zb_scan_no_memory(scan);
    if (code == Z_ERRNO)
        text = strerror(errno);
    else if (code == Z_BUF_ERROR)
        text = "the compressed data end too early";
    const char *colon = strrchr(text, ':'); /* zlib puts the path before its text */
    if (colon != NULL && colon[1] == ' ')
        text = colon + 2;
    return zb_fail(scan->err, ZB_EIO, "%s:%lld: cannot read: %s", zb_scan_name(scan),
                   (long long)scan->at_line, text);
}

static zb_status cannot_unpack(const zb_scan *scan)
{
    return zb_fail(scan->err, ZB_EIO, "%s:%lld: cannot read: the %s data %s",
                   zb_scan_name(scan), (long long)scan->at_line,
                   scan->unpack.codec->name,
                   scan->unpack.ended ? "end too early" : "are damaged");
}

static zb_status read_file(zb_scan *scan, size_t space, size_t *got)
{
    int n, code = Z_OK;

    if (scan->unpack.codec != NULL) {
        zb_status status = zb_unpack_read(&scan->unpack, scan->end, space, got);
        return status == ZB_OK       ? ZB_OK
               : status == ZB_EPARSE ? cannot_unpack(scan)
               : status == ZB_ENOMEM ? zb_scan_no_memory(scan)
                                     : read_failed(scan);
    }
    n = gzread(scan->file, scan->end, (unsigned)space);
    if (n == 0)
        gzerror(scan->file, &code);
    if (n < 0 || code != Z_OK)
        return read_failed(scan);
    *got = (size_t)n;
    return ZB_OK;
}

/* Bytes into the buffer at `end`, as many as there is room for. */
static zb_status append(zb_scan *scan)
{
    size_t space = scan->room - (size_t)(scan->end - scan->buffer), got;
    zb_status status = ZB_OK;

    if (scan->file == NULL) {
        got = zb_min_size(space, scan->left);
        if (got > 0)
            memcpy(scan->end, scan->text, got);
        scan->text += got;
        scan->left -= got;
    } else
        TRY(read_file(scan, space, &got));
    scan->ended = got == 0;
    scan->end += got;
    *scan->end = ' ';
done:
    return status;
}

zb_status zb_scan_refill(zb_scan *scan, char *keep)
{
    size_t kept = (size_t)(scan->end - keep);

    if (kept == scan->room) {
        if (scan->room >= MOST_ROOM)
            return zb_scan_fail(scan, scan->at_line,
                                "expected a word of fewer than %d characters, found "
                                "a longer one",
                                MOST_ROOM);
        char *bigger = zb_resize(scan->buffer, kept, 2 * scan->room + 1, 1);
        if (bigger == NULL)
            return zb_scan_no_memory(scan);
        scan->buffer = bigger;
        scan->room *= 2;
    } else {
        memmove(scan->buffer, keep, kept);
    }
    scan->at = scan->buffer;
    scan->end = scan->buffer + kept;
    return append(scan);
}
