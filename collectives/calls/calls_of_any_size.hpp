/// @file
/// Blocking and nonblocking calls whose blocks have another size than those of earlier ones, and go the same way.
#ifndef RONDO_COLLECTIVES_CALLS_CALLS_OF_ANY_SIZE_HPP
#define RONDO_COLLECTIVES_CALLS_CALLS_OF_ANY_SIZE_HPP

#include "collectives/arguments/checked_call.hpp"
#include "collectives/calls/family.hpp"
#include "collectives/settings/settings.hpp"
#include "runtime/operation/operation.hpp"

#include <cstdint>
#include <memory>

namespace rondo::internal {

/// The plan that all calls run whose blocks have sizes of one class (SizeClass): the one chosen for the longest of
/// these blocks. All ranks choose alike, whatever their datatypes, as they know the size of the blocks; so a rank may
/// run a schedule that is scaled to the size of the call, and another one that was built for that size.
struct PlanOfClass {
  std::shared_ptr<const Chosen> chosen;  ///< null: each size has a plan of its own
  std::shared_ptr<const Chosen> best;    ///< what is predicted to be the fastest; most often the same
  std::int64_t block_bytes = 0;          ///< of the call's blocks
  std::int64_t largest = 0;              ///< of the class

  /// Explains a schedule of this plan. Throws std::bad_alloc.
  void tell(Chosen& made) const;
  [[nodiscard]] explicit operator bool() const noexcept { return chosen != nullptr; }
};
/// Returns the plan of a call's class, the same on all ranks. Local. Throws Error and std::bad_alloc.
[[nodiscard]] PlanOfClass plan_of_class(CollectiveFamily& family, const CheckedCall& checked, const Settings& settings);

/// Returns a started operation if an earlier call of the same class has left one that is idle; otherwise nullptr, and
/// nothing was done. With the calls' mutex locked. Collective; waits for nobody. Throws Error and std::bad_alloc.
[[nodiscard]] std::unique_ptr<Operation> start_at_any_size(CallState& calls, const Call& call,
                                                           const Settings& settings);
/// Checks a call's sizes and buffers, and returns a started operation that later calls of its class find. Returns
/// nullptr, and nothing was done, if the plan's schedule on this rank, or the call's datatypes, cannot be scaled, or
/// there is no room for more operations. With the calls' mutex locked. Collective; waits for nobody. Throws Error and
/// std::bad_alloc.
[[nodiscard]] std::unique_ptr<Operation> start_first_of_class(CollectiveFamily& family, const CheckedCall& checked,
                                                              const PlanOfClass& plan, const Settings& settings);

}  // namespace rondo::internal

#endif
