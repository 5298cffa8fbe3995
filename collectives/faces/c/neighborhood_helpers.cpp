// The C interface: lists of offsets by shape.
#include <rondo/cart.h>

#include "collectives/faces/c/errors.hpp"

#include <rondo/neighborhood.hpp>

#include <algorithm>
#include <span>
#include <string>

using namespace rondo;
using namespace rondo::internal;

namespace {

/// Stores the first `maxt` vectors of a neighborhood, and the number of all its vectors.
void tell(const Neighborhood& hood, int maxt, int targetrelative[], int* t) {
  require(t, "t");
  if (maxt < 0) throw Error(MPI_ERR_ARG, "maxt: is " + std::to_string(maxt) + ", must be at least 0");
  const int some = std::min(maxt, hood.size());
  if (some > 0) require(targetrelative, "targetrelative");
  std::ranges::copy(hood.first(some).flattened(), targetrelative);
  *t = hood.size();
}

/// Returns a list of the user, which may carry weights, as a neighborhood.
Neighborhood list_of(int d, int t, const int* list, const int* weight, const char* name) {
  if (t < 0)
    throw Error(MPI_ERR_ARG,
                std::string(name) + ": is a list of " + std::to_string(t) + " vectors, must have at least 0");
  if (t > 0) require(list, name);
  const auto count = static_cast<std::size_t>(t);
  const bool weighted = weight != nullptr && weight != MPI_UNWEIGHTED && t > 0;
  return {d, std::span(list, count * static_cast<std::size_t>(std::max(d, 0))),
          weighted ? std::span(weight, count) : std::span<const int>{}};
}

void put_back(const Neighborhood& hood, int targetrelative[], int* weight) {
  std::ranges::copy(hood.flattened(), targetrelative);
  if (weight != nullptr && weight != MPI_UNWEIGHTED) std::ranges::copy(hood.weights(), weight);
}

}  // namespace

int Rondo_Neighborhood_moore(int d, int radius, int maxt, int targetrelative[], int* t) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Neighborhood_moore",
                          [&] { tell(moore(d, radius), maxt, targetrelative, t); });
}

int Rondo_Neighborhood_von_neumann(int d, int radius, int maxt, int targetrelative[], int* t) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Neighborhood_von_neumann",
                          [&] { tell(von_neumann(d, radius), maxt, targetrelative, t); });
}

int Rondo_Neighborhood_box(int d, int n, int first, int maxt, int targetrelative[], int* t) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Neighborhood_box",
                          [&] { tell(box(d, n, first), maxt, targetrelative, t); });
}

int Rondo_Neighborhood_subtract(int d, int* t, int targetrelative[], int* weight, int othert, const int other[]) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Neighborhood_subtract", [&] {
    require(t, "t");
    const Neighborhood rest =
        list_of(d, *t, targetrelative, weight, "targetrelative").minus(list_of(d, othert, other, nullptr, "other"));
    put_back(rest, targetrelative, weight);
    *t = rest.size();
  });
}

int Rondo_Neighborhood_shuffle(int d, int t, int targetrelative[], int* weight, unsigned long long seed) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Neighborhood_shuffle", [&] {
    put_back(list_of(d, t, targetrelative, weight, "targetrelative").shuffled(seed), targetrelative, weight);
  });
}
