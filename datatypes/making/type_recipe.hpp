/// @file
/// TypeRecipe: by which constructors the datatype of a message is made.
#ifndef RONDO_DATATYPES_MAKING_TYPE_RECIPE_HPP
#define RONDO_DATATYPES_MAKING_TYPE_RECIPE_HPP

#include "datatypes/layout/layout.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace rondo::internal {

/// Those that the zero-copy Bruck paper compares (sections 3.1 to 3.3, 4). They differ in what it costs to make and to
/// use a datatype, never in its bytes.
enum class TypeConstructor : std::uint8_t {
  runs,                ///< none in particular: the layout's runs of pieces, as few as can be
  bounded_vector,      ///< create_vector_bounded
  circular_vector,     ///< create_vector_circular
  indexed,             ///< an indexed type of an entry for each block of elements in a row
  indexed_block,       ///< an indexed type of an entry for each element
  struct_of_elements,  ///< a struct of an entry for each element, wherever each lies
  struct_of_runs       ///< a struct of an entry for each sequence of elements in a row
};

/// Elements of a row of `circle` elements at even distances: (start + i*stride + j) mod circle with 0 <= i,
/// 0 <= j < blocklength and i*stride + j < bound, in the order of i*stride + j, as in create_vector_circular. `bound`
/// is at most `circle`, `stride` at least `blocklength`.
struct CircleShape {
  int circle = 1;
  int start = 0;
  int bound = 0;
  int blocklength = 1;
  int stride = 1;

  /// Calls visit(first, length) for each block; one that wraps around is two.
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

/// What a lowering says of a message: which constructor, and for the vectors and indexed types which elements the
/// message's blocks are.
struct TypeRecipe {
  TypeConstructor constructor = TypeConstructor::runs;
  CircleShape shape = {};
};

/// A datatype, not committed and the caller's, of the bytes of `blocks` in their order, made by the recipe. Vectors and
/// indexed types need the blocks to have one layout and to lie at the even distances that the recipe's shape says:
/// where they do not, as in most alltoallw, the datatype is made of runs. Throws Error with MPI's class.
[[nodiscard]] MPI_Datatype make_by_recipe(const TypeRecipe& recipe, std::span<const PlacedLayout> blocks);

}  // namespace rondo::internal

#endif
