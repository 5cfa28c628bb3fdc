/* Draws of a sampler over ranks: the same states in the same order for any number of
   them. */
#include "oracle.h"
#include "base/rng.h"
#include "test.h"
#include "thread_ranks.h"

#include <inttypes.h>

static const int SIZES[] = { 1, 2, 3, 5, 8 };
enum { SIZES_COUNT = sizeof SIZES / sizeof *SIZES, DRAWS = 700, VARS = 40 };

typedef struct drawn {
    int state[2][DRAWS * VARS];
    double log_weight[DRAWS];
    uint64_t letters;
} drawn;

/* Random models side by side, some of three values, bounded by mini-buckets of two
   variables: as many components, and draws that are refused. */
static zb_model *parts(int count, uint64_t seed)
{
    int card[20];
    zb_model *both;
    for (int v = 0; v < 20; v++)
        card[v] = 2 + (v + (int)seed) % 2;
    assert_int_equal(zb_model_new(&both, 10 * count, card), ZB_OK);
    zb_rng rng = zb_rng_seed(seed);
    for (int half = 0; half < count; half++)
        for (int k = 0; k < 22; k++) {
            int u = zb_rng_below(&rng, 10), v = (u + 1 + zb_rng_below(&rng, 9)) % 10;
            int scope[2] = { 10 * half + u, 10 * half + v };
            double value[9];
            for (int i = 0; i < 9; i++)
                value[i] = 0.2 + zb_rng_below(&rng, 100) * 0.05;
            assert_int_equal(zb_model_add(both, 2, scope, value), ZB_OK);
        }
    return both;
}

static void draw_all(drawn *d, const zb_model *model, zb_ranks *ranks, int threads)
{
    zb_options opt = zb_options_default();
    zb_sampler *s;
    opt.time = 0;
    opt.ibound = 3;
    opt.iterations = 3;
    opt.threads = threads;
    opt.ranks = ranks;
    for (int kind = 0; kind < 2; kind++) {
        size_t done = 0, n, steps[] = { 1, 2, 297, 400 };
        assert_int_equal(zb_sampler_new(&s, model, &opt, NULL, NULL), ZB_OK);
        assert_true(!zb_sampler_about(s).exact &&
                    zb_sampler_about(s).components == zb_model_nvars(model) / 10);
        for (int k = 0; k < 4; k++) {
            int *to = d->state[kind] + done * (size_t)zb_model_nvars(model);
            double *weight = kind == 1 ? d->log_weight + done : NULL;
            assert_int_equal(zb_sampler_draw(s, steps[k], to, weight, &n, NULL), ZB_OK);
            assert_true(n == steps[k]);
            done += n;
        }
        zb_sampler_free(s);
    }
    d->letters = ranks != NULL ? (uint64_t)ranks->letters : 0;
}

static void states_are_the_same(void **state)
{
    (void)state;
    drawn *one = calloc(1, sizeof *one), *many = calloc(1, sizeof *many);
    for (uint64_t seed = 1; seed <= test_models(3); seed++) {
        zb_model *model = parts(2, seed);
        draw_all(one, model, NULL, 1);
        for (int k = 0; k < SIZES_COUNT; k++) {
            thread_ranks t;
            zb_ranks *ranks = thread_ranks_open(&t, SIZES[k], k == 2 ? 1000 : 0);
            draw_all(many, model, ranks, 1 + k % 2);
            CHECK(memcmp(one->state, many->state, sizeof one->state) == 0 &&
                      memcmp(one->log_weight, many->log_weight,
                             sizeof one->log_weight) == 0,
                  "seed %" PRIu64 ", %d ranks", seed, SIZES[k]);
            CHECK((many->letters > 0) == (SIZES[k] > 1), "%d ranks", SIZES[k]);
            thread_ranks_close(&t);
        }
        zb_model_free(model);
    }
    free(one);
    free(many);
}

static bool never(void *context, const zb_progress *at)
{
    (void)at;
    return !*(bool *)context;
}

/* A call that is stopped draws what it could, and the next goes on after it: what was
   not handed out is drawn again. */
static void stopped_draws_go_on(void **state)
{
    (void)state;
    thread_ranks t;
    zb_model *model = parts(1, 1); /* of several, a stop may come in between */
    size_t nvars = (size_t)zb_model_nvars(model), n, done = 0;
    bool stop = false;
    zb_observer observer = { .context = &stop, .progress = never };
    zb_options opt = zb_options_default();
    zb_sampler *s;
    drawn *one = calloc(1, sizeof *one), *many = calloc(1, sizeof *many);
    draw_all(one, model, NULL, 1);
    opt.time = 0;
    opt.ibound = 3;
    opt.iterations = 3;
    opt.threads = 1;
    opt.ranks = thread_ranks_open(&t, 3, 0);
    assert_int_equal(zb_sampler_new(&s, model, &opt, &observer, NULL), ZB_OK);
    for (int calls = 0; done < DRAWS; calls++) {
        stop = calls % 2 == 0;
        assert_int_equal(zb_sampler_draw(s, stop ? DRAWS - done : 100,
                                         many->state[0] + done * nvars, NULL, &n, NULL),
                         ZB_OK);
        done += n;
    }
    assert_memory_equal(one->state[0], many->state[0], DRAWS * nvars * sizeof(int));
    zb_sampler_free(s);
    thread_ranks_close(&t);
    zb_model_free(model);
    free(one);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_the_same),
        cmocka_unit_test(stopped_draws_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
