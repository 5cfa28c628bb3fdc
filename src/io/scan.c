/* Words, numbers, comments, and what is said of them. A word that reaches the buffer's
 * end is moved to its front and continued, so that a word is always in one piece. */
#include "io/scan.h"

#include <stdio.h>
#include <string.h>

enum { QUICK_BLANKS = 8, QUICK_DIGITS = 19 };
enum { SHOWN = 40 };

static const unsigned char blank[256] = {
    [' '] = 1, ['\t'] = 1, ['\n'] = 1, ['\v'] = 1, ['\f'] = 1, ['\r'] = 1
};

static inline bool is_blank(char c) { return blank[(unsigned char)c]; }

zb_status zb_scan_fail(const zb_scan *scan, int64_t line, const char *fmt, ...)
{
    char text[sizeof scan->err->text];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return zb_fail(scan->err, ZB_EPARSE, "%s:%lld: %s", zb_scan_name(scan),
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
    snprintf(whole, sizeof whole, "%s:%lld: %s", zb_scan_name(scan), (long long)line,
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

/* UTF-8's byte order mark, which some editors write, says nothing here. */
static zb_status skip_mark(zb_scan *scan)
{
    zb_status status = ZB_OK;

    scan->begun = true;
    while (scan->end - scan->at < 3 && !scan->ended)
        TRY(zb_scan_refill(scan, scan->at));
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
        TRY(zb_scan_refill(scan, p));
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
        TRY(zb_scan_refill(scan, scan->at));
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
        TRY(zb_scan_refill(scan, scan->at));
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
            TRY(zb_scan_refill(scan, scan->at));
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
            TRY(zb_scan_refill(scan, scan->at));
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
