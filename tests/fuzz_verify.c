/* Models and formulas of any kind, as zbound-verify reads them: read, or refused with a
 * line and a reason. */
#include "../verify/verify.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char certificate[] =
    "zbound-certificate 1\nmodel 3 3\nlower\nclaim -inf\nend";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const model_format formats[] = { WEIGHTS, LOGARITHMS, FORMULA };
    for (int i = 0; i < 3; i++) {
        question q = { .model = { "model", (const char *)data, size },
                       .certificate = { "certificate", certificate,
                                        sizeof certificate - 1 },
                       .format = formats[i],
                       .memory = 1 << 22,
                       .work = 20000 };
        verdict v = verify(&q);
        if (v.outcome != VERIFIED && (v.reason[0] == '\0' || v.line < 1))
            abort();
        if (v.outcome == VERIFIED && strcmp(v.upper, "") != 0)
            abort();
    }
    return 0;
}
