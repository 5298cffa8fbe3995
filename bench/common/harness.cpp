#include "harness.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/node.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>

namespace bench {
namespace {

constexpr int kAlone = 15;  ///< operations of a window, where each is alone

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Waits for a nonblocking collective and yields: MPICH's own waiting never does, and a barrier of 16 ranks on 2 cores
/// would take a tenth of a second.
void wait_yielding(MPI_Request request) {
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) sched_yield();
  }
}

void barrier(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  wait_yielding(request);
}

double reduce(MPI_Comm comm, double value, MPI_Op op) {
  double result = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&value, &result, 1, MPI_DOUBLE, op, comm, &request);
  wait_yielding(request);
  return result;
}

struct Window {
  double seconds;  ///< of one operation
  double share;    ///< of the time of the cores in use that the ranks got
};

/// Reads more than the second-level cache holds, as a computation does between two exchanges.
void pass_over_memory() {
  static const std::vector<std::uint64_t> memory = [] {
    const long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return std::vector<std::uint64_t>(static_cast<std::size_t>(std::max(cache, 1L << 20) * 2) / sizeof(std::uint64_t));
  }();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < memory.size(); i += 8) sum += memory[i];
  [[maybe_unused]] const volatile std::uint64_t seen = sum;  // so that it is read
}

double cores_in_use(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks / rondo::internal::ranks_per_core();
}

Window time_back_to_back(MPI_Comm comm, const Variant& variant, int times) {
  if (variant.set_up) variant.set_up();
  barrier(comm);
  const double cpu_begin = cpu_seconds();
  const double begin = MPI_Wtime();
  variant.run(times);
  barrier(comm);
  const double mine = MPI_Wtime() - begin;
  const double cpu = reduce(comm, cpu_seconds() - cpu_begin, MPI_SUM);
  const double seconds = reduce(comm, mine, MPI_MAX);
  if (variant.clean_up) variant.clean_up();
  return {seconds / times, cpu / (seconds * cores_in_use(comm))};
}

Window time_alone(MPI_Comm comm, const Variant& variant, int times) {
  if (variant.set_up) variant.set_up();
  std::vector<double> mine;
  const double cpu_begin = cpu_seconds();
  const double first = MPI_Wtime();
  for (int k = 0; k < times; ++k) {
    pass_over_memory();
    barrier(comm);
    const double begin = MPI_Wtime();
    variant.run(1);
    mine.push_back(MPI_Wtime() - begin);
  }
  barrier(comm);
  const double whole = MPI_Wtime() - first;
  const double cpu = reduce(comm, cpu_seconds() - cpu_begin, MPI_SUM);
  const double longest = reduce(comm, whole, MPI_MAX);
  if (variant.clean_up) variant.clean_up();
  std::vector<double> slowest(mine.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(mine.data(), slowest.data(), times, MPI_DOUBLE, MPI_MAX, comm, &request);
  wait_yielding(request);
  return {quartiles(slowest).median, cpu / (longest * cores_in_use(comm))};
}

/// Repetitions that fill a window, agreed on by all ranks. What fills it once need not do so again: the first messages
/// between two ranks are slow, and one hiccup is as long as a window. A window too short is mostly its barriers.
int calibrate(MPI_Comm comm, const Variant& variant, double window_seconds) {
  constexpr int kMost = 1 << 22;
  int times = 1;
  for (int confirmed = 0; confirmed < 2 && times < kMost;) {
    const double seconds = time_back_to_back(comm, variant, times).seconds * times;
    confirmed = seconds >= 0.75 * window_seconds ? confirmed + 1 : 0;
    if (confirmed > 0) continue;
    const double growth = std::min(4.0, 1.1 * window_seconds / seconds);
    times = std::min(kMost, static_cast<int>(std::ceil(growth * times)));
  }
  return times;
}

}  // namespace

Quartiles quartiles(std::vector<double> values) {
  if (values.empty()) return {NAN, NAN, NAN};
  std::ranges::sort(values);
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  return {at(0.25), at(0.5), at(0.75)};
}

Comparison compare(MPI_Comm comm, const std::vector<Variant>& variants, const Options& options) {
  Comparison comparison;
  // Ranks that take turns on a core come out of a barrier one after the other, and only then begin to count their time.
  const double window_seconds = options.window_seconds * rondo::internal::ranks_per_core();
  const bool alone = options.regime == Regime::alone;
  std::vector<int> times;
  for (const Variant& variant : variants) {
    const bool right = reduce(comm, variant.verify() ? 1.0 : 0.0, MPI_MIN) != 0.0;
    comparison.results.push_back({variant.name, variant.ours, right, {}});
    times.push_back(alone ? kAlone : calibrate(comm, variant, window_seconds));
  }
  const auto time_window = alone ? time_alone : time_back_to_back;
  std::vector<std::size_t> order(variants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(20171);  // the same on all ranks
  int good = 0;
  for (int round = 0; round < options.most_rounds && good < options.rounds; ++round) {
    std::vector<double> seconds(variants.size());
    double least_share = 1;
    std::ranges::shuffle(order, random);
    for (const std::size_t turn : order) {
      const Window window = time_window(comm, variants[turn], times[turn]);
      seconds[turn] = window.seconds;
      least_share = std::min(least_share, window.share);
    }
    if (least_share < options.good_share) {
      ++comparison.discarded;
      continue;
    }
    ++good;
    for (std::size_t k = 0; k < variants.size(); ++k) comparison.results[k].seconds.push_back(seconds[k]);
  }
  return comparison;
}

Quartiles ratio(const Result& of, const Result& by) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < of.seconds.size(); ++round) {
    ratios.push_back(of.seconds[round] / by.seconds[round]);
  }
  return quartiles(std::move(ratios));
}

const Result* best(const Comparison& comparison, const std::function<bool(const Result&)>& wanted) {
  const Result* found = nullptr;
  for (const Result& result : comparison.results) {
    if (!result.right || !wanted(result) || result.seconds.empty()) continue;
    if (found == nullptr || quartiles(result.seconds).median < quartiles(found->seconds).median) found = &result;
  }
  return found;
}

}  // namespace bench
