/* A buffer over gzread, or over what unpacks its bytes. A word that reaches the
 * buffer's end is moved to its front and continued, the buffer growing if need be, so
 * that a word is always in one piece. */
#include "io/scan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { QUICK_BLANKS = 8, QUICK_DIGITS = 19 };
enum { ROOM = 1 << 20, MOST_ROOM = 1 << 20, SHOWN = 40 };

static const unsigned char blank[256] = {
    [' '] = 1, ['\t'] = 1, ['\n'] = 1, ['\v'] = 1, ['\f'] = 1, ['\r'] = 1
};

static inline bool is_blank(char c) { return blank[(unsigned char)c]; }

/* The end of a long path says more than its beginning. */
static const char *short_name(const zb_scan *scan)
{
    size_t length = strlen(scan->name), most = 300;
    return scan->name + (length > most ? length - most : 0);
}

zb_status zb_scan_fail(const zb_scan *scan, int64_t line, const char *fmt, ...)
{
    char text[sizeof scan->err->text];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return zb_fail(scan->err, ZB_EPARSE, "%s:%lld: %s", short_name(scan),
                   (long long)line, text);
}

void zb_scan_note(const zb_scan *scan, int64_t line, const char *fmt, ...)
{
    char text[sizeof scan->err->text], whole[2 * sizeof text];
    const zb_observer *o = scan->observer;
    va_list args;

    if (o == NULL || o->note == NULL)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    snprintf(whole, sizeof whole, "%s:%lld: %s", short_name(scan), (long long)line,
             text);
    o->note(o->context, whole);
}

/* The word in quotes, cut short and printable. */
static void show_word(const zb_scan *scan, char *out, size_t room)
{
    char shown[SHOWN + 1];
    size_t n = zb_min_size(scan->length, SHOWN);

    if (scan->length == 0) {
        snprintf(out, room, "the end of the file");
        return;
    }
    for (size_t i = 0; i < n; i++)
        shown[i] =
            (char)(scan->word[i] > ' ' && scan->word[i] < 127 ? scan->word[i] : '?');
    shown[n] = '\0';
    snprintf(out, room, "'%s%s'", shown, scan->length > SHOWN ? "..." : "");
}

zb_status zb_scan_expected(const zb_scan *scan, const char *fmt, ...)
{
    char what[200], found[SHOWN + 8];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    show_word(scan, found, sizeof found);
    return zb_scan_fail(scan, scan->line, "expected %s, found %s", what, found);
}

static zb_status no_memory(const zb_scan *scan)
{
    return zb_fail(scan->err, ZB_ENOMEM, "%s: not enough memory to read it",
                   short_name(scan));
}

