/* Rows of variables that may be exchanged: they are found, and both ways to use them
 * keep Z. */
#include "base/rng.h"
#include "exact/solve_exact.h"
#include "oracle.h"
#include "symmetry/exchange.h"
#include "test.h"

#include <inttypes.h>
#include <string.h>

/* ---- models with rows ------------------------------------------------------------ */

enum { ROWS = 5, COLUMNS = 3, SHARED = 2, MOST = ROWS * COLUMNS + SHARED };

typedef struct made {
    zb_model *model;
    int rows, columns, shared;
    int card[COLUMNS + SHARED]; /* of a column, then of what all rows share */
    int number[MOST];           /* variables in the model, which are shuffled */
    zb_rng rng;
    double zeros;
} made;

static int row_var(const made *m, int row, int column)
{
    return m->number[row * m->columns + column];
}

static int shared_var(const made *m, int i)
{
    return m->number[m->rows * m->columns + i];
}

static double entry(made *m)
{
    return zb_rng_uniform(&m->rng) < m->zeros ? 0
                                              : exp(4 * zb_rng_uniform(&m->rng) - 2);
}

/* The same table for two columns of every row, or for one and what is shared; of the
   last row but for one bit (broken). */
static void add_alike(made *m, int a, int b, bool broken)
{
    int n = m->card[a] * m->card[b];
    double value[16];
    for (int i = 0; i < n; i++)
        value[i] = entry(m);
    for (int r = 0; r < m->rows; r++) {
        int scope[] = { row_var(m, r, a), b < m->columns
                                              ? row_var(m, r, b)
                                              : shared_var(m, b - m->columns) };
        if (broken && r == m->rows - 1)
            value[n - 1] = nextafter(value[n - 1], 9);
        assert_int_equal(zb_model_add(m->model, 2, scope, value), ZB_OK);
    }
}

/* A symmetric table for a column of every two rows, in either direction. */
static void add_between(made *m, int c)
{
    int n = m->card[c];
    double value[9];
    for (int x = 0; x < n; x++)
        for (int y = 0; y <= x; y++)
            value[x * n + y] = value[y * n + x] = entry(m);
    for (int r = 0; r < m->rows; r++)
        for (int s = r + 1; s < m->rows; s++) {
            int a = row_var(m, r, c), b = row_var(m, s, c);
            bool back = zb_rng_below(&m->rng, 2);
            int scope[] = { back ? b : a, back ? a : b };
            assert_int_equal(zb_model_add(m->model, 2, scope, value), ZB_OK);
        }
}

/* One table of a whole column, which counts how many of it are not 0. */
static void add_over_all(made *m, int c)
{
    double by_count[ROWS + 1], value[243];
    int scope[ROWS], n = 1;
    for (int i = 0; i <= m->rows; i++)
        by_count[i] = entry(m);
    for (int r = 0; r < m->rows; r++) {
        scope[r] = row_var(m, r, c);
        n *= m->card[c];
    }
    zb_rng_shuffle(&m->rng, m->rows, scope);
    for (int i = 0; i < n; i++) {
        int count = 0;
        for (int rest = i; rest > 0; rest /= m->card[c])
            count += rest % m->card[c] != 0;
        value[i] = by_count[count];
    }
    assert_int_equal(zb_model_add(m->model, m->rows, scope, value), ZB_OK);
}

