/* A proposal on its way to another rank. */
#include "sample/proposal_letter.h"

#include "sample/proposal_state.h"

/* Entries of the table of share s of a step: the largest stride is the first. */
static size_t entries(const int *card, const zb_draw_step *step, const zb_share *s)
{
    size_t rows = s->count > 0 ? (size_t)s->stride[0] * (size_t)card[s->var[0]] : 1;
    return step->count == 1 && step->card == 2 ? rows : rows * (size_t)step->card;
}

bool zb_proposal_travels(const zb_proposal *p)
{
    return !p->is_signed && p->ahead == NULL;
}

zb_status zb_letter_put_proposal(zb_letter *l, const zb_proposal *p)
{
    zb_letter_put_int(l, p->max_card);
    zb_letter_put_int(l, p->exact);
    zb_letter_put_real(l, p->radius);
    zb_letter_put_ints(l, (size_t)p->nvars, p->card);
    zb_letter_put_word(l, (uint64_t)p->steps);
    zb_letter_put(l, p->step, (size_t)p->steps * sizeof *p->step);
    for (int i = 0; i < p->steps; i++)
        for (int r = 0; r < p->step[i].count; r++) {
            const zb_share *s = &p->share[p->step[i].first + r];
            zb_letter_put_ints(l, (size_t)s->count, s->var);
            zb_letter_put(l, s->stride, (size_t)s->count * sizeof *s->stride);
            zb_letter_put_reals(l, entries(p->card, &p->step[i], s), s->value);
        }
    return zb_letter_status(l);
}

/* A count, and then so many of `size` bytes each, which the proposal holds. */
static void *take_held(zb_letter *l, zb_proposal *p, uint64_t count, size_t size)
{
    if (l->bad || count > (l->size - l->at) / size) {
        l->bad = true;
        return NULL;
    }
    void *data = zb_hold_alloc(&p->hold, (size_t)count, size);
    if (data != NULL)
        zb_letter_take(l, data, (size_t)count * size);
    return data;
}

static void take_share(zb_letter *l, zb_proposal *p, zb_share *s)
{
    uint64_t count = zb_letter_take_word(l);
    s->var = take_held(l, p, count, sizeof *s->var);
    s->stride = take_held(l, p, count, sizeof *s->stride);
    s->count = (int)count;
    s->value = take_held(l, p, zb_letter_take_word(l), sizeof *s->value);
}

static int shares(const zb_proposal *p)
{
    int count = 0;
    for (int i = 0; i < p->steps; i++)
        count += p->step[i].count;
    return count;
}

/* Ranks trust each other: what is read is checked for its length alone. */
zb_status zb_letter_take_proposal(zb_letter *l, zb_proposal **out)
{
    zb_proposal *p = zb_calloc(1, sizeof *p);
    zb_status status;
    *out = NULL;
    if (p == NULL)
        return ZB_ENOMEM;
    p->max_card = zb_letter_take_int(l);
    p->exact = zb_letter_take_int(l) != 0;
    p->radius = zb_letter_take_real(l);
    uint64_t nvars = zb_letter_take_word(l);
    p->nvars = (int)nvars;
    p->card = take_held(l, p, nvars, sizeof *p->card);
    uint64_t steps = zb_letter_take_word(l);
    p->steps = (int)steps;
    p->step = take_held(l, p, steps, sizeof *p->step);
    TRY(l->bad ? ZB_EINVAL : zb_hold_status(&p->hold));
    int count = shares(p);
    p->share = zb_hold_calloc(&p->hold, (size_t)count, sizeof *p->share);
    TRY(zb_hold_status(&p->hold));
    for (int i = 0; i < count && !l->bad; i++)
        take_share(l, p, &p->share[i]);
    TRY(l->bad ? ZB_EINVAL : zb_hold_status(&p->hold));
    *out = p, p = NULL;
done:
    zb_proposal_free(p);
    return status;
}
