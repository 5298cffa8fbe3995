// What travels in which message between nodes, and who carries it: members take turns, and both ends agree.
#include "collectives/carriers/shipments.hpp"

#include <rondo/neighborhood.hpp>

#include <gtest/gtest.h>

#include "collectives/carriers/cart_traffic.hpp"
#include "tests/support/nodes/listed_traffic.hpp"
#include "tests/support/nodes/nodes_of_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace rondo::internal::shipments_test {
namespace {

using test::ListedTraffic;

constexpr int kAll = 1000;

/// A shipment, and its parcels where they last.
struct Kept {
  int node;  ///< the other one
  int sender;
  int receiver;
  std::vector<Parcel> parcels;
};
std::vector<Kept> shipments_from(const NodeTraffic& traffic, int node, int sharers) {
  std::vector<Kept> kept;
  visit_shipments_from(traffic, node, sharers, [&](const Shipment& it) {
    kept.push_back(
        {traffic.nodes().node_of(it.receiver), it.sender, it.receiver, {it.parcels.begin(), it.parcels.end()}});
  });
  return kept;
}
std::vector<Kept> shipments_to(const NodeTraffic& traffic, int node, int sharers) {
  std::vector<Kept> kept;
  visit_shipments_to(traffic, node, sharers, [&](const Shipment& it) {
    kept.push_back(
        {traffic.nodes().node_of(it.sender), it.sender, it.receiver, {it.parcels.begin(), it.parcels.end()}});
  });
  return kept;
}

std::vector<ListedTraffic::Block> all_to_all(int p) {
  std::vector<ListedTraffic::Block> blocks;
  for (int source = 0; source < p; ++source) {
    for (int target = 0; target < p; ++target) blocks.push_back({source, target, 8});
  }
  return blocks;
}

/// What the ranks of one node send to all others, and are sent by them.
std::vector<ListedTraffic::Block> between(int members, int nodes, int node) {
  std::vector<ListedTraffic::Block> blocks;
  for (int here = node * members; here < (node + 1) * members; ++here) {
    for (int there = 0; there < members * nodes; ++there) {
      if (there / members == node) continue;
      blocks.push_back({here, there, 8});
      blocks.push_back({there, here, 8});
    }
  }
  return blocks;
}

TEST(Shipments, MembersTakeTurns) {
  // Four nodes of two; all of node 0 send to node 1 and 2, one of them to node 3.
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 2, 2, 3, 3, 4, 4});
  const ListedTraffic traffic(nodes, {{0, 2, 8}, {1, 3, 8}, {0, 4, 8}, {1, 4, 8}, {1, 6, 8}});
  const std::vector<Kept> from = shipments_from(traffic, 0, kAll);
  ASSERT_EQ(from.size(), 3U);
  EXPECT_EQ(from[0].node, 1);
  EXPECT_EQ(from[0].sender, 0);
  EXPECT_EQ(from[0].receiver, 3) << "receivers are counted from the end";
  EXPECT_EQ(from[1].sender, 1) << "its turn";
  EXPECT_EQ(from[1].receiver, 4) << "the only one with a block in it";
  EXPECT_EQ(from[2].sender, 1) << "the only one that sends there";
  EXPECT_EQ(from[2].receiver, 6);
}

/// In a dense alltoall all nodes send at once: in each turn to different ones.
TEST(Shipments, NoTwoNodesBeginWithTheSame) {
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 2, 2, 3, 3, 4, 4});
  const ListedTraffic traffic(nodes, all_to_all(8));
  for (std::size_t turn = 0; turn < 3; ++turn) {
    std::set<int> targets;
    for (int node = 0; node < 4; ++node) {
      const std::vector<Kept> from = shipments_from(traffic, node, kAll);
      ASSERT_EQ(from.size(), 3U);
      targets.insert(from[turn].node);
      EXPECT_EQ(from[turn].sender, 2 * node + static_cast<int>(turn % 2));
    }
    EXPECT_EQ(targets.size(), 4U) << "turn " << turn;
  }
}

