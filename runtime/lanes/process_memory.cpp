#include "runtime/lanes/process_memory.hpp"

#include <exception>

namespace rondo::internal {

ProcessMemory& process_memory() {
  static auto& all = *new ProcessMemory;
  return all;
}

bool may_have_memory() noexcept {
  try {
    return process_memory().own.budget() > 0;
  } catch (const std::exception&) {  // a wrong value in the environment is reported when memory is requested
    return false;
  }
}

}  // namespace rondo::internal
