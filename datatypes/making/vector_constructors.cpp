#include "datatypes/making/vector_constructors.hpp"

#include <rondo/error.hpp>

#include "datatypes/layout/layout.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/owned_types.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace rondo::internal {
namespace {

constexpr std::int64_t kGreatestInt = std::numeric_limits<int>::max();

[[noreturn]] void refuse(int error_class, const std::string& argument, std::int64_t value, const std::string& allowed) {
  throw Error(error_class, argument + ": is " + std::to_string(value) + ", must be " + allowed);
}

void require_at_least(std::int64_t least, int error_class, const std::string& argument, std::int64_t value) {
  if (value < least) refuse(error_class, argument, value, "at least " + std::to_string(least));
}

void check_blocks(int bound, int blocklength, int stride) {
  require_at_least(0, MPI_ERR_ARG, "bound", bound);
  require_at_least(0, MPI_ERR_ARG, "blocklength", blocklength);
  if (blocklength > 0 && blocklength < bound && stride < blocklength) {
    refuse(MPI_ERR_ARG, "stride", stride, "at least blocklength, " + std::to_string(blocklength));
  }
}

/// Lower bound and extent of a datatype, in bytes.
struct Bounds {
  MPI_Aint lower;
  MPI_Aint extent;
};

/// The datatype from whose elements another one is made (`oldtype`).
class Element {
 public:
  explicit Element(MPI_Datatype type) : type_(type) {
    if (type == MPI_DATATYPE_NULL) throw Error(MPI_ERR_TYPE, "oldtype: is MPI_DATATYPE_NULL");
    MPI_Count lower = 0;
    MPI_Count extent = 0;
    check_mpi(MPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
    bounds_ = {lower, extent};
    layout_ = std::make_shared<const Layout>(flatten(type));
  }

  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] const std::shared_ptr<const Layout>& layout() const { return layout_; }
  /// Returns whether the element is one piece of memory without a gap to the next element.
  [[nodiscard]] bool contiguous() const {
    return layout_->pieces() == 1 && layout_->size() == bounds_.extent && layout_->items().front().body == nullptr;
  }
  /// Returns the distance in bytes of two elements whose indices differ by `elements`. Throws Error (MPI_ERR_ARG) on
  /// overflow.
  [[nodiscard]] MPI_Aint bytes(std::int64_t elements) const {
    MPI_Aint bytes = 0;
    if (__builtin_mul_overflow(elements, bounds_.extent, &bytes)) too_far(elements);
    return bytes;
  }
  /// Returns the bounds of `elements` places from place 0 on, whether there is data in them or not.
  [[nodiscard]] Bounds bounds_of_room(std::int64_t elements) const { return {bounds_.lower, bytes(elements)}; }
  /// Returns the bounds that MPI gives to data with the first element `first` and the last element `last` in memory.
  [[nodiscard]] Bounds bounds_of_data(std::int64_t first, std::int64_t last) const {
    const auto [lower, upper] = std::minmax({bytes(first), bytes(last)});
    Bounds bounds{};
    if (__builtin_add_overflow(lower, bounds_.lower, &bounds.lower) ||
        __builtin_sub_overflow(upper, lower, &bounds.extent) ||
        __builtin_add_overflow(bounds.extent, bounds_.extent, &bounds.extent)) {
      too_far(last);
    }
    return bounds;
  }

 private:
  [[noreturn]] void too_far(std::int64_t elements) const {
    throw Error(MPI_ERR_ARG, "oldtype: has an extent of " + std::to_string(bounds_.extent) + " bytes; " +
                                 std::to_string(elements) + " times that must fit in an MPI_Aint");
  }

