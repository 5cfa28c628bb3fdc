#include "gap_plot.h"

#include "console.h"

#include <math.h>

enum { LONGEST = 48 };

/* The range of those above 0; how many there are. */
static int range(int n, const double *gap, double *low, double *high)
{
    int count = 0;
    *low = INFINITY;
    *high = 0;
    for (int i = 0; i < n; i++)
        if (isfinite(gap[i]) && gap[i] > 0) {
            *low = fmin(*low, gap[i]);
            *high = fmax(*high, gap[i]);
            count++;
        }
    return count;
}

void app_gap_plot(FILE *out, int n, const char *const *name, const double *gap)
{
    static const char hashes[LONGEST + 1] =
        "################################################";
    double low, high;
    if (range(n, gap, &low, &high) < 2)
        return;
    fprintf(out, "\n%sgap in nats, longer by logarithm%s\n", app_ink(1, APP_QUIET),
            app_ink(1, APP_PLAIN));
    for (int i = 0; i < n; i++) {
        if (!isfinite(gap[i]))
            continue;
        double share = high > low ? log(fmax(gap[i], low) / low) / log(high / low) : 1;
        int length = gap[i] > 0 ? 1 + (int)round((LONGEST - 1) * share) : 0;
        fprintf(out, "%-12s%s%.*s%s", name[i],
                app_ink(1, gap[i] > low ? APP_BLUE : APP_GOOD), length, hashes,
                app_ink(1, APP_PLAIN));
        fprintf(out, gap[i] > 0 ? " %.4g\n" : "exact\n", gap[i]);
    }
}
