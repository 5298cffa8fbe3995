#include "collectives/cart_reduction/along_tree.hpp"

#include "collectives/blocks/round_messages.hpp"
#include "collectives/carriers/shared_blocks.hpp"
#include "collectives/cart_reduction/hop_buffers.hpp"
#include "collectives/cart_reduction/hop_traffic.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace rondo::internal::reduction {
namespace {

/// Minimum length in bytes of vectors that are reduced one by one, as soon as each has arrived. Shorter vectors that
/// arrive together are reduced together.
constexpr std::int64_t kLongVector = 4096;

/// A value that the process has, in a block. `foreign`: the block's layout is not the one that the reduction needs.
struct OwnValue {
  BlockId block{};
  bool foreign = false;
};
using OwnValues = std::vector<std::optional<OwnValue>>;

bool is_operand(const BlockShape& shape, const Reduction& reduction) {
  const Layout& layout = reduction.layout();
  if (shape.offset % reduction.alignment() != 0) return false;
  if (layout.is_contiguous()) return shape.layout->is_contiguous() && shape.layout->true_begin() == layout.true_begin();
  return std::ranges::equal(shape.layout->items(), layout.items());
}

/// The lowering of one hop on one process.
class HopLowering {
 public:
  HopLowering(const Problem& problem, const Hop& hop, OwnValues& values, ScheduleBuilder& builder)
      : problem_(problem),
        hop_(hop),
        reach_(problem.canonical.reach),
        values_(values),
        builder_(builder),
        live_(live_nodes()),
        memory_(hop, live_) {}

  /// Adds the tasks of the hop. Uses tags from `tag` on and advances `tag`. `result`: the block for the value of the
  /// last boundary if this hop ends there; otherwise empty. `sharers`: number of ranks that share a message between
  /// nodes; 0: every process sends its own.
  void run(std::uint32_t& tag, std::optional<BlockId> result, int sharers) {
    give_places(result);
    builder_.begin_phase();
    if (sharers > 0)
      exchange_by_carriers(tag, sharers);
    else
      exchange(tag);
    combine();
    OwnValues results(hop_.nodes() - hop_.result(0));
    for (ValueId value = 0; value < results.size(); ++value) {
      const NodeId node = hop_.result(value);
      if (live_[node] != 0) results[value] = places_[memory_.place_of(node)];
    }
    values_ = std::move(results);
  }

 private:
  /// Returns for each node whether it has a contribution that exists and is part of a value that this process needs.
  [[nodiscard]] std::vector<char> live_nodes() const {
    std::vector<char> exists(hop_.nodes());
    const auto here = problem_.grid.coordinates();
    for (NodeId leaf = 0; leaf < hop_.own(); ++leaf)
      exists[leaf] = reach_.exists(hop_.from(), hop_.value_of(leaf), here) ? 1 : 0;
    for (std::size_t i = 0; i < hop_.rounds(); ++i) {
      const auto round = hop_.round(i);
      if (problem_.grid.relative_rank(round.step, -1) == kNoRank) continue;
      const std::vector<int> there = coordinates_at(here, round.step, -1);
      for (NodeId leaf = round.begin; leaf < round.end; ++leaf)
        exists[leaf] = reach_.exists(hop_.from(), hop_.value_of(leaf), there) ? 1 : 0;
    }
    for (NodeId node = hop_.leaves(); node < hop_.nodes(); ++node) {
      for (const auto& operand : hop_.operands(node)) exists[node] |= exists[operand.node];
    }
    std::vector<char> live(hop_.nodes());
    for (NodeId node = hop_.result(0); node < hop_.nodes(); ++node)
      live[node] = reach_.is_needed(hop_.to(), node - hop_.result(0), here) ? exists[node] : 0;
    for (NodeId node = hop_.nodes(); node-- > hop_.leaves();) {
      if (live[node] == 0) continue;
      for (const auto& operand : hop_.operands(node)) live[operand.node] = exists[operand.node];
    }
    return live;
  }

  /// Gives the nodes their places: scratch memory for arriving vectors and sums, except for the result.
  void give_places(std::optional<BlockId> result) {
    places_.resize(memory_.places());
    std::vector<char> taken(places_.size());
    for (NodeId leaf = 0; leaf < hop_.own(); ++leaf) {
      if (live_[leaf] == 0) continue;
      places_[memory_.place_of(leaf)] = *values_[hop_.value_of(leaf)];
      taken[memory_.place_of(leaf)] = 1;
    }
    const NodeId last = hop_.result(0);
    const bool has_result = result && last < hop_.nodes() && live_[last] != 0;
    for (PlaceId place = 0; place < places_.size(); ++place) {
      if (taken[place] != 0) continue;
      places_[place].block = has_result && memory_.place_of(last) == place ? *result : builder_.operand();
    }
  }

