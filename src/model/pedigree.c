/* A family's genotypes, as in linkage analysis.
 *
 * Variables, locus by locus: for every person the paternal and the maternal allele; for
 * every child two selectors, which say whether the father's (mother's) own paternal or
 * maternal allele was passed on; for every typed person a phenotype with one value.
 * Factors in the same order: frequencies of founders' alleles, P(selector), P(allele |
 * two alleles of the parent, selector), P(phenotype | two alleles). The family is drawn
 * first, then alleles and selectors are drawn along with the factors, so that the
 * phenotypes are possible. */
#include "model/generate.h"

typedef struct family {
    const zb_pedigree_spec *spec;
    zb_rng rng;
    zb_model *model;
    int persons;
    int *parent; /* father and mother per child */
    bool *typed; /* per locus and person */
    int *first;  /* per locus: its first variable */
    int *allele; /* the locus's drawn alleles, paternal and maternal per person */
    int *chosen; /* the drawn selectors, two per child */
    double *table;
} family;

static bool spec_valid(const zb_pedigree_spec *s)
{
    return s->founders >= (s->children > 0 ? 2 : 1) && s->children >= 0 &&
           s->loci >= 1 && s->alleles >= 1 && s->alleles <= 64 && s->typed >= 0 &&
           s->typed <= 1 && s->founders <= 1000000 && s->children <= 1000000 &&
           s->loci <= 100000000 / (s->founders + s->children);
}

static int allele_var(const family *a, int locus, int person, int side)
{
    return a->first[locus] + 2 * person + side;
}

static int selector_var(const family *a, int locus, int child, int side)
{
    return a->first[locus] + 2 * a->persons + 2 * child + side;
}

static int person_of_child(const family *a, int child)
{
    return a->spec->founders + child;
}

static zb_status draw_family(family *a)
{
    const zb_pedigree_spec *s = a->spec;
    size_t persons = (size_t)(s->founders + s->children), d = (size_t)s->alleles;

    a->rng = zb_rng_seed(s->seed);
    a->persons = (int)persons;
    a->parent = zb_alloc(2 * (size_t)s->children, sizeof *a->parent);
    a->typed = zb_alloc(persons * (size_t)s->loci, sizeof *a->typed);
    a->first = zb_alloc((size_t)s->loci + 1, sizeof *a->first);
    a->allele = zb_alloc(2 * persons, sizeof *a->allele);
    a->chosen = zb_calloc(2 * (size_t)s->children, sizeof *a->chosen);
    a->table = zb_alloc(zb_max_size(4, 2 * d * d * d), sizeof *a->table);
    if (!a->parent || !a->typed || !a->first || !a->allele || !a->chosen || !a->table)
        return ZB_ENOMEM;
    for (int c = 0; c < s->children; c++) {
        int *two = a->parent + 2 * c;
        two[0] = zb_rng_below(&a->rng, person_of_child(a, c));
        two[1] = zb_rng_below(&a->rng, person_of_child(a, c) - 1);
        two[1] += two[1] >= two[0];
    }
    for (size_t i = 0; i < persons * (size_t)s->loci; i++)
        a->typed[i] = zb_rng_uniform(&a->rng) < s->typed;
    return ZB_OK;
}

/* Numbers the variables and makes the model without factors. */
static zb_status number_variables(family *a)
{
    const zb_pedigree_spec *s = a->spec;
    int own = 2 * a->persons + 2 * s->children, at = 0, *card;
    zb_status status;

    for (int l = 0; l < s->loci; l++) {
        a->first[l] = at;
        at += own;
        for (int p = 0; p < a->persons; p++)
            at += a->typed[(size_t)l * (size_t)a->persons + (size_t)p];
    }
    a->first[s->loci] = at;
    if ((card = zb_alloc((size_t)at, sizeof *card)) == NULL)
        return ZB_ENOMEM;
    for (int l = 0; l < s->loci; l++)
        for (int v = a->first[l]; v < a->first[l + 1]; v++) {
            int k = v - a->first[l];
            card[v] = k < 2 * a->persons ? s->alleles : k < own ? 2 : 1;
        }
    status = zb_model_new(&a->model, at, card);
    zb_free(card);
    return status;
}

