#include "collectives/dense_choice.hpp"

#include "runtime/log.hpp"

namespace rondo {

std::uint64_t seed_of(const DenseContext& context, const Settings& settings) {
  switch (settings.seed) {
    case Seed::calls:
      return mix(static_cast<std::uint64_t>(context.size()), context.calls());
    case Seed::given:
      return settings.given_seed;
    case Seed::size:
      break;
  }
  return static_cast<std::uint64_t>(context.size());
}

DenseProblem problem_of(const DenseContext& context, const DenseShapes& blocks, bool in_place, const Settings& settings,
                        const DenseSizes& sizes, std::uint64_t seed) {
  return {context.rank(),
          context.size(),
          blocks.send.blocks,
          blocks.recv.blocks,
          sizes.known,
          context.costs(),
          sizes.largest,
          sizes.smallest,
          in_place,
          {settings.ports, settings.queue, settings.radix, settings.segment, seed, settings.regular_ratio},
          nullptr,
          &context.times()};
}

std::shared_ptr<const Chosen> choose_and_log(const char* name, DenseContext& context, const DenseProblem& problem,
                                             const Settings& settings) {
  auto chosen =
      std::make_shared<const Chosen>(choose_dense(problem, settings.algorithm, settings.ordering, settings.messages));
  log().debug("{}: {} ranks, algorithm {}, {} sends and receives, {} phases", name, problem.size, chosen->algorithm,
              chosen->schedule->messages().size(), chosen->schedule->phases());
  if (!chosen->note.empty() && context.rank() == 0 && context.says_first(chosen->note))
    log().warn("{}: {}", name, chosen->note);
  return chosen;
}

}  // namespace rondo