  /// Adds the messages of the rounds. From its own and the target's coordinates, a sender finds the values to send.
  void exchange(std::uint32_t& tag) {
    const Grid& grid = problem_.grid;
    const auto here = grid.coordinates();
    const std::int64_t bytes = problem_.reduction->layout().size();
    RoundSide outgoing;
    RoundSide incoming;
    for (std::size_t i = 0; i < hop_.rounds(); ++i) {
      const auto round = hop_.round(i);
      const int target = grid.relative_rank(round.step);
      const int source = grid.relative_rank(round.step, -1);
      const std::vector<int> there = coordinates_at(here, round.step, 1);
      outgoing.clear();
      incoming.clear();
      for (NodeId leaf = round.begin; leaf < round.end; ++leaf) {
        if (live_[leaf] != 0) incoming.add(places_[memory_.place_of(leaf)].block, bytes);
        if (target != kNoRank && is_sent(hop_, reach_, grid, leaf, here, there))
          outgoing.add(values_[hop_.value_of(leaf)]->block, bytes);
      }
      exchange_once(target, source, tag, outgoing, incoming, builder_);
      tag += messages_of(round.end - round.begin, bytes);  // the same on all ranks
    }
  }

  /// Adds the messages of the rounds as node-aware messages, each of which has every value once. Values that are not
  /// for this process lie in separate memory until they are passed on.
  void exchange_by_carriers(std::uint32_t& tag, int sharers) {
    const int rank = problem_.grid.rank();
    const std::int64_t bytes = problem_.reduction->layout().size();
    const HopTraffic traffic(*problem_.nodes, problem_.grid, hop_, reach_, bytes);
    const SharedBlockLegs legs(traffic, rank, sharers);
    std::map<SharedBlock, BlockId> where_it_is;
    traffic.visit_received(rank, [&](int source, NodeId leaf, std::int64_t) {
      where_it_is[{source, hop_.value_of(leaf)}] = places_[memory_.place_of(leaf)].block;
    });
    const auto block_of = [&](const SharedBlock& it) {
      if (it.source == rank) return values_[it.number]->block;
      const auto [at, passes_through] = where_it_is.try_emplace(it);
      if (passes_through) at->second = builder_.transit(bytes);
      return at->second;
    };
    const auto blocks_of = [&](const SharedBlockLegs::Message& message) {
      std::vector<BlockId> blocks;
      for (const SharedBlock& it : message.blocks) blocks.push_back(block_of(it));
      return blocks;
    };
    for (const SharedBlockLegs::Leg* leg : {&legs.on_the_node, &legs.between_nodes, &legs.hand_out}) {
      if (leg != &legs.on_the_node) builder_.begin_phase();
      for (const auto& message : leg->sent) builder_.send(message.partner, tag, blocks_of(message));
      for (const auto& message : leg->received) builder_.receive(message.partner, tag, blocks_of(message));
      ++tag;
    }
  }

  void combine() {
    const bool one_by_one = problem_.reduction->layout().size() >= kLongVector;
    std::vector<BlockId> from;
    std::vector<BlockId> into;
    for (std::size_t batch = 0; batch < memory_.batches(); ++batch) {
      from.clear();
      into.clear();
      for (const HopBuffers::Step& step : memory_.batch(batch)) {
        if (step.copies) {
          builder_.copy({&places_[step.from].block, 1}, {&places_[step.into].block, 1});
          continue;
        }
        from.push_back(operand_in(places_[step.from]));
        into.push_back(places_[step.into].block);
        if (!one_by_one) continue;
        builder_.reduce(from.back(), into.back());
        from.clear();
        into.clear();
      }
      if (!from.empty()) builder_.reduce(from, into);
    }
  }

  /// Returns the block of a value as an operand of the reduction. A value whose layout is not the one that the
  /// reduction needs is copied, once.
  BlockId operand_in(OwnValue& value) {
    if (!value.foreign) return value.block;
    const BlockId operand = builder_.operand();
    builder_.copy({&value.block, 1}, {&operand, 1});
    value = {operand, false};
    return operand;
  }

