/// @file
/// The last error of the process, for Rondo_Error_string.
#ifndef RONDO_RUNTIME_BASE_ERROR_REPORT_HPP
#define RONDO_RUNTIME_BASE_ERROR_REPORT_HPP

#include <string>

namespace rondo::internal {

/// Remembers an error; any thread.
void remember_error(int error_class, const std::string& text);
/// Text of the last error when that has class `error_class`, empty otherwise; any thread.
[[nodiscard]] std::string remembered_error(int error_class);

}  // namespace rondo::internal

#endif
