/// @file
/// ListedTraffic: blocks between ranks as a list, for tests of carriers.
#ifndef RONDO_TESTS_SUPPORT_LISTED_TRAFFIC_HPP
#define RONDO_TESTS_SUPPORT_LISTED_TRAFFIC_HPP

#include "collectives/carriers/node_traffic.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace rondo::internal::test {

class ListedTraffic : public NodeTraffic {
 public:
  struct Block {
    int source;
    int target;
    std::int64_t bytes;
  };

  ListedTraffic(const NodeMembers& nodes, std::vector<Block> blocks) : NodeTraffic(nodes), blocks_(std::move(blocks)) {}

  /// A block's number, at both ends, is its place in the list.
  void visit_sent(int rank, const Visit& visit) const override {
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].source == rank) visit(blocks_[i].target, i, blocks_[i].bytes);
    }
  }
  void visit_received(int rank, const Visit& visit) const override {
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].target == rank) visit(blocks_[i].source, i, blocks_[i].bytes);
    }
  }

 private:
  std::vector<Block> blocks_;
};

}  // namespace rondo::internal::test

#endif
