#include "runtime/trace/clock_offset.hpp"

#include "datatypes/reading/mpi_check.hpp"
#include "runtime/trace/trace_clock.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace rondo::internal {
namespace {

constexpr std::size_t kRounds = 32;

/// Tells everybody's number to everybody.
void gather(std::int64_t mine, std::vector<std::int64_t>& of_all, MPI_Comm comm) {
  check_mpi(MPI_Allgather(&mine, 1, MPI_INT64_T, of_all.data(), 1, MPI_INT64_T, comm), "MPI_Allgather");
}

}  // namespace

std::int64_t ClockLine::at_reference(std::int64_t here) const noexcept {
  if (last_.here == first_.here) return here + last_.offset;
  const double drift =
      static_cast<double>(last_.offset - first_.offset) / static_cast<double>(last_.here - first_.here);
  return here + first_.offset + std::llround(static_cast<double>(here - first_.here) * drift);
}

std::int64_t ClockLine::uncertainty() const noexcept { return std::max(first_.uncertainty, last_.uncertainty); }

NamedClock clock_of_host() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  if (boot.empty()) {
    boot.resize(256);
    gethostname(boot.data(), boot.size() - 1);
  }
  return {monotonic_nanoseconds, static_cast<std::int64_t>(std::hash<std::string>{}(boot))};
}

/// Nobody leaves a gather before everybody has come. So each round says of the two clocks that the reference came
/// before we left, and that we came before the reference left: bounds on the offset from both sides, the best of which
/// count.
ClockOffset compare_clocks(const NamedClock& clock, MPI_Comm comm, int reference) {
  int ranks = 0;
  int rank = 0;
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  std::vector<std::int64_t> of_all(static_cast<std::size_t>(ranks));
  const auto of_reference = static_cast<std::size_t>(reference);
  gather(clock.name, of_all, comm);
  const bool same_everywhere = std::ranges::all_of(of_all, [&](std::int64_t name) { return name == clock.name; });
  const bool same_here = of_all[of_reference] == clock.name;
  if (same_everywhere) return {clock.nanoseconds(), 0, 0};

  std::array<std::int64_t, kRounds> left{};  // our own, then the reference's
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::array<std::int64_t, kRounds> came{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    came[round] = clock.nanoseconds();
    gather(came[round], of_all, comm);
    left[round] = clock.nanoseconds();
    low = std::max(low, of_all[of_reference] - left[round]);
  }
  const std::int64_t here = left.back();
  check_mpi(MPI_Bcast(left.data(), static_cast<int>(left.size()), MPI_INT64_T, reference, comm), "MPI_Bcast");
  if (same_here) return {here, 0, 0};
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  for (std::size_t round = 0; round < kRounds; ++round) high = std::min(high, left[round] - came[round]);
  return {here, low + (high - low) / 2, (high - low + 1) / 2};
}

}  // namespace rondo::internal
