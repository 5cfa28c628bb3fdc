/* A fingerprint of a model: 64-bit words, each mixed in by a product and a shift. Words
 * are hashed as numbers, so the byte order of the machine does not matter. */
#include "model/model.h"

#include <string.h>

/* One to one in h for every word, and h's upper half comes down: a change in the sign
   bits of two words does not cancel. */
static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 32;
}

static uint64_t mix_real(uint64_t h, double x)
{
    uint64_t bits;
    x = x == 0 ? 0 : x; /* -0 is 0 */
    memcpy(&bits, &x, sizeof bits);
    return mix(h, bits);
}

static uint64_t mix_ints(uint64_t h, const int *list, int count)
{
    for (int i = 0; i < count; i++)
        h = mix(h, (uint64_t)(int64_t)list[i]);
    return h;
}

uint64_t zb_model_hash(const zb_model *model)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    if (model == NULL)
        return 0;
    h = mix(h, (uint64_t)model->nvars);
    h = mix_ints(h, model->card, model->nvars);
    h = mix_ints(h, model->evidence, model->nvars);
    h = mix(h, (uint64_t)model->nfactors);
    for (int f = 0; f < model->nfactors; f++) {
        const zb_factor *a = &model->factor[f];
        h = mix(mix(h, (uint64_t)a->arity), a->log);
        h = mix_ints(h, a->scope, a->arity);
        for (size_t i = 0; i < a->size; i++)
            h = mix_real(h, a->value[i]);
    }
    return mix_real(h, model->log_scale);
}
