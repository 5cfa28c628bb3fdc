/* The menu of a search: forms and orders that are worth a try, the likely ones first.
 */
#ifndef ZB_MENU_H
#define ZB_MENU_H

#include "tighten/search.h"

enum { ZB_OFFERS = 64 };

typedef struct zb_menu {
    zb_attempt_spec spec[ZB_OFFERS];
    int group[ZB_OFFERS]; /* offers of one form and variant, and how many may take */
    int quota[ZB_OFFERS]; /* part: those that turn out alike are left out */
    int count, groups, most;
    const zb_attempt_spec *like; /* of the search, or NULL */
    bool regular;                /* no order with random ties, */
    bool many;                   /* or very many, to be sorted by structure */
    int *order[ZB_OFFERS];       /* that were made for offers, or NULL; its own */
    bool light;                  /* minsplit is for this model even if it is dense */
} zb_menu;

/* most: candidates wanted, about. Of a gauged method that may choose its form: the
   model as it is; only in a search that decides at once (s->decide) forms with gauges
   as well. */
void zb_menu_make(zb_menu *m, const zb_search *s, zb_side side, int most);
/* Has it such forms, which the model as it is has no gauges without? */
bool zb_menu_has_gauged(const zb_search *s);
/* These alone. */
void zb_menu_make_gauged(zb_menu *m, const zb_search *s, zb_side side, int most);
void zb_menu_clear(zb_menu *m);

/* Lays out what is offered, as far as there is time until `end` (zb_now()'s clock), and
   sorts it by what its splits cost (shortlist.c); the rest is taken off. Offers of
   other forms stay as they are. */
zb_status zb_menu_sort(zb_menu *m, const zb_search *s, double end);

/* Factors that a variable is in, on average. */
double zb_menu_degree(const zb_model *model);
/* Few: the rule that packs every bucket again and again (minsplit) is the first to be
   tried. In dense models it is the second, or left out where it would take long. */
static inline bool zb_menu_is_sparse(const zb_model *model)
{
    return zb_menu_degree(model) <= 12;
}

#endif
