/// @file
/// A collective on all ranks, as the schedule checker and the simulation take it.
#ifndef RONDO_TESTS_COLLECTIVE_CASE_HPP
#define RONDO_TESTS_COLLECTIVE_CASE_HPP

#include <rondo/neighborhood.hpp>

#include "runtime/check/schedule_checker.hpp"
#include "runtime/execution/block_watch.hpp"
#include "runtime/schedule/schedule_builder.hpp"
#include "tests/support/cases/byte_op.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

struct CollectiveCase {
  std::string name;
  std::vector<std::shared_ptr<const Schedule>> schedules;  ///< of each rank
  std::vector<Placement> definition;
  std::vector<std::int64_t> send_bytes;  ///< size of each rank's send buffer; in place none
  std::vector<std::int64_t> recv_bytes;
  std::vector<Combination> combinations = {};  ///< more of the definition, where blocks are reduced
  /// What the schedules reduce with. The simulation expects ((first source OP second) OP third) and so on, which
  /// matters to byte_fold() only, unless `associations` says otherwise.
  const ByteOp* op = nullptr;
  /// For each of the combinations, if any: a postfix expression of the numbers of its sources and kCombine.
  std::vector<std::vector<int>> associations = {};
  static constexpr int kCombine = -1;
  std::vector<UserBlocks> blocks = {};  ///< of each rank, if the case says

  [[nodiscard]] int ranks() const { return static_cast<int>(schedules.size()); }
};

/// Keeps copies of the layouts.
[[nodiscard]] UserBlocks user_blocks(std::span<const PlacedLayout> received, std::span<const PlacedLayout> sent);

[[nodiscard]] std::optional<Finding> check(const CollectiveCase& collective);

/// What is wrong, in words; empty when nothing is.
[[nodiscard]] std::string checked(const CollectiveCase& collective);

/// For people: ", phases, staged, ports 2", without what is as usual.
[[nodiscard]] std::string describe_building(Ordering ordering, MessageForm form, int ports);
/// ", grid 3 2 (mesh), neighborhood 1 0 0 1". No periods: a torus.
[[nodiscard]] std::string describe_grid(const std::vector<int>& sizes, const std::vector<int>& periods,
                                        const Neighborhood& neighborhood);

}  // namespace rondo::internal

#endif
