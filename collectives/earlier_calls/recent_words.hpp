/// @file
/// RecentWords: the most recent calls on a communicator, each with all its arguments as a list of words.
#ifndef RONDO_COLLECTIVES_EARLIER_CALLS_RECENT_WORDS_HPP
#define RONDO_COLLECTIVES_EARLIER_CALLS_RECENT_WORDS_HPP

#include <mpi.h>

#include "runtime/operation/operation.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::internal {

class Layout;

/// A datatype's handle among the words, with the layout that it had when the call was checked.
struct WordsType {
  MPI_Datatype type;
  std::shared_ptr<const Layout> layout;  ///< held so that its address stays unique
};

/// The pool of a call's idle operations.
struct KnownPool {
  std::shared_ptr<OperationPool> pool;
  std::uint32_t tags = 0;  ///< minimum number of tags that the call takes
};

/// The most recent calls that are not described by blocks: halo exchanges. RecentCalls does the same for calls of
/// blocks. A call that is found here was checked with equal arguments. The number of calls is bounded; a new call
/// replaces the one that was remembered longest ago. For one thread at a time.
class RecentWords {
 public:
  /// Returns the list of words of the call to find or remember. Write all arguments of the call into it, buffers
  /// included. The list keeps its memory from call to call.
  [[nodiscard]] std::vector<std::int64_t>& words() noexcept { return words_; }
  /// Returns the pool of the call in words(), or nullptr if the call is not known. Throws Error if MPI cannot be asked
  /// about a datatype.
  [[nodiscard]] const KnownPool* find();
  /// Remembers the call in words(), which has passed all checks. `types`: all datatypes among its words. Throws
  /// std::bad_alloc.
  void remember(std::vector<WordsType> types, KnownPool pool);

 private:
  struct Entry {
    std::vector<std::int64_t> words;  ///< none: the entry is empty
    std::vector<WordsType> to_look_up;
    KnownPool pool;
  };
  static constexpr std::size_t kCapacity = 8;

  std::vector<std::int64_t> words_;
  std::vector<Entry> entries_;  ///< empty before the first call that is repeated
  std::size_t last_ = 0;        ///< index of the entry found or remembered last
  std::size_t next_ = 0;        ///< index of the entry to be replaced next
};

}  // namespace rondo::internal

#endif
