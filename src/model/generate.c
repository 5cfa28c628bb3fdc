/* Model families. Every generator draws its numbers in the order of the factors. */
#include "model/generate.h"

#include <string.h>

bool zb_generate_begin(zb_model **out, const void *spec)
{
    if (out != NULL)
        *out = NULL;
    return out != NULL && spec != NULL;
}

bool zb_generate_table(zb_rng *rng, double scale, size_t n, double *value)
{
    for (size_t i = 0; i < n; i++) {
        value[i] = zb_portable_exp(scale * zb_portable_normal(rng));
        if (!(value[i] > 0 && value[i] < INFINITY))
            return false;
    }
    return true;
}

double zb_generate_deviation(double t, bool variance)
{
    return t >= 0 && t < INFINITY ? (variance ? sqrt(t) : t) : -1;
}

zb_status zb_generate_uniform(zb_model **out, int nvars, int cardinality)
{
    int *card = zb_alloc((size_t)nvars, sizeof *card);
    zb_status status = ZB_ENOMEM;

    *out = NULL;
    for (int v = 0; card != NULL && v < nvars; v++)
        card[v] = cardinality;
    if (card != NULL)
        status = zb_model_new(out, nvars, card);
    zb_free(card);
    return status;
}

/* chord[i]: number of the chord of factor i, counted by their first factors. */
static void match_opposite(int n, int *chord)
{
    for (int i = 0; i < n; i++)
        chord[i] = i % (n / 2);
}

/* Pairs of a random permutation, drawn again while one joins neighbours on the cycle
   (about two times in three). list is scratch of n entries. */
static void match_random(zb_rng *rng, int n, int *list, int *chord)
{
    bool neighbours;

    for (int i = 0; i < n; i++)
        list[i] = i;
    do {
        zb_rng_shuffle(rng, n, list);
        neighbours = false;
        for (int i = 0; i < n; i += 2) {
            int apart =
                list[i] > list[i + 1] ? list[i] - list[i + 1] : list[i + 1] - list[i];
            neighbours = neighbours || apart == 1 || apart == n - 1;
        }
    } while (neighbours);
    for (int i = 0; i < n; i += 2) {
        chord[list[i]] = list[i + 1]; /* first the partner, then the number */
        chord[list[i + 1]] = list[i];
    }
    for (int i = 0, count = 0; i < n; i++)
        chord[i] = chord[i] > i ? count++ : chord[chord[i]];
}

zb_status zb_generate_regular(zb_model **out, const zb_regular_spec *spec)
{
    int *chord = NULL, *list = NULL;
    zb_model *model = NULL;
    zb_status status;

    if (!zb_generate_begin(out, spec))
        return ZB_EINVAL;
    int n = spec->factors;
    double scale = zb_generate_deviation(spec->coupling, spec->variance), value[8];
    zb_rng rng = zb_rng_seed(spec->seed);
    if ((unsigned)spec->chord > ZB_CHORD_RANDOM || n < 4 || n % 2 != 0 ||
        n > INT32_MAX / 8 || scale < 0)
        return ZB_EINVAL;
    chord = zb_alloc((size_t)n, sizeof *chord);
    list = zb_alloc((size_t)n, sizeof *list);
    TRY(chord != NULL && list != NULL ? ZB_OK : ZB_ENOMEM);
    if (spec->chord == ZB_CHORD_RANDOM)
        match_random(&rng, n, list, chord);
    else
        match_opposite(n, chord);
    TRY(zb_generate_uniform(&model, n + n / 2, 2));
    for (int i = 0; i < n; i++) {
        int scope[] = { (i + n - 1) % n, i, n + chord[i] };
        TRY(zb_generate_table(&rng, scale, 8, value) ? ZB_OK : ZB_EINVAL);
        TRY(zb_model_add(model, 3, scope, value));
    }
    *out = model, model = NULL;
done:
    zb_free(chord);
    zb_free(list);
    zb_model_free(model);
    return status;
}

/* Distinct variables; sorted, as in most files. */
static void random_scope(zb_rng *rng, int nvars, int arity, int *scope)
{
    for (int i = 0; i < arity; i++) {
        int v = zb_rng_below(rng, nvars - i), j = 0;
        for (; j < i && scope[j] <= v; j++) /* the v-th of those not taken yet */
            v++;
        for (int k = i; k > j; k--)
            scope[k] = scope[k - 1];
        scope[j] = v;
    }
}

