/// @file
/// From the buffers and blocks of the C++ interface to the sides of a call.
#ifndef RONDO_COLLECTIVES_ELEMENT_SIDES_HPP
#define RONDO_COLLECTIVES_ELEMENT_SIDES_HPP

#include <rondo/element_buffer.hpp>
#include <rondo/error.hpp>

#include "collectives/cart_call.hpp"

#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace rondo {

/// The arrays of an alltoallw whose blocks are given by address.
template <typename Block>
class BlockArrays {
 public:
  BlockArrays(const char* side, std::span<const Block> blocks) : side_(side) {
    for (const Block& block : blocks) {
      counts_.push_back(block.count);
      displacements_.push_back(static_cast<MPI_Aint>(reinterpret_cast<std::intptr_t>(block.address)));
      types_.push_back(block.type);
    }
  }
  [[nodiscard]] CallSide call_side() const {
    CallSide side = CallSide::alltoallw(side_, nullptr, counts_.data(), displacements_.data(), types_.data());
    side.entries = std::ssize(counts_);
    return side;
  }

 private:
  const char* side_;
  std::vector<int> counts_;
  std::vector<MPI_Aint> displacements_;
  std::vector<MPI_Datatype> types_;
};

/// Blocks of `count` elements, one after the other. Refers to `count` and the buffer's type.
[[nodiscard]] inline CallSide regular_side(const char* side, const ElementBuffer& buffer, const int& count) {
  CallSide made = CallSide::alltoall(side, buffer.address, count, buffer.type);
  made.elements = buffer.elements;
  return made;
}

/// Blocks in places. Refers to those and the buffer's type. Throws Error, MPI_ERR_ARG, unless there are as many counts
/// as displacements.
[[nodiscard]] inline CallSide irregular_side(const char* name, const ElementBuffer& buffer, const BlockPlaces& places) {
  if (places.counts.size() != places.displacements.size()) {
    throw Error(MPI_ERR_ARG, std::string(name) + ": has " + std::to_string(places.counts.size()) + " counts and " +
                                 std::to_string(places.displacements.size()) +
                                 " displacements, must have one of each for each block");
  }
  CallSide side =
      CallSide::alltoallv(name, buffer.address, places.counts.data(), places.displacements.data(), buffer.type);
  side.entries = std::ssize(places.counts);
  side.elements = buffer.elements;
  return side;
}

}  // namespace rondo

#endif
