// What a node-aware schedule is predicted to cost.
#include "collectives/carriers/carried_costs.hpp"

#include "collectives/carriers/shipments.hpp"

#include <algorithm>
#include <cstddef>
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
  Pairs(std::size_t members, BlockUse use) : members_(members), use_(use), loads_(members * members) {}

  /// `source`: whose block it is. Those of one source come one after the other.
  void add(std::size_t from, std::size_t to, int source, std::int64_t bytes) {
    if (from == to) return;
    Pair& pair = loads_[from * members_ + to];
    if (use_ == BlockUse::each_for_one || pair.last_source != source) pair.load.add(bytes);
    pair.last_source = source;
  }
  void charge(std::vector<Work>& work, const CostModel& costs) const {
    for (std::size_t from = 0; from < members_; ++from) {
      for (std::size_t to = 0; to < members_; ++to) {
        const Load& load = loads_[from * members_ + to].load;
        if (load.blocks == 0) continue;
        add_message(work[from].sends, costs, load, Nearness::near);
        add_message(work[to].receives, costs, load, Nearness::near);
      }
    }
  }

 private:
  struct Pair {
    Load load;
    int last_source = -1;
  };
  std::size_t members_;
  BlockUse use_;
  std::vector<Pair> loads_;
};

/// What the members of a node do. Counts the blocks that it looks at.
class NodeWork {
 public:
  NodeWork(const NodeTraffic& traffic, int node, int sharers, BlockUse use, const CostModel& costs)
      : traffic_(traffic), use_(use), costs_(costs), work_(traffic.nodes().members(node).size()) {
    const Shipments leaving = shipments_from(traffic, node, sharers);
    const Shipments arriving = shipments_to(traffic, node, sharers);
    add_between_nodes(leaving, &Shipment::sender, &Work::sends);
    add_between_nodes(arriving, &Shipment::receiver, &Work::receives);
    Pairs staying(work_.size(), use);
    looked_at_ = std::ssize(leaving.parcels) + std::ssize(arriving.parcels);
    for (const int source : traffic.nodes().members(node)) {
      traffic.visit_sent(source, [&](int target, std::uint32_t, std::int64_t bytes) {
        ++looked_at_;
        if (traffic.nodes().node_of(target) == node) staying.add(place(source), place(target), source, bytes);
      });
    }
    // One message is for a neighbor that is a carrier as well.
    Pairs handed_over(work_.size(), use);
    Pairs& to_carriers = use == BlockUse::one_for_all ? staying : handed_over;
    for (const Parcel& parcel : leaving.parcels) {
      const int carrier = leaving.shipments[parcel.shipment].sender;
      to_carriers.add(place(parcel.source), place(carrier), parcel.source, parcel.bytes);
    }
    Pairs handed_out(work_.size(), use);
    for (const Parcel& parcel : arriving.parcels) {
      const int carrier = arriving.shipments[parcel.shipment].receiver;
      handed_out.add(place(carrier), place(parcel.target), parcel.source, parcel.bytes);
    }
    for (const Pairs* pairs : {&staying, &handed_over, &handed_out}) pairs->charge(work_, costs);
  }

  [[nodiscard]] const std::vector<Work>& by_member() const { return work_; }
  [[nodiscard]] std::int64_t looked_at() const { return looked_at_; }

 private:
  [[nodiscard]] std::size_t place(int rank) const { return traffic_.nodes().place_of(rank); }

  void add_between_nodes(const Shipments& all, int Shipment::*carrier, Prediction Work::*side) {
    std::vector<Load> loads(all.shipments.size());
    for (std::size_t i = 0; i < all.parcels.size(); ++i) {
      const Parcel& parcel = all.parcels[i];
      const bool again =
          i > 0 && all.parcels[i - 1].shipment == parcel.shipment && all.parcels[i - 1].source == parcel.source;
      if (use_ == BlockUse::each_for_one || !again) loads[parcel.shipment].add(parcel.bytes);
    }
    for (std::size_t i = 0; i < loads.size(); ++i)
      add_message(work_[place(all.shipments[i].*carrier)].*side, costs_, loads[i], Nearness::far);
  }

  const NodeTraffic& traffic_;
  BlockUse use_;
  const CostModel& costs_;
  std::vector<Work> work_;
  std::int64_t looked_at_ = 0;
};

}  // namespace

Prediction predict_carried(const NodeTraffic& traffic, int sharers, BlockUse use, const CostModel& costs) {
  constexpr std::int64_t kEnough = 300'000;  // blocks: some 20 ms
  Work busiest;
  std::int64_t looked_at = 0;
  for (int node = 0; node < traffic.nodes().nodes() && looked_at < kEnough; ++node) {
    const NodeWork here(traffic, node, sharers, use, costs);
    looked_at += here.looked_at();
    for (const Work& work : here.by_member()) {
      if (work.nanoseconds() > busiest.nanoseconds()) busiest = work;
    }
  }
  Prediction prediction = busiest.sends;
  prediction.nanoseconds = busiest.nanoseconds();
  for (const Nearness nearness : {Nearness::near, Nearness::far, Nearness::near}) costs.add_phase(prediction, nearness);
  return prediction;
}

}  // namespace rondo::internal
