/* Certificates: zb_certificate of zbound.h, from the proofs of a run. */
#ifndef ZB_CERTIFICATE_H
#define ZB_CERTIFICATE_H

#include "certificate/proof.h"

/* Of a model as it was given. */
zb_status zb_certificate_new(zb_certificate **out, const zb_model *model);

/* Write down what proves the bounds of the side, or of both. The run that found them is
   over by now, so that none is asked: this takes about as long as a search before its
   first pass. */
zb_status zb_certificate_prove(zb_certificate *c, const zb_proofs *proofs,
                               zb_side side);

/* What is claimed: the bounds of the result. */
void zb_certificate_claim(zb_certificate *c, const zb_result *result);

#endif
