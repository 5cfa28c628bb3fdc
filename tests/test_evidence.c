#include "files.h"
#include "io/formats.h"
#include "model/model.h"
#include "oracle.h"

static zb_model *four_variables(void)
{
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 4, (int[]){ 2, 3, 2, 1 }), ZB_OK);
    return model;
}

static zb_status parse(zb_model *model, const char *text, zb_evidence_format format,
                       zb_evidence_info *info, zb_error *err)
{
    zb_scan in;
    zb_status status = zb_scan_memory(&in, "memory", text, strlen(text), 4, err);
    if (status == ZB_OK)
        status = zb_evidence_parse(model, &in, format, info);
    zb_scan_close(&in);
    return status;
}

/* A text, what it should be found to be, and the values of the four variables. */
typedef struct reading {
    const char *text;
    zb_evidence_format format;
    int samples, observed;
    bool ergo;
    int value[4];
} reading;

static void check_readings(const reading *list, size_t count, zb_evidence_format format)
{
    for (size_t i = 0; i < count; i++) {
        const reading *r = &list[i];
        zb_evidence_info info = { 0 };
        zb_error err = { "" };
        zb_model *model = four_variables();
        zb_status status = parse(model, r->text, format, &info, &err);
        CHECK(status == ZB_OK, "'%s': %s", r->text, err.text);
        CHECK(info.format == r->format && info.samples == r->samples &&
                  info.observed == r->observed && info.ergo == r->ergo,
              "'%s': format %d, %d samples, %d observed", r->text, (int)info.format,
              info.samples, info.observed);
        for (int v = 0; v < 4; v++)
            CHECK(zb_model_evidence(model, v) == r->value[v], "'%s': variable %d is %d",
                  r->text, v, zb_model_evidence(model, v));
        CHECK(parse(model, r->text, format, NULL, NULL) == ZB_OK, "'%s' again",
              r->text);
        zb_model_free(model);
    }
}

#define PLAIN ZB_EVIDENCE_PLAIN
#define SAMPLES ZB_EVIDENCE_SAMPLES
#define FREE                                                                           \
    {                                                                                  \
        -1, -1, -1, -1                                                                 \
    }
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void every_dialect_is_found(void **state)
{
    (void)state;
    const reading list[] = {
        { "2 1 0 2 1", PLAIN, 1, 2, false, { -1, 0, 1, -1 } },
        { "2\n1 0\n2 1\n", PLAIN, 1, 2, false, { -1, 0, 1, -1 } },
        { "2\r\n1 0 2 1\r\n\r\n", PLAIN, 1, 2, false, { -1, 0, 1, -1 } },
        { "/* Evidence */ 2 1 0 2 1", PLAIN, 1, 2, true, { -1, 0, 1, -1 } },
        { "\n/* Evidence\n**/2 1 0\n2 1", PLAIN, 1, 2, true, { -1, 0, 1, -1 } },
        { "/**//* two */ 1 0 1", PLAIN, 1, 1, true, { 1, -1, -1, -1 } },
        { "1\n2 1 0 2 1", SAMPLES, 1, 2, false, { -1, 0, 1, -1 } },
        { "1 2 1 0 2 1", SAMPLES, 1, 2, false, { -1, 0, 1, -1 } },
        { "1\n2\n1 0\n2 1\n", SAMPLES, 1, 2, false, { -1, 0, 1, -1 } },
        { "2\n1 0 1\n2 1 2 2 0\n", SAMPLES, 2, 1, false, { 1, -1, -1, -1 } },
        { "3\n0\n1 0 1\n1 1 1\n", SAMPLES, 3, 0, false, FREE },
        { "1 0 1", PLAIN, 1, 1, false, { 1, -1, -1, -1 } },
        { "4 0 1 1 2 2 0 3 0", PLAIN, 1, 4, false, { 1, 2, 0, 0 } },
    };
    check_readings(list, COUNT(list), ZB_EVIDENCE_DETECT);
}

static void no_evidence_in_every_dialect(void **state)
{
    (void)state;
    const reading list[] = {
        { "", PLAIN, 0, 0, false, FREE },
        { " \n\n", PLAIN, 0, 0, false, FREE },
        { "0", PLAIN, 1, 0, false, FREE },
        { "0\n", PLAIN, 1, 0, false, FREE },
        { "1\n0\n", SAMPLES, 1, 0, false, FREE },
        { "1 0", SAMPLES, 1, 0, false, FREE },
        { "/* Evidence */", PLAIN, 0, 0, true, FREE },
        { "/* Evidence */ 0", PLAIN, 1, 0, true, FREE },
    };
    check_readings(list, COUNT(list), ZB_EVIDENCE_DETECT);
}

