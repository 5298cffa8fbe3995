// Predicts the cost of a node-aware schedule.
#include "collectives/carriers/carried_costs.hpp"

#include "collectives/carriers/shipments.hpp"
#include "collectives/topology/flat_index.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <numeric>
#include <span>
#include <vector>

namespace rondo::internal {
namespace {

struct Load {
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;

  void add(std::int64_t added) {
    ++blocks;
    bytes += added;
  }
};

/// The load of one message: its blocks and bytes. Parcels must be added by source.
class MessageLoad {
 public:
  explicit MessageLoad(BlockUse use) : use_(use) {}

  /// Adds a block, unless it is shared and was added before. `number`: NodeTraffic::shared_number(), if shared.
  void add(int source, std::uint32_t number, std::int64_t bytes) {
    if (use_ == BlockUse::one_for_all && !is_new(source, number)) return;
    load_.add(bytes);
  }
  [[nodiscard]] const Load& load() const { return load_; }

 private:
  [[nodiscard]] bool is_new(int source, std::uint32_t number) {
    if (source != last_source_) numbers_.clear();
    last_source_ = source;
    if (std::ranges::count(numbers_, number) > 0) return false;
    numbers_.push_back(number);
    return true;
  }

  BlockUse use_;
  Load load_;
  int last_source_ = -1;
  std::vector<std::uint32_t> numbers_;  ///< numbers of the last source's blocks
};

/// Adds to `sum` the predictions of `times` messages that each have the prediction `more`.
void add(Prediction& sum, const Prediction& more, std::int64_t times) {
  sum.rounds += times * more.rounds;
  sum.blocks += times * more.blocks;
  sum.bytes += times * more.bytes;
  sum.copied_blocks += times * more.copied_blocks;
  sum.copied_bytes += times * more.copied_bytes;
  sum.nanoseconds += static_cast<double>(times) * more.nanoseconds;
}

/// The predicted work of one rank: its sends and its receives.
struct Work {
  Prediction sends;
  Prediction receives;

  /// Returns the work's time. The model's cost of a message is for both of its ends, so each end counts half of it.
  [[nodiscard]] double nanoseconds() const { return (sends.nanoseconds + receives.nanoseconds) / 2; }
};

/// Adds one message to one side of a rank's work. Of a far message, only what the rank's core does counts.
void add_message(Prediction& side, const CostModel& costs, const Load& message, Nearness nearness) {
  costs.add_message(side, message.blocks, message.bytes, SentData::cold, nearness);
  if (nearness == Nearness::far) side.nanoseconds += costs.on_core(message.bytes) - costs.message(message.bytes, 1);
  if (message.blocks > 1) costs.add_copies(side, 2 * message.blocks, 2 * message.bytes, nearness);
}

/// Returns the sends of the rank with most to send and the receives of the rank with most to receive: a rank that waits
/// for a message waits for both of its ends, whoever they are.
Work busiest_ends(std::span<const Work> of_ranks) {
  Work most;
  for (const Work& rank : of_ranks) {
    for (Prediction Work::*side : {&Work::sends, &Work::receives}) {
      if ((rank.*side).nanoseconds > (most.*side).nanoseconds) most.*side = rank.*side;
    }
  }
  return most;
}

/// The work of a node's busiest ranks in each of the phases, which follow each other. Each phase waits for the busiest
/// rank of the phase before, which need not be the busiest in the next.
struct Phases {
  Work hand_over;  ///< includes what stays on the node
  Work between_nodes;
  double port = 0;  ///< time of a node's port, for messages between nodes
  Work hand_out;

  /// Raises each phase to that of another node if the other node is busier in it.
  void raise_to(const Phases& other) {
    for (Work Phases::*phase : {&Phases::hand_over, &Phases::between_nodes, &Phases::hand_out})
      this->*phase = busiest_ends(std::array{this->*phase, other.*phase});
    port = std::max(port, other.port);
  }
  [[nodiscard]] double nanoseconds() const {
    return hand_over.nanoseconds() + between_nodes.nanoseconds() + port + hand_out.nanoseconds();
  }
};

/// The loads of the messages between the members of a node, one message for each ordered pair of members.
class Pairs {
 public:
  Pairs(std::size_t members, BlockUse use) : members_(members), use_(use) {}

