// Message-combining alltoall: ICPP 2019, section 3.1, algorithm 1, along the paths of any expansion; the paper's own is
// the dimension-wise one. Beyond the paper, coordinates are folded onto the grid first (equal residues share a round
// and a zero residue is no hop), and a block on a mesh passes through the processes that exist whenever its end does.
#include "collectives/cart_alltoall/routed.hpp"

#include "collectives/blocks/round_messages.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::internal::alltoall {
namespace {

/// The blocks of an alltoall by the step that they take in a stage, in list order (line 7, BUCKETSORT). Blocks without
/// bytes are left out.
class Buckets {
 public:
  Buckets(const ExpansionStage& stage, StepId steps, std::span<const std::int64_t> bytes)
      : begins_(std::size_t{steps} + 1) {
    const auto moves = [&](std::size_t i) { return stage.step_of[i] != kStays && bytes[i] > 0; };
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (moves(i)) ++begins_[stage.step_of[i] + std::size_t{1}];
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    members_.resize(begins_.back());
    std::vector<std::uint32_t> next = begins_;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (moves(i)) members_[next[stage.step_of[i]]++] = static_cast<std::uint32_t>(i);
    }
  }
  [[nodiscard]] bool empty() const { return members_.empty(); }
  [[nodiscard]] std::span<const std::uint32_t> of(StepId step) const {
    return std::span(members_).subspan(begins_[step], begins_[step + std::size_t{1}] - begins_[step]);
  }

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> members_;
};

/// Returns for each block the number of stages in which it moves (lines 2-4).
std::vector<std::uint32_t> count_hops(const PathExpansion& expansion, std::size_t t) {
  std::vector<std::uint32_t> hops(t);
  for (const ExpansionStage& stage : expansion.stages()) {
    for (std::size_t i = 0; i < t; ++i) hops[i] += stage.step_of[i] == kStays ? 0 : 1;
  }
  return hops;
}

/// The presence of blocks on this process of a mesh, stage by stage. The block i that is here comes from the process
/// that is as far behind as the block's path has come. The block exists if that process does and has the block's target
/// on the mesh. Both ends of a message conclude alike, because they check the same source.
class Presence {
 public:
  explicit Presence(const Problem& problem)
      : grid_(problem.grid), hood_(problem.facts.neighborhood()), d_(static_cast<std::size_t>(grid_.dimensions())) {
    if (grid_.is_torus()) return;
    const std::span<const int> coordinates = grid_.coordinates();
    const auto t = static_cast<std::size_t>(hood_.size());
    misses_.resize(t);
    sources_.reserve(t * d_);
    for (std::size_t i = 0; i < t; ++i) {
      sources_.insert(sources_.end(), coordinates.begin(), coordinates.end());
      for (std::size_t k = 0; k < d_; ++k) misses_[i] += is_off(i, k);
    }
  }

  [[nodiscard]] bool here(std::size_t i) const { return misses_.empty() || misses_[i] == 0; }
  /// Moves the block i that is here on by `step`, so that the block i of another source arrives in its place.
  void move(std::size_t i, std::span<const int> step) {
    if (misses_.empty()) return;
    for (std::size_t k = 0; k < d_; ++k) {
      if (step[k] == 0) continue;
      misses_[i] -= is_off(i, k);
      sources_[i * d_ + k] -= step[k];
      misses_[i] += is_off(i, k);
    }
  }

 private:
  /// Returns 1 if the source or the target of the block i that is here is beyond the edge in dimension k, else 0.
  [[nodiscard]] int is_off(std::size_t i, std::size_t k) const {
    if (grid_.periodic(static_cast<int>(k))) return 0;
    const std::int64_t source = sources_[i * d_ + k];
    const std::int64_t target = source + hood_.flattened()[i * d_ + k];
    const std::int64_t size = grid_.sizes()[k];
    return source < 0 || source >= size || target < 0 || target >= size ? 1 : 0;
  }

  const Grid& grid_;
  const Neighborhood& hood_;
  std::size_t d_;
  std::vector<int> misses_;            ///< number of dimensions in which each block is off the mesh; empty on a torus
  std::vector<std::int64_t> sources_;  ///< coordinates of each block's source, on the mesh or off it
};

}  // namespace

void build_routed(const Problem& problem, const PathExpansion& expansion, ScheduleBuilder& builder) {
  const Grid& grid = problem.grid;
  const std::span<const std::int64_t> sizes = problem.sizes;
  std::vector<std::uint32_t> hops = count_hops(expansion, sizes.size());
  std::vector<int> to_self;
  std::size_t in_transit = 0;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (hops[i] == 0)
      to_self.push_back(static_cast<int>(i));
    else
      in_transit += hops[i] - 1;
  }
  const Blocks blocks(problem, builder, in_transit);
  std::vector<BlockId> where_it_is = blocks.send;
  std::size_t rounds = 0;
  for (const ExpansionStage& stage : expansion.stages()) rounds += expansion.steps(stage);
  const bool alone = in_transit + hops.size() - to_self.size() <= rounds;  // no block shares a message
  builder.reserve_tasks((alone ? 2 : 4) * rounds + 1);

  Presence presence(problem);
  std::uint32_t tag = 0;
  RoundSide outgoing;
  RoundSide incoming;
  for (const ExpansionStage& stage : expansion.stages()) {  // line 6
    const Buckets buckets(stage, expansion.steps(stage), sizes);
    if (!buckets.empty()) builder.begin_phase();
    for (StepId id = 0; id < expansion.steps(stage); ++id) {
      const auto step = expansion.step(stage, id);
      outgoing.clear();
      incoming.clear();
      MessageCount most;
      for (const std::uint32_t i : buckets.of(id)) {  // lines 11-17; a block in transit stays where its message arrived
        most.add(sizes[i]);
        if (presence.here(i)) outgoing.add(where_it_is[i], sizes[i]);
        presence.move(i, step);
        --hops[i];
        if (!presence.here(i)) continue;
        where_it_is[i] = hops[i] == 0 ? blocks.recv[i] : builder.transit(sizes[i]);
        incoming.add(where_it_is[i], sizes[i]);
      }
      exchange_round(grid.relative_rank(step), grid.relative_rank(step, -1), tag, outgoing, incoming,
                     builder);  // lines 20-22
      tag += most.messages();   // the same on all ranks: on a mesh, fewer blocks do not need more messages
    }
  }
  copy_to_self(blocks, to_self, builder);  // the last phase, which communicates nothing
  builder.reserve_tags(tag);
}

}  // namespace rondo::internal::alltoall
