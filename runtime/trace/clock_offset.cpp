#include "runtime/trace/clock_offset.hpp"

#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/mix.hpp"
#include "runtime/trace/trace_clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace rondo::internal {
namespace {

constexpr std::size_t kRounds = 32;

/// Returns the sums, over the ranks with `is_here`, of their numbers, by a collective that no rank leaves before every
/// rank has entered it. Allocates nothing, because no rank may miss the collective.
template <std::size_t N>
std::array<std::int64_t, N> numbers_of(bool is_here, std::array<std::int64_t, N> numbers, MPI_Comm comm) {
  if (!is_here) numbers.fill(0);
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(N), MPI_INT64_T, MPI_SUM, comm),
            "MPI_Allreduce");
  return numbers;
}

}  // namespace

std::int64_t ClockLine::at_reference(std::int64_t here) const noexcept {
  if (last_.here == first_.here) return here + last_.offset;
  const double drift =
      static_cast<double>(last_.offset - first_.offset) / static_cast<double>(last_.here - first_.here);
  return here + first_.offset + std::llround(static_cast<double>(here - first_.here) * drift);
}

std::int64_t ClockLine::uncertainty() const noexcept { return std::max(first_.uncertainty, last_.uncertainty); }

NamedClock clock_of_host() noexcept {
  std::array<char, 256> boot{};
  const int file = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const bool is_read = file >= 0 && ::read(file, boot.data(), boot.size() - 1) > 0;
  if (file >= 0) ::close(file);
  if (!is_read) ::gethostname(boot.data(), boot.size() - 1);
  return {monotonic_nanoseconds, static_cast<std::int64_t>(mix_text(1, boot.data()))};
}

/// Measures in rounds, which no rank leaves before every rank has entered them. So each round shows that the reference
/// entered before this rank left, and that this rank entered before the reference left: bounds on the offset from both
/// sides. The best bounds of all rounds count.
ClockOffset compare_clocks(const NamedClock& clock, MPI_Comm comm, int reference) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  const bool is_reference = rank == reference;
  const bool same_here = numbers_of<1>(is_reference, {clock.name}, comm)[0] == clock.name;
  if (numbers_of<1>(!same_here, {1}, comm)[0] == 0) return {clock.nanoseconds(), 0, 0};

  std::array<std::int64_t, kRounds> left{};  // times of this rank, then those of the reference
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::array<std::int64_t, kRounds> came{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    came[round] = clock.nanoseconds();
    const std::int64_t of_reference = numbers_of<1>(is_reference, {came[round]}, comm)[0];
    left[round] = clock.nanoseconds();
    low = std::max(low, of_reference - left[round]);
  }
  const std::int64_t here = left.back();
  left = numbers_of(is_reference, left, comm);
  if (same_here) return {here, 0, 0};
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  for (std::size_t round = 0; round < kRounds; ++round) high = std::min(high, left[round] - came[round]);
  return {here, low + (high - low) / 2, (high - low + 1) / 2};
}

}  // namespace rondo::internal
