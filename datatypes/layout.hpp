/// @file
/// Layout: which bytes an MPI datatype touches, in the order in which MPI moves them.
#ifndef RONDO_DATATYPES_LAYOUT_HPP
#define RONDO_DATATYPES_LAYOUT_HPP

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rondo {

/// `count` pieces of `length` bytes, the first at `offset` from the start of the element, the next `stride` further on.
struct Run {
  std::int64_t offset;
  std::int64_t length;
  std::int64_t count;
  std::int64_t stride;

  friend bool operator==(const Run&, const Run&) = default;
};
static_assert(sizeof(Run) == 32);

/// An MPI datatype, or several elements of one, flattened to runs. Adjacent pieces are merged, equally spaced pieces of
/// one length are kept as one run. A value; all offsets and sizes are in bytes.
class Layout {
 public:
  /// No bytes at all.
  Layout() = default;
  /// `bytes` bytes in a row.
  [[nodiscard]] static Layout contiguous(std::int64_t bytes);

  /// The pieces in the order in which MPI packs them.
  [[nodiscard]] std::span<const Run> runs() const noexcept { return runs_; }
  /// Bytes of data.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// Distance from one element to the next; may be anything, negative too.
  [[nodiscard]] std::int64_t extent() const noexcept { return extent_; }
  /// One piece, or none.
  [[nodiscard]] bool is_contiguous() const noexcept {
    return runs_.empty() || (runs_.size() == 1 && runs_.front().count == 1);
  }
  /// First byte touched and one past the last, from the start of the element; both zero when there are none.
  [[nodiscard]] std::int64_t true_begin() const noexcept;
  [[nodiscard]] std::int64_t true_end() const noexcept;

  /// `count` elements one extent apart.
  [[nodiscard]] Layout repeated(std::int64_t count) const;
  /// Adds a run, merging it with what is there.
  void append(const Run& run);
  /// Adds all of `other`, moved by `displacement`.
  void append(const Layout& other, std::int64_t displacement);
  void set_extent(std::int64_t extent) noexcept { extent_ = extent; }

  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  std::vector<Run> runs_;
  std::int64_t size_ = 0;
  std::int64_t extent_ = 0;
};

/// Layout of a datatype, made by walking its constructors. Local. The datatype must be valid (`MPI_ERR_TYPE` is thrown
/// as Error otherwise) but need not be committed.
[[nodiscard]] Layout flatten(MPI_Datatype type);

/// As flatten(), but remembered on the datatype itself as an attribute, so that it dies with it. Equal pointers mean
/// the same datatype for as long as a copy of the pointer is held. Throws Error, MPI_ERR_TYPE, for a datatype that is
/// not committed; `probe` is a communicator that returns errors, on which nothing is sent.
[[nodiscard]] std::shared_ptr<const Layout> layout_of(MPI_Datatype type, MPI_Comm probe);

}  // namespace rondo

#endif
