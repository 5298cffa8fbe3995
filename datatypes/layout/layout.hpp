/// @file
/// Layout: which bytes an MPI datatype touches, in the order in which MPI moves them.
#ifndef RONDO_DATATYPES_LAYOUT_LAYOUT_HPP
#define RONDO_DATATYPES_LAYOUT_LAYOUT_HPP

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rondo::internal {

/// A run of `count` pieces, the first of `length` bytes at `offset` from the start of the element, each further one
/// `stride` bytes after and `growth` bytes longer than the piece before it.
struct Run {
  std::int64_t offset;
  std::int64_t length;
  std::int64_t count;
  std::int64_t stride;
  std::int64_t growth = 0;

  /// Returns the number of bytes of all pieces.
  [[nodiscard]] constexpr std::int64_t size() const noexcept {
    return count * length + (growth == 0 ? 0 : growth * (count * (count - 1) / 2));
  }
  /// Calls visit(offset, length) for each piece.
  template <typename Visit>
  constexpr void for_each_piece(Visit visit) const {
    for (std::int64_t i = 0; i < count; ++i) visit(offset + i * stride, length + i * growth);
  }
  friend bool operator==(const Run&, const Run&) = default;
};
static_assert(sizeof(Run) == 40);

/// A description of the bytes of an MPI datatype, or of several elements of one, flattened to runs of pieces and loops
/// over them. Adjacent pieces are merged; equally spaced pieces of one length, or of lengths that grow evenly, are one
/// run; repetitions are loops. So a layout is as long as the datatype's description, however many bytes the datatype
/// has. A value; all offsets and sizes are in bytes.
class Layout {
 public:
  /// An item of a layout: a run, or, with a body, `run.count` repetitions of the body, each of `run.length` bytes, the
  /// first displaced by `run.offset` and each further one by `run.stride` more. Bodies are shared: an item takes the
  /// same memory whatever is in its body.
  struct Item {
    Run run;
    std::shared_ptr<const Layout> body;

    [[nodiscard]] bool operator==(const Item& other) const;
  };

  /// Makes a layout without bytes.
  Layout() = default;
  /// Makes a layout of `bytes` bytes in a row.
  [[nodiscard]] static Layout contiguous(std::int64_t bytes);
  /// Makes this layout one of `bytes` bytes in a row, without new memory if it was not empty.
  void become_contiguous(std::int64_t bytes);

  /// Returns the items in the order in which MPI packs their data.
  [[nodiscard]] std::span<const Item> items() const noexcept { return items_; }
  /// Calls visit(const Run&) for every run, those in loops once for each repetition.
  template <typename Visit>
  void for_each_run(Visit visit, std::int64_t displacement = 0) const {
    for (const Item& item : items_) {
      Run run = item.run;
      run.offset += displacement;
      if (item.body == nullptr) {
        visit(static_cast<const Run&>(run));
      } else {
        for (std::int64_t i = 0; i < run.count; ++i) item.body->for_each_run(visit, run.offset + i * run.stride);
      }
    }
  }
  /// Calls visit(offset, length) for every piece.
  template <typename Visit>
  void for_each_piece(Visit visit, std::int64_t displacement = 0) const {
    for_each_run([&](const Run& run) { run.for_each_piece(visit); }, displacement);
  }
  /// Returns the number of pieces of the data.
  [[nodiscard]] std::int64_t pieces() const noexcept { return pieces_; }
  /// Returns the number of bytes of data.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// Returns the distance in bytes from one element to the next; may also be negative.
  [[nodiscard]] std::int64_t extent() const noexcept { return extent_; }
  /// Returns whether the data are one piece, or none.
  [[nodiscard]] bool is_contiguous() const noexcept { return pieces_ <= 1; }
  /// Return the offsets, from the start of the element, of the first byte touched and of one past the last, or 0 if
  /// there are no bytes.
  [[nodiscard]] std::int64_t true_begin() const noexcept { return pieces_ == 0 ? 0 : begin_; }
  [[nodiscard]] std::int64_t true_end() const noexcept { return pieces_ == 0 ? 0 : end_; }

  /// Returns a layout of `count` elements one extent apart.
  [[nodiscard]] Layout repeated(std::int64_t count) const;
  /// Adds a run, which is merged with the last items if possible.
  void append(const Run& run);
  /// Adds all data of `other`, moved by `displacement` bytes.
  void append(const Layout& other, std::int64_t displacement);
  /// Adds `count` copies of `element`, one extent apart, the first moved by `displacement` bytes.
  void append_elements(const std::shared_ptr<const Layout>& element, std::int64_t count, std::int64_t displacement);
  void set_extent(std::int64_t extent) noexcept { extent_ = extent; }

  /// Returns whether both layouts describe their bytes in the same way.
  friend bool operator==(const Layout& one, const Layout& other) {
    return one.extent_ == other.extent_ && one.items_ == other.items_;
  }

 private:
  void append_loop(const Item& loop);
  bool extend_last_piece(const Run& added);
  bool merge_with_last(const Run& added);
  void take_note(const Item& added);

  std::vector<Item> items_;
  std::int64_t size_ = 0;
  std::int64_t extent_ = 0;
  std::int64_t pieces_ = 0;
  std::int64_t begin_ = INT64_MAX;
  std::int64_t end_ = INT64_MIN;
};

inline bool Layout::Item::operator==(const Item& other) const {
  if (run != other.run || (body == nullptr) != (other.body == nullptr)) return false;
  return body == other.body || std::ranges::equal(body->items(), other.body->items());
}

/// A layout and the place of its element, which begins at `offset`.
struct PlacedLayout {
  std::int64_t offset;
  const Layout* layout;
};

/// Returns the layout of a datatype, made by walking its constructors. Local. The datatype need not be committed.
/// Throws Error (MPI_ERR_TYPE) if it is not valid.
[[nodiscard]] Layout flatten(MPI_Datatype type);

/// Returns the layout of a datatype as flatten() does, but remembers it on the datatype as an attribute, whose lifetime
/// is that of the datatype. Equal pointers mean datatypes that lie alike for as long as a copy of the pointer is held;
/// datatypes that lie alike share one layout if they are described alike. Predefined datatypes without holes are found
/// in a table. Throws Error, MPI_ERR_TYPE, for a datatype that is not committed; `probe` is a communicator that returns
/// errors, on which nothing is sent.
[[nodiscard]] std::shared_ptr<const Layout> layout_of(MPI_Datatype type, MPI_Comm probe);

/// Sets the layout that flatten() and layout_of() return for a datatype that Rondo has made, which need not be
/// committed. This description is shorter than that of the constructors of which the datatype had to be made. Local.
/// Throws Error.
void remember_layout(MPI_Datatype type, Layout layout);

}  // namespace rondo::internal

#endif