  MPI_Datatype type_;
  Bounds bounds_{};
  std::shared_ptr<const Layout> layout_;
};

/// A list of single blocks of any length anywhere, as MPI takes them.
class IndexedBlocks {
 public:
  /// Adds `length` elements from element `first` on.
  void add(std::int64_t first, std::int64_t length, const Element& element) {
    while (length > 0) {
      const std::int64_t piece = std::min(length, kGreatestInt);
      lengths_.push_back(static_cast<int>(piece));
      displacements_.push_back(element.bytes(first));
      first += piece;
      length -= piece;
    }
  }
  [[nodiscard]] MPI_Datatype make_type(const Element& element, OwnedTypes& owned) const {
    if (lengths_.size() > static_cast<std::size_t>(kGreatestInt)) {
      throw Error(MPI_ERR_COUNT, "count: " + std::to_string(lengths_.size()) + " blocks are more than MPI accepts");
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check_mpi(MPI_Type_create_hindexed(static_cast<int>(lengths_.size()), lengths_.data(), displacements_.data(),
                                       element.type(), &type),
              "MPI_Type_create_hindexed");
    return owned.keep(type);
  }

 private:
  std::vector<int> lengths_;
  std::vector<MPI_Aint> displacements_;
};

/// A group of `count` blocks of `length` elements, each `stride` elements after its predecessor, the first at element
/// `first`.
struct Blocks {
  std::int64_t first;
  std::int64_t count;
  std::int64_t length;
  std::int64_t stride;

  [[nodiscard]] std::int64_t end() const { return first + (count - 1) * stride + length; }
};

/// A pattern of elements in a few groups of strided blocks, in order.
class Pattern {
 public:
  void add(Blocks blocks) {
    if (blocks.count <= 0 || blocks.length <= 0) return;
    if (blocks.length == blocks.stride) {
      blocks.length *= blocks.count;
      blocks.count = 1;
    }
    if (!parts_.empty() && parts_.back().count == 1 && blocks.count == 1 && parts_.back().end() == blocks.first)
      parts_.back().length += blocks.length;
    else
      parts_.push_back(blocks);
  }
  /// Adds a bounded vector that starts at element `first`.
  void add_bounded(std::int64_t first, std::int64_t bound, std::int64_t blocklength, std::int64_t stride) {
    if (bound <= blocklength || blocklength == 0) {
      add({first, 1, std::min(bound, blocklength), 0});
      return;
    }
    const std::int64_t whole = (bound - blocklength) / stride + 1;
    add({first, whole, blocklength, stride});
    add({first + whole * stride, 1, bound - whole * stride, 0});
  }

  [[nodiscard]] bool empty() const { return parts_.empty(); }
  /// Returns the index of the element after the last element of the last block.
  [[nodiscard]] std::int64_t end() const { return parts_.back().end(); }

  [[nodiscard]] MPI_Datatype make_type(const Element& element, OwnedTypes& owned) const {
    if (parts_.size() <= 1) {
      const Blocks only = parts_.empty() ? Blocks{0, 1, 0, 0} : parts_.front();
      if (only.first == 0 && only.length <= kGreatestInt) return make_part(only, element, owned);
    }
    const auto is_single = [](const Blocks& part) { return part.count == 1; };
    if (std::ranges::all_of(parts_, is_single)) {
      IndexedBlocks blocks;
      for (const Blocks& part : parts_) blocks.add(part.first, part.length, element);
      return blocks.make_type(element, owned);
    }
    return make_struct(element, owned);
  }
  [[nodiscard]] Layout make_layout(const Element& element) const {
    Layout layout;
    for (const Blocks& part : parts_) {
      if (part.count == 1) {
        layout.append_elements(element.layout(), part.length, element.bytes(part.first));
        continue;
      }
      Layout block;
      block.append_elements(element.layout(), part.length, 0);
      block.set_extent(element.bytes(part.stride));
      layout.append_elements(std::make_shared<const Layout>(std::move(block)), part.count, element.bytes(part.first));
    }
    return layout;
  }

