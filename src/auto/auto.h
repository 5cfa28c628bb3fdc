/* Method auto: exact where it fits, else the tightest bracket within the budget. */
#ifndef ZB_AUTO_H
#define ZB_AUTO_H

#include "base/run.h"
#include "certificate/certificate.h"

/* Always answers with a bracket, but for ZB_EINVAL (a given order) and ZB_EBUG. The
   certificate, unless it is NULL, is what proves the bracket; it stays empty, with a
   note, where the time or the memory was not enough for one. */
zb_status zb_solve_auto(const zb_model *model, const zb_options *opt, zb_run *run,
                        zb_certificate *certificate, zb_result *out, zb_error *err);

#endif
