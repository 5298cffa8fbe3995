/// @file
/// RecentCalls: the last calls on a communicator, recognized by the values of their arguments.
#ifndef RONDO_COLLECTIVES_EARLIER_CALLS_RECENT_CALLS_HPP
#define RONDO_COLLECTIVES_EARLIER_CALLS_RECENT_CALLS_HPP

#include <mpi.h>

#include "collectives/blocks/call.hpp"
#include "collectives/blocks/call_side.hpp"
#include "collectives/learning/learning_calls.hpp"
#include "collectives/learning/turns.hpp"
#include "runtime/operation/operation.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::internal {

/// The results of the check of one side of a call: its number of blocks, the existing ones, and its layouts.
struct CheckedSide {
  int blocks;
  ExistingBlocks existing;  ///< a view, valid as long as the communicator's context
  const SideLayouts& layouts;
};

/// The arguments of one side of a call, by value: the arrays' contents, and each datatype's handle with the layout that
/// it had, because a handle may be freed and come back for another datatype. One datatype of all blocks may also be
/// another one with the same layout.
class alignas(64) RecentSide {
 public:
  /// Remembers a side that has passed its check. `combined`: whether elements are combined by an operation, for which a
  /// layout is not enough: integers and floating-point numbers may have the same. Throws std::bad_alloc.
  void remember(const CallSide& side, const CheckedSide& checked, bool combined);
  /// Returns whether `side` has the arguments that were remembered. Reads no more of them than a call would.
  [[nodiscard]] bool is(const CallSide& side) const;

 private:
  template <typename T, typename Kept>
  [[nodiscard]] static bool all_same(const T* array, const std::vector<Kept>& kept) noexcept;
  template <typename Array, typename Kept>
  [[nodiscard]] bool same_by_block(const Array& array, const std::vector<Kept>& kept) const;
  [[nodiscard]] bool same(const Integers& array, const std::vector<std::int64_t>& kept) const;
  [[nodiscard]] bool same(const Strided<MPI_Datatype>& array, const std::vector<MPI_Datatype>& kept) const;
  [[nodiscard]] bool has_layouts() const;
  [[nodiscard]] bool lies_alike(const CallSide& side) const;
  [[nodiscard]] bool has_places_of(const CallSide& side) const;
  [[nodiscard]] bool exists(std::size_t block) const noexcept { return existing_.empty() || existing_[block] != 0; }

  // These members fill one cache line, which is all that a regular side of MPI's own types needs.
  const void* buffer_ = nullptr;
  std::int32_t form_ = -1;  ///< see form_of() in call_side.hpp
  bool looks_up_ = false;   ///< whether there are types that may be freed
  bool reads_type_ = true;
  std::int64_t count_ = 0;  ///< count of a regular side
  MPI_Datatype type_{};     ///< type of all blocks, if they share one
  std::int64_t entries_ = -1;
  std::int64_t placed_ = -1;
  std::int64_t elements_ = -1;
  const Layout* layout_ = nullptr;  ///< layout of type_; null: no other datatype will do
  // Lists by block.
  std::vector<std::int64_t> counts_;
  std::vector<MPI_Datatype> types_;
  std::vector<std::int64_t> places_;  ///< displacements, addresses or numbers of places
  ExistingBlocks existing_;
  struct Derived {
    MPI_Datatype type;
    std::shared_ptr<const Layout> layout;  ///< held so that its address stays unique
  };
  std::vector<Derived> to_look_up_;  ///< the types that may be freed, without consecutive repetitions
};

/// The learning state of a call that tries candidates, with the pool of idle operations of each candidate.
struct RecentTurns {
  std::shared_ptr<learning::LearningCalls> learning;
  std::array<std::shared_ptr<OperationPool>, learning::kMostCandidates> pools;
};

/// The pools of a call's idle operations: one pool, or one for each candidate if the call tries several.
struct RecentPools {
  std::shared_ptr<OperationPool> pool = nullptr;
  std::unique_ptr<RecentTurns> turns = nullptr;  ///< null for most calls
  std::uint32_t tags = 0;                        ///< tags of a nonblocking call that tries candidates, or has done so
  bool mpis = false;                             ///< whether the call is for MPI's own function and has no pools
};

/// The most recent calls of a communicator, in front of the cache of schedules. That cache finds a schedule by
/// everything on which it depends, which means that arguments are checked first. A call that is found here was checked
/// with equal arguments. The number of calls is bounded; a new call replaces the one that was remembered longest ago.
/// For one thread at a time.
class RecentCalls {
 public:
  /// Returns the pools of a call, or nullptr if the call is not known. Throws Error, as RecentSide::is() does.
  [[nodiscard]] RecentPools* find(const Call& call);
  /// Remembers a call that has passed all checks. Reuses the memory of the entry that it replaces, so that calls that
  /// are never repeated do not allocate each time. Throws std::bad_alloc.
  void remember(const Call& call, const CheckedSide& sent, const CheckedSide& received, RecentPools pools);

 private:
  struct Entry {
    const char* name = nullptr;  ///< name of the function and of its operations; nullptr: the entry is empty
    Collective collective{};
    MPI_Op op = MPI_OP_NULL;
    int root = 0;
    const void* send_buffer = nullptr;  ///< all that is compared of the send side unless describes_sent()
    RecentPools pools;
    RecentSide recv;
    RecentSide send;

    [[nodiscard]] bool is(const Call& call) const;
  };
  static constexpr std::size_t kCapacity = 8;

  std::vector<Entry> entries_;  ///< empty before the first call that is repeated
  std::size_t last_ = 0;        ///< index of the entry found or remembered last
  std::size_t next_ = 0;        ///< index of the entry to be replaced next
};

}  // namespace rondo::internal

#endif
