#include "datatypes/reading/mpi_check.hpp"

#include <rondo/error.hpp>

#include <array>
#include <string>

namespace rondo::internal {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  int error_class = MPI_ERR_UNKNOWN;
  MPI_Error_class(code, &error_class);
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(error_class, std::string(call) + ": " + std::string(text.data(), static_cast<std::size_t>(length)));
}

}  // namespace rondo::internal