/// Where all send to all, no member carries more than its share, either way.
TEST(Shipments, ShareTheWork) {
  for (const auto& [members, nodes_of_all] : {std::pair{4, 6}, {16, 5}, {8, 9}}) {
    std::vector<std::int64_t> numbers;
    for (int rank = 0; rank < members * nodes_of_all; ++rank) numbers.push_back(1 + rank / members);
    const NodeMembers nodes(numbers);
    const ListedTraffic traffic(nodes, all_to_all(members * nodes_of_all));
    for (const int sharers : {1, 2, 4, 8, kAll}) {
      std::map<int, int> sent;
      std::map<int, int> received;
      for (const Kept& shipment : shipments_from(traffic, 2, sharers)) ++sent[shipment.sender];
      const std::vector<Kept> to = shipments_to(traffic, 2, sharers);
      for (const Kept& shipment : to) ++received[shipment.receiver];
      const int share = (static_cast<int>(to.size()) + members - 1) / members;
      for (const int member : nodes.members(2)) {
        // Those of a group take turns among themselves.
        EXPECT_LE(sent[member], (nodes_of_all - 2) / std::min(sharers, members) + 1) << sharers << " sharers";
        EXPECT_LE(received[member], share) << members << " ranks on each of " << nodes_of_all << " nodes, " << sharers;
      }
    }
  }
}

/// Where the ranks of a node are at several links, by turns or in blocks: what goes over each, as the most beside the
/// mean.
struct OverLinks {
  double messages = 0;
  double bytes = 0;
};
template <typename CarrierOf>
OverLinks over_links(const std::vector<Kept>& shipments, std::span<const int> members, std::size_t links,
                     bool in_blocks, CarrierOf carrier_of) {
  std::vector<std::int64_t> messages(links);
  std::vector<std::int64_t> bytes(links);
  for (const Kept& shipment : shipments) {
    const auto place =
        static_cast<std::size_t>(std::ranges::lower_bound(members, carrier_of(shipment)) - members.begin());
    const std::size_t link = in_blocks ? place * links / members.size() : place % links;
    ++messages[link];
    for (const Parcel& parcel : shipment.parcels) bytes[link] += parcel.bytes;
  }
  const auto most = [&](const std::vector<std::int64_t>& each) {
    const std::int64_t all = std::accumulate(each.begin(), each.end(), std::int64_t{0});
    return static_cast<double>(std::ranges::max(each)) * static_cast<double>(links) / static_cast<double>(all);
  };
  return {most(messages), most(bytes)};
}

/// Calls visit(what, its name) for what leaves a node, and what comes to it, for 2 and 4 links, however ranks are
/// bound.
template <typename Visit>
void for_each_way(const NodeTraffic& traffic, int node, int sharers, Visit visit) {
  const auto members = traffic.nodes().members(node);
  const std::vector<Kept> from = shipments_from(traffic, node, sharers);
  const std::vector<Kept> to = shipments_to(traffic, node, sharers);
  for (const std::size_t links : {2U, 4U}) {
    for (const bool in_blocks : {false, true}) {
      const std::string name = std::to_string(members.size()) + " ranks on each of " +
                               std::to_string(traffic.nodes().nodes()) + " nodes, " + std::to_string(sharers) +
                               " to a message, " + std::to_string(links) + (in_blocks ? " links in blocks" : " links");
      const auto sender = [](const Kept& it) { return it.sender; };
      const auto receiver = [](const Kept& it) { return it.receiver; };
      visit(over_links(from, members, links, in_blocks, sender), from.size(), links, name + ", leaving");
      visit(over_links(to, members, links, in_blocks, receiver), to.size(), links, name + ", arriving");
    }
  }
}

NodeMembers in_a_row(int members, int nodes) {
  std::vector<std::int64_t> numbers;
  for (int rank = 0; rank < members * nodes; ++rank) numbers.push_back(1 + rank / members);
  return NodeMembers(numbers);
}

TEST(Shipments, OfAllToAllAreSpreadOverLinks) {
  for (const int members : {4, 16, 32}) {
    for (const int nodes_of_all : {5, 9, 17}) {
      const NodeMembers nodes = in_a_row(members, nodes_of_all);
      const ListedTraffic traffic(nodes, between(members, nodes_of_all, 2));
      for (const int sharers : {1, 2, 4, 8, kAll}) {
        for_each_way(traffic, 2, sharers,
                     [&](const OverLinks& most, std::size_t shipments, std::size_t links, const std::string& name) {
                       // Four to each link: one more is 1.25. With fewer, one more is more of them.
                       const double mean = static_cast<double>(shipments) / static_cast<double>(links);
                       EXPECT_LE(most.messages * mean, std::max(std::floor(mean) + 1, 1.25 * mean)) << name;
                     });
      }
    }
  }
}

