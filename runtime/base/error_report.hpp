/// @file
/// Functions that store and return the last error of the process, for Rondo_Error_string.
#ifndef RONDO_RUNTIME_BASE_ERROR_REPORT_HPP
#define RONDO_RUNTIME_BASE_ERROR_REPORT_HPP

#include <string>

namespace rondo::internal {

/// Remembers an error as the last one of the process. Any thread.
void remember_error(int error_class, const std::string& text);
/// Returns the text of the last error if that error has class `error_class`, otherwise an empty text. Any thread.
[[nodiscard]] std::string remembered_error(int error_class);

}  // namespace rondo::internal

#endif
