#include "collectives/tree_reduction.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace rondo {
namespace {

using NodeId = ReductionHop::NodeId;

/// Vectors from this length on, in bytes, are reduced one by one, as soon as they are there; of shorter ones, those
/// that arrived together.
constexpr std::int64_t kLongVector = 4096;

/// A value of the process: `foreign` when it does not lie as the operation needs it.
struct OwnValue {
  BlockId block;
  bool foreign = false;
};
using OwnValues = std::vector<std::optional<OwnValue>>;

bool is_operand(const BlockShape& shape, const Reduction& reduction) {
  const Layout& layout = reduction.layout();
  if (shape.offset % reduction.alignment() != 0) return false;
  if (layout.is_contiguous()) return shape.layout->is_contiguous() && shape.layout->true_begin() == layout.true_begin();
  return std::ranges::equal(shape.layout->items(), layout.items());
}

/// Most vectors in a message; who shares one is the same on all ranks.
NodeId vectors_in_message(std::int64_t bytes) {
  return static_cast<NodeId>(std::max<std::int64_t>(1, kLongestMessage / bytes));
}

std::uint32_t tags_of(const ReductionHop& hop, std::int64_t bytes) {
  const NodeId most = vectors_in_message(bytes);
  std::uint32_t tags = 0;
  for (std::size_t i = 0; i < hop.rounds(); ++i) {
    const auto round = hop.round(i);
    tags += (round.end - round.begin + most - 1) / most;
  }
  return tags;
}

/// Lowers one hop on one process.
class HopLowering {
 public:
  HopLowering(const ReductionProblem& problem, const ReductionHop& hop, OwnValues& values, ScheduleBuilder& builder)
      : problem_(problem),
        hop_(hop),
        reach_(problem.canonical->reach),
        values_(values),
        builder_(builder),
        live_(hop.nodes()) {}

  /// Tags from `tag` on are used. `result`: where the value of the last boundary ends up if this hop computes it.
  void run(std::uint32_t tag, std::optional<BlockId> result) {
    find_live_nodes();
    plan_memory();
    give_blocks(result);
    builder_.begin_phase();
    exchange(tag);
    combine();
    OwnValues results(hop_.nodes() - hop_.result(0));
    for (ValueId value = 0; value < results.size(); ++value) {
      const NodeId node = hop_.result(value);
      if (live_[node] == 0) continue;
      const Memory& memory = memory_[slots_[slot_of_[node]].memory];
      results[value] = {memory.block, memory.foreign};
    }
    values_ = std::move(results);
  }

 private:
  /// What one or several nodes are: an aliased value is one slot. Several slots may use the same memory one after the
  /// other.
  struct Slot {
    std::uint32_t memory = 0;
    std::uint32_t uses = 0;  ///< that are still to come
    bool ours = true;        ///< may be overwritten by its last use
  };
  struct Memory {
    BlockId block{};
    bool foreign = false;
    bool own = false;  ///< a value that was there before the hop
  };
  /// into = from OP into, or a copy.
  struct Step {
    std::uint32_t from;
    std::uint32_t into;
    bool copies;
  };

  /// Coordinates of the process at `sign` times a step; those along rings are not folded.
  [[nodiscard]] std::vector<int> coordinates_at(std::span<const int> step, int sign) const {
    std::vector<int> coordinates(problem_.grid.coordinates().begin(), problem_.grid.coordinates().end());
    for (std::size_t k = 0; k < coordinates.size(); ++k) coordinates[k] += sign * step[k];
    return coordinates;
  }

