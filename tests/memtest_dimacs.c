/* Formulas are read and counted with every allocation failing in turn: no memory, or
   the right count. */
#include "io/dimacs.h"
#include "io/scan.h"
#include "mem_fail.h"
#include "test.h"

#include <string.h>

typedef struct job {
    const char *text, *count;
} job;

static zb_status run(void *context)
{
    const job *j = context;
    zb_options opt = zb_options_default();
    zb_dimacs *d = NULL;
    zb_tally t = { .count = NULL };
    zb_scan in;
    zb_status status;
    opt.time = 0;
    TRY(zb_scan_memory(&in, "memory", j->text, strlen(j->text), 64, NULL));
    status = zb_dimacs_parse(&d, &in);
    CHECK((d != NULL) == (status == ZB_OK), "%s", zb_status_text(status));
    TRY(status);
    TRY(zb_dimacs_count(d, &opt, NULL, &t, NULL));
    CHECK(!t.complete || strcmp(t.count, j->count) == 0, "%s is not %s", t.count,
          j->count);
done:
    zb_tally_clear(&t);
    zb_dimacs_free(d);
    zb_scan_close(&in);
    return status;
}

static void every_allocation(void **state)
{
    (void)state;
    static const job jobs[] = {
        { "p cnf 6 6\n1 2 3 0\n-1 -2 4 0\n-3 5 6 0\n-4 -5 0\n2 -6 5 0\n1 -4 6 0\n",
          "20" },
        { "p cnf 4 3\nc p show 1 2 0\nc p weight 1 -0.5 0\nc p weight 2 1/3 0\n"
          "1 2 3 0\n-1 -3 4 0\n-2 -4 0\n",
          "1" },
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        job j = jobs[i];
        long allocations = fail_each_allocation(run, &j);
        CHECK(allocations > 60, "%ld allocations", allocations);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
