/// @file
/// RecentWords: the last calls on a communicator of which all arguments are written down as words.
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

/// Where the idle operations of a call are.
struct KnownPool {
  std::shared_ptr<OperationPool> pool;
  std::uint32_t tags = 0;  ///< that the call takes at least
};

/// What RecentCalls is for calls of blocks, for those that are not: halo exchanges. A call that is in here was checked,
/// and its arguments say what they said then. A bounded number of calls, of which a new one replaces that which came
/// longest ago. For one thread at a time.
class RecentWords {
 public:
  /// Where the next call is to be written down, with everything that it says, its buffers too. Keeps its memory.
  [[nodiscard]] std::vector<std::int64_t>& words() noexcept { return words_; }
  /// Where the idle operations of the call are that is written down; nullptr where it is not known. Throws Error, where
  /// a datatype cannot be asked.
  [[nodiscard]] const KnownPool* find();
  /// The call that is written down, as after all checks. `types`: all that occur among its words. Throws
  /// std::bad_alloc.
  void remember(std::vector<WordsType> types, KnownPool pool);

 private:
  struct Entry {
    std::vector<std::int64_t> words;  ///< none: nothing is remembered here
    std::vector<WordsType> to_look_up;
    KnownPool pool;
  };
  static constexpr std::size_t kCapacity = 8;

  std::vector<std::int64_t> words_;
  std::vector<Entry> entries_;  ///< none before the first call that is repeated
  std::size_t last_ = 0;        ///< found or remembered
  std::size_t next_ = 0;        ///< to be replaced
};

}  // namespace rondo::internal

#endif