static made some_rows(uint64_t seed, int most_columns, bool broken)
{
    made m = { .rng = zb_rng_seed(seed), .zeros = seed % 3 == 0 ? 0.2 : 0 };
    int card[MOST], n;
    m.rows = 3 + zb_rng_below(&m.rng, 2);
    m.columns = 1 + zb_rng_below(&m.rng, most_columns);
    m.shared = zb_rng_below(&m.rng, SHARED + 1);
    n = m.rows * m.columns + m.shared;
    for (int i = 0; i < n; i++)
        m.number[i] = i;
    zb_rng_shuffle(&m.rng, n, m.number);
    for (int i = 0; i < m.columns + m.shared; i++)
        m.card[i] = 2 + (m.columns == 1 && zb_rng_below(&m.rng, 3) == 0);
    for (int c = 0; c < m.columns; c++)
        for (int r = 0; r < m.rows; r++)
            card[row_var(&m, r, c)] = m.card[c];
    for (int i = 0; i < m.shared; i++)
        card[shared_var(&m, i)] = m.card[m.columns + i];
    assert_int_equal(zb_model_new(&m.model, n, card), ZB_OK);
    for (int c = 0; c < m.columns; c++) {
        add_between(&m, c);
        if (c > 0)
            add_alike(&m, c - 1, c, false);
        for (int i = 0; i < m.shared; i++)
            add_alike(&m, c, m.columns + i, false);
        if (zb_rng_below(&m.rng, 2) == 0)
            add_over_all(&m, c);
    }
    if (broken && m.shared > 0)
        add_alike(&m, 0, m.columns, true);
    else if (broken) {
        double value[3] = { 1, 2, 3 };
        assert_int_equal(zb_model_add(m.model, 1, (int[]){ row_var(&m, 0, 0) }, value),
                         ZB_OK);
    }
    return m;
}

/* ---- what is found --------------------------------------------------------------- */

/* Brute force over what came out, and over the model. */
static void check_sum(uint64_t seed, const zb_model *model, const zb_model *out)
{
    interval z = brute_interval(model), now = brute_interval(out);
    double log_scale = out->log_scale - model->log_scale;
    CHECK(now.lower + log_scale - out->radius <= z.upper + model->radius &&
              z.lower - model->radius <= now.upper + log_scale + out->radius,
          "seed %" PRIu64 ": %.17g, not %.17g", seed, now.upper + log_scale, z.upper);
    CHECK(close_to(now.upper + log_scale, z.upper, 1e-10) && out->radius < 1e-11,
          "seed %" PRIu64 ": %.17g, not %.17g", seed, now.upper + log_scale, z.upper);
}

/* Rows of which one differs by a bit are not all of the rows. */
static void rows_are_found(void **state)
{
    (void)state;
    int found = 0, tried = 0;
    for (uint64_t seed = 1; seed <= test_models(300); seed++) {
        bool broken = seed % 4 == 0;
        made m = some_rows(seed, COLUMNS, broken);
        zb_rows rows;
        assert_int_equal(zb_rows_find(&rows, m.model, false, NULL), ZB_OK);
        /* with one column and no more than that others may be alike by chance */
        CHECK(!broken || m.columns == 1 || rows.count < m.rows,
              "seed %" PRIu64 ": %d rows", seed, rows.count);
        for (int c = 0; c < rows.columns; c++)
            for (int r = 0; r < rows.count; r++)
                for (int i = 0; i < c * rows.count + r; i++)
                    CHECK(rows.var[i] != zb_rows_at(&rows, r, c),
                          "seed %" PRIu64 ": one variable twice", seed);
        found += !broken && rows.count >= m.rows && rows.columns >= m.columns;
        tried += !broken;
        zb_rows_close(&rows);
        zb_model_free(m.model);
    }
    print_message("%d of %d\n", found, tried);
    CHECK(found >= 0.95 * tried, "%d of %d", found, tried);
}

static void sums_stay(void **state)
{
    (void)state;
    int counted = 0, sorted = 0, whole = 0;
    for (uint64_t seed = 1; seed <= test_models(250); seed++) {
        made m = some_rows(seed, 2, seed % 5 == 0);
        zb_model *out;
        zb_rows rows;
        assert_int_equal(zb_rows_find(&rows, m.model, false, NULL), ZB_OK);
        if (rows.count > 0) {
            assert_int_equal(zb_exchange_counted(&out, m.model, &rows, NULL), ZB_OK);
            assert_non_null(out);
            check_sum(seed, m.model, out);
            counted++;
            zb_model_free(out);
        }
        if (rows.count > 0 && rows.count <= 4) {
            rows.columns = 1 + (int)(seed % 2) * (rows.columns - 1);
            rows.columns = rows.columns < 2 ? rows.columns : 2;
            assert_int_equal(zb_exchange_sorted(&out, m.model, &rows), ZB_OK);
            check_sum(seed, m.model, out);
            sorted++;
            zb_model_free(out);
        }
        assert_int_equal(zb_exchange(&out, m.model, false, NULL), ZB_OK);
        if (out != NULL) {
            check_sum(seed, m.model, out);
            whole++;
        }
        zb_model_free(out);
        zb_rows_close(&rows);
        zb_model_free(m.model);
    }
    CHECK(counted > test_share(200) && sorted > test_share(170) &&
              whole > test_share(200),
          "%d counted, %d sorted, %d all", counted, sorted, whole);
}