  /// Adds a block, as MessageLoad::add() does.
  void add(std::size_t from, std::size_t to, int source, std::uint32_t number, std::int64_t bytes) {
    if (from == to) return;
    const auto next = static_cast<std::uint32_t>(messages_.size());
    const std::uint32_t found = index_.find_or_add(static_cast<std::int64_t>(from * members_ + to), next);
    if (found == next) messages_.push_back({from, to, MessageLoad(use_)});
    messages_[found].load.add(source, number, bytes);
  }
  void charge(std::vector<Work>& work, const CostModel& costs) const {
    for (const Message& message : messages_) {
      add_message(work[message.from].sends, costs, message.load.load(), Nearness::near);
      add_message(work[message.to].receives, costs, message.load.load(), Nearness::near);
    }
  }

 private:
  struct Message {
    std::size_t from;
    std::size_t to;
    MessageLoad load;
  };
  std::size_t members_;
  BlockUse use_;
  std::vector<Message> messages_;
  FlatIndex index_;
};

/// The work of the members of one node in a node-aware schedule.
class NodeWork {
 public:
  /// `staying`: the messages that do not leave the node.
  NodeWork(const NodeTraffic& traffic, const Pairs& staying, std::size_t members, BlockUse use, const CostModel& costs)
      : traffic_(traffic),
        use_(use),
        costs_(costs),
        staying_(staying),
        handed_over_(members, use),
        handed_out_(members, use),
        carried_(members) {}

  void add_leaving(const Shipment& shipment) {
    const Load load = load_of(shipment);
    add_message(carried_[place(shipment.sender)].sends, costs_, load, Nearness::far);
    sending_ += costs_.on_port(load.bytes);
    // A neighbor that is a carrier as well gets one message.
    Pairs& to_carriers = use_ == BlockUse::one_for_all ? staying_ : handed_over_;
    for (const Parcel& parcel : shipment.parcels)
      to_carriers.add(place(parcel.source), place(shipment.sender), parcel.source, number(parcel), parcel.bytes);
  }
  void add_arriving(const Shipment& shipment) {
    const Load load = load_of(shipment);
    add_message(carried_[place(shipment.receiver)].receives, costs_, load, Nearness::far);
    receiving_ += costs_.on_port(load.bytes);
    for (const Parcel& parcel : shipment.parcels)
      handed_out_.add(place(shipment.receiver), place(parcel.target), parcel.source, number(parcel), parcel.bytes);
  }
  /// Returns the work of the node's busiest ranks in each phase. Call this only after all shipments were added.
  [[nodiscard]] Phases busiest() const {
    return {.hand_over = busiest_in({&staying_, &handed_over_}),
            .between_nodes = busiest_ends(carried_),
            .port = std::max(sending_, receiving_) / traffic_.nodes().most(),
            .hand_out = busiest_in({&handed_out_})};
  }

 private:
  [[nodiscard]] std::size_t place(int rank) const { return traffic_.nodes().place_of(rank); }
  [[nodiscard]] std::uint32_t number(const Parcel& parcel) const { return traffic_.shared_number(parcel.number); }
  [[nodiscard]] Work busiest_in(std::initializer_list<const Pairs*> messages) const {
    std::vector<Work> work(carried_.size());
    for (const Pairs* pairs : messages) pairs->charge(work, costs_);
    return busiest_ends(work);
  }
  [[nodiscard]] Load load_of(const Shipment& shipment) const {
    MessageLoad message(use_);
    for (const Parcel& parcel : shipment.parcels) message.add(parcel.source, number(parcel), parcel.bytes);
    return message.load();
  }

