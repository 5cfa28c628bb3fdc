#include "fuzz_reader.h"

/* The first byte says how the rest is read. */
static zb_format format;
static zb_base base;

static zb_status parse(zb_scan *in, void *out)
{
    return zb_spins_parse(out, in, format, base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const zb_format formats[] = { ZB_FORMAT_DETECT, ZB_FORMAT_SPINS,
                                         ZB_FORMAT_COO, ZB_FORMAT_MAXCUT };
    if (size == 0)
        return 0;
    format = formats[data[0] % 4];
    base = (zb_base)(data[0] / 4 % 3);
    fuzz_model(data + 1, size - 1, parse);
    return 0;
}
