/* States: the same digits again, other models and ibounds, and that no state, however
 * it came about, makes a bound wrong. */
#include "files.h"
#include "oracle.h"
#include "base/rng.h"
#include "tighten/state.h"

#include <inttypes.h>

static const random_spec SMALL = { 12, 3, 16, 3, 0.05, 2, true };

/* Small and odd, or dense enough to be split. */
static zb_model *make_model(uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    if (seed % 4 == 0)
        return random_model(seed, SMALL);
    int card = 2 + zb_rng_below(&rng, 2), n = card == 2 ? 11 : 8;
    zb_random_spec spec = { .variables = n,
                            .factors = n + zb_rng_below(&rng, n),
                            .arity = 2 + zb_rng_below(&rng, 2),
                            .cardinality = card,
                            .zeros = zb_rng_below(&rng, 3) == 0 ? 0.1 : 0,
                            .seed = seed };
    zb_model *model;
    assert_int_equal(zb_generate_random(&model, &spec), ZB_OK);
    return model;
}

static zb_options options(zb_method method, int ibound, int iterations)
{
    zb_options opt = zb_options_default();
    opt.method = method;
    opt.ibound = ibound;
    opt.iterations = iterations;
    opt.threads = 1;
    return opt;
}

static zb_options resumed(int iterations)
{
    return options(ZB_METHOD_AUTO, 0, iterations);
}

static zb_method any_method(zb_rng *rng)
{
    return (zb_method)(ZB_METHOD_MBE + zb_rng_below(rng, 7));
}

/* A random run whose form exists for the model; NULL when it does not. */
static zb_state *random_run(const zb_model *model, zb_rng *rng, zb_result *r)
{
    static const zb_form form[] = { ZB_FORM_AUTO, ZB_FORM_AUTO, ZB_FORM_ORIGINAL,
                                    ZB_FORM_FORNEY, ZB_FORM_MERGED };
    zb_options opt = options(any_method(rng), 2 + zb_rng_below(rng, 3),
                             zb_rng_below(rng, 3) == 0 ? 0 : 25);
    zb_state *state = NULL;
    opt.form = form[zb_rng_below(rng, 5)];
    opt.optimizer =
        zb_rng_below(rng, 3) == 0 ? ZB_OPTIMIZER_PAPER : ZB_OPTIMIZER_DEFAULT;
    opt.seed = (uint64_t)zb_rng_below(rng, 100);
    zb_status status = zb_solve_with(model, &opt, NULL, &state, NULL, r, NULL);
    assert_true(status == ZB_OK || status == ZB_EINVAL);
    assert_true((status == ZB_OK) == (state != NULL));
    return state;
}

static void check_side(uint64_t seed, const zb_result *r, interval exact)
{
    CHECK(brackets(r, exact), "seed %" PRIu64 ": %.17g to %.17g, exact %.17g", seed,
          r->log_lower, r->log_upper, exact.lower);
}

/* ---- the same digits ------------------------------------------------------------- */

static zb_state *through_file(const zb_state *state)
{
    char *path = make_file(".zbs", "");
    zb_state *back = NULL;
    zb_error err = { "" };
    assert_int_equal(zb_state_write(state, path, &err), ZB_OK);
    zb_status status = zb_state_read(&back, path, &err);
    CHECK(status == ZB_OK, "%s", err.text);
    drop_file(path);
    return back;
}

static void a_saved_state_gives_the_same_digits(void **test)
{
    (void)test;
    int tried = 0, split = 0, gauged = 0;
    for (uint64_t seed = 1; seed <= test_models(400); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        zb_model *model = make_model(seed);
        zb_result first, again;
        zb_state *state = random_run(model, &rng, &first);
        if (state != NULL) {
            zb_state *back = through_file(state);
            zb_options opt = resumed(0);
            assert_int_equal(zb_solve_with(model, &opt, back, NULL, NULL, &again, NULL),
                             ZB_OK);
            CHECK(!first.has_upper || first.log_upper == again.log_upper,
                  "seed %" PRIu64 ": upper %.17g, then %.17g", seed, first.log_upper,
                  again.log_upper);
            CHECK(!first.has_lower || first.log_lower == again.log_lower,
                  "seed %" PRIu64 ": lower %.17g, then %.17g", seed, first.log_lower,
                  again.log_lower);
            CHECK(again.method == first.method && again.form == first.form &&
                      again.ibound == first.ibound && again.order == first.order,
                  "seed %" PRIu64, seed);
            tried++;
            split += state->side[0].nsplit > 0;
            gauged += state->side[0].ngauge > 0 || state->side[1].ngauge > 0;
            zb_state_free(back);
        }
        zb_state_free(state);
        zb_model_free(model);
    }
    CHECK(tried > test_share(200) && split > test_share(80) && gauged > test_share(10),
          "%d, %d, %d", tried, split, gauged);
}

