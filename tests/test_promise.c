/* What decides which arm goes on and when a larger one is begun, on both sides of each
   threshold: arms of made-up curves. */
#include "auto/promise.h"
#include "base/cost.h"
#include "steered.h"

typedef struct scene {
    zb_model *model;
    zb_options opt;
    steered s;
    zb_arms arms;
    zb_attempt dummy; /* alive, and never looked into */
    double upper;     /* the claim */
} scene;

/* Five spins, each joined to all others: no reduction takes them apart. The bracket is
   that of the entries. */
static void open_scene(scene *c)
{
    int card[5] = { 2, 2, 2, 2, 2 };
    *c = (scene){ .opt = zb_options_default() };
    c->opt.time = c->opt.delta = 0;
    assert_int_equal(zb_model_new(&c->model, 5, card), ZB_OK);
    for (int u = 0; u < 5; u++)
        for (int v = u + 1; v < 5; v++)
            assert_int_equal(zb_model_add(c->model, 2, (int[]){ u, v },
                                          (double[]){ 1, 3 + u, 2 + v, 1 }),
                             ZB_OK);
    assert_int_equal(steered_open(&c->s, c->model, &c->opt, NULL), ZB_OK);
    assert_int_equal(c->s.p.job->count, 1);
    zb_arms_open(&c->arms, &c->s.p, ZB_SIDE_UPPER, 6);
    c->arms.memory = 1000;
    c->upper = zb_ledger_claim(&c->s.p.ledger, 0).upper;
}

static void close_scene(scene *c)
{
    c->arms.count = 0; /* the attempts are none */
    steered_close(&c->s);
    zb_model_free(c->model);
}

/* Known well, at the claim, with passes of 1 ms. */
static zb_arm *add_arm(scene *c, int size)
{
    zb_arm *a = &c->arms.arm[c->arms.count++];
    *a = (zb_arm){ .attempt = &c->dummy,
                   .size = size,
                   .bound = c->upper,
                   .entries = 1e6,
                   .bytes = 10,
                   .spent = 1,
                   .slice = 0.1,
                   .pass = 1e-3,
                   .passes = ZB_STEERING.known_passes };
    c->arms.top = c->arms.next = size;
    return a;
}

static int chosen(scene *c, double seconds, double *most)
{
    c->arms.next = zb_promise_size(&c->arms, seconds);
    return zb_promise_choose(&c->arms, seconds, most);
}

static void rates_fall(void **state)
{
    scene c;
    (void)state;
    open_scene(&c);
    zb_arm *a = add_arm(&c, 6);
    a->rate = 8, a->older = 16; /* by half in 0.1 s */
    double fall = log(2) / 0.1, much = zb_promise_outlook(&c.arms, a, INFINITY);
    assert_true(fabs(much - 8 / fall) < 1e-9 * much);
    assert_true(fabs(zb_promise_outlook(&c.arms, a, 0.1) - much / 2) < 1e-9 * much);
    assert_true(zb_promise_outlook(&c.arms, a, 0) == 0);
    a->older = 8; /* not slower than a power of the second it has had */
    assert_true(fabs(zb_promise_outlook(&c.arms, a, INFINITY) - 8) < 1e-9);
    a->converged = true;
    assert_true(zb_promise_outlook(&c.arms, a, INFINITY) == 0);
    close_scene(&c);
}

