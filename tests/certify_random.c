/* Certificates of random small models, of every method and form: zbound-verify follows
 * them, what it proves holds, and it is what was printed. */
#include "certify.h"

typedef struct variant {
    zb_method method;
    zb_form form;
    int ibound;
    zb_side side;
} variant;

static const variant VARIANTS[] = {
    { ZB_METHOD_AUTO, ZB_FORM_AUTO, 0, ZB_SIDE_BOTH },
    { ZB_METHOD_AUTO, ZB_FORM_AUTO, 0, ZB_SIDE_UPPER },
    { ZB_METHOD_AUTO, ZB_FORM_AUTO, 0, ZB_SIDE_LOWER },
    { ZB_METHOD_BE, ZB_FORM_AUTO, 0, ZB_SIDE_BOTH },
    { ZB_METHOD_MF, ZB_FORM_AUTO, 0, ZB_SIDE_BOTH },
    { ZB_METHOD_MBE, ZB_FORM_AUTO, 2, ZB_SIDE_BOTH },
    { ZB_METHOD_MBE, ZB_FORM_ORIGINAL, 2, ZB_SIDE_BOTH },
    { ZB_METHOD_WMBE, ZB_FORM_FORNEY, 3, ZB_SIDE_BOTH },
    { ZB_METHOD_WMBE_W, ZB_FORM_ORIGINAL, 2, ZB_SIDE_BOTH },
    { ZB_METHOD_WMBE_THETA, ZB_FORM_MERGED, 3, ZB_SIDE_BOTH },
    { ZB_METHOD_WMBE_WTHETA, ZB_FORM_AUTO, 2, ZB_SIDE_BOTH },
    { ZB_METHOD_WMBE_WTHETA, ZB_FORM_ORIGINAL, 3, ZB_SIDE_LOWER },
    { ZB_METHOD_WMBE_G, ZB_FORM_FORNEY, 2, ZB_SIDE_UPPER },
    { ZB_METHOD_WMBE_WG, ZB_FORM_MERGED, 3, ZB_SIDE_BOTH },
    { ZB_METHOD_WMBE_WG, ZB_FORM_AUTO, 2, ZB_SIDE_BOTH },
};
enum { NVARIANTS = sizeof VARIANTS / sizeof *VARIANTS };

static zb_options options_of(const variant *v)
{
    zb_options opt = zb_options_default();
    opt.method = v->method;
    opt.form = v->form;
    opt.ibound = v->ibound;
    opt.side = v->side;
    opt.iterations = 10;
    opt.time = 0;
    opt.threads = 1;
    return opt;
}

/* What is claimed is what was printed: the bounds proved lie within. */
static void check_claims(uint64_t seed, int k, const certified *c, const verdict *v)
{
    const zb_result *r = &c->result;
    CHECK((v->lower[0] != '\0') == r->has_lower &&
              (v->upper[0] != '\0') == r->has_upper,
          "seed %d, variant %d: sides", (int)seed, k);
    CHECK(!r->has_lower || strtod(v->lower, NULL) >= r->log_lower - 1e-12,
          "seed %d, variant %d: lower %s of %.17g", (int)seed, k, v->lower,
          r->log_lower);
    CHECK(!r->has_upper || strtod(v->upper, NULL) <= r->log_upper + 1e-12,
          "seed %d, variant %d: upper %s of %.17g", (int)seed, k, v->upper,
          r->log_upper);
}

static void check_model(uint64_t seed, const zb_model *model, int *splits)
{
    double log_z = brute_force(model);
    for (int k = 0; k < NVARIANTS; k++) {
        zb_options opt = options_of(&VARIANTS[k]);
        certified c;
        zb_status status = certify(&c, model, &opt);
        CHECK(status == ZB_OK, "seed %d, variant %d: %s", (int)seed, k,
              zb_status_text(status));
        verdict v = verify_text(&c, c.text[2]);
        CHECK(v.outcome == VERIFIED, "seed %d, variant %d: line %ld: %s\n%s\n%s",
              (int)seed, k, v.line, v.reason, c.text[0], c.text[2]);
        CHECK(contains(&v, enclosed(&c)), "seed %d, variant %d: %s %s without %.17g",
              (int)seed, k, v.lower, v.upper, log_z);
        check_claims(seed, k, &c, &v);
        *splits += strstr(c.text[2], "bucket") != NULL;
        certified_clear(&c);
    }
}

