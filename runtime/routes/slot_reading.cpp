#include "runtime/routes/slot_reading.hpp"

#include "datatypes/copying/copy_program.hpp"
#include "datatypes/layout/layout.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace rondo::internal {
namespace {

constexpr std::uint32_t kNoMessage = std::numeric_limits<std::uint32_t>::max();

std::int64_t address(const std::byte* place) noexcept {
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(place));
}

}  // namespace

SlotReading::SlotReading(const Schedule& schedule, const std::array<std::byte*, kSpaces>& bases) {
  const SlotReaders found = slot_readers(schedule);
  TaskId last_send = kNoTask;
  for (const SlotReader& reader : found.readers) {
    const Task& task = schedule.tasks()[reader.task];
    if (task.kind != TaskKind::send) {
      candidates_.push_back({reader.task, reader.message, task.kind == TaskKind::copy});
    } else if (reader.task != last_send) {  // readings of one send follow each other
      compile(schedule, task, found.landings, bases);
      last_send = reader.task;
    }
  }
}

/// Compiles a separate program for each part of a send. The parts may move, and merged parts could not move separately.
void SlotReading::compile(const Schedule& schedule, const Task& send, std::span<const Landing> landings,
                          const std::array<std::byte*, kSpaces>& bases) {
  Send compiled{send.message, runs_.size(), 0, parts_.size(), 0};
  CopyProgram program;
  std::uint32_t reads = kNoMessage;
  std::int64_t packed = 0;
  const auto end_part = [&] {
    if (program.runs().empty()) return;
    program.finish();
    runs_.insert(runs_.end(), program.runs().begin(), program.runs().end());
    parts_.push_back({runs_.size() - compiled.first_run, reads});
    program.clear();
  };
  const auto base = [&](Space space) { return address(bases[static_cast<std::size_t>(space)]); };
  const auto append = [&](std::int64_t offset, std::int64_t bytes, std::uint32_t message) {
    if (message != reads) end_part();
    reads = message;
    program.append(base(Space::scratch) + offset, packed, bytes);
    packed += bytes;
  };
  const auto append_scratch = [&](std::int64_t offset, std::int64_t bytes) {
    const std::int64_t end = offset + bytes;
    auto landing = std::ranges::upper_bound(landings, offset, {}, &Landing::end);
    while (offset < end) {
      const bool within = landing != landings.end() && landing->begin <= offset;
      std::int64_t until = end;
      if (landing != landings.end()) until = std::min(end, within ? landing->end : landing->begin);
      append(offset, until - offset, within ? landing->message : kNoMessage);
      offset = until;
      if (within) ++landing;
    }
  };
  if (send.first_part == kContiguous) {
    append_scratch(send.source_offset, send.bytes);
  } else {
    for (const WireLayout::Part& part : schedule.wire_layouts()[send.first_part].parts()) {
      if (part.space == Space::scratch) {
        part.layout.for_each_piece(append_scratch);
        continue;
      }
      if (reads != kNoMessage) end_part();
      reads = kNoMessage;
      program.append(part.layout, base(part.space), Layout::contiguous(part.layout.size()), packed);
      packed += part.layout.size();
    }
  }
  end_part();
  compiled.runs = runs_.size() - compiled.first_run;
  compiled.parts = parts_.size() - compiled.first_part;
  runs_.reserve(runs_.size() + compiled.runs);
  std::copy_n(runs_.begin() + static_cast<std::ptrdiff_t>(compiled.first_run), compiled.runs,
              std::back_inserter(runs_));
  sends_.push_back(compiled);
}

void SlotReading::settle(std::span<const Route> routes) noexcept {
  const auto receive_of = [&](std::uint32_t message) {
    return message == kNoMessage ? nullptr : routes[message].receive;
  };
  const auto have_it_stay = [&](std::uint32_t message, bool stays) {
    ReceiveChannel* receive = receive_of(message);
    if (receive != nullptr) receive->stays = stays && receive->slots.slots() == 2;
  };
  readers_.swap(candidates_);
  for (const Reader& reader : readers_) have_it_stay(reader.message, true);
  for (const Part& part : parts_) have_it_stay(part.message, true);
  for (const Send& send : sends_) {
    if (routes[send.message].send != nullptr) continue;
    for (const Part& part : parts(send)) have_it_stay(part.message, false);
  }
  const auto stays = [&](std::uint32_t message) {
    const ReceiveChannel* receive = receive_of(message);
    return receive != nullptr && receive->stays;
  };
  std::erase_if(readers_, [&](const Reader& reader) { return !stays(reader.message); });
  for (const Send& send : sends_) {
    if (std::ranges::any_of(parts(send), [&](const Part& part) { return stays(part.message); }))
      read_in_slots(send, routes);
  }
}

void SlotReading::read_in_slots(const Send& send, std::span<const Route> routes) noexcept {
  SendChannel& channel = *routes[send.message].send;
  std::array<CopyRun*, 2> programs{};
  for (std::size_t slot = 0; slot < 2; ++slot) {
    programs[slot] = runs_.data() + send.first_run + slot * send.runs;
    std::span<CopyRun> program(programs[slot], send.runs);
    std::size_t begin = 0;
    for (const Part& part : parts(send)) {
      std::int64_t further = -address(channel.source);
      const ReceiveChannel* receive = part.message == kNoMessage ? nullptr : routes[part.message].receive;
      if (receive != nullptr && receive->stays) further += address(receive->data[slot]) - address(receive->target);
      while (begin < part.end) {  // loops count from these addresses
        program[begin].source += further;
        begin += entries_of_first(program.subspan(begin));
      }
    }
  }
  channel.program = {programs[0], programs[1], send.runs};
}

bool SlotReading::by_copies() const noexcept { return std::ranges::any_of(readers_, &Reader::copies); }

std::optional<std::uint32_t> SlotReading::message_of(TaskId reader) const noexcept {
  const auto found = std::ranges::lower_bound(readers_, reader, {}, &Reader::task);
  if (found == readers_.end() || found->task != reader) return std::nullopt;
  return found->message;
}

}  // namespace rondo::internal