static void trials_come_first(void **state)
{
    scene c;
    double most;
    (void)state;
    open_scene(&c);
    assert_int_equal(chosen(&c, 10, &most), -1); /* the first arm, whatever it takes */
    assert_true(most == INFINITY && c.arms.next == 6);
    add_arm(&c, 6)->rate = 100;
    zb_arm *b = add_arm(&c, 8);
    c.arms.closed = true;
    double known = (ZB_STEERING.known_passes - ZB_STEERING.trial_passes) * b->pass /
                   ZB_STEERING.known_share;
    b->passes = ZB_STEERING.trial_passes - 1;
    assert_int_equal(chosen(&c, 0.99 * known, &most), 1);
    assert_true(most == INFINITY);
    b->passes++;
    assert_int_equal(chosen(&c, 0.99 * known, &most), 0);
    assert_true(most > 0 && most < INFINITY);
    assert_int_equal(chosen(&c, 1.01 * known, &most), 1); /* more take no time, */
    assert_true(most == INFINITY);
    b->passes = ZB_STEERING.known_passes; /* until enough is known */
    assert_int_equal(chosen(&c, 1e3 * known, &most), 0);
    close_scene(&c);
}

/* The one in front gains more for now, but the other will be ahead of it in the end: it
   gets the time, unless the ends are much alike. */
static void ends_count(void **state)
{
    scene c;
    double most;
    (void)state;
    open_scene(&c);
    zb_arm *a = add_arm(&c, 6), *b = add_arm(&c, 8);
    c.arms.closed = true;
    b->spent = 10;
    b->bound = c.upper + 3;
    b->rate = b->older = 1;
    double end = zb_promise_outlook(&c.arms, b, 10) - 3;
    assert_true(end > 3 && end < 3.5);
    a->rate = 0.79 * end * 5 / a->slice; /* which falls by e^5 in a slice */
    a->older = 1e3 * a->rate;
    assert_int_equal(chosen(&c, 10, &most), 1);
    assert_true(most > 0 && most < 1);
    a->rate *= 0.81 / 0.79;
    assert_int_equal(chosen(&c, 10, &most), 0);
    assert_true(most > 10);
    close_scene(&c);
}

/* One that lags behind the claim gets time if its curve will cross it. */
static void those_behind_wait(void **state)
{
    scene c;
    double most;
    (void)state;
    open_scene(&c);
    zb_arm *a = add_arm(&c, 6);
    c.arms.closed = true;
    a->rate = a->older = 4; /* 4 nats in all */
    a->bound = c.upper + 3.9;
    assert_int_equal(chosen(&c, 1e3, &most), 0);
    assert_true(most > 0);
    a->bound = c.upper + 4.1; /* else only where nothing else is promised, */
    assert_int_equal(chosen(&c, 1e3, &most), 0);
    assert_true(most > 0 && most < 1e-11);
    a->bound = c.upper + 4 * ZB_STEERING.lag_most - 0.1;
    assert_int_equal(chosen(&c, 1e3, &most), 0);
    a->bound = c.upper + 4 * ZB_STEERING.lag_most + 0.1; /* and if it may ever lead */
    (void)chosen(&c, 1e3, &most);
    assert_true(most == 0);
    a->bound = c.upper; /* the one that leads goes on even without a rate, */
    a->rate = a->older = 0;
    assert_int_equal(chosen(&c, 1e3, &most), 0);
    a->converged = true; /* until its end */
    (void)chosen(&c, 1e3, &most);
    assert_true(most == 0);
    close_scene(&c);
}

/* Seconds that an arm of 2^size, the second one, takes by the first. */
static double price(const zb_arm *a, int size)
{
    double growth = exp2(0.75 * (size - a->size));
    return 1.5 * a->making + ZB_STEERING.rung_passes * a->pass *
                                 zb_cost_pass(growth * a->entries, a->nodes) /
                                 zb_cost_pass(a->entries, a->nodes);
}

static void larger_ones_are_a_part_of_the_time(void **state)
{
    scene c;
    double most;
    (void)state;
    open_scene(&c);
    zb_arm *a = add_arm(&c, 6);
    a->making = 0.01;
    double some = price(a, 8) / ZB_STEERING.rung_share,
           all = price(a, 8) / ZB_STEERING.rung_last;
    assert_int_equal(chosen(&c, 1.01 * some, &most), -1);
    assert_int_equal(c.arms.next, 8);
    assert_int_equal(chosen(&c, 0.99 * some, &most), 0);
    a->converged = true; /* then there is nothing else to be done with the time */
    assert_int_equal(chosen(&c, 1.01 * all, &most), -1);
    assert_true(most > 0);
    (void)chosen(&c, 0.99 * all, &most);
    assert_true(most == 0);
    c.arms.refused = true;
    (void)chosen(&c, 1e6, &most);
    assert_true(most == 0);
    close_scene(&c);
}

