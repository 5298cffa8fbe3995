#include "collectives/communicators/neighborhood_agreement.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "runtime/base/mix.hpp"

namespace rondo::internal {

std::uint64_t fingerprint(const Neighborhood& neighborhood, const Settings& settings) {
  std::uint64_t hash = mix(settings.fingerprint(), static_cast<std::uint64_t>(neighborhood.dimensions()));
  for (const int offset : neighborhood.flattened()) hash = mix(hash, static_cast<std::uint64_t>(std::int64_t{offset}));
  for (const int weight : neighborhood.weights()) hash = mix(hash, static_cast<std::uint64_t>(weight));
  return mix(hash, neighborhood.weighted() ? 1 : 0);
}

void require_same_neighborhood(bool same) {
  if (same) return;
  throw Error(MPI_ERR_TOPOLOGY,
              "neighborhood: all ranks of comm must give the same d, dimensions, periods, neighborhood, "
              "weights, reorder and info, but they did not");
}

void agree_on_neighborhood(std::uint64_t hash, const std::exception_ptr& trouble, MPI_Comm comm) {
  Agreement agreement(trouble, comm);
  const auto given = agreement.same(hash);
  agreement.reach_and_confirm("comm");
  require_same_neighborhood(agreement.holds(given));
}

}  // namespace rondo::internal
