#include "runtime/schedule/task.hpp"

namespace rondo::internal {

const char* verb(TaskKind kind) {
  switch (kind) {
    case TaskKind::send:
      return "send to";
    case TaskKind::receive:
      return "receive from";
    case TaskKind::copy:
      return "copy";
    case TaskKind::reduce:
      return "reduce";
    case TaskKind::compute:
      return "compute";
    case TaskKind::join:
      return "join";
  }
  return "?";
}

const char* name(Space space) {
  switch (space) {
    case Space::send:
      return "send";
    case Space::recv:
      return "receive";
    case Space::scratch:
      return "scratch";
  }
  return "?";
}

}  // namespace rondo::internal
