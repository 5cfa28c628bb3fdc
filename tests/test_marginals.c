/* Marginals: against enumeration, exact ones and intervals, through every reduction. */
#include "marginals/inquiry.h"
#include "oracle.h"
#include "test.h"

#include <inttypes.h>
#include <string.h>

enum { MOST = 40, ENTRIES = 4096 };

/* Zeros tie and fix variables; some have one value, some are in no factor. */
static const random_spec KINDS[] = { { 8, 3, 10, 3, 0, 2, true },
                                     { 8, 3, 12, 3, 0.3, 2, true },
                                     { 9, 2, 8, 2, 0.4, 1, true },
                                     { 7, 4, 9, 3, 0.1, 30, false } };
enum { KINDS_COUNT = sizeof KINDS / sizeof *KINDS };

typedef struct truth {
    brute_table table[MOST];
    int var[MOST], count;
    long double share[ENTRIES];
    double error; /* relative; negative: Z = 0 */
} truth;

/* Of all variables, then of all factors' scopes. */
static void find_truth(const zb_model *model, truth *t)
{
    size_t used = 0;
    t->count = 0;
    for (int v = 0; v < zb_model_nvars(model); v++) {
        t->var[v] = v;
        t->table[t->count++] = (brute_table){ 1, &t->var[v], t->share + used };
        used += (size_t)zb_model_card(model, v);
    }
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        t->table[t->count++] =
            (brute_table){ zb_model_arity(model, f), zb_model_scope(model, f),
                           t->share + used };
        used += zb_model_size(model, f);
    }
    assert_true(t->count <= MOST && used <= ENTRIES);
    t->error = brute_marginals(model, t->count, t->table);
}

/* exact: within 1e-12; intervals contain what is true, without a tolerance but that of
   the enumeration. */
static void check_table(const zb_marginal *m, const brute_table *want, double error,
                        bool exact, uint64_t seed)
{
    for (size_t e = 0; e < m->size; e++) {
        double p = (double)want->share[e];
        CHECK(!exact || fabs(m->value[e] - p) <= 1e-12,
              "seed %" PRIu64 ": %.17g for %.17g", seed, m->value[e], p);
        CHECK((long double)m->lower[e] <= want->share[e] * (1 + (long double)error) &&
                  (long double)m->upper[e] >= want->share[e] * (1 - (long double)error),
              "seed %" PRIu64 ": %.17g is not in %.17g .. %.17g", seed, p, m->lower[e],
              m->upper[e]);
        CHECK(m->lower[e] <= m->value[e] && m->value[e] <= m->upper[e] &&
                  m->lower[e] >= 0 && m->upper[e] <= 1 && m->error[e] >= 0,
              "seed %" PRIu64 ": %.17g in %.17g .. %.17g", seed, m->value[e],
              m->lower[e], m->upper[e]);
        CHECK(!exact || (m->error[e] == 0 && m->upper[e] - m->lower[e] < 1e-10),
              "seed %" PRIu64 ": %.17g .. %.17g", seed, m->lower[e], m->upper[e]);
    }
}

static void check_all(const zb_marginals *m, const zb_model *model, const truth *t,
                      bool exact, uint64_t seed)
{
    for (int k = 0; k < t->count; k++) {
        int nvars = zb_model_nvars(model);
        zb_marginal one =
            k < nvars ? zb_marginals_of(m, k) : zb_marginals_of_factor(m, k - nvars);
        size_t size = k < nvars ? (size_t)zb_model_card(model, k)
                                : zb_model_size(model, k - nvars);
        assert_int_equal(one.size, size);
        check_table(&one, &t->table[k], t->error, exact, seed);
    }
}

static zb_options options(int ibound)
{
    zb_options opt = zb_options_default();
    opt.time = 0;
    opt.ibound = ibound;
    opt.iterations = 10;
    opt.threads = 1;
    return opt;
}

static const zb_marginals_request ALL = { .pairs = true };

