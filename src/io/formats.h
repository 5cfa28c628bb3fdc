/* The readers over any source of words, and what the writers share. */
#ifndef ZB_FORMATS_H
#define ZB_FORMATS_H

#include "io/scan.h"

/* As zb_model_read; log: tables hold logarithms (.LG). */
zb_status zb_uai_parse(zb_model **out, zb_scan *in, bool log);
zb_status zb_cnf_parse(zb_model **out, zb_scan *in); /* DIMACS */
/* The same for a file that may be neither: *uai, and no model, when after comment lines
   it says MARKOV or BAYES, which is then the next word. */
zb_status zb_cnf_try(zb_model **out, zb_scan *in, bool *uai);
/* Whether the word read last is MARKOV or BAYES, in capitals or not. */
bool zb_uai_begins(const zb_scan *in, bool *bayes);
zb_status zb_bif_parse(zb_model **out, zb_scan *in); /* Bayesian networks */
/* Spins: ZB_FORMAT_SPINS, COO or MAXCUT; DETECT: what the contents say. */
zb_status zb_spins_parse(zb_model **out, zb_scan *in, zb_format format, zb_base base);
zb_status zb_evidence_parse(zb_model *model, zb_scan *in, zb_evidence_format format,
                            zb_evidence_info *info);
zb_status zb_order_parse(int *order, int nvars, zb_scan *in);

/* Whether path ends in ending, letters compared without their case; a further ".gz",
   ".xz" or ".zst" at its end is passed over first when under_pack. */
bool zb_path_ends(const char *path, const char *ending, bool under_pack);

/* Text into a file, compressed when it is called .gz, "-" standard output, in the "C"
   locale: between open and close the calling thread's locale is that one. Failures are
   kept until close. */
typedef struct zb_out {
    const char *name;
    zb_error *err;
    gzFile file;
    char *buffer;
    size_t used;
    zb_status status;
    locale_t c, before;
    char *aside; /* the file's name until it is complete; NULL: its own */
} zb_out;

zb_status zb_out_open(zb_out *out, const char *path, bool append, zb_error *err);
/* A file that is there complete or, where anything fails, not at all (an older one
   stays then): it is written beside its place. Not so for what is no regular file. */
zb_status zb_out_open_whole(zb_out *out, const char *path, zb_error *err);
void zb_out_text(zb_out *out, const char *fmt, ...)
    ZB_PRINTF(2, 3);                 /* up to 99 bytes */
zb_status zb_out_close(zb_out *out); /* only after open succeeded */

#endif
