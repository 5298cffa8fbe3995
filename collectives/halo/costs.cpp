#include "collectives/halo/costs.hpp"

#include "runtime/schedule/message_form_costs.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace rondo::internal::halo {
namespace {

/// The data that a process with typical arrays sends and receives in a round.
struct RoundData {
  Layout outgoing;
  Layout incoming;
};
RoundData data_of(const Bundle& arrays, const Round& round) {
  RoundData data;
  for (const Part& part : round.parts) {
    for (const Zone& zone : part.zones) {
      arrays.append_for_neighbor(zone, part.step, data.outgoing);
      arrays.append(zone, data.incoming);
    }
  }
  return data;
}

/// Returns the nanoseconds that one end of a message spends on data that are not contiguous; 0 if they are, or if
/// pieces are long.
double cost_of_pieces(const FormCosts& costs, const Layout& layout) {
  if (layout.is_contiguous() || layout.size() / layout.pieces() >= costs.long_piece) return 0;
  return std::min(staged_nanoseconds(costs, layout.size(), layout.pieces()),
                  datatype_nanoseconds(costs, layout.size(), layout.pieces()));
}

/// The time of one phase. A rank's core packs and sends one message after the other, then receives and unpacks them.
/// Meanwhile the port of its node is busy with messages to other nodes, so long as all ranks send as many.
class PhaseTime {
 public:
  struct Ends {
    double sending;
    double receiving;
  };

  /// Adds a message to the phase. `port`: nanoseconds for which the message keeps the port busy.
  void add(const Ends& ends, Nearness nearness, double port = 0) {
    if (nearness == Nearness::far) slowest_ = Nearness::far;
    sent_ += ends.sending;
    double there = 0;
    if (port > 0) there = port_free_ = std::max(port_free_, sent_) + port;
    arriving_.push_back({there, ends.receiving});
  }
  [[nodiscard]] Nearness slowest() const { return slowest_; }
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
  Nearness slowest_ = Nearness::near;
  double sent_ = 0;
  double port_free_ = 0;
  std::vector<Arriving> arriving_;
};

}  // namespace

PieceCosts piece_costs(const Problem& problem, const Round& round) {
  const RoundData data = data_of(problem.typical, round);
  const FormCosts& costs = problem.costs.form_costs();
  return {cost_of_pieces(costs, data.outgoing), cost_of_pieces(costs, data.incoming)};
}

Prediction predict(const Problem& problem, const Expansion& expansion) {
  const CostModel& costs = problem.costs;
  std::map<int, PhaseTime> phases;
  Prediction prediction;
  for (const Round& round : expansion.rounds) {
    const RoundData data = data_of(problem.typical, round);
    const std::int64_t bytes = data.outgoing.size();
    if (bytes == 0) continue;
    const double packing = cost_of_pieces(costs.form_costs(), data.outgoing);
    const double unpacking = cost_of_pieces(costs.form_costs(), data.incoming);
    const std::vector<int>& step = round.parts.front().step;
    if (leads_to_self(problem.grid, step)) {
      prediction.nanoseconds += packing + unpacking;
      continue;
    }
    PhaseTime& phase = phases[round.phase];
    const Nearness nearness = nearness_of(problem.near, step);
    Prediction message;
    costs.add_message(message, std::ssize(round.parts), bytes, SentData::cold, nearness);
    prediction.rounds += message.rounds;
    prediction.blocks += message.blocks;
    prediction.bytes += message.bytes;
    if (nearness == Nearness::near || !costs.knows_network()) {
      const double end = message.nanoseconds / 2;
      phase.add({packing + end, unpacking + end}, nearness);
      continue;
    }
    // The port's time was measured with all ranks sending to other nodes.
    const double port = costs.on_port(bytes);
    prediction.nanoseconds += message.nanoseconds - port;
    phase.add({packing, unpacking}, nearness, port * leaving(problem.near, step));
  }
  for (const auto& [number, phase] : phases) {
    costs.add_phase(prediction, phase.slowest());
    prediction.nanoseconds += phase.nanoseconds();
  }
  return prediction;
}

}  // namespace rondo::internal::halo
