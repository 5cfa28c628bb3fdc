#include "tree/join.h"

#include <string.h>

/* Multiplications that must be saved before a node of its own pays. */
static const double WORTH = 4096;

/* Entries of the union of the joint scope (stamped), of so many, and one more. */
static double joined(const zb_join *j, double size, const zb_join_item *s)
{
    for (int i = 0; i < s->arity; i++)
        if (j->stamp[s->scope[i]] != j->mark)
            size *= j->card[s->scope[i]];
    return size;
}

/* Shell sort of rank by ascending size, then by index: no allocation, no context. */
static void sort_by_size(int count, const zb_join_item *item, int *rank)
{
    for (int i = 0; i < count; i++)
        rank[i] = i;
    for (int gap = count / 2; gap > 0; gap = gap == 2 ? 1 : (int)(gap / 2.2))
        for (int i = gap; i < count; i++) {
            int r = rank[i], j = i;
            for (; j >= gap; j -= gap) {
                int q = rank[j - gap];
                if (item[q].size < item[r].size ||
                    (item[q].size == item[r].size && q < r))
                    break;
                rank[j] = q;
            }
            rank[j] = r;
        }
}

/* Of n products over the clique n - 1 are saved, and n over the joint table made. */
static bool is_worth_it(const zb_join *j, int n, double size)
{
    return n >= 2 && (n - 1) * j->clique - n * size > WORTH;
}

int zb_join_choose(const zb_join *j)
{
    double size = 1;
    int n = 0;

    memset(j->chosen, 0, (size_t)j->count * sizeof *j->chosen);
    if (j->count < 3 || j->count * j->clique <= WORTH)
        return 0;
    sort_by_size(j->count, j->item, j->rank);
    for (int i = 0; i < j->count; i++) {
        const zb_join_item *s = &j->item[j->rank[i]];
        double more = joined(j, size, s);
        if (more > j->clique / 16)
            continue;
        for (int v = 0; v < s->arity; v++)
            j->stamp[s->scope[v]] = j->mark;
        j->chosen[j->rank[i]] = true;
        size = more;
        n++;
    }
    if (is_worth_it(j, n, size))
        return n;
    memset(j->chosen, 0, (size_t)j->count * sizeof *j->chosen);
    return 0;
}
