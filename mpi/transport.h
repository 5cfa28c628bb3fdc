/* Letters between ranks by MPI: a zb_transport (zbound.h). */
#ifndef MPI_TRANSPORT_H
#define MPI_TRANSPORT_H

#include "zbound.h"

/* Begins MPI. False: it has no support for threads. */
bool transport_open(zb_transport *t, int *argc, char ***argv);
/* Ranks of this machine. */
int transport_neighbours(void);
void transport_abort(int code);
/* All ranks together: when all that was sent has arrived, MPI ends. */
void transport_close(zb_transport *t);

#endif