  /// Live is what has a contribution that exists and is part of a value that is needed here.
  void find_live_nodes() {
    const auto here = problem_.grid.coordinates();
    for (NodeId leaf = 0; leaf < hop_.own(); ++leaf)
      live_[leaf] = reach_.exists(hop_.from(), hop_.value_of(leaf), here) ? 1 : 0;
    for (std::size_t i = 0; i < hop_.rounds(); ++i) {
      const auto round = hop_.round(i);
      if (problem_.grid.relative_rank(round.step, -1) == kNoRank) continue;
      const std::vector<int> there = coordinates_at(round.step, -1);
      for (NodeId leaf = round.begin; leaf < round.end; ++leaf)
        live_[leaf] = reach_.exists(hop_.from(), hop_.value_of(leaf), there) ? 1 : 0;
    }
    const auto is_live = [&](const ReductionHop::Operand& operand) { return live_[operand.node] != 0; };
    for (NodeId node = hop_.leaves(); node < hop_.nodes(); ++node)
      live_[node] = std::ranges::any_of(hop_.operands(node), is_live) ? 1 : 0;

    std::vector<char> needed(hop_.nodes());
    for (NodeId node = hop_.result(0); node < hop_.nodes(); ++node)
      needed[node] = reach_.is_needed(hop_.to(), node - hop_.result(0), here) ? 1 : 0;
    for (NodeId node = hop_.nodes(); node-- > hop_.leaves();) {
      if (needed[node] == 0) continue;
      for (const auto& operand : hop_.operands(node)) needed[operand.node] = 1;
    }
    for (NodeId node = 0; node < hop_.nodes(); ++node) live_[node] = live_[node] != 0 && needed[node] != 0 ? 1 : 0;
  }

  /// Decides which node lies where, and what is done to get it there: in order of stages, within a stage in order of
  /// steps, as all that comes by one step comes at once.
  void plan_memory() {
    slot_of_.resize(hop_.nodes());
    for (NodeId leaf = 0; leaf < hop_.leaves(); ++leaf) {
      if (live_[leaf] == 0) continue;
      slot_of_[leaf] = add_slot();
      slots_.back().memory = add_memory();
      if (leaf >= hop_.own()) continue;
      const OwnValue& value = *values_[hop_.value_of(leaf)];
      memory_.back() = {value.block, value.foreign, true};
      slots_.back().ours = false;
    }
    for (NodeId node = hop_.leaves(); node < hop_.nodes(); ++node) {
      if (live_[node] == 0) continue;
      NodeId only = 0;
      std::uint32_t times = 0;
      for (const auto& operand : hop_.operands(node)) {
        if (live_[operand.node] == 0) continue;
        only = operand.node;
        times += operand.times;
      }
      if (times == 1) {
        slot_of_[node] = slot_of_[only];
        continue;
      }
      slot_of_[node] = add_slot();
      for (const auto& operand : hop_.operands(node)) {
        if (live_[operand.node] != 0) ++slots_[slot_of_[operand.node]].uses;
      }
    }
    for (NodeId node = hop_.result(0); node < hop_.nodes(); ++node) {
      if (live_[node] != 0) ++slots_[slot_of_[node]].uses;  // after the hop
    }
    for (std::size_t level = 0; level < hop_.levels(); ++level) plan_level(level);
  }

  void plan_level(std::size_t level) {
    struct Use {
      StepId step;
      std::uint32_t times;
      std::uint32_t from;  ///< slots
      std::uint32_t into;
      bool first;
    };
    std::vector<Use> uses;
    const auto [begin, end] = hop_.level(level);
    for (NodeId node = begin; node < end; ++node) {
      if (live_[node] == 0) continue;
      bool first = true;
      for (const auto& operand : hop_.operands(node)) {
        if (live_[operand.node] == 0) continue;
        if (slot_of_[operand.node] == slot_of_[node]) break;  // an alias
        uses.push_back({operand.step, operand.times, slot_of_[operand.node], slot_of_[node], first});
        first = false;
      }
    }
    std::ranges::stable_sort(uses, {}, &Use::step);
    for (std::size_t i = 0; i < uses.size();) {
      const StepId step = uses[i].step;
      const std::size_t reduces = steps_.size();
      std::vector<Step> reduced;
      for (; i < uses.size() && uses[i].step == step; ++i) {
        const Use& use = uses[i];
        Slot& from = slots_[use.from];
        Slot& into = slots_[use.into];
        std::uint32_t times = use.times;
        if (use.first && times == 1 && from.ours && from.uses == 1) {
          into.memory = from.memory;
          times = 0;
        } else if (use.first) {
          into.memory = add_memory();
          steps_.push_back({from.memory, into.memory, true});
          --times;
        }
        for (; times > 0; --times) reduced.push_back({from.memory, into.memory, false});
        --from.uses;
      }
      steps_.insert(steps_.end(), reduced.begin(), reduced.end());
      if (steps_.size() > reduces) ends_of_steps_.push_back(steps_.size());
    }
  }

