#include "collectives/earlier_calls/scaled_calls.hpp"

#include "collectives/blocks/handle_word.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/mix.hpp"

namespace rondo::internal {
namespace {

std::int64_t size_of(MPI_Datatype type) {
  int size = 0;
  if (type != MPI_DATATYPE_NULL) check_mpi(MPI_Type_size(type, &size), "MPI_Type_size");
  return size;
}

[[nodiscard]] bool is_plain(const CallSide& side) noexcept {
  return side.regular && side.places == nullptr && side.counts && side.types;
}

/// Returns the datatype of the blocks that a call sends, or MPI_DATATYPE_NULL unless call.describes_sent().
MPI_Datatype sent_type_of(const Call& call) noexcept {
  return call.describes_sent() ? call.send.types[0] : MPI_DATATYPE_NULL;
}

/// Returns whether a buffer is valid and has enough elements for `blocks` blocks, as far as can be told.
bool has_room(const CallSide& side, const void* buffer, std::int64_t blocks) noexcept {
  constexpr std::uintptr_t kNoPage = 4096;  // handles that are no addresses lie below
  return reinterpret_cast<std::uintptr_t>(buffer) >= kNoPage && buffer != MPI_IN_PLACE &&
         (side.elements < 0 || blocks * side.counts[0] <= side.elements);
}

/// Returns the size in bytes of a side's blocks, or 0 if they have no elements or too many to be worth a search.
/// `size`: bytes of an element.
std::int64_t short_block(const CallSide& side, std::int64_t size) noexcept {
  const std::int64_t count = side.counts[0];
  return count > 0 && count <= SizeClass::kLongest ? count * size : 0;
}

}  // namespace

ScaledCalls::Kind::Kind(const Call& call)
    : name(call.name),
      collective(call.collective),
      in_place(call.in_place()),
      root(call.root),
      op(call.op),
      sent_type(sent_type_of(call)),
      received_type(call.recv.types[0]),
      sent_size(size_of(sent_type)),
      received_size(size_of(received_type)) {}

bool ScaledCalls::Kind::is(const Call& call) const noexcept {
  return name == call.name && collective == call.collective && in_place == call.in_place() && root == call.root &&
         op == call.op && received_type == call.recv.types[0] && sent_type == sent_type_of(call);
}

std::size_t ScaledCalls::place_of(const Call& call) noexcept {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(call.collective), reinterpret_cast<std::uintptr_t>(call.name));
  hash = mix(hash, static_cast<std::uint64_t>(handle_word(call.recv.types[0])));
  hash = mix(hash, static_cast<std::uint64_t>(call.root) << 1U | (call.in_place() ? 1U : 0U));
  if (call.reduces()) hash = mix(hash, static_cast<std::uint64_t>(handle_word(call.op)));
  return hash % kPlaces;
}

/// Returns the place in the table that has the kind of the call, or the empty place in which that kind belongs. Some
/// place is always empty, as there are more places than kinds.
std::unique_ptr<ScaledCalls::Kind>& ScaledCalls::place_for(const Call& call) noexcept {
  std::size_t place = place_of(call);
  while (kinds_[place] != nullptr && !kinds_[place]->is(call)) place = (place + 1) % kPlaces;
  return kinds_[place];
}

[[gnu::hot]] ScaledCalls::Found ScaledCalls::find(const Call& call, int processes) {
  if (kinds_.empty() || call.collective == Collective::barrier || !is_plain(call.recv) || !is_plain(call.send))
    return {};
  Kind* const kind = place_for(call).get();
  if (kind == nullptr) return {};
  const std::int64_t bytes = short_block(call.recv, kind->received_size);
  if (bytes == 0 || bytes > SizeClass::kLongest) return {};
  if (call.describes_sent() && short_block(call.send, kind->sent_size) != bytes) return {};
  const std::shared_ptr<OperationPool>& pool = kind->by_class[SizeClass::of(bytes).number];
  if (pool == nullptr) return {};
  const std::int64_t sent = call.sent_blocks(processes);
  const std::int64_t received = call.received_blocks(processes);
  if (received > 0 && !has_room(call.recv, call.recv.buffer, received)) return {};
  if (sent > 0 && call.describes_sent() && !has_room(call.send, call.sent().buffer, sent)) return {};
  if (sent > 0 && received > 0 && !call.in_place()) {
    const auto from = reinterpret_cast<std::uintptr_t>(call.send.buffer);
    const auto to = reinterpret_cast<std::uintptr_t>(call.recv.buffer);
    if (from < to + static_cast<std::uintptr_t>(received * bytes) &&
        to < from + static_cast<std::uintptr_t>(sent * bytes))
      return {};
  }
  return {&pool, bytes};
}

std::shared_ptr<OperationPool> ScaledCalls::pool_for(const Call& call, std::int64_t block_bytes, std::int64_t bytes) {
  if (bytes > kMostBytes / 8 || kept_bytes_ + bytes > kMostBytes) return nullptr;
  if (kinds_.empty()) kinds_.resize(kPlaces);
  std::unique_ptr<Kind>& kind = place_for(call);
  if (kind == nullptr) {
    if (count_ == kMostKinds) return nullptr;
    kind = std::make_unique<Kind>(call);
    ++count_;
  }
  std::shared_ptr<OperationPool>& pool = kind->by_class[SizeClass::of(block_bytes).number];
  if (pool == nullptr) pool = std::make_shared<OperationPool>();
  kept_bytes_ += bytes;
  return pool;
}

}  // namespace rondo::internal