static void every_method_is_proved(void **state)
{
    (void)state;
    static const random_spec SPECS[] = {
        { 9, 3, 40, 2, 0, 2, false },    { 11, 2, 50, 2, 0.2, 2, true },
        { 9, 2, 30, 3, 0.5, 1, true },   { 7, 4, 12, 4, 0.7, 3, true },
        { 10, 3, 30, 2, 0.1, 40, true }, { 8, 3, 40, 2, 0, 1, true }
    };
    int splits = 0;
    for (uint64_t seed = 0; seed < test_models(120); seed++) {
        zb_model *model = seed % 2 == 0 ? random_model(seed, SPECS[seed / 2 % 6])
                                        : dense_model(seed / 2);
        check_model(seed, model, &splits);
        zb_model_free(model);
    }
    CHECK(splits >= test_share(200), "%d", splits);
}

/* Factors f(x, y, r) = a(x, r) b(y, r) c(r), of powers of two, are taken apart, and the
   two parts may be in different mini-buckets: c(r) has to go where it went. */
static void products_are_proved(void **state)
{
    (void)state;
    enum { N = 7 };
    int split = 0;
    for (uint64_t seed = 0; seed < test_models(60); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        int card[N] = { 2, 2, 2, 2, 2, 2, 2 };
        zb_model *model;
        assert_int_equal(zb_model_new(&model, N, card), ZB_OK);
        for (int f = 0; f < 2 * N; f++) {
            int scope[3] = { f % N, (f + 1 + f / N) % N, (f + 3) % N };
            double part[3][4], value[8];
            for (int i = 0; i < 12; i++)
                part[i / 4][i % 4] = exp2(zb_rng_below(&rng, 9) - 4);
            for (int i = 0; i < 8; i++) {
                int x = i / 4, y = i / 2 % 2, r = i % 2;
                value[i] = part[0][2 * x + r] * part[1][2 * y + r] * part[2][r];
            }
            assert_int_equal(zb_model_add(model, 3, scope, value), ZB_OK);
        }
        for (int k = 0; k < NVARIANTS; k += 5) {
            zb_options opt = options_of(&VARIANTS[k]);
            certified c;
            assert_int_equal(certify(&c, model, &opt), ZB_OK);
            verdict v = verify_text(&c, c.text[2]);
            CHECK(v.outcome == VERIFIED && contains(&v, enclosed(&c)),
                  "seed %d, variant %d: line %ld: %s\n%s", (int)seed, k, v.line,
                  v.reason, c.text[2]);
            split += strstr(c.text[2], "split") != NULL &&
                     strstr(c.text[2], "bucket") != NULL;
            certified_clear(&c);
        }
        zb_model_free(model);
    }
    CHECK(split >= test_share(20), "%d", split);
}

/* Clauses of up to 14 literals, some of them twice or with their negations, and
   weights: decimals, fractions, of one literal or of both. */
static char *random_formula(uint64_t seed)
{
    static const char *const weight[] = {
        "0.3", "1/3", "0", "1", "2.5", "1e-3", "7/5"
    };
    zb_rng rng = zb_rng_seed(seed);
    int n = seed % 4 == 1 ? 14 : 6 + zb_rng_below(&rng, 5);
    int clauses = n + zb_rng_below(&rng, n);
    char *data = calloc(20000, 1), *at = data;
    at += sprintf(at, "c formula\np cnf %d %d\n", n, clauses);
    for (int k = 0; k < clauses; k++) {
        int length = zb_rng_below(&rng, 6) == 0 ? 12 + zb_rng_below(&rng, 3)
                                                : 2 + zb_rng_below(&rng, 2);
        bool once = seed % 3 != 0; /* then no variable stands twice in a clause */
        for (int i = 0; i < length && (!once || i < n); i++) {
            int v = once ? (k * k + (1 + k % 3) * i) % n : zb_rng_below(&rng, n);
            at += sprintf(at, "%s%d ", zb_rng_below(&rng, 2) ? "-" : "", v + 1);
        }
        at += sprintf(at, "0\n");
    }
    for (int v = 1; v <= n && seed % 2 == 1; v++)
        for (int side = 0; side < 2; side++)
            if (zb_rng_below(&rng, 2) == 0)
                at += sprintf(at, side ? "c p weight -%d %s 0\n" : "w %d %s\n", v,
                              weight[zb_rng_below(&rng, 7)]);
    return data;
}

/* Formulas: zbound-verify reads them by itself, and numbers variables and tables the
   same way. */