/* What leads by far is none of the arms: a larger one is begun where it takes a part of
   the time and nothing else is promised. */
static void other_sizes_are_explored(void **state)
{
    scene c;
    double most;
    (void)state;
    open_scene(&c);
    zb_arm *a = add_arm(&c, 6);
    a->bound = c.upper + 1e6;
    double share = ZB_STEERING.explored[0];
    assert_int_equal(chosen(&c, 1.01 * price(a, 8) / share, &most), -1);
    assert_true(most > 0 && most < 1e-12);
    (void)chosen(&c, 0.99 * price(a, 8) / share, &most);
    assert_true(most == 0);
    a->bound = c.upper;
    assert_int_equal(chosen(&c, 1.01 * price(a, 8) / share, &most), -1);
    assert_true(most > 1e-3);
    close_scene(&c);
}

/* An arm that lags, and has not made the passes after which it is known, goes on rather
   than nobody: where that takes a part of the time, a small one if states can use it.
 */
static void hardly_begun_goes_on(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) { /* above, below, below with states */
        zb_draws draws = { .sliced = -INFINITY };
        scene c;
        double most, share = ZB_STEERING.explored[kind == 2];
        open_scene(&c);
        c.arms.side = kind == 0 ? ZB_SIDE_UPPER : ZB_SIDE_LOWER;
        c.s.p.draws = kind == 2 ? &draws : NULL;
        zb_claim claim = zb_ledger_claim(&c.s.p.ledger, 0);
        zb_arm *a = add_arm(&c, 6), *b = add_arm(&c, 8);
        c.arms.closed = true;
        a->bound = kind == 0 ? claim.upper : claim.lower;
        a->converged = true;
        b->bound = a->bound + (kind == 0 ? 100 : -100);
        b->passes = ZB_STEERING.known_passes - 50;
        (void)chosen(&c, 0.99 * 50 * b->pass / share, &most);
        assert_true(most == 0);
        assert_int_equal(chosen(&c, 1.01 * 50 * b->pass / share, &most), 1);
        assert_true(most > 0 && most < 1e-13);
        b->passes = ZB_STEERING.known_passes;
        (void)chosen(&c, 1.01 * 50 * b->pass / share, &most);
        assert_true(most == 0);
        c.s.p.draws = NULL;
        close_scene(&c);
    }
}

/* A size is a step where the next one will fit the share of the time for leaps. */
static void steps_are_followed(void **state)
{
    scene c;
    (void)state;
    open_scene(&c);
    assert_false(zb_promise_is_step(&c.arms, 6, 1e9)); /* the first one */
    zb_arm *a = add_arm(&c, 6);
    double seconds = price(a, 8 + ZB_STEERING.leap) / ZB_STEERING.leap_share;
    assert_true(zb_promise_is_step(&c.arms, 8, 1.001 * seconds));
    assert_false(zb_promise_is_step(&c.arms, 8, 0.999 * seconds));
    close_scene(&c);
}

static void larger_ones_fit_the_memory(void **state)
{
    scene c;
    double most;
    (void)state;
    open_scene(&c);
    zb_arm *a = add_arm(&c, 6);
    double growth = zb_cost_pass(exp2(1.5) * 1e6, 0) / zb_cost_pass(1e6, 0);
    a->bytes = 0.99 * (1 - ZB_STEERING.kept_share) * 1000 / growth;
    c.arms.memory = 1000;
    assert_int_equal(chosen(&c, 1e6, &most), -1);
    assert_false(c.s.p.short_of);
    a->bytes = 1001 / growth;
    assert_int_equal(chosen(&c, 1e6, &most), 0);
    assert_true(c.s.p.short_of);
    close_scene(&c);
}

