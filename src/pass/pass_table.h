/* A table with its scale: the one kind of table that passes compute with.
 *
 * It stands for 2^exp2 e^shift v, with v its values, or e^v where these are logarithms.
 * What is taken out of the values stays with the table and is added to ln Z at the end:
 * everything that a pass computes is homogeneous of the first degree in each table.
 *
 * Linear values are quicker by far, but only while no product of them underflows. A
 * product of entries that are not zero is at least e^-R if the largest are about one
 * and R is the sum of the tables' ranges. While R <= ZB_RANGE_MOST that is a normal
 * double; beyond, logarithms are used. So no entry is ever lost, whatever the numbers:
 * a tiny entry may be the only one that later factors leave over. */
#ifndef ZB_PASS_TABLE_H
#define ZB_PASS_TABLE_H

#include "base/run.h"
#include "pass/kernel.h"
#include "pass/team.h"

/* Nats. The smallest normal double is e^-708; the rest is for scales that have drifted
   (2^16 either way, per table) and for sums. */
#define ZB_RANGE_MOST 600.0

typedef struct zb_table { /* a factor, or a node's message */
    double *value;        /* on the way back, a message's are replaced by derivatives */
    size_t size;
    double shift;
    double range; /* of linear values: nats that magnitudes, zero left out, and one span
                   */
    int exp2;
    int high; /* of linear values: exponent of the largest magnitude */
    bool is_log;
    bool positive; /* linear values, none of them zero or less */
} zb_table;

/* Who goes over large tables, and whom to ask between stretches of them. */
typedef struct zb_sweeper {
    zb_team *team;
    zb_run *run;
    _Atomic bool *cut; /* set when the run has ended: the table is of no use. NULL: the
                          table will be needed again, and is finished */
} zb_sweeper;

void zb_table_to_log(zb_table *x, const zb_sweeper *by);

/* Logarithms of extent e: to linear values where their range allows it. */
void zb_table_to_linear(zb_table *x, zb_extent e, const zb_sweeper *by);

/* Linear values of magnitudes within e: bring them near one if they are far from it,
   unless the smallest would underflow; note their range. */
void zb_table_settle(zb_table *x, zb_extent e, const zb_sweeper *by);

bool zb_table_all_positive(const zb_table *x);
void zb_table_drop_sign(zb_table *x); /* linear values only */

/* Logarithms of many tables' scales, added up: powers of two are exact, and the sum of
   shifts is compensated. */
typedef struct zb_log_sum {
    int64_t exp2;
    double sum, carry;
} zb_log_sum;

void zb_log_sum_add(zb_log_sum *s, double x);
static inline void zb_log_sum_table(zb_log_sum *s, const zb_table *x)
{
    s->exp2 += x->exp2;
    if (x->shift != 0)
        zb_log_sum_add(s, x->shift);
}
double zb_log_sum_value(const zb_log_sum *s);

#endif