/* Enough passes and range that nodes change to logarithms on the way. */
static void a_wide_model_gives_the_same_digits(void **test)
{
    (void)test;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        const zb_ising_spec spec = {
            .rows = 6, .cols = 6, .coupling = 30, .seed = seed
        };
        zb_options opt = options(ZB_METHOD_WMBE_WG, 4, 60), none = resumed(0);
        zb_model *model;
        zb_state *state;
        zb_result first, again;
        assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
        assert_int_equal(zb_solve_with(model, &opt, NULL, &state, NULL, &first, NULL),
                         ZB_OK);
        none.threads = 2;
        assert_int_equal(zb_solve_with(model, &none, state, NULL, NULL, &again, NULL),
                         ZB_OK);
        CHECK(first.log_upper == again.log_upper && first.log_lower == again.log_lower,
              "seed %" PRIu64 ": %.17g %.17g, then %.17g %.17g", seed, first.log_lower,
              first.log_upper, again.log_lower, again.log_upper);
        zb_state_free(state);
        zb_model_free(model);
    }
}

/* An upper bound that is not above another, but for rounding. */
static bool no_looser(double bound, double than)
{
    return bound <= than || close_to(bound, than, 1e-11);
}

static void more_passes_never_loosen(void **test)
{
    (void)test;
    for (uint64_t seed = 1; seed <= test_models(100); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        zb_model *model = make_model(seed);
        zb_options opt = resumed(10);
        zb_result r, next;
        zb_state *state = random_run(model, &rng, &r);
        for (int i = 0; i < 3 && state != NULL; i++) {
            zb_state *more;
            assert_int_equal(
                zb_solve_with(model, &opt, state, &more, NULL, &next, NULL), ZB_OK);
            CHECK(no_looser(next.log_upper, r.log_upper) &&
                      no_looser(-next.log_lower, -r.log_lower),
                  "seed %" PRIu64 ": %.17g %.17g, then %.17g %.17g", seed, r.log_lower,
                  r.log_upper, next.log_lower, next.log_upper);
            zb_state_free(state);
            state = more;
            r = next;
        }
        if (state != NULL)
            check_side(seed, &r, brute_interval(model));
        zb_state_free(state);
        zb_model_free(model);
    }
}

/* ---- other models, other ibounds ------------------------------------------------- */

/* The same scopes with other entries; *zeros: some of them zero. */
static zb_model *changed(const zb_model *model, zb_rng *rng, double zeros)
{
    int n = zb_model_nvars(model);
    int card[32];
    zb_model *out;
    for (int v = 0; v < n; v++)
        card[v] = zb_model_card(model, v);
    assert_int_equal(zb_model_new(&out, n, card), ZB_OK);
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        size_t size = zb_model_size(model, f);
        double *x = malloc(size * sizeof *x);
        zb_model_values(model, f, x);
        for (size_t i = 0; i < size; i++)
            x[i] = zb_rng_uniform(rng) < zeros
                       ? 0
                       : x[i] * exp(2 * zb_rng_uniform(rng) - 1);
        assert_int_equal(
            zb_model_add(out, zb_model_arity(model, f), zb_model_scope(model, f), x),
            ZB_OK);
        free(x);
    }
    for (int v = 0; v < n; v++)
        zb_model_observe(out, v, zb_model_evidence(model, v));
    return out;
}

