#include "collectives/agreement/sizes_at_both_ends.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "collectives/topology/grid.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/given_up.hpp"
#include "runtime/base/world.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <utility>

namespace rondo::internal {

std::string wrong_size(std::uint64_t block, std::uint64_t rank, std::int64_t received, std::uint64_t source,
                       std::int64_t sent) {
  return "recv block " + std::to_string(block) + ": has " + std::to_string(received) + " bytes on rank " +
         std::to_string(rank) + ", but rank " + std::to_string(source) + " sends " + std::to_string(sent);
}

SizesAtBothEnds::SizesAtBothEnds(std::vector<int> sources, std::vector<int> targets, std::vector<std::int64_t> received,
                                 std::vector<std::int64_t> sent)
    : sources_(std::move(sources)),
      targets_(std::move(targets)),
      received_(std::move(received)),
      sent_(std::move(sent)),
      arriving_(sources_.size()) {
  requests_.reserve(sources_.size() + targets_.size());
}

void SizesAtBothEnds::compare(std::unique_ptr<SizesAtBothEnds> sizes, MPI_Comm comm, int tag) {
  const auto are_complete = [&sizes] { return sizes->are_complete(); };
  sizes->exchange(comm, tag);
  try {
    wait_until(std::ref(are_complete), describe_comm(comm).view(), Patience::ends);
  } catch (const TimedOut&) {
    give_up_on(comm);
    static_cast<void>(sizes.release());
    throw;
  }
  const SizesAtBothEnds& all = *sizes;
  std::size_t wrong = 0;
  while (wrong < all.sources_.size() &&
         (all.sources_[wrong] == kNoRank || all.arriving_[wrong] == all.received_[wrong]))
    ++wrong;
  const bool is_wrong = wrong < all.sources_.size();
  std::array ranks{rank_word(is_wrong, comm)};
  max_over_ranks(ranks, comm);
  if (ranks[0] == 0) return;
  // All ranks report what was found on the highest rank that found a wrong size.
  std::array<std::uint64_t, 4> words{};
  if (ranks[0] == rank_word(is_wrong, comm)) {
    words = {wrong, static_cast<std::uint64_t>(all.received_[wrong]), static_cast<std::uint64_t>(all.sources_[wrong]),
             static_cast<std::uint64_t>(all.arriving_[wrong])};
  }
  max_over_ranks(words, comm);
  throw Error(MPI_ERR_TRUNCATE, wrong_size(words[0], ranks[0] - 1, static_cast<std::int64_t>(words[1]), words[2],
                                           static_cast<std::int64_t>(words[3])));
}

void SizesAtBothEnds::exchange(MPI_Comm comm, int tag) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i] == kNoRank) continue;
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Irecv(&arriving_[i], 1, MPI_INT64_T, sources_[i], tag, comm, &request), "MPI_Irecv");
  }
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i] == kNoRank) continue;
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Isend(&sent_[i], 1, MPI_INT64_T, targets_[i], tag, comm, &request), "MPI_Isend");
  }
}

bool SizesAtBothEnds::are_complete() {
  int all = 0;
  check_mpi(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE),
            "MPI_Testall");
  return all != 0;
}

}  // namespace rondo::internal
