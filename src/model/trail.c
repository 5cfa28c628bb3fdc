#include "model/trail.h"

static bool append(zb_trail *t, int word)
{
    if (!t->failed && !ZB_RESERVE(t->word, &t->room, t->count, t->count + 1))
        t->failed = true;
    if (!t->failed)
        t->word[t->count++] = word;
    return !t->failed;
}

void zb_trail_begin(zb_trail *t, zb_trail_kind kind)
{
    if (t == NULL)
        return;
    t->last = t->count;
    append(t, (int)kind);
    append(t, 0);
}

void zb_trail_push(zb_trail *t, int operand)
{
    if (t != NULL && append(t, operand))
        t->word[t->last + 1]++;
}

bool zb_trail_next(const zb_trail *t, size_t *at, zb_trail_kind *kind, int *count,
                   const int **operand)
{
    if (*at == t->count)
        return false;
    *kind = (zb_trail_kind)t->word[*at];
    *count = t->word[*at + 1];
    *operand = t->word + *at + 2;
    *at += 2 + (size_t)*count;
    return true;
}

bool zb_trail_is_exact(const zb_trail *t)
{
    zb_trail_kind kind;
    const int *operand;
    int count;
    bool exact = true;
    for (size_t at = 0; zb_trail_next(t, &at, &kind, &count, &operand);)
        exact = exact && kind != ZB_TRAIL_DROP && kind != ZB_TRAIL_SPLIT;
    return exact;
}

void zb_trail_clear(zb_trail *t)
{
    zb_free(t->word);
    *t = (zb_trail){ 0 };
}
