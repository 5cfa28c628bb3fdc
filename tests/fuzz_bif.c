#include "fuzz_reader.h"

static zb_status parse(zb_scan *in, void *out) { return zb_bif_parse(out, in); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_model(data, size, parse);
    return 0;
}
