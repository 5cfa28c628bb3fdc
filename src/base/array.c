/* Arrays that grow. */
#include "base/base.h"

#include <string.h>

bool zb_reserve(void *array, size_t *room, size_t used, size_t need, size_t size)
{
    enum { FIRST = 16 };
    if (need <= *room)
        return true;
    /* The pointer is copied byte by byte: an int * must not be written as a void *. */
    void *old, *bigger;
    memcpy(&old, array, sizeof old);
    size_t more = *room <= SIZE_MAX / 2 ? zb_max_size(2 * *room, FIRST) : SIZE_MAX;
    more = zb_max_size(more, need);
    bigger = zb_resize(old, used, more, size);
    if (bigger == NULL)
        return false;
    memcpy(array, &bigger, sizeof bigger);
    *room = more;
    return true;
}