/* k variables of q values, each with a table with one of n values. */
static zb_model *star(int k, int q, int n, const double *value)
{
    int *card = malloc((size_t)(k + 1) * sizeof *card);
    zb_model *model;
    assert_non_null(card);
    for (int i = 0; i < k; i++)
        card[i] = q;
    card[k] = n;
    assert_int_equal(zb_model_new(&model, k + 1, card), ZB_OK);
    for (int i = 0; i < k; i++)
        assert_int_equal(zb_model_add(model, 2, (int[]){ i, k }, value), ZB_OK);
    free(card);
    return model;
}

/* Rows in order are of use only where something joins them. */
static void only_joined_rows_are_sorted(void **state)
{
    (void)state;
    int joined = 0;
    for (uint64_t seed = 1; seed <= test_models(60); seed++) {
        made m = some_rows(seed, 2, false);
        zb_model *out;
        zb_rows rows;
        assert_int_equal(zb_rows_find(&rows, m.model, true, NULL), ZB_OK);
        assert_int_equal(zb_exchange(&out, m.model, true, NULL), ZB_OK);
        CHECK((rows.count > 0) == (out != NULL), "seed %" PRIu64, seed);
        joined += out != NULL; /* every two rows have a table */
        zb_model_free(out);
        zb_rows_close(&rows);
        zb_model_free(m.model);
    }
    zb_model *leaves = star(5, 2, 2, (double[]){ 1, 2, 3, 5 }), *out;
    assert_int_equal(zb_exchange(&out, leaves, true, NULL), ZB_OK);
    assert_null(out);
    assert_int_equal(zb_exchange(&out, leaves, false, NULL), ZB_OK);
    assert_non_null(out);
    zb_model_free(out);
    zb_model_free(leaves);
    CHECK(joined >= test_share(57), "%d", joined);
}

/* ---- limits ---------------------------------------------------------------------- */

/* sum over the centre of (sum over a leaf) to the power of k */
static double star_sum(int k, int q, int n, const double *value)
{
    double top = -INFINITY, sum = 0;
    for (int turn = 0; turn < 2; turn++)
        for (int y = 0; y < n; y++) {
            double leaf = 0;
            for (int x = 0; x < q; x++)
                leaf += value[x * n + y];
            double power = k * log(leaf);
            top = turn == 0 ? fmax(top, power) : top;
            sum += turn == 0 ? 0 : exp(power - top);
        }
    return top + log(sum);
}

