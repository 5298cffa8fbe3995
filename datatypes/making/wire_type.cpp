#include "datatypes/making/wire_type.hpp"

#include "datatypes/making/mpi_constructors.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "datatypes/reading/owned_types.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

namespace rondo::internal {
namespace {

/// Maximum number of pieces, or bytes, that one constructor gets: MPI's counts are ints.
constexpr std::int64_t kChunk = std::int64_t{1} << 30;
/// Maximum number of pieces that one constructor gets if each piece has an entry in a list.
constexpr std::int64_t kListed = std::int64_t{1} << 10;

bool is_short_piece(const Layout::Item& item) {
  return item.body == nullptr && item.run.count == 1 && item.run.length <= std::numeric_limits<int>::max();
}

/// A maker of the datatype of a layout. It makes the datatype of each body once, however many loops go over the body.
class WireTypeMaker {
 public:
  /// Makes and commits the datatype of a layout, which the caller owns.
  MPI_Datatype make(const Layout& layout) {
    MPI_Datatype type = make_layout(layout);
    check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
    return owned_.release(type);
  }

 private:
  /// Makes the datatype of all items of a layout: one list of blocks if all items are short pieces, otherwise a struct.
  MPI_Datatype make_layout(const Layout& layout) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> displacements;
    const auto items = layout.items();
    if (std::ranges::all_of(items, is_short_piece)) {
      for (const Layout::Item& item : items) {
        lengths.push_back(static_cast<int>(item.run.length));
        displacements.push_back(item.run.offset);
      }
      return owned_.keep(make_blocks(lengths, displacements, MPI_BYTE));
    }
    if (items.size() == 1 && items.front().run.offset == 0) return make_item(items.front());
    std::vector<MPI_Datatype> types;
    for (const Layout::Item& item : items) {
      const bool bytes = is_short_piece(item);
      types.push_back(bytes ? MPI_BYTE : make_item(item));
      lengths.push_back(bytes ? static_cast<int>(item.run.length) : 1);
      displacements.push_back(item.run.offset);
    }
    return owned_.keep(make_struct(lengths, displacements, types));
  }

  /// Makes the datatype of one item, relative to the item's offset.
  MPI_Datatype make_item(const Layout::Item& item) {
    const Run& run = item.run;
    if (item.body != nullptr) return make_strided(run.count, 1, run.stride, make_body(*item.body));
    if (run.growth != 0) return owned_.keep(make_triangle(run));
    if (run.length <= std::numeric_limits<int>::max())
      return make_strided(run.count, static_cast<int>(run.length), run.stride, MPI_BYTE);
    return make_strided(run.count, 1, run.stride, make_long_piece(run.length));
  }
  /// Makes a datatype of `count` blocks of `length` elements, `stride` bytes apart; rows of rows of blocks, if there
  /// are many.
  MPI_Datatype make_strided(std::int64_t count, int length, std::int64_t stride, MPI_Datatype element) {
    const bool listed = stride == -1;  // Open MPI 4.1 takes this stride for the element's extent
    const std::int64_t row = listed ? kListed : kChunk;
    if (count <= row)
      return listed ? make_backwards(count, length, element) : make_vector(count, length, stride, element);
    const std::int64_t in_rows = count / row * row;
    const MPI_Datatype rows = make_strided(count / row, 1, row * stride, make_strided(row, length, stride, element));
    if (in_rows == count) return rows;
    const int ones[] = {1, 1};
    const MPI_Aint displacements[] = {0, in_rows * stride};
    const MPI_Datatype types[] = {rows, make_strided(count - in_rows, length, stride, element)};
    return owned_.keep(make_struct(ones, displacements, types));
  }
  MPI_Datatype make_vector(std::int64_t count, int length, std::int64_t stride, MPI_Datatype element) {
    MPI_Datatype result = MPI_DATATYPE_NULL;
    check_mpi(MPI_Type_create_hvector(static_cast<int>(count), length, stride, element, &result),
              "MPI_Type_create_hvector");
    return owned_.keep(result);
  }
  /// Makes a datatype of `count` blocks of `length` elements, each of which begins a byte before its predecessor.
  MPI_Datatype make_backwards(std::int64_t count, int length, MPI_Datatype element) {
    std::vector<MPI_Aint> displacements(static_cast<std::size_t>(count));
    std::iota(displacements.rbegin(), displacements.rend(), 1 - count);
    return owned_.keep(make_blocks(length, displacements, element));
  }
  MPI_Datatype make_body(const Layout& body) {
    const auto known = bodies_.find(&body);
    return known != bodies_.end() ? known->second : bodies_.emplace(&body, make_layout(body)).first->second;
  }
  /// Makes a datatype of a growing run, for which MPI has no constructor of constant size.
  static MPI_Datatype make_triangle(Run run) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> displacements;
    run.offset = 0;
    run.for_each_piece([&](std::int64_t offset, std::int64_t length) {
      lengths.push_back(as_int(length, "bytes in one piece of a triangle"));
      displacements.push_back(offset);
    });
    return make_blocks(lengths, displacements, MPI_BYTE);
  }
  /// Makes a datatype of `bytes` bytes in a row. MPI counts are ints, so long pieces are made of chunks.
  MPI_Datatype make_long_piece(std::int64_t bytes) {
    MPI_Datatype chunk = MPI_DATATYPE_NULL;
    check_mpi(MPI_Type_contiguous(static_cast<int>(kChunk), MPI_BYTE, &chunk), "MPI_Type_contiguous");
    owned_.keep(chunk);
    const int lengths[] = {as_int(bytes / kChunk, "GiB in one piece"), static_cast<int>(bytes % kChunk)};
    const MPI_Aint displacements[] = {0, bytes / kChunk * kChunk};
    const MPI_Datatype types[] = {chunk, MPI_BYTE};
    return owned_.keep(make_struct(lengths, displacements, types));
  }

  OwnedTypes owned_;
  std::map<const Layout*, MPI_Datatype> bodies_;
};

}  // namespace

WireType::WireType(const Layout& layout) : type_(WireTypeMaker().make(layout)) {}

WireType::WireType(const TypeRecipe& recipe, std::span<const PlacedLayout> blocks)
    : type_(make_by_recipe(recipe, blocks)) {
  if (const int code = MPI_Type_commit(&type_); code != MPI_SUCCESS) {
    MPI_Type_free(&type_);
    check_mpi(code, "MPI_Type_commit");
  }
}

WireType::~WireType() {
  if (type_ != MPI_DATATYPE_NULL && mpi_runs()) MPI_Type_free(&type_);
}

}  // namespace rondo::internal
