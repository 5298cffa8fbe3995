// What a node-aware alltoall is predicted to cost.
#include "collectives/carriers/carried_alltoall.hpp"
#include "collectives/carriers/carriers.hpp"

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
  explicit Pairs(std::size_t members) : members_(members), loads_(members * members) {}

  void add(std::size_t from, std::size_t to, std::int64_t bytes) {
    if (from != to) loads_[from * members_ + to].add(bytes);
  }
  void charge(std::vector<Work>& work, const CostModel& costs) const {
    for (std::size_t from = 0; from < members_; ++from) {
      for (std::size_t to = 0; to < members_; ++to) {
        const Load& load = loads_[from * members_ + to];
        if (load.blocks == 0) continue;
        add_message(work[from].sends, costs, load, Nearness::near);
        add_message(work[to].receives, costs, load, Nearness::near);
      }
    }
  }

 private:
  std::size_t members_;
  std::vector<Load> loads_;
};

/// What the members of a node do. Counts the blocks that it looks at.
std::vector<Work> work_on(const NodeTraffic& traffic, int node, const CostModel& costs, std::int64_t& looked_at) {
  const auto members = traffic.nodes().members(node);
  const Carriers carriers(traffic, node);
  const auto place = [&](int rank) { return traffic.nodes().place_of(rank); };
  Pairs staying(members.size());
  Pairs handed_over(members.size());
  Pairs handed_out(members.size());
  std::vector<Load> to_node(carriers.targets().size());
  std::vector<Load> from_node(carriers.sources().size());
  for (std::size_t member = 0; member < members.size(); ++member) {
    traffic.visit_sent(members[member], [&](int target, std::uint32_t, std::int64_t bytes) {
      ++looked_at;
      const int to = traffic.nodes().node_of(target);
      if (to == node) {
        staying.add(member, place(target), bytes);
        return;
      }
      const std::size_t link = position_of(to, carriers.targets());
      to_node[link].add(bytes);
      handed_over.add(member, place(carriers.sender_to(link)), bytes);
    });
    traffic.visit_received(members[member], [&](int source, std::uint32_t, std::int64_t bytes) {
      ++looked_at;
      const int from = traffic.nodes().node_of(source);
      if (from == node) return;
      const std::size_t link = position_of(from, carriers.sources());
      from_node[link].add(bytes);
      handed_out.add(place(carriers.receiver_from(link)), member, bytes);
    });
  }
  std::vector<Work> work(members.size());
  for (const Pairs* pairs : {&staying, &handed_over, &handed_out}) pairs->charge(work, costs);
  for (std::size_t i = 0; i < to_node.size(); ++i)
    add_message(work[place(carriers.sender_to(i))].sends, costs, to_node[i], Nearness::far);
  for (std::size_t i = 0; i < from_node.size(); ++i)
    add_message(work[place(carriers.receiver_from(i))].receives, costs, from_node[i], Nearness::far);
  return work;
}

}  // namespace

Prediction predict_carried(const NodeTraffic& traffic, const CostModel& costs) {
  constexpr std::int64_t kEnough = 2'000'000;  // blocks: some 20 ms
  Work busiest;
  std::int64_t looked_at = 0;
  for (int node = 0; node < traffic.nodes().nodes() && looked_at < kEnough; ++node) {
    for (const Work& work : work_on(traffic, node, costs, looked_at)) {
      if (work.nanoseconds() > busiest.nanoseconds()) busiest = work;
    }
  }
  Prediction prediction = busiest.sends;
  prediction.nanoseconds = busiest.nanoseconds();
  for (const Nearness nearness : {Nearness::near, Nearness::far, Nearness::near}) costs.add_phase(prediction, nearness);
  return prediction;
}

}  // namespace rondo::internal
