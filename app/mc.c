#include "mc.h"
#include "console.h"
#include "number.h"
#include "progress.h"
#include "signals.h"

#include <math.h>
#include <string.h>

static const double COUNTING = 0.7; /* of the time; the rest is for a bracket */

typedef struct job {
    app_args *args;
    zb_dimacs *formula;
    zb_dimacs_info info;
    zb_tally tally;
    bool bracketed;
    zb_result result; /* of the formula without its projection */
    app_progress progress;
    json_t *notes;
} job;

/* ---- reading --------------------------------------------------------------------- */

/* Options that have no meaning here. */
static int check(const app_args *args)
{
    static const char *const others[] = { "json",  "per-variable", "evidence", "uai",
                                          "trace", "certificate",  "save",     "load",
                                          "beta",  "side",         "report" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (app_option_given(args, others[i]))
            return app_fail(APP_USAGE, "--mc does not go with --%s", others[i]);
    if (args->count > 1)
        return app_fail(APP_USAGE, "--mc counts a formula, which has no evidence");
    if (args->opt.method != ZB_METHOD_AUTO && args->opt.method != ZB_METHOD_COUNT)
        return app_fail(APP_USAGE, "--mc counts by search: of the methods, it knows "
                                   "auto and count");
    return APP_OK;
}

static void on_note(void *context, const char *sentence)
{
    (void)context;
    app_note("%s", sentence);
}

static int read_formula(job *j)
{
    const zb_observer observer = { .note = on_note };
    uint64_t memory = j->args->opt.memory;
    zb_error err = { "" };
    zb_limit_memory(memory > 0 ? memory : zb_memory_default());
    zb_status status =
        zb_dimacs_read(&j->formula, j->args->positional[0], &observer, &err);
    j->info = zb_dimacs_about(j->formula);
    return status == ZB_OK ? APP_OK : app_fail_status(status, &err);
}

/* ---- counting -------------------------------------------------------------------- */

static bool wants_bracket(const job *j)
{
    return !j->tally.complete && !app_interrupted() &&
           zb_dimacs_model(j->formula) != NULL && j->args->opt.time != 0 &&
           j->args->opt.method == ZB_METHOD_AUTO;
}

static int solve(job *j)
{
    zb_options opt = j->args->opt;
    zb_error err = { "" };
    double seconds = opt.time < 0 ? ZB_AUTO_SECONDS : opt.time;
    bool alone = opt.method == ZB_METHOD_COUNT || zb_dimacs_model(j->formula) == NULL;
    opt.time = seconds * (alone ? 1 : COUNTING);
    zb_status status =
        zb_dimacs_count(j->formula, &opt, &j->progress.observer, &j->tally, &err);
    if (status == ZB_OK && wants_bracket(j)) {
        opt.time = fmax(seconds - j->tally.seconds, 1e-3);
        opt.side = j->info.projected ? ZB_SIDE_UPPER : ZB_SIDE_BOTH;
        status = zb_solve(zb_dimacs_model(j->formula), &opt, &j->progress.observer,
                          &j->result, &err);
        j->bracketed = status == ZB_OK;
    }
    return status == ZB_OK ? APP_OK : app_fail_status(status, &err);
}

/* ---- the answer ------------------------------------------------------------------ */

static double log10_of(double nats, int outward)
{
    return app_convert(nats, &APP_LOG10, outward);
}

static void put_type(const job *j, FILE *out)
{
    fprintf(out, "c s type %s%smc\n", j->info.projected ? "p" : "",
            j->info.weighted ? "w" : "");
}

static void put_complete(const job *j, FILE *out)
{
    const zb_tally *t = &j->tally;
    fprintf(out, "s %s\n", t->satisfiable ? "SATISFIABLE" : "UNSATISFIABLE");
    put_type(j, out);
    if (t->log_count == -INFINITY)
        fprintf(out, "c s log10-estimate -inf\n");
    else
        fprintf(out, "c s %slog10-estimate %.15g\n", t->negative ? "neg" : "",
                log10_of(t->log_count, 0));
    fprintf(out, "c s exact arb %s %s\n", j->info.weighted ? "frac" : "int", t->count);
}

/* 10^x with the digits that are right when x is within `radius` nats. */
static void put_power(double x, double radius, FILE *out)
{
    double whole = floor(x);
    int digits = (int)fmin(14, fmax(0, floor(-log10(fmax(radius, 1e-16))) - 1));
    fprintf(out, "c s exact double prec-sci %.*fe%+d\n", digits, pow(10, x - whole),
            (int)whole);
}

/* Of a sum that is 0: weights of 0 say nothing of the clauses. */
static const char *verdict_of_zero(const job *j)
{
    if (j->tally.satisfiable)
        return "SATISFIABLE";
    return j->info.weighted ? "UNKNOWN" : "UNSATISFIABLE";
}

/* Elimination solved what the search did not. */
static void put_eliminated(const job *j, FILE *out)
{
    double log_z = j->result.log_upper, x = log10_of(log_z, 0);
    fprintf(out, "s %s\n", log_z > -INFINITY ? "SATISFIABLE" : verdict_of_zero(j));
    put_type(j, out);
    if (log_z == -INFINITY)
        fprintf(out, "c s log10-estimate -inf\nc s exact arb %s 0\n",
                j->info.weighted ? "frac" : "int");
    else {
        fprintf(out, "c s log10-estimate %.15g\n", x);
        put_power(x, 2 * j->result.rounding + 1e-15 * fabs(log_z), out);
    }
}

static void put_bound(const char *name, double nats, int outward, FILE *out)
{
    char text[APP_NUMBER];
    fprintf(out, "c o log10 of a proved %s bound: %s\n", name,
            app_outward(log10_of(nats, outward), 12, outward, text));
}

static void put_bracket(const job *j, FILE *out)
{
    double lower = j->tally.log_count, upper = INFINITY;
    if (j->bracketed && j->result.has_lower && !j->info.projected)
        lower = fmax(lower, j->result.log_lower);
    if (j->bracketed && j->result.has_upper)
        upper = j->result.log_upper;
    if (!j->info.weighted)
        upper = fmin(upper, nextafter(j->info.shown * 0.6931471805599454, INFINITY));
    put_bound("lower", lower, -1, out);
    put_bound("upper", upper, 1, out);
    fprintf(out, "s %s\n", upper == -INFINITY ? verdict_of_zero(j) : "UNKNOWN");
    put_type(j, out);
}

static void answer(const job *j, FILE *out)
{
    fprintf(out, "c o zbound %s\n", zb_version());
    fprintf(out, "c o %d variables, %d of them counted over, %zu clauses\n",
            j->info.vars, j->info.shown, j->info.clauses);
    if (j->tally.complete)
        put_complete(j, out);
    else if (j->bracketed && j->result.exact && !j->info.projected)
        put_eliminated(j, out);
    else
        put_bracket(j, out);
}

int app_mc(app_args *args, FILE *out)
{
    job j = { .args = args, .notes = json_array() };
    int code = check(args);
    if (code == APP_OK)
        code = read_formula(&j);
    app_signals_catch();
    if (code == APP_OK) {
        code = app_progress_open(&j.progress, args, j.notes);
        if (code == APP_OK)
            code = solve(&j);
        app_signals_hold();
        app_live("");
        if (code == APP_OK)
            answer(&j, out);
        app_progress_close(&j.progress, NULL);
    }
    zb_tally_clear(&j.tally);
    zb_dimacs_free(j.formula);
    json_decref(j.notes);
    return code;
}