/* Zeros except at the entry where all variables of the scope have their hidden value.
 */
static void strike_out(zb_rng *rng, const zb_random_spec *spec, const int *scope,
                       const int *hidden, size_t size, double *value)
{
    size_t keep = 0;
    for (int i = 0; i < spec->arity; i++)
        keep = keep * (size_t)spec->cardinality + (size_t)hidden[scope[i]];
    for (size_t e = 0; e < size; e++)
        if (zb_rng_uniform(rng) < spec->zeros && e != keep)
            value[e] = 0;
}

static bool random_spec_valid(const zb_random_spec *s)
{
    return s->variables >= 0 && s->factors >= 0 && s->factors <= INT32_MAX / 2 &&
           s->cardinality >= 1 && s->arity >= 0 && s->arity <= s->variables &&
           s->zeros >= 0 && s->zeros <= 1;
}

zb_status zb_generate_random(zb_model **out, const zb_random_spec *spec)
{
    zb_model *model = NULL;
    int *scope = NULL, *hidden = NULL;
    double *value = NULL;
    zb_status status;

    if (!zb_generate_begin(out, spec) || !random_spec_valid(spec))
        return ZB_EINVAL;
    size_t n = (size_t)spec->variables, size = 1;
    zb_rng rng = zb_rng_seed(spec->seed);
    for (int i = 0; i < spec->arity; i++)
        if (!zb_size_mul(size, (size_t)spec->cardinality, &size))
            return ZB_EINVAL;
    scope = zb_alloc((size_t)spec->arity, sizeof *scope);
    hidden = zb_alloc(n, sizeof *hidden);
    value = zb_alloc(size, sizeof *value);
    TRY(scope && hidden && value ? ZB_OK : ZB_ENOMEM);
    TRY(zb_generate_uniform(&model, spec->variables, spec->cardinality));
    for (size_t v = 0; v < n; v++)
        hidden[v] = zb_rng_below(&rng, spec->cardinality);
    for (int f = 0; f < spec->factors; f++) {
        random_scope(&rng, spec->variables, spec->arity, scope);
        TRY(zb_generate_table(&rng, 1, size, value) ? ZB_OK : ZB_EINVAL);
        strike_out(&rng, spec, scope, hidden, size, value);
        TRY(zb_model_add(model, spec->arity, scope, value));
    }
    *out = model, model = NULL;
done:
    zb_free(scope);
    zb_free(hidden);
    zb_free(value);
    zb_model_free(model);
    return status;
}

zb_status zb_generate_tree(zb_model **out, const zb_random_tree_spec *spec)
{
    zb_model *model = NULL;
    int *label = NULL;
    double *value = NULL;
    size_t pairs;
    zb_status status;

    if (!zb_generate_begin(out, spec))
        return ZB_EINVAL;
    int n = spec->variables, d = spec->cardinality;
    zb_rng rng = zb_rng_seed(spec->seed);
    if (n < 1 || n > INT32_MAX / 8 || d < 1 ||
        !zb_size_mul((size_t)d, (size_t)d, &pairs))
        return ZB_EINVAL;
    label = zb_alloc((size_t)n, sizeof *label);
    value = zb_alloc(pairs, sizeof *value);
    TRY(label != NULL && value != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_generate_uniform(&model, n, d));
    for (int v = 0; v < n; v++)
        label[v] = v;
    zb_rng_shuffle(&rng, n, label);
    for (int v = 0; v < n; v++) {
        TRY(zb_generate_table(&rng, 1, (size_t)d, value) ? ZB_OK : ZB_EINVAL);
        TRY(zb_model_add(model, 1, &v, value));
    }
    for (int v = 1; v < n; v++) {
        int scope[] = { label[zb_rng_below(&rng, v)], label[v] };
        TRY(zb_generate_table(&rng, 1, pairs, value) ? ZB_OK : ZB_EINVAL);
        TRY(zb_model_add(model, 2, scope, value));
    }
    *out = model, model = NULL;
done:
    zb_free(label);
    zb_free(value);
    zb_model_free(model);
    return status;
}
