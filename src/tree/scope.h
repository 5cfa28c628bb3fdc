/* Scopes: lists of variables, sorted by elimination position. */
#ifndef ZB_SCOPE_H
#define ZB_SCOPE_H

void zb_scope_sort(int n, int *var, const int *pos);

/* The union of *count variables and `arity` others, which there must be room for. */
void zb_scope_merge(const int *pos, int *var, int *count, const int *other, int arity);

#endif
