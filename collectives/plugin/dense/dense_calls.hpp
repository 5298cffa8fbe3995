/// @file
/// DenseCalls: the common part of the plug-in's dense collectives.
#ifndef RONDO_COLLECTIVES_PLUGIN_DENSE_DENSE_CALLS_HPP
#define RONDO_COLLECTIVES_PLUGIN_DENSE_DENSE_CALLS_HPP

#include <mpi.h>

#include "collectives/blocks/call.hpp"
#include "collectives/calls/blocking_call.hpp"
#include "collectives/communicators/dense_context.hpp"
#include "collectives/plugin/choice/replaced_call.hpp"
#include "runtime/operation/operation.hpp"

#include <cstdint>
#include <exception>
#include <memory>

namespace rondo::internal::plugin {

/// The family of dense collectives, for the functions of take_or_leave.hpp.
struct DenseCalls {
  using Context = std::shared_ptr<DenseContext>;

  [[nodiscard]] static bool leaves_to_mpi(ReplacedCall what, const Call& call, MPI_Comm comm);
  [[nodiscard]] static bool leaves_to_mpi(ReplacedCall what, const Call& call, MPI_Comm comm,
                                          const DenseContext& context);
  [[nodiscard]] static bool leaves_to_mpi_for_now(ReplacedCall what, const Call& call, MPI_Comm comm);
  /// Leaves a nonblocking call to MPI, because the communicator is not ready. Local.
  static void leave_until_ready(ReplacedCall what, const Call& call, MPI_Comm comm);
  /// Returns whether a call that was left to MPI will be until the communicator is freed: a reduction that must not
  /// change its result. Local.
  [[nodiscard]] static bool stays_with_mpi(const Call& call, MPI_Comm comm);

  [[nodiscard]] static Context context_of(MPI_Comm comm);
  [[nodiscard]] static Context find_context(MPI_Comm comm);
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
