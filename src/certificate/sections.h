/* What a certificate is made of. */
#ifndef ZB_SECTIONS_H
#define ZB_SECTIONS_H

#include "certificate/script.h"

enum { ZB_SECTION_EXACT, ZB_SECTION_UPPER, ZB_SECTION_LOWER, ZB_SECTIONS };

struct zb_certificate {
    int nvars, nfactors;
    zb_run *run; /* of the call that finds what is proved, as long as it lasts */
    double held; /* seconds of it that are held back */
    bool has[ZB_SECTIONS];
    zb_script section[ZB_SECTIONS];
    double log_lower, log_upper;
};

#endif
