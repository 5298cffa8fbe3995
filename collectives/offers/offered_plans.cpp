#include "collectives/offers/offered_plans.hpp"

#include <rondo/error.hpp>

#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/offers/contiguous_lowering.hpp"
#include "collectives/offers/offered_blocks.hpp"
#include "collectives/rehearsal/own_choice.hpp"
#include "datatypes/layout/layout.hpp"
#include "runtime/functions/inside_function.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

DenseCollective name_for_users(Collective collective) {
  switch (collective) {
    case Collective::alltoall:
      return DenseCollective::alltoall;
    case Collective::allgather:
      return DenseCollective::allgather;
    case Collective::reduce:
      return DenseCollective::allreduce;
    case Collective::scatter_reduce:
      return DenseCollective::reduce_scatter;
    case Collective::broadcast:
      return DenseCollective::broadcast;
    case Collective::barrier:
      break;
  }
  return DenseCollective::barrier;
}

/// Returns the description of a call for users, with what all ranks know.
DenseProblem problem_for_users(const DenseContext& context, const CheckedCall& checked, const CallShapes& shapes) {
  const Call& call = checked.call;
  DenseProblem problem;
  problem.collective = name_for_users(call.collective);
  problem.size = context.size();
  problem.root = call.root;
  const auto take_sizes = [&](const SideShapes& side) {
    for (const BlockShape& block : side.blocks) problem.bytes.push_back(block.layout->size());
  };
  if (!call.reduces()) {
    take_sizes(call.at_root ? shapes.send : shapes.recv);
    return problem;
  }
  take_sizes(shapes.send);
  const CallSide sent = call.sent();
  for (int j = 0; j < checked.sent_blocks(); ++j) problem.counts.push_back(sent.count(j));
  problem.datatype = call.recv.types[0];
  problem.op = call.op;
  problem.commutative = reduction::is_commutative(call.op);
  return problem;
}

bool has_nothing_to_do(const DenseProblem& problem) {
  const bool is_barrier = problem.collective == DenseCollective::barrier;
  const bool is_broadcast = problem.collective == DenseCollective::broadcast;
  const bool has_bytes = std::ranges::any_of(problem.bytes, [](std::int64_t bytes) { return bytes > 0; });
  return (!has_bytes && !is_barrier) || (problem.size == 1 && (is_barrier || is_broadcast));
}

/// Returns whether the settings allow an algorithm to run. If not, its time does not matter.
bool may_run(std::string_view algorithm, std::string_view asked) {
  return asked == "auto" || without_own(asked_plan(asked).algorithm) == algorithm;
}

/// Calls a function of the user, with the communicator locked. Adds the algorithm's name to an Error that it throws.
template <typename Call>
auto call_of(const OfferedAlgorithm& algorithm, Call call) {
  try {
    return call();
  } catch (const Error& error) {
    throw Error(error.error_class(), "algorithm " + algorithm.name + ": " + error.what());
  }
}

bool applies(const OfferedAlgorithm& algorithm, const DenseProblem& problem) {
  if (!algorithm.applies) return true;
  return call_of(algorithm, [&] {
    const InsideFunctions inside(InsideFunctions::Token::free);
    return algorithm.applies(problem);
  });
}

double predicted(const OfferedAlgorithm& algorithm, const DenseProblem& problem, const CallState& calls,
                 const Settings& settings) {
  OwnWay way{algorithm.name, [&](OwnBuilder& builder) { lower_contiguous(algorithm, problem, builder); }};
  if (algorithm.predict)
    way.predict = [&](const rondo::Machine& machine, int) {
      const InsideFunctions inside(InsideFunctions::Token::free);
      return algorithm.predict(machine, problem);
    };
  double time = 0;
  call_of(algorithm, [&] { predict_ways({&way, 1}, calls, settings, {&time, 1}); });
  return time;
}

/// Builds a user's algorithm on this rank, with the places of the call's blocks.
void build_offered(const OfferedAlgorithm& algorithm, const DenseProblem& problem, int rank,
                   const OfferedShapes& shapes, bool in_place, ScheduleBuilder& builder) {
  OwnBuilder own(rank, problem.size, builder);
  OfferedBlocks blocks(problem, shapes, own);
  if (in_place) {
    // A first lowering, which is not used, finds out which pieces the algorithm asks for.
    ScheduleBuilder elsewhere;
    OwnBuilder first(rank, problem.size, elsewhere);
    OfferedBlocks asked(problem, shapes, first);
    asked.lower(algorithm);
    blocks.copy_what_is_sent(asked.named());
  }
  blocks.lower(algorithm);
  own.finish(static_cast<std::uint32_t>(algorithm.messages));
}

/// Returns the block of a barrier's messages: a byte of the send buffer whose value does not matter.
std::span<const BlockShape> token() {
  static const Layout one = Layout::contiguous(1);
  static const std::array<BlockShape, 1> shapes{{{0, &one}}};
  return shapes;
}

/// Returns the blocks that a call sends. In place, an allgather sends the rank's own block of the receive buffer.
std::span<const BlockShape> blocks_sent(const Call& call, const CallShapes& shapes, int rank) {
  if (call.collective == Collective::barrier) return token();
  if (call.collective != Collective::allgather || !call.in_place()) return shapes.send.blocks;
  return {&shapes.recv.blocks[static_cast<std::size_t>(rank)], 1};
}

}  // namespace

OfferedToCall::OfferedToCall(const DenseContext& context, const CheckedCall& checked, const CallShapes& shapes,
                             bool uniform, const Settings& settings)
    : offers_(context.offers()) {
  if (offers_ == nullptr) return;
  const DenseCollective collective = name_for_users(checked.call.collective);
  if (uniform) problem_ = problem_for_users(context, checked, shapes);
  const bool applies_to_none = !uniform || has_nothing_to_do(problem_);
  const OfferedShapes on_rank{blocks_sent(checked.call, shapes, context.rank()), shapes.recv.blocks};
  offers_->for_each_of(collective, [&](const OfferedAlgorithm& algorithm) {
    plans_.names.push_back(algorithm.name);
    if (applies_to_none || !may_run(algorithm.name, settings.algorithm_of(kind_of_dense(checked.call.collective))))
      return;
    if (!applies(algorithm, problem_)) return;
    const double time = predicted(algorithm, problem_, context.calls(), settings);
    plans_.plans.push_back({algorithm.name, time,
                            [this, &algorithm, on_rank, rank = context.rank(),
                             in_place = checked.call.in_place()](ScheduleBuilder& builder) {
                              call_of(algorithm,
                                      [&] { build_offered(algorithm, problem_, rank, on_rank, in_place, builder); });
                            }});
  });
}

std::uint32_t most_tags_of_offers(const DenseContext& context, Collective collective) {
  const std::shared_ptr<const Offers>& offers = context.offers();
  return offers == nullptr ? 0 : offers->most_tags(name_for_users(collective));
}

}  // namespace rondo::internal
