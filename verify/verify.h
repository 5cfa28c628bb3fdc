/* zbound-verify: checks a certificate for bounds on ln Z against the model it is for.
 *
 * It shares nothing with the library whose bounds it checks. A model is a list of
 * sparse tables (what is not listed is 0) and a constant,
 *
 *   Z = constant * sum over all variables of the product of all tables;
 *
 * a step of the certificate replaces some of the tables. Steps that keep Z stand in
 * exact.c, steps that may make it larger (section `upper`) or smaller (`lower`) in
 * split.c, bound.c and group.c, sums over cases in verify.c, each with the theorem it
 * rests on. When no variable is left, the constant is the bound. Every number is a ball
 * of Arb: a set that contains the number meant. docs/certificates.md describes
 * certificates.
 *
 *   text.c    memory, words, numbers         table.c   sparse tables and their product
 *   model.c   models and evidence            proof.c   tables, variables and constant
 *   cnf.c     models that are formulas       verify.c  sections, cases, claims
 *   main.c    files, options, output
 *
 * Whatever is wrong ends in refuse(), which does not return. */
#ifndef VERIFY_H
#define VERIFY_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <mpfr.h>

#if __has_include(<flint/arb.h>) /* FLINT 3 */
#include <flint/arb.h>
#include <flint/arb_mat.h>
#else
#include <arb.h>
#include <arb_mat.h>
#endif

/* ---- what is asked, what is answered (verify.c) ---------------------------------- */

typedef struct text {
    const char *name, *data;
    size_t size;
} text;

typedef enum model_format { WEIGHTS, LOGARITHMS, FORMULA } model_format;

typedef struct question {
    text model, evidence, certificate;
    model_format format;
    size_t memory; /* bytes for all tables */
    uint64_t work; /* combinations of table entries that are looked at, at most */
} question;

typedef enum outcome { VERIFIED, REFUSED, UNREADABLE } outcome;

typedef struct verdict {
    outcome outcome;
    const char *file; /* what is wrong, unless verified */
    long line;
    char reason[400];
    char lower[64], upper[64]; /* proved bounds on ln Z, rounded outward; "": none */
} verdict;

verdict verify(const question *q);

/* ---- a session: one attempt at one precision (text.c) ---------------------------- */

typedef struct session {
    slong prec;         /* bits */
    size_t limit, used; /* bytes */
    uint64_t work;
    int depth;             /* cases within cases */
    struct block *list[2]; /* memory: owned, scratch */
    const char *file;      /* being read, for refuse() */
    long line;
    bool retry; /* what was refused may hold at a higher precision */
    char reason[400];
    jmp_buf refused;
} session;

