#include "io/bif_words.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 40 };

static bool is_mark(char c) { return memchr("{}()[]|,;", c, 9) != NULL; }

static zb_status fill(zb_bif_words *w)
{
    zb_status status = zb_scan_word(w->in);
    w->at = w->in->word;
    w->end = w->at + (status == ZB_OK ? w->in->length : 0);
    return status;
}

/* At the slash and star that begin a comment: past those that end it. */
static zb_status skip_comment(zb_bif_words *w)
{
    int64_t line = w->in->line;
    zb_status status = ZB_OK;
    for (w->at += 2;;) {
        for (; w->at + 1 < w->end; w->at++)
            if (w->at[0] == '*' && w->at[1] == '/') {
                w->at += 2;
                return ZB_OK;
            }
        TRY(fill(w));
        if (w->in->length == 0)
            return zb_scan_fail(w->in, line,
                                "expected the end of the comment that begins here, "
                                "found the end of the file");
    }
done:
    return status;
}

/* From "..." what is between; blanks between quotes are not supported by any file that
   is in use but in properties, which are passed over. */
static void strip_quotes(zb_bif_words *w)
{
    if (w->length >= 2 && w->word[0] == '"' && w->word[w->length - 1] == '"') {
        w->word++;
        w->length -= 2;
    }
}

static bool comment_at(const zb_bif_words *w, char second)
{
    return w->end - w->at >= 2 && w->at[0] == '/' && w->at[1] == second;
}

zb_status zb_bif_word(zb_bif_words *w)
{
    zb_status status = ZB_OK;
    if (w->held) {
        w->held = false;
        return ZB_OK;
    }
    w->length = 0;
    for (;;) {
        if (w->at == w->end) {
            TRY(fill(w));
            if (w->in->length == 0)
                return ZB_OK;
        }
        if (comment_at(w, '/')) {
            w->at = w->end;
            TRY(zb_scan_skip_line(w->in));
        } else if (comment_at(w, '*'))
            TRY(skip_comment(w));
        else
            break;
    }
    w->word = w->at;
    do
        w->at++;
    while (w->at < w->end && !is_mark(*w->word) && !is_mark(*w->at) &&
           !comment_at(w, '/') && !comment_at(w, '*'));
    w->length = (size_t)(w->at - w->word);
    strip_quotes(w);
done:
    return status;
}

bool zb_bif_is(const zb_bif_words *w, const char *text)
{
    return w->length == strlen(text) && memcmp(w->word, text, w->length) == 0;
}

zb_status zb_bif_expected(const zb_bif_words *w, const char *what)
{
    char shown[SHOWN + 1];
    size_t n = zb_min_size(w->length, SHOWN);
    if (w->length == 0)
        return zb_scan_fail(w->in, w->in->line, "expected %s, found %s", what,
                            w->in->length == 0 ? "the end of the file" : "''");
    for (size_t i = 0; i < n; i++)
        shown[i] = (char)(w->word[i] > ' ' && w->word[i] < 127 ? w->word[i] : '?');
    shown[n] = '\0';
    return zb_scan_fail(w->in, w->in->line, "expected %s, found '%s%s'", what, shown,
                        w->length > SHOWN ? "..." : "");
}

zb_status zb_bif_expect(zb_bif_words *w, const char *text)
{
    char what[16];
    zb_status status = zb_bif_word(w);
    snprintf(what, sizeof what, "'%s'", text);
    if (status == ZB_OK && !zb_bif_is(w, text))
        status = zb_bif_expected(w, what);
    return status;
}

zb_status zb_bif_name(zb_bif_words *w, const char *what)
{
    zb_status status = zb_bif_word(w);
    if (status == ZB_OK && (w->length == 0 || is_mark(w->word[0])))
        status = zb_bif_expected(w, what);
    return status;
}

zb_status zb_bif_whole(zb_bif_words *w, int most, const char *what, int *out)
{
    int64_t n = 0;
    zb_status status;
    TRY(zb_bif_name(w, what));
    for (size_t i = 0; i < w->length; i++) {
        int digit = w->word[i] - '0';
        if (digit < 0 || digit > 9 || (n = 10 * n + digit) > most)
            return zb_bif_expected(w, what);
    }
    *out = (int)n;
done:
    return status;
}

/* The word is copied: what follows it may be a mark, not a blank. */
zb_status zb_bif_weight(zb_bif_words *w, double *out)
{
    char text[400];
    zb_decimal d;
    zb_status status;
    TRY(zb_bif_name(w, "a probability"));
    if (w->length >= sizeof text)
        return zb_bif_expected(w, "a probability");
    memcpy(text, w->word, w->length);
    text[w->length] = ' ';
    if (!zb_decimal_parse(&d, text, text + w->length) || (d.negative && d.digits != 0))
        return zb_bif_expected(w, "a probability");
    *out = zb_decimal_value(&d, text, w->in->c);
    if (d.digits != 0 && !isnormal(*out))
        return zb_bif_expected(w, "a probability that a double holds");
done:
    return status;
}
