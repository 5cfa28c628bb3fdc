/* zbound-verify: what is verified contains ln Z, and what is not valid is refused. */
#include "verify_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define CHECK(ok, ...)                                                                 \
    do {                                                                               \
        if (!(ok)) {                                                                   \
            print_error(__VA_ARGS__);                                                  \
            fail();                                                                    \
        }                                                                              \
    } while (0)

/* n, or ZB_TEST_MODELS times n */
static uint64_t models(uint64_t n)
{
    const char *scale = getenv("ZB_TEST_MODELS");
    double times = scale != NULL ? atof(scale) : 1;
    return times > 0 ? (uint64_t)((double)n * times) : n;
}

static verdict ask(const char *model_text, const char *evidence,
                   const char *certificate)
{
    question q = { .model = { "model", model_text, strlen(model_text) },
                   .evidence = { "evidence", evidence,
                                 evidence != NULL ? strlen(evidence) : 0 },
                   .certificate = { "certificate", certificate, strlen(certificate) },
                   .memory = 64 << 20,
                   .work = 10000000 };
    return verify(&q);
}

/* ---- random models and certificates ---------------------------------------------- */

/* Whether the bound that is printed is one: in exact rationals, without tolerance. */
static bool holds(const fmpq_t z, const char *bound, bool upper)
{
    arb_t log, x;
    bool ok;
    if (bound[0] == '\0' || strcmp(bound, "-inf") == 0)
        return bound[0] == '\0' || !upper || fmpq_is_zero(z);
    if (fmpq_is_zero(z))
        return upper;
    arb_init(log);
    arb_init(x);
    arb_set_fmpq(log, z, 1000);
    arb_log(log, log, 1000);
    ok = arb_set_str(x, bound, 1000) == 0;
    if (ok && strcmp(bound, "0") == 0 && fmpq_is_one(z))
        ok = true;
    else
        ok = ok && (upper ? arb_ge(x, log) : arb_le(x, log));
    arb_clear(log);
    arb_clear(x);
    return ok;
}

/* Sides that are never reached, so that the verifier's own numbers are seen. */
static void random_certificate(chance *c, const model *m, writing *out)
{
    int kind = below(c, 5);
    put(out, "# a comment\nzbound-certificate 1\nmodel %d %d\n", m->nvars, m->nfactors);
    if (kind == 0)
        write_section(c, m, EXACT, "-inf 1e6", out);
    if (kind == 1 || kind >= 3)
        write_section(c, m, UPPER, "1e6", out);
    if (kind == 2 || kind >= 3)
        write_section(c, m, LOWER, "-inf", out);
    put(out, "end\n");
}

/* The claims in the place of those of random_certificate, each moved by `by`. */
static void set_claims(const writing *from, const verdict *v, const double by,
                       writing *to)
{
    char line[4000];
    char side = 'e';
    to->size = 0;
    for (size_t i = 0, n; i < from->size; i += n + 1) {
        n = strcspn(from->data + i, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, from->data + i);
        if (strncmp(line, "upper", 5) == 0 || strncmp(line, "lower", 5) == 0)
            side = line[0];
        if (strncmp(line, "claim", 5) == 0) {
            const char *bound[2] = { v->lower, v->upper };
            put(to, "claim");
            for (int k = side == 'u'; k < 2 - (side == 'l'); k++)
                if (by == 0 || strcmp(bound[k], "-inf") == 0)
                    put(to, " %s", bound[k]);
                else
                    put(to, " %.17g", strtod(bound[k], NULL) + (k == 0 ? by : -by));
            put(to, "\n");
        } else {
            put(to, "%s\n", line);
        }
    }
}

static bool is_finite(const char *bound)
{
    return bound[0] != '\0' && strcmp(bound, "-inf") != 0;
}

/* Claims that are better than these bounds by a trifle. */
static void check_better(uint64_t seed, const model *m, const writing *plain,
                         const verdict *v)
{
    static writing claimed;
    double size = 1;
    size = is_finite(v->lower) ? fmax(size, fabs(atof(v->lower))) : size;
    size = is_finite(v->upper) ? fmax(size, fabs(atof(v->upper))) : size;
    set_claims(plain, v, 1e-12 * size, &claimed);
    verdict better = ask(m->text.data, m->evidence.data, claimed.data);
    CHECK(better.outcome == REFUSED && strstr(better.reason, "claim") != NULL,
          "seed %lu: too good by 1e-12, and %s .. %s\n%s%s\n%s", seed, better.lower,
          better.upper, m->text.data, m->evidence.data, claimed.data);
}

/* ln Z itself on both sides */
static verdict truth(const model *m)
{
    verdict v = { .outcome = VERIFIED };
    arb_t log;
    arb_init(log);
    arb_set_fmpq(log, m->z, 100);
    arb_log(log, log, 100);
    snprintf(v.lower, sizeof v.lower, "%.17g",
             arf_get_d(arb_midref(log), ARF_RND_NEAR));
    strcpy(v.upper, v.lower);
    arb_clear(log);
    return v;
}