static void other_factors_and_ibounds_stay_valid(void **test)
{
    (void)test;
    for (uint64_t seed = 1; seed <= test_models(500); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        zb_model *model = make_model(seed);
        zb_result r;
        zb_state *state = random_run(model, &rng, &r);
        zb_model *other = changed(model, &rng, zb_rng_below(&rng, 2) ? 0.1 : 0);
        zb_options opt = resumed(zb_rng_below(&rng, 2) ? 0 : 10);
        if (zb_rng_below(&rng, 2))
            opt.ibound = 2 + zb_rng_below(&rng, 4);
        if (zb_rng_below(&rng, 3) == 0)
            opt.method = any_method(&rng);
        if (zb_rng_below(&rng, 4) == 0)
            opt.order = ZB_ORDER_MINFILL;
        if (state != NULL) {
            zb_error err = { "" };
            zb_status status = zb_solve_with(other, &opt, state, NULL, NULL, &r, &err);
            CHECK(status == ZB_OK, "seed %" PRIu64 ": %s", seed, err.text);
            check_side(seed, &r, brute_interval(other));
        }
        zb_state_free(state);
        zb_model_free(other);
        zb_model_free(model);
    }
}

/* Passes are saved: at the next temperature, and at a larger ibound. */
static void warm_starts_are_ahead(void **test)
{
    (void)test;
    double warm_gap = 0, cold_gap = 0;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int grow = 0; grow < 2; grow++) {
            zb_ising_spec spec = {
                .rows = 8, .cols = 8, .coupling = 1, .field = 0.1, .seed = seed
            };
            zb_options opt = options(ZB_METHOD_WMBE_WG, 4, 100);
            zb_model *model, *next;
            zb_state *state;
            zb_result r, warm, cold;
            assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
            spec.coupling = grow ? 1 : 1.1;
            assert_int_equal(zb_generate_ising(&next, &spec), ZB_OK);
            assert_int_equal(zb_solve_with(model, &opt, NULL, &state, NULL, &r, NULL),
                             ZB_OK);
            opt.iterations = 10;
            opt.ibound = grow ? 5 : 4;
            assert_int_equal(zb_solve_with(next, &opt, state, NULL, NULL, &warm, NULL),
                             ZB_OK);
            assert_int_equal(zb_solve(next, &opt, NULL, &cold, NULL), ZB_OK);
            warm_gap += warm.log_upper - warm.log_lower;
            cold_gap += cold.log_upper - cold.log_lower;
            zb_state_free(state);
            zb_model_free(model);
            zb_model_free(next);
        }
    CHECK(warm_gap < 0.8 * cold_gap, "warm %.3f, cold %.3f", warm_gap, cold_gap);
}

/* ---- tampering ------------------------------------------------------------------- */

static double odd_number(zb_rng *rng)
{
    static const double odd[] = { 0,    1,     -1,   1e-300, 1e300, -1e300,
                                  1e17, -1e17, 1e-8, 9999,   -3.5,  1e5 };
    return odd[zb_rng_below(rng, (int)(sizeof odd / sizeof *odd))];
}

static void tamper_side(zb_side_state *s, zb_rng *rng)
{
    for (int i = zb_rng_below(rng, 1 + (int)s->nvalue); i > 0; i--) {
        double *x = &s->value[zb_rng_below(rng, (int)s->nvalue)];
        *x = zb_rng_below(rng, 2)
                 ? odd_number(rng)
                 : *x * exp(4 * zb_rng_uniform(rng) - 2) + zb_rng_uniform(rng) - 0.5;
    }
    for (size_t i = 0; i < s->nsplit; i++)
        if (zb_rng_below(rng, 2))
            s->split[i].positive = zb_rng_below(rng, s->split[i].count);
    for (int i = s->nvars - 1; i > 0 && zb_rng_below(rng, 4); i--) {
        int j = zb_rng_below(rng, i + 1), v = s->order[i];
        s->order[i] = s->order[j];
        s->order[j] = v;
    }
    bool *flag[] = { &s->moves.weights, &s->moves.theta,    &s->moves.gauges,
                     &s->moves.shared,  &s->moves.absolute, &s->extreme,
                     &s->gauged,        &s->moves.gradient };
    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++)
        if (zb_rng_below(rng, 4) == 0)
            *flag[i] = !*flag[i];
    if (zb_rng_below(rng, 4) == 0)
        s->ibound = 1 + zb_rng_below(rng, 6);
    if (zb_rng_below(rng, 4) == 0)
        s->partition = ZB_PARTITION_SCOPE;
    if (zb_rng_below(rng, 4) == 0)
        s->max_entries = zb_rng_below(rng, 20);
    s->structure ^= (uint64_t)zb_rng_below(rng, 2);
}

