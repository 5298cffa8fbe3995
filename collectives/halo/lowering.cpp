#include "collectives/halo/lowering.hpp"

#include "runtime/schedule/message_form_costs.hpp"

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
      lower(round);
      note_directions(round);
    }
    builder_.reserve_tags(static_cast<std::uint32_t>(expansion_.rounds.size()));
  }

 private:
  static constexpr std::uint32_t kNoRound = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] bool has_halo(int axis) const { return hull_[axis].low > 0 || hull_[axis].high > 0; }

  /// Directions by number: a digit in base 3 for each axis with a halo.
  [[nodiscard]] std::size_t number_of(const Zone& direction) const {
    std::size_t number = 0;
    for (int axis = 0; axis < hull_.axes(); ++axis) {
      if (!has_halo(axis)) continue;
      const Sides side = direction[static_cast<std::size_t>(axis)];
      number = 3 * number + (side == kLow ? 0 : side == kInside ? 1 : 2);
    }
    return number;
  }

  void lower(std::uint32_t number) {
    const Round& round = expansion_.rounds[number];
    builder_.begin_exchange();
    Layout outgoing;
    Layout incoming;
    std::vector<BlockId> passed_on;
    int target = kNoRank;
    int source = kNoRank;
    for (const Part& part : round.parts) {
      if (const int rank = grid_.relative_rank(part.step, -1); rank != kNoRank) {
        target = rank;
        for (const Zone& zone : part.zones) add_outgoing(zone, part.step, outgoing, passed_on);
      }
      if (const int rank = grid_.relative_rank(part.step); rank != kNoRank) {
        source = rank;
        for (const Zone& zone : part.zones) arrays_.append(existing(zone, {}), incoming);
      }
    }
    std::optional<BlockId> sent;
    if (outgoing.size() > 0) sent = builder_.view(0, builder_.keep(std::move(outgoing)), passed_on);
    if (incoming.size() > 0) {
      received_[number] = builder_.block(Space::recv, 0, builder_.keep(std::move(incoming)));
    }
    if (target == grid_.rank()) {
      if (sent) builder_.copy({&*sent, 1}, {&*received_[number], 1});
      return;
    }
    if (sent) builder_.send(target, number, {&*sent, 1});
    if (received_[number]) builder_.receive(source, number, {&*received_[number], 1});
  }

  /// A zone of a process's halo without those elements that nobody owns, at the edge of a mesh. `step`: the process is
  /// the one at minus this step, which is in the same place on the grid but along the step's dimensions, and there has
  /// the caller as its neighbor. Empty: the caller.
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
      if (round == kNoRound) return;  // inside along all axes: the process's own
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
  std::vector<std::optional<BlockId>> received_;  ///< of each round
  std::vector<std::uint32_t> round_of_;           ///< that brings each direction
  Zone existing_;                                 ///< sides on which somebody owns the halo
};

/// What one end of a message pays for data that do not lie in a row.
double cost_of_pieces(const FormCosts& costs, const Layout& layout) {
  if (layout.is_contiguous() || layout.size() / layout.pieces() >= costs.long_piece) return 0;
  return std::min(staged_nanoseconds(costs, layout.size(), layout.pieces()),
                  datatype_nanoseconds(costs, layout.size(), layout.pieces()));
}

/// The time of one phase: a rank's core packs and sends one message after the other, then receives and unpacks them;
/// meanwhile the port of its node is busy with what goes to other nodes, so long as all ranks send as many.
class PhaseTime {
 public:
  struct Ends {
    double sending;
    double receiving;
  };

  void add_near(const Ends& ends) {
    sent_ += ends.sending;
    arriving_.push_back({0, ends.receiving});
  }
  void add_far(const Ends& ends, double port) {
    sent_ += ends.sending;
    port_free_ = std::max(port_free_, sent_) + port;
    arriving_.push_back({port_free_, ends.receiving});
  }
  [[nodiscard]] double nanoseconds() const {
    double time = sent_;
    for (const Arriving& message : arriving_) time = std::max(time, message.time) + message.receiving;
    return time;
  }

 private:
  struct Arriving {
    double time;
    double receiving;
  };
  double sent_ = 0;
  double port_free_ = 0;
  std::vector<Arriving> arriving_;
};

}  // namespace

void build(const Problem& problem, const Expansion& expansion, ScheduleBuilder& builder) {
  Lowering(problem, expansion, builder).run();
}

Prediction predict(const Problem& problem, const Expansion& expansion) {
  const Bundle& arrays = problem.typical;
  const CostModel& costs = problem.costs;
  std::map<int, PhaseTime> phases;
  Prediction prediction;
  for (const Round& round : expansion.rounds) {
    Layout outgoing;
    Layout incoming;
    for (const Part& part : round.parts) {
      for (const Zone& zone : part.zones) {
        arrays.append_for_neighbor(zone, part.step, outgoing);
        arrays.append(zone, incoming);
      }
    }
    if (outgoing.size() == 0) continue;
    const double packing = cost_of_pieces(costs.form_costs(), outgoing);
    const double unpacking = cost_of_pieces(costs.form_costs(), incoming);
    const std::vector<int>& step = round.parts.front().step;
    if (leads_to_self(problem.grid, step)) {
      prediction.nanoseconds += packing + unpacking;
      continue;
    }
    const auto [phase, is_new] = phases.try_emplace(round.phase);
    if (is_new) costs.add_phase(prediction);
    const Nearness nearness = nearness_of(problem.near, step);
    Prediction message;
    costs.add_message(message, std::ssize(round.parts), outgoing.size(), SentData::cold, nearness);
    prediction.rounds += message.rounds;
    prediction.blocks += message.blocks;
    prediction.bytes += message.bytes;
    if (nearness == Nearness::near || !costs.knows_network()) {
      const double end = message.nanoseconds / 2;
      phase->second.add_near({packing + end, unpacking + end});
      continue;
    }
    // It was timed with all ranks sending to other nodes.
    const double bytes = costs.of_bytes(outgoing.size());
    prediction.nanoseconds += message.nanoseconds - bytes;
    phase->second.add_far({packing, unpacking}, bytes * leaving(problem.near, step));
  }
  for (const auto& [number, phase] : phases) prediction.nanoseconds += phase.nanoseconds();
  return prediction;
}

}  // namespace rondo::internal::halo
