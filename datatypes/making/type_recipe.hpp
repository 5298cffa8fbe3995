/// @file
/// TypeRecipe: a recipe that names the constructors by which the datatype of a message is made.
#ifndef RONDO_DATATYPES_MAKING_TYPE_RECIPE_HPP
#define RONDO_DATATYPES_MAKING_TYPE_RECIPE_HPP

#include "datatypes/layout/layout.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace rondo::internal {

/// The constructors that the zero-copy Bruck paper compares (sections 3.1 to 3.3, 4). They differ in the costs of
/// making and using a datatype, never in its bytes.
enum class TypeConstructor : std::uint8_t {
  runs,                ///< no particular one: the layout's runs of pieces, as few as possible
  bounded_vector,      ///< create_vector_bounded
  circular_vector,     ///< create_vector_circular
  indexed,             ///< an indexed type with an entry for each block of elements in a row
  indexed_block,       ///< an indexed type with an entry for each element
  struct_of_elements,  ///< a struct with an entry for each element, wherever it lies
  struct_of_runs       ///< a struct with an entry for each sequence of elements in a row
};

/// A pattern of elements in a row of `circle` elements at even distances: (start + i*stride + j) mod circle with 0 <=
/// i, 0 <= j < blocklength and i*stride + j < bound, in the order of i*stride + j, as in create_vector_circular.
/// `bound` is at most `circle`, `stride` at least `blocklength`.
struct CircleShape {
  int circle = 1;
  int start = 0;
  int bound = 0;
  int blocklength = 1;
  int stride = 1;

  /// Calls visit(first, length) for each block of elements; a block that wraps around counts as two.
  template <typename Visit>
  void for_each_block(Visit visit) const {
    for (std::int64_t begin = 0; begin < bound; begin += stride) {
      const auto length = static_cast<int>(std::min<std::int64_t>(blocklength, bound - begin));
      const auto first = static_cast<int>((start + begin) % circle);
      const int before_wrap = std::min(length, circle - first);
      visit(first, before_wrap);
      if (length > before_wrap) visit(0, length - before_wrap);
    }
  }
};

/// A lowering's recipe for the datatype of a message: the constructor, and for the vectors and indexed types the
/// elements of a row that are the message's blocks.
struct TypeRecipe {
  TypeConstructor constructor = TypeConstructor::runs;
  CircleShape shape = {};
};

/// Makes a datatype of the bytes of `blocks` in their order, by the recipe. The datatype is not committed, and the
/// caller owns it. Vectors and indexed types need blocks of one layout at the even distances of the recipe's shape;
/// otherwise, as in most alltoallw, the datatype is made of runs. Throws Error with MPI's class.
[[nodiscard]] MPI_Datatype make_by_recipe(const TypeRecipe& recipe, std::span<const PlacedLayout> blocks);

}  // namespace rondo::internal

#endif
