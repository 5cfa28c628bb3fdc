/* ZB_COMMIT and ZB_COMPILER come from cmake/commit.cmake, for this file alone. */
#include "build.h"

#include "zbound.h"

const char *app_build_commit(void) { return ZB_COMMIT; }

const char *app_build_compiler(void) { return ZB_COMPILER; }

json_t *app_build_json(void)
{
    return json_pack("{s:s, s:s, s:s}", "commit", ZB_COMMIT, "compiler", ZB_COMPILER,
                     "kernels", zb_kernels());
}
