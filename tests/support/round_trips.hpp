/// @file
/// The smallest schedule that cannot end without progress between its messages.
#ifndef RONDO_TESTS_ROUND_TRIPS_HPP
#define RONDO_TESTS_ROUND_TRIPS_HPP

#include "runtime/schedule/schedule_builder.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rondo::internal {

/// A block of 8 bytes that rank 0 sends to itself `hops` times: each message waits for the one before.
inline std::shared_ptr<const Schedule> round_trips(int hops) {
  ScheduleBuilder builder;
  std::vector<BlockId> places{builder.block(Space::send, 0, 8)};
  for (int hop = 1; hop < hops; ++hop) places.push_back(builder.transit(8));
  places.push_back(builder.block(Space::recv, 0, 8));
  for (std::size_t hop = 0; hop + 1 < places.size(); ++hop)
    builder.exchange(0, 0, static_cast<std::uint32_t>(hop), {&places[hop], 1}, {&places[hop + 1], 1});
  return std::make_shared<const Schedule>(std::move(builder).build());
}

}  // namespace rondo::internal

#endif
