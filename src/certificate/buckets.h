/* A mini-bucket bound as steps of a certificate. */
#ifndef ZB_BUCKETS_H
#define ZB_BUCKETS_H

#include "certificate/script.h"
#include "tighten/attempt.h"

typedef struct zb_bucket_steps {
    const zb_attempt *attempt; /* borrowed */
    zb_view view;              /* of the model in its form */
    int *message;              /* per node: its table; -1: not made yet */
} zb_bucket_steps;

/* In two halves, since a bound over several parts makes all that has to do with signs
   before the first inequality of any part: the form of the model, whose view is given
   and taken over, gauges and sums with signs; then the other buckets. */
zb_status zb_buckets_begin(zb_bucket_steps *b, zb_script *s, const zb_attempt *attempt,
                           const zb_model *model, zb_view *view);
void zb_buckets_end(zb_bucket_steps *b, zb_script *s);
void zb_buckets_clear(zb_bucket_steps *b);

#endif