/* 91 over 2 states fit, 92 over 2 do not; 64 times 2^14 entries, and 65 times. */
static void sizes_are_limited(void **state)
{
    (void)state;
    const struct {
        int k, q, n;
        bool fits;
    } cases[] = { { 89, 3, 2, true },
                  { 90, 3, 2, false },
                  { 63, 2, 1 << 14, true },
                  { 64, 2, 1 << 14, false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int k = cases[i].k, q = cases[i].q, n = cases[i].n;
        double *value = malloc((size_t)(q * n) * sizeof *value);
        zb_model *model, *out;
        zb_rows rows;
        zb_rng rng = zb_rng_seed(i);
        assert_non_null(value);
        for (int e = 0; e < q * n; e++)
            value[e] = 0.5 + zb_rng_uniform(&rng);
        model = star(k, q, n, value);
        assert_int_equal(zb_rows_find(&rows, model, false, NULL), ZB_OK);
        assert_int_equal(rows.count, k);
        assert_int_equal(zb_exchange_counted(&out, model, &rows, NULL), ZB_OK);
        CHECK((out != NULL) == cases[i].fits, "case %zu", i);
        if (out != NULL && n < 10) {
            interval now = brute_interval(out);
            assert_true(
                close_to(out->log_scale + now.upper, star_sum(k, q, n, value), 1e-12));
        }
        zb_model_free(out);
        zb_rows_close(&rows);
        zb_model_free(model);
        free(value);
    }
}

/* Rows of two that only a column ties: each table becomes k + 1 times larger over 2,
   and there are k of them. */
static void tables_may_not_grow_far(void **state)
{
    (void)state;
    const double within[] = { 1, 2, 3, 5 }, between[] = { 1, 2, 2, 1 };
    for (int k = 94; k <= 95; k++) {
        int card[190];
        zb_model *model, *out;
        zb_rows rows;
        for (int v = 0; v < 2 * k; v++)
            card[v] = 2;
        assert_int_equal(zb_model_new(&model, 2 * k, card), ZB_OK);
        for (int r = 0; r < k; r++) {
            int scope[] = { 2 * r, 2 * r + 1 };
            assert_int_equal(zb_model_add(model, 2, scope, within), ZB_OK);
        }
        assert_int_equal(zb_rows_find(&rows, model, false, NULL), ZB_OK);
        assert_int_equal(rows.count, k);
        assert_int_equal(rows.columns, 2);
        assert_int_equal(zb_exchange_counted(&out, model, &rows, NULL), ZB_OK);
        CHECK((out != NULL) == (k == 94), "%d rows", k);
        zb_model_free(out);
        zb_rows_close(&rows);
        /* with tables between all rows there is more to begin with */
        for (int r = 0; r < k; r++)
            for (int s = 0; s < r; s++)
                assert_int_equal(
                    zb_model_add(model, 2, (int[]){ 2 * r, 2 * s }, between), ZB_OK);
        assert_int_equal(zb_rows_find(&rows, model, false, NULL), ZB_OK);
        assert_int_equal(zb_exchange_counted(&out, model, &rows, NULL), ZB_OK);
        assert_non_null(out);
        zb_model_free(out);
        zb_rows_close(&rows);
        zb_model_free(model);
    }
}

/* A run that has ended: nothing is found, and nothing is wrong. */
static void an_end_is_no_error(void **state)
{
    (void)state;
    const double value[] = { 1, 2, 3, 5 };
    zb_model *model = star(5, 2, 2, value), *out;
    zb_rows rows;
    zb_run run;
    assert_int_equal(zb_run_open(&run, NULL, zb_now() - 1, UINT64_MAX, 1), ZB_OK);
    zb_status status = zb_rows_find(&rows, model, false, &run);
    assert_true(status == ZB_OK || (status == ZB_ELIMIT && rows.count == 0));
    zb_rows_close(&rows);
    assert_int_equal(zb_exchange(&out, model, false, &run), ZB_OK);
    zb_model_free(out);
    zb_run_close(&run);
    zb_model_free(model);
}

/* Scopes of more variables than a walk has axes, all but a few of a single value. */
static void variables_without_a_choice_are_left_out(void **state)
{
    enum { K = 4, WIDE = 70, N = K + 1 + WIDE };
    const double value[] = { 1, 2, 3, 5 };
    int card[N], scope[2 + WIDE];
    zb_model *model, *out;
    zb_rows rows;
    (void)state;
    for (int v = 0; v < N; v++)
        card[v] = v <= K ? 2 : 1;
    assert_int_equal(zb_model_new(&model, N, card), ZB_OK);
    for (int r = 0; r < K; r++) {
        scope[0] = r;
        for (int i = 0; i <= WIDE; i++)
            scope[1 + i] = K + i;
        assert_int_equal(zb_model_add(model, 2 + WIDE, scope, value), ZB_OK);
    }
    assert_int_equal(zb_rows_find(&rows, model, false, NULL), ZB_OK);
    assert_int_equal(rows.count, K);
    assert_int_equal(rows.columns, 1);
    assert_int_equal(zb_exchange_counted(&out, model, &rows, NULL), ZB_OK);
    assert_non_null(out);
    interval now = brute_interval(out);
    assert_true(close_to(out->log_scale + now.upper, star_sum(K, 2, 2, value), 1e-12));
    zb_model_free(out);
    zb_rows_close(&rows);
    zb_model_free(model);
}

/* Three rows of a variable of two values and one of q: two tables of 4 q^2 entries are
   too many from q = 91 on, and then only the first column decides. */
static void large_columns_are_left_out(void **state)
{
    (void)state;
    for (int q = 90; q <= 91; q++) {
        int card[] = { 2, 2, 2, q, q, q };
        const double both[] = { 1, 1, 1, 0 };
        double *value = malloc(2 * (size_t)q * sizeof *value);
        zb_model *model, *out;
        zb_rows rows;
        assert_non_null(value);
        for (int i = 0; i < 2 * q; i++)
            value[i] = 1 + i % 7;
        assert_int_equal(zb_model_new(&model, 6, card), ZB_OK);
        for (int r = 0; r < 3; r++) {
            int row[] = { r, 3 + r }, next[] = { r, (r + 1) % 3 };
            assert_int_equal(zb_model_add(model, 2, row, value), ZB_OK);
            assert_int_equal(zb_model_add(model, 2, next, both), ZB_OK);
        }
        assert_int_equal(zb_rows_find(&rows, model, true, NULL), ZB_OK);
        assert_int_equal(rows.count, 3);
        assert_int_equal(rows.columns, 2);
        assert_int_equal(zb_exchange_sorted(&out, model, &rows), ZB_OK);
        assert_non_null(out);
        assert_int_equal(out->nvars, 6 + 2 * (q == 90 ? 3 : 2));
        rows.columns = 1; /* the large one alone */
        memmove(rows.var, rows.var + 3, 3 * sizeof *rows.var);
        zb_model_free(out);
        assert_int_equal(zb_exchange_sorted(&out, model, &rows), ZB_OK);
        CHECK((out != NULL) == (q == 90), "q = %d", q);
        zb_model_free(out);
        zb_rows_close(&rows);
        zb_model_free(model);
        free(value);
    }
}

/* k rows of t variables in a chain, of which at most one begins with 1; its sum. */
static zb_model *chains(int k, int t, double *sum)
{
    const double within[] = { 1, 2, 3, 5 }, between[] = { 1, 1, 1, 0 };
    int *card = malloc((size_t)(k * t) * sizeof *card);
    double none = 1, one = 1; /* over a row that begins with 0, with 1 */
    zb_model *model;
    assert_non_null(card);
    for (int v = 0; v < k * t; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, k * t, card), ZB_OK);
    free(card);
    for (int r = 0; r < k; r++) {
        for (int c = 1; c < t; c++) {
            int scope[] = { r * t + c - 1, r * t + c };
            assert_int_equal(zb_model_add(model, 2, scope, within), ZB_OK);
        }
        for (int s = 0; s < r; s++)
            assert_int_equal(zb_model_add(model, 2, (int[]){ r * t, s * t }, between),
                             ZB_OK);
    }
    for (int c = 1; c < t; c++) {
        double next = none + 2 * one;
        one = 3 * none + 5 * one;
        none = next;
    }
    *sum = k * log(none) + log(1 + k * one / none);
    return model;
}

