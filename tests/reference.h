/* Rows of the reference tables: bounds that an independent implementation found on the
 * instances beside them. */
#ifndef ZB_TEST_REFERENCE_H
#define ZB_TEST_REFERENCE_H

#include "zbound.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reference_row {
    char family[16], coupling[8], method[16], form[16], optimizer[8];
    int ibound, seed, iterations;
    double log_upper, log_z;
} reference_row;

typedef struct reference {
    reference_row *row;
    int count;
} reference;

/* Split a line at its commas, in place. */
static inline int reference_split(char *line, char **field, int most)
{
    int n = 0;
    for (char *at = line; at != NULL && n < most; n++) {
        field[n] = at;
        at = strchr(at, ',');
        if (at != NULL)
            *at++ = '\0';
    }
    return n;
}

/* family,ibound,T,seed,method,form,optimizer,iterations,log_upper,log_z; no rows when
   there is no such file */
static inline reference reference_read(const char *path)
{
    reference r = { NULL, 0 };
    char line[512], *f[10];
    FILE *in = fopen(path, "r");
    if (in == NULL)
        return r;
    while (fgets(line, sizeof line, in) != NULL) {
        if (reference_split(line, f, 10) != 10 || strcmp(f[0], "family") == 0)
            continue;
        r.row = realloc(r.row, ((size_t)r.count + 1) * sizeof *r.row);
        reference_row *a = &r.row[r.count++];
        snprintf(a->family, sizeof a->family, "%.15s", f[0]);
        snprintf(a->coupling, sizeof a->coupling, "%.7s", f[2]);
        snprintf(a->method, sizeof a->method, "%.15s", f[4]);
        snprintf(a->form, sizeof a->form, "%.15s", f[5]);
        snprintf(a->optimizer, sizeof a->optimizer, "%.7s", f[6]);
        a->ibound = atoi(f[1]);
        a->seed = atoi(f[3]);
        a->iterations = atoi(f[7]);
        a->log_upper = strtod(f[8], NULL);
        a->log_z = strtod(f[9], NULL);
    }
    fclose(in);
    return r;
}

/* The instance of a row, in `folder`. */
static inline zb_status reference_model(zb_model **out, const char *folder,
                                        const reference_row *a, zb_error *err)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s_var_T%.1f_s%d.%s.uai", folder, a->family,
             strtod(a->coupling, NULL), a->seed,
             strcmp(a->form, "original") == 0 ? "orig" : "forney");
    return zb_model_read(out, path, err);
}

/* The row's settings: its file is bounded as it stands, in the order of its numbers. */
static inline zb_options reference_options(const reference_row *a)
{
    zb_options opt = zb_options_default();
    zb_options_set(&opt, "method", a->method, NULL);
    opt.side = ZB_SIDE_UPPER;
    opt.form = ZB_FORM_ORIGINAL;
    opt.order = ZB_ORDER_NATURAL;
    opt.ibound = a->ibound;
    opt.iterations = a->iterations;
    opt.optimizer =
        strcmp(a->optimizer, "paper") == 0 ? ZB_OPTIMIZER_PAPER : ZB_OPTIMIZER_DEFAULT;
    return opt;
}

#endif
