/* From a model to what zbound-verify says about its certificate, all in memory. */
#ifndef ZB_TEST_CERTIFY_H
#define ZB_TEST_CERTIFY_H

#include "base/rng.h"
#include "certificate/certificate.h"
#include "oracle.h"
#include "test.h"

#include "../verify/verify.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct certified {
    zb_model *model;     /* as it was read from its file */
    model_format format; /* of the model's file, for zbound-verify */
    char *text[3];       /* the files: model, evidence, certificate */
    zb_result result;
} certified;

/* Pairs of most of up to nine variables, so that small mini-buckets split, some
   triples, zeros in every other model, a second component and evidence in some. */
static inline zb_model *dense_model(uint64_t seed)
{
    zb_rng rng = zb_rng_seed(seed);
    int n = 5 + zb_rng_below(&rng, 5), card[12], parts = 1 + (seed % 4 == 0);
    zb_model *model;
    for (int v = 0; v < n; v++)
        card[v] = zb_rng_below(&rng, 8) == 0 ? 1 : 2 + (zb_rng_below(&rng, 4) == 0);
    assert_int_equal(zb_model_new(&model, n, card), ZB_OK);
    for (int u = 0; u < n; u++)
        for (int v = u; v < n; v++) {
            int scope[3] = { u, v, v + 1 }, arity = 1 + (u < v);
            double value[27];
            if (zb_rng_below(&rng, 10) < 3 || u % parts != v % parts)
                continue;
            arity += u < v && v + 1 < n && parts == 1 && zb_rng_below(&rng, 12) == 0;
            for (int i = 0; i < 27; i++)
                value[i] = seed % 2 == 1 && zb_rng_below(&rng, 6) == 0
                               ? 0
                               : exp(3 * zb_rng_uniform(&rng) - 1.5);
            assert_int_equal(zb_model_add(model, arity, scope, value), ZB_OK);
        }
    if (seed % 3 == 0)
        assert_int_equal(zb_model_observe(model, 1, 0), ZB_OK);
    return model;
}

static inline char *file_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *data = calloc(size + 1, 1);
    assert_int_equal(fread(data, 1, size, file), size);
    fclose(file);
    return data;
}

/* The evidence of a model as a file. */
static inline char *evidence_text(const zb_model *model)
{
    int n = zb_model_nvars(model), count = 0;
    char *data = calloc(40 * (size_t)n + 40, 1), *at = data;
    for (int v = 0; v < n; v++)
        count += zb_model_evidence(model, v) >= 0;
    at += sprintf(at, "%d", count);
    for (int v = 0; v < n; v++)
        if (zb_model_evidence(model, v) >= 0)
            at += sprintf(at, " %d %d", v, zb_model_evidence(model, v));
    sprintf(at, "\n");
    return data;
}

static inline void temporary(char path[64], const char *ending)
{
    snprintf(path, 64, "/tmp/zbound-certify-%ld%s", (long)getpid(), ending);
}

/* The model through its file and back: a decimal is not the double that it came from.
   The evidence stays. */
static inline zb_model *through_file(const zb_model *model, char **data)
{
    char path[64];
    zb_error err;
    zb_model *read;
    temporary(path, ".uai");
    CHECK(zb_model_write(model, path, &err) == ZB_OK, "%s", err.text);
    CHECK(zb_model_read(&read, path, &err) == ZB_OK, "%s", err.text);
    *data = file_text(path);
    unlink(path);
    for (int v = 0; v < zb_model_nvars(model); v++)
        if (zb_model_evidence(model, v) >= 0)
            assert_int_equal(zb_model_observe(read, v, zb_model_evidence(model, v)),
                             ZB_OK);
    return read;
}

/* Solves what was read and keeps the certificate; the status of the solver. */
static inline zb_status certify_read(certified *c, const zb_options *opt)
{
    char path[64];
    zb_error err;
    zb_certificate *made;
    c->text[1] = evidence_text(c->model);
    zb_status status = zb_solve_certified(c->model, opt, NULL, &made, &c->result, &err);
    if (status != ZB_OK)
        return status;
    temporary(path, ".cert");
    CHECK(zb_certificate_write(made, path, &err) == ZB_OK, "%s", err.text);
    c->text[2] = file_text(path);
    unlink(path);
    zb_certificate_free(made);
    return ZB_OK;
}

static inline zb_status certify(certified *c, const zb_model *model,
                                const zb_options *opt)
{
    *c = (certified){ .format = WEIGHTS };
    c->model = through_file(model, &c->text[0]);
    return certify_read(c, opt);
}

static inline text text_of(const char *name, const char *data)
{
    return (text){ name, data, strlen(data) };
}

static inline verdict verify_text(const certified *c, const char *certificate)
{
    question q = { .model = text_of("model", c->text[0]),
                   .evidence = text_of("evidence", c->text[1]),
                   .certificate = text_of("certificate", certificate),
                   .format = c->format,
                   .memory = (size_t)1 << 28,
                   .work = 100000000 };
    return verify(&q);
}

static inline void certified_clear(certified *c)
{
    zb_model_free(c->model);
    for (int i = 0; i < 3; i++)
        free(c->text[i]);
}

/* ln Z of what is in the file, whose decimals were rounded when they were read. */
static inline interval enclosed(const certified *c)
{
    interval z = brute_interval(c->model);
    double radius = c->model->radius;
    return (interval){ zb_down(z.lower, radius), zb_up(z.upper, radius) };
}

/* Do the bounds that were proved contain ln Z? */
static inline bool contains(const verdict *v, interval z)
{
    bool above = v->lower[0] == '\0' || strtod(v->lower, NULL) <= z.upper;
    bool below = v->upper[0] == '\0' || strtod(v->upper, NULL) >= z.lower;
    return above && below;
}

#endif
