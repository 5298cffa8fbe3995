#include <mpi.h>
#include <rondo/error.hpp>
#include <rondo/neighborhood.hpp>

#include "runtime/base/count_of.hpp"
#include "runtime/base/random.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace rondo {

using namespace internal;

Neighborhood::Neighborhood(int dimensions) : dimensions_(dimensions) {
  if (dimensions < 1) {
    throw Error(MPI_ERR_DIMS, "Neighborhood: dimensions: is " + std::to_string(dimensions) + ", must be at least 1");
  }
}

Neighborhood::Neighborhood(int dimensions, std::span<const int> flattened, std::span<const int> weights)
    : Neighborhood(dimensions) {
  const std::size_t d = static_cast<std::size_t>(dimensions);
  if (flattened.size() % d != 0) {
    throw Error(MPI_ERR_ARG, "Neighborhood: flattened: has " + std::to_string(flattened.size()) +
                                 " offsets, must be a multiple of " + std::to_string(d));
  }
  const std::size_t t = flattened.size() / d;
  if (!weights.empty() && weights.size() != t) {
    throw Error(MPI_ERR_ARG, "Neighborhood: weights: has " + std::to_string(weights.size()) +
                                 " entries, must be empty or have " + std::to_string(t));
  }
  offsets_.assign(flattened.begin(), flattened.end());
  weighted_ = !weights.empty();
  if (weighted_)
    weights_.assign(weights.begin(), weights.end());
  else
    weights_.assign(t, 1);
}

Neighborhood::Neighborhood(std::initializer_list<std::initializer_list<int>> offsets)
    : Neighborhood(offsets.size() == 0 ? 0 : static_cast<int>(offsets.begin()->size())) {
  for (const auto& offset : offsets) add({offset.begin(), offset.size()});
}

std::span<const int> Neighborhood::operator[](int i) const {
  if (i < 0 || i >= size()) {
    throw Error(MPI_ERR_ARG, "neighbor " + std::to_string(i) + ": must be in [0, " + std::to_string(size()) + ")");
  }
  const auto d = static_cast<std::size_t>(dimensions_);
  return std::span(offsets_).subspan(static_cast<std::size_t>(i) * d, d);
}

int Neighborhood::find(std::span<const int> offset) const {
  for (int i = 0; i < size(); ++i) {
    if (std::ranges::equal((*this)[i], offset)) return i;
  }
  return -1;
}

void Neighborhood::add(std::span<const int> offset, int weight) {
  if (static_cast<int>(offset.size()) != dimensions_) {
    throw Error(MPI_ERR_DIMS, "offset: has " + std::to_string(offset.size()) + " coordinates, must have " +
                                  std::to_string(dimensions_));
  }
  offsets_.insert(offsets_.end(), offset.begin(), offset.end());
  weights_.push_back(weight);
  weighted_ = weighted_ || weight != 1;
}

Neighborhood Neighborhood::minus(const Neighborhood& other) const {
  if (other.dimensions_ != dimensions_) {
    throw Error(MPI_ERR_DIMS, "other: has " + count_of(other.dimensions_, "dimension") + ", must have " +
                                  std::to_string(dimensions_));
  }
  const auto before = [](std::span<const int> a, std::span<const int> b) {
    return std::ranges::lexicographical_compare(a, b);
  };
  std::vector<std::span<const int>> unwanted;
  unwanted.reserve(other.weights_.size());
  for (int i = 0; i < other.size(); ++i) unwanted.push_back(other[i]);
  std::ranges::sort(unwanted, before);
  Neighborhood rest(dimensions_);
  for (int i = 0; i < size(); ++i) {
    if (!std::ranges::binary_search(unwanted, (*this)[i], before))
      rest.add((*this)[i], weights_[static_cast<std::size_t>(i)]);
  }
  rest.weighted_ = weighted_;
  return rest;
}

Neighborhood Neighborhood::first(int n) const {
  if (n < 0 || n > size()) {
    throw Error(MPI_ERR_ARG, "n: is " + std::to_string(n) + ", must be in [0, " + std::to_string(size()) + "]");
  }
  Neighborhood some(dimensions_);
  const auto count = static_cast<std::size_t>(n);
  some.offsets_.assign(offsets_.begin(), offsets_.begin() + static_cast<std::ptrdiff_t>(count) * dimensions_);
  some.weights_.assign(weights_.begin(), weights_.begin() + static_cast<std::ptrdiff_t>(count));
  some.weighted_ = weighted_;
  return some;
}

Neighborhood Neighborhood::shuffled(std::uint64_t seed) const {
  Neighborhood result = *this;
  Random random(seed);
  // Fisher and Yates: each of the rest is equally likely to come next.
  for (std::size_t rest = weights_.size(); rest > 1; --rest) {
    const auto chosen = static_cast<std::size_t>(random.below(rest));
    const auto d = static_cast<std::size_t>(dimensions_);
    const std::span offsets(result.offsets_);
    std::swap(result.weights_[chosen], result.weights_[rest - 1]);
    std::ranges::swap_ranges(offsets.subspan(chosen * d, d),
                             offsets.subspan((rest - 1) * d, chosen == rest - 1 ? 0 : d));
  }
  return result;
}

}  // namespace rondo
