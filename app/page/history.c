#include "page/history.h"

#include <math.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool alike(const history_event *a, const history_event *b)
{
    return a->ibound == b->ibound && a->side == b->side && same(a->by, b->by);
}

/* The first event of each kind of work is kept: it says when that began. */
static void thin(history *h)
{
    int kept = 1;
    for (int i = 1; i < h->count; i++) {
        const history_event *e = &h->event[i];
        bool begins = !alike(e, &h->event[i - 1]);
        if (i % 2 == 0 || i == h->count - 1 || (begins && kept < HISTORY_MOST / 2))
            h->event[kept++] = *e;
    }
    h->count = kept < HISTORY_MOST ? kept : HISTORY_MOST - 1;
}

void history_add(history *h, const zb_progress *at)
{
    const history_event *last = h->count > 0 ? &h->event[h->count - 1] : NULL;
    history_event e = { .seconds = at->seconds,
                        .lower = at->log_lower,
                        .upper = at->log_upper,
                        .sure_lower =
                            at->has_confidence ? at->confidence_lower : -INFINITY,
                        .sure_upper =
                            at->has_confidence ? at->confidence_upper : INFINITY,
                        .ibound = at->ibound,
                        .side = at->side,
                        .by = at->by };
    bool bounded = isfinite(e.lower) || e.upper != INFINITY;
    bool news = last == NULL || last->lower != e.lower || last->upper != e.upper ||
                last->sure_lower != e.sure_lower || last->sure_upper != e.sure_upper ||
                !alike(last, &e);
    if (!bounded || !news)
        return;
    if (h->count == HISTORY_MOST)
        thin(h);
    h->event[h->count++] = e;
}

void history_finish(history *h, const zb_result *r)
{
    const history_event *last = h->count > 0 ? &h->event[h->count - 1] : NULL;
    zb_progress at = { .seconds = r->seconds,
                       .log_lower = r->has_lower ? r->log_lower : -INFINITY,
                       .log_upper = r->has_upper ? r->log_upper : INFINITY,
                       .has_confidence = r->has_confidence,
                       .confidence_lower = r->confidence.log_lower,
                       .confidence_upper = r->confidence.log_upper,
                       .ibound = last != NULL ? last->ibound : r->ibound,
                       .side = last != NULL ? last->side : ZB_SIDE_BOTH,
                       .by = last != NULL ? last->by : NULL };
    history_add(h, &at);
}
