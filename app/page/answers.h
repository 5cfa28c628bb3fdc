/* What `marginals` and `sample` have to show. */
#ifndef ZB_APP_PAGE_ANSWERS_H
#define ZB_APP_PAGE_ANSWERS_H

#include "page/page.h"

/* The variables that were asked for, in their order. */
typedef struct page_marginals {
    const zb_model *model;
    const zb_marginals *answer;
    int count;
    const int *list;
} page_marginals;

/* As a heat map on a lattice, as a histogram of how certain they are where there are
   many, and as a table with a bar for each value. */
void page_marginals_part(FILE *out, const page_marginals *m);

enum { PAGE_STATES = 24 }; /* that are kept for the picture */

/* What is kept of states while they are drawn. */
typedef struct page_samples {
    int *state; /* the first of them, owned; NULL: none are kept */
    int nvars;
    size_t kept, count;
    bool weighted;
    /* Of weighted draws: the largest ln w, and sums of w and w^2 over it. */
    double top, sum, squares;
} page_samples;

/* False: out of memory. */
bool page_samples_new(page_samples *s, int nvars, bool weighted);
void page_samples_free(page_samples *s);
void page_samples_add(page_samples *s, size_t n, const int *state,
                      const double *log_weight);
void page_samples_part(FILE *out, const page_samples *s, const zb_model *model,
                       const zb_sampler_info *about);

#endif