/* More rows, or more columns, than are put in order: the others stay as they are. */
static void many_rows_are_cut(void **state)
{
    const struct {
        int rows, columns, more;
    } cases[] = {
        { 64, 1, 63 * 2 }, { 70, 1, 63 * 2 }, { 4, 8, 3 * 9 }, { 4, 10, 3 * 9 }
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double sum;
        zb_model *model = chains(cases[i].rows, cases[i].columns, &sum), *out;
        zb_options opt = zb_options_default();
        zb_result r;
        zb_rows rows;
        assert_int_equal(zb_rows_find(&rows, model, true, NULL), ZB_OK);
        assert_int_equal(rows.count, cases[i].rows);
        assert_int_equal(rows.columns, cases[i].columns);
        assert_int_equal(zb_exchange_sorted(&out, model, &rows), ZB_OK);
        assert_int_equal(out->nvars, model->nvars + cases[i].more);
        opt.method = ZB_METHOD_COUNT;
        assert_int_equal(zb_solve(out, &opt, NULL, &r, NULL), ZB_OK);
        CHECK(r.exact && close_to(r.log_upper, sum, 1e-12),
              "case %zu: %.17g, not %.17g", i, r.log_upper, sum);
        zb_model_free(out);
        zb_rows_close(&rows);
        zb_model_free(model);
    }
}

/* ---- answers --------------------------------------------------------------------- */

