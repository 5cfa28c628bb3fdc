/* ln Z in ball arithmetic (Arb): what bounds are held against, without a tolerance. */
#ifndef ZB_TEST_ENCLOSE_H
#define ZB_TEST_ENCLOSE_H

#include "zbound.h"

#include <arb.h>

/* A ball that contains ln Z, some 2^-200 wide; no ball where Z = 0. */
typedef struct enclosure {
    arb_t log_z;
    bool zero;
} enclosure;

/* Of the model as its doubles say: every value, or logarithm, stands for itself. By
   plain elimination, the variable with the smallest table next; evidence, constant and
   empty scopes are respected. false where a table would have more than `most` entries.
   The enclosure has to be freed in either case. */
bool enclose(enclosure *out, const zb_model *model, double most);
void enclosure_free(enclosure *e);

/* Of n spins -1, +1, each pair with weight e^(coupling s t), each spin with e^(field
   s): the sum over the number of spins that are +1. */
void enclose_complete(enclosure *out, int n, double coupling, double field);

/* Of so many models side by side that are each like the one enclosed. */
void enclosure_repeat(enclosure *e, unsigned long copies);

/* Whether a bound is on its side of ln Z, or so near that no ball can tell. */
bool is_lower(const enclosure *e, double lower);
bool is_upper(const enclosure *e, double upper);

/* bound - ln Z, about: to say how wrong. */
double excess(const enclosure *e, double bound);

#endif
