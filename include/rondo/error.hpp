/// @file
/// The exception of the C++ interface.
#ifndef RONDO_ERROR_HPP
#define RONDO_ERROR_HPP

#include <rondo/basics/cpp20.hpp>

#include <stdexcept>
#include <string>

namespace rondo {

/// The exception that every C++ function of Rondo throws: an MPI error class and a text that names the argument, its
/// value and what is allowed (or, for a failed communication, operation, task, round and peer).
class Error : public std::runtime_error {
 public:
  /// Makes an exception with an MPI error class and a text, which error_class() and what() return.
  Error(int error_class, const std::string& text) : std::runtime_error(text), error_class_(error_class) {}

  /// MPI error class, e.g. `MPI_ERR_COUNT`.
  [[nodiscard]] int error_class() const noexcept { return error_class_; }

 private:
  int error_class_;
};

}  // namespace rondo

#endif
