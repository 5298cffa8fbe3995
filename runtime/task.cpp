#include "runtime/task.hpp"

namespace rondo {
namespace {

const char* verb(TaskKind kind) {
  switch (kind) {
    case TaskKind::send:
      return "send to rank ";
    case TaskKind::receive:
      return "receive from rank ";
    case TaskKind::copy:
      return "copy";
    case TaskKind::join:
      return "join";
  }
  return "?";
}

}  // namespace

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

std::string describe(const Task& task, TaskId id) {
  return verb(task.kind) + (is_message(task) ? std::to_string(task.peer) : std::string{}) + " (task " +
         std::to_string(id) + ", phase " + std::to_string(task.phase) + ", round " + std::to_string(task.round) + ")";
}

}  // namespace rondo