  const Problem& problem_;
  const Hop& hop_;
  const Reach& reach_;
  OwnValues& values_;
  ScheduleBuilder& builder_;
  std::vector<char> live_;
  HopBuffers memory_;
  std::vector<OwnValue> places_;
};

/// Returns the values at boundary 0: the process's own contributions, empty for those that no result on the grid needs.
OwnValues contributions(const Problem& problem, ScheduleBuilder& builder) {
  const Tree& tree = problem.canonical.tree;
  OwnValues values(tree.values(0));
  const auto send_block = [&](std::size_t i) {
    const BlockShape& shape = problem.send[i];
    return OwnValue{builder.block(Space::send, shape.offset, *shape.layout), !is_operand(shape, *problem.reduction)};
  };
  for (ValueId value = 0; value < values.size(); ++value) {
    if (!problem.canonical.reach.is_needed(0, value, problem.grid.coordinates())) continue;
    if (problem.kind == Kind::reduce) {
      values[value] = send_block(0);
      continue;
    }
    const auto members = tree.members(value);
    values[value] = send_block(static_cast<std::size_t>(members.front()));
    if (members.size() == 1) continue;
    const BlockId sum = builder.operand();
    builder.copy({&values[value]->block, 1}, {&sum, 1});
    values[value] = {sum, false};
    for (const int member : members.subspan(1)) {
      OwnValue added = send_block(static_cast<std::size_t>(member));
      if (added.foreign) {
        const BlockId operand = builder.operand();
        builder.copy({&added.block, 1}, {&operand, 1});
        added.block = operand;
      }
      builder.reduce(added.block, sum);
    }
  }
  return values;
}

}  // namespace

Walk walk_in_hops(const Canonical& canonical, const Grid& grid, std::span<const std::size_t> ends) {
  Walk walk;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    walk.emplace_back(canonical.tree, grid, begin, end);
    begin = end;
  }
  return walk;
}

void build_along_tree(const Problem& problem, std::span<const Hop> walk, ScheduleBuilder& builder, int sharers) {
  const Tree& tree = problem.canonical.tree;
  const std::int64_t bytes = problem.reduction->layout().size();
  if (bytes == 0 || tree.values(tree.stages()) == 0) return;
  builder.set_reduction(problem.reduction);
  const BlockId result = builder.block(Space::recv, problem.recv.offset, *problem.recv.layout);
  OwnValues values = contributions(problem, builder);
  std::uint32_t tags = 0;
  for (const Hop& hop : walk) {
    const bool is_last = hop.to() == tree.stages();
    HopLowering(problem, hop, values, builder).run(tags, is_last ? std::optional(result) : std::nullopt, sharers);
  }
  builder.reserve_tags(tags);
  if (values.front() && values.front()->block.index != result.index)
    builder.copy({&values.front()->block, 1}, {&result, 1});
}

void predict_hop(const Problem& problem, const Hop& hop, Prediction& prediction) {
  const std::int64_t bytes = problem.reduction->layout().size();
  if (bytes == 0) return;
  const CostModel& costs = problem.costs;
  Nearness slowest = Nearness::near;
  for (std::size_t i = 0; i < hop.rounds(); ++i) {
    const auto round = hop.round(i);
    const Nearness nearness = nearness_of(problem.near, round.step);
    if (nearness == Nearness::far) slowest = Nearness::far;
    for_each_message(round.end - round.begin, bytes, [&](std::int64_t, std::int64_t vectors) {
      add_message(prediction, costs, problem.near, round.step, vectors, vectors * bytes);
      if (vectors > 1)
        costs.add_copies(prediction, vectors, vectors * bytes, nearness);  // arriving vectors stay where they are
    });
  }
  if (hop.rounds() > 0) costs.add_phase(prediction, slowest);
  costs.add_reductions(prediction, hop.reductions(), hop.reductions() * bytes);
}

Prediction predict_single_hop(const Problem& problem) {
  const Tree& tree = problem.canonical.tree;
  const std::int64_t bytes = problem.reduction->layout().size();
  Prediction prediction;
  if (bytes == 0 || tree.values(tree.stages()) == 0) return prediction;
  // Number of tree nodes that hold each value, from the root to the leaves. One message comes from each leaf.
  std::vector<std::int64_t> nodes{1};
  std::int64_t reductions = 0;
  ValueId own = 0;
  bool has_own = true;
  for (std::size_t boundary = tree.stages(); boundary > 0; --boundary) {
    std::vector<std::int64_t> below(tree.values(boundary - 1));
    for (ValueId value = 0; value < nodes.size(); ++value) {
      reductions -= nodes[value];
      for (const Term& term : tree.terms(boundary, value)) {
        below[term.value] += nodes[value];
        reductions += nodes[value] * term.times;
      }
    }
    if (has_own) {
      const Term& last = tree.terms(boundary, own).back();
      has_own = last.step == kStays;
      own = last.value;
    }
    nodes.swap(below);
  }
  const std::int64_t messages = std::accumulate(nodes.begin(), nodes.end(), std::int64_t{0}) - (has_own ? 1 : 0);
  const CostModel& costs = problem.costs;
  for (std::int64_t i = 0; i < messages; ++i) {
    const Nearness nearness = i < problem.near_contributions ? Nearness::near : Nearness::far;
    costs.add_message(prediction, 1, bytes, SentData::cold, nearness);
  }
  costs.add_windows(prediction, problem.ports);
  costs.add_reductions(prediction, reductions, reductions * bytes);
  return prediction;
}

}  // namespace rondo::internal::reduction
