/* What every reader takes: byte order marks, packed files; the format by its name, by
 * the contents, or as said. */
#include "files.h"
#include "io/formats.h"
#include "oracle.h"

static const double PACKED_SUM =
    0.5 * 6 + 1.5 * 15; /* of the models in tests/data/packed */
#define MARK "\xEF\xBB\xBF"

static double sum_of(const char *path, zb_format format)
{
    zb_error err = { "" };
    zb_model *model;
    CHECK(zb_model_read_as(&model, path, format, NULL, &err) == ZB_OK, "%s", err.text);
    double z = exp(brute_force(model));
    zb_model_free(model);
    return z;
}

static void check_sum(const char *ending, const char *text, zb_format format, double z)
{
    char *path = make_file(ending, text);
    CHECK(close_to(sum_of(path, format), z, 1e-12), "%s: %s", ending, text);
    drop_file(path);
}

static void formats_are_told_apart(void **state)
{
    (void)state;
    const char *logs = "markov 1 2 1 1 0 2 0 -inf\n",
               *formula = "c x\np cnf 2 1\n1 2 0\n";
    check_sum(".uai", "markov 1 2 1 1 0 2 1 2\n", ZB_FORMAT_DETECT, 3);
    check_sum(".uai", "Bayes 1 2 1 1 0 2 1 2\n", ZB_FORMAT_DETECT, 3);
    check_sum(".uai", "c a comment\nc\nc p show 1 0\nMARKOV 1 2 0", ZB_FORMAT_DETECT,
              2);
    check_sum(".uai", "c a comment\nBAYES 1 3 0", ZB_FORMAT_UAI, 3);
    check_sum(".LG", "c a comment\nMARKOV 1 2 1 1 0 2 0 -inf\n", ZB_FORMAT_DETECT, 1);
    check_sum(".txt", logs, ZB_FORMAT_LG, 1);
    check_sum(".LG", "MARKOV 1 2 1 1 0 2 1 2\n", ZB_FORMAT_UAI, 3);
    check_sum(".txt", formula, ZB_FORMAT_DETECT, 3);
    check_sum(".txt", formula, ZB_FORMAT_CNF, 3);
    char *path = make_file(".txt", formula);
    zb_error err = { "" };
    zb_model *model;
    assert_int_equal(zb_model_read_as(&model, path, ZB_FORMAT_UAI, NULL, &err),
                     ZB_EPARSE);
    assert_non_null(strstr(err.text, ":2: expected MARKOV or BAYES, found 'p'"));
    assert_int_equal(zb_model_read_as(&model, path, (zb_format)9, NULL, &err),
                     ZB_EINVAL);
    assert_null(model);
    drop_file(path);
}

static void marks_are_passed_over(void **state)
{
    (void)state;
    check_sum(".uai", MARK "MARKOV 1 2 1 1 0 2 1 2\n", ZB_FORMAT_DETECT, 3);
    check_sum(".LG", MARK "MARKOV 1 2 1 1 0 2 0 0\n", ZB_FORMAT_DETECT, 2);
    check_sum(".cnf", MARK "p cnf 2 1\n1 2 0\n", ZB_FORMAT_DETECT, 3);
    zb_model *model;
    zb_evidence_info info;
    zb_error err = { "" };
    int order[2];
    assert_int_equal(zb_model_new(&model, 2, (int[]){ 2, 2 }), ZB_OK);
    static const char *const evidence[] = { MARK "1 1 0\n", MARK "/* it */ 1 1 0\n" };
    for (int i = 0; i < 2; i++) {
        char *path = make_file(".evid", evidence[i]);
        CHECK(zb_evidence_read(model, path, ZB_EVIDENCE_DETECT, &info, &err) == ZB_OK,
              "%s", err.text);
        assert_true(zb_model_evidence(model, 1) == 0 && info.ergo == (i == 1));
        drop_file(path);
    }
    static const char *const orders[] = { MARK "2 1 0\n",
                                          MARK "s td 1 2 2\nb 1 1 2\n" };
    for (int i = 0; i < 2; i++) {
        char *path = make_file(".order", orders[i]);
        CHECK(zb_order_read(order, 2, path, &err) == ZB_OK, "%s", err.text);
        drop_file(path);
    }
    zb_model_free(model);
}

