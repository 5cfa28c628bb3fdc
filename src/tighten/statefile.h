/* States as files: the one place where a state meets readers and writers. */
#ifndef ZB_STATEFILE_H
#define ZB_STATEFILE_H

#include "io/formats.h"
#include "tighten/state.h"

zb_status zb_state_parse(zb_state **out, zb_scan *in); /* as zb_state_read */

#endif