/* The sides exchanged, too: what is fit for one need not be for the other. */
static void tamper(zb_state *state, zb_rng *rng)
{
    for (int i = 0; i < ZB_STATE_SIDES; i++)
        if (state->side[i].present)
            tamper_side(&state->side[i], rng);
    if (zb_rng_below(rng, 4) == 0) {
        zb_side_state s = state->side[0];
        state->side[0] = state->side[1];
        state->side[1] = s;
    }
    if (zb_rng_below(rng, 4) == 0)
        state->method = any_method(rng);
}

static void tampered_states_stay_valid(void **test)
{
    (void)test;
    int tried = 0;
    for (uint64_t seed = 1; seed <= test_models(300); seed++) {
        zb_rng rng = zb_rng_seed(1000 + seed);
        zb_model *model = make_model(seed);
        interval exact = brute_interval(model);
        zb_result r;
        zb_state *state = random_run(model, &rng, &r);
        for (int i = 0; i < 5 && state != NULL; i++) {
            tamper(state, &rng);
            zb_state *read = through_file(state);
            zb_options opt = resumed(zb_rng_below(&rng, 3) ? 0 : 5);
            zb_error err = { "" };
            zb_status status = zb_solve_with(model, &opt, read, NULL, NULL, &r, &err);
            CHECK(status == ZB_OK || status == ZB_EINVAL, "seed %" PRIu64 ": %s", seed,
                  err.text);
            if (status == ZB_OK)
                check_side(seed, &r, exact), tried++;
            zb_state_free(read);
        }
        zb_state_free(state);
        zb_model_free(model);
    }
    CHECK(tried > test_share(800), "only %d", tried);
}

/* ---- what is refused ------------------------------------------------------------- */

static void misfits_are_refused(void **test)
{
    (void)test;
    zb_model *model, *larger;
    zb_options opt = options(ZB_METHOD_WMBE, 2, 0);
    zb_state *state = NULL, *none = NULL;
    zb_result r;
    zb_error err = { "" };
    const int card[3] = { 2, 2, 2 };
    assert_int_equal(zb_model_new(&model, 2, card), ZB_OK);
    assert_int_equal(zb_model_new(&larger, 3, card), ZB_OK);
    assert_int_equal(zb_solve_with(model, &opt, NULL, &state, NULL, &r, &err), ZB_OK);
    assert_int_equal(zb_solve_with(larger, &opt, state, &none, NULL, &r, &err),
                     ZB_EINVAL);
    assert_string_equal(err.text,
                        "the state is of a model with 2 variables, this one has 3");
    assert_null(none);
    static const zb_method without[] = { ZB_METHOD_AUTO, ZB_METHOD_BE, ZB_METHOD_TRBP,
                                         ZB_METHOD_BP, ZB_METHOD_MF };
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        opt.method = without[i];
        assert_int_equal(zb_solve_with(model, &opt, NULL, &none, NULL, &r, &err),
                         ZB_EINVAL);
        assert_non_null(strstr(err.text, "has no state"));
        assert_null(none);
    }
    zb_state_free(NULL);
    zb_state_free(state);
    zb_model_free(model);
    zb_model_free(larger);
}

static zb_status read_bad(const char *path, zb_error *err)
{
    zb_state *state;
    zb_status status = zb_state_read(&state, path, err);
    assert_null(state);
    return status;
}

static void malformed_files_are_refused(void **test)
{
    (void)test;
    int count = check_bad_folder("tests/data/bad_state", read_bad);
    CHECK(count >= 20, "only %d malformed files", count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_state_gives_the_same_digits),
        cmocka_unit_test(a_wide_model_gives_the_same_digits),
        cmocka_unit_test(more_passes_never_loosen),
        cmocka_unit_test(other_factors_and_ibounds_stay_valid),
        cmocka_unit_test(warm_starts_are_ahead),
        cmocka_unit_test(tampered_states_stay_valid),
        cmocka_unit_test(misfits_are_refused),
        cmocka_unit_test(malformed_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
