#include "collectives/halo_exchange.hpp"

#include "collectives/agreement.hpp"
#include "collectives/check_halo_at_init.hpp"
#include "collectives/halo_agreement.hpp"
#include "collectives/halo_algorithms.hpp"
#include "collectives/halo_blocks.hpp"
#include "collectives/persistent_operation.hpp"
#include "runtime/log.hpp"

#include <exception>
#include <mutex>

namespace rondo {
namespace {

/// As many as a schedule's at most: one for each round, which brings at least one direction.
std::uint32_t most_tags(const HaloShape& shape) {
  std::uint32_t directions = 1;
  for (int axis = 0; axis < shape.axes(); ++axis) directions *= shape[axis].low > 0 || shape[axis].high > 0 ? 3 : 1;
  return directions;
}

}  // namespace

std::unique_ptr<Operation> init_halo(const char* name, CommContext& context, const HaloSteps& steps) {
  return named(name, [&] {
    const std::scoped_lock lock(context.mutex());
    const MPI_Comm own = context.tags().comm()->get();
    HaloCall call{};
    Settings settings;
    std::shared_ptr<const HaloShape> shape;
    HaloAgreement agreement;
    const std::exception_ptr trouble = trouble_in([&] {
      settings = context.settings();
      steps(call, settings);
      shape = check_halo_call(call, context.grid(), own);
      agreement.prepare(context.grid(), *shape);
      context.tags().prepare_room(most_tags(*shape));
    });
    agreement.agree(settings, trouble, own);
    const auto make = [&] {
      const std::unique_ptr<const HaloShape> typical = agreement.typical();
      const HaloProblem problem{context.grid(), *shape, *typical, context.costs(), settings.ports};
      auto chosen = std::make_shared<const Chosen>(
          choose_halo(problem, settings.algorithm, settings.ordering, settings.messages));
      if (!chosen->note.empty() && context.says_first(chosen->note) && context.grid().rank() == 0)
        log().warn("{}: {}", name, chosen->note);
      log().debug("{}: algorithm {}, {} sends and receives, {} phases", name, chosen->algorithm,
                  chosen->schedule->messages().size(), chosen->schedule->phases());
      return PersistentParts{std::move(chosen), nullptr, call.array, halo_blocks(shape), settings.progress};
    };
    std::unique_ptr<Operation> operation =
        make_persistent(name, context.tags(), true, most_tags(*shape), std::ref(make));
    if (settings.check) check_halo_at_init(operation->execution().schedule(), call, *shape, context.grid(), own);
    return operation;
  });
}

}  // namespace rondo
