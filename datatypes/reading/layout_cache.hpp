/// @file
/// What is known of a datatype without walking its constructors.
#ifndef RONDO_DATATYPES_READING_LAYOUT_CACHE_HPP
#define RONDO_DATATYPES_READING_LAYOUT_CACHE_HPP

#include "datatypes/copying/copy_program.hpp"
#include "datatypes/layout/layout.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

namespace rondo::internal {

/// One element of a datatype, and how it is packed and unpacked, which is found out when it is first asked for. Any
/// thread may ask.
class KnownType {
 public:
  explicit KnownType(Layout of) : layout(std::move(of)) {}

  [[nodiscard]] const CopyProgram& pack() const;
  [[nodiscard]] const CopyProgram& unpack() const;

  const Layout layout;

 private:
  /// A program and whether it is there. Not a once_flag, whose price is that of packing a short block.
  struct Compiled {
    std::atomic<bool> ready = false;
    CopyProgram program;
  };
  template <typename Compile>
  const CopyProgram& once(Compiled& compiled, Compile compile) const;

  mutable std::mutex mutex_;
  mutable Compiled pack_;
  mutable Compiled unpack_;
};

/// The layout that is remembered on a datatype, or nullptr; that of a predefined one comes from a table. Local. Throws
/// Error.
[[nodiscard]] std::shared_ptr<const Layout> known_layout(MPI_Datatype type);

/// The address of the layout that layout_of() gave for a datatype, for as long as that holds: nullptr where it gave
/// none, or the handle is another datatype's now, or none's. Local.
[[nodiscard]] const Layout* committed_layout(MPI_Datatype type);

/// Whether it is known to be one of MPI's own without holes, which nobody frees. Local.
[[nodiscard]] bool is_always_known(MPI_Datatype type);

/// What is remembered on a datatype, which is flattened first if nothing is. Lives as long as the datatype. Need not be
/// committed. Local. Throws Error, MPI_ERR_TYPE.
[[nodiscard]] const KnownType& known_type(MPI_Datatype type);

/// How elements of one datatype are copied into the places of another, which stand for as many bytes. The last such
/// program is remembered on the first datatype. Local. Throws Error, MPI_ERR_TYPE.
[[nodiscard]] std::shared_ptr<const CopyProgram> copy_between(MPI_Datatype source_type, std::int64_t source_count,
                                                              MPI_Datatype target_type, std::int64_t target_count);

}  // namespace rondo::internal

#endif