/* Every method, with so little memory that some are brackets. */
static void answers_hold(void **state)
{
    (void)state;
    const zb_method methods[] = { ZB_METHOD_AUTO, ZB_METHOD_BE, ZB_METHOD_COUNT };
    for (uint64_t seed = 1; seed <= test_models(60); seed++) {
        made m = some_rows(seed, COLUMNS, seed % 7 == 0);
        interval z = brute_interval(m.model);
        for (int i = 0; i < 3; i++) {
            zb_options opt = zb_options_default();
            zb_result r;
            opt.method = methods[i];
            opt.memory = i == 0 && seed % 2 == 0 ? 1 << 16 : opt.memory;
            opt.iterations = 5;
            zb_status status = zb_solve(m.model, &opt, NULL, &r, NULL);
            CHECK(status == ZB_OK && brackets(&r, z),
                  "seed %" PRIu64 ", method %d: [%.17g, %.17g], not %.17g", seed, i,
                  r.log_lower, r.log_upper, z.upper);
        }
        zb_model_free(m.model);
    }
}

/* Two sets of n variables, one table for every pair: a sum over two numbers. */
static void pairs_of_sets_are_exact(void **state)
{
    enum { N = 26 };
    const double pair[] = { 1.1, 1, 1, 1.2 };
    int card[2 * N];
    zb_model *model;
    zb_options opt = zb_options_default();
    zb_result r;
    double sum = 0, a = 1;
    (void)state;
    for (int v = 0; v < 2 * N; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, 2 * N, card), ZB_OK);
    for (int u = 0; u < N; u++)
        for (int v = N; v < 2 * N; v++)
            assert_int_equal(zb_model_add(model, 2, (int[]){ u, v }, pair), ZB_OK);
    for (int i = 0; i <= N; a = a * (N - i) / (i + 1), i++) {
        double b = 1;
        for (int j = 0; j <= N; b = b * (N - j) / (j + 1), j++)
            sum += a * b * pow(1.1, (N - i) * (N - j)) * pow(1.2, i * j);
    }
    opt.time = 0;
    for (int i = 0; i < 2; i++) {
        opt.method = i == 0 ? ZB_METHOD_AUTO : ZB_METHOD_BE;
        assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
        assert_true(r.exact && r.rounding < 1e-10);
        assert_true(close_to(r.log_upper, log(sum), 1e-12));
    }
    zb_model_free(model);
}

/* N people, friends of a kind that differs for every two: only without these variables,
   each of a single factor, may people be exchanged. */
static void what_tells_rows_apart_may_vanish(void **state)
{
    enum { N = 26 };
    const double alone[] = { 1, 1.3 },
                 friends[] = { 1.25, 1.25, 1.25, 1.25, 1.25, 1, 1, 1.25 };
    int card[N * N];
    zb_model *model;
    zb_options opt = zb_options_default();
    zb_result r;
    double sum = 0, ways = 1;
    int next = N;
    (void)state;
    for (int v = 0; v < N * N; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, N * N, card), ZB_OK);
    for (int i = 0; i < N; i++)
        assert_int_equal(zb_model_add(model, 1, &i, alone), ZB_OK);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (i != j)
                assert_int_equal(
                    zb_model_add(model, 3, (int[]){ next++, i, j }, friends), ZB_OK);
    for (int n = 0; n <= N; ways = ways * (N - n) / (n + 1), n++) {
        int alike = n * (n - 1) + (N - n) * (N - n - 1), unlike = 2 * n * (N - n);
        sum += ways * pow(1.3, n) * pow(2.5, alike) * pow(2.25, unlike);
    }
    opt.time = 0;
    assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
    assert_true(r.exact && close_to(r.log_upper, log(sum), 1e-12));
    zb_model_free(model);
}

/* Every row has one of n columns, no two the same: n! ways. */
static zb_model *permutations(int n)
{
    int card[144], scope[12];
    const double both[] = { 1, 1, 1, 0 };
    double *some = malloc(sizeof *some << n);
    zb_model *model;
    assert_non_null(some);
    for (int v = 0; v < n * n; v++)
        card[v] = 2;
    assert_int_equal(zb_model_new(&model, n * n, card), ZB_OK);
    for (int i = 0; i < 1 << n; i++)
        some[i] = i > 0;
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++)
            scope[c] = r * n + c;
        assert_int_equal(zb_model_add(model, n, scope, some), ZB_OK);
        for (int c = 0; c < n; c++)
            for (int d = 0; d < c; d++) {
                int row[] = { r * n + c, r * n + d },
                    column[] = { c * n + r, d * n + r };
                assert_int_equal(zb_model_add(model, 2, row, both), ZB_OK);
                assert_int_equal(zb_model_add(model, 2, column, both), ZB_OK);
            }
    }
    free(some);
    return model;
}

