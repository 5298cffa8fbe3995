/// @file
/// Conversion of exceptions to return codes: the border of the C interface.
#ifndef RONDO_COLLECTIVES_FACES_C_ERRORS_HPP
#define RONDO_COLLECTIVES_FACES_C_ERRORS_HPP

#include <mpi.h>

#include <rondo/error.hpp>

#include "datatypes/reading/mpi_running.hpp"

#include <new>
#include <string>

namespace rondo::internal {

/// Remembers the error for Rondo_Error_string and calls the error handler of `comm` (MPI_COMM_WORLD's if `comm` cannot
/// be asked), as MPI does. Returns the class if the handler returns.
int report_error(MPI_Comm comm, int error_class, const std::string& text);

/// Runs `body`; an exception becomes an error of `comm`. Every function of the C interface is one call of this function
/// or of guarded(). This one is for functions that may be called while MPI does not run, and for those of requests,
/// which know when MPI has ended (RequestTable::close()).
template <typename Body>
int guarded_anywhere(MPI_Comm comm, const char* function, Body body) {
  const auto report = [&](int error_class, std::string text) {
    if (!text.starts_with(function)) text = std::string(function) + ": " + text;
    return report_error(comm, error_class, text);
  };
  try {
    body();
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return report(error.error_class(), error.what());
  } catch (const std::bad_alloc&) {
    return report_error(comm, MPI_ERR_NO_MEM, "out of memory");  // so short that it takes no memory
  } catch (const std::exception& error) {
    return report(MPI_ERR_INTERN, error.what());
  }
}

/// Runs `body` as guarded_anywhere() does, but only between MPI_Init and MPI_Finalize; MPI_ERR_OTHER elsewhere.
template <typename Body>
int guarded(MPI_Comm comm, const char* function, Body body) {
  return guarded_anywhere(comm, function, [&] {
    require_mpi(function);
    body();
  });
}

/// Throws Error (MPI_ERR_ARG) if an output argument is missing.
inline void require(const void* argument, const char* name) {
  if (argument == nullptr) throw Error(MPI_ERR_ARG, std::string(name) + ": is null");
}

}  // namespace rondo::internal

#endif
