// Makes neighborhoods by shape.
#include <mpi.h>
#include <rondo/error.hpp>
#include <rondo/neighborhood.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace rondo {
namespace {

/// Throws Error unless `vectors` of `dimensions` coordinates fit in memory.
void check_size(int dimensions, double vectors) {
  constexpr double kMost = std::int64_t{1} << 28;
  if (vectors * dimensions > kMost) {
    throw Error(MPI_ERR_ARG, "dimensions: is " + std::to_string(dimensions) +
                                 ", must be lower: the neighborhood would have more than " +
                                 std::to_string(std::int64_t{1} << 28) + " offsets");
  }
}

void check_radius(int radius) {
  if (radius < 0) throw Error(MPI_ERR_ARG, "radius: is " + std::to_string(radius) + ", must be at least 0");
}

/// Visits all vectors with coordinates in [first, last], in lexicographic order.
template <typename Visit>
void for_each_vector(int dimensions, int first, int last, Visit visit) {
  double vectors = 1.0;
  for (int k = 0; k < dimensions && vectors < 1e18; ++k) vectors *= static_cast<double>(last) - first + 1;
  check_size(dimensions, vectors);
  std::vector<int> vector(static_cast<std::size_t>(dimensions), first);
  for (;;) {
    visit(std::span<const int>(vector));
    auto coordinate = vector.rbegin();
    while (coordinate != vector.rend() && *coordinate == last) *coordinate++ = first;
    if (coordinate == vector.rend()) return;
    ++*coordinate;
  }
}

/// Returns how many vectors of `dimensions` integers have a sum of absolute values of at most `radius`, or a number
/// beyond all bounds. Chooses j coordinates that are not zero, their signs, and where the sums 1..radius are cut into j
/// parts.
double ball_size(int dimensions, int radius) {
  double term = 1.0;
  double sum = 1.0;
  for (int j = 0; j < std::min(dimensions, radius) && sum < 1e18; ++j) {
    term *= 2.0 * (dimensions - j) * (radius - j) / (j + 1.0) / (j + 1.0);
    sum += term;
  }
  return sum;
}

}  // namespace

Neighborhood moore(int dimensions, int radius) {
  check_radius(radius);
  Neighborhood result(dimensions);
  for_each_vector(dimensions, -radius, radius, [&](std::span<const int> vector) {
    if (std::ranges::any_of(vector, [](int coordinate) { return coordinate != 0; })) result.add(vector);
  });
  return result;
}

Neighborhood von_neumann(int dimensions, int radius) {
  check_radius(radius);
  Neighborhood result(dimensions);
  check_size(dimensions, ball_size(dimensions, radius));
  // Lexicographic order: counts up in the last coordinate that can grow within the radius, and begins anew after it.
  std::vector<int> vector(static_cast<std::size_t>(dimensions), 0);
  vector.front() = -radius;
  int room = 0;  // radius - sum of absolute values
  for (;;) {
    if (room < radius) result.add(vector);
    std::size_t k = vector.size() - 1;
    while (vector[k] >= 0 && room == 0) {  // cannot grow
      room += vector[k];
      vector[k] = 0;
      if (k-- == 0) return result;
    }
    room += vector[k] < 0 ? 1 : -1;
    ++vector[k];
    if (k + 1 < vector.size()) {
      vector[k + 1] = -room;
      room = 0;
    }
  }
}

Neighborhood box(int dimensions, int n, int first) {
  if (n < 1) throw Error(MPI_ERR_ARG, "n: is " + std::to_string(n) + ", must be at least 1");
  if (first > std::numeric_limits<int>::max() - (n - 1)) {
    throw Error(MPI_ERR_ARG, "first: is " + std::to_string(first) + ", must be at most " +
                                 std::to_string(std::numeric_limits<int>::max() - (n - 1)));
  }
  Neighborhood result(dimensions);
  for_each_vector(dimensions, first, first + (n - 1), [&](std::span<const int> vector) { result.add(vector); });
  return result;
}

}  // namespace rondo
