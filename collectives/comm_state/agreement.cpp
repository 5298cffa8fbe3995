#include "collectives/comm_state/agreement.hpp"

#include <rondo/error.hpp>

#include "datatypes/reading/mpi_check.hpp"
#include "runtime/engine/engine.hpp"

#include <string>

namespace rondo::internal {

namespace {

/// To signed numbers of the same order, and back: MPICH 4.0 takes unsigned ones of 64 bits for signed when it compares.
void flip_order(std::span<std::uint64_t> words) noexcept {
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63U;
  for (std::uint64_t& word : words) word ^= kTopBit;
}

/// Waits for MPI's own collective.
void wait_for(MPI_Request request) {
  const auto is_complete = [&] {
    int complete = 0;
    check_mpi(MPI_Test(&request, &complete, MPI_STATUS_IGNORE), "MPI_Test");
    return complete != 0;
  };
  wait_until(std::ref(is_complete));
}

}  // namespace

void wait_until(const std::function<bool()>& done) {
  Engine& engine = Engine::process();
  struct Activity {
    explicit Activity(Engine& of) : engine(of) {
      engine.set_activity("waits for the other ranks to make the same communicator or request");
    }
    ~Activity() { engine.set_activity(nullptr); }
    Engine& engine;
  } const activity(engine);
  unsigned idle_passes = 0;
  while (!done()) {
    if (engine.progress() != 0)
      idle_passes = 0;
    else
      engine.idle(++idle_passes);
  }
}

namespace {

/// The words are MPI's until the request is complete, and those of all ranks after another flip_order().
MPI_Request begin_max_over_ranks(std::span<std::uint64_t> words, MPI_Comm comm) {
  flip_order(words);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Iallreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_INT64_T, MPI_MAX, comm, &request),
      "MPI_Iallreduce");
  return request;
}

}  // namespace

void max_over_ranks(std::span<std::uint64_t> words, MPI_Comm comm) {
  wait_for(begin_max_over_ranks(words, comm));
  flip_order(words);
}

void gather_from_all(std::int64_t value, std::span<std::int64_t> of_ranks, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(&value, 1, MPI_INT64_T, of_ranks.data(), 1, MPI_INT64_T, comm, &request), "MPI_Iallgather");
  wait_for(request);
}

void take_from_rank_0(std::span<std::byte> bytes, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, comm, &request), "MPI_Ibcast");
  wait_for(request);
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

MPI_Request Agreement::begin(MPI_Comm comm) { return begin_max_over_ranks(words(), comm); }

void Agreement::end(const char* comm_name) {
  flip_order(words());
  throw_trouble(comm_name);
}

void Agreement::throw_trouble(const char* comm_name) const {
  if (trouble_) std::rethrow_exception(trouble_);
  if (words_[0] == 0) return;
  throw Error(MPI_ERR_ARG, "rank " + std::to_string(words_[0] - 1) + " of " + comm_name +
                               " was given a bad argument, or ran out of memory");
}

void agree_that_all_is_well(const std::exception_ptr& trouble, MPI_Comm comm) {
  std::array worst{rank_word(trouble != nullptr, comm)};
  max_over_ranks(worst, comm);
  if (trouble) std::rethrow_exception(trouble);
  if (worst[0] != 0)
    throw Error(MPI_ERR_OTHER, "rank " + std::to_string(worst[0] - 1) + " of comm failed in this call");
}

}  // namespace rondo::internal
