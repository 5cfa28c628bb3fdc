/* Proposals as letters: what draws over ranks have in common. */
#ifndef ZB_PROPOSAL_LETTER_H
#define ZB_PROPOSAL_LETTER_H

#include "ranks/letter.h"
#include "sample/proposal.h"

/* Neither signs nor a look ahead: those are drawn from where they were made. */
bool zb_proposal_travels(const zb_proposal *p);
zb_status zb_letter_put_proposal(zb_letter *l, const zb_proposal *p);
zb_status zb_letter_take_proposal(zb_letter *l, zb_proposal **out);

#endif
