#include "collectives/communicators/network_probe.hpp"

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/world.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

namespace rondo::internal {
namespace {

constexpr std::size_t kRounds = 7;  // the first of which opens connections

std::uint64_t in_picoseconds(double seconds) { return static_cast<std::uint64_t>(std::max(0.0, seconds) * 1e12); }

/// Returns the nanoseconds of the best round without the first, given the picoseconds of all rounds.
double best_of(std::span<const std::uint64_t> rounds) {
  return static_cast<double>(std::ranges::min(rounds.subspan(1))) / 1000;
}

}  // namespace

NetworkProbe::NetworkProbe(const NodeMembers& nodes, int rank) {
  const int here = nodes.node_of(rank);
  const auto own = nodes.members(here);
  const auto next = nodes.members((here + 1) % nodes.nodes());
  const auto before = nodes.members((here + nodes.nodes() - 1) % nodes.nodes());
  const std::size_t place = nodes.place_of(rank);
  is_first_ = place == 0;
  target_ = next[place % next.size()];
  for (std::size_t i = place; i < before.size(); i += own.size()) sources_.push_back(before[i]);
  sent_.resize(kHuge.bytes);
  received_.resize(kHuge.bytes);
  requests_.resize(kMany.messages * (sources_.size() + 1));
}

double NetworkProbe::time_of(Burst burst, std::span<const int> sources, MPI_Comm comm, int tag) {
  MPI_Request* request = requests_.data();
  const double begin = MPI_Wtime();
  for (const int source : sources) {
    for (int i = 0; i < burst.messages; ++i)  // the received bytes are not used
      check_mpi(MPI_Irecv(received_.data(), burst.bytes, MPI_BYTE, source, tag, comm, request++), "MPI_Irecv");
  }
  for (int i = 0; i < burst.messages; ++i)
    check_mpi(MPI_Isend(sent_.data(), burst.bytes, MPI_BYTE, target_, tag, comm, request++), "MPI_Isend");
  const auto count = static_cast<int>(request - requests_.data());
  const auto complete = [&] {
    int all = 0;
    check_mpi(MPI_Testall(count, requests_.data(), &all, MPI_STATUSES_IGNORE), "MPI_Testall");
    return all != 0;
  };
  wait_until(std::ref(complete), describe_comm(comm).view(), Patience::ends);
  return MPI_Wtime() - begin;
}

NetworkTimes NetworkProbe::measure(MPI_Comm comm, int tag) {
  // A rank may have received its messages before it began to wait. So the slowest rank is right, in the round in which
  // the ranks began most alike.
  std::array<std::uint64_t, kRounds> of_one{};
  if (is_first_) {
    // The first source of a node's first rank is the first rank of its node.
    for (std::uint64_t& round : of_one) round = in_picoseconds(time_of(kOne, std::span(sources_).first(1), comm, tag));
  }
  max_over_ranks(of_one, comm);  // the other ranks wait here: their messages would be in the way
  constexpr std::array kBursts{kMany, kLong, kFull, kHuge};
  std::array<std::uint64_t, kBursts.size() * kRounds> of_all{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kBursts.size(); ++i)
      of_all[i * kRounds + round] = in_picoseconds(time_of(kBursts[i], sources_, comm, tag));
  }
  max_over_ranks(of_all, comm);
  const auto best_of_all = [&](std::size_t burst) {
    return best_of(std::span(of_all).subspan(burst * kRounds, kRounds));
  };
  return times_of({.one = best_of(of_one),
                   .many = best_of_all(0),
                   .many_long = best_of_all(1),
                   .full = best_of_all(2),
                   .huge = best_of_all(3)});
}

NetworkTimes NetworkProbe::times_of(const Nanoseconds& taken) noexcept {
  // A further message takes at least half of an average one: a first one that was timed too long must not make the
  // others cheap.
  const double more = std::max(taken.many - taken.one, taken.many / 2) / (kMany.messages - 1);
  const double latency = std::max(0.0, taken.one - more);
  // Many messages may keep cores busier than ports, so that their bytes seem to take nothing; the bytes of few messages
  // never do.
  const double of_long = (taken.many_long - taken.many) / (kLong.messages * (kLong.bytes - kMany.bytes));
  const double of_full = (taken.full - latency - kFull.messages * more) / (kFull.messages * kFull.bytes);
  const double byte = std::max({0.0, of_long, of_full});
  return {.message = more,
          .byte = byte,
          .latency = latency,
          .rendezvous = std::max(more, taken.huge - latency - kHuge.bytes * byte)};
}

}  // namespace rondo::internal
