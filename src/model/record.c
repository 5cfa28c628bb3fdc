#include "model/record.h"

static bool append(zb_record *t, int word)
{
    if (!t->failed && !ZB_RESERVE(t->word, &t->room, t->count, t->count + 1))
        t->failed = true;
    if (!t->failed)
        t->word[t->count++] = word;
    return !t->failed;
}

void zb_record_begin(zb_record *t, zb_record_kind kind)
{
    if (t == NULL)
        return;
    t->last = t->count;
    append(t, (int)kind);
    append(t, 0);
}

void zb_record_push(zb_record *t, int operand)
{
    if (t != NULL && append(t, operand))
        t->word[t->last + 1]++;
}

bool zb_record_next(const zb_record *t, size_t *at, zb_record_kind *kind, int *count,
                    const int **operand)
{
    if (*at == t->count)
        return false;
    *kind = (zb_record_kind)t->word[*at];
    *count = t->word[*at + 1];
    *operand = t->word + *at + 2;
    *at += 2 + (size_t)*count;
    return true;
}

bool zb_record_is_exact(const zb_record *t)
{
    zb_record_kind kind;
    const int *operand;
    int count;
    bool exact = true;
    for (size_t at = 0; zb_record_next(t, &at, &kind, &count, &operand);)
        exact = exact && kind != ZB_RECORD_DROP && kind != ZB_RECORD_SPLIT;
    return exact;
}

void zb_record_clear(zb_record *t)
{
    zb_free(t->word);
    *t = (zb_record){ 0 };
}
