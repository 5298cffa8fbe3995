/// @file
/// PlacedCalls: pools of operations for calls whose blocks have other sizes and places each time.
#ifndef RONDO_COLLECTIVES_EARLIER_CALLS_PLACED_CALLS_HPP
#define RONDO_COLLECTIVES_EARLIER_CALLS_PLACED_CALLS_HPP

#include <mpi.h>

#include "collectives/blocks/block_pattern.hpp"
#include "collectives/blocks/call.hpp"
#include "runtime/operation/operation.hpp"
#include "runtime/schedule/scaled_schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::internal {

/// Pools of operations for calls of MPI's own datatypes whose counts and displacements change from call to call. Calls
/// are of one kind if they are equal but for counts, displacements and buffers. An operation for any blocks costs a
/// little more to start than one that was built for a call and is found in RecentCalls, and far less than building one.
/// So where there are RecentCalls, a kind has operations for any blocks only after several schedules were built for it,
/// and a call that is repeated over and over gets a schedule of its own. For one thread at a time.
class PlacedCalls {
 public:
  /// The operations for calls of one kind.
  struct Kind {
    const char* name;  ///< name of the function
    Collective collective;
    MPI_Datatype sent_type;
    MPI_Datatype received_type;
    MPI_Op op;               ///< of a reduction
    std::int64_t sent_size;  ///< bytes of an element
    std::int64_t received_size;
    BlockPattern pattern;   ///< a view, valid as long as the communicator's context
    int built = 0;          ///< number of calls of this kind for which a schedule was to be built
    int operations = 0;     ///< number of operations for any blocks; kMostOperations if there may be no more
    int repeated = 0;       ///< how often in a row an operation found its blocks where they were at its last start
    bool declined = false;  ///< the next call that comes to count_build() is to have a schedule of its own
    std::shared_ptr<OperationPool> pool = nullptr;  ///< null: there are no operations for any blocks
    /// One bit for each SizeClass of the longest block of all ranks with which a call may run these operations.
    std::uint64_t classes = kAllClasses;

    /// Lets calls run these operations only if the class of their longest block was added.
    void add_class(std::int64_t longest) noexcept;
  };
  static constexpr std::uint64_t kAllClasses = ~std::uint64_t{0};
  static constexpr int kMostOperations = 64;  ///< of a kind: calls in flight at a time
  /// A call that was repeated so often in a row is worth a schedule of its own.
  static constexpr int kRepetitions = 8;

  /// Returns the kind of a call if it has a pool, and reads the call's blocks into sent() and received(). Returns null
  /// if there is none, or if the call's arguments need a full check.
  [[nodiscard]] Kind* find(const Call& call);
  /// Returns the kind of a call for which a schedule is to be built, if an operation for any blocks is to be made in
  /// place of it, and reads the call's blocks. Otherwise returns null. `sent_size`, `received_size`: bytes of an
  /// element of the call's datatypes, which are MPI's own. Throws std::bad_alloc.
  [[nodiscard]] Kind* count_build(const Call& call, const BlockPattern& pattern, std::int64_t sent_size,
                                  std::int64_t received_size);
  /// Returns whether another operation may keep `bytes` bytes of scratch memory, besides what the others keep.
  [[nodiscard]] bool has_memory_for(std::int64_t bytes) const noexcept { return kept_bytes_ + bytes <= kMostBytes; }
  /// Counts an operation that was made for calls of a kind, with its scratch memory, or one that was dropped.
  void count_made(Kind& kind, std::int64_t bytes) noexcept {
    ++kind.operations;
    kept_bytes_ += bytes;
  }
  void count_dropped(Kind& kind, std::int64_t bytes) noexcept {
    --kind.operations;
    kept_bytes_ -= bytes;
  }
  /// Makes kinds have operations for any blocks from the first call on, as there are no RecentCalls for these calls.
  void expect_no_recent_calls() noexcept { has_recent_calls_ = false; }
  /// Records that an operation was started for a call of this kind. `moved`: its blocks had other sizes or places at
  /// its last start.
  void count_start(Kind& kind, bool moved) const noexcept {
    kind.repeated = moved || !has_recent_calls_ ? 0 : kind.repeated + 1;
    kind.declined = false;
  }
  /// Returns whether blocks have at least three quarters of the size of the longest one on average, so that a plan that
  /// is good for blocks as long as that is good for them, too. `all`: size of all blocks together.
  [[nodiscard]] static constexpr bool are_alike(std::int64_t all, std::int64_t longest, std::int64_t blocks) noexcept {
    return 4 * all >= 3 * longest * blocks;
  }

  [[nodiscard]] const std::vector<PlacedBlock>& sent() const noexcept { return sent_; }
  [[nodiscard]] const std::vector<PlacedBlock>& received() const noexcept { return received_; }

 private:
  static constexpr std::int64_t kMostBytes = std::int64_t{32} << 20U;
  static constexpr std::size_t kMostKinds = 16;  ///< of calls on a communicator; those of others have schedules each
  /// The number of schedules after which calls of a kind are taken to change.
  static constexpr int kMostBuilt = 4;

  [[nodiscard]] Kind* kind_of(const Call& call) noexcept;
  [[nodiscard]] bool read_blocks(const Call& call, const Kind& kind);
  [[nodiscard]] bool has_class_of(const Kind& kind) const noexcept;

  bool has_recent_calls_ = true;
  std::int64_t kept_bytes_ = 0;  ///< scratch memory of all operations
  std::vector<Kind> kinds_;
  std::vector<PlacedBlock> sent_;
  std::vector<PlacedBlock> received_;
};

}  // namespace rondo::internal

#endif
