/* Certificates of any kind: what they prove of this model must be true of it. */
#include "../verify/verify.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* 0 to 3 form a ring, 4 is 1 - 3, 5 has three values and is in no factor.
 */
static const char model[] = "MARKOV 6 2 2 2 2 2 3 6 2 0 1 2 1 2 2 3 2 2 0 3 2 3 4 0 "
                            "4 1 2 2 1 4 1 0 2 1 4 3 1 1 3 4 1 1 5 1 4 0 1 1 0 1 0.5";
static const char *const lower = "5.01063529409625575", *const upper =
                                                            "5.01063529409625576";

/* Whether the bound, a number, is on the right side of ln Z = ln 150. */
static bool holds(const char *bound, bool above)
{
    arb_t x, limit;
    arb_init(x);
    arb_init(limit);
    arb_set_str(x, bound, 200);
    arb_set_str(limit, above ? lower : upper, 200);
    bool ok = above ? arb_ge(x, limit) : arb_le(x, limit);
    arb_clear(x);
    arb_clear(limit);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    question q = { .model = { "model", model, sizeof model - 1 },
                   .certificate = { "certificate", (const char *)data, size },
                   .memory = 1 << 20,
                   .work = 20000 };
    verdict v = verify(&q);
    if (v.outcome == UNREADABLE || (v.outcome == REFUSED && v.reason[0] == '\0'))
        abort();
    if (v.outcome == VERIFIED) {
        if (v.upper[0] != '\0' && !holds(v.upper, true))
            abort();
        if (v.lower[0] != '\0' && strcmp(v.lower, "-inf") != 0 &&
            !holds(v.lower, false))
            abort();
    }
    return 0;
}
