/// @file
/// MessageForm: how a message travels whose data do not lie in a row, and what each way costs.
#ifndef RONDO_RUNTIME_SCHEDULE_MESSAGE_FORM_COSTS_HPP
#define RONDO_RUNTIME_SCHEDULE_MESSAGE_FORM_COSTS_HPP

#include <rondo/options.hpp>

#include <algorithm>
#include <cstdint>

namespace rondo::internal {

/// Longest message, in bytes, that goes through a slot between ranks of one node: two copies of a longer one take as
/// long as MPI does.
inline constexpr std::int64_t kLongestInSlot = 262144;

/// The same through a lane, where that is not one of the shorter ones of a node with many ranks.
inline constexpr std::int64_t kLongestInLane = 65536;

/// Costs at one end of a message, in nanoseconds. Each end decides for itself, as if the other end's data lay as its
/// own do.
struct FormCosts {
  // Staged.
  double copied_piece;
  double copied_byte;
  std::int64_t cache;    ///< bytes of the longest message whose staging memory stays in a cache
  double uncached_byte;  ///< each byte beyond that
  // As a datatype.
  double datatype_message;
  double datatype_piece;
  double datatype_byte;
  std::int64_t long_piece;  ///< pieces of this many bytes on average, and more, cost MPI nothing
  /// Bytes of the longest message that is packed into what its receiver unpacks: as a datatype it saves a copy through
  /// scratch memory.
  std::int64_t longest_in_memory = 0;
  /// So do those whose data lie in several spaces. Where MPI sends them it needs a datatype that is made anew for each
  /// buffer.
  bool across_spaces = false;
};

/// Those of the MPI that Rondo was built with, measured (bench messages, halo_depth; docs/tuning.md). Where ranks share
/// cores, staging memory is cold after each turn.
[[nodiscard]] const FormCosts& measured_form_costs(double ranks_per_core = 1.0);

/// What either form costs `bytes` bytes in `pieces` pieces.
[[nodiscard]] double staged_nanoseconds(const FormCosts& costs, std::int64_t bytes, std::int64_t pieces);
[[nodiscard]] double datatype_nanoseconds(const FormCosts& costs, std::int64_t bytes, std::int64_t pieces);

/// Whether `bytes` bytes in `pieces` pieces travel cheaper as a datatype.
[[nodiscard]] bool datatype_is_cheaper(const FormCosts& costs, std::int64_t bytes, std::int64_t pieces);

/// What it would cost a rank, in nanoseconds, if those of its messages that a builder gave one form had the other one.
/// As the costs may be wrong, each such message counts for one at least.
struct OtherForms {
  /// Nothing can be gained by the other form: so much that one of many ranks is enough, as their mean is looked at.
  static constexpr std::int64_t kNever = 1'000'000'000'000;

  void add_staged(std::int64_t more) noexcept { staged = sum(staged, more); }
  void add_datatype(std::int64_t more) noexcept { datatype = sum(datatype, more); }

  std::int64_t staged = 0;    ///< those that go as datatypes; 0: there are none
  std::int64_t datatype = 0;  ///< those that are staged; 0: there are none
  std::int64_t pieces = 0;    ///< of memory in all of them

 private:
  [[nodiscard]] static std::int64_t sum(std::int64_t one, std::int64_t other) noexcept {
    return std::min(kNever, one + std::clamp<std::int64_t>(other, 1, kNever));
  }
};

}  // namespace rondo::internal

#endif
