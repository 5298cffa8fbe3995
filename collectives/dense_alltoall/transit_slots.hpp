/// @file
/// TransitSlots: the places where blocks of zero-copy Bruck wait between two hops, in as little memory as there can be.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_TRANSIT_SLOTS_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_TRANSIT_SLOTS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::internal::dense {

/// The slots in which blocks wait. They answer the open problem of the zero-copy Bruck paper (section 5): how many
/// blocks of memory are needed beside the receive buffer if no block is ever copied. Answer and proof:
/// docs/bruck-buffer.md. Slots 0 to p - 1 are those of the receive buffer; block j, which travels j steps, ends in slot
/// j. Further slots are intermediate memory. Every slot holds one block, of any number. No two blocks share a slot in
/// any phase, including the phases in which they arrive and leave. The same on all ranks.
class TransitSlots {
 public:
  /// Plans the slots for p ranks and a radix of at least 2. `own_is_free`: slot 0, of the block to self, may be used,
  /// because that block is copied last.
  TransitSlots(int p, int radix, bool own_is_free);

  /// Returns the number of intermediate slots, which are slots p to p + intermediate() - 1.
  [[nodiscard]] int intermediate() const noexcept { return intermediate_; }
  /// Returns the slot in which block j arrives in the phase of that digit. The digit must not be 0 in j.
  [[nodiscard]] int slot(int j, int digit) const noexcept {
    return slots_[static_cast<std::size_t>(digit) * p_ + static_cast<std::size_t>(j)];
  }

 private:
  std::size_t p_;
  int intermediate_ = 0;
  std::vector<int> slots_;  ///< by digit and block
};

/// Returns the least number of intermediate slots, by counting: the maximum over digits d of a(d) - ceil(p / r^d), plus
/// one if slot 0 must not be used, but at least 0. a(d) is the number of blocks that travel in the phase of digit d.
[[nodiscard]] std::int64_t least_intermediate_slots(int p, int radix, bool own_is_free);

}  // namespace rondo::internal::dense

#endif
