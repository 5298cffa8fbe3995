/* The names of the persistent collectives: PERSISTENT(Bcast_init). Open MPI has them as an extension before its version
 * 5. */
#ifndef RONDO_TESTS_PLUGIN_PERSISTENT_H
#define RONDO_TESTS_PLUGIN_PERSISTENT_H

#include <mpi.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name
#else
#define PERSISTENT(name) MPI_##name
#endif

#endif