  void give_blocks(std::optional<BlockId> result) {
    const NodeId last = hop_.result(0);
    const bool has_result = result && last < hop_.nodes() && live_[last] != 0;
    for (std::uint32_t memory = 0; memory < memory_.size(); ++memory) {
      if (memory_[memory].own) continue;
      const bool is_result = has_result && slots_[slot_of_[last]].memory == memory;
      memory_[memory].block = is_result ? *result : builder_.operand();
    }
  }

  /// The rounds. Who sends knows what its target takes from its own and the target's coordinates.
  void exchange(std::uint32_t tag) {
    const Grid& grid = problem_.grid;
    const NodeId most = vectors_in_message(problem_.reduction->layout().size());
    std::vector<BlockId> outgoing;
    std::vector<BlockId> incoming;
    for (std::size_t i = 0; i < hop_.rounds(); ++i) {
      const auto round = hop_.round(i);
      const int target = grid.relative_rank(round.step);
      const int source = grid.relative_rank(round.step, -1);
      const std::vector<int> there = coordinates_at(round.step, 1);
      for (NodeId begin = round.begin; begin < round.end; begin += std::min(most, round.end - begin), ++tag) {
        outgoing.clear();
        incoming.clear();
        for (NodeId leaf = begin; leaf - begin < most && leaf < round.end; ++leaf) {
          if (live_[leaf] != 0) incoming.push_back(memory_[slots_[slot_of_[leaf]].memory].block);
          if (target != kNoRank && goes_to(leaf, there)) outgoing.push_back(values_[hop_.value_of(leaf)]->block);
        }
        if (!outgoing.empty() && !incoming.empty())
          builder_.exchange(target, source, tag, outgoing, incoming);
        else if (!outgoing.empty())
          builder_.send(target, tag, outgoing);
        else if (!incoming.empty())
          builder_.receive(source, tag, incoming);
      }
    }
  }

  [[nodiscard]] bool goes_to(NodeId leaf, std::span<const int> target) const {
    if (problem_.grid.is_torus()) return true;
    if (!reach_.exists(hop_.from(), hop_.value_of(leaf), problem_.grid.coordinates())) return false;
    return std::ranges::any_of(hop_.part_of(leaf),
                               [&](ValueId value) { return reach_.is_needed(hop_.to(), value, target); });
  }

  void combine() {
    const bool one_by_one = problem_.reduction->layout().size() >= kLongVector;
    std::vector<BlockId> from;
    std::vector<BlockId> into;
    std::size_t begin = 0;
    for (const std::size_t end : ends_of_steps_) {
      from.clear();
      into.clear();
      for (std::size_t i = begin; i < end; ++i) {
        const Step& step = steps_[i];
        if (step.copies) {
          builder_.copy({&memory_[step.from].block, 1}, {&memory_[step.into].block, 1});
          continue;
        }
        const BlockId operand = operand_in(memory_[step.from]);
        if (one_by_one) {
          builder_.reduce(operand, memory_[step.into].block);
          continue;
        }
        from.push_back(operand);
        into.push_back(memory_[step.into].block);
      }
      if (!from.empty()) builder_.reduce(from, into);
      begin = end;
    }
  }

  BlockId operand_in(Memory& memory) {
    if (!memory.foreign) return memory.block;
    const BlockId operand = builder_.operand();
    builder_.copy({&memory.block, 1}, {&operand, 1});
    memory = {operand, false, true};
    return operand;
  }

