/* Certificates of the library, changed at random: whatever zbound-verify still accepts
 * are bounds. */
#include "certify.h"

enum { MOST_LINES = 4000, MOST_WORDS = 400 };

typedef struct lines {
    char *text;
    int count;
    char *line[MOST_LINES];
} lines;

static void cut_lines(lines *l, const char *from)
{
    l->text = strdup(from);
    l->count = 0;
    for (char *at = strtok(l->text, "\n"); at != NULL; at = strtok(NULL, "\n")) {
        assert_true(l->count < MOST_LINES);
        l->line[l->count++] = at;
    }
}

/* A number near another one, or far from it. */
static void change_number(zb_rng *rng, const char *word, char out[64])
{
    double x = strtod(word, NULL), y;
    switch (zb_rng_below(rng, 7)) {
    case 0: y = x + 1; break;
    case 1: y = x - 1; break;
    case 2: y = -x; break;
    case 3: y = 0; break;
    case 4: y = x * (1 + 1e-9 * zb_rng_uniform(rng)); break;
    case 5: y = x * 2 * zb_rng_uniform(rng); break;
    default: y = (double)zb_rng_below(rng, 30); break;
    }
    bool whole = strpbrk(word, ".x") == NULL && y == floor(y);
    snprintf(out, 64, whole ? "%.0f" : "%a", y);
}

/* The line with one word changed, lost, twice, or in the place of another. */
static void change_word(zb_rng *rng, const char *line, char *out)
{
    char *copy = strdup(line), *word[MOST_WORDS] = { copy }, number[64];
    int n = 0;
    for (char *at = strtok(copy, " "); at != NULL && n < MOST_WORDS;
         at = strtok(NULL, " "))
        word[n++] = at;
    int k = zb_rng_below(rng, n), how = zb_rng_below(rng, 8);
    int other = zb_rng_below(rng, n);
    char *swapped = word[other];
    if (how == 0) {
        word[other] = word[k];
        word[k] = swapped;
    }
    *out = '\0';
    for (int i = 0; i < n; i++) {
        bool mine = i == k;
        if (mine && how == 1)
            continue;
        if (mine && how > 2 && (strchr("-.0123456789", word[i][0]) != NULL)) {
            change_number(rng, word[i], number);
            word[i] = number;
        }
        out += sprintf(out, "%s%s", word[i], i + 1 < n ? " " : "");
        if (mine && how == 2)
            out += sprintf(out, " %s", word[i]);
    }
    free(copy);
}

/* One to three changes of lines or words. */
static char *mutate(zb_rng *rng, const char *from)
{
    size_t room = 2 * strlen(from) + 4000;
    char *out = calloc(room, 1), *word = calloc(room, 1);
    strcpy(out, from);
    for (int left = 1 + zb_rng_below(rng, 3); left > 0; left--) {
        lines l;
        cut_lines(&l, out);
        int k = zb_rng_below(rng, l.count);
        int j = zb_rng_below(rng, l.count);
        int how = zb_rng_below(rng, 8);
        char *at = out, *old = l.line[j];
        if (how == 0)
            l.line[j] = l.line[k], l.line[k] = old;
        if (how > 2) {
            change_word(rng, l.line[k], word);
            l.line[k] = word;
        }
        for (int i = 0; i < l.count; i++)
            for (int times = i != k     ? 1
                             : how == 1 ? 0
                             : how == 2 ? 2
                                        : 1;
                 times > 0; times--)
                at += sprintf(at, "%s\n", l.line[i]);
        *at = '\0';
        free(l.text);
    }
    free(word);
    return out;
}

/* A claim that is easy to meet, so that it is the steps that decide. */
static char *claim_little(const char *from)
{
    char *out = calloc(strlen(from) + 200, 1), *at = out;
    const char *of = "";
    lines l;
    cut_lines(&l, from);
    for (int i = 0; i < l.count; i++) {
        bool begins = strcmp(l.line[i], "upper") == 0 ||
                      strcmp(l.line[i], "lower") == 0 ||
                      strcmp(l.line[i], "exact") == 0;
        of = begins ? l.line[i] : of;
        if (strncmp(l.line[i], "claim", 5) != 0)
            at += sprintf(at, "%s\n", l.line[i]);
        else
            at += sprintf(at, "claim%s%s\n", of[0] != 'u' ? " -inf" : "",
                          of[0] != 'l' ? " 1e9" : "");
    }
    free(l.text);
    return out;
}

static const zb_method METHODS[] = { ZB_METHOD_WMBE_WTHETA, ZB_METHOD_WMBE_WG,
                                     ZB_METHOD_MBE,         ZB_METHOD_BE,
                                     ZB_METHOD_MF,          ZB_METHOD_AUTO };

static void what_is_accepted_are_bounds(void **state)
{
    (void)state;
    enum { EACH = 25 };
    int accepted = 0, tried = 0;
    for (uint64_t seed = 0; seed < test_models(24); seed++) {
        zb_model *model = dense_model(seed / 2);
        zb_options opt = zb_options_default();
        certified c;
        opt.method = METHODS[seed % 6];
        opt.form = seed % 6 == 1 ? ZB_FORM_FORNEY : ZB_FORM_AUTO;
        opt.ibound = 2;
        opt.iterations = 10;
        opt.time = 0;
        opt.threads = 1;
        assert_int_equal(certify(&c, model, &opt), ZB_OK);
        interval z = enclosed(&c);
        char *start = claim_little(c.text[2]);
        zb_rng rng = zb_rng_seed(seed);
        for (int i = 0; i < EACH; i++, tried++) {
            char *mutant = mutate(&rng, start);
            verdict v = verify_text(&c, mutant);
            accepted += v.outcome == VERIFIED;
            CHECK(v.outcome != VERIFIED || contains(&v, z),
                  "seed %d, change %d: %s %s without %.17g:\n%s", (int)seed, i, v.lower,
                  v.upper, z.lower, mutant);
            free(mutant);
        }
        free(start);
        certified_clear(&c);
        zb_model_free(model);
    }
    print_message("%d mutants, %d still accepted\n", tried, accepted);
    CHECK(accepted >= test_share(50), "%d of %d", accepted, tried);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_accepted_are_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
