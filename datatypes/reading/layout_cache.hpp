/// @file
/// The layouts and copy programs that are remembered on datatypes.
#ifndef RONDO_DATATYPES_READING_LAYOUT_CACHE_HPP
#define RONDO_DATATYPES_READING_LAYOUT_CACHE_HPP

#include "datatypes/copying/copy_program.hpp"
#include "datatypes/layout/layout.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

namespace rondo::internal {

/// The layout of one element of a datatype, and the programs that pack and unpack it, which are made at the first
/// request. Any thread may call.
class KnownType {
 public:
  explicit KnownType(Layout of) : layout(std::move(of)) {}

  [[nodiscard]] const CopyProgram& pack() const;
  [[nodiscard]] const CopyProgram& unpack() const;

  const Layout layout;

 private:
  /// A program and whether it is ready. Not a once_flag, which costs as much as packing a short block.
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

/// Returns the layout that is remembered on a datatype, or nullptr; a table has those of most predefined datatypes.
/// Local. Throws Error.
[[nodiscard]] std::shared_ptr<const Layout> known_layout(MPI_Datatype type);

/// Returns the address of the layout that layout_of() returns; nullptr if the datatype is not committed, or if the
/// handle is no datatype any more. Valid as long as the datatype exists. Local. Throws std::bad_alloc. `probe`: see
/// layout_of().
[[nodiscard]] const Layout* committed_layout(MPI_Datatype type, MPI_Comm probe);

/// Returns whether a datatype is known to be a predefined one without holes, which nobody frees. Local.
[[nodiscard]] bool is_always_known(MPI_Datatype type);

/// Returns what is remembered on a datatype; flattens the datatype first if nothing is. The result lives as long as the
/// datatype, which need not be committed. Local. Throws Error, MPI_ERR_TYPE.
[[nodiscard]] const KnownType& known_type(MPI_Datatype type);

/// Returns the program that copies elements of one datatype to the places of elements of another, with as many bytes.
/// The last such program is remembered on the first datatype. Local. Throws Error, MPI_ERR_TYPE.
[[nodiscard]] std::shared_ptr<const CopyProgram> copy_between(MPI_Datatype source_type, std::int64_t source_count,
                                                              MPI_Datatype target_type, std::int64_t target_count);

}  // namespace rondo::internal

#endif
