/// @file
/// Measurement: an operation through the plug-in, or by the library, beside MPI's own.
#ifndef RONDO_BENCH_PLUGIN_MEASUREMENT_HPP
#define RONDO_BENCH_PLUGIN_MEASUREMENT_HPP

#include "functions.hpp"
#include "harness.hpp"
#include "report.hpp"

#include <mpi.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench::plugin {

class Measurement {
 public:
  /// `only`: of the points, those in whose names it is. `ours`: the name of the way that is not MPI's own.
  Measurement(const bench::Options& options, bench::Report& report, std::string only = "", std::string ours = "plug-in")
      : options_(options), report_(report), only_(std::move(only)), ours_(std::move(ours)) {}

  /// `run(mpi, times)` does the operation, `verify(mpi)` says whether it is right.
  void compare(const std::string& point, MPI_Comm comm, const std::function<void(const Mpi&, int)>& run,
               const std::function<bool(const Mpi&)>& verify, bool passed = false) {
    if (point.find(only_) == std::string::npos) return;
    const Mpi called(false);
    const Mpi own(true);
    const bench::Comparison comparison = bench::compare(
        comm,
        {{.name = ours_, .ours = true, .run = [&](int n) { run(called, n); }, .verify = [&] { return verify(called); }},
         {.name = "MPI", .ours = false, .run = [&](int n) { run(own, n); }, .verify = [&] { return verify(own); }}},
        options_);
    const std::string what = options_.named(point);
    report_.point(what, comparison);
    const bench::Result& with = comparison.results[0];
    const bench::Result& without = comparison.results[1];
    if (with.seconds.empty()) {
      report_.no_figure(what);
    } else if (passed) {
      std::vector<double> more;
      for (std::size_t i = 0; i < with.seconds.size(); ++i)
        more.push_back((with.seconds[i] - without.seconds[i]) * 1e9);
      const bench::Quartiles nanoseconds = bench::quartiles(more);
      report_.require(what + ", ns more", nanoseconds, 20);
    } else if (without.right) {
      report_.require(what + ", " + ours_ + " / MPI", bench::ratio(with, without), 1.05);
    }
  }

 private:
  bench::Options options_;
  bench::Report& report_;
  std::string only_;
  std::string ours_;
};

}  // namespace bench::plugin

#endif
