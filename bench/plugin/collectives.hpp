/// @file
/// Barriers, broadcasts, allgathers, allreduces and reduce-scatters through the plug-in.
#ifndef RONDO_BENCH_PLUGIN_COLLECTIVES_HPP
#define RONDO_BENCH_PLUGIN_COLLECTIVES_HPP

#include "functions.hpp"
#include "measurement.hpp"

namespace bench::plugin {

/// In their three forms on MPI_COMM_WORLD, with blocks of so many bytes, a multiple of 8.
void measure_collectives(const Functions& mpi, int bytes, Measurement& measurement);

}  // namespace bench::plugin

#endif
