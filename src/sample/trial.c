#include "sample/trial.h"

#include "base/explog.h"

enum { BATCHES = ZB_TRIAL_DRAWS / ZB_LANES };

static const uint64_t FIRST = (uint64_t)1 << 60; /* no number of other draws */

typedef struct sums {
    double mean, square; /* of w / U */
    int draws, dead;
} sums;

static void add_weights(sums *s, const zb_batch *b)
{
    for (int i = 0; i < ZB_LANES; i++) {
        double r = zb_exp(b->log_ratio[i]) * (b->sign != NULL ? b->sign[i] : 1);
        s->mean += r;
        s->square += r * r;
        s->dead += b->log_ratio[i] == -INFINITY;
    }
    s->draws += ZB_LANES;
}

static void add_values(const zb_proposal *p, const zb_batch *b, double *seen)
{
    for (int v = 0; v < zb_proposal_vars(p); v++) {
        for (size_t i = 0; i < ZB_LANES; i++)
            seen[b->state[(size_t)v * ZB_LANES + i]]++;
        seen += zb_proposal_card(p, v);
    }
}

static zb_trial sum_up(const sums *s, double seconds)
{
    double n = s->draws, mean = s->mean / n;
    zb_trial t = { .draws = s->draws,
                   .log_mean = mean > 0 ? zb_log(mean) : -INFINITY,
                   .spread = INFINITY,
                   .dead = s->dead / n,
                   .seconds = seconds / n };
    if (mean > 0)
        t.spread = fmax(0, s->square / n / (mean * mean) - 1);
    return t;
}

zb_status zb_trial_run(zb_trial *out, const zb_source *source, uint64_t seed,
                       double seconds, double *seen, zb_run *run)
{
    const zb_proposal *p = source->proposal;
    zb_ticker tick = { .run = run };
    zb_batch *b = NULL;
    sums s = { 0 };
    double start = zb_now();
    zb_status status;
    TRY(zb_batch_new(&b, p, false));
    for (uint64_t k = 0; k < BATCHES && (k == 0 || zb_now() - start < seconds); k++) {
        bool ok = zb_proposal_draw(p, seed, FIRST + k, b, &tick);
        TRY(ok ? ZB_OK : b->failed ? ZB_ENOMEM : ZB_ELIMIT);
        add_weights(&s, b);
        if (seen != NULL)
            add_values(p, b, seen);
    }
    *out = sum_up(&s, zb_now() - start);
done:
    zb_batch_free(b);
    return status;
}

/* Bets of size a gain a d - a^2 s / 2 a draw against a value that is d off, s the
   spread: 2 / delta is reached where d = sqrt(2 s ln(2 / delta) / n). Above, a is at
   most Z / U, so that ln(2 / delta) U / Z draws or so come first. */
double zb_trial_width(const zb_trial *t, double n, double above, double delta)
{
    double bets = zb_log(2 / delta) / n;
    return 2 * sqrt(2 * bets * t->spread) + zb_log1p(bets * zb_exp(fmin(above, 600)));
}
