#include "tree/join.h"

#include <string.h>

/* Multiplications that must be saved before a node of its own pays. */
static const double WORTH = 4096;

/* Entries of the union of the joint scope (stamped) and one more. */
static double joined(const int *card, double size, const zb_join_item *s,
                     const int *stamp, int mark)
{
    for (int j = 0; j < s->arity; j++)
        if (stamp[s->scope[j]] != mark)
            size *= card[s->scope[j]];
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

int zb_join_choose(const int *card, double clique, int count, const zb_join_item *item,
                   int *stamp, int mark, int *rank, bool *chosen)
{
    double size = 1;
    int n = 0;

    memset(chosen, 0, (size_t)count * sizeof *chosen);
    if (count < 3 || count * clique <= WORTH)
        return 0;
    sort_by_size(count, item, rank);
    for (int i = 0; i < count; i++) {
        const zb_join_item *s = &item[rank[i]];
        double more = joined(card, size, s, stamp, mark);
        if (more > clique / 16)
            continue;
        for (int j = 0; j < s->arity; j++)
            stamp[s->scope[j]] = mark;
        chosen[rank[i]] = true;
        size = more;
        n++;
    }
    /* n - 1 of n products over the clique are saved, n over the joint table made */
    if (n >= 2 && (n - 1) * clique - n * size > WORTH)
        return n;
    memset(chosen, 0, (size_t)count * sizeof *chosen);
    return 0;
}