/* Frequencies of the locus's alleles, none very rare; each founder draws by them. */
static zb_status add_founders(family *a, int locus)
{
    int d = a->spec->alleles;
    double sum = 0;
    zb_status status = ZB_OK;

    for (int k = 0; k < d; k++)
        sum += a->table[k] = 0.1 + zb_rng_uniform(&a->rng);
    for (int k = 0; k < d; k++)
        a->table[k] /= sum;
    for (int i = 0; i < 2 * a->spec->founders; i++) {
        double u = zb_rng_uniform(&a->rng);
        int k = 0, v = allele_var(a, locus, i / 2, i % 2);
        for (; k + 1 < d && u >= a->table[k]; k++)
            u -= a->table[k];
        a->allele[i] = k;
        TRY(zb_model_add(a->model, 1, &v, a->table));
    }
done:
    return status;
}

/* Selectors are fair at the first locus, then change with probability theta. */
static zb_status add_selectors(family *a, int locus)
{
    double theta = locus == 0 ? 0.5 : 0.02 + 0.2 * zb_rng_uniform(&a->rng);
    double stay[] = { 1 - theta, theta, theta, 1 - theta };
    zb_status status = ZB_OK;

    for (int i = 0; i < 2 * a->spec->children; i++) {
        int now = selector_var(a, locus, i / 2, i % 2);
        if (zb_rng_uniform(&a->rng) < theta)
            a->chosen[i] = 1 - a->chosen[i];
        if (locus == 0) {
            TRY(zb_model_add(a->model, 1, &now, stay));
            continue;
        }
        int both[] = { selector_var(a, locus - 1, i / 2, i % 2), now };
        TRY(zb_model_add(a->model, 2, both, stay));
    }
done:
    return status;
}

/* table[s, p, m, x] = 1 if x is the allele of the parent (p, m) that s selects. */
static zb_status add_children(family *a, int locus)
{
    int d = a->spec->alleles;
    zb_status status = ZB_OK;

    for (int s = 0, e = 0; s < 2; s++)
        for (int p = 0; p < d; p++)
            for (int m = 0; m < d; m++)
                for (int x = 0; x < d; x++)
                    a->table[e++] = x == (s == 0 ? p : m);
    for (int i = 0; i < 2 * a->spec->children; i++) {
        int child = i / 2, side = i % 2, parent = a->parent[i];
        int scope[] = { selector_var(a, locus, child, side),
                        allele_var(a, locus, parent, 0),
                        allele_var(a, locus, parent, 1),
                        allele_var(a, locus, person_of_child(a, child), side) };
        a->allele[2 * person_of_child(a, child) + side] =
            a->allele[2 * parent + a->chosen[i]];
        TRY(zb_model_add(a->model, 4, scope, a->table));
    }
done:
    return status;
}

/* table[p, m, 0] = 1 if the unordered pair is the one that was seen. */
static zb_status add_phenotypes(family *a, int locus)
{
    int d = a->spec->alleles, next = selector_var(a, locus, a->spec->children, 0);
    zb_status status = ZB_OK;

    for (int i = 0; i < a->persons; i++) {
        if (!a->typed[(size_t)locus * (size_t)a->persons + (size_t)i])
            continue;
        int p = a->allele[2 * i], m = a->allele[2 * i + 1];
        for (int e = 0; e < d * d; e++)
            a->table[e] = e == p * d + m || e == m * d + p;
        int scope[] = { allele_var(a, locus, i, 0), allele_var(a, locus, i, 1),
                        next++ };
        TRY(zb_model_add(a->model, 3, scope, a->table));
    }
done:
    return status;
}

zb_status zb_generate_pedigree(zb_model **out, const zb_pedigree_spec *spec)
{
    family a = { .spec = spec };
    zb_status status;

    if (!zb_generate_begin(out, spec) || !spec_valid(spec))
        return ZB_EINVAL;
    TRY(draw_family(&a));
    TRY(number_variables(&a));
    for (int l = 0; l < spec->loci; l++) {
        TRY(add_founders(&a, l));
        TRY(add_selectors(&a, l));
        TRY(add_children(&a, l));
        TRY(add_phenotypes(&a, l));
    }
    *out = a.model, a.model = NULL;
done:
    zb_free(a.parent);
    zb_free(a.typed);
    zb_free(a.first);
    zb_free(a.allele);
    zb_free(a.chosen);
    zb_free(a.table);
    zb_model_free(a.model);
    return status;
}
