/* Which of the clones of a function run on this machine. */
#include "base/base.h"

const char *zb_kernels(void) { return ZB_CLONES_WIDE ? "avx2" : ZB_BASELINE; }
