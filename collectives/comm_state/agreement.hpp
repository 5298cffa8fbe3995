/// @file
/// What ranks tell each other while an operation or a communicator is being made.
#ifndef RONDO_COLLECTIVES_COMM_STATE_AGREEMENT_HPP
#define RONDO_COLLECTIVES_COMM_STATE_AGREEMENT_HPP

#include <mpi.h>

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

namespace rondo::internal {

/// Replaces each word by the greatest of all ranks. Collective over `comm`; operations in flight go on meanwhile, as
/// another rank may have to be served before it comes here. Allocates nothing that may fail. Throws Error when MPI
/// fails; TimedOut when nothing has moved for RONDO_TIMEOUT; MPI_ERR_OTHER when an earlier wait on `comm` was given up.
void max_over_ranks(std::span<std::uint64_t> words, MPI_Comm comm);

/// Replaces each word by the sum of all ranks, modulo 2^64. Otherwise as max_over_ranks().
void sum_over_ranks(std::span<std::uint64_t> words, MPI_Comm comm);

/// Fills `of_ranks`, one entry for each rank, with the values of all ranks. Otherwise as max_over_ranks().
void gather_from_all(std::int64_t value, std::span<std::int64_t> of_ranks, MPI_Comm comm);

/// Gives all ranks what rank 0 has. Otherwise as max_over_ranks().
void take_from_rank_0(std::span<std::byte> bytes, MPI_Comm comm);

/// Runs `body` and keeps what it throws, so that it can be told to all ranks.
template <typename Body>
[[nodiscard]] std::exception_ptr trouble_in(Body body) {
  try {
    body();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// A word for max_over_ranks() that names a rank: the caller's in `comm` plus 1 where `here`, otherwise 0.
[[nodiscard]] std::uint64_t rank_word(bool here, MPI_Comm comm);

/// Some words that ranks tell each other in one allreduce, with the first of them whether one is in trouble. Every rank
/// adds the same words in the same order. Allocates nothing that may fail.
class Agreement {
 public:
  /// `trouble`: why there is nothing right to tell on this rank; whatever is added then does no harm. `comm` need not
  /// be made yet where there is none.
  Agreement(const std::exception_ptr& trouble, MPI_Comm comm) : comm_(comm), trouble_(trouble) {
    add(rank_word(trouble != nullptr, comm));
    limited_ = greatest(may_give_up() ? 1 : 0);
  }

  /// Names a word that was added.
  struct Same {
    std::size_t place;
  };
  struct Greatest {
    std::size_t place;
  };
  struct Least {
    std::size_t place;
  };
  /// A word that should be the same on all ranks.
  [[nodiscard]] Same same(std::uint64_t word) {
    add(word);
    return {add(~word) - 1};
  }
  [[nodiscard]] Greatest greatest(std::uint64_t word) { return {add(word)}; }
  [[nodiscard]] Least least(std::uint64_t word) { return {add(~word)}; }

  /// Tells all ranks. Collective. Throws on all ranks alike where one is in trouble: there `trouble`, and Error,
  /// MPI_ERR_ARG, naming the highest such rank, on the others. `comm_name`: the communicator's, for people.
  void reach(const char* comm_name);
  /// The same for what goes on with a function of MPI's that cannot be given up. A rank that comes late learns from the
  /// words of the others that all is well, also when they have given up since: where one of them may give up, all tell
  /// each other once more that they are here.
  void reach_and_confirm(const char* comm_name);
  /// The same in two steps, without waiting: end() when the request is complete. Nothing may be asked in between.
  [[nodiscard]] MPI_Request begin(MPI_Comm comm);
  void end(const char* comm_name);

  // Afterwards, the same on all ranks.
  [[nodiscard]] bool holds(Same word) const { return words_[word.place] == ~words_[word.place + 1]; }
  [[nodiscard]] std::uint64_t of(Greatest word) const { return words_[word.place]; }
  [[nodiscard]] std::uint64_t of(Least word) const { return ~words_[word.place]; }

 private:
  std::size_t add(std::uint64_t word) {
    assert(count_ < words_.size());
    words_[count_] = word;
    return count_++;
  }
  [[nodiscard]] std::span<std::uint64_t> words() { return std::span(words_).first(count_); }
  void throw_trouble(const char* comm_name) const;
  [[nodiscard]] static bool may_give_up() noexcept;

  std::array<std::uint64_t, 24> words_{};
  std::size_t count_ = 0;
  Greatest limited_{};  ///< whether one of the ranks has a limit to its patience
  MPI_Comm comm_;
  std::exception_ptr trouble_;
};

/// Tells all ranks whether one of them is in trouble. Collective, allocates nothing that may fail before all know.
/// Throws `trouble` where there is one, and Error, MPI_ERR_OTHER, naming the highest such rank, on the others.
void agree_that_all_is_well(const std::exception_ptr& trouble, MPI_Comm comm);
/// The same, with two words more: returns their sums over all ranks, modulo 2^64.
[[nodiscard]] std::array<std::uint64_t, 2> agree_that_all_is_well(const std::exception_ptr& trouble,
                                                                  const std::array<std::uint64_t, 2>& words,
                                                                  MPI_Comm comm);

}  // namespace rondo::internal

#endif