 private:
  /// Makes the datatype of one part, as if it started at element 0.
  static MPI_Datatype make_part(const Blocks& part, const Element& element, OwnedTypes& owned) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (part.count == 1) {
      check_mpi(MPI_Type_contiguous(static_cast<int>(part.length), element.type(), &type), "MPI_Type_contiguous");
      return owned.keep(type);
    }
    const MPI_Aint stride = element.bytes(part.stride);
    if (stride == -1) {  // Open MPI 4.1 takes this stride for the element's extent
      IndexedBlocks blocks;
      for (std::int64_t i = 0; i < part.count; ++i) blocks.add(i * part.stride, part.length, element);
      return blocks.make_type(element, owned);
    }
    check_mpi(MPI_Type_create_hvector(static_cast<int>(part.count), static_cast<int>(part.length), stride,
                                      element.type(), &type),
              "MPI_Type_create_hvector");
    return owned.keep(type);
  }
  [[nodiscard]] MPI_Datatype make_struct(const Element& element, OwnedTypes& owned) const {
    std::vector<int> lengths;
    std::vector<MPI_Aint> displacements;
    std::vector<MPI_Datatype> types;
    for (const Blocks& part : parts_) {
      lengths.push_back(part.count == 1 ? static_cast<int>(part.length) : 1);
      displacements.push_back(element.bytes(part.first));
      types.push_back(part.count == 1 ? element.type() : make_part(part, element, owned));
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check_mpi(MPI_Type_create_struct(static_cast<int>(types.size()), lengths.data(), displacements.data(), types.data(),
                                     &type),
              "MPI_Type_create_struct");
    return owned.keep(type);
  }

  std::vector<Blocks> parts_;
};

/// Sets the bounds and the remembered layout of a datatype, and returns the datatype, which the caller owns.
MPI_Datatype finish(MPI_Datatype type, Bounds bounds, Layout layout, OwnedTypes& owned) {
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  check_mpi(MPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
  // Even if the bounds are natural, MPI may have padded a struct to the alignment of its members.
  if (lower != bounds.lower || extent != bounds.extent) {
    MPI_Datatype resized = MPI_DATATYPE_NULL;
    check_mpi(MPI_Type_create_resized(type, bounds.lower, bounds.extent, &resized), "MPI_Type_create_resized");
    type = owned.keep(resized);
  }
  layout.set_extent(bounds.extent);
  remember_layout(type, std::move(layout));
  return owned.release(type);
}

MPI_Datatype make_pattern(const Pattern& pattern, const Element& element, Bounds bounds) {
  OwnedTypes owned;
  const MPI_Datatype type = pattern.make_type(element, owned);
  return finish(type, bounds, pattern.make_layout(element), owned);
}

/// A triangle of `count` blocks, the first of `length` elements at element `first`, each further one `growth` elements
/// longer than its predecessor and `stride` elements after it.
struct Triangle {
  std::int64_t first;
  std::int64_t count;
  std::int64_t length;
  std::int64_t growth;
  std::int64_t stride;

  /// Returns the triangle without its empty blocks. Only the first and the last block can be empty, or all blocks,
  /// because the lengths are linear and not negative.
  [[nodiscard]] Triangle without_empty_blocks() const {
    Triangle rest = *this;
    if (length == 0) rest = {first + stride, count - 1, length + growth, growth, stride};
    if (rest.count > 0 && rest.block_length(rest.count - 1) == 0) --rest.count;
    if (rest.count < 0 || rest.length <= 0) rest.count = 0;
    return rest;
  }
  [[nodiscard]] std::int64_t block_first(std::int64_t i) const { return first + i * stride; }
  [[nodiscard]] std::int64_t block_length(std::int64_t i) const { return length + i * growth; }

  [[nodiscard]] Bounds bounds(const Element& element) const {
    if (count == 0) return {0, 0};
    const auto last_of = [&](std::int64_t i) { return block_first(i) + block_length(i) - 1; };
    return element.bounds_of_data(std::min(first, block_first(count - 1)), std::max(last_of(0), last_of(count - 1)));
  }
  [[nodiscard]] MPI_Datatype make_type(const Element& element, OwnedTypes& owned) const {
    IndexedBlocks blocks;
    for (std::int64_t i = 0; i < count; ++i) blocks.add(block_first(i), block_length(i), element);
    return blocks.make_type(element, owned);
  }
  [[nodiscard]] Layout make_layout(const Element& element) const {
    Layout layout;
    if (element.contiguous()) {
      const Run& piece = element.layout()->items().front().run;
      layout.append({piece.offset + element.bytes(first), element.bytes(length), count, element.bytes(stride),
                     element.bytes(growth)});
      return layout;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      layout.append_elements(element.layout(), block_length(i), element.bytes(block_first(i)));
    }
    return layout;
  }
};

}  // namespace

MPI_Datatype create_vector_bounded(int bound, int blocklength, int stride, MPI_Datatype oldtype) {
  check_blocks(bound, blocklength, stride);
  const Element element(oldtype);
  Pattern pattern;
  pattern.add_bounded(0, bound, blocklength, stride);
  return make_pattern(pattern, element, pattern.empty() ? Bounds{0, 0} : element.bounds_of_data(0, pattern.end() - 1));
}

MPI_Datatype create_vector_circular(int extent, int start, int bound, int blocklength, int stride,
                                    MPI_Datatype oldtype) {
  require_at_least(0, MPI_ERR_ARG, "extent", extent);
  require_at_least(0, MPI_ERR_ARG, "start", start);
  check_blocks(bound, blocklength, stride);
  if (bound > extent) refuse(MPI_ERR_ARG, "bound", bound, "at most extent, " + std::to_string(extent));
  const Element element(oldtype);
  Pattern pattern;
  if (bound > 0 && blocklength > 0) {
    const int first = start % extent;
    const int before_wrap = std::min(bound, extent - first);
    const int wrapped = bound - before_wrap;
    pattern.add_bounded(first, before_wrap, blocklength, stride);
    // The wrap may cut a block, or the gap after it, which then goes on at element 0.
    const int step = bound <= blocklength ? blocklength : stride;
    const int done = before_wrap % step;
    const int next_block = done == 0 ? 0 : step - done;
    pattern.add({0, 1, std::min({blocklength - done, next_block, wrapped}), 0});
    pattern.add_bounded(next_block, std::max(wrapped - next_block, 0), blocklength, stride);
  }
  return make_pattern(pattern, element, element.bounds_of_room(extent));
}

MPI_Datatype create_bucket(std::span<const int> counts, int bucketsize, MPI_Datatype oldtype) {
  if (counts.size() > static_cast<std::size_t>(kGreatestInt)) {
    throw Error(MPI_ERR_COUNT, "counts: has " + std::to_string(counts.size()) + " entries, must have at most " +
                                   std::to_string(kGreatestInt));
  }
  require_at_least(0, MPI_ERR_ARG, "bucketsize", bucketsize);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] >= 0 && counts[i] <= bucketsize) continue;
    refuse(MPI_ERR_COUNT, "counts[" + std::to_string(i) + "]", counts[i],
           "in [0, " + std::to_string(bucketsize) + "], bucketsize");
  }
  const Element element(oldtype);
  const auto buckets = static_cast<std::int64_t>(counts.size());
  const Bounds bounds = element.bounds_of_room(buckets * bucketsize);
  if (counts.empty() || std::ranges::count(counts, counts.front()) == buckets) {
    Pattern pattern;
    if (!counts.empty()) pattern.add({0, buckets, counts.front(), bucketsize});
    return make_pattern(pattern, element, bounds);
  }
  IndexedBlocks blocks;
  Layout layout;
  std::int64_t first = 0;
  for (const int count : counts) {
    blocks.add(first, count, element);
    layout.append_elements(element.layout(), count, element.bytes(first));
    first += bucketsize;
  }
  OwnedTypes owned;
  const MPI_Datatype type = blocks.make_type(element, owned);
  return finish(type, bounds, std::move(layout), owned);
}

