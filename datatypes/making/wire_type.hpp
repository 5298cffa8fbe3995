/// @file
/// WireType: the MPI datatype by which Rondo sends a layout, with bytes at the layout's places.
#ifndef RONDO_DATATYPES_MAKING_WIRE_TYPE_HPP
#define RONDO_DATATYPES_MAKING_WIRE_TYPE_HPP

#include "datatypes/layout/layout.hpp"
#include "datatypes/making/type_recipe.hpp"

#include <span>
#include <utility>

namespace rondo::internal {

/// A committed MPI datatype that Rondo owns, built of MPI_BYTE, so that both ends of a message agree in signature
/// whatever the user's datatypes were, and the user may free those datatypes at any time. Move-only.
class WireType {
 public:
  WireType() noexcept = default;
  /// Makes a datatype of the bytes of `layout` from its start. Sizes of 2^31 bytes and more are fine. Throws Error with
  /// MPI's class.
  explicit WireType(const Layout& layout);
  /// Makes a datatype of the bytes of `blocks` in their order, by the recipe; see make_by_recipe().
  WireType(const TypeRecipe& recipe, std::span<const PlacedLayout> blocks);
  WireType(WireType&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  WireType& operator=(WireType&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~WireType();

  [[nodiscard]] MPI_Datatype get() const noexcept { return type_; }
  /// Returns the datatype and gives it to the caller, who frees it. The WireType is empty afterwards.
  [[nodiscard]] MPI_Datatype release() noexcept { return std::exchange(type_, MPI_DATATYPE_NULL); }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace rondo::internal

#endif
