/// @file
/// Agreement: the words that ranks exchange while an operation or a communicator is being made.
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

/// Replaces each word by the greatest of all ranks. Collective over `comm`. Operations in flight go on meanwhile,
/// because another rank may need them before it reaches this call. Allocates nothing that may fail. Throws Error if MPI
/// fails, TimedOut if nothing has moved for RONDO_TIMEOUT, and Error (MPI_ERR_OTHER) if an earlier wait on `comm` was
/// given up.
void max_over_ranks(std::span<std::uint64_t> words, MPI_Comm comm);

/// Replaces each word by the sum of all ranks, modulo 2^64. Otherwise as max_over_ranks().
void sum_over_ranks(std::span<std::uint64_t> words, MPI_Comm comm);

/// Fills `of_ranks`, one entry for each rank, with the values of all ranks. Otherwise as max_over_ranks().
void gather_from_all(std::int64_t value, std::span<std::int64_t> of_ranks, MPI_Comm comm);

/// Replaces `bytes` on all ranks by those of rank 0. Otherwise as max_over_ranks().
void take_from_rank_0(std::span<std::byte> bytes, MPI_Comm comm);

/// Runs `body` and returns the exception that it throws, or null, so that all ranks can be informed of it.
template <typename Body>
[[nodiscard]] std::exception_ptr trouble_in(Body body) {
  try {
    body();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

/// Returns a word for max_over_ranks() that names a rank: the caller's in `comm` plus 1 if `here`, otherwise 0.
[[nodiscard]] std::uint64_t rank_word(bool here, MPI_Comm comm);

/// Words that ranks exchange in one allreduce. The first one says whether a rank is in trouble. Every rank adds the
/// same words in the same order. Allocates nothing that may fail.
class Agreement {
 public:
  /// `trouble`: why this rank has no valid words; they then do no harm. Without trouble `comm` need not be made yet.
  Agreement(const std::exception_ptr& trouble, MPI_Comm comm) : comm_(comm), trouble_(trouble) {
    add(rank_word(trouble != nullptr, comm));
    limited_ = greatest(may_give_up() ? 1 : 0);
  }

  /// The place of a word that was added.
  struct Same {
    std::size_t place;
  };
  struct Greatest {
    std::size_t place;
  };
  struct Least {
    std::size_t place;
  };
  /// Adds a word that should be the same on all ranks.
  [[nodiscard]] Same same(std::uint64_t word) {
    add(word);
    return {add(~word) - 1};
  }
  [[nodiscard]] Greatest greatest(std::uint64_t word) { return {add(word)}; }
  [[nodiscard]] Least least(std::uint64_t word) { return {add(~word)}; }

  /// Exchanges the words. Collective. If a rank is in trouble, throws on all ranks: `trouble` on that rank, and Error
  /// (MPI_ERR_ARG), which names the highest such rank, on the others. `comm_name`: the communicator's, for people.
  void reach(const char* comm_name);
  /// Exchanges the words as reach() does, before a function of MPI that cannot be given up. A rank that comes late
  /// learns from the words of the others that all is well, even if they have given up since. So if a rank may give up,
  /// all ranks confirm in a second exchange that they still wait.
  void reach_and_confirm(const char* comm_name);
  /// Begins the exchange of reach() without waiting. Call end() when the request is complete; read no result before.
  [[nodiscard]] MPI_Request begin(MPI_Comm comm);
  void end(const char* comm_name);

  // The results of the exchange, the same on all ranks.
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
  Greatest limited_{};  ///< whether some rank has a limit to its patience
  MPI_Comm comm_;
  std::exception_ptr trouble_;
};

/// Informs all ranks whether one of them is in trouble. Collective. Allocates nothing that may fail before all know.
/// Throws `trouble` on a rank that has it, and Error (MPI_ERR_OTHER), which names the highest such rank, on others.
void agree_that_all_is_well(const std::exception_ptr& trouble, MPI_Comm comm);
/// Informs all ranks whether one of them is in trouble, and returns the sums of two words over all ranks, modulo 2^64.
/// Otherwise as agree_that_all_is_well() without words.
[[nodiscard]] std::array<std::uint64_t, 2> agree_that_all_is_well(const std::exception_ptr& trouble,
                                                                  const std::array<std::uint64_t, 2>& words,
                                                                  MPI_Comm comm);

}  // namespace rondo::internal

#endif