/* A curve that falls by a nat from point to point, down to the bound. */
static void add_curve(zb_arm *a, int points)
{
    for (a->points = 0; a->points < points; a->points++)
        a->curve[a->points] = a->bound + points - a->points;
    a->passes = (int64_t)zb_promise_point(points);
}

static void curves_are_noted(void **state)
{
    zb_arm a = { .points = 0 };
    (void)state;
    zb_promise_note(&a, zb_promise_point(0) - 0.5, 9);
    assert_int_equal(a.points, 0);
    zb_promise_note(&a, zb_promise_point(0), 8);
    assert_int_equal(a.points, 1);
    zb_promise_note(&a, zb_promise_point(3), 7); /* a slice may pass several */
    assert_int_equal(a.points, 4);
    assert_true(a.curve[0] == 8 && a.curve[1] == 7 && a.curve[3] == 7);
    zb_promise_note(&a, 1e300, 6);
    assert_int_equal(a.points, ZB_CURVE);
}

/* An arm does as one that is ahead of it by passes did from there on. */
static void others_are_examples(void **state)
{
    scene c;
    (void)state;
    open_scene(&c);
    add_curve(add_arm(&c, 6), 10);
    zb_arm *b = add_arm(&c, 8);
    b->bound = c.upper + 3;
    add_curve(b, 4); /* 32 passes */
    double once = zb_promise_outlook(&c.arms, b, 32 * b->pass),
           all = zb_promise_outlook(&c.arms, b, INFINITY);
    assert_true(fabs(once - 2) < 1e-9 && fabs(all - 6) < 1e-9);
    b->curve[2] = b->bound + 1; /* half as steep so far: half of that */
    assert_true(fabs(zb_promise_outlook(&c.arms, b, INFINITY) - 3) < 1e-9);
    c.arms.arm[0].passes = b->passes; /* it is no further: no example */
    assert_true(zb_promise_outlook(&c.arms, b, INFINITY) == 0);
    close_scene(&c);
}

/* Passes until a larger one leads: the best one's until it was as near to its bound as
   the larger one will be ahead. */
static void passes_are_learnt(void **state)
{
    scene c;
    (void)state;
    open_scene(&c);
    zb_arm *a = add_arm(&c, 6);
    assert_true(zb_promise_passes(&c.arms) == ZB_STEERING.rung_passes);
    add_curve(a, 16);
    assert_true(zb_promise_passes(&c.arms) == ZB_STEERING.rung_passes);
    c.arms.step = 10.99 / 0.6; /* within eleven nats only at the sixth point */
    assert_true(fabs(zb_promise_passes(&c.arms) - 1.3 * zb_promise_point(6)) < 1e-9);
    c.arms.step = 11.01 / 0.6;
    assert_true(fabs(zb_promise_passes(&c.arms) - 1.3 * zb_promise_point(5)) < 1e-9);
    c.arms.step = 1e3;
    assert_true(zb_promise_passes(&c.arms) == ZB_STEERING.rung_least[0]);
    c.arms.side = ZB_SIDE_LOWER;
    assert_true(zb_promise_passes(&c.arms) >= ZB_STEERING.rung_least[1]);
    c.arms.side = ZB_SIDE_UPPER;
    c.arms.step = 0;
    assert_true(zb_promise_passes(&c.arms) == ZB_STEERING.rung_most);
    close_scene(&c);
}

/* The price of one of 2^size, by two arms whose entries grew fourfold in two steps. */
static double price_of_leap(const zb_arms *s, int size)
{
    const zb_arm *last = &s->arm[s->count - 1];
    double growth = zb_promise_growth(s, size);
    return 1.5 * last->making + zb_promise_passes(s) * last->pass *
                                    zb_cost_pass(growth * last->entries, last->nodes) /
                                    zb_cost_pass(last->entries, last->nodes);
}

