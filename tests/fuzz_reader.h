/* What the fuzz targets of readers have in common: the same bytes through two buffers,
 * one of which cuts words everywhere, must give the same status and message. */
#ifndef ZB_FUZZ_READER_H
#define ZB_FUZZ_READER_H

#include "io/formats.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(ok)                                                                    \
    do {                                                                               \
        if (!(ok))                                                                     \
            abort();                                                                   \
    } while (0)

/* Run parse over data with a first buffer of so many bytes. */
static inline zb_status fuzz_parse(const uint8_t *data, size_t size, size_t room,
                                   zb_status (*parse)(zb_scan *in, void *out),
                                   void *out, zb_error *err)
{
    zb_scan in;
    zb_status status = zb_scan_memory(&in, "fuzz", (const char *)data, size, room, err);
    if (status == ZB_OK)
        status = parse(&in, out);
    zb_scan_close(&in);
    REQUIRE(status == ZB_OK || status == ZB_EPARSE || status == ZB_ENOMEM);
    REQUIRE(status != ZB_EPARSE || strncmp(err->text, "fuzz:", 5) == 0);
    return status;
}

/* A model as it may be written and solved. */
static inline void fuzz_check_model(const zb_model *model)
{
    for (int v = 0; v < model->nvars; v++)
        REQUIRE(model->card[v] >= 1 && model->evidence[v] >= -1 &&
                model->evidence[v] < model->card[v]);
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        size_t size;
        for (int i = 0; i < a->arity; i++)
            REQUIRE(a->scope[i] >= 0 && a->scope[i] < model->nvars);
        REQUIRE(zb_model_table_size(model, a->arity, a->scope, &size));
        REQUIRE(size == a->size);
        for (size_t i = 0; i < size; i++)
            REQUIRE(a->value[i] < INFINITY && (a->log || a->value[i] >= 0));
    }
}

static inline void fuzz_model(const uint8_t *data, size_t size,
                              zb_status (*parse)(zb_scan *in, void *out))
{
    zb_model *model[2] = { NULL, NULL };
    zb_error err[2] = { { "" }, { "" } };
    zb_status one = fuzz_parse(data, size, 7, parse, &model[0], &err[0]);
    zb_status two = fuzz_parse(data, size, 1 << 16, parse, &model[1], &err[1]);
    REQUIRE(one == two && strcmp(err[0].text, err[1].text) == 0);
    REQUIRE((one == ZB_OK) == (model[0] != NULL));
    REQUIRE((two == ZB_OK) == (model[1] != NULL));
    if (one == ZB_OK) {
        fuzz_check_model(model[0]);
        REQUIRE(model[0]->nfactors == model[1]->nfactors);
        for (int f = 0; f < model[0]->nfactors; f++)
            REQUIRE(memcmp(model[0]->factor[f].value, model[1]->factor[f].value,
                           model[0]->factor[f].size * sizeof(double)) == 0);
    }
    zb_model_free(model[0]);
    zb_model_free(model[1]);
}

#endif
