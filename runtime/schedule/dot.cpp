#include "runtime/schedule/dot.hpp"

#include "runtime/schedule/computation.hpp"

#include <map>
#include <utility>

namespace rondo::internal {
namespace {

struct Look {
  const char* verb;
  const char* shape;
  const char* color;  ///< fill color
};

Look look(TaskKind kind) {
  switch (kind) {
    case TaskKind::send:
      return {"send to ", "cds", "lightskyblue"};
    case TaskKind::receive:
      return {"receive from ", "cds", "palegreen"};
    case TaskKind::copy:
      return {"copy", "box", "wheat"};
    case TaskKind::reduce:
      return {"reduce", "box", "lightsalmon"};
    case TaskKind::compute:
      return {"compute", "box", "plum"};
    case TaskKind::join:
      return {"join", "point", "black"};
  }
  return {"?", "box", "white"};
}

void append_escaped(std::string& to, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') to += '\\';
    to += c;
  }
}

void append_node(std::string& to, const Schedule& schedule, TaskId id, MessageWay way) {
  const Task& task = schedule.tasks()[id];
  const Look its = look(task.kind);
  to += "    t" + std::to_string(id) + " [label=\"" + its.verb;
  if (task.kind == TaskKind::compute) append_escaped(to += "\\n", schedule.computation(task).name);
  if (is_message(task)) to += std::to_string(task.peer);
  if (task.kind != TaskKind::join) to += "\\n" + std::to_string(task.bytes) + " bytes";
  if (is_message(task)) to += "\\nround " + std::to_string(task.round);
  if (way != MessageWay::mpi) to += std::string("\\n") + name(way);
  to += std::string("\", shape=") + its.shape + ", fillcolor=" + its.color + "];\n";
}

}  // namespace

std::string to_dot(const Schedule& schedule, std::string_view title, const MessageWays& ways) {
  std::map<std::uint32_t, std::string> nodes;  // by phase, in order
  std::string edges;
  for (TaskId id = 0; id < schedule.tasks().size(); ++id) {
    const Task& task = schedule.tasks()[id];
    append_node(nodes[task.phase], schedule, id, ways.of(id));
    for (const TaskId next : schedule.successors(task))
      edges += "  t" + std::to_string(id) + " -> t" + std::to_string(next) + ";\n";
  }
  std::string text = "digraph schedule {\n  label=\"";
  append_escaped(text, title);
  text += "\";\n  labelloc=t;\n  node [style=filled];\n";
  for (const auto& [phase, its] : nodes) {
    const std::string number = std::to_string(phase);
    text += "  subgraph cluster_phase_" + number + " {\n    label=\"phase " + number + "\";\n" + its + "  }\n";
  }
  return text + edges + "}\n";
}

}  // namespace rondo::internal
