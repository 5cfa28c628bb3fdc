/* Evidence as words of the command line: names, numbers, commas. */
#include "fuzz_reader.h"

enum { NVARS = 4, MOST = 200 };

static zb_model *named(void)
{
    zb_model *m = NULL;
    bool good = zb_model_new(&m, NVARS, (int[]){ 2, 3, 1, 2 }) == ZB_OK &&
                zb_model_name_var(m, 0, "smoke") == ZB_OK &&
                zb_model_name_state(m, 0, 0, "yes") == ZB_OK &&
                zb_model_name_state(m, 0, 1, "no") == ZB_OK &&
                zb_model_name_var(m, 1, "1") == ZB_OK &&
                zb_model_name_state(m, 1, 2, "a=b") == ZB_OK;
    if (good)
        return m;
    zb_model_free(m);
    return NULL;
}

/* All or nothing, with a sentence; and what was observed can be said again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[MOST + 1];
    zb_error err = { "" };
    zb_model *m = named();
    if (m == NULL)
        return 0;
    size = size < MOST ? size : MOST;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    zb_status status = zb_evidence_set(m, text, &err);
    REQUIRE(status == ZB_OK || status == ZB_EINVAL || status == ZB_ENOMEM);
    REQUIRE((status == ZB_OK) == (err.text[0] == '\0') || status == ZB_ENOMEM);
    REQUIRE(status == ZB_OK || !zb_model_observed(m));
    fuzz_check_model(m);
    if (status == ZB_OK)
        REQUIRE(zb_evidence_set(m, text, &err) == ZB_OK);
    zb_model_free(m);
    return 0;
}
