#include "base/method.h"

#define BUCKETS                                                                        \
    .solver = ZB_SOLVER_BUCKETS, .upper = true, .lower = true, .formed = true
#define BASELINE .solver = ZB_SOLVER_BASELINE, .formed = true

static const zb_method_row rows[] = {
    [ZB_METHOD_AUTO] = { .solver = ZB_SOLVER_AUTO, .upper = true, .lower = true },
    [ZB_METHOD_BE] = { .solver = ZB_SOLVER_EXACT,
                       .upper = true,
                       .lower = true,
                       .exact = true },
    [ZB_METHOD_MBE] = { BUCKETS, .extreme = true },
    [ZB_METHOD_WMBE] = { BUCKETS },
    [ZB_METHOD_WMBE_W] = { BUCKETS, .weights = true },
    [ZB_METHOD_WMBE_THETA] = { BUCKETS, .theta = true },
    [ZB_METHOD_WMBE_WTHETA] = { BUCKETS, .weights = true, .theta = true },
    [ZB_METHOD_WMBE_G] = { BUCKETS, .gauges = true },
    [ZB_METHOD_WMBE_WG] = { BUCKETS, .weights = true, .gauges = true },
    [ZB_METHOD_TRBP] = { BASELINE, .upper = true },
    [ZB_METHOD_BP] = { BASELINE },
    [ZB_METHOD_MF] = { BASELINE, .lower = true },
    [ZB_METHOD_COUNT] = { .solver = ZB_SOLVER_COUNT, .upper = true, .lower = true },
};

enum { METHODS = sizeof rows / sizeof *rows };

const zb_method_row *zb_method_find(zb_method method)
{
    ZB_ASSERT((unsigned)method < METHODS);
    return &rows[method];
}

bool zb_method_has_side(zb_method method, zb_side side)
{
    if ((unsigned)method >= METHODS)
        return false;
    switch (side) {
    case ZB_SIDE_BOTH: return true; /* what it can */
    case ZB_SIDE_UPPER: return rows[method].upper;
    case ZB_SIDE_LOWER: return rows[method].lower;
    }
    return false;
}

bool zb_method_has_state(zb_method method)
{
    return (unsigned)method < METHODS && rows[method].solver == ZB_SOLVER_BUCKETS;
}
