/* Letters and checkpoints when memory runs out: no memory, nothing left behind. */
#include "mem_fail.h"
#include "oracle.h"
#include "ranks/keep.h"
#include "test.h"

#include <stdio.h>
#include <unistd.h>

static zb_status send_model(void *context)
{
    const zb_model *model = context;
    zb_model *back = NULL;
    zb_letter l = { 0 };
    zb_status status;
    zb_letter_put_model(&l, model);
    TRY(zb_letter_status(&l));
    TRY(zb_letter_take_model(&l, &back));
    assert_true(zb_model_hash(back) == zb_model_hash(model));
done:
    zb_letter_clear(&l);
    zb_model_free(back);
    return status;
}

typedef struct place {
    char path[64];
    zb_model *model;
    int *order;
} place;

static zb_status open_and_begin(void *context)
{
    place *p = context;
    zb_options opt = zb_options_default();
    zb_keep *k = NULL;
    zb_kept_slices *s = NULL, *again = NULL;
    int var[1] = { 0 };
    zb_status status;
    TRY(zb_keep_open(&k, p->path, p->model, &opt, NULL));
    TRY(zb_kept_begin(&s, k, p->model, 1, var, p->order));
    TRY(zb_kept_find(&again, k, p->model, NULL));
done:
    zb_kept_close(s);
    zb_kept_close(again);
    zb_keep_close(k, NULL);
    return status;
}

static void letters(void **state)
{
    (void)state;
    zb_model *model = random_model(3, (random_spec){ 8, 3, 10, 3, 0.1, 1, true });
    assert_true(fail_each_allocation(send_model, model) > 5);
    zb_model_free(model);
}

static void checkpoints(void **state)
{
    (void)state;
    place p = { .path = "/tmp/zbound-test-XXXXXX" };
    char path[128];
    assert_non_null(mkdtemp(p.path));
    p.model = random_model(3, (random_spec){ 8, 3, 10, 3, 0.1, 1, false });
    p.order = calloc((size_t)zb_model_nvars(p.model), sizeof *p.order);
    for (int v = 0; v < zb_model_nvars(p.model); v++)
        p.order[v] = v;
    assert_true(fail_each_allocation(open_and_begin, &p) > 5);
    snprintf(path, sizeof path, "%s/slices-%016llx", p.path,
             (unsigned long long)zb_model_hash(p.model));
    unlink(path);
    snprintf(path, sizeof path, "%s/run", p.path);
    unlink(path);
    assert_int_equal(rmdir(p.path), 0);
    free(p.order);
    zb_model_free(p.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters),
        cmocka_unit_test(checkpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
