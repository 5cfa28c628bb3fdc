#ifndef ZB_APP_PAGE_METHODS_H
#define ZB_APP_PAGE_METHODS_H

#include "page/page.h"

typedef struct page_method {
    const char *name, *error; /* error NULL: there is a result */
    const zb_result *result;
} page_method;

/* Brackets of methods on one axis, and as a table. */
void page_methods(FILE *out, int n, const page_method *m);

#endif
