// What a node-aware schedule is predicted to cost.
#include "collectives/carriers/carried_costs.hpp"

#include "collectives/carriers/shipments.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
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

/// The blocks of a message, whose parcels come by source.
class MessageLoad {
 public:
  explicit MessageLoad(BlockUse use) : use_(use) {}

  /// `number`: NodeTraffic::shared_number(), where blocks are shared.
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
  std::vector<std::uint32_t> numbers_;  ///< of the last source
};

/// What one rank has to do.
struct Work {
  Prediction sends;
  Prediction receives;

  /// What a model says of a message is for both of its ends.
  [[nodiscard]] double nanoseconds() const { return (sends.nanoseconds + receives.nanoseconds) / 2; }
};

/// One more message on one side of a rank's work.
void add_message(Prediction& side, const CostModel& costs, const Load& message, Nearness nearness) {
  costs.add_message(side, message.blocks, message.bytes, SentData::cold, nearness);
  if (message.blocks > 1) costs.add_copies(side, 2 * message.blocks, 2 * message.bytes, nearness);
}

/// Loads between the members of a node, each pair a message.
class Pairs {
 public:
  Pairs(std::size_t members, BlockUse use) : members_(members), messages_(members * members, MessageLoad(use)) {}

  /// As MessageLoad::add().
  void add(std::size_t from, std::size_t to, int source, std::uint32_t number, std::int64_t bytes) {
    if (from != to) messages_[from * members_ + to].add(source, number, bytes);
  }
  void charge(std::vector<Work>& work, const CostModel& costs) const {
    for (std::size_t from = 0; from < members_; ++from) {
      for (std::size_t to = 0; to < members_; ++to) {
        const Load& load = messages_[from * members_ + to].load();
        if (load.blocks == 0) continue;
        add_message(work[from].sends, costs, load, Nearness::near);
        add_message(work[to].receives, costs, load, Nearness::near);
      }
    }
  }

 private:
  std::size_t members_;
  std::vector<MessageLoad> messages_;
};

/// What the members of a node do.
class NodeWork {
 public:
  /// `staying`: what does not leave the node.
  NodeWork(const NodeTraffic& traffic, const Pairs& staying, std::size_t members, BlockUse use, const CostModel& costs)
      : traffic_(traffic),
        use_(use),
        costs_(costs),
        staying_(staying),
        handed_over_(members, use),
        handed_out_(members, use),
        work_(members) {}

  void add_leaving(const Shipment& shipment) {
    add_message(work_[place(shipment.sender)].sends, costs_, load_of(shipment), Nearness::far);
    // One message is for a neighbor that is a carrier as well.
    Pairs& to_carriers = use_ == BlockUse::one_for_all ? staying_ : handed_over_;
    for (const Parcel& parcel : shipment.parcels)
      to_carriers.add(place(parcel.source), place(shipment.sender), parcel.source, number(parcel), parcel.bytes);
    has_shipments_ = true;
  }
  void add_arriving(const Shipment& shipment) {
    add_message(work_[place(shipment.receiver)].receives, costs_, load_of(shipment), Nearness::far);
    for (const Parcel& parcel : shipment.parcels)
      handed_out_.add(place(shipment.receiver), place(parcel.target), parcel.source, number(parcel), parcel.bytes);
    has_shipments_ = true;
  }
  [[nodiscard]] bool has_shipments() const { return has_shipments_; }
  /// Once, after all shipments.
  [[nodiscard]] const Work& busiest() {
    for (const Pairs* pairs : {&staying_, &handed_over_, &handed_out_}) pairs->charge(work_, costs_);
    return *std::ranges::max_element(work_, {}, &Work::nanoseconds);
  }

 private:
  [[nodiscard]] std::size_t place(int rank) const { return traffic_.nodes().place_of(rank); }
  [[nodiscard]] std::uint32_t number(const Parcel& parcel) const { return traffic_.shared_number(parcel.number); }
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
  bool has_shipments_ = false;
  std::vector<Work> work_;
};

/// All nodes where there are few; otherwise the fullest one, as its ranks have most to do, and one in the middle, which
/// is hardly at an edge.
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

/// With one rank to a message nobody hands over, which is charged all the same: without it, such plans were chosen for
/// 27 points of 40 B on 64 nodes, where they take 1.17 times as long as others (bench/simulated).
Prediction with_phases(const Work& work, bool has_shipments, const CostModel& costs) {
  Prediction prediction = work.sends;
  prediction.nanoseconds = work.nanoseconds();
  costs.add_phase(prediction, Nearness::near);
  if (!has_shipments) return prediction;
  for (const Nearness nearness : {Nearness::far, Nearness::near}) costs.add_phase(prediction, nearness);
  return prediction;
}

/// So many messages of equal blocks, at one side.
void add_messages(Prediction& side, const CostModel& costs, std::int64_t messages, std::int64_t blocks,
                  std::int64_t bytes, Nearness nearness) {
  if (messages <= 0 || blocks <= 0) return;
  Prediction one;
  add_message(one, costs, {blocks, blocks * bytes}, nearness);
  side.rounds += messages * one.rounds;
  side.blocks += messages * one.blocks;
  side.bytes += messages * one.bytes;
  side.copied_blocks += messages * one.copied_blocks;
  side.copied_bytes += messages * one.copied_bytes;
  side.nanoseconds += static_cast<double>(messages) * one.nanoseconds;
}

std::int64_t rounded_up(std::int64_t all, std::int64_t each) { return (all + each - 1) / each; }

}  // namespace

std::vector<Prediction> predict_carried(const NodeTraffic& traffic, std::span<const int> sharers, BlockUse use,
                                        const CostModel& costs) {
  const NodeMembers& nodes = traffic.nodes();
  std::vector<Work> busiest(sharers.size());
  bool has_shipments = false;
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
    has_shipments = has_shipments || works.front().has_shipments();
    for (std::size_t i = 0; i < works.size(); ++i) {
      const Work& work = works[i].busiest();
      if (work.nanoseconds() > busiest[i].nanoseconds()) busiest[i] = work;
    }
  }
  std::vector<Prediction> predictions;
  for (const Work& work : busiest) predictions.push_back(with_phases(work, has_shipments, costs));
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
  const auto send_for_others = [&](Work& work) {
    add_messages(work.sends, costs, carried, group * members, bytes, Nearness::far);
    near(work.receives, group - 1, left);
  };
  const auto receive_for_others = [&](Work& work) {
    add_messages(work.receives, costs, carried, group * members, bytes, Nearness::far);
    near(work.sends, members - 1, carried * group);
  };
  /// What stays, and what goes to carriers and comes from them, of which it may be one itself.
  const auto own = [&](Work& work, bool sends, bool receives) {
    near(work.sends, members - 1, 1);
    near(work.receives, members - 1, 1);
    near(work.sends, std::min(group, others) - (sends ? 1 : 0), left);
    near(work.receives, std::min(members, shipments) - (receives ? 1 : 0), carried * group);
  };
  Work sender;
  Work receiver;
  // Senders are counted from the first member on, receivers from the last.
  const bool are_others = 2 * shipments <= members;
  own(sender, true, !are_others);
  send_for_others(sender);
  if (!are_others) receive_for_others(sender);
  own(receiver, !are_others, true);
  receive_for_others(receiver);
  const Work& busiest = sender.nanoseconds() > receiver.nanoseconds() ? sender : receiver;
  return with_phases(busiest, shipments > 0, costs);
}

}  // namespace rondo::internal
