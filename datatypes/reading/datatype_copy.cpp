// Pack, unpack and transpack of datatypes in memory.
#include <rondo/datatypes.hpp>
#include <rondo/error.hpp>

#include "datatypes/copying/copy_program.hpp"
#include "datatypes/reading/layout_cache.hpp"
#include "datatypes/reading/mpi_running.hpp"

#include <limits>
#include <string>

namespace rondo {

using namespace internal;

namespace {

/// Runs the program of one element `count` times, `source_step` and `target_step` bytes further each time.
void repeat(const CopyProgram& element, std::int64_t count, const void* source, std::int64_t source_step, void* target,
            std::int64_t target_step) {
  const auto* from = static_cast<const std::byte*>(source);
  auto* to = static_cast<std::byte*>(target);
  const auto runs = element.runs();
  if (runs.empty()) return;
  if (count == 1) {
    run_copies(runs, from, to);
    return;
  }
  if (runs.size() == 1 && runs.front().count == 1 && count <= std::numeric_limits<std::uint32_t>::max()) {
    CopyRun pieces = runs.front();  // each element is one piece, so all elements are one run
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

// The functions that refuse are separate from those that check, because packing a short block takes no longer than
// making a text.
[[noreturn, gnu::cold]] void refuse(const char* argument, std::int64_t count, MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) throw Error(MPI_ERR_TYPE, std::string(argument) + "type: is MPI_DATATYPE_NULL");
  throw Error(MPI_ERR_COUNT, std::string(argument) + "count: is " + std::to_string(count) + ", must be at least 0");
}

[[noreturn, gnu::cold]] void refuse_room(const char* argument, std::size_t room, std::int64_t bytes) {
  throw Error(MPI_ERR_TRUNCATE, std::string(argument) + ": has room for " + std::to_string(room) +
                                    " bytes, must have room for " + std::to_string(bytes));
}

const KnownType& checked(const char* argument, std::int64_t count, MPI_Datatype type) {
  require_mpi("datatypes");
  if (type == MPI_DATATYPE_NULL || count < 0) [[unlikely]]
    refuse(argument, count, type);
  return known_type(type);
}

bool is_one_piece(const Layout& element, std::int64_t count) {
  return element.is_contiguous() && (count == 1 || element.extent() == element.size());
}

std::size_t size_of(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

/// Returns the bytes of `count` elements. Throws Error (MPI_ERR_COUNT) if they are 2^63 or more.
std::int64_t bytes_of(const char* argument, std::int64_t count, const KnownType& known) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, known.layout.size(), &bytes)) [[unlikely]] {
    throw Error(MPI_ERR_COUNT, std::string(argument) + "count: is " + std::to_string(count) + " elements of " +
                                   std::to_string(known.layout.size()) +
                                   " bytes, must be fewer than 2^63 bytes in all");
  }
  return bytes;
}

std::int64_t check_room(const char* argument, std::size_t room, std::int64_t bytes) {
  if (static_cast<std::int64_t>(room) < bytes) [[unlikely]]
    refuse_room(argument, room, bytes);
  return bytes;
}

}  // namespace

std::int64_t packed_size(std::int64_t count, MPI_Datatype type) {
  return bytes_of("", count, checked("", count, type));
}

std::int64_t pack(const void* source, std::int64_t count, MPI_Datatype type, std::span<std::byte> target) {
  const KnownType& known = checked("", count, type);
  const std::int64_t bytes = check_room("target", target.size(), bytes_of("", count, known));
  if (is_one_piece(known.layout, count))
    copy_bytes(target.data(), static_cast<const std::byte*>(source) + known.layout.true_begin(), size_of(bytes));
  else
    repeat(known.pack(), count, source, known.layout.extent(), target.data(), known.layout.size());
  return bytes;
}

std::int64_t unpack(std::span<const std::byte> source, void* target, std::int64_t count, MPI_Datatype type) {
  const KnownType& known = checked("", count, type);
  const std::int64_t bytes = check_room("source", source.size(), bytes_of("", count, known));
  if (is_one_piece(known.layout, count))
    copy_bytes(static_cast<std::byte*>(target) + known.layout.true_begin(), source.data(), size_of(bytes));
  else
    repeat(known.unpack(), count, source.data(), known.layout.size(), target, known.layout.extent());
  return bytes;
}

void transpack(const void* source, std::int64_t source_count, MPI_Datatype source_type, void* target,
               std::int64_t target_count, MPI_Datatype target_type) {
  const KnownType& from = checked("source ", source_count, source_type);
  const KnownType& to = checked("target ", target_count, target_type);
  const std::int64_t sent = bytes_of("source ", source_count, from);
  const std::int64_t received = bytes_of("target ", target_count, to);
  if (sent != received) {
    throw Error(MPI_ERR_TRUNCATE, "source and target: have " + std::to_string(sent) + " and " +
                                      std::to_string(received) + " bytes, must have the same number");
  }
  if (is_one_piece(from.layout, source_count)) {
    const auto* packed = static_cast<const std::byte*>(source) + from.layout.true_begin();
    repeat(to.unpack(), target_count, packed, to.layout.size(), target, to.layout.extent());
    return;
  }
  if (is_one_piece(to.layout, target_count)) {
    auto* packed = static_cast<std::byte*>(target) + to.layout.true_begin();
    repeat(from.pack(), source_count, source, from.layout.extent(), packed, from.layout.size());
    return;
  }
  run_copies(copy_between(source_type, source_count, target_type, target_count)->runs(),
             static_cast<const std::byte*>(source), static_cast<std::byte*>(target));
}

}  // namespace rondo
