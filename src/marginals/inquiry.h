/* Questions about a model, and what is known of the answers.
 *
 * A question is the distribution of the variables of one scope. Each is a factor of
 * ones in the model that is asked: it changes nothing, and
 *
 *   p(y) = Z(y) / Z,   Z(y) the sum with the indicator of y in the place of the ones,
 *
 * which is also the derivative of ln Z by ln of the factor's entry at y. So one
 * backward pass answers all questions where nothing is split, and bounds of Z(y)
 * bracket the answers elsewhere. */
#ifndef ZB_INQUIRY_H
#define ZB_INQUIRY_H

#include "base/run.h"
#include "model/model.h"

/* What is known of every entry of every question, one after the other. */
typedef struct zb_answers {
    size_t count;
    double *value;         /* exact but for rounding, or an estimate */
    double *lower, *upper; /* proved */
    double *error;         /* of estimates, about: one standard deviation */
} zb_answers;

zb_status zb_answers_new(zb_answers *a, size_t count);
void zb_answers_close(zb_answers *a);
/* Nothing is known of `size` entries from `at` on. */
void zb_answers_forget(zb_answers *a, size_t at, size_t size);

typedef struct zb_question {
    int factor; /* the table of ones in the model that is asked */
    size_t at;  /* into the answers, in the layout of that factor */
} zb_question;

/* A model, without evidence, of factors in logarithms, each variable of two values or
   more and in some factor; and what is asked of it. */
typedef struct zb_inquiry {
    const zb_model *model;
    int count;
    const zb_question *question;
    zb_answers *answers;
    const zb_options *opt;
    double radius;  /* nats: how far rounding has moved the product at any state */
    bool exact;     /* result: the answers are */
    size_t samples; /* result: draws behind the estimates */
} zb_inquiry;

/* All at once by elimination there and back. *found: it fits memory and time, and was
   done. searched: in an order that takes time to find, else in what half a second
   finds. Where Z = 0, all answers are 0. ZB_ELIMIT when the run ended first.
   (beliefs.c) */
zb_status zb_inquiry_exact(zb_inquiry *q, bool searched, zb_run *run, bool *found);

/* By bounds on Z(y), and estimates by draws; or exactly after all, where an order that
   is searched for allows it. As far as the run's time goes: answers may stay as they
   were. Where Z = 0 is found out, all answers are 0. (intervals.c) */
zb_status zb_inquiry_bound(zb_inquiry *q, zb_run *run);

/* One round of bounds, paths and draws, with mini-buckets of that size. ZB_ELIMIT when
   the run ended, or its memory does not allow it, before there were bounds. */
typedef struct zb_round {
    int ibound, iterations;
} zb_round;
zb_status zb_inquiry_round(zb_inquiry *q, zb_round how, zb_run *run);

/* A component: exactly, in an order that is quickly found, else by bounds; what time
   does not allow stays as it is. */
zb_status zb_inquiry_part(zb_inquiry *q, zb_run *run);

/* Intervals from the neighbourhood of each question, in about so many seconds. They are
   narrowed, and nothing else changes. (regions.c) */
zb_status zb_inquiry_nearby(zb_inquiry *q, double seconds, zb_run *run);
/* The same with tables of at most so many entries, by this rank alone. */
zb_status zb_inquiry_regions(zb_inquiry *q, double limit, zb_run *run);

static inline size_t zb_question_size(const zb_inquiry *q, int i)
{
    return q->model->factor[q->question[i].factor].size;
}

#endif