  const NodeTraffic& traffic_;
  BlockUse use_;
  const CostModel& costs_;
  Pairs staying_;
  Pairs handed_over_;
  Pairs handed_out_;
  std::vector<Work> carried_;  ///< work between nodes, by member
  double sending_ = 0;         ///< time of the node's port, summed up over messages
  double receiving_ = 0;
};

/// Returns the nodes whose work is predicted: all if there are few. Otherwise the fullest one, because its ranks have
/// most to do, and one in the middle, which is hardly at an edge.
std::vector<int> nodes_to_look_at(const NodeMembers& nodes) {
  constexpr int kFew = 4;
  std::vector<int> all(static_cast<std::size_t>(nodes.nodes()));
  std::iota(all.begin(), all.end(), 0);
  if (nodes.nodes() <= kFew) return all;
  const int middle = nodes.nodes() / 2;
  const int fullest = *std::ranges::max_element(all, {}, [&](int node) { return nodes.members(node).size(); });
  if (nodes.members(fullest).size() == nodes.members(middle).size()) return {middle};
  return {middle, fullest};
}

/// Returns the prediction for all phases. With one rank to a message, nobody hands over, but that phase is charged all
/// the same: without it, such plans were chosen for 27 points of 40 B on 64 nodes, where they take 1.17 times as long
/// as others (bench/simulated).
Prediction in_all(const Phases& phases, const CostModel& costs) {
  Prediction prediction;
  for (const Work* work : {&phases.hand_over, &phases.between_nodes, &phases.hand_out}) prediction += work->sends;
  prediction.nanoseconds = phases.nanoseconds();
  for (const Nearness nearness : {Nearness::near, Nearness::far, Nearness::near}) costs.add_phase(prediction, nearness);
  return prediction;
}

/// Adds `messages` messages of `blocks` blocks of `bytes` bytes each to one side of a rank's work.
void add_messages(Prediction& side, const CostModel& costs, std::int64_t messages, std::int64_t blocks,
                  std::int64_t bytes, Nearness nearness) {
  if (messages <= 0 || blocks <= 0) return;
  Prediction one;
  add_message(one, costs, {blocks, blocks * bytes}, nearness);
  add(side, one, messages);
}

std::int64_t rounded_up(std::int64_t all, std::int64_t each) { return (all + each - 1) / each; }

}  // namespace

std::vector<Prediction> predict_carried(const NodeTraffic& traffic, std::span<const int> sharers, BlockUse use,
                                        const CostModel& costs) {
  const NodeMembers& nodes = traffic.nodes();
  std::vector<Phases> busiest(sharers.size());
  for (const int node : nodes_to_look_at(nodes)) {
    const auto members = nodes.members(node);
    Pairs staying(members.size(), use);
    for (const int source : members) {
      traffic.visit_sent(source, [&](int target, std::uint32_t number, std::int64_t bytes) {
        if (nodes.node_of(target) != node) return;
        staying.add(nodes.place_of(source), nodes.place_of(target), source, traffic.shared_number(number), bytes);
      });
    }
    std::vector<NodeWork> works(sharers.size(), NodeWork(traffic, staying, members.size(), use, costs));
    traffic.visit_leaving(node, [&](int to, std::span<const Parcel> parcels) {
      for (std::size_t i = 0; i < works.size(); ++i) {
        visit_shipments(traffic, node, to, parcels, sharers[i],
                        [&](const Shipment& shipment) { works[i].add_leaving(shipment); });
      }
    });
    traffic.visit_arriving(node, [&](int from, std::span<const Parcel> parcels) {
      for (std::size_t i = 0; i < works.size(); ++i) {
        visit_shipments(traffic, from, node, parcels, sharers[i],
                        [&](const Shipment& shipment) { works[i].add_arriving(shipment); });
      }
    });
    for (std::size_t i = 0; i < works.size(); ++i) {
      busiest[i].raise_to(works[i].busiest());
    }
  }
  std::vector<Prediction> predictions;
  for (const Phases& phases : busiest) predictions.push_back(in_all(phases, costs));
  return predictions;
}

Prediction predict_carried_all_to_all(const NodeMembers& nodes, int sharers, std::int64_t bytes,
                                      const CostModel& costs) {
  const std::int64_t members = nodes.most();
  const std::int64_t others = nodes.nodes() - 1;
  const std::int64_t group = std::min<std::int64_t>(sharers, members);
  const std::int64_t shipments = others * rounded_up(members, group);  // each way
  const std::int64_t carried = rounded_up(shipments, members);         // by one rank
  const std::int64_t left = rounded_up(others, group) * members;       // blocks, to one carrier
  const auto near = [&](Prediction& side, std::int64_t messages, std::int64_t blocks) {
    add_messages(side, costs, messages, blocks, bytes, Nearness::near);
  };
  Phases phases;
  // A rank that sends for others is itself one of the carriers, so it hands its blocks to one carrier fewer.
  near(phases.hand_over.sends, members - 1, 1);
  near(phases.hand_over.receives, members - 1, 1);
  near(phases.hand_over.sends, std::min(group, others) - 1, left);
  near(phases.hand_over.receives, group - 1, left);
  add_messages(phases.between_nodes.sends, costs, carried, group * members, bytes, Nearness::far);
  phases.between_nodes.receives = phases.between_nodes.sends;
  phases.port = static_cast<double>(shipments) * costs.on_port(group * members * bytes) / static_cast<double>(members);
  near(phases.hand_out.sends, members - 1, carried * group);
  near(phases.hand_out.receives, std::min(members, shipments) - 1, carried * group);
  return in_all(phases, costs);
}

}  // namespace rondo::internal
