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

TextLine& append_description(TextLine& line, const Task& task, TaskId id) noexcept {
  line << verb(task.kind);
  if (is_message(task)) line << " rank " << task.peer;
  return line << " (task " << id << ", phase " << task.phase << ", round " << task.round << ")";
}

std::string describe(const Task& task, TaskId id) {
  TextLine line;
  return std::string(append_description(line, task, id).view());
}

}  // namespace rondo::internal
