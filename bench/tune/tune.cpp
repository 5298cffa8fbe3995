// Measures what dense alltoalls cost on this machine: persistent ones over MPI and through slots, and blocking ones
// through lanes. Fits the cost model's parameters to each of the three, and writes them to a tuning file, which every
// program reads that runs with RONDO_TUNING=FILE. Run it once for each number of ranks, on one node.
// Usage: tune FILE [--quick]
#include "harness.hpp"

#include <rondo/rondo.hpp>

#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_alltoall/bruck_rounds.hpp"
#include "collectives/tuning/tuning_file.hpp"
#include "datatypes/reading/this_mpi.hpp"
#include "runtime/base/node.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace internal = rondo::internal;

namespace {

using DensePlan = rondo::internal::dense::Plan;

/// The parameters that are fitted. What a schedule costs is the sum of each times what there is of it.
enum Feature : std::size_t {
  kMessage,
  kByte,
  kLongByte,
  kRendezvous,
  kRendezvousByte,
  kCopiedBlock,
  kCopiedByte,
  kPhase,
  kSecondPhase,
  kFeatures
};
using Features = std::array<double, kFeatures>;

constexpr std::int64_t kBurst = 512;
/// Longest eager messages to try: MPIs have such limits.
constexpr std::array<std::int64_t, 8> kEagerLimits{1000, 2000, 4000, 8000, 16000, 32000, 64000, 262144};
/// Of shared memory, for the largest blocks at 32 ranks, next to what shorter ones have left behind.
constexpr const char* kBudget = "33554432";

struct Sample {
  std::string plan;
  std::int64_t bytes;
  std::shared_ptr<const internal::Schedule> schedule;
  double nanoseconds;  ///< of one rank's core
};

Features features_of(const internal::Schedule& schedule, std::int64_t eager_limit) {
  Features found{};
  found[kPhase] = schedule.phases();
  found[kSecondPhase] = schedule.phases() > 1 ? 1 : 0;
  for (const internal::Task& task : schedule.tasks()) {
    if (task.kind != internal::TaskKind::send) continue;
    if (task.bytes > eager_limit) {
      found[kRendezvous] += 1;
      found[kRendezvousByte] += static_cast<double>(task.bytes);
    } else {
      found[kMessage] += 1;
      found[kByte] += static_cast<double>(std::min(task.bytes, kBurst));
      found[kLongByte] += static_cast<double>(std::max<std::int64_t>(0, task.bytes - kBurst));
    }
  }
  found[kCopiedBlock] = static_cast<double>(schedule.staged_blocks());
  found[kCopiedByte] = static_cast<double>(schedule.staged_bytes());
  return found;
}

double predict(const Features& features, const Features& costs) {
  double sum = 0;
  for (std::size_t k = 0; k < kFeatures; ++k) sum += features[k] * costs[k];
  return sum;
}

struct Fit {
  Features costs{};
  double worst = 0;  ///< relative error
  double mean_square = 0;
};

/// Least squares of the relative errors with costs that are not negative, one cost after the other.
Fit fit(const std::vector<Sample>& samples, std::int64_t eager_limit) {
  std::vector<Features> rows;
  for (const Sample& sample : samples) {
    if (!sample.schedule->wire_layouts().empty()) continue;  // derived datatypes cost otherwise, and are only timed
    Features row = features_of(*sample.schedule, eager_limit);
    for (double& value : row) value /= sample.nanoseconds;
    rows.push_back(row);
  }
  Fit best;
  std::vector<double> residual(rows.size(), -1.0);  // of what should be 1
  for (int sweep = 0; sweep < 20000; ++sweep) {
    for (std::size_t k = 0; k < kFeatures; ++k) {
      double slope = 0;
      double square = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        slope += rows[i][k] * residual[i];
        square += rows[i][k] * rows[i][k];
      }
      if (square == 0) continue;
      const double next = std::max(0.0, best.costs[k] - slope / square);
      const double step = next - best.costs[k];
      if (step == 0) continue;
      best.costs[k] = next;
      for (std::size_t i = 0; i < rows.size(); ++i) residual[i] += step * rows[i][k];
    }
  }
  for (const double error : residual) {
    best.worst = std::max(best.worst, std::abs(error));
    best.mean_square += error * error / static_cast<double>(residual.size());
  }
  return best;
}

/// What auto compares, and what a user asks for to get it.
struct Wanted {
  std::string plan;  ///< its name
  std::string algorithm;
  int radix;
};