static void exact_ones_are_those_of_enumeration(void **state)
{
    (void)state;
    truth *t = malloc(sizeof *t);
    zb_options opt = options(0);
    int zero = 0;
    for (uint64_t seed = 1; seed <= test_models(2000); seed++) {
        zb_model *model = random_model(seed, KINDS[seed % KINDS_COUNT]);
        zb_marginals *m;
        find_truth(model, t);
        zb_status status = zb_marginals_new(&m, model, &opt, &ALL, NULL, NULL);
        CHECK((status == ZB_EINVAL) == (t->error < 0) &&
                  (status == ZB_OK) == (t->error >= 0),
              "seed %" PRIu64 ": status %d", seed, status);
        zero += status == ZB_EINVAL;
        if (status == ZB_OK) {
            CHECK(zb_marginals_about(m).exact, "seed %" PRIu64, seed);
            check_all(m, model, t, true, seed);
        }
        zb_marginals_free(m);
        zb_model_free(model);
    }
    assert_true(zero >= test_share(20) && zero < test_share(1500));
    free(t);
}

/* Dense enough to be split. */
static zb_model *wide(uint64_t seed)
{
    zb_random_spec spec = { .variables = 6 + (int)(seed % 3),
                            .factors = 12,
                            .arity = 3,
                            .cardinality = 2 + (int)(seed % 2),
                            .zeros = seed % 3 ? 0 : 0.2,
                            .seed = seed };
    zb_model *model;
    assert_int_equal(zb_generate_random(&model, &spec), ZB_OK);
    if (seed % 4 == 1 && seed % 3 != 0)
        assert_int_equal(zb_model_observe(model, (int)(seed % 6), 1), ZB_OK);
    return model;
}

static void intervals_contain(void **state)
{
    (void)state;
    truth *t = malloc(sizeof *t);
    int split = 0, narrow = 0;
    for (uint64_t seed = 1; seed <= test_models(300); seed++) {
        zb_model *model = wide(seed);
        zb_options opt = options(3 + (int)(seed % 2));
        zb_marginals *m;
        find_truth(model, t);
        assert_true(t->error >= 0);
        assert_int_equal(zb_marginals_new(&m, model, &opt, &ALL, NULL, NULL), ZB_OK);
        bool exact = zb_marginals_about(m).exact;
        check_all(m, model, t, exact, seed);
        zb_marginal first = zb_marginals_of(m, 0);
        split += !exact;
        narrow += !exact && first.upper[0] < 0.999 && first.lower[0] > 0.001;
        zb_marginals_free(m);
        zb_model_free(model);
    }
    CHECK(split >= test_share(100) && narrow >= test_share(30), "%d split, %d narrow",
          split, narrow);
    free(t);
}

