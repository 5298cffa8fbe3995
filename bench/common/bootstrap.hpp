/// @file
/// Confidence intervals by resampling (Efron, Annals of Statistics 7, 1979), as the Slim Fly paper has them (section
/// 3).
#ifndef RONDO_BENCH_BOOTSTRAP_HPP
#define RONDO_BENCH_BOOTSTRAP_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace bench {

[[nodiscard]] double median(std::span<const double> values);

/// A figure and the interval that holds the true one with some confidence. NAN where there are no samples.
struct Estimate {
  double value;
  double lower;
  double upper;

  /// The interval's width in units of the figure.
  [[nodiscard]] double spread() const { return (upper - lower) / value; }
};

struct Resampling {
  double confidence = 0.95;
  int times = 2000;
  std::uint64_t seed = 1;  ///< the same one gives the same intervals
};

/// A figure computed from `samples` samples: `figure` is given the numbers of those to use, as many as there are. The
/// interval is that between the quantiles of what it says of samples drawn with replacement.
[[nodiscard]] Estimate bootstrap(std::size_t samples, const std::function<double(std::span<const std::size_t>)>& figure,
                                 const Resampling& resampling = {});

/// The median.
[[nodiscard]] Estimate bootstrap_median(std::span<const double> samples, const Resampling& resampling = {});

/// The median of one over the median of the other, of samples that were taken pairwise, as many of each.
[[nodiscard]] Estimate bootstrap_ratio(std::span<const double> of, std::span<const double> by,
                                       const Resampling& resampling = {});

}  // namespace bench

#endif
