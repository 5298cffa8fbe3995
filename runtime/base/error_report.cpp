#include "runtime/base/error_report.hpp"

#include <mutex>
#include <utility>

namespace rondo::internal {
namespace {

struct LastError {
  std::mutex mutex;
  int error_class = 0;
  std::string text;
};

LastError& last_error() {
  static LastError& error = *new LastError;
  return error;
}

}  // namespace

void remember_error(int error_class, const std::string& text) {
  LastError& error = last_error();
  const std::scoped_lock lock(error.mutex);
  error.error_class = error_class;
  error.text = text;
}

std::string remembered_error(int error_class) {
  LastError& error = last_error();
  const std::scoped_lock lock(error.mutex);
  return error.error_class == error_class ? error.text : std::string{};
}

}  // namespace rondo::internal
