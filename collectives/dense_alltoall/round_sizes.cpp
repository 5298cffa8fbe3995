#include "collectives/dense_alltoall/round_sizes.hpp"

#include "datatypes/reading/mpi_check.hpp"

#include <algorithm>
#include <utility>

namespace rondo::internal::dense {

RoundSizeExchange::RoundSizeExchange(int radix, std::span<const std::int64_t> own, MPI_Comm comm, int tag)
    : comm_(comm),
      tag_(tag),
      size_(static_cast<int>(own.size())),
      radix_(radix),
      rounds_(size_, radix),
      memory_(std::make_unique<Memory>()) {
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  for (int j = 0; j < size_; ++j)
    memory_->at_hand.push_back(own[static_cast<std::size_t>((rank_ + size_ - j) % size_)]);
  memory_->outgoing.resize(own.size());  // a block is sent at most once in a phase
  memory_->arriving.resize(static_cast<std::size_t>(rounds_.volume()));
  memory_->requests.reserve(2 * rounds_.all().size());
}

RoundSizeExchange::~RoundSizeExchange() {
  if (memory_ == nullptr) return;
  const bool in_flight = std::ranges::any_of(memory_->requests, [](MPI_Request it) { return it != MPI_REQUEST_NULL; });
  if (in_flight) static_cast<void>(memory_.release());  // MPI may still write there
}

void RoundSizeExchange::post_phase() {
  const std::span<const BruckRound> rounds = rounds_.all();
  begin_ = end_;
  while (end_ < rounds.size() && rounds[end_].digit == rounds[begin_].digit) ++end_;
  std::int64_t* incoming = memory_->arriving.data() + arrived_;
  for (std::size_t i = begin_; i < end_; ++i) {
    const auto source = static_cast<int>((rank_ + rounds[i].steps) % size_);
    MPI_Request& request = memory_->requests.emplace_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Irecv(incoming, rounds[i].blocks, MPI_INT64_T, source, tag_, comm_, &request), "MPI_Irecv");
    incoming += rounds[i].blocks;
  }
  std::int64_t* outgoing = memory_->outgoing.data();
  for (std::size_t i = begin_; i < end_; ++i) {
    const auto target = static_cast<int>((rank_ + size_ - rounds[i].steps) % size_);
    const std::int64_t* message = outgoing;
    rounds[i].for_each_block(size_, [&](int j) { *outgoing++ = memory_->at_hand[static_cast<std::size_t>(j)]; });
    MPI_Request& request = memory_->requests.emplace_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Isend(message, rounds[i].blocks, MPI_INT64_T, target, tag_, comm_, &request), "MPI_Isend");
  }
}

void RoundSizeExchange::end_phase() {
  for (std::size_t i = begin_; i < end_; ++i) {
    rounds_.all()[i].for_each_block(
        size_, [&](int j) { memory_->at_hand[static_cast<std::size_t>(j)] = memory_->arriving[arrived_++]; });
  }
  memory_->requests.clear();
}

bool RoundSizeExchange::advance() {
  for (;;) {
    if (!memory_->requests.empty()) {
      int complete = 0;
      check_mpi(MPI_Testall(static_cast<int>(memory_->requests.size()), memory_->requests.data(), &complete,
                            MPI_STATUSES_IGNORE),
                "MPI_Testall");
      if (complete == 0) return false;
      end_phase();
    }
    if (end_ == rounds_.all().size()) return true;
    post_phase();
  }
}

RoundSizes RoundSizeExchange::take() && { return {radix_, std::move(memory_->arriving)}; }

}  // namespace rondo::internal::dense
