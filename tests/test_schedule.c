/* The schedule of a tree: nothing is overwritten while it is needed, and the memory is
 * the least that a postorder takes. Products of small inputs. */
#include "engine.h"
#include "tree/schedule.h"

#include <inttypes.h>

typedef struct live { /* tables in the arena: where, and until which node */
    size_t at, size;
    int until;
} live;

static void check_place(const live *list, int count, size_t at, size_t size,
                        const zb_schedule *s, uint64_t seed)
{
    CHECK((double)(at + zb_whole_lines(size)) <= s->room, "seed %" PRIu64 ": outside",
          seed);
    for (int i = 0; i < count; i++)
        CHECK(at + zb_whole_lines(size) <= list[i].at ||
                  list[i].at + zb_whole_lines(list[i].size) <= at,
              "seed %" PRIu64 ": %zu + %zu meets %zu + %zu", seed, at, size, list[i].at,
              list[i].size);
}

static int drop(live *list, int count, int node)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (list[i].until != node)
            list[kept++] = list[i];
    return kept;
}

/* Children come before parents, and all that is live lies apart. Returns the most that
   was live at any time. */
static double follow(const zb_tree *t, const zb_schedule *s, bool factors,
                     const size_t *at, uint64_t seed)
{
    live *list = malloc((size_t)(t->nfactors + t->nnodes + 1) * sizeof *list);
    bool *done = calloc((size_t)t->nnodes + 1, sizeof *done);
    double most = 0;
    int count = 0;
    for (int i = 0; i < t->nnodes; i++) {
        int k = s->node[i], up = t->node[k].parent;
        double sum = 0;
        for (int j = 0; j < t->node[k].ninput; j++) {
            int in = zb_tree_input(t, k)[j];
            if (in < 0)
                CHECK(done[-1 - in], "seed %" PRIu64 ": a parent comes first", seed);
            if (in < 0 || !factors)
                continue;
            check_place(list, count, at[in], zb_tree_size(t, in), s, seed);
            list[count++] = (live){ at[in], zb_tree_size(t, in), k };
        }
        size_t here = at[t->nfactors + k];
        check_place(list, count, here, t->node[k].sep_size, s, seed);
        list[count++] = (live){ here, t->node[k].sep_size, up };
        for (int j = 0; j < count; j++)
            sum += (double)zb_whole_lines(list[j].size);
        most = fmax(most, sum);
        done[k] = true;
        count = drop(list, drop(list, count, k), -1);
    }
    assert_int_equal(count, 0);
    free(list);
    free(done);
    return most;
}

static void live_tables_lie_apart(void **state)
{
    (void)state;
    random_spec spec = { 14, 4, 20, 4, 0.1, 2, false };
    for (uint64_t seed = 1; seed <= test_models(500); seed++) {
        zb_model *model = random_model(seed, spec);
        bool factors = seed % 2, join = seed / 2 % 2;
        zb_tree *t = tree_of(
            model, NULL, (zb_split_spec){ .ibound = seed % 3 ? 15 : 3, .join = join });
        zb_schedule *s;
        assert_int_equal(zb_schedule_new(&s, t, factors), ZB_OK);
        size_t *at = calloc((size_t)(t->nfactors + t->nnodes + 1), sizeof *at);
        assert_int_equal(zb_schedule_place(s, t, factors, at), ZB_OK);
        double most = follow(t, s, factors, at, seed);
        CHECK(most == s->room, "seed %" PRIu64 ": %g of %g doubles", seed, most,
              s->room);
        free(at);
        zb_schedule_free(s);
        zb_tree_free(t);
        zb_model_free(model);
    }
}

/* ---- products -------------------------------------------------------------------- */

/* Ten spins in one large table, and `many` small ones on the first and one other. */
static zb_tree *crowded(int many, int spins, bool join)
{
    zb_model *model;
    int card[16], all[16];
    for (int v = 0; v < spins; v++)
        card[v] = 2, all[v] = v;
    double *value = calloc((size_t)1 << spins, sizeof *value);
    assert_int_equal(zb_model_new(&model, spins, card), ZB_OK);
    assert_int_equal(zb_model_add_log(model, spins, all, value), ZB_OK);
    for (int i = 0; i < many; i++)
        assert_int_equal(zb_model_add_log(model, 2, (int[]){ 0, 1 + i % 3 }, value),
                         ZB_OK);
    zb_tree *t =
        tree_of(model, NULL, (zb_split_spec){ .ibound = spins + 1, .join = join });
    free(value);
    zb_model_free(model);
    return t;
}

static int products(const zb_tree *t)
{
    int n = 0;
    for (int k = 0; k < t->nnodes; k++)
        if (t->node[k].var < 0) {
            CHECK(t->node[k].parent == k + 1 &&
                      t->node[k + 1].bucket == t->node[k].bucket,
                  "product %d is for node %d", k, t->node[k].parent);
            n++;
        }
    return n;
}

/* Two tables of 8 entries together save 1024 products over a clique of 2^10; eleven
   save ten times as many, and 4096 are needed. A product has at most a sixteenth of the
   clique. */
static void small_inputs_are_multiplied_first(void **state)
{
    (void)state;
    static const struct {
        int many, spins, products;
    } expect[] = { { 1, 14, 0 }, { 2, 10, 0 }, { 3, 10, 0 },  { 5, 10, 0 },
                   { 6, 10, 1 }, { 2, 14, 1 }, { 400, 8, 1 }, { 400, 7, 1 } };
    for (size_t i = 0; i < sizeof expect / sizeof *expect; i++) {
        zb_tree *plain = crowded(expect[i].many, expect[i].spins, false);
        zb_tree *t = crowded(expect[i].many, expect[i].spins, true);
        CHECK(products(t) == expect[i].products, "%d tables, %d spins: %d products",
              expect[i].many, expect[i].spins, products(t));
        assert_int_equal(products(plain), 0);
        assert_int_equal(t->nnodes, plain->nnodes + products(t));
        assert_true(t->entries == plain->entries && t->width == plain->width &&
                    t->largest == plain->largest);
        zb_tree_free(plain);
        zb_tree_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_tables_lie_apart),
        cmocka_unit_test(small_inputs_are_multiplied_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
