/// @file
/// Blocking and nonblocking calls that run the plan of earlier calls although their blocks have other sizes or places.
#ifndef RONDO_COLLECTIVES_CALLS_CALLS_OF_ANY_SIZE_HPP
#define RONDO_COLLECTIVES_CALLS_CALLS_OF_ANY_SIZE_HPP

#include "collectives/arguments/checked_call.hpp"
#include "collectives/calls/family.hpp"
#include "collectives/settings/settings.hpp"
#include "runtime/operation/operation.hpp"

#include <cstdint>
#include <memory>

namespace rondo::internal {

/// The plan of all calls whose blocks have sizes of one class (SizeClass): the plan chosen for the longest of these
/// blocks. The longest block of an allgather or a reduce-scatter decides for all of its blocks, if they are alike. All
/// ranks choose alike, whatever their datatypes, because they know the size of the blocks. So one rank may run a
/// schedule that is scaled to the size of the call, and another rank one that was built for that size.
struct PlanOfClass {
  std::shared_ptr<const Chosen> chosen;  ///< null: each size has a plan of its own
  std::shared_ptr<const Chosen> best;    ///< the plan that is predicted to be the fastest; most often the same
  std::int64_t block_bytes = 0;          ///< bytes of each block of the call, or of the longest
  std::int64_t largest = 0;              ///< bytes of the largest block of the class

  /// Sets the candidates and the reason of the choice in `made`, which has a schedule of this plan. Throws
  /// std::bad_alloc.
  void tell(Chosen& made) const;
  [[nodiscard]] explicit operator bool() const noexcept { return chosen != nullptr; }
};
/// Returns the plan of a call's class, the same on all ranks. Local. Throws Error and std::bad_alloc.
[[nodiscard]] PlanOfClass plan_of_class(CollectiveFamily& family, const CheckedCall& checked, const Settings& settings);

/// Returns a started operation if an earlier call of the same class has left one that is idle; otherwise nullptr, and
/// nothing was done. Call with the calls' mutex locked. Collective; waits for nobody. Throws Error and std::bad_alloc.
[[nodiscard]] std::unique_ptr<Operation> start_at_any_size(CallState& calls, const Call& call,
                                                           const Settings& settings);
/// Checks a call's sizes and buffers, and returns a started operation that later calls of its class find. Returns
/// nullptr, and nothing was done, if the plan's schedule on this rank, or the call's datatypes, cannot be scaled, or
/// there is no room for more operations. Call with the calls' mutex locked. Collective; waits for nobody. Throws Error
/// and std::bad_alloc.
[[nodiscard]] std::unique_ptr<Operation> start_first_of_class(CollectiveFamily& family, const CheckedCall& checked,
                                                              const PlanOfClass& plan, const Settings& settings);

/// Returns a started operation if an earlier call with other counts and displacements has left one for any blocks that
/// is idle; otherwise nullptr, and nothing was done. Call with the calls' mutex locked. Collective; waits for nobody.
/// Throws Error and std::bad_alloc.
[[nodiscard]] std::unique_ptr<Operation> start_at_any_places(CallState& calls, const Call& call,
                                                             const Settings& settings);
/// Returns a started operation for any blocks, which later calls with other counts and displacements find. Returns
/// nullptr, and nothing was done, if the family's messages depend on the sizes of blocks and there is no plan for the
/// class of the longest, if few schedules were built for calls of this kind so far, or if this call was repeated so
/// often that it is to have a schedule of its own. Call with the calls' mutex locked, for a call that has no schedule
/// yet. Collective; waits for nobody. Throws Error and std::bad_alloc.
[[nodiscard]] std::unique_ptr<Operation> start_first_at_any_places(CollectiveFamily& family, const CheckedCall& checked,
                                                                   const PlanOfClass& plan, const Settings& settings);

}  // namespace rondo::internal

#endif
