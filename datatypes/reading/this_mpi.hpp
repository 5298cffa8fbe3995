/// @file
/// Which MPI the process runs with.
#ifndef RONDO_DATATYPES_READING_THIS_MPI_HPP
#define RONDO_DATATYPES_READING_THIS_MPI_HPP

#include <cstdint>
#include <string>
#include <string_view>

namespace rondo::internal {

/// Open MPI and what is made of it, or MPICH and what is made of it.
enum class MpiKind : std::uint8_t { open_mpi, mpich };

struct MpiVersion {
  MpiKind kind = MpiKind::mpich;
  /// Version of Open MPI or MPICH as a number: 40102 for 4.1.2, and one less for what came before that release, such
  /// as 4.1.2rc1. 0 if it is not known.
  int number = 0;
};

/// Returns what the text of MPI_Get_library_version says. `otherwise`: the kind if the text names neither.
[[nodiscard]] MpiVersion read_mpi_version(std::string_view text, MpiKind otherwise) noexcept;

/// Returns the MPI of this process. Asked of MPI, because libraries of several versions have one ABI, and of its
/// headers if it has a name of its own. Local, also before MPI_Init.
[[nodiscard]] MpiVersion this_mpi() noexcept;

/// Returns the MPI's name and version for people, such as "Open MPI v4.1.4". Local. Throws Error and std::bad_alloc.
[[nodiscard]] std::string mpi_name();

}  // namespace rondo::internal

#endif
