/* What the files of zb_sat share. */
#ifndef ZB_SAT_INTERNAL_H
#define ZB_SAT_INTERNAL_H

#include "sat/sat.h"

#define ZB_SAT_NONE UINT32_MAX
#define ZB_SAT_PAIR 0x80000000u /* a reason: this bit and the pair's false literal */

void zb_sat_set(zb_sat *s, uint32_t literal, uint32_t reason);
uint32_t zb_sat_propagate(zb_sat *s); /* the clause violated, ZB_SAT_PAIR, or _NONE */

/* The first unique implication point of a conflict: a clause into lemma, lemma[0] the
   literal it will set, lemma[1] the next highest; top is the level of lemma[0]. Returns
   the level where it sets it. The lemma is empty if top is 0. */
int zb_sat_analyse(zb_sat *s, uint32_t conflict);

/* Keep the lemma; its place (ZB_SAT_NONE for a single literal, which is noted as a unit
   when base is above 0). */
uint32_t zb_sat_learn(zb_sat *s, int base);

/* Drop the less useful half of the learnt clauses where there are too many. */
void zb_sat_forget(zb_sat *s);

void zb_sat_heap_push(zb_sat *s, int b);
int zb_sat_heap_pop(zb_sat *s);

bool zb_sat_watch(zb_sat *s, uint32_t literal, zb_watched w);
bool zb_sat_attach(zb_sat *s, uint32_t clause); /* watch its first two literals */
bool zb_sat_store(zb_sat *s, uint32_t n, const uint32_t *lit, uint32_t *at);

#endif
