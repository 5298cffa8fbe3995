/* The names of the persistent collectives: Open MPI 4.1 has them as an extension. */
#ifndef RONDO_TESTS_PLUGIN_PERSISTENT_H
#define RONDO_TESTS_PLUGIN_PERSISTENT_H

#include <mpi.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name
#else
#define PERSISTENT(name) MPI_##name
#endif

#endif
