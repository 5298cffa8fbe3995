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

/// What is chosen for all blocks of a class of sizes (SizeClass), by the largest of them. All ranks choose alike,
/// whatever their datatypes, as they know the size of the blocks; so a rank may do by an operation for any size what
/// another does by a schedule for the one that it is.
struct PlanOfClass {
  std::shared_ptr<const Chosen> chosen;  ///< null: each size has a plan of its own
  std::shared_ptr<const Chosen> best;    ///< what is predicted to be the fastest; most often the same
  std::int64_t block_bytes = 0;          ///< of the call's blocks
  std::int64_t largest = 0;              ///< of the class

  /// Explains a schedule of this plan. Throws std::bad_alloc.
  void tell(Chosen& made) const;
  [[nodiscard]] explicit operator bool() const noexcept { return chosen != nullptr; }
};
/// The same on all ranks. Throws Error and std::bad_alloc.
[[nodiscard]] PlanOfClass plan_of_class(CollectiveFamily& family, const CheckedCall& checked, const Settings& settings);

/// A started operation, where an earlier call has left one for the class of this one; otherwise nullptr, and nothing
/// was done. With the calls' mutex locked. Throws Error and std::bad_alloc.
[[nodiscard]] std::unique_ptr<Operation> start_at_any_size(CallState& calls, const Call& call,
                                                           const Settings& settings);
/// The same for the first call of a class; nullptr where its blocks, or the plan on this rank, are not of the kind.
/// Checks the buffers.
[[nodiscard]] std::unique_ptr<Operation> start_first_of_class(CollectiveFamily& family, const CheckedCall& checked,
                                                              const PlanOfClass& plan, const Settings& settings);

}  // namespace rondo::internal

#endif