/* What elimination can do stays as it is, unless it is far cheaper in order; else rows
   are put in order, for those that search. */
static void far_too_wide_is_sorted(void **state)
{
    (void)state;
    int sorted = 0;
    for (int n = 4; n <= 10; n++) {
        zb_model *model = permutations(n);
        zb_options opt = zb_options_default();
        zb_exact_job *plain, *searched;
        zb_result r;
        assert_int_equal(zb_exact_job_new(&plain, model, &opt, 0.1, NULL, NULL), ZB_OK);
        assert_int_equal(zb_exact_job_searched(&searched, model, &opt, 0.1, NULL, NULL),
                         ZB_OK);
        bool same = plain->rough == searched->rough;
        print_message("%d: %g and %g entries, %d and %d factors\n", n, plain->rough,
                      searched->rough, plain->reduction->after.factors,
                      searched->reduction->after.factors);
        CHECK(same ? plain->rough <= 1e10
                   : plain->rough > 1e10 || searched->rough <= plain->rough / 2,
              "%d rows, %g entries", n, plain->rough);
        sorted += !same;
        zb_exact_job_free(plain);
        zb_exact_job_free(searched);
        opt.time = 0;
        opt.method = ZB_METHOD_COUNT;
        assert_int_equal(zb_solve(model, &opt, NULL, &r, NULL), ZB_OK);
        assert_true(r.exact && close_to(r.log_upper, lgamma(n + 1), 1e-12));
        zb_model_free(model);
    }
    assert_in_range(sorted, 2, 6);
}

/* Clauses of fresh variables are rows, too, which the reductions sum out: they are not
   in the way of those that matter. */
static void rows_that_vanish_are_passed_over(void **state)
{
    enum { N = 10, CLAUSES = 9, LENGTH = 11 };
    zb_model *all = permutations(N), *model;
    int card[N * N + CLAUSES * LENGTH];
    static double some[1 << LENGTH];
    zb_options opt = zb_options_default();
    zb_exact_job *job;
    (void)state;
    for (int v = 0; v < N * N + CLAUSES * LENGTH; v++)
        card[v] = 2;
    for (int i = 0; i < 1 << LENGTH; i++)
        some[i] = i > 0;
    assert_int_equal(zb_model_new(&model, N * N + CLAUSES * LENGTH, card), ZB_OK);
    for (int f = 0; f < all->nfactors; f++)
        assert_int_equal(zb_model_add(model, all->factor[f].arity, all->factor[f].scope,
                                      all->factor[f].value),
                         ZB_OK);
    for (int c = 0; c < CLAUSES; c++) {
        int scope[LENGTH];
        for (int i = 0; i < LENGTH; i++)
            scope[i] = N * N + c * LENGTH + i;
        assert_int_equal(zb_model_add(model, LENGTH, scope, some), ZB_OK);
    }
    assert_int_equal(zb_exact_job_searched(&job, model, &opt, 0.1, NULL, NULL), ZB_OK);
    assert_true(job->rough < 1e4);
    zb_exact_job_free(job);
    zb_model_free(model);
    zb_model_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found),
        cmocka_unit_test(sums_stay),
        cmocka_unit_test(only_joined_rows_are_sorted),
        cmocka_unit_test(sizes_are_limited),
        cmocka_unit_test(tables_may_not_grow_far),
        cmocka_unit_test(variables_without_a_choice_are_left_out),
        cmocka_unit_test(large_columns_are_left_out),
        cmocka_unit_test(many_rows_are_cut),
        cmocka_unit_test(an_end_is_no_error),
        cmocka_unit_test(answers_hold),
        cmocka_unit_test(pairs_of_sets_are_exact),
        cmocka_unit_test(what_tells_rows_apart_may_vanish),
        cmocka_unit_test(far_too_wide_is_sorted),
        cmocka_unit_test(rows_that_vanish_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
