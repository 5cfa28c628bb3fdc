/* Which name was meant. */
#include "args.h"

#include <string.h>

static int distance(const char *a, const char *b)
{
    int n = (int)strlen(b), row[64];
    if (n >= 64)
        return 64;
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 0; a[i] != '\0'; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < n; j++) {
            int change = diagonal + (a[i] != b[j]);
            int shift = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = change < shift ? change : shift;
        }
    }
    return row[n];
}

const char *app_nearest(const char *word, int count, const char *const *names)
{
    const char *best = NULL;
    int least = 1 + (int)strlen(word) / 3;
    for (int i = 0; i < count; i++) {
        int d = distance(word, names[i]);
        if (d <= least && (best == NULL || d < least)) {
            least = d;
            best = names[i];
        }
    }
    return best;
}