/* Once it is known what a larger one gains, sizes in between are left out where far
   larger ones fit a part of the time. */
static void leaps_fit_the_time(void **state)
{
    const double part = ZB_STEERING.leap_share;
    scene c;
    (void)state;
    open_scene(&c);
    add_arm(&c, 6);
    add_arm(&c, 8)->entries = 4e6;
    assert_true(fabs(zb_promise_growth(&c.arms, 10) - 4) < 1e-9);
    assert_true(fabs(zb_promise_growth(&c.arms, 14) - 64) < 1e-9);
    assert_int_equal(zb_promise_size(&c.arms, 1e9), 8 + ZB_STEERING.leap);
    c.arms.step = 0; /* they gain nothing */
    assert_int_equal(zb_promise_size(&c.arms, 1e9), 8 + ZB_STEERING.leap);
    c.arms.step = 1;
    assert_int_equal(zb_promise_size(&c.arms, 1e9), 8 + ZB_STEERING.leap_most);
    double far = price_of_leap(&c.arms, 14) / part;
    assert_int_equal(zb_promise_size(&c.arms, 1.001 * far), 14);
    assert_int_equal(zb_promise_size(&c.arms, 0.999 * far), 12); /* in steps of two */
    /* what comes later in the round counts, too */
    for (int i = 0; i < 2; i++) {
        c.arms.later = (i == 0 ? 0.4 : 0.6) * far;
        (void)zb_arms_promise(&c.arms, zb_now() + 0.5 * far);
        assert_int_equal(c.arms.next, i == 0 ? 12 : 14);
    }
    close_scene(&c);
}

/* Where the one that leads gains little next to what the last step gained, a larger one
   may take nearly all of the time. */
static void little_gains_leave_their_time(void **state)
{
    scene c;
    (void)state;
    open_scene(&c);
    add_arm(&c, 6);
    zb_arm *b = add_arm(&c, 8);
    double most;
    b->entries = 4e6;
    b->rate = b->older = 1;
    c.arms.step = 1;
    double price = price_of_leap(&c.arms, 10), part = 1 / ZB_STEERING.rung_last;
    c.arms.step = 5 * zb_promise_outlook(&c.arms, b, price);
    assert_int_equal(chosen(&c, 1.01 * part * price, &most), 1);
    b->rate = b->older = 1e-6;
    assert_int_equal(chosen(&c, 1.01 * part * price, &most), -1);
    assert_int_equal(c.arms.next, 10);
    assert_int_equal(chosen(&c, 0.99 * part * price, &most), 1);
    close_scene(&c);
}

/* One that lags behind a smaller one after as many passes is given up: in its trial,
   after some passes, if it lags by more than a share of the gap. */
static void poor_ones_are_given_up(void **state)
{
    scene c;
    (void)state;
    open_scene(&c);
    zb_arm *a = add_arm(&c, 6);
    add_curve(a, 10);
    zb_arm *b = add_arm(&c, 8);
    b->passes = 16; /* the third point of the other's curve */
    double much = ZB_STEERING.poor * zb_promise_gap(&c.arms);
    b->bound = a->curve[2] + 1.01 * much;
    assert_true(zb_promise_is_poor(&c.arms, b));
    assert_false(zb_promise_is_poor(&c.arms, a));  /* nothing to compare it with */
    zb_promise_note(b, 8, b->bound + 1.02 * much); /* it gained as much: it is slow */
    assert_false(zb_promise_is_poor(&c.arms, b));
    b->curve[0] = b->bound + much;
    assert_true(zb_promise_is_poor(&c.arms, b));
    b->points = 0;
    b->bound = a->curve[2] + 0.99 * much;
    assert_false(zb_promise_is_poor(&c.arms, b));
    b->bound = a->curve[0] + 100 + much;
    b->passes = ZB_STEERING.poor_passes;
    assert_true(zb_promise_is_poor(&c.arms, b));
    b->passes--;
    assert_false(zb_promise_is_poor(&c.arms, b));
    b->passes = ZB_STEERING.trial_passes; /* it has made its way */
    assert_false(zb_promise_is_poor(&c.arms, b));
    b->passes--;
    assert_true(zb_promise_is_poor(&c.arms, b));
    a->since = b->passes + 1; /* the other's curve begins behind that */
    assert_false(zb_promise_is_poor(&c.arms, b));
    a->since--;
    assert_true(zb_promise_is_poor(&c.arms, b));
    a->passes = b->passes - 1; /* the other is no further */
    assert_false(zb_promise_is_poor(&c.arms, b));
    b->poor = true;
    assert_true(zb_promise_before(&c.arms, add_arm(&c, 10)) == a);
    assert_true(zb_promise_before(&c.arms, a) == NULL);
    close_scene(&c);
}