/// Plans that are the same for regular blocks are measured once: pairwise is never the best where there is a choice.
std::vector<Wanted> plans_to_measure(int p) {
  std::vector<Wanted> plans{{"direct", "direct", 0},
                            {"windowed", "windowed", 0},
                            {"scatter", "scatter", 0},
                            {"zero-copy-bruck-blocks", "zero-copy-bruck-blocks", 0},
                            {"compact-bruck", "compact-bruck", 0}};
  for (const int radix : internal::dense::bruck_radices(p))
    plans.push_back({"bruck, radix " + std::to_string(radix), "bruck", radix});
  return plans;
}

class Measurement {
 public:
  Measurement(bool quick, internal::Medium through) : through_(through) {
    rondo::Options options;
    options.shm = through == internal::Medium::mpi ? rondo::SharedMemory::off : rondo::SharedMemory::on;
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (Wanted& wanted : plans_to_measure(ranks)) {
      options.algorithm = rondo::algorithm_from(wanted.algorithm);
      options.dense.radix = wanted.radix;
      plans_.push_back({std::move(wanted), rondo::Comm(MPI_COMM_WORLD, options)});
    }
    if (quick) options_ = {.window_seconds = 0.003, .rounds = 5, .most_rounds = 10};
    load_ = internal::ranks_per_core();
  }
  [[nodiscard]] int ranks() const { return plans_.front().comm.size(); }
  [[nodiscard]] internal::Medium through() const { return through_; }
  [[nodiscard]] double load() const { return load_; }
  [[nodiscard]] bool printing() const { return plans_.front().comm.rank() == 0; }

  /// All plans at one size of blocks, interleaved. Collective. One operation has shared memory at a time, as it may be
  /// an application's only one.
  void measure(std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(ranks()) * static_cast<std::size_t>(bytes);
    const std::vector<char> send(size, 1);
    std::vector<char> recv(size);
    const int count = static_cast<int>(bytes);
    std::optional<rondo::Request> request;
    const auto start_and_wait = [&request](int times) {
      for (int k = 0; k < times; ++k) {
        request->start();
        request->wait();
      }
    };
    std::vector<bench::Variant> variants;
    for (auto& [wanted, comm] : plans_) {
      if (through_ == internal::Medium::lanes) {
        variants.push_back({wanted.plan, true,
                            [&, on = &comm](int times) {
                              for (int k = 0; k < times; ++k) on->alltoall(send.data(), recv.data(), count, MPI_BYTE);
                            },
                            [] { return true; }});
        continue;
      }
      variants.push_back({wanted.plan, true, start_and_wait, [] { return true; }, [&request] { request.reset(); },
                          [&, on = &comm] {
                            request = on->alltoall_init(send.data(), recv.data(), count, MPI_BYTE);
                            if (through_ == internal::Medium::slots) look_at(*request, bytes);
                            start_and_wait(2);  // the first use of either of its slots
                          }});
    }
    const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options_);
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      const bench::Result& result = comparison.results[i];
      if (result.seconds.empty()) continue;
      samples_.push_back({result.name, bytes, schedule_of(plans_[i].wanted, bytes),
                          bench::quartiles(result.seconds).median * 1e9 / load_});
    }
  }

  [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }

 private:
  struct Measured {
    Wanted wanted;
    rondo::Comm comm;  ///< whose calls take this plan
  };

  /// Says where something else is measured than messages through slots. The blocks of the direct plan are short enough.
  void look_at(const rondo::Request& request, std::int64_t bytes) {
    const std::string text = request.explain();
    if (!printing() || request.algorithm() != "direct" ||
        text.find("no shared memory with a partner") == std::string::npos)
      return;
    if (said_.insert(bytes).second)
      std::printf("  blocks of %lld bytes are measured over MPI in part:\n%s", static_cast<long long>(bytes),
                  text.c_str());
  }

  [[nodiscard]] std::shared_ptr<const internal::Schedule> schedule_of(const Wanted& wanted, std::int64_t bytes) const {
    const internal::CostModel costs(load_);
    const internal::Layout block = internal::Layout::contiguous(bytes);
    std::vector<internal::BlockShape> shapes;
    for (int j = 0; j < ranks(); ++j) shapes.push_back({j * bytes, &block});
    internal::dense::Problem problem{0, ranks(), shapes, shapes, true, costs, bytes, bytes};
    problem.options.radix = wanted.radix;
    return internal::dense::choose(problem, wanted.algorithm, rondo::Ordering::dependencies).schedule;
  }

  internal::Medium through_;
  std::vector<Measured> plans_;
  std::set<std::int64_t> said_;
  bench::Options options_{.window_seconds = 0.006, .rounds = 9, .most_rounds = 20};
  double load_ = 1;
  std::vector<Sample> samples_;
};