static zb_status start(zb_scan *scan, size_t room)
{
    scan->room = room;
    scan->at_line = scan->line = 1;
    scan->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    scan->buffer = zb_alloc(room + 1, 1);
    if (scan->buffer == NULL || scan->c == (locale_t)0)
        return no_memory(scan);
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
        no_memory(scan);
    if (status == ZB_EINVAL && codec->library != NULL)
        status = zb_fail(scan->err, ZB_EIO,
                         "%s: compressed by %s, and this zbound was built without %s: "
                         "unpack it first",
                         short_name(scan), codec->name, codec->library);
    else if (status == ZB_EINVAL)
        status = zb_fail(scan->err, ZB_EIO, "%s: compressed by %s: unpack it first",
                         short_name(scan), codec->name);
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
        return no_memory(scan);
    if (scan->file == NULL)
        return zb_fail(err, ZB_EIO, "%s: cannot open: %s", short_name(scan),
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
        return no_memory(scan);
    if (code == Z_ERRNO)
        text = strerror(errno);
    else if (code == Z_BUF_ERROR)
        text = "the compressed data end too early";
    const char *colon = strrchr(text, ':'); /* zlib puts the path before its text */
    if (colon != NULL && colon[1] == ' ')
        text = colon + 2;
    return zb_fail(scan->err, ZB_EIO, "%s:%lld: cannot read: %s", short_name(scan),
                   (long long)scan->at_line, text);
}

static zb_status cannot_unpack(const zb_scan *scan)
{
    return zb_fail(scan->err, ZB_EIO, "%s:%lld: cannot read: the %s data %s",
                   short_name(scan), (long long)scan->at_line, scan->unpack.codec->name,
                   scan->unpack.ended ? "end too early" : "are damaged");
}

static zb_status read_file(zb_scan *scan, size_t space, size_t *got)
{
    int n, code = Z_OK;

    if (scan->unpack.codec != NULL) {
        zb_status status = zb_unpack_read(&scan->unpack, scan->end, space, got);
        return status == ZB_OK       ? ZB_OK
               : status == ZB_EPARSE ? cannot_unpack(scan)
               : status == ZB_ENOMEM ? no_memory(scan)
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

/* Move the bytes from `keep` on to the front, and read more behind them. */
static zb_status refill(zb_scan *scan, char *keep)
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
            return no_memory(scan);
        scan->buffer = bigger;
        scan->room *= 2;
    } else {
        memmove(scan->buffer, keep, kept);
    }
    scan->at = scan->buffer;
    scan->end = scan->buffer + kept;
    return append(scan);
}

/* UTF-8's byte order mark, which some editors write, says nothing here. */
static zb_status skip_mark(zb_scan *scan)
{
    zb_status status = ZB_OK;

    scan->begun = true;
    while (scan->end - scan->at < 3 && !scan->ended)
        TRY(refill(scan, scan->at));
    if (scan->end - scan->at >= 3 && memcmp(scan->at, "\xEF\xBB\xBF", 3) == 0)
        scan->at += 3;
done:
    return status;
}

static zb_status skip_blanks(zb_scan *scan)
{
    zb_status status = ZB_OK;

    if (!scan->begun)
        TRY(skip_mark(scan));
    for (;;) {
        char *p = scan->at, *end = scan->end;
        int64_t line = scan->at_line;
        for (; p < end && is_blank(*p); p++)
            line += *p == '\n';
        scan->at = p;
        scan->at_line = line;
        if (p < end || scan->ended)
            return ZB_OK;
        TRY(refill(scan, p));
    }
done:
    return status;
}

zb_status zb_scan_word(zb_scan *scan)
{
    zb_status status = ZB_OK;
    char *p;

    if (scan->held) {
        scan->held = false;
        return ZB_OK;
    }
    scan->length = 0;
    TRY(skip_blanks(scan));
    if (scan->at == scan->end)
        return ZB_OK;
    for (p = scan->at;;) {
        while (!is_blank(*p))
            p++;
        if (p < scan->end || scan->ended)
            break;
        size_t done_already = (size_t)(p - scan->at);
        TRY(refill(scan, scan->at));
        p = scan->at + done_already;
    }
    scan->word = scan->at;
    scan->length = (size_t)(p - scan->at);
    scan->line = scan->at_line;
    scan->at = p;
done:
    return status;
}

bool zb_scan_is(const zb_scan *scan, const char *word)
{
    return scan->length == strlen(word) && memcmp(scan->word, word, scan->length) == 0;
}

zb_status zb_scan_skip_line(zb_scan *scan)
{
    zb_status status = ZB_OK;

    for (;;) {
        char *newline = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
        scan->at = newline != NULL ? newline : scan->end;
        if (newline != NULL || scan->ended)
            return ZB_OK;
        TRY(refill(scan, scan->at));
    }
done:
    return status;
}

/* At the slash and star that begin a comment: past the star and slash that end it. */
static zb_status skip_comment(zb_scan *scan)
{
    int64_t begun = scan->at_line;
    char last = ' ';
    zb_status status = ZB_OK;

    for (scan->at += 2;; scan->at++) {
        if (scan->at == scan->end && !scan->ended)
            TRY(refill(scan, scan->at));
        if (scan->at == scan->end)
            return zb_scan_fail(scan, begun,
                                "expected the end of the comment that begins here, "
                                "found the end of the file");
        if (last == '*' && *scan->at == '/')
            break;
        last = *scan->at;
        scan->at_line += last == '\n';
    }
    scan->at++;
done:
    return status;
}

zb_status zb_scan_skip_comments(zb_scan *scan, bool *found)
{
    zb_status status;

    for (*found = false;; *found = true) {
        TRY(skip_blanks(scan));
        while (scan->end - scan->at < 2 && !scan->ended)
            TRY(refill(scan, scan->at));
        if (scan->end - scan->at < 2 || scan->at[0] != '/' || scan->at[1] != '*')
            return ZB_OK;
        TRY(skip_comment(scan));
    }
done:
    return status;
}

/* [+-] digits; false for any other text. Saturates. */
static bool parse_int(const char *text, const char *end, int64_t *out)
{
    bool negative = *text == '-';
    const char *p = text + (*text == '-' || *text == '+');
    int64_t n = 0;

    if (p == end)
        return false;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9')
            return false;
        n = n > (INT64_MAX - 9) / 10 ? INT64_MAX : n * 10 + (*p - '0');
    }
    *out = negative ? -n : n;
    return true;
}

