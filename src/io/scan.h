/* Words of a file and their lines: what every reader stands on. Files pass through
 * zlib, so plain and .gz are the same, and xz and zstd through their libraries; memory
 * can be scanned like a file. A byte order mark before the first word is passed over.
 */
#ifndef ZB_SCAN_H
#define ZB_SCAN_H

#include "base/base.h"
#include "base/decimal.h"
#include "io/unpack.h"

#include <zlib.h>

typedef struct zb_scan {
    const char *name; /* of the file, for messages */
    zb_error *err;
    const zb_observer *observer; /* hears the notes; NULL: nobody does */
    gzFile file;                 /* NULL: memory */
    zb_unpack unpack;            /* with a codec: what the file's bytes go through */
    const char *text;            /* what is left of the memory */
    size_t left;
    char *buffer; /* unread bytes are at .. end; *end is a blank */
    size_t room;
    char *at, *end;
    int64_t at_line; /* the line that `at` is on */
    bool begun;      /* past the byte order mark, if there was one */
    bool ended;      /* the source has no more bytes */
    char *word;      /* read last, followed by a blank; valid until the next one */
    size_t length;   /* 0: the end of the file */
    int64_t line;    /* of word; at the end, the line of the last word */
    bool held;       /* the next word is this one again */
    locale_t c;
} zb_scan;

/* path "-" is standard input. Close even after a failure; path and err are borrowed. */
zb_status zb_scan_open(zb_scan *scan, const char *path, zb_error *err);
/* room: bytes of the buffer at first. text is borrowed. */
zb_status zb_scan_memory(zb_scan *scan, const char *name, const char *text,
                         size_t length, size_t room, zb_error *err);
void zb_scan_close(zb_scan *scan);

/* Move the bytes from `keep` on to the front, and read more behind them; the buffer
   grows if need be. */
zb_status zb_scan_refill(zb_scan *scan, char *keep);
const char *zb_scan_name(const zb_scan *scan); /* for messages: not too long */
zb_status zb_scan_no_memory(const zb_scan *scan);

/* The next word, a longest run without blanks. */
zb_status zb_scan_word(zb_scan *scan);
static inline void zb_scan_unread(zb_scan *scan) { scan->held = true; }
bool zb_scan_is(const zb_scan *scan, const char *word); /* the word read last */

zb_status zb_scan_skip_line(zb_scan *scan); /* to just before the line's end */
/* Past comments and blanks; *found when there was a comment. Only before any word. */
zb_status zb_scan_skip_comments(zb_scan *scan, bool *found);

/* An integer from least to most; what names it in the message. */
zb_status zb_scan_int(zb_scan *scan, int64_t least, int64_t most, const char *what,
                      int64_t *out);
/* A decimal; *out is its nearest double, 0 or infinite when out of range. */
zb_status zb_scan_decimal(zb_scan *scan, const char *what, zb_decimal *d, double *out);
zb_status zb_scan_end(zb_scan *scan);

/* "FILE:LINE: expected X, found 'word'", ZB_EPARSE. */
zb_status zb_scan_expected(const zb_scan *scan, const char *fmt, ...) ZB_PRINTF(2, 3);
/* "FILE:LINE: ...", ZB_EPARSE. */
zb_status zb_scan_fail(const zb_scan *scan, int64_t line, const char *fmt, ...)
    ZB_PRINTF(3, 4);

/* A sentence for the observer, "FILE:LINE: ...": the file is read, but worth a look. */
void zb_scan_note(const zb_scan *scan, int64_t line, const char *fmt, ...)
    ZB_PRINTF(3, 4);

#endif