/// Of 27 points a node is sent little from most others, and that is for few of its ranks. Two ranks to a message, as
/// auto takes them there.
TEST(Shipments, OfNeighborsAreSpreadOverLinks) {
  const rondo::Neighborhood neighborhood = rondo::moore(3, 1);
  const auto bytes = [](int, std::uint32_t) { return std::int64_t{8}; };
  struct Case {
    std::vector<int> sizes;
    int members;
  };
  for (const auto& [sizes, members] : {Case{{8, 4, 4}, 4}, Case{{16, 8, 8}, 16}, Case{{16, 16, 8}, 32}}) {
    const NodeMembers nodes = in_a_row(members, sizes[0] * sizes[1] * sizes[2] / members);
    const Grid grid(sizes, 0);
    const CartTraffic traffic(nodes, grid, neighborhood, bytes);
    for (const int node : {0, 5, nodes.nodes() - 1}) {
      for_each_way(traffic, node, 2, [&](const OverLinks& most, std::size_t, std::size_t, const std::string& name) {
        EXPECT_LE(most.bytes, 1.25) << name;
      });
    }
  }
}

TEST(Shipments, HaveBlocksOfAtMostSoManyRanks) {
  const NodeMembers nodes(std::vector<std::int64_t>{1, 1, 1, 1, 1, 2, 2, 2});
  const ListedTraffic traffic(nodes, all_to_all(8));
  const auto sources = [&](int sharers) {
    const std::vector<Kept> from = shipments_from(traffic, 0, sharers);
    std::vector<std::set<int>> found(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      for (const Parcel& parcel : from[i].parcels) found[i].insert(parcel.source);
    }
    return found;
  };
  EXPECT_EQ(sources(kAll), (std::vector<std::set<int>>{{0, 1, 2, 3, 4}}));
  EXPECT_EQ(sources(2), (std::vector<std::set<int>>{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(sources(1).size(), 5U);
}

/// A block as both ends name it: of a list, its number.
using Named = std::tuple<int, int, std::uint32_t, std::int64_t>;

std::map<std::tuple<int, int>, std::vector<Named>> by_carriers(const std::vector<Kept>& all, int other) {
  std::map<std::tuple<int, int>, std::vector<Named>> found;
  for (const Kept& shipment : all) {
    for (const Parcel& parcel : shipment.parcels) {
      if (shipment.node == other)
        found[{shipment.sender, shipment.receiver}].emplace_back(parcel.source, parcel.target, parcel.number,
                                                                 parcel.bytes);
    }
  }
  return found;
}

TEST(Shipments, BothEndsAgree) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const int p = 2 + static_cast<int>(random() % 20);
    const int sharers = 1 + static_cast<int>(random() % 5);
    const NodeMembers nodes(test::some_nodes(p, seed));
    std::vector<ListedTraffic::Block> blocks;
    std::size_t leave = 0;
    for (int i = 0; i < 3 * p; ++i) {
      const auto rank = [&] { return static_cast<int>(random() % static_cast<unsigned>(p)); };
      blocks.push_back({rank(), rank(), i + 1});
      if (nodes.node_of(blocks.back().source) != nodes.node_of(blocks.back().target)) ++leave;
    }
    const ListedTraffic traffic(nodes, blocks);
    std::size_t found = 0;
    for (int node = 0; node < nodes.nodes(); ++node) {
      const std::vector<Kept> from = shipments_from(traffic, node, sharers);
      for (const Kept& shipment : from) found += shipment.parcels.size();
      for (int other = 0; other < nodes.nodes(); ++other) {
        if (other == node) continue;
        EXPECT_EQ(by_carriers(from, other), by_carriers(shipments_to(traffic, other, sharers), node))
            << "seed " << seed << ", from node " << node << " to node " << other;
      }
      for (const Kept& shipment : from) {
        EXPECT_EQ(nodes.node_of(shipment.sender), node) << "seed " << seed;
        for (const Parcel& parcel : shipment.parcels) EXPECT_EQ(nodes.node_of(parcel.target), shipment.node);
      }
    }
    EXPECT_EQ(found, leave) << "seed " << seed;
  }
}

}  // namespace
}  // namespace rondo::internal::shipments_test
