#include "files.h"
#include "io/formats.h"
#include "mem_fail.h"
#include "model/model.h"
#include "oracle.h"

/* A word longer than the first buffer, tables that become logarithms, a scope of none.
 */
static const char MODEL[] = "MARKOV 3 2 3 1 4 2 0 1 0 1 2 2 1 0\n6 1 2 3 4 5 1e-400\n"
                            "1 0.250000000000000000000000000000000000000000000\n"
                            "1 7\n6 0 2 3 4 5 6\n";

/* A text with the parser that it is for. */
typedef struct source {
    const char *text;
    int kind;
} source;

static zb_status parse_model(zb_scan *in)
{
    zb_model *model;
    zb_status status = zb_uai_parse(&model, in, false);
    CHECK((model != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    zb_model_free(model);
    return status;
}

static zb_status parse_evidence(zb_scan *in)
{
    zb_model *model;
    zb_status status;
    TRY(zb_model_new(&model, 3, (int[]){ 2, 3, 1 }));
    TRY(zb_evidence_parse(model, in, ZB_EVIDENCE_DETECT, NULL));
done:
    for (int v = 0; model != NULL && status != ZB_OK && v < 3; v++)
        assert_int_equal(zb_model_evidence(model, v), -1);
    zb_model_free(model);
    return status;
}

static zb_status parse_order(zb_scan *in)
{
    int order[3] = { -1, -1, -1 };
    zb_status status = zb_order_parse(order, 3, in);
    CHECK((order[0] >= 0) == (status == ZB_OK), "%s", zb_status_text(status));
    return status;
}

static zb_status parse_cnf(zb_scan *in)
{
    zb_model *model;
    zb_status status = zb_cnf_parse(&model, in);
    CHECK((model != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    zb_model_free(model);
    return status;
}

static zb_status parse_spins(zb_scan *in)
{
    zb_model *model;
    zb_status status = zb_spins_parse(&model, in, ZB_FORMAT_DETECT, ZB_BASE_DETECT);
    CHECK((model != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    zb_model_free(model);
    return status;
}

static zb_status parse_bif(zb_scan *in)
{
    zb_model *model;
    zb_status status = zb_bif_parse(&model, in);
    CHECK((model != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    zb_model_free(model);
    return status;
}

static zb_status run(void *context)
{
    static zb_status (*const parse[])(zb_scan *) = { parse_model, parse_evidence,
                                                     parse_order, parse_cnf,
                                                     parse_spins, parse_bif };
    const source *from = context;
    zb_error err = { "" };
    zb_scan in;
    zb_status status;
    TRY(zb_scan_memory(&in, "memory", from->text, strlen(from->text), 8, &err));
    TRY(parse[from->kind](&in));
done:
    zb_scan_close(&in);
    if (status == ZB_ENOMEM && from->kind != 1) /* there a model is made, too */
        assert_string_equal(err.text, "memory: not enough memory to read it");
    return status;
}

static void parsers_survive(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(run, &(source){ MODEL, 0 }) > 15);
    assert_true(fail_each_allocation(run, &(source){ "3 0 1 1 2 2 0", 1 }) > 4);
    assert_true(fail_each_allocation(run, &(source){ "2\n0\n1 1 2", 1 }) > 4);
    assert_true(fail_each_allocation(run, &(source){ "3 1 2 0", 2 }) > 2);
    assert_true(fail_each_allocation(
                    run, &(source){ "p cnf 14 2\nw 1 0.5\n1 2 3 4 5 6 7 8 9 10 11 12 "
                                    "-13 14 0 -1 0\n",
                                    3 }) > 12);
    assert_true(fail_each_allocation(
                    run, &(source){ "c ind 1 2 0\np cnf 2 1\nc p weight 1 1/3 0\n"
                                    "w 2 -1\n1 2 0\n",
                                    3 }) > 12);
    assert_true(fail_each_allocation(
                    run, &(source){ "# vartype=SPIN\n3 4 1.5\n4 4 1\n", 4 }) > 12);
    assert_true(fail_each_allocation(run, &(source){ "2 1\n1 2 1.5\n", 4 }) > 10);
    assert_true(
        fail_each_allocation(run, &(source){ "variable a{type discrete[2]{y,n};}\n"
                                             "probability(a){table 0.5,0.5;}\n",
                                             5 }) > 12);
    assert_true(fail_each_allocation(
                    run, &(source){ "s td 2 2 3\nb 1 1 2\nb 2 2 3\n1 2\n", 2 }) > 9);
}

static zb_status through_files(void *context)
{
    const char *const *path = context;
    zb_model *model = NULL, *back = NULL;
    int order[3];
    zb_status status;
    TRY(zb_model_read(&model, path[0], NULL));
    TRY(zb_model_write(model, path[1], NULL));
    TRY(zb_model_read(&back, path[1], NULL));
    TRY(zb_evidence_read(back, path[2], ZB_EVIDENCE_DETECT, NULL, NULL));
    TRY(zb_order_write((int[]){ 2, 0, 1 }, 3, path[3], NULL));
    TRY(zb_order_read(order, 3, path[3], NULL));
    TRY(zb_result_write_pr(path[3], 1.5, false, NULL));
    assert_true(close_to(brute_force(model), brute_force(back), 1e-14));
    assert_int_equal(order[2], 1);
done:
    zb_model_free(model);
    zb_model_free(back);
    return status;
}

static void files_survive(void **state)
{
    (void)state;
    char *path[] = { make_file(".uai", MODEL), make_file(".LG.gz", ""),
                     make_file(".evid", "0"), make_file("", "") };
    assert_true(fail_each_allocation(through_files, path) > 40);
    for (int i = 0; i < 4; i++)
        drop_file(path[i]);
}

static zb_status read_packed(void *context)
{
    zb_model *model = NULL;
    zb_status status = zb_model_read(&model, context, NULL);
    zb_model_free(model);
    return status == ZB_EIO ? ZB_OK : status; /* built without the library */
}

static void packed_files_survive(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(read_packed, "tests/data/packed/one.uai.xz") > 1);
    assert_true(fail_each_allocation(read_packed, "tests/data/packed/one.uai.zst") > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parsers_survive),
        cmocka_unit_test(files_survive),
        cmocka_unit_test(packed_files_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
