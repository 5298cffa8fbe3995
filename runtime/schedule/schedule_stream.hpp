/// @file
/// Layouts and schedules as bytes, to be checked by another rank of the job.
#ifndef RONDO_RUNTIME_SCHEDULE_SCHEDULE_STREAM_HPP
#define RONDO_RUNTIME_SCHEDULE_SCHEDULE_STREAM_HPP

#include "datatypes/layout/layout.hpp"
#include "runtime/base/byte_stream.hpp"
#include "runtime/schedule/schedule.hpp"

namespace rondo::internal {

void write_layout(ByteWriter& writer, const Layout& layout);
/// A layout of the same bytes in the same order. Throws Error, MPI_ERR_INTERN, where bytes are missing; so do the
/// others.
[[nodiscard]] Layout read_layout(ByteReader& reader);

/// All that a check needs. Of reductions, that is where their operands lie: what the other rank reads can be looked at
/// and not run.
void write_schedule(ByteWriter& writer, const Schedule& schedule);
[[nodiscard]] Schedule read_schedule(ByteReader& reader);

}  // namespace rondo::internal

#endif
