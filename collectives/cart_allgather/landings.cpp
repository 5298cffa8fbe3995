#include "collectives/cart_allgather/landings.hpp"

#include <algorithm>

namespace rondo::internal::allgather {

Landings::Landings(const Problem& problem, ScheduleBuilder& builder) : problem_(problem), builder_(builder) {
  recv_.reserve(problem.recv.size());
  for (const BlockShape& block : problem.recv) recv_.push_back(builder.block(Space::recv, block.offset, *block.layout));
}

void Landings::place(std::span<ArrivingBlock> message) {
  arriving_.clear();
  for (ArrivingBlock& arrival : message) {
    arrival.at = arrival.ends.empty() ? builder_.transit(arrival.bytes) : first_end(arrival.ends);
    arriving_.push_back(arrival.at);
  }
  if (message.empty() || !builder_.is_staged(arriving_)) return;
  for (ArrivingBlock& arrival : message) {
    if (!arrival.ends.empty()) arrival.at = builder_.transit(arrival.bytes);
  }
}

/// Returns the receive block of one of `ends`: the first contiguous one or, if none is contiguous, the first one.
BlockId Landings::first_end(std::span<const int> ends) const {
  const auto in_a_row = std::ranges::find_if(
      ends, [&](int end) { return problem_.recv[static_cast<std::size_t>(end)].layout->is_contiguous(); });
  return recv_[static_cast<std::size_t>(in_a_row == ends.end() ? ends.front() : *in_a_row)];
}

void Landings::copy_to_ends(std::span<const ArrivingBlock> message) {
  from_.clear();
  to_.clear();
  for (const ArrivingBlock& arrival : message) {
    for (const int end : arrival.ends) {
      const BlockId block = recv_[static_cast<std::size_t>(end)];
      if (block.index == arrival.at.index) continue;
      from_.push_back(arrival.at);
      to_.push_back(block);
    }
  }
  if (!from_.empty()) builder_.copy(from_, to_);
}

}  // namespace rondo::internal::allgather
