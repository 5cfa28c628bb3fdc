/* ZB_COMMIT and ZB_COMPILER come from cmake/commit.cmake, for this file alone. */
#include "build.h"

#include "zbound.h"

json_t *app_build_json(void)
{
    return json_pack("{s:s, s:s, s:s}", "commit", ZB_COMMIT, "compiler", ZB_COMPILER,
                     "kernels", zb_kernels());
}
