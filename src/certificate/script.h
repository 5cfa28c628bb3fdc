/* The steps of one section of a certificate, as text, with the numbers that variables
 * and tables have for whoever reads it: docs/certificates.md.
 *
 * A reader numbers tables and variables on as steps make new ones. A script counts
 * along; a view says which of these numbers the variables and factors of one of our
 * models have at the moment. */
#ifndef ZB_SCRIPT_H
#define ZB_SCRIPT_H

#include "base/run.h"
#include "model/model.h"
#include "model/record.h"

typedef struct zb_script {
    char *text;
    size_t length, room;
    int vars, tables; /* the next numbers */
    bool zero;        /* Z = 0 has been shown: nothing can follow */
    zb_status status; /* ZB_ENOMEM, or ZB_ELIMIT: the run was over; nothing follows */
    zb_ticker tick;
} zb_script;

typedef struct zb_view {
    int nvars, nfactors;
    int *var, *table; /* -1: there is none */
    size_t var_room, table_room;
    int *copy; /* of variables, since they were last renumbered */
    size_t copies, copy_room;
} zb_view;

void zb_script_clear(zb_script *s);

/* Text, and numbers with a space before them; a double is written as a hexadecimal
   without a point, which is exact and the same in every locale. */
void zb_script_text(zb_script *s, const char *text);
void zb_script_int(zb_script *s, int x);
void zb_script_real(zb_script *s, double x);

/* Such a number. */
enum { ZB_REAL_TEXT = 48 };
void zb_real_text(char out[ZB_REAL_TEXT], double x);

/* "sum V", where `has` tables have V (0: none). Returns the table that it makes, or -1.
 */
int zb_script_sum(zb_script *s, int v, bool has);
/* A table's number is the next one. */
static inline int zb_script_table(zb_script *s) { return s->tables++; }

/* The model itself, its factors numbered as in its file. */
zb_status zb_view_whole(zb_view *v, const zb_model *model);
/* Of a view of the whole, the variables and factors of each of the parts, as of
   zb_components_split; part_of NULL: there is one. */
zb_status zb_view_parts(zb_view *out, int count, const zb_view *whole,
                        const zb_model *model, const int *part_of);
void zb_view_clear(zb_view *v);

/* Write the steps of the record; the view then is of the model that they lead to. */
zb_status zb_script_replay(zb_script *s, zb_view *v, const zb_record *record);

#endif
