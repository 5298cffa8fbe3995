#include "collectives/cart_reduction/hop_buffers.hpp"

#include <algorithm>

namespace rondo::internal::reduction {

HopBuffers::HopBuffers(const Hop& hop, std::span<const char> live) : slot_of_(hop.nodes()) {
  for (NodeId leaf = 0; leaf < hop.leaves(); ++leaf) {
    if (live[leaf] == 0) continue;
    slot_of_[leaf] = add_slot();
    slots_.back() = {places_++, 0, leaf >= hop.own()};
  }
  for (NodeId node = hop.leaves(); node < hop.nodes(); ++node) {
    if (live[node] == 0) continue;
    NodeId only = 0;
    std::uint32_t times = 0;
    for (const auto& operand : hop.operands(node)) {
      if (live[operand.node] == 0) continue;
      only = operand.node;
      times += operand.times;
    }
    if (times == 1) {
      slot_of_[node] = slot_of_[only];
      continue;
    }
    slot_of_[node] = add_slot();
    for (const auto& operand : hop.operands(node)) {
      if (live[operand.node] != 0) ++slots_[slot_of_[operand.node]].uses;
    }
  }
  for (NodeId node = hop.result(0); node < hop.nodes(); ++node) {
    if (live[node] != 0) ++slots_[slot_of_[node]].uses;  // used after the hop
  }
  for (std::size_t level = 0; level < hop.levels(); ++level) plan(hop, level, live);
}

void HopBuffers::plan(const Hop& hop, std::size_t level, std::span<const char> live) {
  struct Use {
    StepId step;
    std::uint32_t times;
    std::uint32_t from;  ///< slots
    std::uint32_t into;
    bool first;
  };
  std::vector<Use> uses;
  const auto [begin, end] = hop.level(level);
  for (NodeId node = begin; node < end; ++node) {
    if (live[node] == 0) continue;
    bool first = true;
    for (const auto& operand : hop.operands(node)) {
      if (live[operand.node] == 0) continue;
      if (slot_of_[operand.node] == slot_of_[node]) break;  // the node is its operand as it is
      uses.push_back({operand.step, operand.times, slot_of_[operand.node], slot_of_[node], first});
      first = false;
    }
  }
  std::ranges::stable_sort(uses, {}, &Use::step);
  std::vector<Step> reduces;
  for (std::size_t i = 0; i < uses.size();) {
    const StepId step = uses[i].step;
    reduces.clear();
    for (; i < uses.size() && uses[i].step == step; ++i) {
      const Use& use = uses[i];
      Slot& from = slots_[use.from];
      Slot& into = slots_[use.into];
      std::uint32_t times = use.times;
      if (use.first && times == 1 && from.ours && from.uses == 1) {
        into.place = from.place;
        times = 0;
      } else if (use.first) {
        into.place = places_++;
        steps_.push_back({from.place, into.place, true});
        --times;
      }
      for (; times > 0; --times) reduces.push_back({from.place, into.place, false});
      --from.uses;
    }
    steps_.insert(steps_.end(), reduces.begin(), reduces.end());
    if (steps_.size() > first_of_batch_.back()) first_of_batch_.push_back(steps_.size());
  }
}

std::uint32_t HopBuffers::add_slot() {
  slots_.emplace_back();
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

}  // namespace rondo::internal::reduction
