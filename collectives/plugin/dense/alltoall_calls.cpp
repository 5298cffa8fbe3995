// The plug-in's dense alltoalls.
#include "collectives/plugin/dense/dense_calls.hpp"
#include "collectives/plugin/original/original_mpi.hpp"
#include "collectives/plugin/take_or_leave.hpp"

using namespace rondo::internal;
using namespace rondo::internal::plugin;

#define RONDO_FUNCTIONS "collectives/plugin/dense/alltoall_functions.inc"
#include "collectives/plugin/both_widths.inc"
