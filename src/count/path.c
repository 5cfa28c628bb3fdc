#include "count/path.h"

enum { SHARE = 16 }; /* of the bytes for sums */

zb_status zb_path_open(zb_path *path, uint64_t bytes, zb_purse *purse)
{
    path->never = (zb_ticker){ .run = NULL };
    return zb_memo_new(&path->memo, bytes / SHARE, purse, &path->never);
}

void zb_path_close(zb_path *path)
{
    zb_memo_free(path->memo);
    path->memo = NULL;
}

int zb_path_find(zb_path *path, const zb_parts *p, const zb_part *part)
{
    size_t count;
    if (p->sat->depth > path->depth)
        return -1;
    const uint32_t *b =
        zb_memo_find(path->memo, p->key + part->key, part->key_length, &count);
    return b != NULL && p->sat->value[2 * *b] == 0 ? (int)*b : -1;
}

void zb_path_note(zb_path *path, const zb_parts *p, const zb_part *part, int b)
{
    uint32_t word = (uint32_t)b;
    size_t count;
    const uint32_t *key = p->key + part->key;
    path->depth = zb_max_int(path->depth, p->sat->depth);
    if (zb_memo_find(path->memo, key, part->key_length, &count) == NULL)
        zb_memo_put(path->memo, key, part->key_length, &word, 1);
}
