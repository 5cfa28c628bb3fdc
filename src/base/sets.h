/* Disjoint sets by union-find: parent[v] == v for the one that stands for its set. */
#ifndef ZB_SETS_H
#define ZB_SETS_H

/* Who stands for v's set; halves the path on the way. */
static inline int zb_find_root(int *parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

#endif
