/* Spins on lattices: declared in zbound.h. Numbers are drawn in the order of the
 * factors. */
#include "model/generate.h"

typedef struct lattice {
    zb_ising_spec spec; /* defaults filled in; coupling and field are deviations */
    zb_rng rng;
    zb_model *model;
    double *table; /* states x states */
} lattice;

/* beta times a coupling or field of the size `scale`. */
static double draw(lattice *a, double scale)
{
    switch (a->spec.couplings) {
    case ZB_COUPLINGS_GAUSS: scale *= zb_portable_normal(&a->rng); break;
    case ZB_COUPLINGS_PM1: scale *= zb_rng_below(&a->rng, 2) == 0 ? -1 : 1; break;
    case ZB_COUPLINGS_UNIFORM: break;
    }
    return a->spec.beta * scale;
}

/* Ising: exp(h x), exp(J x y). Potts: exp(h) at state 0, exp(J) where x = y, else 1. */
static zb_status add(lattice *a, double scale, int arity, const int *scope)
{
    int q = a->spec.states, up = q == 2 ? 1 : 0;
    double phi = draw(a, scale), yes = zb_portable_exp(phi);
    double no = q == 2 ? zb_portable_exp(-phi) : 1;
    if (!(yes > 0 && yes < INFINITY && no > 0 && no < INFINITY))
        return ZB_EINVAL;
    for (int x = 0; x < q; x++)
        for (int y = 0; y < (arity == 2 ? q : 1); y++)
            if (arity == 2)
                a->table[x * q + y] = x == y ? yes : no;
            else
                a->table[x] = x == up ? yes : no;
    return zb_model_add(a->model, arity, scope, a->table);
}

/* The pair of the site v at row r, column c, layer l and its neighbour by a step down,
   right and into the next layer, where there is one. */
static zb_status add_pair(lattice *a, int v, int down, int right, int in)
{
    const zb_ising_spec *s = &a->spec;
    int site[] = { v / s->cols % s->rows + down, v % s->cols + right,
                   v / s->cols / s->rows + in };
    const int side[] = { s->rows, s->cols, s->layers };
    for (int d = 0; d < 3; d++)
        if (site[d] == side[d]) {
            if (!s->periodic || side[d] < 3)
                return ZB_OK;
            site[d] = 0;
        }
    int scope[] = { v, (site[2] * s->rows + site[0]) * s->cols + site[1] };
    return add(a, s->coupling, 2, scope);
}

static zb_status add_all(lattice *a, int sites)
{
    zb_status status = ZB_OK;
    for (int v = 0; a->spec.field != 0 && v < sites; v++)
        TRY(add(a, a->spec.field, 1, &v));
    for (int v = 0; v < sites; v++) {
        TRY(add_pair(a, v, 0, 1, 0));
        TRY(add_pair(a, v, 1, 0, 0));
        if (a->spec.lattice == ZB_LATTICE_TRIANGULAR)
            TRY(add_pair(a, v, 1, 1, 0));
        TRY(add_pair(a, v, 0, 0, 1));
    }
done:
    return status;
}

/* Defaults and deviations; false where something makes no sense. */
static bool complete(zb_ising_spec *s)
{
    s->beta = s->beta != 0 ? s->beta : 1;
    s->layers = s->layers != 0 ? s->layers : 1;
    s->states = s->states != 0 ? s->states : 2;
    if (s->couplings == ZB_COUPLINGS_UNIFORM)
        return isfinite(s->coupling) && isfinite(s->field) && !s->variance;
    s->coupling = zb_generate_deviation(s->coupling, s->variance);
    s->field = zb_generate_deviation(s->field, s->variance);
    return s->coupling >= 0 && s->field >= 0;
}

zb_status zb_generate_ising(zb_model **out, const zb_ising_spec *spec)
{
    zb_status status;

    if (!zb_generate_begin(out, spec))
        return ZB_EINVAL;
    lattice a = { .spec = *spec, .rng = zb_rng_seed(spec->seed) };
    const zb_ising_spec *s = &a.spec;
    if ((unsigned)spec->couplings > ZB_COUPLINGS_UNIFORM ||
        (unsigned)spec->lattice > ZB_LATTICE_TRIANGULAR || !complete(&a.spec) ||
        !(s->beta > 0 && s->beta < INFINITY) || s->states < 2 || s->states > 1000 ||
        s->rows < 1 || s->cols < 1 || s->layers < 1 ||
        s->rows > INT32_MAX / 8 / s->cols ||
        s->layers > INT32_MAX / 8 / (s->rows * s->cols))
        return ZB_EINVAL;
    int sites = s->rows * s->cols * s->layers;
    a.table = zb_alloc((size_t)s->states * (size_t)s->states, sizeof *a.table);
    TRY(a.table != NULL ? ZB_OK : ZB_ENOMEM);
    TRY(zb_generate_uniform(&a.model, sites, s->states));
    TRY(add_all(&a, sites));
    *out = a.model, a.model = NULL;
done:
    zb_free(a.table);
    zb_model_free(a.model);
    return status;
}
