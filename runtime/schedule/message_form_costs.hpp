/// @file
/// MessageForm: how a message travels whose data are not contiguous, and the cost of each form.
#ifndef RONDO_RUNTIME_SCHEDULE_MESSAGE_FORM_COSTS_HPP
#define RONDO_RUNTIME_SCHEDULE_MESSAGE_FORM_COSTS_HPP

#include <rondo/options.hpp>

#include <algorithm>
#include <cstdint>

namespace rondo::internal {

/// Longest message, in bytes, that goes through a slot between ranks of one node: for a longer one, two copies take as
/// long as MPI does.
inline constexpr std::int64_t kLongestInSlot = 262144;

/// Longest message, in bytes, that goes through a lane. Nodes with many ranks have shorter lanes, which take less.
inline constexpr std::int64_t kLongestInLane = 65536;

/// Longest message, in bytes, that goes through a slot or a lane between cores that share no cache. There each copy
/// into or out of shared memory takes several times as long, and MPI may copy once only.
inline constexpr std::int64_t kLongestBetweenCaches = 8192;

/// Costs at one end of a message, in nanoseconds. Each end decides for itself, as if the other end's data lay like its
/// own.
struct FormCosts {
  // Costs of a staged message.
  double copied_piece;
  double copied_byte;
  std::int64_t cache;    ///< bytes of the longest message whose staging memory stays in a cache
  double uncached_byte;  ///< additional cost of each byte beyond `cache`
  // Costs of a message as a datatype.
  double datatype_message;
  double datatype_piece;
  double datatype_byte;
  std::int64_t long_piece;  ///< if pieces have at least this many bytes on average, they cost MPI nothing
  /// Bytes of the longest message that is packed into memory from which its receiver unpacks: as a datatype such a
  /// message saves a copy through scratch memory.
  std::int64_t longest_in_memory = 0;
  /// Whether messages whose data lie in several spaces save that copy, too. Over MPI such a message needs a datatype
  /// that is made anew for each buffer.
  bool across_spaces = false;
};

/// Returns the costs of the MPI with which Rondo was built, measured (bench messages, halo_depth; docs/tuning.md). If
/// ranks share cores, staging memory is cold each time a rank runs again.
[[nodiscard]] const FormCosts& measured_form_costs(double ranks_per_core = 1.0);

/// Returns the cost of `bytes` bytes in `pieces` pieces in either form.
[[nodiscard]] double staged_nanoseconds(const FormCosts& costs, std::int64_t bytes, std::int64_t pieces);
[[nodiscard]] double datatype_nanoseconds(const FormCosts& costs, std::int64_t bytes, std::int64_t pieces);

/// Returns whether `bytes` bytes in `pieces` pieces are cheaper as a datatype.
[[nodiscard]] bool datatype_is_cheaper(const FormCosts& costs, std::int64_t bytes, std::int64_t pieces);

/// The additional cost for a rank, in nanoseconds, if the messages to which a builder gave one form had the other form.
/// Because the costs may be wrong, each such message counts for at least 1.
struct OtherForms {
  /// The other form can gain nothing: so large that one of many ranks is enough, because the mean of all ranks decides.
  static constexpr std::int64_t kNever = 1'000'000'000'000;

  void add_staged(std::int64_t more) noexcept { staged = sum(staged, more); }
  void add_datatype(std::int64_t more) noexcept { datatype = sum(datatype, more); }

  std::int64_t staged = 0;    ///< additional cost if the messages that go as datatypes were staged; 0: there are none
  std::int64_t datatype = 0;  ///< additional cost if the messages that are staged went as datatypes; 0: there are none
  std::int64_t pieces = 0;    ///< pieces of memory in all of these messages

 private:
  [[nodiscard]] static std::int64_t sum(std::int64_t one, std::int64_t other) noexcept {
    return std::min(kNever, one + std::clamp<std::int64_t>(other, 1, kNever));
  }
};

}  // namespace rondo::internal

#endif
