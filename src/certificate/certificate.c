#include "certificate/certificate.h"

#include "base/cost.h"
#include "certificate/buckets.h"
#include "certificate/sections.h"

/* Of the time that is held back, for the file. */
static const double FILE_SHARE = 0.1;
/* Of all time, what is held back at least: on a busy machine the search ends late, and
   forecasts are wrong. */
static const double LEAST_SHARE = 0.05;

zb_status zb_certificate_new(zb_certificate **out, const zb_model *model)
{
    zb_certificate *c = zb_calloc(1, sizeof *c);
    *out = c;
    if (c == NULL)
        return ZB_ENOMEM;
    c->nvars = model->nvars;
    c->nfactors = model->nfactors;
    return ZB_OK;
}

void zb_certificate_free(zb_certificate *c)
{
    for (int i = 0; c != NULL && i < ZB_SECTIONS; i++)
        zb_script_clear(&c->section[i]);
    zb_free(c);
}

/* A call without a limit holds nothing back, but for the case that it is interrupted.
 */
zb_run zb_certificate_share(zb_certificate *c, zb_run *run)
{
    c->run = run;
    double left = zb_run_left(run), cost = zb_cost_certificate(c->nvars, c->nfactors);
    if (isfinite(left))
        cost = fmin(fmax(cost, LEAST_SHARE * left), left / 2);
    c->held = cost;
    return zb_run_share(run, run->deadline - c->held, UINT64_MAX, run->threads);
}

bool zb_certificate_is_empty(const zb_certificate *c)
{
    return !c->has[ZB_SECTION_EXACT] && !c->has[ZB_SECTION_UPPER] &&
           !c->has[ZB_SECTION_LOWER];
}

void zb_certificate_claim(zb_certificate *c, const zb_result *result)
{
    c->log_lower = result->log_lower;
    c->log_upper = result->log_upper;
}

/* ---- a section ------------------------------------------------------------------- */

typedef struct section {
    zb_script *s;
    const zb_proofs *proofs;
    zb_side side;
    zb_run *run;
    zb_view whole;
    zb_view *view;        /* per part, until it is taken over */
    zb_attempt **attempt; /* likewise, of those by mini-buckets */
    zb_bucket_steps *bucket;
} section;

static const zb_proof *proof_of(const section *c, int part)
{
    return zb_proofs_of(c->proofs, part, c->side);
}

static const zb_model *model_of(const section *c, int part)
{
    return c->proofs->of.part[part];
}

/* Mini-buckets of single factors, of which all but the first of a bucket are bounded by
   their largest entry. */
static zb_status plainest(zb_attempt **out, const zb_model *model, zb_run *run)
{
    zb_attempt_spec spec = { .form = ZB_FORM_ORIGINAL,
                             .order = ZB_ORDER_NATURAL,
                             .ibound = 1,
                             .extreme = true,
                             .unevaluated = true,
                             .tighten = { .side = ZB_SIDE_UPPER } };
    return zb_attempt_new(out, model, &spec, run, NULL);
}

static zb_status begin_part(section *c, int i)
{
    const zb_proof *p = proof_of(c, i);
    const zb_model *model = model_of(c, i);
    zb_status status = ZB_OK;
    if (p->kind == ZB_PROOF_BUCKETS)
        TRY(zb_state_rebuild(&c->attempt[i], model, p->state, p->state_side, c->run));
    else if (p->kind == ZB_PROOF_NONE && c->side == ZB_SIDE_UPPER)
        TRY(plainest(&c->attempt[i], model, c->run));
    if (c->attempt[i] != NULL)
        TRY(zb_buckets_begin(&c->bucket[i], c->s, c->attempt[i], model, &c->view[i]));
done:
    return status;
}

/* "meanfield V..", then "q : p.." of each; q NULL: uniform. */
static void write_field(section *c, int part, const double *q)
{
    const zb_model *model = model_of(c, part);
    const int *var = c->view[part].var;
    size_t at = 0;
    bool any = false;
    for (int v = 0; v < model->nvars; v++)
        any = any || model->card[v] > 1;
    if (!any)
        return;
    zb_script_text(c->s, "meanfield");
    for (int v = 0; v < model->nvars; v++)
        if (model->card[v] > 1)
            zb_script_int(c->s, var[v]);
    zb_script_text(c->s, "\n");
    for (int v = 0; v < model->nvars; at += (size_t)model->card[v++]) {
        if (model->card[v] <= 1)
            continue;
        zb_script_text(c->s, "q :");
        for (int x = 0; x < model->card[v]; x++)
            zb_script_real(c->s, q != NULL ? q[at + (size_t)x] : 1);
        zb_script_text(c->s, "\n");
    }
}

/* Sums in the part's order; not over variables that are gone (NULL: none is). */
static void write_sums(section *c, int part, const bool *gone)
{
    const zb_model *model = model_of(c, part);
    for (int i = 0; i < model->nvars; i++) {
        int v = c->proofs->of.order[part][i];
        if (gone == NULL || !gone[v])
            zb_script_sum(c->s, c->view[part].var[v], true);
    }
}

/* The parts behind are repeated in every slice: so this comes last. */
static zb_status write_slices(section *c, int part, const zb_proof *p)
{
    bool *gone = zb_calloc((size_t)model_of(c, part)->nvars, sizeof *gone);
    if (gone == NULL)
        return ZB_ENOMEM;
    zb_script_text(c->s, "condition");
    for (int k = 0; k < p->ncut; k++) {
        zb_script_int(c->s, c->view[part].var[p->cut[k]]);
        gone[p->cut[k]] = true;
    }
    if (p->value != NULL)
        zb_script_text(c->s, " :");
    for (size_t i = 0; p->value != NULL && i < p->nvalue * (size_t)p->ncut; i++)
        zb_script_int(c->s, p->value[i]);
    zb_script_text(c->s, "\n");
    write_sums(c, part, gone);
    zb_free(gone);
    return ZB_OK;
}

