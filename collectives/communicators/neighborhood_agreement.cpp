#include "collectives/communicators/neighborhood_agreement.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "runtime/base/mix.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace rondo::internal {

NeighborhoodHashes::NeighborhoodHashes(const Neighborhood& given, const Settings& settings) noexcept
    : d(static_cast<std::uint64_t>(given.dimensions())),
      neighborhood(static_cast<std::uint64_t>(given.size())),
      weights(given.weighted() ? 1 : 0),
      info(settings.fingerprint()) {
  for (const int offset : given.flattened())
    neighborhood = mix(neighborhood, static_cast<std::uint64_t>(std::int64_t{offset}));
  for (const int weight : given.weights()) weights = mix(weights, static_cast<std::uint64_t>(weight));
}

std::uint64_t NeighborhoodHashes::all() const noexcept {
  std::uint64_t hash = 1;
  for (const std::uint64_t one : {d, dimensions, periods, neighborhood, weights, reorder, info}) hash = mix(hash, one);
  return hash;
}

void require_same_neighborhood(bool same, const NeighborhoodHashes& here, MPI_Comm comm) {
  if (same) return;
  constexpr std::array kArguments{"d", "dimensions", "periods", "neighborhood", "weights", "reorder", "info"};
  const std::array own{here.d, here.dimensions, here.periods, here.neighborhood, here.weights, here.reorder, here.info};
  static_assert(kArguments.size() == own.size());
  auto of_rank_0 = own;
  take_from_rank_0(std::as_writable_bytes(std::span(of_rank_0)), comm);
  std::array<std::uint64_t, own.size()> ranks{};
  for (std::size_t i = 0; i < own.size(); ++i) ranks[i] = rank_word(own[i] != of_rank_0[i], comm);
  max_over_ranks(ranks, comm);
  std::string differing;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (ranks[i] == 0) continue;
    differing += (differing.empty() ? " " : ", ") + std::string(kArguments[i]) + " (rank " +
                 std::to_string(ranks[i] - 1) + " gave another than rank 0)";
    if (i == 0) break;  // then the others differ, too
  }
  throw Error(MPI_ERR_TOPOLOGY,
              "neighborhood: all ranks of comm must give the same d, dimensions, periods, "
              "neighborhood, weights, reorder and info, but they differ in" +
                  differing);
}

void agree_on_neighborhood(const NeighborhoodHashes& here, const std::exception_ptr& trouble, MPI_Comm comm) {
  Agreement agreement(trouble, comm);
  const auto given = agreement.same(here.all());
  agreement.reach_and_confirm("comm");
  require_same_neighborhood(agreement.holds(given), here, comm);
}

}  // namespace rondo::internal
