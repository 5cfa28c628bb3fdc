#include "base/cost.h"

static const double ELIMINATION_SPEED = 3e8; /* clique entries a second and core */
static const double PASS_ENTRY = 7e-9, PASS_NODE = 3e-7; /* seconds */
static const double SLICE_SECONDS = 2e-3;
static const double CERTIFICATE_VARIABLE = 15e-6, CERTIFICATE_FACTOR = 5e-6;
static const double CERTIFICATE_LEAST = 0.05; /* seconds */
static const double SLICE_BYTES = 3e5, ENTRY_BYTES = 8;

double zb_cost_elimination(double entries, int threads)
{
    return entries / (ELIMINATION_SPEED * threads);
}

double zb_cost_entries_within(double seconds) { return seconds * ELIMINATION_SPEED; }

double zb_cost_pass(double entries, double nodes)
{
    return PASS_ENTRY * entries + PASS_NODE * nodes;
}

double zb_cost_slices(double slices, double entries, int threads)
{
    return slices * (zb_cost_elimination(entries, 1) + SLICE_SECONDS) / threads;
}

double zb_cost_slice_entries(double bytes)
{
    return (bytes - SLICE_BYTES) / ENTRY_BYTES;
}

double zb_cost_certificate(double nvars, double nfactors)
{
    return CERTIFICATE_LEAST + CERTIFICATE_VARIABLE * nvars +
           CERTIFICATE_FACTOR * nfactors;
}