static void end_part(section *c, int i)
{
    const zb_proof *p = proof_of(c, i);
    if (c->attempt[i] != NULL)
        zb_buckets_end(&c->bucket[i], c->s);
    else if (p->kind == ZB_PROOF_ORDER)
        write_sums(c, i, NULL);
    else if (p->kind == ZB_PROOF_FIELD || p->kind == ZB_PROOF_NONE)
        write_field(c, i, p->q);
}

static zb_status allocate(section *c)
{
    size_t n = (size_t)c->proofs->of.count;
    c->view = zb_calloc(n, sizeof *c->view);
    c->attempt = zb_calloc(n, sizeof *c->attempt);
    c->bucket = zb_calloc(n, sizeof *c->bucket);
    return c->view && c->attempt && c->bucket ? ZB_OK : ZB_ENOMEM;
}

static void clear(section *c)
{
    for (int i = 0; i < c->proofs->of.count; i++) {
        if (c->bucket != NULL)
            zb_buckets_clear(&c->bucket[i]);
        if (c->attempt != NULL)
            zb_attempt_free(c->attempt[i]);
        if (c->view != NULL)
            zb_view_clear(&c->view[i]);
    }
    zb_view_clear(&c->whole);
    zb_free(c->view);
    zb_free(c->attempt);
    zb_free(c->bucket);
}

static zb_status write_section(section *c)
{
    const zb_parts *of = &c->proofs->of;
    zb_status status;
    c->s->vars = of->given->nvars;
    c->s->tables = of->given->nfactors;
    TRY(allocate(c));
    TRY(zb_view_whole(&c->whole, of->given));
    if (of->reduction != NULL)
        TRY(zb_script_replay(c->s, &c->whole, &of->reduction->record));
    TRY(zb_view_parts(c->view, of->count, &c->whole,
                      of->reduction != NULL ? of->reduction->model : of->given,
                      of->part_of));
    for (int i = 0; i < of->count && !c->s->zero; i++)
        TRY(begin_part(c, i));
    for (int i = 0; i < of->count && !c->s->zero; i++)
        end_part(c, i);
    for (int i = 0; i < of->count && !c->s->zero; i++)
        if (proof_of(c, i)->kind == ZB_PROOF_SLICES)
            TRY(write_slices(c, i, proof_of(c, i)));
    TRY(c->s->status);
done:
    clear(c);
    return status;
}

/* ---- the whole ------------------------------------------------------------------- */

/* One section for both sides? */
static bool is_exact(const zb_proofs *p)
{
    if (p->of.reduction != NULL && !zb_record_is_exact(&p->of.reduction->record))
        return false;
    for (int i = 0; i < p->of.count; i++)
        if (!p->upper[i].exact)
            return false;
    return true;
}

static zb_status write_sections(zb_certificate *c, const zb_proofs *proofs, zb_run *run)
{
    zb_status status = ZB_OK;
    for (int i = 0; i < ZB_SECTIONS; i++) {
        section one = { .s = &c->section[i],
                        .proofs = proofs,
                        .side = i == ZB_SECTION_LOWER ? ZB_SIDE_LOWER : ZB_SIDE_UPPER,
                        .run = run };
        c->section[i].tick.run = run;
        if (c->has[i])
            TRY(write_section(&one));
    }
done:
    return status;
}

static void make_empty(zb_certificate *c)
{
    for (int i = 0; i < ZB_SECTIONS; i++) {
        zb_script_clear(&c->section[i]);
        c->has[i] = false;
    }
}

/* The time for it is a share of the run's; who was interrupted hears of no further
   interruption. */
static zb_status write_in_time(zb_certificate *c, const zb_proofs *proofs)
{
    zb_run alone, share = zb_run_share(c->run, c->run->deadline - FILE_SHARE * c->held,
                                       UINT64_MAX, 1);
    if (!zb_run_interrupted(c->run))
        return write_sections(c, proofs, &share);
    zb_status status = zb_run_open(&alone, NULL, zb_now() + c->held, c->run->memory, 1);
    if (status != ZB_OK)
        return status;
    status = write_sections(c, proofs, &alone);
    zb_run_close(&alone);
    return status;
}

zb_status zb_certificate_prove(zb_certificate *c, const zb_proofs *proofs, zb_side side)
{
    bool exact = side == ZB_SIDE_BOTH && is_exact(proofs);
    c->has[ZB_SECTION_EXACT] = exact;
    c->has[ZB_SECTION_UPPER] = !exact && side != ZB_SIDE_LOWER;
    c->has[ZB_SECTION_LOWER] = !exact && side != ZB_SIDE_UPPER;
    zb_status status = write_in_time(c, proofs);
    if (status == ZB_OK)
        return ZB_OK;
    make_empty(c);
    if (status != ZB_ELIMIT)
        return status;
    zb_run_note(c->run,
                zb_run_left(c->run) <= c->held
                    ? "no certificate: the time was over before it was written down; "
                      "give more (--time)"
                    : "no certificate: writing it takes more memory (--memory) or "
                      "longer than an interrupted run may");
    return ZB_OK;
}
