#include "collectives/operations/halo_exchange.hpp"

#include "collectives/agreement/halo_agreement.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/type_probe.hpp"
#include "collectives/halo/algorithms.hpp"
#include "collectives/halo/user_blocks.hpp"
#include "collectives/operations/make_operation.hpp"
#include "collectives/proof/check_halo_at_init.hpp"

#include <mutex>

namespace rondo::internal {
namespace {

/// As many as a schedule's at most: one for each round, which brings at least one direction.
std::uint32_t most_tags(const halo::Shape& shape) {
  std::uint32_t directions = 1;
  for (int axis = 0; axis < shape.axes(); ++axis) directions *= shape[axis].low > 0 || shape[axis].high > 0 ? 3 : 1;
  return directions;
}

}  // namespace

/// The same way as that of a call of blocks (collective.cpp), with an array in place of blocks and no cache.
std::unique_ptr<Operation> init_halo(const HaloCall& call, NeighborhoodContext& context, const Asked& asked,
                                     std::exception_ptr trouble) {
  return named(call.name, [&] {
    CallState& calls = context.calls();
    const std::scoped_lock lock(calls.mutex());
    const MPI_Comm comm = calls.on()->comm();

    // Parse.
    Settings settings;
    std::shared_ptr<const halo::Shape> shape;
    HaloAgreement agreement;
    if (!trouble) {
      trouble = trouble_in([&] {
        settings = calls.settings();
        settings.take(asked);
        shape = check_halo_call(call, context.grid(), type_probe());
        agreement.prepare(context.grid(), *shape);
        calls.tags().prepare_room(most_tags(*shape));
      });
    }

    // Agree.
    agreement.agree(settings, trouble, comm);

    // Build a schedule, and bind it.
    calls.tags().make_room(most_tags(*shape));
    std::unique_ptr<Operation> operation;
    trouble = trouble_in([&] {
      const std::unique_ptr<const halo::Shape> typical = agreement.typical();
      const halo::Problem problem{context.grid(), *shape, *typical, calls.costs(), settings.ports};
      const auto chosen =
          logged(call.name, calls, halo::choose(problem, settings.algorithm, settings.ordering, settings.messages));
      operation = bind_persistent(call.name, calls.tags(), chosen, halo::user_blocks(shape), {nullptr, call.array},
                                  settings.progress);
    });
    settle(trouble, true, comm);
    calls.tags().take_persistent(operation->execution().schedule().tags());
    calls.count_call();

    if (settings.check) check_halo_at_init(operation->execution().schedule(), call, *shape, context.grid(), comm);
    return operation;
  });
}

}  // namespace rondo::internal
