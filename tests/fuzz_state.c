#include "fuzz_reader.h"
#include "tighten/statefile.h"

static zb_status parse(zb_scan *in, void *out) { return zb_state_parse(out, in); }

/* Four variables, each pair joined: ln Z by hand. */
static zb_model *make_model(double *log_z)
{
    static const double table[4] = { 1, 3, 2, 1 };
    const int card[4] = { 2, 2, 2, 2 };
    zb_model *model;
    double sum = 0;
    REQUIRE(zb_model_new(&model, 4, card) == ZB_OK);
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 4; b++)
            REQUIRE(zb_model_add(model, 2, (int[]){ a, b }, table) == ZB_OK);
    for (int x = 0; x < 16; x++) {
        double product = 1;
        for (int a = 0; a < 4; a++)
            for (int b = a + 1; b < 4; b++)
                product *= table[2 * (x >> a & 1) + (x >> b & 1)];
        sum += product;
    }
    *log_z = log(sum);
    return model;
}

/* A product of six, a sum of sixteen, a logarithm: at most 24 roundings. */
static const double OWN_ROUNDING = 25 * 0x1p-53 + 0x1p-50;

/* Whatever was read: the bounds hold. */
static void check_bounds(const zb_state *state)
{
    zb_options opt = zb_options_default();
    zb_result r;
    double log_z;
    zb_model *model = make_model(&log_z);
    opt.iterations = 0;
    opt.threads = 1;
    zb_status status = zb_solve_with(model, &opt, state, NULL, NULL, &r, NULL);
    REQUIRE(status == ZB_OK || status == ZB_EINVAL || status == ZB_ELIMIT);
    if (status == ZB_OK) {
        REQUIRE(r.has_upper && r.log_upper >= log_z - OWN_ROUNDING);
        REQUIRE(r.has_lower && r.log_lower <= log_z + OWN_ROUNDING);
    }
    zb_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    zb_state *state[2] = { NULL, NULL };
    zb_error err[2] = { { "" }, { "" } };
    zb_status one = fuzz_parse(data, size, 5, parse, &state[0], &err[0]);
    zb_status two = fuzz_parse(data, size, 1 << 16, parse, &state[1], &err[1]);
    REQUIRE(one == two && strcmp(err[0].text, err[1].text) == 0);
    for (int i = 0; i < 2; i++)
        REQUIRE((one == ZB_OK) == (state[i] != NULL));
    if (one == ZB_OK) {
        for (int i = 0; i < ZB_STATE_SIDES; i++) {
            const zb_side_state *a = &state[0]->side[i], *b = &state[1]->side[i];
            REQUIRE(a->nvalue == b->nvalue && a->nvars == b->nvars);
            REQUIRE(a->nvalue == 0 ||
                    memcmp(a->value, b->value, a->nvalue * sizeof *a->value) == 0);
        }
        check_bounds(state[0]);
    }
    zb_state_free(state[0]);
    zb_state_free(state[1]);
    return 0;
}
