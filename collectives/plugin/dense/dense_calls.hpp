/// @file
/// DenseCalls: the common part of the plug-in's dense collectives.
#ifndef RONDO_COLLECTIVES_PLUGIN_DENSE_DENSE_CALLS_HPP
#define RONDO_COLLECTIVES_PLUGIN_DENSE_DENSE_CALLS_HPP

#include <mpi.h>

#include "collectives/blocks/call.hpp"
#include "collectives/calls/blocking_call.hpp"
#include "collectives/communicators/dense_context.hpp"
#include "collectives/plugin/choice/decision.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"
#include "runtime/operation/operation.hpp"

#include <cstdint>
#include <exception>
#include <memory>

namespace rondo::internal::plugin {

/// The family of dense collectives, for the functions of take_or_leave.hpp.
struct DenseCalls {
  using Context = std::shared_ptr<DenseContext>;

  /// Decides on a call, and finds or makes the context if Rondo takes it. Collective if the call may wait and the
  /// communicator is not ready, otherwise local.
  [[nodiscard]] static Decision decide(ReplacedCall what, const Call& call, MPI_Comm comm, Context& context);
  [[nodiscard]] static std::int64_t sent_bytes(const Call& call, const DenseContext& context);

  static void run(const Call& call, const Context& context, const LookAtComplete& look, MpisTurn& mpis);
  [[nodiscard]] static std::unique_ptr<Operation> start(const Call& call, const Context& context);
  [[nodiscard]] static std::unique_ptr<Operation> init(const Call& call, const Context& context,
                                                       const std::exception_ptr& trouble);
};

/// Returns this process's rank, or 0 if the communicator is invalid, which the call's own check reports. Local.
[[nodiscard]] int rank_in(MPI_Comm comm) noexcept;

}  // namespace rondo::internal::plugin

#endif
