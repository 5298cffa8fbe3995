/// @file
/// Alltoalls over a ring as cases for the checker and the simulation: the runtime's own, no collective's.
#ifndef RONDO_TESTS_RING_ALLTOALL_HPP
#define RONDO_TESTS_RING_ALLTOALL_HPP

#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/cases/collective_case.hpp"
#include "tests/support/edges.hpp"

#include <cstdint>
#include <set>
#include <utility>

namespace rondo::internal {

/// Every rank of a ring sends block e to the rank e + 1 further. Every other block is in two pieces. The tag of a
/// message is the number of its exchange.
struct RingAlltoall {
  int ranks;
  int blocks;
  bool halves = false;        ///< some blocks are empty, and with them halves of exchanges
  std::uint32_t window = 0;   ///< 0: none
  std::uint32_t batches = 0;  ///< exchanges of one; 0: none
  int flush = 0;              ///< a batch ends after so many exchanges at the latest; 0: only when full
  MessageForm form = MessageForm::automatic;
};

[[nodiscard]] CollectiveCase ring_alltoall(const RingAlltoall& given);

/// Whether `first` has ended before `second` begins, by the edges of one rank.
[[nodiscard]] bool ordered(const Schedule& schedule, TaskId first, TaskId second);

}  // namespace rondo::internal

#endif
