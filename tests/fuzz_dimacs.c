#include "fuzz_reader.h"
#include "io/dimacs.h"

static zb_status parse(zb_scan *in, void *out) { return zb_dimacs_parse(out, in); }

/* What counting relies on; small ones are counted, too. */
static void check(const zb_dimacs *d)
{
    REQUIRE(d->nvars >= 0 && d->info.shown <= d->nvars);
    for (size_t i = 0; i < d->at[d->clauses]; i++)
        REQUIRE(d->lit[i] >> 1 < (uint32_t)d->nvars);
    for (size_t i = 0; i < d->weights; i++) {
        REQUIRE(d->weight[i].var < d->nvars);
        for (int k = 0; k < 2; k++)
            REQUIRE(!zb_big_is_zero(&d->weight[i].of[k].below) &&
                    !d->weight[i].of[k].below.negative);
    }
    if (d->model != NULL)
        fuzz_check_model(d->model);
    if (d->nvars > 20 || d->clauses > 50)
        return;
    zb_options opt = zb_options_default();
    zb_tally t;
    opt.time = 1;
    REQUIRE(zb_dimacs_count(d, &opt, NULL, &t, NULL) == ZB_OK);
    REQUIRE(!t.complete || t.count != NULL);
    zb_tally_clear(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    zb_dimacs *d[2] = { NULL, NULL };
    zb_error err[2] = { { "" }, { "" } };
    zb_status one = fuzz_parse(data, size, 7, parse, &d[0], &err[0]);
    zb_status two = fuzz_parse(data, size, 1 << 16, parse, &d[1], &err[1]);
    REQUIRE(one == two && strcmp(err[0].text, err[1].text) == 0);
    for (int i = 0; i < 2; i++) {
        REQUIRE((one == ZB_OK) == (d[i] != NULL));
        if (d[i] != NULL)
            check(d[i]);
        zb_dimacs_free(d[i]);
    }
    return 0;
}
