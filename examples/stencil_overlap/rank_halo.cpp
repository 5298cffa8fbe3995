#include "rank_halo.hpp"

#include <span>
#include <vector>

namespace stencil {

RankHalo::RankHalo(const rondo::CartComm& torus, Domain& domain, rondo::ProgressMode progress) {
  rondo::Options options;
  options.algorithm = rondo::Algorithm::direct;  // a message for each side, so that each can be used as it comes
  options.progress = progress;
  for (int which = 0; which < 2; ++which) {
    const Tile<double> all = domain.tile(which);
    const std::vector<int> sizes{all.rows + 2, all.columns + 2};
    const std::span<double> cells(all.cells, static_cast<std::size_t>(sizes[0]) * static_cast<std::size_t>(sizes[1]));
    requests_[static_cast<std::size_t>(which)] =
        rondo::halo_init(torus, rondo::HaloArray::of<double>(cells, sizes, 1), rondo::Stencil::star, options);
  }
}

std::optional<Side> RankHalo::side_of(int block) const {
  const std::span<const int> direction = directions_[block];
  if (direction[0] != 0 && direction[1] != 0) return std::nullopt;
  if (direction[0] != 0) return direction[0] < 0 ? Side::top : Side::bottom;
  return direction[1] < 0 ? Side::left : Side::right;
}

}  // namespace stencil