zb_status zb_scan_int(zb_scan *scan, int64_t least, int64_t most, const char *what,
                      int64_t *out)
{
    zb_status status;
    int64_t n;

    TRY(zb_scan_word(scan));
    if (scan->length == 0 || !parse_int(scan->word, scan->word + scan->length, &n))
        return zb_scan_expected(scan, "%s", what);
    if (n < least && (least > 0 || most >= INT32_MAX / 2))
        return zb_scan_expected(scan, "%s of at least %lld", what, (long long)least);
    if (n > most && most >= INT32_MAX / 2)
        return zb_scan_expected(scan, "%s of at most %lld", what, (long long)most);
    if (n < least || n > most)
        return zb_scan_expected(scan, "%s from %lld to %lld", what, (long long)least,
                                (long long)most);
    *out = n;
done:
    return status;
}

/* Most numbers in tables are digits with at most one point, 19 digits at most, and
   these are read in one pass. False, with nothing changed, for any other word and near
   the buffer's end. */
static inline bool quick_decimal(zb_scan *scan, zb_decimal *d, double *out)
{
    char *p = scan->at, *first, *point = NULL;
    int64_t line = scan->at_line;
    uint64_t w = 0;
    unsigned c;

    if (scan->held || scan->end - p < QUICK_BLANKS + QUICK_DIGITS + 3)
        return false;
    for (int i = 0; i < QUICK_BLANKS && is_blank(*p); i++, p++)
        line += *p == '\n';
    for (first = p; p <= first + QUICK_DIGITS + 1; p++) {
        if ((c = (unsigned)(*p - '0')) <= 9)
            w = w * 10 + c;
        else if (*p == '.' && point == NULL)
            point = p;
        else
            break;
    }
    int64_t length = p - first, digits = length - (point != NULL);
    int64_t decimals = point != NULL ? p - point - 1 : 0;
    if (digits < 1 || digits > QUICK_DIGITS || !is_blank(*p))
        return false;
    *d = (zb_decimal){ .digits = w, .exponent = -decimals, .exact = true };
    *out = zb_decimal_value(d, first, scan->c);
    scan->word = first;
    scan->length = (size_t)length;
    scan->line = scan->at_line = line;
    scan->at = p;
    return true;
}

zb_status zb_scan_decimal(zb_scan *scan, const char *what, zb_decimal *d, double *out)
{
    zb_status status;

    if (quick_decimal(scan, d, out))
        return ZB_OK;
    TRY(zb_scan_word(scan));
    if (scan->length == 0 ||
        !zb_decimal_parse(d, scan->word, scan->word + scan->length))
        return zb_scan_expected(scan, "%s", what);
    *out = zb_decimal_value(d, scan->word, scan->c);
done:
    return status;
}

zb_status zb_scan_end(zb_scan *scan)
{
    zb_status status;

    TRY(zb_scan_word(scan));
    if (scan->length > 0)
        return zb_scan_expected(scan, "the end of the file");
done:
    return status;
}
