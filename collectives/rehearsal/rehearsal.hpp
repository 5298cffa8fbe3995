/// @file
/// Rehearsal: runs a user-defined collective on all ranks, in one process and with data.
#ifndef RONDO_COLLECTIVES_REHEARSAL_REHEARSAL_HPP
#define RONDO_COLLECTIVES_REHEARSAL_REHEARSAL_HPP

#include <rondo/own/check.hpp>

#include "collectives/own/own_schedule.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/machine/loopback_transport.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rondo::internal {

/// A test run in which each rank starts its schedule twice, whatever the others do. The adversary of a seed picks which
/// rank does something next, and whether that rank takes completions from the network or processes one, in any order.
/// The same seed gives the same run.
class Rehearsal {
 public:
  /// Makes a rehearsal; run() runs it. `schedules`: those of ranks 0 to p-1, whose messages match, with blocks within
  /// the buffers of `data`. Both must outlive the rehearsal.
  Rehearsal(std::span<const OwnSchedule> schedules, const CheckedBytes& data, std::uint64_t seed);

  /// Runs all ranks, and returns a description of what went wrong, or an empty text. Throws what the functions of
  /// `data` throw, and std::bad_alloc.
  [[nodiscard]] std::string run();

 private:
  static constexpr int kStarts = 2;
  using Bytes = std::vector<std::byte>;
  /// The contents of all ranks' buffers before a start.
  struct Given {
    std::vector<Bytes> send;
    std::vector<Bytes> recv;
  };
  struct VirtualRank {
    Bytes send;
    Bytes recv;
    int starts = 0;
    std::vector<Completion> taken{};  ///< from the network, not yet processed
    std::unique_ptr<Execution> execution{};
  };

  [[nodiscard]] std::string step(std::size_t number);
  [[nodiscard]] std::string start(std::size_t number);
  [[nodiscard]] std::string look_at_end(std::size_t number);
  [[nodiscard]] bool can_start(const VirtualRank& rank) const;
  [[nodiscard]] std::string tell_who_waits() const;

  std::span<const OwnSchedule> schedules_;
  const CheckedBytes& data_;
  LoopbackNetwork network_;
  std::array<Given, kStarts> given_;
  std::vector<VirtualRank> ranks_;
  std::size_t active_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace rondo::internal

#endif
