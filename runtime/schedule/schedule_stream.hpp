/// @file
/// Layouts and schedules as bytes, to be checked by another rank of the job.
#ifndef RONDO_RUNTIME_SCHEDULE_SCHEDULE_STREAM_HPP
#define RONDO_RUNTIME_SCHEDULE_SCHEDULE_STREAM_HPP

#include "datatypes/layout/layout.hpp"
#include "runtime/base/byte_stream.hpp"
#include "runtime/schedule/schedule.hpp"

namespace rondo::internal {

void write_layout(ByteWriter& writer, const Layout& layout);
/// Reads a layout of the same bytes in the same order. This and the other functions that read throw Error
/// (MPI_ERR_INTERN) if bytes are missing.
[[nodiscard]] Layout read_layout(ByteReader& reader);

/// Writes all that a check needs. A reduction is written as the layout of its operands: the rank that reads the
/// schedule can inspect it, but not run it.
void write_schedule(ByteWriter& writer, const Schedule& schedule);
[[nodiscard]] Schedule read_schedule(ByteReader& reader);

}  // namespace rondo::internal

#endif
