/// @file
/// What ranks tell each other while an operation or a communicator is being made.
#ifndef RONDO_COLLECTIVES_AGREEMENT_HPP
#define RONDO_COLLECTIVES_AGREEMENT_HPP

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>

namespace rondo {

/// Replaces each word by the greatest of all ranks. Collective over `comm`; operations in flight go on meanwhile, as
/// another rank may have to be served before it comes here. Allocates nothing. Throws Error when MPI fails.
void take_greatest(std::span<std::uint64_t> words, MPI_Comm comm);

/// The same without waiting: the words are MPI's until the request is complete, and those of all ranks after
/// end_greatest(). Collective, nonblocking.
[[nodiscard]] MPI_Request begin_greatest(std::span<std::uint64_t> words, MPI_Comm comm);
void end_greatest(std::span<std::uint64_t> words) noexcept;

/// Fills `of_ranks`, one entry for each rank, with the values of all ranks. Otherwise as take_greatest().
void gather_from_all(std::int64_t value, std::span<std::int64_t> of_ranks, MPI_Comm comm);

/// Calls `done` until it says so, while operations in flight go on; to be passed by std::ref, which allocates nothing.
void wait_until(const std::function<bool()>& done);

/// Tells all ranks whether one of them is in trouble. Collective, allocates nothing before all know. Throws `trouble`
/// where there is one, and Error, MPI_ERR_OTHER, naming the highest such rank, on the others.
void agree_that_all_is_well(const std::exception_ptr& trouble, MPI_Comm comm);

/// For what ranks were told by take_greatest(): throws `trouble` where there is one, and Error, MPI_ERR_ARG, where only
/// another rank has some. `worst`: the greatest rank_word() of all, of ranks of the communicator `comm`, for people.
void throw_trouble(const std::exception_ptr& trouble, std::uint64_t worst, const char* comm);

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

/// Gives all ranks what rank 0 has. Otherwise as take_greatest().
void take_from_rank_0(std::span<std::byte> bytes, MPI_Comm comm);

/// A word for take_greatest(): 0 where all ranks trace.
[[nodiscard]] std::uint64_t untraced_word();
/// Lets the traces of all ranks be put together, where the greatest untraced_word() of all is 0. Collective, blocking.
void align_traces(std::uint64_t untraced, MPI_Comm comm);

/// A word for take_greatest() that names a rank with trouble: the caller's in `comm` plus 1 where `here`, otherwise 0.
[[nodiscard]] std::uint64_t rank_word(bool here, MPI_Comm comm);

}  // namespace rondo

#endif
