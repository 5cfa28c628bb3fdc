/* A model: cardinalities, factors as they were given, evidence, a constant. */
#ifndef ZB_MODEL_H
#define ZB_MODEL_H

#include "base/rounding.h"

typedef struct zb_factor {
    int arity;
    int *scope;    /* in the given order; C order tables: last varies fastest */
    size_t size;   /* entries */
    double *value; /* as given: linear or logarithms, so that writing is lossless */
    bool log;      /* value holds logarithms, -INFINITY for zero */
} zb_factor;

struct zb_model {
    int nvars;
    int *card;
    int *evidence; /* per variable, -1 when free */
    int nfactors;
    size_t room;
    zb_factor *factor;
    bool bayes;       /* its file said BAYES; treated as MARKOV all the same */
    double log_scale; /* Z = exp(log_scale) * sum of products */
    double radius;    /* nats: how far rounding, in reading and in what was done to the
                         tables since, may have moved the product at any state, and so
                         ln Z (base/rounding.h) */
    struct zb_names *names; /* NULL: none (model/names.h) */
};

/* ln of the constant, and how far ln Z may be from that of the tables as they are. */
static inline zb_ball zb_model_scale(const zb_model *model)
{
    return (zb_ball){ model->log_scale, model->radius };
}

/* Like zb_model_add, but takes over value, which came from zb_alloc and is freed on
   failure too; entries are trusted to be valid. */
zb_status zb_model_take(zb_model *model, int arity, const int *scope, double *value,
                        bool log);

/* Another factor with the values of `from`, which are trusted to be valid. */
zb_status zb_model_put(zb_model *model, int arity, const int *scope,
                       const zb_factor *from);

/* Room for so many factors in all: long arrays grow best at once. */
zb_status zb_model_reserve(zb_model *model, int factors);

/* The model at value[v] of the variables v (-1: free): these have that one value left,
   and *out no evidence. Variables, factors and scopes are as they were, the tables of
   their new size. It takes less time than reading the model did. (condition.c) */
zb_status zb_model_condition(zb_model **out, const zb_model *model, const int *value);
bool zb_model_observed(const zb_model *model); /* is there any evidence? */

/* Entries of a table over scope; false when they do not fit a size_t of doubles. */
bool zb_model_table_size(const zb_model *model, int arity, const int *scope,
                         size_t *size);

/* The scopes alone, which is all that orders and trees look at. Observed variables are
   in none of them, and have one value. */
typedef struct zb_scopes {
    int nvars, count;
    int *card;  /* nvars */
    size_t *at; /* count + 1 offsets into var */
    int *var;   /* the scopes one after the other */
} zb_scopes;

zb_status zb_scopes_new(zb_scopes **out, const zb_model *model);
void zb_scopes_free(zb_scopes *scopes);
static inline int zb_scopes_arity(const zb_scopes *s, int i)
{
    return (int)(s->at[i + 1] - s->at[i]);
}
static inline const int *zb_scopes_of(const zb_scopes *s, int i)
{
    return s->var + s->at[i];
}

#endif
