#include "runtime/schedule/schedule_stream.hpp"

#include "runtime/schedule/computation.hpp"

#include <span>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

struct Edge {
  TaskId from;
  TaskId to;
};

}  // namespace

void write_layout(ByteWriter& writer, const Layout& layout) {
  std::vector<Run> runs;
  layout.for_each_run([&](const Run& run) { runs.push_back(run); });
  writer.write_list(std::span<const Run>(runs));
  writer.write(layout.extent());
}

Layout read_layout(ByteReader& reader) {
  Layout layout;
  for (const Run& run : reader.read_list<Run>()) layout.append(run);
  layout.set_extent(reader.read<std::int64_t>());
  return layout;
}

void write_schedule(ByteWriter& writer, const Schedule& schedule) {
  const ScheduleParts parts = schedule.parts();
  std::vector<Edge> edges;
  for (const auto& [from, to] : parts.edges) edges.push_back({from, to});
  writer.write_list(std::span<const Task>(parts.tasks));
  writer.write_list(std::span<const Edge>(edges));
  writer.write_list(std::span<const CopyRun>(parts.runs));
  writer.write_list(std::span<const OperandPair>(parts.operand_pairs));
  writer.write(parts.wire_layouts.size());
  for (const WireLayout& wire : parts.wire_layouts) {
    writer.write(wire.parts().size());
    for (const WireLayout::Part& part : wire.parts()) {
      writer.write(part.space);
      write_layout(writer, part.layout);
    }
  }
  writer.write(parts.reductions.size());
  for (const auto& reduction : parts.reductions) {
    write_layout(writer, reduction->layout());
    writer.write(reduction->alignment());
  }
  writer.write(parts.computations.size());
  for (const auto& computation : parts.computations) {
    writer.write_list(std::span<const char>(computation->name));
    writer.write_list(std::span<const ComputedBlock>(computation->blocks));
    writer.write(computation->reads);
    writer.write(computation->layouts.size());
    for (const Layout& layout : computation->layouts) write_layout(writer, layout);
  }
  writer.write(parts.scratch_bytes);
  writer.write(parts.phases);
  writer.write(parts.tags);
  writer.write(parts.in_place);
}

Schedule read_schedule(ByteReader& reader) {
  ScheduleParts parts;
  parts.tasks = reader.read_list<Task>();
  for (const Edge& edge : reader.read_list<Edge>()) parts.edges.emplace_back(edge.from, edge.to);
  parts.runs = reader.read_list<CopyRun>();
  parts.operand_pairs = reader.read_list<OperandPair>();
  for (auto left = reader.read<std::size_t>(); left > 0; --left) {
    WireLayout& wire = parts.wire_layouts.emplace_back();
    for (auto spaces = reader.read<std::size_t>(); spaces > 0; --spaces) {
      const auto space = reader.read<Space>();
      wire.append(space, read_layout(reader), 0);
    }
  }
  for (auto left = reader.read<std::size_t>(); left > 0; --left) {
    Layout operand = read_layout(reader);
    const auto alignment = reader.read<std::int64_t>();
    parts.reductions.push_back(std::make_shared<const Reduction>(std::move(operand), alignment));
  }
  for (auto left = reader.read<std::size_t>(); left > 0; --left) {
    Computation computation;
    const auto name = reader.read_list<char>();
    computation.name.assign(name.begin(), name.end());
    computation.blocks = reader.read_list<ComputedBlock>();
    computation.reads = reader.read<std::uint32_t>();
    for (auto layouts = reader.read<std::size_t>(); layouts > 0; --layouts)
      computation.layouts.push_back(read_layout(reader));
    parts.computations.push_back(std::make_shared<const Computation>(std::move(computation)));
  }
  parts.scratch_bytes = reader.read<std::int64_t>();
  parts.phases = reader.read<std::uint32_t>();
  parts.tags = reader.read<std::uint32_t>();
  parts.in_place = reader.read<bool>();
  return Schedule(std::move(parts));
}

}  // namespace rondo::internal
