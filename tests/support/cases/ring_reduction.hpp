/// @file
/// Reductions over a ring as cases for the checker and the simulation: the runtime's own, no collective's.
#ifndef RONDO_TESTS_RING_REDUCTION_HPP
#define RONDO_TESTS_RING_REDUCTION_HPP

#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/cases/byte_op.hpp"
#include "tests/support/cases/collective_case.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {

/// Every rank ends with its own block combined with those of the ranks before it.
struct RingReduction {
  enum class Way {
    direct,   ///< each block to all who need it, which combine them in order
    doubling  ///< what is combined already is passed on, twice as much each time; `blocks` is a power of two
  };

  int ranks;
  int blocks;  ///< that are combined, the own one among them
  Way way = Way::direct;
  bool holes = false;  ///< in the operands
  Ordering ordering = Ordering::dependencies;
  MessageForm form = MessageForm::automatic;
  std::uint32_t window = 0;  ///< 0: none
};

/// Seven bytes, in a row or in five pieces, some before the address of the operand.
[[nodiscard]] std::shared_ptr<const Reduction> byte_reduction(const ByteOp& op, bool holes);

[[nodiscard]] std::string describe(const RingReduction& given);

/// The schedule of one rank, with its operands at `offset` in its buffers.
[[nodiscard]] Schedule build_ring_reduction(const RingReduction& given, int rank, std::int64_t offset,
                                            const std::shared_ptr<const Reduction>& reduction);

[[nodiscard]] CollectiveCase ring_reduction(const RingReduction& given, const ByteOp& op);

}  // namespace rondo::internal

#endif
