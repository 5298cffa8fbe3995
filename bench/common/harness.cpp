#include "harness.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Window {
  double seconds;  ///< of all repetitions together
  double share;    ///< of the time of the cores in use that the ranks got
};

Window time_window(MPI_Comm comm, const Variant& variant, int times) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  const auto cores = std::min(static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)), static_cast<double>(ranks));
  MPI_Barrier(comm);
  const double cpu_begin = cpu_seconds();
  const double begin = MPI_Wtime();
  variant.run(times);
  MPI_Barrier(comm);
  double seconds = MPI_Wtime() - begin;
  double cpu = cpu_seconds() - cpu_begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, &cpu, 1, MPI_DOUBLE, MPI_SUM, comm);
  return {seconds, cpu / (seconds * cores)};
}

/// Repetitions that fill a window, agreed on by all ranks.
int calibrate(MPI_Comm comm, const Variant& variant, double window_seconds) {
  int times = 1;
  for (;;) {
    const Window window = time_window(comm, variant, times);
    if (window.seconds >= window_seconds / 2 || times >= 1 << 22) {
      const double fitting = times * window_seconds / window.seconds;
      return std::max(1, static_cast<int>(std::min(fitting, static_cast<double>(1 << 22))));
    }
    times *= 4;
  }
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
  std::vector<int> times;
  for (const Variant& variant : variants) {
    int right = variant.verify() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, comm);
    comparison.results.push_back({variant.name, variant.ours, right != 0, {}});
    times.push_back(calibrate(comm, variant, options.window_seconds));
  }
  int good = 0;
  for (int round = 0; round < options.most_rounds && good < options.rounds; ++round) {
    std::vector<double> seconds(variants.size());
    double least_share = 1;
    for (std::size_t k = 0; k < variants.size(); ++k) {
      const std::size_t turn = (k + static_cast<std::size_t>(round)) % variants.size();
      const Window window = time_window(comm, variants[turn], times[turn]);
      seconds[turn] = window.seconds / times[turn];
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
