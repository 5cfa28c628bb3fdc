#include "files.h"
#include "io/formats.h"
#include "base/rng.h"

#include <fcntl.h>

static zb_status parse(int *order, int nvars, const char *text, zb_error *err)
{
    zb_scan in;
    zb_status status = zb_scan_memory(&in, "memory", text, strlen(text), 8, err);
    if (status == ZB_OK)
        status = zb_order_parse(order, nvars, &in);
    zb_scan_close(&in);
    return status;
}

static void check_order(const char *text, int nvars, const int *expected)
{
    int order[32];
    zb_error err = { "" };
    zb_status status = parse(order, nvars, text, &err);
    CHECK(status == ZB_OK, "%s", err.text);
    for (int i = 0; i < nvars; i++)
        CHECK(order[i] == expected[i], "'%s': place %d is %d", text, i, order[i]);
}

static void lists_are_read(void **state)
{
    (void)state;
    check_order("4\n2 0 3 1\n", 4, (int[]){ 2, 0, 3, 1 });
    check_order("\r\n4 2\r\n0\t3 1", 4, (int[]){ 2, 0, 3, 1 });
    check_order("1 0", 1, (int[]){ 0 });
    check_order("0\n", 0, NULL);
}

/* Bags 1 2, 2 3, 3 4 in a row: the far end is eliminated first. */
static void decompositions_become_orders(void **state)
{
    (void)state;
    check_order("c a path\ns td 3 2 4\nb 1 1 2\nc b 9 9\nb 2 2 3\nb 3 3 4\n1 2\n2 3\n",
                4, (int[]){ 3, 2, 0, 1 });
    check_order("s td 1 3 3\nb 1 3 1 2", 3, (int[]){ 2, 0, 1 });
    check_order("s td 2 1 1\nb 2\nb 1 1\n2 1\nc end", 1, (int[]){ 0 });
    check_order("s td 0 0 0\n", 0, NULL);
}

/* The largest clique that eliminating along order makes, by definition. */
static int clique_of(int n, const bool *edge, const int *order)
{
    bool fill[32 * 32], gone[32] = { false };
    int largest = 0;
    memcpy(fill, edge, sizeof fill);
    for (int i = 0; i < n; i++) {
        int v = order[i], size = 1;
        gone[v] = true;
        for (int a = 0; a < n; a++) {
            if (gone[a] || !fill[v * 32 + a])
                continue;
            size++;
            for (int b = 0; b < n; b++)
                if (b != a && !gone[b] && fill[v * 32 + b])
                    fill[a * 32 + b] = true;
        }
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* A random tree of bags and the densest graph it decomposes: every bag a clique. */
typedef struct random_tree {
    int nvars, nbags, largest;
    bool has[24][32];
    int parent[24];
    bool edge[32 * 32];
} random_tree;

static void make_tree(random_tree *t, zb_rng *rng)
{
    *t = (random_tree){ .nbags = 1 + zb_rng_below(rng, 20) };
    for (int b = 0; b < t->nbags; b++) {
        int size = 0, want = 1 + zb_rng_below(rng, 3);
        t->parent[b] = b > 0 ? zb_rng_below(rng, b) : -1;
        for (int v = 0; b > 0 && v < t->nvars; v++)
            t->has[b][v] = t->has[t->parent[b]][v] && zb_rng_below(rng, 2) == 0;
        for (int k = 0; k < want && t->nvars < 32; k++)
            t->has[b][t->nvars++] = true;
        for (int v = 0; v < t->nvars; v++) {
            size += t->has[b][v];
            for (int u = 0; t->has[b][v] && u < t->nvars; u++)
                t->edge[v * 32 + u] = t->edge[v * 32 + u] || (t->has[b][u] && u != v);
        }
        t->largest = size > t->largest ? size : t->largest;
    }
}

static void print_tree(const random_tree *t, const int *name, char *text)
{
    text += sprintf(text, "s td %d %d %d\n", t->nbags, t->largest, t->nvars);
    for (int b = 0; b < t->nbags; b++) {
        text += sprintf(text, "b %d", name[b] + 1);
        for (int v = 0; v < t->nvars; v++)
            if (t->has[b][v])
                text += sprintf(text, " %d", v + 1);
        text += sprintf(text, "\n");
    }
    for (int b = 1; b < t->nbags; b++)
        text += sprintf(text, "%d %d\n", name[b] + 1, name[t->parent[b]] + 1);
}

static void orders_are_as_narrow_as_the_tree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_models(500); seed++) {
        zb_rng rng = zb_rng_seed(seed);
        random_tree t;
        char text[8192];
        int name[24], order[32];
        bool used[32] = { false };
        zb_error err = { "" };
        make_tree(&t, &rng);
        for (int b = 0; b < t.nbags; b++)
            name[b] = b;
        zb_rng_shuffle(&rng, t.nbags, name);
        print_tree(&t, name, text);
        CHECK(parse(order, t.nvars, text, &err) == ZB_OK, "seed %d: %s", (int)seed,
              err.text);
        for (int i = 0; i < t.nvars; i++) {
            CHECK(!used[order[i]], "seed %d: %d twice", (int)seed, order[i]);
            used[order[i]] = true;
        }
        int clique = clique_of(t.nvars, t.edge, order);
        CHECK(clique == t.largest, "seed %d: %d, not %d", (int)seed, clique, t.largest);
    }
}

