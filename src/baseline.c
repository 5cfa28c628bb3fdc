#include "baseline.h"

zb_baseline_options zb_baseline_default(void)
{
    return (zb_baseline_options){ .iterations = 300,
                                  .tolerance = 1e-6,
                                  .damping = 0.1,
                                  .seed = 1,
                                  .restarts = 10,
                                  .trees = 50 };
}
