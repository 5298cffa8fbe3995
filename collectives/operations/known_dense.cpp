#include "collectives/operations/known_dense.hpp"

#include <rondo/error.hpp>

#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/barrier/algorithms.hpp"
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/dense_allgather/algorithms.hpp"
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/offers/offered_plans.hpp"
#include "collectives/operations/dense_problem.hpp"

#include <algorithm>
#include <vector>

namespace rondo::internal {
namespace {

/// Chooses the algorithm of an allreduce or a reduce-scatter.
Chosen choose_reduction(const DenseContext& context, const CheckedCall& checked, const CallShapes& shapes,
                        const Settings& settings, const OfferedPlans& offered) {
  const Call& call = checked.call;
  const DenseKnowledge known = knowledge_of(context, settings);
  const CallSide sent = call.sent();
  std::vector<std::int64_t> counts;
  for (int j = 0; j < checked.sent_blocks(); ++j) counts.push_back(sent.count(j));
  const dense_reduction::Problem problem{
      .rank = context.rank(),
      .size = context.size(),
      .kind = call.collective == Collective::reduce ? dense_reduction::Kind::allreduce
                                                    : dense_reduction::Kind::reduce_scatter,
      .send = shapes.send.blocks,
      .counts = counts,
      .recv = shapes.recv.blocks[0],
      .op = {call.op, call.recv.types[0], checked.recv_layouts[0].get(), reduction::is_commutative(call.op)},
      .costs = known.costs,
      .in_place = call.in_place(),
      .ports = settings.ports,
      .fewest_near = known.fewest_near,
      .ranks_per_core = context.calls().on()->ranks_per_core(),
      .nodes = known.nodes,
      .offered = &offered};
  return dense_reduction::choose(problem, settings.algorithm_of(kind_of_dense(call.collective)), settings.ordering,
                                 settings.messages);
}

/// Returns the only block of a broadcast on this rank.
const BlockShape& block_of_broadcast(const Call& call, const CallShapes& shapes) {
  return (call.at_root ? shapes.send : shapes.recv).blocks[0];
}

Chosen choose_broadcast(const DenseContext& context, const CheckedCall& checked, const CallShapes& shapes,
                        const Settings& settings, const OfferedPlans& offered) {
  const DenseKnowledge known = knowledge_of(context, settings);
  const broadcast::Problem problem{
      .rank = context.rank(),
      .size = context.size(),
      .root = checked.call.root,
      .block = block_of_broadcast(checked.call, shapes),
      .costs = known.costs,
      .radix = settings.radix,
      // 0 lets the cost model choose, unless somebody asked for a segment other than the segmented alltoall's default.
      .segment = settings.segment == dense::Options().segment ? 0 : settings.segment,
      .ranks_per_core = context.calls().on()->ranks_per_core(),
      .fewest_near = known.fewest_near,
      .nodes = known.nodes,
      .offered = &offered};
  return broadcast::choose(problem, settings.algorithm_of(kind_of_dense(Collective::broadcast)), settings.ordering,
                           settings.messages);
}

Chosen choose_allgather(const DenseContext& context, const CheckedCall& checked, const CallShapes& shapes,
                        const Settings& settings, const OfferedPlans& offered) {
  const DenseKnowledge known = knowledge_of(context, settings);
  const dense_allgather::Problem problem{.rank = context.rank(),
                                         .size = context.size(),
                                         .send = shapes.send.blocks[0],
                                         .recv = shapes.recv.blocks,
                                         .costs = known.costs,
                                         .in_place = checked.call.in_place(),
                                         .ports = settings.ports,
                                         .fewest_near = known.fewest_near,
                                         .nodes = known.nodes,
                                         .offered = &offered};
  return dense_allgather::choose(problem, settings.algorithm_of(kind_of_dense(Collective::allgather)),
                                 settings.ordering, settings.messages);
}

Chosen choose_barrier(const DenseContext& context, const Settings& settings, const OfferedPlans& offered) {
  const DenseKnowledge known = knowledge_of(context, settings);
  const barrier::Problem problem{.rank = context.rank(),
                                 .size = context.size(),
                                 .costs = known.costs,
                                 .radix = settings.radix,
                                 .fewest_near = known.fewest_near,
                                 .nodes = known.nodes,
                                 .offered = &offered};
  return barrier::choose(problem, settings.algorithm_of(kind_of_dense(Collective::barrier)), settings.ordering,
                         settings.messages);
}

/// Returns an upper bound of the tags of a call, the same on all ranks whose calls agree.
std::uint32_t most_tags_of(const Call& call, int p, const CallShapes& shapes) {
  std::int64_t largest = 0;
  for (const BlockShape& block : shapes.recv.blocks) largest = std::max(largest, block.layout->size());
  switch (call.collective) {
    case Collective::barrier:
      return barrier::most_tags(p);
    case Collective::broadcast:
      return broadcast::most_tags(p, block_of_broadcast(call, shapes).layout->size());
    case Collective::allgather:
      return dense_allgather::most_tags(p, largest);
    default:
      return dense_reduction::most_tags(p);
  }
}

}  // namespace

void KnownDenseFamily::note(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) {
  if (settings.tuning != context_.settings().tuning)
    throw Error(MPI_ERR_INFO_VALUE, "rondo_tuning: applies to a communicator, not to one call: see Rondo_Comm_prepare");
  here_ = known_sizes_of(checked, shapes);
  most_tags_ = std::max(most_tags_of(checked.call, context_.size(), shapes),
                        most_tags_of_offers(context_, checked.call.collective));
}

Chosen KnownDenseFamily::choose(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) {
  const OfferedToCall offered(context_, checked, shapes, true, settings);
  const auto choose = [&] {
    switch (checked.call.collective) {
      case Collective::barrier:
        return choose_barrier(context_, settings, offered.plans());
      case Collective::broadcast:
        return choose_broadcast(context_, checked, shapes, settings, offered.plans());
      case Collective::allgather:
        return choose_allgather(context_, checked, shapes, settings, offered.plans());
      default:
        return choose_reduction(context_, checked, shapes, settings, offered.plans());
    }
  };
  return offered.kept(choose());
}

bool KnownDenseFamily::may_learn(const Call& call) const {
  return !call.reduces() || reduction::is_exact(call.op, call.recv.types[0]);
}

ArrivalsOfAll KnownDenseFamily::arrivals(const Call& call) const {
  return {[](ByteWriter&) {}, [p = context_.size(), &call](std::span<ByteReader>) { return dense_arrivals(p, call); },
          call.collective == Collective::barrier};
}

}  // namespace rondo::internal