internal::TuningEntry entry_of(const Measurement& measurement, const Fit& fitted, std::int64_t eager_limit) {
  internal::TuningEntry entry{measurement.ranks(), measurement.load(),
                              internal::built_in_dense_costs(measurement.load())};
  const Features& costs = fitted.costs;
  internal::CostParameters& parameters = entry.costs;
  parameters.message = costs[kMessage];
  parameters.byte = costs[kByte];
  parameters.burst = kBurst;
  parameters.long_byte = costs[kLongByte];
  parameters.eager_limit = eager_limit;
  parameters.rendezvous = costs[kRendezvous];
  parameters.rendezvous_byte = costs[kRendezvousByte];
  parameters.copied_block = costs[kCopiedBlock];
  parameters.copied_byte = costs[kCopiedByte];
  parameters.phase = costs[kPhase];
  parameters.second_phase = costs[kSecondPhase];
  for (const Sample& sample : measurement.samples()) entry.times.add(sample.plan, sample.bytes, sample.nanoseconds);
  entry.through = measurement.through();
  return entry;
}

/// How much slower than the best the plan is that the fit would choose, size by size: what is to be expected with other
/// numbers of ranks.
void print_choices(const std::vector<Sample>& samples, const Fit& fitted, std::int64_t eager_limit) {
  for (std::size_t begin = 0; begin < samples.size();) {
    std::size_t end = begin;
    while (end < samples.size() && samples[end].bytes == samples[begin].bytes) ++end;
    const auto all = std::span(samples).subspan(begin, end - begin);
    const auto predicted = [&](const Sample& sample) {
      if (!sample.schedule->wire_layouts().empty()) return std::numeric_limits<double>::infinity();
      return predict(features_of(*sample.schedule, eager_limit), fitted.costs);
    };
    const Sample& chosen = *std::ranges::min_element(all, {}, predicted);
    const Sample& best = *std::ranges::min_element(all, {}, &Sample::nanoseconds);
    std::printf("  %8lld bytes: %-24s %8.0f ns, predicted %8.0f; the best, %s, %.2f times that\n",
                static_cast<long long>(chosen.bytes), chosen.plan.c_str(), chosen.nanoseconds, predicted(chosen),
                best.plan.c_str(), best.nanoseconds / chosen.nanoseconds);
    begin = end;
  }
}

/// Puts the entry in the place of an earlier one for as many ranks through the same medium.
void write(const std::string& path, const internal::TuningEntry& entry) {
  internal::TuningFile tuning;
  if (std::ifstream(path)) tuning = internal::read_tuning(path);
  tuning.mpi = internal::mpi_name();
  tuning.machine = internal::machine_name();
  const auto place = [](const internal::TuningEntry& of) { return std::pair(of.ranks, of.through); };
  std::erase_if(tuning.entries, [&](const internal::TuningEntry& old) { return place(old) == place(entry); });
  tuning.entries.push_back(entry);
  std::ranges::sort(tuning.entries, {}, place);
  std::ofstream(path) << internal::print_tuning(tuning);
}

void tune(const std::string& path, bool quick, internal::Medium through) {
  Measurement measurement(quick, through);
  constexpr std::array<std::int64_t, 12> kSizes{4, 16, 64, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 262144};
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    if (measurement.printing()) {
      std::printf("%d ranks through %s: %zu of %zu, blocks of %lld bytes\n", measurement.ranks(),
                  std::string(internal::name_of(through)).c_str(), i + 1, kSizes.size(),
                  static_cast<long long>(kSizes[i]));
      std::fflush(stdout);
    }
    measurement.measure(kSizes[i]);
  }
  if (!measurement.printing()) return;
  if (measurement.samples().empty()) {
    std::printf("no figures: the machine is busy with something else\n");
    return;
  }
  Fit best;
  std::int64_t eager_limit = 0;
  for (const std::int64_t limit : kEagerLimits) {
    const Fit fitted = fit(measurement.samples(), limit);
    if (eager_limit != 0 && fitted.mean_square >= best.mean_square) continue;
    best = fitted;
    eager_limit = limit;
  }
  std::printf("fitted to %zu times, off by %.0f%% (root mean square), at most %.0f%%; eager up to %lld bytes\n",
              measurement.samples().size(), 100 * std::sqrt(best.mean_square), 100 * best.worst,
              static_cast<long long>(eager_limit));
  print_choices(measurement.samples(), best, eager_limit);
  write(path, entry_of(measurement, best, eager_limit));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  unsetenv("RONDO_PORTS");  // what is measured counts where ports are not limited
  setenv("RONDO_SHM_BYTES", kBudget, 0);
  for (const internal::Medium through : internal::kMedia)
    tune(argc > 1 ? argv[1] : "tuning.json", argc > 2 && std::strcmp(argv[2], "--quick") == 0, through);
  MPI_Finalize();
  return 0;
}
