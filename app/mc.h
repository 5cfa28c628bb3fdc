/* --mc: a formula is counted, and the answer printed as the model counting competitions
   ask for it. */
#ifndef ZB_APP_MC_H
#define ZB_APP_MC_H

#include "args.h"

int app_mc(app_args *args, FILE *out);

#endif