_Noreturn void refuse_at(session *s, bool retry, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define refuse(s, ...) refuse_at(s, false, __VA_ARGS__)
#define refuse_unsure(s, ...) refuse_at(s, true, __VA_ARGS__) /* more bits may help */

/* Memory, zero at first: owned until it is dropped, scratch until the step ends, when
   release() goes back to what s->list[SCRATCH] was before it. */
enum { OWNED, SCRATCH };
void *kept(session *s, int list, size_t count, size_t size);
arb_ptr balls(session *s, int list, arb_ptr old,
              size_t count); /* old: NULL, or to grow */
void *regrow(session *s, void *old, size_t count,
             size_t size); /* a new one is scratch */
void drop(session *s, void *data);
#define own(s, count, size) kept(s, OWNED, count, size)
#define scratch(s, count, size) kept(s, SCRATCH, count, size)
#define scratch_balls(s, count) balls(s, SCRATCH, NULL, count)
void release(session *s, int list, struct block *mark);

/* ---- words and numbers (text.c) -------------------------------------------------- */

typedef struct reader {
    session *s;
    const char *at, *end, *word;
    size_t length;
} reader;

reader reader_of(session *s, text t);
bool next_word(reader *r);    /* of the file */
bool next_on_line(reader *r); /* of this line of a certificate, comments left out */
bool next_line(reader *r);    /* go to the next line that has a word, and take that */
bool next_line_is(reader *r, const char *word); /* the same, if it is this word */
bool word_is(const reader *r, const char *expected);
_Noreturn void expected(const reader *r, const char *what); /* and not this word */
/* The word as a whole number from least to most. */
int64_t as_int(const reader *r, int64_t least, int64_t most, const char *what);
/* The word as a number: a decimal is the fraction that it says, hex is exact. */
void as_number(const reader *r, arb_t x, const char *what);
/* The same, of the words that follow on this line of a certificate. */
int int_on_line(reader *r, int64_t most, const char *what);         /* from 0 */
arb_ptr numbers_on_line(reader *r, size_t count, const char *what); /* scratch */
void word_on_line(reader *r, const char *word);
void end_of_line(reader *r);
/* All that is left of this line, none of it twice; *count of them. */
int *list_on_line(reader *r, const char *what, int *count);
int by_number(const void *a, const void *b); /* for qsort */

/* ---- sparse tables (table.c) ----------------------------------------------------- */

enum { DEEPEST = 63 }; /* variables of two and more values in a table of 2^62 states */

/* Entry i is value[i] at the state whose number, the last variable varying fastest, is
   key[i]; variables and keys ascend. */
typedef struct table {
    int refs; /* how many proofs hold it */
    int n, *var;
    size_t count, room;
    uint64_t *key;
    arb_ptr value;
} table;

table *table_new(session *s, int n, const int *var, const int *card);
void table_release(session *s, table *t);
bool table_has(const table *t, int v);
void table_add(session *s, table *t, uint64_t key, const arb_t value);
void table_sort(session *s, table *t);
void table_state(const table *t, const int *card, uint64_t key, int *x);
uint64_t table_key(const table *t, const int *card, const int *x);
arb_srcptr table_find(const table *t, uint64_t key); /* NULL: 0 */

/* The entries of a product that differ in a variable v alone: n of them, term[i] at
   v = at[i]; x is the state of the product's other variables, var. */
typedef struct terms {
    int n, *at;
    arb_ptr term;
    const int *var, *x;
} terms;
typedef bool combiner(session *s, void *context, terms *terms,
                      arb_t out); /* false: 0 */
bool add_terms(session *s, void *context, terms *terms, arb_t out);

typedef struct product {
    int k;
    const table *const *in;
    int v; /* combined away, or -1: the product itself */
    bool absolute;
    combiner *combine;
    void *context;
} product;
table *table_product(session *s, const int *card, const product *p);

/* ---- the state of a proof (proof.c) ---------------------------------------------- */

typedef enum section { EXACT, UPPER, LOWER } section;

typedef struct proof {
    session *s;
    section side;
    bool bounding; /* absolute values count from here on: see begin_bounding */
    bool gauged;   /* tables may be negative */
    int nvars, var_room, ntables, table_room, nlinks, link_room;
    int *card;
    bool *gone; /* observed, or summed out */
    int *place; /* 0, and in a group of variables 1 + the place there */
    int *first; /* the head of a list of the tables that have, or had, the variable */
    table **table; /* NULL: gone */
    struct link {
        int table, next;
    } * link;
    arb_ptr constant;
} proof;

proof *proof_new(session *s);
proof *proof_copy(const proof *p, section side);
void proof_free(proof *p);
int add_variable(proof *p, int card);
void add_table(proof *p, table *t); /* its number is the next one */
void replace_table(proof *p, int id, table *t);
void remove_table(proof *p, int id);
int *tables_with(const proof *p, int v, int *count); /* live ones, ascending */
table *live_table(const proof *p, int id);           /* refused if it is gone */
int live_variable(const proof *p, int v);
/* A table over v and other with entries 1 at (x, map[x]), unless that is -1. */
table *graph_of(const proof *p, int v, int other, const int *map);
/* sum over v of t * with, and that in the place of every table with v */
table *sum_with(const proof *p, const table *t, int v, const table *with);
void sum_all_with(proof *p, int v, const table *with);
/* The product of these tables, v combined away, as a new one; the old ones are gone. */
void combine_tables(proof *p, int n, const int *id, int v, combiner *combine,
                    void *context);
/* The same with one more factor, or NULL, which stays; of how: v and what combines. */
void combine_with(proof *p, int n, const int *id, const table *with, product how);
/* A table of ones; the variables ascend. */
table *ones_over(const proof *p, int n, const int *var);
void multiply_constant(proof *p, const arb_t x);

/* ---- models (model.c, cnf.c) ------------------------------------------------------
 */

typedef struct factor_scope {
    int n;
    int *var; /* as in the file */
} factor_scope;
typedef void entry_of(void *context, int64_t i, arb_t value);

proof *model_read(session *s, const question *q);
proof *formula_read(session *s, const question *q);
/* The value that the evidence gives each variable, or -1; those with one are gone. */
const int *read_observed(proof *p, const question *q);
/* Of the entries of a factor those that agree with the evidence. */
table *factor_table(const proof *p, const factor_scope *a, const int *observed,
                    entry_of *entry, void *context);

/* ---- steps: true if the word names one, which has then been made ----------------- */

bool exact_step(proof *p, reader *r); /* exact.c */
bool bound_step(proof *p, reader *r); /* group.c */
void step_drop(proof *p, reader *r);  /* split.c */
void step_split(proof *p, reader *r);
void step_bucket(proof *p, reader *r); /* bound.c */
void begin_bounding(proof *p);
/* verify.c: whether these rows of k numbers are all different; sorts them */
bool rows_distinct(int **row, size_t count, int k);

#endif
