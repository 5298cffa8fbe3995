#include "collectives/faces/c/errors.hpp"

#include <rondo/basics/error.h>

#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "runtime/base/error_report.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/world.hpp"

#include <algorithm>
#include <array>

namespace rondo::internal {

int report_error(MPI_Comm comm, int error_class, const std::string& text) {
  remember_error(error_class, text);
  if (!mpi_runs()) {
    log(LogLevel::error, text);
    return error_class;
  }
  // An invalid communicator has no handler to call; MPI raises such errors on MPI_COMM_WORLD.
  const MPI_Comm handler_of = comm == MPI_COMM_NULL || error_class == MPI_ERR_COMM ? MPI_COMM_WORLD : comm;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (MPI_Comm_get_errhandler(handler_of, &handler) == MPI_SUCCESS) {
    // Only MPI_ERRORS_RETURN is known to return.
    const LogLevel level = handler == MPI_ERRORS_RETURN ? LogLevel::debug : LogLevel::error;
    if (handler_of == comm)
      log(level, text, " (on ", describe_comm(comm).view(), ")");
    else
      log(level, text);
    if (handler != MPI_ERRORS_RETURN && handler != MPI_ERRORS_ARE_FATAL) MPI_Errhandler_free(&handler);
  }
  MPI_Comm_call_errhandler(handler_of, error_class);
  return error_class;
}

}  // namespace rondo::internal

using namespace rondo;
using namespace rondo::internal;

int Rondo_Error_string(int errorcode, char* string, int* resultlen) {
  return guarded_anywhere(MPI_COMM_NULL, "Rondo_Error_string", [&] {
    require(string, "string");
    require(resultlen, "resultlen");
    std::string text = remembered_error(errorcode);
    if (text.empty()) {
      require_mpi("errorcode");
      std::array<char, MPI_MAX_ERROR_STRING> words{};
      int length = 0;
      check_mpi(MPI_Error_string(errorcode, words.data(), &length), "errorcode");
      text.assign(words.data(), static_cast<std::size_t>(length));
    }
    text.resize(std::min<std::size_t>(text.size(), RONDO_MAX_ERROR_STRING - 1));
    std::ranges::copy(text, string);
    string[text.size()] = '\0';
    *resultlen = static_cast<int>(text.size());
  });
}
