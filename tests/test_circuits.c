/* Circuits: variables that others define are eliminated before a formula is solved, and
   the count stays what enumeration of the inputs says. */
#include "base/rng.h"
#include "exact/solve_exact.h"
#include "oracle.h"
#include "test.h"

/* Gates v = w and u, each input possibly inverted, of earlier variables; the last gate
   is true. What is far too wide as it is, and its inputs enumerate. */
enum { INPUTS = 12, GATES = 130, WIRES = INPUTS + GATES };

typedef struct circuit {
    int in[WIRES][2];
    bool invert[WIRES][2];
} circuit;

static circuit random_circuit(uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    circuit c;
    for (int v = INPUTS; v < WIRES; v++)
        for (int k = 0; k < 2; k++) {
            c.in[v][k] = k == 0 && v > INPUTS ? v - 1 : zb_rng_below(&rng, v - 1);
            c.invert[v][k] = zb_rng_below(&rng, 2);
        }
    return c;
}

static double count_circuit(const circuit *c)
{
    double count = 0;
    for (unsigned x = 0; x < 1u << INPUTS; x++) {
        bool is[WIRES];
        for (int v = 0; v < INPUTS; v++)
            is[v] = x >> v & 1;
        for (int v = INPUTS; v < WIRES; v++)
            is[v] = is[c->in[v][0]] != c->invert[v][0] &&
                    is[c->in[v][1]] != c->invert[v][1];
        count += is[WIRES - 1];
    }
    return count;
}

static zb_model *circuit_model(const circuit *c)
{
    int card[WIRES];
    zb_model *m;
    for (int v = 0; v < WIRES; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&m, WIRES, card), ZB_OK);
    for (int v = INPUTS; v < WIRES; v++) {
        double value[8];
        for (int i = 0; i < 8; i++)
            value[i] = (i & 1) == ((i >> 2 & 1) != c->invert[v][0] &&
                                   (i >> 1 & 1) != c->invert[v][1]);
        if (c->in[v][0] != c->in[v][1])
            assert_int_equal(
                zb_model_add(m, 3, (int[]){ c->in[v][0], c->in[v][1], v }, value),
                ZB_OK);
        else {
            bool never = c->invert[v][0] != c->invert[v][1];
            double pair[4] = { value[0], value[1], value[6], value[7] };
            if (never)
                pair[0] = pair[2] = 1, pair[1] = pair[3] = 0;
            assert_int_equal(zb_model_add(m, 2, (int[]){ c->in[v][0], v }, pair),
                             ZB_OK);
        }
    }
    assert_int_equal(zb_model_add(m, 1, (int[]){ WIRES - 1 }, (double[]){ 0, 1 }),
                     ZB_OK);
    return m;
}

static void circuits_are_counted(void **state)
{
    (void)state;
    zb_options opt = zb_options_default();
    int smaller = 0;
    opt.threads = 1;
    for (uint64_t seed = 0; seed < test_models(4); seed++) {
        circuit c = random_circuit(seed);
        zb_model *m = circuit_model(&c);
        zb_exact_job *job, *traced;
        zb_result r;
        double count = count_circuit(&c), z = log(count); /* within an ulp */
        interval around = { nextafter(z, -INFINITY), nextafter(z, INFINITY) };
        if (count <= 1)
            around = (interval){ z, z }; /* ln 0 and ln 1 are not rounded */
        assert_int_equal(zb_exact_job_new(&job, m, &opt, 0, NULL, NULL), ZB_OK);
        assert_int_equal(zb_exact_job_traced(&traced, m, &opt, 0, NULL, NULL), ZB_OK);
        smaller += job->reduction->after.vars < traced->reduction->after.vars / 2;
        assert_true(traced->reduction->after.vars == 0 ||
                    traced->reduction->record.count > 0);
        zb_exact_job_free(job);
        zb_exact_job_free(traced);
        assert_int_equal(zb_solve(m, &opt, NULL, &r, NULL), ZB_OK);
        CHECK(r.exact && brackets(&r, around) &&
                  (isinf(z) || r.log_upper - r.log_lower < 1e-9),
              "seed %ju: %.17g .. %.17g is not %.17g", (uintmax_t)seed, r.log_lower,
              r.log_upper, z);
        zb_model_free(m);
    }
    CHECK(smaller >= test_share(1), "%d circuits got smaller", smaller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circuits_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
