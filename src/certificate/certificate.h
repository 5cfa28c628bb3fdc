/* Certificates: zb_certificate of zbound.h, from the proofs of a run. */
#ifndef ZB_CERTIFICATE_H
#define ZB_CERTIFICATE_H

#include "certificate/proof.h"

/* Of a model as it was given. */
zb_status zb_certificate_new(zb_certificate **out, const zb_model *model);

/* The share of a call's run that its search has, so that there is time to write down
   what it finds: all but a forecast of that, between a twentieth and a half of
   what is left. The
   certificate keeps the run, which has to last until it is proved. */
zb_run zb_certificate_share(zb_certificate *c, zb_run *run);

/* Write down what proves the bounds of the side, or of both, within the rest of the
   call's run; a call that was interrupted has as long as a forecast says. A certificate
   that is not finished by then is empty: a note says so, and it is no error. */
zb_status zb_certificate_prove(zb_certificate *c, const zb_proofs *proofs,
                               zb_side side);
bool zb_certificate_is_empty(const zb_certificate *c);

/* What is claimed: the bounds of the result. */
void zb_certificate_claim(zb_certificate *c, const zb_result *result);

#endif
