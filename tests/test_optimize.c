/* The default descent on objectives that are known: matching where it helps, something
 * else where it does not. */
#include "test.h"
#include "tighten/optimize.h"

#include <string.h>

enum { N = 12 };

/* sum_i a_i (x_i - 1)^2, all of it shifts; matching says `sign` times x - 1. */
typedef struct bowl {
    double x[N], best[N], sign;
    int part; /* of the coordinates alone; 0: all */
    int matched;
    double fit;       /* what is left of the way after a fit */
    double ratio[64]; /* of the fits */
    int fits;
} bowl;

static double slope(int i) { return 0.1 * (1 + i * i); }

static double value(void *context, double *grad)
{
    const bowl *b = context;
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double d = b->x[i] - 1;
        sum += slope(i) * d * d;
        grad[i] = 2 * slope(i) * d;
    }
    return sum;
}

static void move(void *context, const double *step)
{
    bowl *b = context;
    for (int i = 0; i < N; i++)
        b->x[i] += step[i];
}

static void keep(void *context)
{
    bowl *b = context;
    memcpy(b->best, b->x, sizeof b->x);
}

static void back(void *context)
{
    bowl *b = context;
    memcpy(b->x, b->best, sizeof b->x);
}

static void match(void *context, double *direction)
{
    bowl *b = context;
    b->matched++;
    for (int i = 0; i < N; i++)
        direction[i] = b->part == 0 || i < b->part ? b->sign * (b->x[i] - 1) : 0;
}

static zb_objective objective_of(bowl *b, bool matches)
{
    return (zb_objective){ .context = b,
                           .n = N,
                           .block_at = { 0, 0, N, N },
                           .value = value,
                           .move = move,
                           .keep = keep,
                           .back = back,
                           .match = matches ? match : NULL };
}

static double descend(bowl *b, bool matches, int64_t iterations)
{
    zb_objective o = objective_of(b, matches);
    zb_descent how = { .optimizer = ZB_OPTIMIZER_DEFAULT,
                       .rates = { { 0.2, 0.05, 0.2 } },
                       .iterations = iterations,
                       .tolerance = 1e-9 };
    zb_descent_result result;
    for (int i = 0; i < N; i++)
        b->x[i] = -3 + 0.5 * i;
    assert_int_equal(zb_descend(&o, &how, &result), ZB_OK);
    double grad[N];
    assert_true(value(b, grad) == result.best); /* it is left at its best point */
    return result.best;
}

static void matching_is_quick(void **state)
{
    bowl plain = { .sign = 1 }, matched = { .sign = 1 };
    (void)state;
    double slow = descend(&plain, false, 15), quick = descend(&matched, true, 15);
    assert_int_equal(plain.matched, 0);
    assert_true(matched.matched > 6);
    CHECK(quick < 0.01 * slow, "%g, %g", quick, slow);
}

/* A direction that leads away is given up after a few passes, its halves too; and after
   twenty passes Adam takes over and gains. */
static void what_does_not_help_is_left(void **state)
{
    bowl away = { .sign = -1 }, little = { .sign = 0.01 };
    (void)state;
    double wrong = descend(&away, true, 300), weak = descend(&little, true, 300);
    assert_true(away.matched > 0 && away.matched <= 12);
    CHECK(wrong < 1e-3, "%g", wrong);
    assert_int_equal(little.matched, 20);
    CHECK(weak < 1e-3, "%g", weak);
}

/* It has done what it can long before twenty passes are over. */
static void what_slows_down_is_left(void **state)
{
    bowl half = { .sign = 1, .part = N / 2 };
    (void)state;
    double rest = descend(&half, true, 300);
    assert_true(half.matched > 6 && half.matched < 15);
    CHECK(rest < 1e-3, "%g", rest);
}

/* How far the first step of an open descent goes. */
static double first_step(double behind)
{
    bowl b = { .sign = 0 };
    zb_objective o = objective_of(&b, false);
    zb_descent how = { .optimizer = ZB_OPTIMIZER_DEFAULT,
                       .rates = { { 0, 0.05, 0 } },
                       .iterations = 1,
                       .open = true,
                       .behind = behind,
                       .tolerance = -1 };
    zb_descent_result result;
    assert_int_equal(zb_descend(&o, &how, &result), ZB_OK);
    return b.x[0];
}

/* Steps of a descent in pieces are shortened by the clock, late. */
static void steps_shorten_with_time(void **state)
{
    (void)state;
    assert_true(fabs(first_step(0) - 0.05) < 1e-7);
    assert_true(fabs(first_step(0.5) - 0.05 * pow(0.02, 1.0 / 16)) < 1e-7);
    assert_true(fabs(first_step(1) - 0.05 * 0.02) < 1e-7);
}

