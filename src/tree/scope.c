#include "tree/scope.h"

void zb_scope_sort(int n, int *var, const int *pos)
{
    for (int i = 1; i < n; i++) {
        int x = var[i], j = i;
        for (; j > 0 && pos[var[j - 1]] > pos[x]; j--)
            var[j] = var[j - 1];
        var[j] = x;
    }
}

/* From the back, so that nothing has to be kept elsewhere. */
void zb_scope_merge(const int *pos, int *var, int *count, const int *other, int arity)
{
    int added = 0;
    for (int i = 0, j = 0; j < arity; j++) {
        while (i < *count && pos[var[i]] < pos[other[j]])
            i++;
        added += !(i < *count && var[i] == other[j]);
    }
    int i = *count - 1, j = arity - 1, at = *count + added - 1;
    while (j >= 0) {
        if (i >= 0 && var[i] == other[j])
            var[at--] = var[i--], j--;
        else if (i >= 0 && pos[var[i]] > pos[other[j]])
            var[at--] = var[i--];
        else
            var[at--] = other[j--];
    }
    *count += added;
}
