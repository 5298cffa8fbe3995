/// @file
/// DataCheck: follows the data of all ranks' schedules, and compares the result with a definition.
#ifndef RONDO_RUNTIME_CHECK_DATA_CHECK_HPP
#define RONDO_RUNTIME_CHECK_DATA_CHECK_HPP

#include "runtime/check/combination.hpp"
#include "runtime/check/event_graph.hpp"
#include "runtime/check/schedule_checker.hpp"
#include "runtime/check/symbolic_memory.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

/// The last part of the schedule checker: a check of the data that schedules move. The schedules must be well formed,
/// matched, sorted and without races, so that one order of their tasks stands for all.
class DataCheck {
 public:
  DataCheck(std::span<const Schedule* const> schedules, const EventGraph& graph, std::span<const Placement> placements,
            std::span<const Combination> combinations);

  /// Checks the data against the definition, and that nothing is read before it was written. Throws Finding if not so.
  void run();
  /// Checks only that nothing is read before it was written, without a definition. Throws Finding.
  void run_without_definition();

 private:
  /// The data that some bytes of a receive buffer must hold at the end.
  struct Line {
    std::int32_t target;
    std::int64_t offset;
    SymbolicBytes wanted;
  };

  [[nodiscard]] const Schedule& schedule(std::int32_t rank) const {
    return *schedules_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] const Task& at(std::int32_t rank, TaskId task) const { return schedule(rank).tasks()[task]; }
  SymbolicMemory& memory(std::int32_t rank, Space space) {
    return memories_[static_cast<std::size_t>(rank)][space == Space::recv ? 0 : 1];
  }
  void note_source(std::int32_t rank, std::int64_t offset, std::int64_t bytes);
  [[nodiscard]] SymbolicBytes read_own(std::int32_t rank, TaskId reader, Space space, std::int64_t offset,
                                       std::int64_t bytes) const;
  SymbolicRow read(std::int32_t rank, TaskId reader, Space space, std::int64_t offset, std::int64_t bytes);
  void copy(std::int32_t rank, TaskId id);
  void reduce(std::int32_t rank, TaskId id);
  void compute(std::int32_t rank, TaskId id);
  void pick_up(TaskOfRank send);
  void put_down(std::int32_t rank, TaskId id, const SymbolicRow& row);
  void follow_data();
  void check_line(const Line& line);
  void check_nothing_else();
  [[nodiscard]] std::string describe_difference(const SymbolicBytes& found, const SymbolicBytes& wanted) const;

  std::span<const Schedule* const> schedules_;
  const EventGraph& graph_;
  Combinations combined_;
  std::vector<Line> definition_;
  std::vector<std::array<SymbolicMemory, 2>> memories_;  ///< receive buffer and scratch of each rank
  std::map<TaskOfRank, SymbolicRow> carried_;            ///< data of each message, by its send
  std::vector<SymbolicMemory> defined_sends_;            ///< bytes of each rank's send buffer that may be read
  std::int64_t computed_ = 0;                            ///< bytes that functions wrote; SymbolicBytes has them as
  ///< different bytes in the send buffer of a rank after the last
  bool is_defined_ = true;  ///< false: all of a send buffer may be read
};

}  // namespace rondo::internal

#endif