/* Each way to an interval by itself: bounds of Z(y), and regions of every size. */
static void each_way_contains(void **state)
{
    (void)state;
    enum { WAYS = 4 };
    truth *t = malloc(sizeof *t);
    int narrow[WAYS] = { 0 }, open[WAYS] = { 0 };
    for (uint64_t seed = 1; seed <= test_models(200); seed++) {
        zb_model *given = wide(4 * seed + 3 * (seed % 2)), *model;
        zb_question question[16];
        zb_options opt = options(0);
        zb_run run;
        assert_int_equal(zb_model_raise(&model, given, 1), ZB_OK);
        zb_model_free(given);
        find_truth(model, t);
        int n = zb_model_nvars(model);
        size_t entries = 0;
        for (int v = 0; v < n; v++) {
            double ones[3] = { 0 };
            assert_int_equal(zb_model_add_log(model, 1, &v, ones), ZB_OK);
            question[v] = (zb_question){ zb_model_nfactors(model) - 1, entries };
            entries += (size_t)zb_model_card(model, v);
        }
        assert_int_equal(zb_run_open(&run, NULL, INFINITY, UINT64_MAX, 1), ZB_OK);
        for (int way = 0; way < WAYS; way++) {
            zb_answers a;
            zb_inquiry q = { model, n, question, &a, &opt, model->radius, false, 0 };
            assert_int_equal(zb_answers_new(&a, entries), ZB_OK);
            for (int v = 0; v < n; v++)
                zb_answers_forget(&a, question[v].at, (size_t)zb_model_card(model, v));
            if (way == 0)
                assert_int_equal(zb_inquiry_round(&q, (zb_round){ 3, 10 }, &run),
                                 ZB_OK);
            else /* 81, 729 and all entries */
                assert_int_equal(
                    zb_inquiry_nearby(
                        &q, way == 3 ? 1e9 : n * 5e-7 * (way == 1 ? 81 : 729), &run),
                    ZB_OK);
            for (int v = 0; v < n; v++) {
                zb_marginal m = { (size_t)zb_model_card(model, v),
                                  a.value + question[v].at, a.lower + question[v].at,
                                  a.upper + question[v].at, a.error + question[v].at };
                for (size_t e = 0; e < m.size; e++) {
                    long double p = t->table[v].share[e];
                    CHECK((long double)m.lower[e] <= p * (1 + (long double)t->error) &&
                              (long double)m.upper[e] >=
                                  p * (1 - (long double)t->error),
                          "seed %" PRIu64 ", way %d: %.17g is not in %.17g .. %.17g",
                          seed, way, (double)p, m.lower[e], m.upper[e]);
                    narrow[way] += m.upper[e] - m.lower[e] < 0.9;
                    open[way] += m.upper[e] - m.lower[e] > 1e-9;
                }
            }
            zb_answers_close(&a);
        }
        zb_run_close(&run);
        zb_model_free(model);
    }
    for (int way = 0; way < WAYS; way++)
        CHECK(narrow[way] >= test_share(200), "way %d: %d are narrow", way,
              narrow[way]);
    assert_true(open[0] >= test_share(200) && open[1] >= test_share(200));
    assert_int_equal(open[3], 0); /* a region of everything is exact */
    free(t);
}

/* Of estimates, 3.7 standard errors are exceeded once in 5000; those of few effective
   draws are not normal. */
static void estimates_are_near(void **state)
{
    (void)state;
    zb_ising_spec spec = {
        .rows = 4, .cols = 4, .coupling = 0.7, .field = 0.3, .seed = 5
    };
    zb_options opt = options(3);
    zb_model *model;
    zb_marginals *m, *exact;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    assert_int_equal(zb_marginals_new(&m, model, &opt, NULL, NULL, NULL), ZB_OK);
    opt = options(0);
    assert_int_equal(zb_marginals_new(&exact, model, &opt, NULL, NULL, NULL), ZB_OK);
    assert_true(!zb_marginals_about(m).exact && zb_marginals_about(exact).exact);
    assert_true(zb_marginals_about(m).samples >= 1000);
    for (int v = 0; v < 16; v++) {
        double p = zb_marginals_of(m, v).value[1],
               error = zb_marginals_of(m, v).error[1],
               want = zb_marginals_of(exact, v).value[1];
        CHECK(error > 0 && error < 0.05 && fabs(p - want) < 5 * error,
              "%d: %g +- %g for %g", v, p, error, want);
    }
    zb_marginals_free(m);
    zb_marginals_free(exact);
    zb_model_free(model);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    zb_ising_spec spec = {
        .rows = 6, .cols = 6, .coupling = 1, .field = 0.3, .seed = 2
    };
    zb_model *model;
    assert_int_equal(zb_generate_ising(&model, &spec), ZB_OK);
    for (int ibound = 0; ibound <= 4; ibound += 4) {
        zb_options opt = options(ibound);
        zb_marginals *one, *three;
        assert_int_equal(zb_marginals_new(&one, model, &opt, &ALL, NULL, NULL), ZB_OK);
        opt.threads = 3;
        assert_int_equal(zb_marginals_new(&three, model, &opt, &ALL, NULL, NULL),
                         ZB_OK);
        for (int f = 0; f < zb_model_nfactors(model); f++) {
            zb_marginal a = zb_marginals_of_factor(one, f),
                        b = zb_marginals_of_factor(three, f);
            assert_memory_equal(a.value, b.value, a.size * sizeof *a.value);
            assert_memory_equal(a.lower, b.lower, a.size * sizeof *a.lower);
            assert_memory_equal(a.upper, b.upper, a.size * sizeof *a.upper);
        }
        zb_marginals_free(one);
        zb_marginals_free(three);
    }
    zb_model_free(model);
}

