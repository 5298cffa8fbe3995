#include "collectives/topology/grid.hpp"

#include <algorithm>

namespace rondo::internal {

Grid::Grid(std::span<const int> sizes, std::span<const int> periods, int rank)
    : sizes_(sizes.begin(), sizes.end()),
      periods_(sizes.size(), 1),
      strides_(sizes.size()),
      coordinates_(sizes.size()),
      rank_(rank) {
  for (std::size_t k = 0; k < periods.size(); ++k) periods_[k] = periods[k] != 0 ? 1 : 0;
  is_torus_ = std::ranges::all_of(periods_, [](int period) { return period != 0; });
  for (std::size_t k = sizes_.size(); k-- > 0;) {
    strides_[k] = size_;
    coordinates_[k] = rank / size_ % sizes_[k];
    size_ *= sizes_[k];
  }
}

int Grid::residue(int k, int offset) const {
  if (!periodic(k)) return offset;
  const int size = sizes_[static_cast<std::size_t>(k)];
  const int rest = offset % size;
  return rest < 0 ? rest + size : rest;
}

int Grid::coordinate_along(int k, long long steps) const {
  const auto index = static_cast<std::size_t>(k);
  const long long size = sizes_[index];
  const long long coordinate = coordinates_[index] + steps;
  if (coordinate >= 0 && coordinate < size) return static_cast<int>(coordinate);
  if (!periodic(k)) return kNoRank;
  return static_cast<int>((coordinate % size + size) % size);
}

bool Grid::reaches(std::span<const int> offset) const {
  for (int k = 0; k < dimensions(); ++k) {
    const auto index = static_cast<std::size_t>(k);
    if (!periodic(k) && (offset[index] >= sizes_[index] || offset[index] <= -sizes_[index])) return false;
  }
  return true;
}

int Grid::rank_along(int k, int offset) const {
  const auto index = static_cast<std::size_t>(k);
  const int coordinate = coordinate_along(k, offset);
  return coordinate == kNoRank ? kNoRank : rank_ + (coordinate - coordinates_[index]) * strides_[index];
}

int Grid::relative_rank(std::span<const int> offset, int sign) const {
  int rank = 0;
  for (int k = 0; k < dimensions(); ++k) {
    const auto index = static_cast<std::size_t>(k);
    const int coordinate = coordinate_along(k, static_cast<long long>(sign) * offset[index]);
    if (coordinate == kNoRank) return kNoRank;
    rank += coordinate * strides_[index];
  }
  return rank;
}

std::vector<int> Grid::offset_of(int rank) const {
  std::vector<int> offset;
  for (int k = 0; k < dimensions(); ++k) {
    const auto index = static_cast<std::size_t>(k);
    const int coordinate = rank / strides_[index] % sizes_[index];
    const int step = residue(k, coordinate - coordinates_[index]);
    offset.push_back(periodic(k) && step > sizes_[index] / 2 ? step - sizes_[index] : step);
  }
  return offset;
}

}  // namespace rondo::internal