static zb_status read_bad_order(const char *path, zb_error *err)
{
    int order[4] = { 7, 7, 7, 7 };
    zb_status status = zb_order_read(order, 4, path, err);
    for (int i = 0; i < 4; i++)
        CHECK(order[i] == 7, "%s", path);
    return status;
}

static void malformed_files_give_their_line(void **state)
{
    (void)state;
    assert_true(check_bad_folder("tests/data/bad_order", read_bad_order) >= 30);
    zb_error err;
    int order[1];
    assert_int_equal(zb_order_read(order, 1, "tests/none.order", &err), ZB_EIO);
}

static void orders_round_trip(void **state)
{
    (void)state;
    enum { N = 2000 };
    static int order[N], back[N];
    zb_rng rng = zb_rng_seed(3);
    zb_error err = { "" };
    const char *const ending[] = { ".order", ".order.gz" };
    for (int i = 0; i < N; i++)
        order[i] = i;
    zb_rng_shuffle(&rng, N, order);
    for (int k = 0; k < 2; k++) {
        char *path = make_file(ending[k], "");
        CHECK(zb_order_write(order, N, path, &err) == ZB_OK, "%s", err.text);
        CHECK(zb_order_read(back, N, path, &err) == ZB_OK, "%s", err.text);
        assert_memory_equal(order, back, sizeof order);
        drop_file(path);
    }
}

/* What the program printed before stays before what is written to "-". */
static void standard_output_is_written(void **state)
{
    (void)state;
    char *path = make_file("", ""), text[200];
    zb_error err = { "" };
    fflush(stdout);
    int keep = dup(STDOUT_FILENO), fd = open(path, O_WRONLY);
    dup2(fd, STDOUT_FILENO);
    printf("printed\n");
    zb_status one = zb_order_write((int[]){ 2, 0, 1 }, 3, "-", &err);
    zb_status two = zb_result_write_pr("-", log(10), false, &err);
    dup2(keep, STDOUT_FILENO);
    close(keep);
    close(fd);
    assert_true(one == ZB_OK && two == ZB_OK);
    read_text(path, text, sizeof text);
    assert_string_equal(text, "printed\n3\n2 0 1\nPR\n1\n");
    drop_file(path);
}

/* ---- result files ---------------------------------------------------------------- */

static void results_are_in_log10(void **state)
{
    (void)state;
    char *path = make_file(".PR", "old"), text[200];
    zb_error err = { "" };
    assert_int_equal(zb_result_write_pr(path, 2 * log(10), false, &err), ZB_OK);
    read_text(path, text, sizeof text);
    assert_string_equal(text, "PR\n2\n");
    assert_int_equal(zb_result_write_pr(path, 2.5 * log(10), true, &err), ZB_OK);
    assert_int_equal(zb_result_write_pr(path, -INFINITY, true, &err), ZB_OK);
    read_text(path, text, sizeof text);
    assert_string_equal(text, "PR\n2\n-BEGIN-\n2.5\n-BEGIN-\n-inf\n");
    assert_int_equal(zb_result_write_pr(path, NAN, true, &err), ZB_EINVAL);
    assert_int_equal(zb_result_write_pr("tests/none/a.PR", 1, true, &err), ZB_EIO);
    drop_file(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(decompositions_become_orders),
        cmocka_unit_test(orders_are_as_narrow_as_the_tree),
        cmocka_unit_test(malformed_files_give_their_line),
        cmocka_unit_test(orders_round_trip),
        cmocka_unit_test(standard_output_is_written),
        cmocka_unit_test(results_are_in_log10),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
