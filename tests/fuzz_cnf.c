#include "fuzz_reader.h"

/* As a file is read whose format is not known. */
static zb_status parse(zb_scan *in, void *out)
{
    bool uai;
    zb_status status = zb_cnf_try(out, in, &uai);
    return status == ZB_OK && uai ? zb_uai_parse(out, in, false) : status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_model(data, size, parse);
    return 0;
}
