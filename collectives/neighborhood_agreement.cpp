#include "collectives/neighborhood_agreement.hpp"

#include <rondo/error.hpp>

#include "collectives/agreement.hpp"

#include <string>

namespace rondo {

std::uint64_t fingerprint(const Neighborhood& neighborhood, const Settings& settings) {
  std::uint64_t hash = mix(settings.fingerprint(), static_cast<std::uint64_t>(neighborhood.dimensions()));
  for (const int offset : neighborhood.flattened()) hash = mix(hash, static_cast<std::uint64_t>(std::int64_t{offset}));
  for (const int weight : neighborhood.weights()) hash = mix(hash, static_cast<std::uint64_t>(weight));
  return mix(hash, neighborhood.weighted() ? 1 : 0);
}

std::array<std::uint64_t, 2> agree_on_neighborhood(std::uint64_t hash, const std::exception_ptr& trouble, MPI_Comm comm,
                                                   const std::array<std::uint64_t, 2>& numbers) {
  std::array words{rank_word(trouble != nullptr, comm), hash, ~hash, numbers[0], numbers[1]};
  take_greatest(words, comm);
  throw_trouble(trouble, words[0], "comm");
  if (words[1] != ~words[2]) {
    throw Error(MPI_ERR_TOPOLOGY,
                "neighborhood: all ranks of comm must give the same d, dimensions, periods, neighborhood, "
                "weights, reorder and info, and they did not");
  }
  return {words[3], words[4]};
}

}  // namespace rondo
