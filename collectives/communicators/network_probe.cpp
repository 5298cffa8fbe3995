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
  sent_.resize(kLongest);
  received_.resize(kLongest);
  requests_.resize(kMessages * (sources_.size() + 1));
}

double NetworkProbe::time_of(int messages, int bytes, std::span<const int> sources, MPI_Comm comm, int tag) {
  MPI_Request* request = requests_.data();
  const double begin = MPI_Wtime();
  for (const int source : sources) {
    for (int i = 0; i < messages; ++i)  // what comes is nothing to anybody
      check_mpi(MPI_Irecv(received_.data(), bytes, MPI_BYTE, source, tag, comm, request++), "MPI_Irecv");
  }
  for (int i = 0; i < messages; ++i)
    check_mpi(MPI_Isend(sent_.data(), bytes, MPI_BYTE, target_, tag, comm, request++), "MPI_Isend");
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
  std::array<std::uint64_t, 4 * kRounds> picoseconds{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    // The first source of a node's first rank is the first of its own.
    if (is_first_) picoseconds[round] = in_picoseconds(time_of(1, kShort, std::span(sources_).first(1), comm, tag));
    picoseconds[kRounds + round] = in_picoseconds(time_of(kMessages, kShort, sources_, comm, tag));
    picoseconds[2 * kRounds + round] = in_picoseconds(time_of(kMessages, kLong, sources_, comm, tag));
    picoseconds[3 * kRounds + round] = in_picoseconds(time_of(kMessages, kLongest, sources_, comm, tag));
  }
  // One rank may have had what it waits for before it began: the slowest is right, in the round in which they began
  // most alike.
  max_over_ranks(picoseconds, comm);
  const auto least = [&](std::size_t begin) {
    const auto rounds = std::span(picoseconds).subspan(begin + 1, kRounds - 1);
    return static_cast<double>(std::ranges::min(rounds)) / 1000;
  };
  return times_of(least(0), least(kRounds), least(2 * kRounds), least(3 * kRounds));
}

NetworkTimes NetworkProbe::times_of(double one, double many, double many_long, double many_longest) noexcept {
  // Half of `many` at least: a latency that was timed too long must not make messages cheap.
  return {.message = std::max(many - one, many / 2) / kMessages,
          .byte = std::max(0.0, many_long - many) / (kMessages * (kLong - kShort)),
          .latency = one,
          .long_byte = std::max(0.0, many_longest - many_long) / (kMessages * (kLongest - kLong))};
}

}  // namespace rondo::internal
