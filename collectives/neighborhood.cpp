#include <mpi.h>
#include <rondo/error.hpp>
#include <rondo/neighborhood.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace rondo {
namespace {

/// All vectors with coordinates in [first, last], in lexicographic order.
template <typename Visit>
void for_each_vector(int dimensions, int first, int last, Visit visit) {
  constexpr std::int64_t kMost = std::int64_t{1} << 27;  // more would not fit memory
  std::int64_t vectors = 1;
  for (int k = 0; k < dimensions && vectors <= kMost; ++k) vectors *= std::int64_t{last} - first + 1;
  if (vectors > kMost) {
    throw Error(MPI_ERR_ARG, "dimensions: in " + std::to_string(dimensions) + " there are more than " +
                                 std::to_string(kMost) + " vectors with coordinates from " + std::to_string(first) +
                                 " to " + std::to_string(last));
  }
  std::vector<int> vector(static_cast<std::size_t>(std::max(dimensions, 0)), first);
  for (;;) {
    visit(std::span<const int>(vector));
    auto coordinate = vector.rbegin();
    while (coordinate != vector.rend() && *coordinate == last) *coordinate++ = first;
    if (coordinate == vector.rend()) return;
    ++*coordinate;
  }
}

bool is_zero(std::span<const int> vector) {
  return std::ranges::all_of(vector, [](int coordinate) { return coordinate == 0; });
}

void check_radius(int radius) {
  if (radius < 0) throw Error(MPI_ERR_ARG, "radius: is " + std::to_string(radius) + ", must be at least 0");
}

}  // namespace

Neighborhood::Neighborhood(int dimensions) : dimensions_(dimensions) {
  if (dimensions < 1) {
    throw Error(MPI_ERR_DIMS, "dimensions: is " + std::to_string(dimensions) + ", must be at least 1");
  }
}

Neighborhood::Neighborhood(int dimensions, std::span<const int> flattened, std::span<const int> weights)
    : Neighborhood(dimensions) {
  const std::size_t d = static_cast<std::size_t>(dimensions);
  if (flattened.size() % d != 0) {
    throw Error(MPI_ERR_ARG, "flattened: has " + std::to_string(flattened.size()) + " offsets, must be a multiple of " +
                                 std::to_string(d));
  }
  const std::size_t t = flattened.size() / d;
  if (!weights.empty() && weights.size() != t) {
    throw Error(MPI_ERR_ARG, "weights: has " + std::to_string(weights.size()) + " entries, must be empty or have " +
                                 std::to_string(t));
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
  Neighborhood rest(dimensions_);
  for (int i = 0; i < size(); ++i) {
    if (other.find((*this)[i]) < 0) rest.add((*this)[i], weights_[static_cast<std::size_t>(i)]);
  }
  rest.weighted_ = weighted_;
  return rest;
}

Neighborhood moore(int dimensions, int radius) {
  check_radius(radius);
  Neighborhood result(dimensions);
  for_each_vector(dimensions, -radius, radius, [&](std::span<const int> vector) {
    if (!is_zero(vector)) result.add(vector);
  });
  return result;
}

Neighborhood von_neumann(int dimensions, int radius) {
  check_radius(radius);
  Neighborhood result(dimensions);
  for_each_vector(dimensions, -radius, radius, [&](std::span<const int> vector) {
    int distance = 0;
    for (const int coordinate : vector) distance += std::abs(coordinate);
    if (distance >= 1 && distance <= radius) result.add(vector);
  });
  return result;
}

Neighborhood box(int dimensions, int n, int first) {
  if (n < 1) throw Error(MPI_ERR_ARG, "n: is " + std::to_string(n) + ", must be at least 1");
  Neighborhood result(dimensions);
  for_each_vector(dimensions, first, first + n - 1, [&](std::span<const int> vector) { result.add(vector); });
  return result;
}

}  // namespace rondo
