/* What method auto tries, in which order, with which share of the time: a table, and
 * nothing but a table. auto.c goes through the stages, bracket.c through the steps of a
 * bracket, sides.c makes the searches.
 *
 * Shares are of the seconds that are left when a stage begins, and of the seconds of a
 * round in a bracket. Where there is no clock the last column counts instead. */
#ifndef ZB_STEERING_H
#define ZB_STEERING_H

#include "base/base.h"

struct zb_steer;
struct zb_bracket;

struct zb_stage;
typedef zb_status zb_stage_fn(struct zb_steer *p, const struct zb_stage *stage);

typedef struct zb_stage { /* of a run */
    zb_stage_fn *run;
    double forecast;  /* what its forecast may say: a share of the seconds left */
    double share;     /* what it may take: likewise */
    double most;      /* seconds, of either */
    double unlimited; /* seconds of its forecast without a clock; 0: left out there */
} zb_stage;

/* What decides which steps are worth their time on a component. */
enum zb_fact {
    ZB_FACT_ZEROS = 1, /* a table has an entry of zero */
    ZB_FACT_COUNTING =
        2,               /* constraints rather than weights: counting is all there is */
    ZB_FACT_DENSE = 4,   /* variables in many factors: mini-buckets split a lot */
    ZB_FACT_LARGE = 8,   /* orders take long: there is time for one search only */
    ZB_FACT_MISFIT = 16, /* not even the smallest mini-buckets fit */
    ZB_FACT_SINGLE = 32, /* mini-buckets of single factors are all that fits */
};

typedef zb_status zb_step_fn(struct zb_bracket *b, double seconds);

typedef struct zb_step { /* of a bracket */
    zb_step_fn *run;
    double share;          /* of the round */
    bool until;            /* until this share of the round has gone by */
    unsigned when, unless; /* facts that hold, all of them; and none of these */
} zb_step;

typedef struct zb_kind { /* of a search by mini-buckets */
    zb_method method;
    zb_form form;
} zb_kind;

enum { ZB_STAGES = 8, ZB_STEPS = 24 };

typedef struct zb_steering {
    zb_stage stage[ZB_STAGES]; /* up to the first without a function */
    zb_step step[ZB_STEPS];    /* likewise */

    double round_first, round_ratio; /* seconds of the first round; of the next one */
    double order_share, order_least, order_most; /* seconds of the first order search */
    double large; /* share of a round that a choice of ibound takes: LARGE */
    double dense; /* factors a variable: DENSE */

    zb_kind plain, gauged;
    int first_iterations, long_iterations;
    int misfit_passes; /* of the smallest mini-buckets, that do not fit a round: MISFIT
                        */
    int first_passes, upper_passes, lower_passes; /* that the time must pay for, when an
                                                     ibound is chosen */
    double lost_forests, lost_field; /* of its share, that a baseline gets which did not
                                        lead before: fields begin at random, and may */

    /* Arms (arms.c). */
    int leap;          /* from a size to the next: ld of the growth of cliques; */
    int leap_most;     /* or more, once it is known what a larger one gains, */
    double leap_share; /* if it leads within this share of the time at hand */
    int size_most;     /* ld of the entries of a clique, */
    int size_gauged;   /* and up to which an arm may have gauges: in larger ones shared
                          variables do more */
    int trial_passes;  /* after which an arm is judged */
    int poor_passes;   /* after which it is given up, if it lags behind a smaller one */
    double poor;       /* after as many passes by this share of the gap */
    int known_passes;  /* the largest arm makes these whatever it promises, */
    double known_share; /* if they take less than this of the time */
    double explored[2]; /* share of the time for an arm that is not expected to lead,
                           where nothing else is promised; where states want it */
    int rung_passes;    /* that a larger one should get where nothing is known; */
    int rung_least[2];  /* at least, above and below, where they take longer, */
    int rung_most;      /* at most, by the curve of the best; within */
    double rung_share;  /* this share of the time at hand; */
    double rung_last;   /* or this one, where all others are at their ends */
    double kept_share;  /* of a side's memory, for arms beside a new one */
    double gain_first, gain_least; /* of the gap, that the first larger arm is expected
                                      to gain; that each is, at least */
    double step_most;              /* of the gap, that early differences may promise */
    double lag_most;     /* of what its curve promises in the end, that an arm may lag
                            behind     and go on where nothing else does */
    int race_iterations; /* those of a race of candidates for an arm with gauges, */
    double race_share;   /* and its share of the time at hand; of others so many at */
    int race_few[2];     /* most, above and below, as fit that share, */
    int race_decide[2];  /* are judged after so many passes, */
    int race_most;       /* or this many times as many, as far as they fit it */
    double slice_share;  /* of a slice, likewise */
    int slice_passes;    /* and its passes, at least */

    double rest;  /* of a round, that arms must have left for something else */
    double again; /* share of a long search that must be left for another one */
    double search_unlimited; /* seconds of the first search where there is no clock, */
    double search_ratio;     /* how much longer each next one may be, */
    double gain;             /* and the relative gain for which there is a next one */
    double count_unlimited;  /* seconds of counting where there is no clock; */
    double count_judged;     /* where there is one, those that tell what it is worth, */
    double count_trial;      /* or this part of its share: */
    double count_lag;        /* nats that it is behind others, to have only */
    double lost_count;       /* this part after that, */
    double count_leader;     /* and the part of the rule that leads */
    int support_slices;      /* that the time must pay for, of a search by slices, */
    int state_slices;        /* and of one around a state that was drawn */
    double draw_every;  /* shares of a round after which draws may have a new source; */
    double state_after; /* share of a round after which the latter is tried beside */
    double state_trial; /* the upper side, and of the rest that it then takes */
} zb_steering;

extern const zb_steering ZB_STEERING;

#endif
