/// @file
/// TransitSlots: where blocks of zero-copy Bruck wait between two hops, in as little memory as there can be.
#ifndef RONDO_COLLECTIVES_DENSE_ALLTOALL_TRANSIT_SLOTS_HPP
#define RONDO_COLLECTIVES_DENSE_ALLTOALL_TRANSIT_SLOTS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::internal::dense {

/// The open problem of the zero-copy Bruck paper (section 5): how many blocks of memory are needed beside the receive
/// buffer where no block is ever copied. Answer and proof: docs/bruck-buffer.md. Slots 0 to p - 1 are those of the
/// receive buffer, slot j the one in which block j ends (the block that travels j steps); further ones are intermediate
/// memory. All slots hold one block of any number; no two blocks share one in any phase, the one in which they come and
/// the one in which they leave included. The same on all ranks.
class TransitSlots {
 public:
  /// For p ranks and a radix of at least 2. `own_is_free`: slot 0, of the block to self, may be used, as that block is
  /// copied last.
  TransitSlots(int p, int radix, bool own_is_free);

  /// Intermediate slots: p to p + intermediate() - 1.
  [[nodiscard]] int intermediate() const noexcept { return intermediate_; }
  /// The slot in which block j arrives in the phase of that digit, which must not be 0 in j.
  [[nodiscard]] int slot(int j, int digit) const noexcept {
    return slots_[static_cast<std::size_t>(digit) * p_ + static_cast<std::size_t>(j)];
  }

 private:
  std::size_t p_;
  int intermediate_ = 0;
  std::vector<int> slots_;  ///< by digit and block
};

/// The least number of intermediate slots, by counting: max over digits d of a(d) - ceil(p / r^d), but at least 0, with
/// a(d) the number of blocks that travel in the phase of digit d; one more where slot 0 is not to be used.
[[nodiscard]] std::int64_t least_intermediate_slots(int p, int radix, bool own_is_free);

}  // namespace rondo::internal::dense

#endif
