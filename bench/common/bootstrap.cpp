#include "bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace bench {
namespace {

/// Reorders the values.
double median_of(std::vector<double>& values) {
  if (values.empty()) return NAN;
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  const double upper = *middle;
  return values.size() % 2 == 1 ? upper : (*std::max_element(values.begin(), middle) + upper) / 2;
}

double median_of_drawn(std::span<const double> samples, std::span<const std::size_t> drawn,
                       std::vector<double>& values) {
  values.clear();
  for (const std::size_t i : drawn) values.push_back(samples[i]);
  return median_of(values);
}

}  // namespace

double median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return median_of(copy);
}

Estimate bootstrap(std::size_t samples, const std::function<double(std::span<const std::size_t>)>& figure,
                   const Resampling& resampling) {
  if (samples == 0) return {NAN, NAN, NAN};
  std::vector<std::size_t> drawn(samples);
  std::iota(drawn.begin(), drawn.end(), std::size_t{0});
  const double value = figure(drawn);
  std::mt19937_64 random(resampling.seed);
  std::uniform_int_distribution<std::size_t> draw(0, samples - 1);
  std::vector<double> figures;
  for (int i = 0; i < resampling.times; ++i) {
    for (std::size_t& number : drawn) number = draw(random);
    figures.push_back(figure(drawn));
  }
  std::ranges::sort(figures);
  const double outside = (1 - resampling.confidence) / 2;
  const auto at = [&](double share) {
    const auto last = static_cast<double>(figures.size() - 1);
    return figures[static_cast<std::size_t>(std::lround(share * last))];
  };
  return {value, at(outside), at(1 - outside)};
}

Estimate bootstrap_median(std::span<const double> samples, const Resampling& resampling) {
  std::vector<double> values;
  return bootstrap(
      samples.size(), [&](std::span<const std::size_t> drawn) { return median_of_drawn(samples, drawn, values); },
      resampling);
}

Estimate bootstrap_ratio(std::span<const double> of, std::span<const double> by, const Resampling& resampling) {
  std::vector<double> values;
  return bootstrap(
      std::min(of.size(), by.size()),
      [&](std::span<const std::size_t> drawn) {
        const double above = median_of_drawn(of, drawn, values);
        return above / median_of_drawn(by, drawn, values);
      },
      resampling);
}

}  // namespace bench