static void check_random(uint64_t seed)
{
    chance c = { seed };
    model *m = random_model(&c);
    static writing plain, claimed;
    plain.size = claimed.size = 0;
    random_certificate(&c, m, &plain);
    verdict v = ask(m->text.data, m->evidence.data, plain.data);
    CHECK(v.outcome == VERIFIED, "seed %lu: line %ld: %s\n%s%s\n%s", seed, v.line,
          v.reason, m->text.data, m->evidence.data, plain.data);
    CHECK(holds(m->z, v.lower, false) && holds(m->z, v.upper, true),
          "seed %lu: %s .. %s\n%s%s\n%s", seed, v.lower, v.upper, m->text.data,
          m->evidence.data, plain.data);
    set_claims(&plain, &v, 0, &claimed);
    verdict same = ask(m->text.data, m->evidence.data, claimed.data);
    CHECK(same.outcome == VERIFIED, "seed %lu: line %ld: %s\n%s", seed, same.line,
          same.reason, claimed.data);
    verdict exact = truth(m);
    if (!fmpq_is_zero(m->z))
        check_better(seed, m, &plain, &exact);
    /* the balls that a gauge leaves shrink with every bit */
    if (strstr(plain.data, "gauge") == NULL &&
        (is_finite(v.lower) || is_finite(v.upper)))
        check_better(seed, m, &plain, &v);
    free_model(m);
}

static void random_certificates_hold(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= models(3000); seed++)
        check_random(seed);
}

/* ---- mutations ------------------------------------------------------------------- */

static void splice(writing *w, size_t at, size_t old, const char *insert, size_t size)
{
    if (at + old > w->size || w->size - old + size + 1 > sizeof w->data)
        return;
    char *copy = malloc(size + 1); /* it may be a part of w */
    memcpy(copy, insert, size);
    memmove(w->data + at + size, w->data + at + old, w->size - at - old + 1);
    memcpy(w->data + at, copy, size);
    w->size = w->size - old + size;
    free(copy);
}

/* The line or word that the place `at` is in. */
static size_t piece(const writing *w, size_t at, const char *ends, size_t *size)
{
    while (at > 0 && strchr(ends, w->data[at - 1]) == NULL)
        at--;
    *size = strcspn(w->data + at, ends);
    return at;
}

static void mutate(chance *c, writing *w)
{
    static const char *const word[] = {
        "0",        "1",          "2",     "3",     "4",     "-1",    "0.5",  "0.25",
        "1e-9",     "-0.5",       "2",     "inf",   "-1",    "nan",   "-inf", "1e300",
        "0x1.8p-1", "5",          "6",     "7",     "8",     ":",     "sum",  "bucket",
        "1e-300",   "1000000000", "upper", "lower", "exact", "claim", "done"
    };
    size_t size, other, at = (size_t)below(c, (int)w->size);
    size_t to = (size_t)below(c, (int)w->size);
    const char *chosen = word[below(c, sizeof word / sizeof *word)];
    switch (below(c, 8)) {
    case 0: /* a line goes */
        at = piece(w, at, "\n", &size);
        splice(w, at, size + 1, "", 0);
        break;
    case 1: /* a line a second time, elsewhere */
        at = piece(w, at, "\n", &size);
        to = piece(w, to, "\n", &other);
        splice(w, to, 0, w->data + at, size + 1);
        break;
    case 2: /* a line in the place of another */
        at = piece(w, at, "\n", &size);
        to = piece(w, to, "\n", &other);
        splice(w, to, other, w->data + at, size);
        break;
    case 3: /* a word of its own in the place of another */
        at = piece(w, at, " \n", &size);
        to = piece(w, to, " \n", &other);
        splice(w, to, other, w->data + at, size);
        break;
    case 4: /* a digit */
        while (at < w->size && (w->data[at] < '0' || w->data[at] > '9'))
            at++;
        if (at < w->size)
            w->data[at] = (char)('0' + below(c, 10));
        break;
    case 5: /* a word goes */
        at = piece(w, at, " \n", &size);
        splice(w, at, size, "", 0);
        break;
    default:
        at = piece(w, at, " \n", &size);
        splice(w, at, size, chosen, strlen(chosen));
    }
}

static void mutations_prove_nothing_false(void **state)
{
    static writing original, changed;
    int verified = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= models(1500); seed++) {
        chance c = { seed + 1000000 };
        model *m = random_model(&c);
        original.size = 0;
        random_certificate(&c, m, &original);
        for (int i = 0; i < 20; i++) {
            changed = original;
            for (int k = 1 + below(&c, 100) / 70; k > 0; k--)
                mutate(&c, &changed);
            verdict v = ask(m->text.data, m->evidence.data, changed.data);
            verified += v.outcome == VERIFIED;
            CHECK(v.outcome != UNREADABLE, "seed %lu: %s", seed, v.reason);
            CHECK(v.outcome == REFUSED ||
                      (holds(m->z, v.lower, false) && holds(m->z, v.upper, true)),
                  "seed %lu: %s .. %s\n%s%s\n%s", seed, v.lower, v.upper, m->text.data,
                  m->evidence.data, changed.data);
        }
        free_model(m);
    }
    print_message("%lu mutations, %d still proofs\n", 20 * models(1500), verified);
    CHECK(verified > (int)models(1500), "%d", verified);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_certificates_hold),
        cmocka_unit_test(mutations_prove_nothing_false),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
