/* A fingerprint of a model: 64-bit words, each mixed in by a product and a shift. Words
 * are hashed as numbers, so the byte order of the machine does not matter. */
#include "base/hash.h"
#include "model/model.h"

#include <string.h>

static uint64_t mix_real(uint64_t h, double x)
{
    uint64_t bits;
    x = x == 0 ? 0 : x; /* -0 is 0 */
    memcpy(&bits, &x, sizeof bits);
    return zb_hash_word(h, bits);
}

uint64_t zb_model_hash(const zb_model *model)
{
    uint64_t h = ZB_HASH_START;
    if (model == NULL)
        return 0;
    h = zb_hash_word(h, (uint64_t)model->nvars);
    h = zb_hash_ints(h, model->card, (size_t)model->nvars);
    h = zb_hash_ints(h, model->evidence, (size_t)model->nvars);
    h = zb_hash_word(h, (uint64_t)model->nfactors);
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        h = zb_hash_word(zb_hash_word(h, (uint64_t)a->arity), a->log);
        h = zb_hash_ints(h, a->scope, (size_t)a->arity);
        for (size_t i = 0; i < a->size; i++)
            h = mix_real(h, a->value[i]);
    }
    return mix_real(h, model->log_scale);
}
