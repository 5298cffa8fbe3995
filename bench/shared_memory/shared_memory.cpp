// Exchanges between the ranks of one node: MPI's, Rondo's, and loops written by hand over slots in shared memory, which
// are the limit that this machine sets. Figures: Rondo's persistent exchanges take at most the share of the best
// rival's time that limit_of() says. Usage: shared_memory CSV [--quick] [--regime back-to-back|alone] [--only BYTES]
//   --layouts   instead: loops that differ in where slots lie and how they are waited for, beside the first one
//   --arrays    instead: halos of matrices of doubles whose columns have 32 KiB and more, in private memory and in
//   arrays that Rondo allocated, and the share that these take
//   --ring      instead: messages of 4 KiB to 1 MiB between neighbors on a ring, where copying twice begins to cost
//   more
#include "bootstrap.hpp"
#include "dense_exchange.hpp"
#include "exchange.hpp"
#include "halo_matrix.hpp"
#include "report.hpp"
#include "slot_exchange.hpp"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using bench::Form;
using bench::Layout;
using bench::Receiving;

struct Named {
  const char* name;
  Form form;
};

#if !defined(OPEN_MPI)
constexpr bool kYielding[] = {false, true};  // MPICH never yields by itself
#else
constexpr bool kYielding[] = {false};
#endif

/// Of one pattern: which of MPI's and Rondo's exchanges stand beside the loops, Rondo's persistent and blocking first.
class Problem {
 public:
  /// A neighborhood on a torus, or the dense alltoall where there is none.
  Problem(std::string name, const std::optional<rondo::Neighborhood>& hood, int bytes)
      : name_(std::move(name)), dense_(!hood), bytes_(bytes) {
    MPI_Comm_size(MPI_COMM_WORLD, &p_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    pattern_.bytes = static_cast<std::size_t>(bytes);
    if (hood) {
      std::vector<int> sizes(static_cast<std::size_t>(hood->dimensions()), 0);
      MPI_Dims_create(p_, hood->dimensions(), sizes.data());
      const rondo::CartComm torus(MPI_COMM_WORLD, sizes, *hood);
      pattern_.sources = torus.sources();
      pattern_.targets = torus.targets();
      halo_.emplace(sizes, *hood, bytes);
    } else {
      for (int i = 0; i < p_; ++i) {
        pattern_.sources.push_back((rank_ + p_ - i) % p_);
        pattern_.targets.push_back((rank_ + i) % p_);
      }
      alltoall_.emplace(bytes);
    }
  }

  void measure(std::vector<Named> loops, const bench::Options& options, bench::Report& report) {
    std::vector<bench::Variant> variants = halo_ ? variants_of(*halo_) : variants_of(*alltoall_);
    const bench::Comparison comparison = compare(std::move(variants), loops, options, report);
    const auto is_loop = [](const bench::Result& result) { return result.name.starts_with("slots"); };
    const bench::Result* loop = bench::best(comparison, is_loop);
    const bench::Result* rival = bench::best(comparison, [](const bench::Result& result) { return !result.ours; });
    if (loop == nullptr || rival == nullptr) {
      report.no_figure(point(options));
      return;
    }
    const bench::Result& persistent = comparison.results[0];
    const bench::Result& blocking = comparison.results[1];
    print_ratio(*loop, *rival);
    print_ratio(persistent, *loop);
    print_ratio(blocking, *loop);
    print_ratio(blocking, *rival);
    if (const std::optional<double> limit = limit_of())
      report.require(point(options) + ", auto / " + rival->name, bench::ratio(persistent, *rival), *limit);
  }

  /// All loops beside the first one.
  void measure_loops(const std::vector<Named>& loops, const bench::Options& options, bench::Report& report) {
    const bench::Comparison comparison = compare({}, loops, options, report);
    for (std::size_t i = 1; i < comparison.results.size(); ++i)
      print_ratio(comparison.results[i], comparison.results[0]);
  }

 private:
  template <typename Exchange>
  [[nodiscard]] static std::vector<bench::Variant> variants_of(Exchange& exchange) {
    std::vector<bench::Variant> variants;
    if constexpr (std::is_same_v<Exchange, bench::Exchange>) {
      variants = {exchange.rondo_persistent("auto", true), exchange.rondo_blocking("auto"),
                  exchange.mpi_neighbor_alltoall(), exchange.mpi_neighbor_alltoallw()};
      for (const bool yields : kYielding) variants.push_back(exchange.persistent_point_to_point(yields));
    } else {
      variants = {exchange.rondo_persistent("auto"), exchange.rondo_blocking(), exchange.mpi_alltoall()};
      for (const bool yields : kYielding) variants.push_back(exchange.mpi_alltoall_init(yields));
    }
    for (const bool yields : kYielding) variants.push_back(exchange.isend_irecv(yields));
    return variants;
  }

  [[nodiscard]] std::string point(const bench::Options& options) const {
    return options.named(name_ + ", " + std::to_string(p_) + " ranks, " + std::to_string(bytes_) + " B");
  }

  /// Interleaves the loops with the others, and reports the point.
  [[nodiscard]] bench::Comparison compare(std::vector<bench::Variant> variants, const std::vector<Named>& loops,
                                          const bench::Options& options, bench::Report& report) const {
    std::deque<bench::SlotExchange> exchanges;
    for (const Named& loop : loops) variants.push_back(exchanges.emplace_back(pattern_, loop.form).variant(loop.name));
    bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
    report.point(point(options), comparison);
    return comparison;
  }

  void print_ratio(const bench::Result& of, const bench::Result& by) const {
    const bench::Estimate ratio = bench::bootstrap_ratio(of.seconds, by.seconds);
    if (rank_ == 0)
      std::printf("  -> %s / %s: %.2f [%.2f, %.2f]\n", of.name.c_str(), by.name.c_str(), ratio.value, ratio.lower,
                  ratio.upper);
  }

  /// Rondo's persistent exchange over the best rival.
  [[nodiscard]] std::optional<double> limit_of() const {
    const bool own_core = rondo::internal::ranks_per_core() <= 1;
    if (dense_) return bytes_ <= 256 ? std::optional(own_core ? 0.35 : 0.60) : std::nullopt;
    if (bytes_ <= 64) return own_core ? 0.25 : 0.60;
    if (bytes_ <= 1024) return own_core ? 0.40 : 0.45;
    return 1.0;
  }

  std::string name_;
  bool dense_;
  int bytes_;
  int p_ = 1;
  int rank_ = 0;
  bench::Pattern pattern_;
  std::optional<bench::Exchange> halo_;
  std::optional<bench::DenseExchange> alltoall_;
};

/// Faces that are scattered, in allocated arrays and in private ones.
void measure_arrays(const bench::HaloPoint& point, const bench::Options& options, bench::Report& report) {
  int p = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  bench::HaloMatrix allocated(point, true);
  bench::HaloMatrix matrix(point);
  const std::vector<bench::Variant> variants{allocated.rondo_halo("auto"), matrix.rondo_halo("auto"),
                                             matrix.mpi_neighbor_alltoallw(), matrix.isend_irecv(),
                                             matrix.by_dimension()};
  const bench::Comparison comparison = bench::compare(MPI_COMM_WORLD, variants, options);
  const std::string what =
      options.named("9-point, " + std::to_string(p) + " ranks, n " + std::to_string(point.n) + " of " +
                    std::to_string(point.bytes) + " B, depth " + std::to_string(point.depth));
  report.point(what, comparison);
  const bench::Result* rival = bench::best(comparison, [](const bench::Result& result) { return !result.ours; });
  if (rival == nullptr) {
    report.no_figure(what);
    return;
  }
  const bool own_core = rondo::internal::ranks_per_core() <= 1;
  report.require(what + ", allocated / " + rival->name, bench::ratio(comparison.results[0], *rival),
                 own_core ? 0.45 : 0.50);
  report.require(what + ", private / " + rival->name, bench::ratio(comparison.results[1], *rival), 0.65);
}

}  // namespace