/* Both grammars hold: lines decide, then ranges. */
static void two_readings_are_told_apart(void **state)
{
    (void)state;
    const reading list[] = {
        /* plain 0 = 1, 1 = 0; samples: none, then 1 = 0 */
        { "2 0 1 1 0", PLAIN, 1, 2, false, { 1, 0, -1, -1 } },
        { "2\n0 1\n1 0", PLAIN, 1, 2, false, { 1, 0, -1, -1 } },
        { "2\n0 1 1 0\n", PLAIN, 1, 2, false, { 1, 0, -1, -1 } },
        { "2\n0\n1 1 0\n", SAMPLES, 2, 0, false, FREE },
        { "2\n1 1 0\n0\n", SAMPLES, 2, 1, false, { -1, 0, -1, -1 } },
        /* no help from lines: 1 = 3 is out of range, then 2 = 2 */
        { "2\n1\n3\n0\n0\n", SAMPLES, 2, 1, false, { -1, -1, -1, 0 } },
        { "2\n1\n2\n2\n0\n", PLAIN, 1, 2, false, { -1, 2, 0, -1 } },
    };
    check_readings(list, COUNT(list), ZB_EVIDENCE_DETECT);
}

static void a_dialect_can_be_demanded(void **state)
{
    (void)state;
    const reading plain[] = {
        { "2\n0\n1\n1\n0\n", PLAIN, 1, 2, false, { 1, 0, -1, -1 } },
        { "", PLAIN, 0, 0, false, FREE },
        { "0", PLAIN, 1, 0, false, FREE },
    };
    const reading samples[] = {
        { "2\n0\n1\n1\n0\n", SAMPLES, 2, 0, false, FREE },
        { "/* odd */ 1 1 0 1", SAMPLES, 1, 1, true, { 1, -1, -1, -1 } },
        { "", SAMPLES, 0, 0, false, FREE },
        { "0", SAMPLES, 0, 0, false, FREE },
    };
    check_readings(plain, COUNT(plain), ZB_EVIDENCE_PLAIN);
    check_readings(samples, COUNT(samples), ZB_EVIDENCE_SAMPLES);

    zb_model *model = four_variables();
    zb_error err = { "" };
    assert_int_equal(parse(model, "1\n0", ZB_EVIDENCE_PLAIN, NULL, &err), ZB_EPARSE);
    assert_string_equal(err.text,
                        "memory:2: expected a value, found the end of the file");
    assert_int_equal(parse(model, "1 0 1", ZB_EVIDENCE_SAMPLES, NULL, &err), ZB_EPARSE);
    assert_string_equal(err.text, "memory:1: expected the end of the file, found '1'");
    zb_model_free(model);
}

static void repeating_oneself_is_fine(void **state)
{
    (void)state;
    const reading list[] = {
        { "3 0 1 1 2 0 1", PLAIN, 1, 2, false, { 1, 2, -1, -1 } },
        { "2\n1 0 1\n1 0 0\n", SAMPLES, 2, 1, false, { 1, -1, -1, -1 } },
    };
    check_readings(list, COUNT(list), ZB_EVIDENCE_DETECT);
}

static zb_status read_bad_evidence(const char *path, zb_error *err)
{
    zb_model *model = four_variables();
    zb_evidence_info info = { .samples = -5 };
    assert_int_equal(zb_model_observe(model, 1, 1), ZB_OK);
    zb_status status = zb_evidence_read(model, path, ZB_EVIDENCE_DETECT, &info, err);
    for (int v = 0; v < 4; v++) /* as before, though some lines were good */
        CHECK(zb_model_evidence(model, v) == (v == 1 ? 1 : -1), "%s", path);
    CHECK(info.samples == -5, "%s", path);
    zb_model_free(model);
    return status;
}

static void malformed_files_give_their_line(void **state)
{
    (void)state;
    assert_true(check_bad_folder("tests/data/bad_evid", read_bad_evidence) >= 24);
}

static void missing_files_are_another_matter(void **state)
{
    (void)state;
    zb_model *model = four_variables();
    zb_error err = { "" };
    assert_int_equal(
        zb_evidence_read(model, "tests/none.evid", ZB_EVIDENCE_DETECT, NULL, &err),
        ZB_EIO);
    assert_string_equal(err.text,
                        "tests/none.evid: cannot open: No such file or directory");
    zb_model_free(model);
}

static void evidence_changes_the_sum(void **state)
{
    (void)state;
    char *path = make_file(".evid", "1\r\n1 0 1\r\n");
    zb_model *model = four_variables();
    zb_error err = { "" };
    assert_int_equal(zb_model_add(model, 1, (int[]){ 0 }, (double[]){ 1, 0 }), ZB_OK);
    assert_true(close_to(brute_force(model), log(6), 1e-15));
    assert_int_equal(zb_evidence_read(model, path, ZB_EVIDENCE_DETECT, NULL, &err),
                     ZB_OK);
    assert_true(brute_force(model) == -INFINITY); /* contradicts the model: no error */
    drop_file(path);
    zb_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dialect_is_found),
        cmocka_unit_test(no_evidence_in_every_dialect),
        cmocka_unit_test(two_readings_are_told_apart),
        cmocka_unit_test(a_dialect_can_be_demanded),
        cmocka_unit_test(repeating_oneself_is_fine),
        cmocka_unit_test(malformed_files_give_their_line),
        cmocka_unit_test(missing_files_are_another_matter),
        cmocka_unit_test(evidence_changes_the_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
