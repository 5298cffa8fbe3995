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

/// What a check of one side found out.
struct CheckedSide {
  int blocks;
  ExistingBlocks existing;  ///< referred to, and lives as long as the communicator's context
  const SideLayouts& layouts;
};

/// One side of a call, by value: the arrays' contents, and each datatype's handle with the layout that it had, as a
/// handle may be freed and come back for another datatype.
class alignas(64) RecentSide {
 public:
  /// Throws std::bad_alloc.
  void remember(const CallSide& side, const CheckedSide& checked);
  /// Whether `side` says the same. Looks at no more of it than a call would.
  [[nodiscard]] bool is(const CallSide& side) const;

 private:
  template <typename T, typename Kept>
  [[nodiscard]] static bool all_same(const T* array, const std::vector<Kept>& kept) noexcept;
  template <typename Array, typename Kept>
  [[nodiscard]] bool same_by_block(const Array& array, const std::vector<Kept>& kept) const;
  [[nodiscard]] bool same(const Integers& array, const std::vector<std::int64_t>& kept) const;
  [[nodiscard]] bool same(const Strided<MPI_Datatype>& array, const std::vector<MPI_Datatype>& kept) const;
  [[nodiscard]] bool has_layouts() const;
  [[nodiscard]] bool has_places_of(const CallSide& side) const;
  [[nodiscard]] bool exists(std::size_t block) const noexcept { return existing_.empty() || existing_[block] != 0; }

  // One cache line, which is all that a regular side of MPI's own types needs.
  const void* buffer_ = nullptr;
  std::int32_t form_ = -1;  ///< see form_of() in call_side.hpp
  bool looks_up_ = false;   ///< there are types that may be freed
  std::int64_t count_ = 0;  ///< of a regular side
  MPI_Datatype type_{};     ///< where there is one for all blocks
  std::int64_t entries_ = -1;
  std::int64_t placed_ = -1;
  std::int64_t elements_ = -1;
  // The rest, by block.
  std::vector<std::int64_t> counts_;
  std::vector<MPI_Datatype> types_;
  std::vector<std::int64_t> places_;  ///< displacements, addresses or numbers of places
  ExistingBlocks existing_;
  struct Derived {
    MPI_Datatype type;
    std::shared_ptr<const Layout> layout;  ///< held so that its address stays unique
  };
  std::vector<Derived> to_look_up_;  ///< the types that may be freed, without those that are the one before
};

/// A call that takes turns, and where the idle operations of each of its plans are.
struct RecentTurns {
  std::shared_ptr<learning::LearningCalls> learning;
  std::array<std::shared_ptr<OperationPool>, learning::kMostCandidates> pools;
};

/// Where the idle operations for a call are: in one pool, or where turns are taken in several.
struct RecentPools {
  std::shared_ptr<OperationPool> pool = nullptr;
  std::unique_ptr<RecentTurns> turns = nullptr;  ///< null for most
  std::uint32_t tags = 0;                        ///< of a nonblocking call that takes turns, or took
  bool mpis = false;                             ///< there are none, as the call is for MPI's own function
};

/// In front of the cache of schedules, which finds one by everything that it depends on and checks arguments on the
/// way: a call that is in here was checked, and its arguments say what they said then. A bounded number of calls, of
/// which a new one replaces that which came longest ago. For one thread at a time.
class RecentCalls {
 public:
  /// nullptr where this call is not known. Throws Error, as RecentSide::is() does.
  [[nodiscard]] RecentPools* find(const Call& call);
  /// As after all checks. What is remembered of a place is used again, so that calls that are never repeated do not
  /// take memory each time. Throws std::bad_alloc.
  void remember(const Call& call, const CheckedSide& sent, const CheckedSide& received, RecentPools pools);

 private:
  struct Entry {
    const char* name = nullptr;  ///< of the function, which is the operation's; nullptr: nothing is remembered here
    Collective collective{};
    MPI_Op op = MPI_OP_NULL;
    int root = 0;
    const void* send_buffer = nullptr;  ///< in place nothing else of that side is looked at
    RecentPools pools;
    RecentSide recv;
    RecentSide send;

    [[nodiscard]] bool is(const Call& call) const;
  };
  static constexpr std::size_t kCapacity = 8;

  std::vector<Entry> entries_;  ///< none before the first call that is repeated
  std::size_t last_ = 0;        ///< found or remembered
  std::size_t next_ = 0;        ///< to be replaced
};

}  // namespace rondo::internal

#endif
