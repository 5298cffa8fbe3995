#include "collectives/halo/lowering.hpp"

#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/halo/halo_traffic.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::internal::halo {
namespace {

/// Calls visit(zone) for each of the directions that `zone` consists of: zones with one side for each axis.
template <typename Visit>
void for_each_direction(const Shape& shape, Zone& zone, std::size_t axis, Visit visit) {
  if (axis == zone.size()) {
    visit(std::as_const(zone));
    return;
  }
  const Sides sides = zone[axis];
  for (const Sides side : {kLow, kInside, kHigh}) {
    if ((sides & side) == 0) continue;
    if (side == kLow && shape[static_cast<int>(axis)].low == 0) continue;
    if (side == kHigh && shape[static_cast<int>(axis)].high == 0) continue;
    zone[axis] = side;
    for_each_direction(shape, zone, axis + 1, visit);
  }
  zone[axis] = sides;
}

class Lowering {
 public:
  Lowering(const Problem& problem, const Expansion& expansion, ScheduleBuilder& builder)
      : expansion_(expansion),
        grid_(problem.grid),
        arrays_(problem.arrays),
        hull_(arrays_.hull()),
        builder_(builder),
        received_(expansion.rounds.size()),
        existing_(static_cast<std::size_t>(hull_.axes()), kInside) {
    for (int k = 0; k < grid_.dimensions(); ++k) {
      Sides& sides = existing_[static_cast<std::size_t>(k)];
      if (grid_.rank_along(k, -1) != kNoRank) sides |= kLow;
      if (grid_.rank_along(k, 1) != kNoRank) sides |= kHigh;
    }
    std::size_t directions = 1;
    for (int axis = 0; axis < hull_.axes(); ++axis) directions *= has_halo(axis) ? 3 : 1;
    round_of_.assign(directions, kNoRound);
    builder_.set_in_place();
  }

  void run() {
    int phase = 0;
    for (std::uint32_t round = 0; round < expansion_.rounds.size(); ++round) {
      for (; phase < expansion_.rounds[round].phase; ++phase) builder_.begin_phase();
      builder_.begin_exchange();
      exchange(round, ends_of(round));
      note_directions(round);
    }
    builder_.reserve_tags(static_cast<std::uint32_t>(expansion_.rounds.size()));
  }

  /// Builds the schedule with carriers. Rounds that lead to other processes come first, in one phase. Blocks that stay
  /// on the node are one message for each process.
  void run_by_carriers(const Problem& problem, int sharers) {
    const auto rounds = static_cast<std::uint32_t>(expansion_.rounds.size());
    const NodeMembers& nodes = *problem.nodes;
    const int here = nodes.node_of(grid_.rank());
    std::vector<BlockId> sent(rounds, kNoBlock);
    std::vector<BlockId> received(rounds, kNoBlock);
    std::map<int, std::vector<BlockId>> sent_near;
    std::map<int, std::vector<BlockId>> received_near;
    std::uint32_t round = 0;
    for (; round < rounds && !leads_to_self(grid_, expansion_.rounds[round].parts.front().step); ++round) {
      const Ends ends = ends_of(round);
      if (ends.sent) sent[round] = *ends.sent;
      if (ends.sent && nodes.node_of(ends.target) == here) sent_near[ends.target].push_back(*ends.sent);
      if (ends.received) received[round] = *ends.received;
      if (ends.received && nodes.node_of(ends.source) == here) received_near[ends.source].push_back(*ends.received);
      note_directions(round);
    }
    for (const auto& [target, blocks] : sent_near) builder_.send(target, 0, blocks);
    for (const auto& [source, blocks] : received_near) builder_.receive(source, 0, blocks);
    build_carried(HaloTraffic(problem, expansion_), grid_.rank(), sharers, {sent, received}, 1, builder_);
    for (; round < rounds; ++round) {
      builder_.begin_phase();
      exchange(round, ends_of(round));
      note_directions(round);
    }
    builder_.reserve_tags(1 + kCarriedTags);
  }

 private:
  static constexpr std::uint32_t kNoRound = std::numeric_limits<std::uint32_t>::max();
  static constexpr BlockId kNoBlock{std::numeric_limits<std::uint32_t>::max()};

  [[nodiscard]] bool has_halo(int axis) const { return hull_[axis].low > 0 || hull_[axis].high > 0; }

