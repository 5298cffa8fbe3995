#include "collectives/comm_state/agreement.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/pending_collective.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/engine/engine.hpp"

#include <string>

namespace rondo::internal {

namespace {

/// Maps words to signed numbers of the same order, and back: MPICH 4.0 compares unsigned numbers of 64 bits as signed.
void flip_order(std::span<std::uint64_t> words) noexcept {
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63U;
  for (std::uint64_t& word : words) word ^= kTopBit;
}

/// Begins the maximum over all ranks. MPI owns the words until it is complete; flip_order() then gives the result.
void begin_max_over_ranks(void* words, std::size_t count, MPI_Comm comm, MPI_Request* request) {
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, words, static_cast<int>(count), MPI_INT64_T, MPI_MAX, comm, request),
            "MPI_Iallreduce");
}

}  // namespace

void max_over_ranks(std::span<std::uint64_t> words, MPI_Comm comm) {
  flip_order(words);
  PendingCollective collective(std::as_writable_bytes(words), comm);
  begin_max_over_ranks(collective.memory(), words.size(), comm, collective.request());
  collective.wait();
  flip_order(words);
}

void sum_over_ranks(std::span<std::uint64_t> words, MPI_Comm comm) {
  PendingCollective collective(std::as_writable_bytes(words), comm);
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, collective.memory(), static_cast<int>(words.size()), MPI_UINT64_T, MPI_SUM,
                           comm, collective.request()),
            "MPI_Iallreduce");
  collective.wait();
}

void gather_from_all(std::int64_t value, std::span<std::int64_t> of_ranks, MPI_Comm comm) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  of_ranks[static_cast<std::size_t>(rank)] = value;
  PendingCollective collective(std::as_writable_bytes(of_ranks), comm);
  check_mpi(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, collective.memory(), 1, MPI_INT64_T, comm,
                           collective.request()),
            "MPI_Iallgather");
  collective.wait();
}

void take_from_rank_0(std::span<std::byte> bytes, MPI_Comm comm) {
  PendingCollective collective(bytes, comm);
  check_mpi(MPI_Ibcast(collective.memory(), static_cast<int>(bytes.size()), MPI_BYTE, 0, comm, collective.request()),
            "MPI_Ibcast");
  collective.wait();
}

std::uint64_t rank_word(bool here, MPI_Comm comm) {
  if (!here) return 0;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return static_cast<std::uint64_t>(rank) + 1;
}

void Agreement::reach(const char* comm_name) {
  max_over_ranks(words(), comm_);
  throw_trouble(comm_name);
}

bool Agreement::may_give_up() noexcept { return Engine::process().timeout_seconds() > 0; }

void Agreement::reach_and_confirm(const char* comm_name) {
  max_over_ranks(words(), comm_);
  if (of(limited_) != 0) {
    std::array<std::uint64_t, 1> here{};
    max_over_ranks(here, comm_);
  }
  throw_trouble(comm_name);
}

MPI_Request Agreement::begin(MPI_Comm comm) {
  flip_order(words());
  MPI_Request request = MPI_REQUEST_NULL;
  begin_max_over_ranks(words().data(), words().size(), comm, &request);
  return request;
}

void Agreement::end(const char* comm_name) {
  flip_order(words());
  throw_trouble(comm_name);
}

void Agreement::throw_trouble(const char* comm_name) const {
  if (trouble_) std::rethrow_exception(trouble_);
  if (words_[0] == 0) return;
  throw Error(MPI_ERR_ARG, "rank " + std::to_string(words_[0] - 1) + " of " + comm_name +
                               " was given a bad argument, or failed otherwise: its own error says why");
}

void agree_that_all_is_well(const std::exception_ptr& trouble, MPI_Comm comm) {
  std::array greatest{rank_word(trouble != nullptr, comm)};
  max_over_ranks(greatest, comm);
  if (trouble) std::rethrow_exception(trouble);
  if (greatest[0] != 0)
    throw Error(MPI_ERR_OTHER, "rank " + std::to_string(greatest[0] - 1) + " of comm failed in this call");
}

std::array<std::uint64_t, 2> agree_that_all_is_well(const std::exception_ptr& trouble,
                                                    const std::array<std::uint64_t, 2>& words, MPI_Comm comm) {
  std::array sums{std::uint64_t{trouble ? 1U : 0U}, words[0], words[1]};
  sum_over_ranks(sums, comm);
  // The sum says how many ranks are in trouble, not which. A second exchange finds that out.
  if (sums[0] != 0) agree_that_all_is_well(trouble, comm);
  return {sums[1], sums[2]};
}

}  // namespace rondo::internal
