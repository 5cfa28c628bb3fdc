/* Every public benchmark model at hand, with its evidence, is read. */
#include "shared.h"

#include <glob.h>

/* Something was read, and weights are weights. */
static void check_model(const char *path, const zb_model *model)
{
    CHECK(zb_model_nvars(model) > 0 && zb_model_nfactors(model) > 0, "%s", path);
    for (int f = 0; f < zb_model_nfactors(model); f++) {
        size_t size = zb_model_size(model, f);
        double *value = malloc(size * sizeof *value);
        assert_non_null(value);
        zb_model_values(model, f, value);
        for (size_t i = 0; i < size; i++)
            CHECK(value[i] >= 0 && value[i] < INFINITY, "%s, factor %d", path, f);
        free(value);
    }
}

/* The folders' evidence is of 2014, plain, but for relational, which has samples. */
static void check_evidence(const char *model_path, zb_model *model, int *observed)
{
    char path[1000];
    zb_evidence_info info;
    zb_error err = { "" };
    snprintf(path, sizeof path, "%.*s.evid", (int)strlen(model_path) - 3, model_path);
    CHECK(zb_evidence_read(model, path, ZB_EVIDENCE_DETECT, &info, &err) == ZB_OK, "%s",
          err.text);
    bool samples = strstr(path, "relational") != NULL;
    CHECK(info.format == (samples ? ZB_EVIDENCE_SAMPLES : ZB_EVIDENCE_PLAIN), "%s",
          path);
    CHECK(info.samples == 1 && !info.ergo, "%s", path);
    int count = 0;
    for (int v = 0; v < zb_model_nvars(model); v++)
        count += zb_model_evidence(model, v) >= 0;
    CHECK(count == info.observed, "%s", path);
    *observed += count;
}

static void every_model_is_read(void **state)
{
    (void)state;
    glob_t found;
    int observed = 0;
    need(SHARED_DATA);
    assert_int_equal(glob(SHARED_DATA "/*/*.uai.gz", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        zb_error err = { "" };
        zb_model *model;
        CHECK(zb_model_read(&model, found.gl_pathv[i], &err) == ZB_OK, "%s", err.text);
        check_model(found.gl_pathv[i], model);
        check_evidence(found.gl_pathv[i], model, &observed);
        zb_model_free(model);
    }
    assert_true(found.gl_pathc >= 60 && observed > 100);
    print_message("%zu models, %d observations\n", found.gl_pathc, observed);
    globfree(&found);
}

static void every_order_is_read(void **state)
{
    (void)state;
    zb_error err = { "" };
    int order[270];
    need(SHARED_REFERENCE);
    CHECK(zb_order_read(order, 100, SHARED_REFERENCE "/ising_nat.order", &err) == ZB_OK,
          "%s", err.text);
    CHECK(zb_order_read(order, 270, SHARED_REFERENCE "/regular3_nat.order", &err) ==
              ZB_OK,
          "%s", err.text);
    assert_int_equal(order[269], 269);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_is_read),
        cmocka_unit_test(every_order_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
