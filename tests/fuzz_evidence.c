#include "fuzz_reader.h"

enum { NVARS = 5 };

typedef struct reading {
    zb_model *model;
    zb_evidence_format format;
    zb_evidence_info info;
} reading;

static zb_status parse(zb_scan *in, void *out)
{
    reading *r = out;
    return zb_evidence_parse(r->model, in, r->format, &r->info);
}

static zb_status read_as(reading *r, const uint8_t *data, size_t size, size_t room)
{
    zb_error err = { "" };
    if (zb_model_new(&r->model, NVARS, (int[]){ 2, 3, 1, 4, 2 }) != ZB_OK)
        return ZB_ENOMEM;
    zb_status status = fuzz_parse(data, size, room, parse, r, &err);
    int observed = 0;
    for (int v = 0; v < NVARS; v++)
        observed += r->model->evidence[v] >= 0;
    REQUIRE(observed == r->info.observed);
    REQUIRE(status == ZB_OK || observed == 0);
    REQUIRE(status != ZB_OK || r->info.format != ZB_EVIDENCE_DETECT);
    fuzz_check_model(r->model);
    return status;
}

/* What is detected is what one gets by demanding it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    reading found = { .format = ZB_EVIDENCE_DETECT };
    if (read_as(&found, data, size, 3) == ZB_OK) {
        reading demanded = { .format = found.info.format };
        REQUIRE(read_as(&demanded, data, size, 4096) == ZB_OK);
        REQUIRE(memcmp(found.model->evidence, demanded.model->evidence,
                       NVARS * sizeof(int)) == 0);
        zb_model_free(demanded.model);
    }
    zb_model_free(found.model);
    return 0;
}
