/* Method auto: exact where it fits, else the tightest bracket within the budget. */
#ifndef ZB_AUTO_H
#define ZB_AUTO_H

#include "base/base.h"

zb_status zb_solve_auto(const zb_model *model, const zb_options *opt,
                        const zb_observer *observer, zb_result *out, zb_error *err);

#endif