  std::uint32_t add_slot() {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  std::uint32_t add_memory() {
    memory_.emplace_back();
    return static_cast<std::uint32_t>(memory_.size() - 1);
  }

  const ReductionProblem& problem_;
  const ReductionHop& hop_;
  const ReductionReach& reach_;
  OwnValues& values_;
  ScheduleBuilder& builder_;
  std::vector<char> live_;
  std::vector<std::uint32_t> slot_of_;
  std::vector<Slot> slots_;
  std::vector<Memory> memory_;
  std::vector<Step> steps_;
  std::vector<std::size_t> ends_of_steps_;
};

/// The values at boundary 0: the process's own contributions.
OwnValues contributions(const ReductionProblem& problem, ScheduleBuilder& builder) {
  const ReductionTree& tree = problem.canonical->tree;
  OwnValues values(tree.values(0));
  const auto send_block = [&](std::size_t i) {
    const BlockShape& shape = problem.send[i];
    return OwnValue{builder.block(Space::send, shape.offset, *shape.layout), !is_operand(shape, *problem.reduction)};
  };
  for (ValueId value = 0; value < values.size(); ++value) {
    if (!problem.canonical->reach.is_needed(0, value, problem.grid.coordinates())) continue;
    if (problem.kind == ReductionKind::reduce) {
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

ReductionWalk walk_in_hops(const CanonicalReduction& canonical, const Grid& grid, std::span<const std::size_t> ends) {
  ReductionWalk walk;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    walk.emplace_back(canonical.tree, grid, begin, end);
    begin = end;
  }
  return walk;
}

void build_tree_reduction(const ReductionProblem& problem, std::span<const ReductionHop> walk,
                          ScheduleBuilder& builder) {
  const ReductionTree& tree = problem.canonical->tree;
  const std::int64_t bytes = problem.reduction->layout().size();
  if (bytes == 0 || tree.values(tree.stages()) == 0) return;
  builder.set_reduction(problem.reduction);
  const BlockId result = builder.block(Space::recv, problem.recv.offset, *problem.recv.layout);
  OwnValues values = contributions(problem, builder);
  std::uint32_t tags = 0;
  for (const ReductionHop& hop : walk) {
    const bool is_last = hop.to() == tree.stages();
    HopLowering(problem, hop, values, builder).run(tags, is_last ? std::optional(result) : std::nullopt);
    tags += tags_of(hop, bytes);
  }
  builder.reserve_tags(tags);
  if (values.front() && values.front()->block.index != result.index)
    builder.copy({&values.front()->block, 1}, {&result, 1});
}

void predict_hop(const ReductionProblem& problem, const ReductionHop& hop, Prediction& prediction) {
  const std::int64_t bytes = problem.reduction->layout().size();
  if (bytes == 0) return;
  const CostModel& costs = problem.costs;
  const std::int64_t most = vectors_in_message(bytes);
  if (hop.rounds() > 0) costs.add_phase(prediction);
  for (std::size_t i = 0; i < hop.rounds(); ++i) {
    const auto round = hop.round(i);
    for (std::int64_t left = round.end - round.begin; left > 0; left -= most) {
      const std::int64_t vectors = std::min(left, most);
      costs.add_message(prediction, vectors, vectors * bytes);
      if (vectors > 1) costs.add_copies(prediction, vectors, vectors * bytes);  // what arrives stays where it is
    }
  }
  costs.add_reductions(prediction, hop.reductions(), hop.reductions() * bytes);
}

Prediction predict_single_hop(const ReductionProblem& problem) {
  const ReductionTree& tree = problem.canonical->tree;
  const std::int64_t bytes = problem.reduction->layout().size();
  Prediction prediction;
  if (bytes == 0 || tree.values(tree.stages()) == 0) return prediction;
  // In how many nodes of the tree each value is: from the root to the leaves, of which one message comes from each.
  std::vector<std::int64_t> nodes{1};
  std::int64_t reductions = 0;
  ValueId own = 0;
  bool has_own = true;
  for (std::size_t boundary = tree.stages(); boundary > 0; --boundary) {
    std::vector<std::int64_t> below(tree.values(boundary - 1));
    for (ValueId value = 0; value < nodes.size(); ++value) {
      reductions -= nodes[value];
      for (const ReductionTerm& term : tree.terms(boundary, value)) {
        below[term.value] += nodes[value];
        reductions += nodes[value] * term.times;
      }
    }
    if (has_own) {
      const ReductionTerm& last = tree.terms(boundary, own).back();
      has_own = last.step == kStays;
      own = last.value;
    }
    nodes.swap(below);
  }
  const std::int64_t messages = std::accumulate(nodes.begin(), nodes.end(), std::int64_t{0}) - (has_own ? 1 : 0);
  const CostModel& costs = problem.costs;
  if (messages > 0) costs.add_phase(prediction);
  for (std::int64_t i = 0; i < messages; ++i) costs.add_message(prediction, 1, bytes);
  costs.add_reductions(prediction, reductions, reductions * bytes);
  return prediction;
}

}  // namespace rondo
