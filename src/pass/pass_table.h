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
 * a tiny entry may be the only one that later factors leave over.
 *
 * Rounding (base/rounding.h): what changes the values adds to the radius what that may
 * have changed. Since every table enters the bound once, is multiplied and summed with
 * what is not negative, and counts by its first power, an error of r nats in all of its
 * entries moves the bound by r nats at most: radii of inputs add up. Logarithms add
 * errors in proportion to their magnitude, so this is kept small (zb_table_center). */
#ifndef ZB_PASS_TABLE_H
#define ZB_PASS_TABLE_H

#include "base/run.h"
#include "base/sum.h"
#include "pass/kernel.h"
#include "pass/team.h"

/* Nats. The smallest normal double is e^-708; the rest is for scales that have drifted
   (2^16 either way, per table) and for sums. */
#define ZB_RANGE_MOST 600.0

typedef struct zb_table { /* a factor, or a node's message */
    double *value;        /* on the way back, a message's are replaced by derivatives */
    size_t size;
    double shift;
    double most; /* nats: of logarithms, no finite one has a larger magnitude; of linear
                    values, what magnitudes, zero left out, and one span */
    double radius; /* nats: how far rounding has moved ln of any entry, at most */
    int64_t below; /* powers of two of all tables below a message, of linear sums */
    int exp2;
    int high;     /* of linear values: exponent of the largest magnitude */
    bool is_root; /* a message that no node takes: its radius is the bound's */
    bool is_log;
    bool positive; /* linear values, none of them zero or less */
    bool negative; /* linear values, some may be less than zero */
    bool cancels;  /* sums of terms of both signs: the radius is relative to the sum of
                      their magnitudes, and says nothing about small entries */
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

/* Logarithms of extent e: note their magnitude, and bring them near zero if they are
   far from it. */
void zb_table_center(zb_table *x, zb_extent e, const zb_sweeper *by);

/* Magnitudes within e become larger by noise, or of no use where that is infinite. What
   is left of their errors is that of the addition. */
void zb_table_add_noise(zb_table *x, zb_extent *e, double noise, const zb_sweeper *by);

void zb_table_find_signs(
    zb_table *x);                     /* sets positive and negative, of linear values */
void zb_table_drop_sign(zb_table *x); /* linear values only */

/* The table's scale is added to a sum of logarithms. */
static inline void zb_table_scale(const zb_table *x, zb_sum *sum)
{
    sum->exp2 += x->exp2;
    if (x->shift != 0)
        zb_sum_add(sum, x->shift);
}

#endif
