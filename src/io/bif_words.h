/* The words of a BIF file: names, numbers and punctuation, which need no blanks around
   them. Comments are passed over. */
#ifndef ZB_BIF_WORDS_H
#define ZB_BIF_WORDS_H

#include "io/scan.h"

typedef struct zb_bif_words {
    zb_scan *in;
    const char *at, *end; /* what is left of the scan's word */
    const char *word;     /* read last; valid until the next one */
    size_t length;        /* 0: the end of the file */
    bool held;            /* the next word is this one again */
} zb_bif_words;

zb_status zb_bif_word(zb_bif_words *w);
bool zb_bif_is(const zb_bif_words *w, const char *text);
/* The next word must be this one. */
zb_status zb_bif_expect(zb_bif_words *w, const char *text);
/* The next word must be a name or number: no punctuation, not the end. */
zb_status zb_bif_name(zb_bif_words *w, const char *what);
zb_status zb_bif_whole(zb_bif_words *w, int most, const char *what, int *out);
/* A weight: a decimal that a double holds, from 0 on. */
zb_status zb_bif_weight(zb_bif_words *w, double *out);
/* "FILE:LINE: expected WHAT, found 'word'" */
zb_status zb_bif_expected(const zb_bif_words *w, const char *what);

#endif
