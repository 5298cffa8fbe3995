#include "runtime/lanes/process_memory.hpp"

namespace rondo::internal {

ProcessMemory& process_memory() {
  static auto& all = *new ProcessMemory;
  return all;
}

}  // namespace rondo::internal
