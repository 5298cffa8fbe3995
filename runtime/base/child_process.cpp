#include "runtime/base/child_process.hpp"

#include <unistd.h>

namespace rondo::internal {

bool is_child_process() noexcept {
  static const pid_t asked_first = ::getpid();
  return ::getpid() != asked_first;
}

}  // namespace rondo::internal