static void formulas_are_proved(void **state)
{
    (void)state;
    int cut = 0, splits = 0;
    for (uint64_t seed = 0; seed < test_models(60); seed++)
        for (int k = 0; k < NVARIANTS; k += 5) {
            zb_options opt = options_of(&VARIANTS[k]);
            certified c = { .format = FORMULA, .text = { random_formula(seed) } };
            char path[64];
            zb_error err;
            temporary(path, ".cnf");
            FILE *out = fopen(path, "w");
            assert_non_null(out);
            fputs(c.text[0], out);
            fclose(out);
            CHECK(zb_model_read(&c.model, path, &err) == ZB_OK, "%s", err.text);
            unlink(path);
            if (seed % 5 == 0)
                assert_int_equal(zb_model_observe(c.model, 2, 1), ZB_OK);
            assert_int_equal(certify_read(&c, &opt), ZB_OK);
            verdict v = verify_text(&c, c.text[2]);
            CHECK(v.outcome == VERIFIED && contains(&v, enclosed(&c)),
                  "seed %d, variant %d: %s:%ld: %s: %s .. %s\n%s\n%s", (int)seed, k,
                  v.file, v.line, v.reason, v.lower, v.upper, c.text[0], c.text[2]);
            check_claims(seed, k, &c, &v);
            cut += zb_model_nvars(c.model) > atoi(strstr(c.text[0], "cnf ") + 4);
            splits += strstr(c.text[2], "bucket") != NULL;
            certified_clear(&c);
        }
    CHECK(cut >= test_share(10) && splits >= test_share(5), "%d cut, %d split", cut,
          splits);
}

/* The proof is of one model. Of another one, whose Z is larger and smaller, it shows
   neither bound. */
static void another_model_is_refused(void **state)
{
    (void)state;
    static const double EVEN[4] = { 1, 2, 2, 1 }, FIELD[2] = { 1, 3 };
    int card[4] = { 2, 2, 2, 2 };
    zb_options opt = options_of(&VARIANTS[8]);
    certified one, other;
    for (int kind = 0; kind < 2; kind++) {
        zb_model *model[2];
        for (int i = 0; i < 2; i++) {
            double scale = i == 0 ? 1 : kind == 0 ? 0.5 : 2;
            double even[4] = { scale * EVEN[0], EVEN[1], EVEN[2], scale * EVEN[3] };
            assert_int_equal(zb_model_new(&model[i], 4, card), ZB_OK);
            for (int v = 0; v < 4; v++) {
                int scope[2] = { v, (v + 1) % 4 };
                assert_int_equal(zb_model_add(model[i], 2, scope, even), ZB_OK);
                assert_int_equal(zb_model_add(model[i], 1, &v, FIELD), ZB_OK);
            }
        }
        assert_int_equal(certify(&one, model[0], &opt), ZB_OK);
        assert_int_equal(certify(&other, model[1], &opt), ZB_OK);
        assert_int_equal(verify_text(&one, one.text[2]).outcome, VERIFIED);
        assert_int_equal(verify_text(&other, one.text[2]).outcome, REFUSED);
        certified_clear(&one);
        certified_clear(&other);
        zb_model_free(model[0]);
        zb_model_free(model[1]);
    }
}

/* With gauges, unless these gain nothing. */
static void grids_in_forney_forms(void **state)
{
    (void)state;
    uint64_t gauged = 0;
    for (uint64_t seed = 0; seed < test_models(6); seed++) {
        zb_ising_spec spec = { .rows = 4,
                               .cols = 4,
                               .coupling = 1,
                               .field = 0.5,
                               .periodic = true,
                               .seed = seed };
        zb_options opt = options_of(&VARIANTS[13]);
        zb_model *model;
        certified c;
        assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
        opt.form = seed % 2 == 0 ? ZB_FORM_LATTICE : ZB_FORM_FORNEY;
        if (seed % 2 == 1)
            assert_int_equal(zb_model_observe(model, (int)seed % 16, 1), ZB_OK);
        assert_int_equal(certify(&c, model, &opt), ZB_OK);
        verdict v = verify_text(&c, c.text[2]);
        CHECK(v.outcome == VERIFIED, "seed %d: line %ld: %s\n%s", (int)seed, v.line,
              v.reason, c.text[2]);
        gauged += strstr(c.text[2], "gauge") != NULL;
        CHECK(contains(&v, enclosed(&c)), "seed %d: %s %s", (int)seed, v.lower,
              v.upper);
        certified_clear(&c);
        zb_model_free(model);
    }
    CHECK(2 * gauged > test_models(6), "%d with gauges", (int)gauged);
}

/* What has no certificate says so. */
static void trbp_has_none(void **state)
{
    (void)state;
    zb_model *model = random_model(1, (random_spec){ 5, 2, 6, 2, 0, 1, false });
    zb_options opt = zb_options_default();
    zb_certificate *made;
    zb_result r;
    zb_error err;
    opt.method = ZB_METHOD_TRBP;
    assert_int_equal(zb_solve_certified(model, &opt, NULL, &made, &r, &err), ZB_EINVAL);
    assert_non_null(strstr(err.text, "has no certificate"));
    assert_null(made);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_is_proved),
        cmocka_unit_test(products_are_proved),
        cmocka_unit_test(formulas_are_proved),
        cmocka_unit_test(another_model_is_refused),
        cmocka_unit_test(grids_in_forney_forms),
        cmocka_unit_test(trbp_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
