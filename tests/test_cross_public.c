/* Engines against each other on parts of public models: some variables are kept, a
 * random one and others near it; factors that reach beyond them are dropped, or taken
 * at random values of what is beyond. Most parts are small enough to enumerate, the
 * others have an order that is quick. */
#include "cross.h"

#include <glob.h>
#include <sys/stat.h>

enum { SKIPPED = 77 };
static const char DATA[] = "../shared/data";

typedef struct part {
    const zb_model *whole;
    int *index; /* variable -> its number in the part; -1: not kept */
    int *value; /* of variables that are not kept; -1: their factors are dropped */
    int *kept, count;
} part;

/* Grow from a random variable along factors, in random directions, while the number of
   joint states stays within `states` and that of variables within `most`. */
static void keep_some(part *p, zb_rng *rng, double states, int most)
{
    const zb_model *m = p->whole;
    int v = zb_rng_below(rng, m->nvars);
    double product = 1;
    for (int tries = 0; tries < 50 * most && p->count < most; tries++) {
        if (p->index[v] < 0 && product * m->card[v] <= states) {
            product *= m->card[v];
            p->index[v] = p->count;
            p->kept[p->count++] = v;
        }
        int f = zb_rng_below(rng, m->nfactors);
        if (m->factor[f].arity == 0)
            continue;
        v = m->factor[f].scope[zb_rng_below(rng, m->factor[f].arity)];
        for (int look = 0; look < m->nfactors && p->count > 0; look++) {
            const zb_factor *a = &m->factor[(f + look) % m->nfactors];
            bool near = false;
            for (int i = 0; i < a->arity; i++)
                near = near || p->index[a->scope[i]] >= 0;
            if (near) {
                v = a->scope[zb_rng_below(rng, a->arity)];
                break;
            }
        }
    }
}

/* The factor at the values of what is not kept; false: it says nothing of the part. */
static bool add_restricted(const part *p, int f, zb_model *out)
{
    const zb_factor *a = &p->whole->factor[f];
    const int *card = p->whole->card;
    int scope[32], n = 0, x[32] = { 0 };
    size_t stride[32], step = 1, at = 0, size = 1;
    for (int i = a->arity - 1; i >= 0; step *= (size_t)card[a->scope[i--]]) {
        int v = a->scope[i];
        if (p->index[v] < 0 && p->value[v] < 0)
            return false;
        if (p->index[v] < 0)
            at += step * (size_t)p->value[v];
        else if (n == 32)
            return false;
        else
            scope[n] = v, stride[n++] = step, size *= (size_t)card[v];
    }
    if (n == 0)
        return false;
    double *value = malloc(size * sizeof *value), *all = malloc(a->size * sizeof *all);
    int name[32];
    zb_model_log_values(p->whole, f, all);
    for (size_t k = 0; k < size; k++) { /* scope[0] is the fastest */
        value[k] = all[at];
        for (int i = 0; i < n; i++) {
            at += stride[i];
            if (++x[i] < card[scope[i]])
                break;
            at -= stride[i] * (size_t)card[scope[i]];
            x[i] = 0;
        }
    }
    for (int i = 0; i < n; i++)
        name[i] = p->index[scope[n - 1 - i]];
    add_logs_to(out, n, name, value);
    free(value);
    free(all);
    return true;
}

/* NULL: nothing to speak of. */
static zb_model *part_of(const zb_model *whole, zb_rng *rng, double states, int most)
{
    size_t n = (size_t)whole->nvars + 1;
    part p = { .whole = whole,
               .index = malloc(n * sizeof *p.index),
               .value = malloc(n * sizeof *p.value),
               .kept = malloc(n * sizeof *p.kept) };
    int *card = malloc(n * sizeof *card), factors = 0;
    bool drop = zb_rng_below(rng, 2) == 0;
    for (int v = 0; v < whole->nvars; v++) {
        p.index[v] = -1;
        p.value[v] = drop ? -1 : zb_rng_below(rng, whole->card[v]);
    }
    keep_some(&p, rng, states, most);
    for (int i = 0; i < p.count; i++)
        card[i] = whole->card[p.kept[i]];
    zb_model *out = model_of(p.count, card);
    for (int f = 0; f < whole->nfactors; f++)
        factors += add_restricted(&p, f, out);
    free(p.index);
    free(p.value);
    free(p.kept);
    free(card);
    if (factors < 2) {
        zb_model_free(out);
        return NULL;
    }
    return out;
}

/* Seven of eight parts can be enumerated; the eighth is as large as a quick order
   allows. */
static void check_part(const char *path, const zb_model *whole, uint64_t seed, tally *t)
{
    zb_rng rng = zb_rng_seed(seed);
    bool large = seed % 8 == 0;
    zb_model *model = part_of(whole, &rng, large ? 1e300 : 4096, large ? 60 : 24);
    if (model == NULL)
        return;
    if (!large)
        cross_check(path, seed, model, brute_force(model), t);
    else if (order_total(model, true) < 3e5)
        cross_check(path, seed, model, NAN, t);
    zb_model_free(model);
}

static int list_models(glob_t *found)
{
    static const char *const patterns[] = { "*/*.uai.gz", "*/*.cnf.gz",
                                            "hard/*/*.uai.gz", "hard/*/*.cnf.gz" };
    char path[100];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", DATA, patterns[i]);
        glob(path, i > 0 ? GLOB_APPEND : 0, NULL, found);
    }
    return (int)found->gl_pathc;
}

/* Small files in turn, so that reading does not take the time; with many parts to
   check, large ones too, a few parts of each at a time. */
static void parts_of_public_models(void **state)
{
    (void)state;
    const uint64_t quick = 60, count = test_models(quick), each = 4;
    const long most = count > quick ? 3000000 : 15000;
    tally t = { 0 };
    glob_t found = { 0 };
    int files = list_models(&found), unread = 0;
    CHECK(files > 100, "only %d models", files);
    for (uint64_t seed = 0, i = 0; seed < count; i++) {
        const char *path = found.gl_pathv[(i * 37) % (uint64_t)files];
        struct stat info;
        zb_model *whole;
        if (stat(path, &info) != 0 || info.st_size > most)
            continue;
        if (zb_model_read(&whole, path, NULL) != ZB_OK) {
            unread++; /* other tests say which and why */
            CHECK(unread < 30 + (int)i / 2, "%d files are not read", unread);
            continue;
        }
        for (uint64_t k = 0; k < each && whole->nfactors > 0; k++)
            check_part(path, whole, seed + k, &t);
        seed += each;
        zb_model_free(whole);
    }
    globfree(&found);
    tell(&t);
    CHECK(t.models > (int)count / 2, "only %d parts", t.models);
}

int main(void)
{
    struct stat info;
    const struct CMUnitTest tests[] = { cmocka_unit_test(parts_of_public_models) };
    if (stat(DATA, &info) != 0) {
        printf("skipped: cross_public: %s is not here\n", DATA);
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
