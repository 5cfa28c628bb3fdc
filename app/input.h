/* What a command reads: the model, its evidence, an order file. */
#ifndef ZB_APP_INPUT_H
#define ZB_APP_INPUT_H

#include "args.h"
#include "json.h"

typedef struct app_input {
    zb_model *model;
    const char *path;
    char *evidence;       /* path, or NULL; owned */
    bool found;           /* the evidence file was not named but lay beside the model */
    const char *observed; /* --evidence, or NULL */
    zb_evidence_info info;
    int *order;    /* --order FILE, or NULL; owned */
    json_t *notes; /* an array of sentences: what was said on the way; owned */
} app_input;

/* Positional arguments 0 and 1 are the model and its evidence. Sets args->opt's order
   list. An exit code; app_input_free in every case. */
int app_input_read(app_input *in, app_args *args);
void app_input_free(app_input *in);

/* A note, said and kept. */
void app_input_note(app_input *in, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "plain (2 observed)", for people */
void app_input_evidence_text(const app_input *in, char *text, size_t size);

/* The variable that was perhaps meant, NULL: none is like it. */
const char *app_input_nearest(const zb_model *model, const char *word);

int app_input_max_card(const zb_model *model);

#endif
