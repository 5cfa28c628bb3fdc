/* The instances' models: generated from a seed, or read from files. */
#include "experiment.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static zb_status ising(zb_model **out, const exp_settings *s, const exp_instance *i)
{
    zb_ising_spec spec = { .rows = 10,
                           .cols = 10,
                           .coupling = i->coupling,
                           .field = 0.1,
                           .variance = s->variance,
                           .seed = i->seed };
    return zb_generate_ising(out, &spec);
}

static zb_status regular(zb_model **out, const exp_settings *s, const exp_instance *i)
{
    bool random = i->family == EXP_REGULAR_RANDOM;
    zb_regular_spec spec = { .factors = 180,
                             .coupling = i->coupling,
                             .variance = s->variance,
                             .chord = random ? ZB_CHORD_RANDOM : ZB_CHORD_OPPOSITE,
                             .seed = i->seed };
    return zb_generate_regular(out, &spec);
}

/* About as many variables as the linkage models have. */
static zb_status pedigree(zb_model **out, const exp_settings *s, const exp_instance *i)
{
    zb_pedigree_spec spec = { .founders = s->quick ? 4 : 8,
                              .children = s->quick ? 8 : 22,
                              .loci = s->quick ? 4 : 8,
                              .alleles = 4,
                              .typed = 0.5,
                              .seed = i->seed };
    return zb_generate_pedigree(out, &spec);
}

/* X.uai.gz, and X.uai.evid where it exists. */
static zb_status from_file(zb_model **out, const exp_instance *i, zb_error *err)
{
    zb_status status = zb_model_read(out, i->path, err);
    size_t length = strlen(i->path);
    char *evidence = malloc(length + 6);
    if (status == ZB_OK && evidence == NULL)
        status = ZB_ENOMEM;
    if (status == ZB_OK) {
        if (length > 3 && strcmp(i->path + length - 3, ".gz") == 0)
            length -= 3;
        memcpy(evidence, i->path, length);
        strcpy(evidence + length, ".evid");
        if (access(evidence, R_OK) == 0)
            status = zb_evidence_read(*out, evidence, ZB_EVIDENCE_DETECT, NULL, err);
    }
    free(evidence);
    if (status != ZB_OK) {
        zb_model_free(*out);
        *out = NULL;
    }
    return status;
}

zb_status exp_model_make(zb_model **out, const exp_settings *s, const exp_instance *i,
                         zb_error *err)
{
    *out = NULL;
    err->text[0] = '\0';
    switch (i->family) {
    case EXP_ISING: return ising(out, s, i);
    case EXP_REGULAR:
    case EXP_REGULAR_RANDOM: return regular(out, s, i);
    case EXP_LINKAGE: return from_file(out, i, err);
    default: return pedigree(out, s, i);
    }
}

static int is_model(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    if (n > 3 && strcmp(entry->d_name + n - 3, ".gz") == 0)
        n -= 3;
    return n > 4 && strncmp(entry->d_name + n - 4, ".uai", 4) == 0;
}

char **exp_models_list(const char *directory, int *count)
{
    struct dirent **entry = NULL;
    *count = scandir(directory, &entry, is_model, alphasort);
    if (*count <= 0) {
        free(entry);
        *count = 0;
        return NULL;
    }
    char **list = calloc((size_t)*count, sizeof *list);
    for (int i = 0; i < *count; i++) {
        if (list != NULL)
            list[i] = strdup(entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    if (list == NULL)
        *count = 0;
    return list;
}
