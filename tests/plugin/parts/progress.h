/* An operation in flight goes on while its rank is in another call of MPI, or else its peers wait forever. */
#ifndef RONDO_TESTS_PLUGIN_PROGRESS_H
#define RONDO_TESTS_PLUGIN_PROGRESS_H

#include "exchange.h"

/* Rank 0 begins, is in a barrier or a receive, and waits; the others wait first. `request` is persistent and inactive,
 * or MPI_REQUEST_NULL for a nonblocking operation. */
void check_progress(struct exchange* exchange, MPI_Request* request, const char* where);

#endif