  /// Returns the number of a direction: a digit in base 3 for each axis with a halo.
  [[nodiscard]] std::size_t number_of(const Zone& direction) const {
    std::size_t number = 0;
    for (int axis = 0; axis < hull_.axes(); ++axis) {
      if (!has_halo(axis)) continue;
      const Sides side = direction[static_cast<std::size_t>(axis)];
      number = 3 * number + (side == kLow ? 0 : side == kInside ? 1 : 2);
    }
    return number;
  }

  /// The blocks that this process sends and receives in a round.
  struct Ends {
    int target = kNoRank;
    int source = kNoRank;
    std::optional<BlockId> sent;
    std::optional<BlockId> received;
  };

  Ends ends_of(std::uint32_t number) {
    const Round& round = expansion_.rounds[number];
    Layout outgoing;
    Layout incoming;
    std::vector<BlockId> passed_on;
    Ends ends;
    for (const Part& part : round.parts) {
      if (const int rank = grid_.relative_rank(part.step, -1); rank != kNoRank) {
        ends.target = rank;
        for (const Zone& zone : part.zones) add_outgoing(zone, part.step, outgoing, passed_on);
      }
      if (const int rank = grid_.relative_rank(part.step); rank != kNoRank) {
        ends.source = rank;
        for (const Zone& zone : part.zones) arrays_.append(existing(zone, {}), incoming);
      }
    }
    if (outgoing.size() > 0) ends.sent = builder_.view(0, builder_.keep(std::move(outgoing)), passed_on);
    if (incoming.size() > 0) ends.received = builder_.block(Space::recv, 0, builder_.keep(std::move(incoming)));
    received_[number] = ends.received;
    return ends;
  }

  void exchange(std::uint32_t tag, const Ends& ends) {
    if (ends.target == grid_.rank()) {
      if (ends.sent) builder_.copy({&*ends.sent, 1}, {&*ends.received, 1});
      return;
    }
    if (ends.sent) builder_.send(ends.target, tag, {&*ends.sent, 1});
    if (ends.received) builder_.receive(ends.source, tag, {&*ends.received, 1});
  }

  /// Returns a zone of a process's halo without the elements that nobody owns, at the edge of a mesh. `step`: the
  /// process is the one at minus this step. Along the step's dimensions it has the caller as its neighbor, and along
  /// the others it is in the same place on the grid. Empty: the process is the caller.
  [[nodiscard]] Zone existing(Zone zone, std::span<const int> step) const {
    for (std::size_t axis = 0; axis < zone.size(); ++axis) {
      if (axis < step.size() && step[axis] != 0) continue;
      zone[axis] &= existing_[axis];
    }
    return zone;
  }

  void add_outgoing(const Zone& zone, std::span<const int> step, Layout& outgoing, std::vector<BlockId>& passed_on) {
    Zone wanted = existing(zone, step);
    arrays_.append_for_neighbor(wanted, step, outgoing);
    for_each_direction(hull_, wanted, 0, [&](const Zone& direction) {
      if (arrays_.count(direction) == 0) return;
      Zone here = direction;
      for (std::size_t k = 0; k < step.size(); ++k) {
        if (step[k] != 0) here[k] = kInside;
      }
      const std::uint32_t round = round_of_[number_of(here)];
      if (round == kNoRound) return;  // inside along all axes: the process owns it
      const BlockId block = received_[round].value();
      if (std::ranges::find(passed_on, block.index, &BlockId::index) == passed_on.end()) passed_on.push_back(block);
    });
  }

  void note_directions(std::uint32_t round) {
    for (const Part& part : expansion_.rounds[round].parts) {
      for (Zone zone : part.zones) {
        for_each_direction(hull_, zone, 0, [&](const Zone& direction) { round_of_[number_of(direction)] = round; });
      }
    }
  }

  const Expansion& expansion_;
  const Grid& grid_;
  const Bundle& arrays_;
  const Shape& hull_;
  ScheduleBuilder& builder_;
  std::vector<std::optional<BlockId>> received_;  ///< block received in each round
  std::vector<std::uint32_t> round_of_;           ///< number of the round that brings each direction
  Zone existing_;                                 ///< sides on which the halo has an owner
};

}  // namespace

void build(const Problem& problem, const Expansion& expansion, ScheduleBuilder& builder) {
  Lowering(problem, expansion, builder).run();
}

void build_by_carriers(const Problem& problem, const Expansion& expansion, int sharers, ScheduleBuilder& builder) {
  Lowering(problem, expansion, builder).run_by_carriers(problem, sharers);
}

}  // namespace rondo::internal::halo
