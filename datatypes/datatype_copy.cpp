#include "datatypes/datatype_copy.hpp"

#include <rondo/error.hpp>

#include "datatypes/copy_program.hpp"
#include "datatypes/layout_cache.hpp"

#include <limits>
#include <string>

namespace rondo {
namespace {

/// Runs the program of one element for each of `count`, one extent and one size further each time.
void repeat(const CopyProgram& element, std::int64_t count, const void* source, std::int64_t source_step, void* target,
            std::int64_t target_step) {
  const auto* from = static_cast<const std::byte*>(source);
  auto* to = static_cast<std::byte*>(target);
  const auto runs = element.runs();
  if (runs.size() == 1 && runs.front().count == 1 && count <= std::numeric_limits<std::uint32_t>::max()) {
    CopyRun pieces = runs.front();  // an element that is one piece: all of them are one run
    if (source_step == pieces.bytes && target_step == pieces.bytes) {
      pieces.bytes *= count;
    } else {
      pieces.count = static_cast<std::uint32_t>(count);
      pieces.source_stride = source_step;
      pieces.target_stride = target_step;
    }
    run_copies({&pieces, 1}, from, to);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) run_copies(runs, from + i * source_step, to + i * target_step);
}

}  // namespace

std::int64_t packed_size(std::int64_t count, MPI_Datatype type) { return count * known_type(type).layout.size(); }

void pack(const void* source, std::int64_t count, MPI_Datatype type, void* target) {
  const KnownType& known = known_type(type);
  repeat(known.pack, count, source, known.layout.extent(), target, known.layout.size());
}

void unpack(const void* source, void* target, std::int64_t count, MPI_Datatype type) {
  const KnownType& known = known_type(type);
  repeat(known.unpack, count, source, known.layout.size(), target, known.layout.extent());
}

void transpack(const void* source, std::int64_t source_count, MPI_Datatype source_type, void* target,
               std::int64_t target_count, MPI_Datatype target_type) {
  const KnownType& from = known_type(source_type);
  const KnownType& to = known_type(target_type);
  const std::int64_t sent = source_count * from.layout.size();
  const std::int64_t received = target_count * to.layout.size();
  if (sent != received) {
    throw Error(MPI_ERR_TRUNCATE, "transpack: the source has " + std::to_string(sent) + " bytes and the target " +
                                      std::to_string(received) + ", must be equal");
  }
  CopyProgram program;
  program.append(from.layout.repeated(source_count), 0, to.layout.repeated(target_count), 0);
  run_copies(program.runs(), static_cast<const std::byte*>(source), static_cast<std::byte*>(target));
}

}  // namespace rondo
