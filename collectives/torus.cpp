#include "collectives/torus.hpp"

namespace rondo {

Torus::Torus(std::span<const int> sizes, int rank)
    : sizes_(sizes.begin(), sizes.end()), strides_(sizes.size()), coordinates_(sizes.size()), rank_(rank) {
  for (std::size_t k = sizes_.size(); k-- > 0;) {
    strides_[k] = size_;
    coordinates_[k] = rank / size_ % sizes_[k];
    size_ *= sizes_[k];
  }
}

int Torus::residue(int k, int offset) const {
  const int size = sizes_[static_cast<std::size_t>(k)];
  const int rest = offset % size;
  return rest < 0 ? rest + size : rest;
}

int Torus::rank_along(int k, int offset) const {
  const auto index = static_cast<std::size_t>(k);
  const int coordinate = (coordinates_[index] + residue(k, offset)) % sizes_[index];
  return rank_ + (coordinate - coordinates_[index]) * strides_[index];
}

int Torus::relative_rank(std::span<const int> offset, int sign) const {
  int rank = rank_;
  for (int k = 0; k < dimensions(); ++k) {
    const int step = residue(k, offset[static_cast<std::size_t>(k)]);
    rank += rank_along(k, sign > 0 ? step : -step) - rank_;
  }
  return rank;
}

std::vector<int> Torus::offset_of(int rank) const {
  std::vector<int> offset;
  for (int k = 0; k < dimensions(); ++k) {
    const auto index = static_cast<std::size_t>(k);
    const int coordinate = rank / strides_[index] % sizes_[index];
    const int step = residue(k, coordinate - coordinates_[index]);
    offset.push_back(step > sizes_[index] / 2 ? step - sizes_[index] : step);
  }
  return offset;
}

}  // namespace rondo
