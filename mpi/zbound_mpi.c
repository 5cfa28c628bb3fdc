/* zbound-mpi: the program over the ranks of MPI. Rank 0 is zbound itself; the others
 * serve (zbound.h). */
#include "app.h"
#include "console.h"
#include "signals.h"
#include "transport.h"

#include <unistd.h>

/* Ranks of this machine share its memory and its cores, unless the user says how many
   of these each may have. */
static app_share fair_share(void)
{
    int ranks = transport_neighbours();
    uint64_t memory = zb_memory_default();
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long threads = cores / ranks;
    return (app_share){
        .memory = memory < UINT64_MAX ? memory / (uint64_t)ranks : 0,
        .threads = threads > 1 ? (int)threads : 1,
    };
}

/* Rank 0's signals are everybody's: others wait to be told. */
static int serve(zb_ranks *ranks)
{
    app_signals_ignore();
    return zb_ranks_serve(ranks) == ZB_OK ? APP_OK : APP_INTERNAL;
}

int main(int argc, char **argv)
{
    zb_transport t;
    zb_ranks *ranks = NULL;
    if (!transport_open(&t, &argc, &argv)) {
        app_fail(APP_INTERNAL, "this MPI has no support for threads");
        transport_abort(APP_INTERNAL);
    }
    app_share share = fair_share();
    app_console_plain();
    if (zb_ranks_open(&ranks, &t) != ZB_OK)
        transport_abort(APP_LIMIT);
    share.ranks = ranks;
    int code = t.rank == 0 ? app_main(argc, argv, &share) : serve(ranks);
    zb_ranks_close(ranks);
    transport_close(&t);
    app_signals_end();
    return code;
}
