#include "runtime/trace/trace_text.hpp"

#include <nlohmann/json.hpp>

#include "runtime/base/count_of.hpp"
#include "runtime/schedule/receive_codes.hpp"

#include <charconv>
#include <concepts>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace rondo::internal {
namespace {

std::string as_json(std::string_view text) {
  // Text that is not valid UTF-8 is replaced.
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string name(const TraceEvent& event) {
  const std::string what = verb(event.task_kind);
  return is_message(event.task_kind) ? what + ' ' + std::to_string(event.peer) : what;
}

std::string story_of(std::int64_t code) {
  if (code == kPartnerFailed) return "the partner failed earlier in this operation";
  if (code == kShortMessage) return "the message is too short";
  return "MPI error " + std::to_string(code);
}

/// A TraceText writes the events of a trace one after another.
class TraceText {
 public:
  explicit TraceText(const Trace& trace, const TraceOrigin& origin)
      : trace_(trace), origin_(origin), time_(trace.time()), end_(trace.now()) {}

  void write_driven(const TraceRing& ring) {
    write_ring(ring, [this](const TraceEvent& event) {
      together_.push_back(event);
      if (event.end != TraceEvent::kUnknown) write_together();
    });
    for (auto& [operation, run] : runs_) end_run(operation, run);
  }
  void write_others(const ThreadRings& rings) {
    rings.for_each(
        [this](const TraceRing& ring) { write_ring(ring, [this](const TraceEvent& event) { write_other(event); }); });
    lost_ += rings.refused();
  }
  [[nodiscard]] TracePart take();

 private:
  /// One start of an operation, from its beginning to its end.
  struct Run {
    std::uint64_t begin = 0;
    std::uint64_t last = 0;    ///< end of the last event
    std::uint64_t tasks = 0;   ///< number of tasks; 0 while no start is known, which may have been overwritten
    std::uint64_t over = 0;    ///< number of tasks that are over
    std::uint64_t number = 0;  ///< number of the operation's start
    std::uint32_t thread = 0;
    std::map<TaskId, TraceEvent> in_flight;
  };

  template <typename Write>
  void write_ring(const TraceRing& ring, Write write);
  void write_together();
  void write_driven(const TraceEvent& event);
  void write_other(const TraceEvent& event);
  void complete(Run& run, const TraceEvent& message, std::uint64_t end, const std::string& more);
  void finish_if_over(std::uint32_t operation, Run& run);
  void end_run(std::uint32_t operation, Run& run);
  void write_run(std::uint32_t operation, const Run& run, std::uint64_t end, bool complete);

  [[nodiscard]] const std::string& title(std::uint32_t operation);
  [[nodiscard]] std::string task_arguments(const Run& run, const TraceEvent& event);
  [[nodiscard]] int thread_number(std::uint32_t thread);
  void append_time(std::int64_t nanoseconds);
  void begin_event(char phase, std::string_view quoted_name, const char* category, std::uint32_t thread,
                   std::int64_t when);
  void end_event(const std::string& arguments);
  void write_span(std::string_view quoted_name, const char* category, const TraceEvent& event,
                  const std::string& arguments);
  void write_pair(const std::string& quoted_name, const char* category, std::uint32_t thread, std::uint64_t begin,
                  std::uint64_t end, const std::string& arguments);
  void write_about(const char* what, int thread, const std::string& arguments);
  [[nodiscard]] std::int64_t at(std::uint64_t ticks) const {
    return origin_.clock.at_reference(time_.nanoseconds(ticks)) - origin_.zero;
  }
  void append(std::integral auto number) { text_ += std::to_string(number); }

  const Trace& trace_;
  const TraceOrigin& origin_;
  TraceTime time_;
  std::uint64_t end_;  ///< time of construction
  std::string text_;
  std::vector<TraceEvent> together_;  ///< events whose end is still to come
  std::map<std::uint32_t, Run> runs_;
  std::map<std::uint32_t, std::string> titles_;  ///< quoted
  std::map<std::uint32_t, int> threads_;
  std::uint64_t pairs_ = 0;
  std::size_t lost_ = 0;
};

/// Appends a time in microseconds, the unit of Chrome's times.
void TraceText::append_time(std::int64_t nanoseconds) {
  if (nanoseconds < 0) {
    text_ += '-';
    nanoseconds = -nanoseconds;
  }
  append(nanoseconds / 1000);
  const std::string fraction = std::to_string(nanoseconds % 1000);
  text_ += '.' + std::string(3 - fraction.size(), '0') + fraction;
}

int TraceText::thread_number(std::uint32_t thread) {
  return threads_.try_emplace(thread, static_cast<int>(threads_.size()) + 1).first->second;
}

const std::string& TraceText::title(std::uint32_t operation) {
  const auto [it, is_new] = titles_.try_emplace(operation);
  if (is_new) it->second = as_json(trace_.title(operation));
  return it->second;
}

void TraceText::begin_event(char phase, std::string_view quoted_name, const char* category, std::uint32_t thread,
                            std::int64_t when) {
  if (!text_.empty()) text_ += ",\n";
  text_ += "{\"ph\":\"";
  text_ += phase;
  text_ += "\",\"name\":";
  text_ += quoted_name;
  text_ += ",\"cat\":\"";
  text_ += category;
  text_ += "\",\"pid\":";
  append(origin_.rank);
  text_ += ",\"tid\":";
  append(thread_number(thread));
  text_ += ",\"ts\":";
  append_time(when);
}

void TraceText::end_event(const std::string& arguments) {
  if (!arguments.empty()) text_ += ",\"args\":{" + arguments + "}";
  text_ += '}';
}

void TraceText::write_span(std::string_view quoted_name, const char* category, const TraceEvent& event,
                           const std::string& arguments) {
  const std::int64_t begin = at(event.begin);
  begin_event('X', quoted_name, category, event.thread, begin);
  text_ += ",\"dur\":";
  append_time(at(event.end) - begin);
  end_event(arguments);
}

/// Writes a span that overlaps with others and belongs to no thread.
void TraceText::write_pair(const std::string& quoted_name, const char* category, std::uint32_t thread,
                           std::uint64_t begin, std::uint64_t end, const std::string& arguments) {
  constexpr unsigned kBitsOfCount = 40;
  const std::uint64_t number = (static_cast<std::uint64_t>(origin_.rank) << kBitsOfCount) + ++pairs_;
  std::string id = "0x0000000000000000";
  const auto digits = std::to_chars(id.data() + 2, id.data() + id.size(), number, 16);
  id.resize(static_cast<std::size_t>(digits.ptr - id.data()));
  for (const auto& [phase, ticks] : {std::pair('b', begin), std::pair('e', end)}) {
    begin_event(phase, quoted_name, category, thread, at(ticks));
    text_ += ",\"id\":\"" + id + "\"";
    end_event(phase == 'b' ? arguments : std::string());
  }
}

std::string TraceText::task_arguments(const Run& run, const TraceEvent& event) {
  std::string text = "\"operation\":" + title(event.operation) + ",\"request\":" + std::to_string(event.operation) +
                     ",\"start\":" + std::to_string(run.number) + ",\"task\":" + std::to_string(event.task) +
                     ",\"phase\":" + std::to_string(event.phase) + ",\"round\":" + std::to_string(event.round);
  if (is_message(event.task_kind)) {
    text += ",\"peer\":" + std::to_string(event.peer) + ",\"through\":\"" +
            name(trace_.way_of(event.operation, event.task)) + '"';
  }
  return text + ",\"bytes\":" + std::to_string(event.detail);
}

void TraceText::complete(Run& run, const TraceEvent& message, std::uint64_t end, const std::string& more) {
  write_pair(as_json(name(message)), "message", message.thread, message.begin, end,
             task_arguments(run, message) + more);
  ++run.over;
  run.last = end;
}

void TraceText::write_run(std::uint32_t operation, const Run& run, std::uint64_t end, bool complete) {
  write_pair(title(operation), "operation", run.thread, run.begin, end,
             "\"request\":" + std::to_string(operation) + ",\"start\":" + std::to_string(run.number) +
                 ",\"tasks\":" + std::to_string(run.tasks) + ",\"complete\":" + (complete ? "true" : "false"));
}

void TraceText::finish_if_over(std::uint32_t operation, Run& run) {
  if (run.tasks == 0 || run.over < run.tasks) return;
  write_run(operation, run, run.last, true);
  run.tasks = 0;
}

/// Writes the messages and the start of an operation that have not ended: they are still in flight, or were given up.
void TraceText::end_run(std::uint32_t operation, Run& run) {
  const std::uint64_t end = run.in_flight.empty() ? run.last : end_;
  for (const auto& [id, message] : run.in_flight) complete(run, message, end, ",\"complete\":false");
  run.in_flight.clear();
  if (run.tasks != 0) write_run(operation, run, end, false);
  run.tasks = 0;
}

/// Writes tasks that were timed as one, as if each had taken equally long.
void TraceText::write_together() {
  const std::uint64_t begin = together_.back().begin;
  const std::uint64_t whole = together_.back().end - begin;
  const std::uint64_t count = together_.size();
  for (std::uint64_t i = 0; i < count; ++i) {
    TraceEvent& event = together_[i];
    event.begin = begin + whole * i / count;
    event.end = begin + whole * (i + 1) / count;
    write_driven(event);
  }
  together_.clear();
}

void TraceText::write_driven(const TraceEvent& event) {
  Run& run = runs_[event.operation];
  switch (event.kind) {
    case TraceKind::start:
      end_run(event.operation, run);
      run.begin = event.begin;
      run.last = event.begin;
      run.tasks = event.detail;
      run.over = 0;
      run.thread = event.thread;
      ++run.number;
      break;
    case TraceKind::posting:
      write_span(as_json("post " + count_of(event.detail, "message")), "post", event,
                 "\"operation\":" + title(event.operation));
      break;
    case TraceKind::task:
      if (is_message(event.task_kind)) {
        run.in_flight[event.task] = event;
        if (event.end > event.begin) write_span(as_json("post " + name(event)), "post", event, "");
      } else {
        const bool computes = event.task_kind == TaskKind::compute;
        write_span(as_json(computes ? trace_.function_name(event.operation, event.task) : name(event)),
                   computes ? "compute" : "task", event, task_arguments(run, event));
        ++run.over;
        run.last = event.end;
      }
      break;
    case TraceKind::completion:
      if (const auto found = run.in_flight.find(event.task); found != run.in_flight.end()) {
        const auto code = static_cast<std::int64_t>(event.detail);
        complete(run, found->second, event.end, code == 0 ? "" : ",\"error\":" + as_json(story_of(code)));
        run.in_flight.erase(found);
      }
      break;
    case TraceKind::all_completion:
      for (const auto& [id, message] : run.in_flight) complete(run, message, event.end, "");
      run.in_flight.clear();
      break;
    case TraceKind::wait:
    case TraceKind::mark:
    case TraceKind::span:
      break;  // the driver's ring never holds these
  }
  finish_if_over(event.operation, run);
}

void TraceText::write_other(const TraceEvent& event) {
  if (event.kind == TraceKind::wait) {
    write_span(as_json("wait"), "wait", event, "\"operation\":" + title(event.operation));
  } else if (event.kind == TraceKind::span) {
    write_span(as_json(event.name()), "span", event, "");
  } else {
    begin_event('i', as_json(event.name()), "mark", event.thread, at(event.begin));
    text_ += ",\"s\":\"t\"";
    end_event("");
  }
}

/// Calls write(event) for the events of a ring, and writes how many were lost before them.
template <typename Write>
void TraceText::write_ring(const TraceRing& ring, Write write) {
  std::optional<TraceEvent> oldest;
  const std::size_t lost = ring.for_each([&](const TraceEvent& event) {
    if (!oldest) oldest = event;
    write(event);
  });
  lost_ += lost;
  if (lost == 0 || !oldest) return;
  begin_event('i', as_json(std::to_string(lost) + " earlier events were overwritten (RONDO_TRACE_EVENTS)"), "lost",
              oldest->thread, at(oldest->begin));
  text_ += ",\"s\":\"p\"";
  end_event("");
}

void TraceText::write_about(const char* what, int thread, const std::string& arguments) {
  text_ += (text_.empty() ? "" : ",\n") + std::string("{\"ph\":\"M\",\"name\":\"") + what +
           "\",\"pid\":" + std::to_string(origin_.rank) + ",\"tid\":" + std::to_string(thread) + ",\"args\":{" +
           arguments + "}}";
}

TracePart TraceText::take() {
  const std::string rank = std::to_string(origin_.rank);
  write_about("process_name", 0, "\"name\":" + as_json("rank " + rank + " on " + origin_.host));
  write_about("process_sort_index", 0, "\"sort_index\":" + rank);
  for (const auto& [thread, number] : threads_)
    write_about("thread_name", number, "\"name\":\"thread " + std::to_string(number) + "\"");
  return {std::move(text_), "{\"rank\":" + rank + ",\"host\":" + as_json(origin_.host) +
                                ",\"overwritten_events\":" + std::to_string(lost_) +
                                ",\"clock_uncertainty_ns\":" + std::to_string(origin_.clock.uncertainty()) + "}"};
}

}  // namespace

TracePart trace_part(const Trace& trace, const TraceOrigin& origin) {
  TraceText text(trace, origin);
  text.write_driven(trace.of_driver());
  text.write_others(trace.of_threads());
  return text.take();
}

TraceFileText::TraceFileText(std::ostream& out) : out_(out) {
  out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
}

void TraceFileText::add(const TracePart& part) {
  if (part.events.empty()) return;
  out_ << (about_.empty() ? "" : ",\n") << part.events;
  about_ += (about_.empty() ? "" : ",") + part.about;
}

void TraceFileText::end() { out_ << "\n],\"otherData\":{\"processes\":[" << about_ << "]}}\n"; }

}  // namespace rondo::internal