/* What was too large leaves smaller sizes, down to one above the last; then none. */
static void smaller_ones_are_left(void **state)
{
    scene c;
    double most;
    (void)state;
    open_scene(&c);
    zb_arm *a = add_arm(&c, 6);
    a->pass = 1e-9;
    c.arms.step = 1;
    int free = zb_promise_size(&c.arms, 100);
    assert_int_equal(free, 6 + ZB_STEERING.leap_most);
    c.arms.refused = free;
    assert_int_equal(zb_promise_size(&c.arms, 100), free - 2);
    c.arms.refused = 9;
    assert_int_equal(zb_promise_size(&c.arms, 100), 8);
    assert_int_equal(chosen(&c, 100, &most), -1);
    assert_true(most > 0);
    c.arms.refused = 8;
    assert_true(chosen(&c, 100, &most) == 0); /* the arm itself */
    c.arms.refused = 0;
    a->bytes = 100; /* of 1000: the largest do not fit, the next one does */
    int fits = zb_promise_size(&c.arms, 100);
    assert_true(fits > 6 && fits < free);
    zb_arms_renew(&c.arms);
    assert_int_equal(c.arms.refused, 0);
    close_scene(&c);
}

/* Which attempts follow the best, by their bounds. */
static void arms_come_in_sequence(void **state)
{
    scene c;
    zb_attempt other[3] = { { .bound = 3 }, { .bound = 1 }, { .bound = 2 } };
    (void)state;
    open_scene(&c);
    for (int i = 0; i < 3; i++) {
        zb_arm *a = add_arm(&c, 6 + 2 * i);
        a->attempt = &other[i];
        a->bound = other[i].bound;
    }
    zb_attempt *a = zb_arms_best(&c.arms);
    assert_ptr_equal(a, &other[1]);
    assert_ptr_equal(a = zb_arms_next(&c.arms, a), &other[2]);
    assert_ptr_equal(a = zb_arms_next(&c.arms, a), &other[0]);
    assert_null(zb_arms_next(&c.arms, a));
    close_scene(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_fall),
        cmocka_unit_test(trials_come_first),
        cmocka_unit_test(those_behind_wait),
        cmocka_unit_test(ends_count),
        cmocka_unit_test(larger_ones_are_a_part_of_the_time),
        cmocka_unit_test(other_sizes_are_explored),
        cmocka_unit_test(hardly_begun_goes_on),
        cmocka_unit_test(steps_are_followed),
        cmocka_unit_test(larger_ones_fit_the_memory),
        cmocka_unit_test(curves_are_noted),
        cmocka_unit_test(others_are_examples),
        cmocka_unit_test(passes_are_learnt),
        cmocka_unit_test(leaps_fit_the_time),
        cmocka_unit_test(little_gains_leave_their_time),
        cmocka_unit_test(poor_ones_are_given_up),
        cmocka_unit_test(smaller_ones_are_left),
        cmocka_unit_test(arms_come_in_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
