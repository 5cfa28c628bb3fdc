/* Which of the clones of a function run on this machine. */
#include "base/base.h"

const char *zb_kernels(void)
{
    return ZB_USES_AVX512 ? "avx512" : ZB_USES_AVX2 ? "avx2" : ZB_BASELINE;
}
