/* Checkpoints: what is kept comes back, what is damaged is refused. */
#include "files.h"
#include "oracle.h"
#include "base/rng.h"
#include "ranks/keep.h"
#include "test.h"

#include <inttypes.h>
#include <sys/stat.h>

static const random_spec SPEC = { 10, 3, 14, 2, 0.1, 1, false };

typedef struct place {
    char path[200], slices[300];
    zb_model *model;
    int order[16], var[2];
} place;

static void open_place(place *p)
{
    snprintf(p->path, sizeof p->path, "/tmp/zbound-test-XXXXXX");
    assert_non_null(mkdtemp(p->path));
    for (uint64_t seed = 1;; seed++) {
        p->model = random_model(seed, SPEC);
        if (zb_model_nvars(p->model) >= 6)
            break;
        zb_model_free(p->model);
    }
    for (int v = 0; v < zb_model_nvars(p->model); v++)
        p->order[v] = v;
    p->var[0] = 1;
    p->var[1] = 4;
    snprintf(p->slices, sizeof p->slices, "%s/slices-%016llx", p->path,
             (unsigned long long)zb_model_hash(p->model));
}

static void close_place(place *p)
{
    const char *name[] = { "run", "bracket", ".new" };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", p->path, name[i]);
        unlink(path);
    }
    unlink(p->slices);
    rmdir(p->path);
    zb_model_free(p->model);
}

static zb_ball ball_of(const int *value)
{
    return (zb_ball){ value[0] - 10.5 * value[1], 1e-12 * (value[0] + 1) };
}

/* Slices (0, 0) .. (count - 1): what there is, and what is new. */
static void keep_some(place *p, int from, int count)
{
    zb_options opt = zb_options_default();
    zb_keep *k;
    zb_kept_slices *s;
    assert_int_equal(zb_keep_open(&k, p->path, p->model, &opt, NULL), ZB_OK);
    assert_int_equal(zb_kept_find(&s, k, p->model, NULL), ZB_OK);
    if (s == NULL)
        assert_int_equal(zb_kept_begin(&s, k, p->model, 2, p->var, p->order), ZB_OK);
    assert_int_equal(zb_kept_count(s), from);
    for (int i = 0; i < count; i++) {
        int value[2] = { 0, 0 };
        value[0] = i % zb_model_card(p->model, 1);
        value[1] = i / zb_model_card(p->model, 1) % zb_model_card(p->model, 4);
        zb_ball z = { 0, 0 };
        bool there = zb_kept_slice(s, value, &z);
        assert_int_equal(there, i < from);
        assert_true(!there ||
                    (z.mid == ball_of(value).mid && z.radius == ball_of(value).radius));
        zb_keep_slice(s, value, ball_of(value));
    }
    zb_keep_bounds(k, -3.25 + count, 100);
    zb_kept_close(s);
    assert_int_equal(zb_keep_close(k, NULL), ZB_OK);
}

static int slices_of(const place *p)
{
    return zb_model_card(p->model, 1) * zb_model_card(p->model, 4);
}

static void what_is_kept_comes_back(void **state)
{
    (void)state;
    place p;
    zb_options opt = zb_options_default();
    zb_keep *k;
    double lower, upper;
    open_place(&p);
    keep_some(&p, 0, 1);
    keep_some(&p, 1, slices_of(&p));
    keep_some(&p, slices_of(&p), slices_of(&p));
    assert_int_equal(zb_keep_open(&k, p.path, p.model, &opt, NULL), ZB_OK);
    zb_kept_bounds(k, &lower, &upper);
    assert_true(lower == -3.25 + slices_of(&p) && upper == 100);
    assert_int_equal(zb_keep_close(k, NULL), ZB_OK);
    opt.seed = 2;
    assert_int_equal(zb_keep_open(&k, p.path, p.model, &opt, NULL), ZB_EPARSE);
    assert_null(k);
    close_place(&p);
}

static size_t read_all(const char *path, unsigned char *data, size_t room)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t n = fread(data, 1, room, in);
    fclose(in);
    return n;
}

static void write_all(const char *path, const unsigned char *data, size_t n)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
}

/* ZB_OK: taken, with so many slices; else refused. */
static zb_status look(const place *p, size_t *count)
{
    zb_options opt = zb_options_default();
    zb_keep *k = NULL;
    zb_kept_slices *s = NULL;
    zb_status status;
    *count = 0;
    TRY(zb_keep_open(&k, p->path, p->model, &opt, NULL));
    TRY(zb_kept_find(&s, k, p->model, NULL));
    *count = s != NULL ? zb_kept_count(s) : 0;
done:
    zb_kept_close(s);
    if (k != NULL)
        assert_int_equal(zb_keep_close(k, NULL), ZB_OK);
    return status;
}

/* Any byte of any file that is another: refused. Cut short, slices alone are taken,
   those that are whole. */
static void damage_is_refused(void **state)
{
    (void)state;
    static unsigned char good[4096], bad[4096];
    const char *name[] = { "run", "bracket", NULL };
    zb_rng rng = zb_rng_seed(1);
    place p;
    size_t count, most;
    open_place(&p);
    keep_some(&p, 0, slices_of(&p));
    assert_int_equal(look(&p, &most), ZB_OK);
    assert_int_equal(most, slices_of(&p));
    for (int f = 0; f < 3; f++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", p.path, name[f] != NULL ? name[f] : "");
        if (name[f] == NULL)
            memcpy(path, p.slices, sizeof path);
        size_t n = read_all(path, good, sizeof good);
        for (size_t i = 0; i < n; i++) {
            memcpy(bad, good, n);
            bad[i] ^= (unsigned char)(1 << zb_rng_below(&rng, 8));
            write_all(path, bad, n);
            CHECK(look(&p, &count) == ZB_EPARSE, "%s: byte %zu", path, i);
        }
        for (size_t i = 0; i < n; i++) {
            write_all(path, good, i);
            zb_status status = look(&p, &count);
            CHECK(status == ZB_EPARSE || (name[f] == NULL && count < most),
                  "%s: %zu of %zu bytes", path, i, n);
        }
        write_all(path, good, n);
        assert_int_equal(look(&p, &count), ZB_OK);
    }
    close_place(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_comes_back),
        cmocka_unit_test(damage_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