/* A tree of 3000 variables, in which the smallest numbers would underflow. */
static void long_chains_are_exact(void **state)
{
    (void)state;
    enum { N = 3000 };
    int card[N];
    zb_model *model;
    zb_marginals *m;
    zb_options opt = options(0);
    for (int v = 0; v < N; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, N, card), ZB_OK);
    for (int v = 0; v + 1 < N; v++)
        assert_int_equal(zb_model_add_log(model, 2, (int[]){ v, v + 1 },
                                          (double[]){ 0, -500, -500, 0 }),
                         ZB_OK);
    assert_int_equal(zb_model_add(model, 1, (int[]){ 0 }, (double[]){ 1, 3 }), ZB_OK);
    assert_int_equal(zb_marginals_new(&m, model, &opt, NULL, NULL, NULL), ZB_OK);
    zb_marginal last = zb_marginals_of(m, N - 1);
    assert_true(fabs(last.value[1] - 0.75) < 1e-12);
    assert_true(last.lower[1] <= 0.75 && last.upper[1] >= 0.75);
    zb_marginals_free(m);
    zb_model_free(model);
}

static void arguments(void **state)
{
    (void)state;
    zb_options opt = options(0);
    zb_model *model;
    zb_marginals *m;
    zb_error err;
    assert_int_equal(zb_model_new(&model, 3, (int[]){ 2, 2, 1 }), ZB_OK);
    zb_marginals_request some = { .variables = (int[]){ 2, 0 }, .count = 2 };
    assert_int_equal(zb_marginals_new(&m, model, &opt, &some, NULL, &err), ZB_OK);
    assert_int_equal(zb_marginals_of(m, 0).size, 2);
    assert_int_equal(zb_marginals_of(m, 1).size, 0);
    assert_true(zb_marginals_of(m, 2).size == 1 && zb_marginals_of(m, 2).lower[0] == 1);
    assert_int_equal(zb_marginals_of(m, 3).size, 0);
    assert_int_equal(zb_marginals_of(m, -1).size, 0);
    assert_int_equal(zb_marginals_of_factor(m, 0).size, 0);
    assert_int_equal(zb_marginals_of(NULL, 0).size, 0);
    zb_marginals_free(m);
    some.variables = (int[]){ 2, 3 };
    assert_int_equal(zb_marginals_new(&m, model, &opt, &some, NULL, &err), ZB_EINVAL);
    assert_non_null(strstr(err.text, "from 0 to 2, found 3"));
    assert_null(m);
    assert_int_equal(zb_marginals_new(&m, NULL, &opt, NULL, NULL, &err), ZB_EINVAL);
    assert_int_equal(zb_marginals_new(NULL, model, &opt, NULL, NULL, NULL), ZB_EINVAL);
    assert_int_equal(zb_model_add(model, 0, NULL, (double[]){ 0 }), ZB_OK);
    assert_int_equal(zb_marginals_new(&m, model, &opt, NULL, NULL, &err), ZB_EINVAL);
    assert_non_null(strstr(err.text, "Z = 0"));
    zb_marginals_free(NULL);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_ones_are_those_of_enumeration),
        cmocka_unit_test(intervals_contain),
        cmocka_unit_test(each_way_contains),
        cmocka_unit_test(estimates_are_near),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(long_chains_are_exact),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