int main(int argc, char** argv) {
  bool layouts = false;
  bool ring = false;
  bool arrays = false;
  int only = 0;
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--layouts") layouts = true;
    if (argument == "--ring") ring = true;
    if (argument == "--arrays") arrays = true;
    if (argument == "--only" && i + 1 < argc) only = std::atoi(argv[i + 1]);
  }
  const std::vector<Named> loops{{"slots", {}}, {"slots, combined", {.combined = true}}};
  const std::vector<Named> forms{{"slots", {}},
                                 {"slots, again", {}},  // what differs by chance
                                 {"slots, line pairs", {.layout = Layout::line_pairs}},
                                 {"slots, packed", {.layout = Layout::packed}},
                                 {"slots, flags apart", {.layout = Layout::flags_apart}},
                                 {"slots, combined", {.combined = true}},
                                 {"slots, credit", {.credit = true}},
                                 {"slots, restarts", {.receiving = Receiving::restarts}},
                                 {"slots, in order", {.receiving = Receiving::in_order}},
                                 {"slots, look at 1", {.looks = 1}},
                                 {"slots, look at 8", {.looks = 8}},
                                 {"slots, look at 32", {.looks = 32}}};
  const std::vector<int> sizes =
      ring ? std::vector{4096, 8192, 16384, 32768, 65536, 262144, 1048576} : std::vector{8, 64, 512, 1024, 4096, 16384};
  return bench::run_benchmark(argc, argv, {}, {.window_seconds = 0.003, .rounds = 7, .most_rounds = 15},
                              [&](const bench::Options& options, bench::Report& report) {
                                const auto measure = [&](const char* name,
                                                         const std::optional<rondo::Neighborhood>& hood, int bytes) {
                                  Problem problem(name, hood, bytes);
                                  if (layouts)
                                    problem.measure_loops(forms, options, report);
                                  else
                                    problem.measure(loops, options, report);
                                };
                                for (const int n : {4096, 1000, 512, 8000}) {
                                  if (!arrays || (only != 0 && only != n)) continue;
                                  const int depth = n < 4096 ? 8 : 1;
                                  measure_arrays({n, depth, rondo::Stencil::box, MPI_DOUBLE, 8}, options, report);
                                }
                                if (arrays) return;
                                for (const int bytes : sizes) {
                                  if (only != 0 && only != bytes) continue;
                                  if (ring) {
                                    measure("ring", rondo::moore(1, 1), bytes);
                                    continue;
                                  }
                                  measure("9-point", rondo::moore(2, 1), bytes);
                                  measure("27-point", rondo::moore(3, 1), bytes);
                                  measure("alltoall", std::nullopt, bytes);
                                }
                              });
}