/* ---- packed files ---------------------------------------------------------------- */

/* What zb_model_read says of a file: "" when it is read, and then it is the right one.
 */
static void read_packed(const char *name, char *said, size_t room)
{
    char path[200];
    zb_error err = { "" };
    zb_model *model;
    snprintf(path, sizeof path, "tests/data/packed/%s", name);
    zb_status status = zb_model_read(&model, path, &err);
    CHECK((model != NULL) == (status == ZB_OK), "%s", path);
    CHECK(status == ZB_OK || status == ZB_EIO, "%s: %s", path, err.text);
    CHECK(status != ZB_OK || close_to(exp(brute_force(model)), PACKED_SUM, 1e-12), "%s",
          path);
    CHECK(status == ZB_OK || strncmp(err.text, path, strlen(path)) == 0, "%s",
          err.text);
    snprintf(said, room, "%s", status == ZB_OK ? "" : err.text + strlen(path));
    zb_model_free(model);
}

static void packed_files_are_read_or_named(void **state)
{
    (void)state;
    static const struct {
        const char *name, *said, *absent;
        const zb_codec_calls *calls;
    } files[] = {
        { "one.uai.xz", "", "xz, and this zbound was built without liblzma",
          &zb_codec_xz },
        { "two.uai.xz", "", "xz, and this zbound was built without liblzma",
          &zb_codec_xz },
        { "cut.uai.xz", ":9: cannot read: the xz data end too early", "xz",
          &zb_codec_xz },
        { "damaged.uai.xz", ":1: cannot read: the xz data are damaged", "xz",
          &zb_codec_xz },
        { "one.uai.zst", "", "zstd, and this zbound was built without libzstd",
          &zb_codec_zstd },
        { "two.uai.zst", "", "zstd, and this zbound was built without libzstd",
          &zb_codec_zstd },
        { "cut.uai.zst", ":8: cannot read: the zstd data end too early", "zstd",
          &zb_codec_zstd },
        { "damaged.uai.zst", ":1: cannot read: the zstd data are damaged", "zstd",
          &zb_codec_zstd },
        { "one.uai.bz2", "", "bzip2: unpack it first", NULL },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char said[512], refused[200];
        read_packed(files[i].name, said, sizeof said);
        snprintf(refused, sizeof refused, ": compressed by %s", files[i].absent);
        if (files[i].calls != NULL && files[i].calls->open != NULL)
            assert_string_equal(said, files[i].said);
        else
            CHECK(strncmp(said, refused, strlen(refused)) == 0, "%s: %s", files[i].name,
                  said);
    }
}

static void only_gzip_is_written(void **state)
{
    (void)state;
    zb_error err = { "" };
    zb_model *model;
    assert_int_equal(zb_model_new(&model, 1, (int[]){ 2 }), ZB_OK);
    assert_int_equal(zb_model_write(model, "no/such/place.uai.xz", &err), ZB_EINVAL);
    assert_string_equal(err.text,
                        "no/such/place.uai.xz: cannot write: only .gz is written "
                        "compressed");
    zb_model_free(model);
    assert_true(zb_path_ends("a.LG.xz", ".lg", true) &&
                zb_path_ends("a.LG", ".LG", true));
    assert_true(zb_path_ends("a.lg.ZST", ".LG", true) &&
                !zb_path_ends("LG.gz", ".LG", true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_told_apart),
        cmocka_unit_test(marks_are_passed_over),
        cmocka_unit_test(packed_files_are_read_or_named),
        cmocka_unit_test(only_gzip_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
