#include "fuzz_reader.h"

enum { NVARS = 5 };

static zb_status parse(zb_scan *in, void *out)
{
    return zb_order_parse(out, NVARS, in);
}

/* An order is a permutation; a refused file leaves the array alone. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int order[2][NVARS];
    bool seen[NVARS] = { false };
    zb_error err[2] = { { "" }, { "" } };
    memset(order, -1, sizeof order);
    zb_status one = fuzz_parse(data, size, 1, parse, order[0], &err[0]);
    zb_status two = fuzz_parse(data, size, 4096, parse, order[1], &err[1]);
    REQUIRE(one == two && strcmp(err[0].text, err[1].text) == 0);
    REQUIRE(memcmp(order[0], order[1], sizeof order[0]) == 0);
    for (int i = 0; i < NVARS; i++) {
        if (one != ZB_OK) {
            REQUIRE(order[0][i] == -1);
            continue;
        }
        REQUIRE(order[0][i] >= 0 && order[0][i] < NVARS && !seen[order[0][i]]);
        seen[order[0][i]] = true;
    }
    return 0;
}