MPI_Datatype create_triangular(int count, int firstblock, int blockincrement, int stride, int strideincrement,
                               MPI_Datatype oldtype) {
  require_at_least(0, MPI_ERR_COUNT, "count", count);
  require_at_least(0, MPI_ERR_ARG, "firstblock", firstblock);
  if (count > 1 && firstblock + std::int64_t{blockincrement} * (count - 1) < 0) {
    refuse(MPI_ERR_ARG, "blockincrement", blockincrement,
           "at least " + std::to_string(-(firstblock / (count - 1))) + " for " + std::to_string(count) +
               " blocks, the first with " + std::to_string(firstblock) + " elements");
  }
  const Element element(oldtype);
  const Triangle triangle =
      Triangle{0, count, firstblock, blockincrement, std::int64_t{stride} + strideincrement}.without_empty_blocks();
  const Bounds bounds = triangle.bounds(element);
  if (triangle.count == 0 || triangle.growth == 0) {
    Pattern pattern;
    pattern.add({triangle.first, triangle.count, triangle.length, triangle.stride});
    return make_pattern(pattern, element, bounds);
  }
  OwnedTypes owned;
  const MPI_Datatype type = triangle.make_type(element, owned);
  return finish(type, bounds, triangle.make_layout(element), owned);
}

}  // namespace rondo::internal