/* Adam's steps are of no use here: matching comes back. */
static void what_helps_comes_back(void **state)
{
    bowl b = { .sign = 0.2 };
    zb_objective o = objective_of(&b, true);
    zb_descent how = { .optimizer = ZB_OPTIMIZER_DEFAULT,
                       .rates = { { 0, 0, 0 } },
                       .iterations = 100,
                       .tolerance = -1 };
    zb_descent_result result;
    (void)state;
    for (int i = 0; i < N; i++)
        b.x[i] = 3;
    assert_int_equal(zb_descend(&o, &how, &result), ZB_OK);
    CHECK(b.matched > 50, "%d", b.matched);
}

static void fit(void *context, double part, double ratio)
{
    bowl *b = context;
    (void)part;
    if (b->fits < 64)
        b->ratio[b->fits++] = ratio;
    for (int i = 0; i < N; i++)
        b->x[i] = 1 + b->fit * (b->x[i] - 1);
}

static double descend_with_fits(bowl *b, bool jumps, bool plain, int64_t iterations)
{
    zb_objective o = objective_of(b, false);
    zb_descent how = { .optimizer = ZB_OPTIMIZER_DEFAULT,
                       .rates = { { 0.2, 0.05, 0.2 } },
                       .iterations = iterations,
                       .plain = plain,
                       .tolerance = -1 };
    zb_descent_result result;
    double grad[N];
    o.fit = fit;
    o.jumps = jumps;
    b->fits = 0;
    for (int i = 0; i < N; i++)
        b->x[i] = -3 + 0.5 * i;
    assert_int_equal(zb_descend(&o, &how, &result), ZB_OK);
    assert_true(value(b, grad) == result.best);
    return result.best;
}

static void fits_that_help_are_kept(void **state)
{
    bowl b = { .fit = 0.3 };
    (void)state;
    double plain = descend_with_fits(&b, false, true, 30);
    assert_int_equal(b.fits, 0);
    double fitted = descend_with_fits(&b, false, false, 30);
    assert_true(b.fits >= 3 && b.ratio[0] == INFINITY); /* there is nothing to choose */
    CHECK(fitted < 0.01 * plain, "%g, %g", fitted, plain);
    assert_true(
        descend_with_fits(&b, false, false, 10) ==
        descend_with_fits(&b, false, true, 10)); /* the first is the tenth pass */
    assert_int_equal(b.fits, 0);
    descend_with_fits(&b, false, false, 11);
    assert_int_equal(b.fits, 1);
}

/* Fewer are chosen anew each time, then none, then there are few fits. */
static void fits_that_do_not_help_are_taken_back(void **state)
{
    bowl b = { .fit = 5 };
    (void)state;
    double wrong = descend_with_fits(&b, true, false, 200);
    CHECK(wrong < 1e-3, "%g", wrong);
    assert_true(b.fits >= 3 && b.fits < 10);
    assert_true(b.ratio[0] < 2 && b.ratio[1] > 2 * b.ratio[0] && b.ratio[1] < 10);
    for (int i = 2; i < b.fits; i++)
        assert_true(b.ratio[i] == INFINITY);
}

/* A jump may begin somewhat worse, but has to lead. */
static void jumps_have_a_trial(void **state)
{
    bowl b = { .fit = 1.02 };
    (void)state;
    double little = descend_with_fits(&b, true, false, 200);
    CHECK(little < 0.5, "%g", little);     /* steps are short after each */
    assert_true(b.ratio[0] == b.ratio[1]); /* it led in the end */
    double strict = descend_with_fits(&b, false, false, 200);
    CHECK(strict < 1e-3, "%g", strict);
}

/* A piece that is too short for a trial has no fit; longer ones keep what led. */
static void trials_fit_their_pieces(void **state)
{
    (void)state;
    for (int piece = 8; piece <= 12; piece += 4) {
        bowl b = { .fit = 0.3 };
        zb_objective o = objective_of(&b, false);
        zb_descent how = { .optimizer = ZB_OPTIMIZER_DEFAULT,
                           .rates = { { 0.2, 0.05, 0.2 } },
                           .iterations = piece,
                           .open = true,
                           .tolerance = -1 };
        zb_descent_result result;
        zb_descender *d;
        o.fit = fit;
        o.jumps = true;
        assert_int_equal(zb_descender_new(&d, &o), ZB_OK);
        for (int i = 0; i < 5; i++)
            zb_descender_run(d, &how, &result);
        zb_descender_free(d);
        CHECK((b.fits > 0) == (piece > 8), "pieces of %d: %d fits", piece, b.fits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matching_is_quick),
        cmocka_unit_test(what_does_not_help_is_left),
        cmocka_unit_test(what_slows_down_is_left),
        cmocka_unit_test(what_helps_comes_back),
        cmocka_unit_test(steps_shorten_with_time),
        cmocka_unit_test(fits_that_help_are_kept),
        cmocka_unit_test(fits_that_do_not_help_are_taken_back),
        cmocka_unit_test(jumps_have_a_trial),
        cmocka_unit_test(trials_fit_their_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
