/* Arrays that grow. */
#include "base/base.h"

#include <string.h>

size_t zb_room(size_t room, size_t need, size_t most)
{
    enum { FIRST = 16 };
    size_t times = most < SIZE_MAX ? 4 : 2; /* copies are fewer where there is an end */
    size_t more = room <= SIZE_MAX / 4 ? zb_max_size(times * room, FIRST) : SIZE_MAX;
    return zb_max_size(zb_min_size(more, most), need);
}

bool zb_reserve(void *array, size_t *room, size_t used, size_t need, size_t most,
                size_t size)
{
    if (need <= *room)
        return true;
    /* The pointer is copied byte by byte: an int * must not be written as a void *. */
    void *old, *bigger;
    size_t more = zb_room(*room, need, most);
    memcpy(&old, array, sizeof old);
    bigger = zb_resize(old, used, more, size);
    if (bigger == NULL)
        return false;
    memcpy(array, &bigger, sizeof bigger);
    *room = more;
    return true;
}
