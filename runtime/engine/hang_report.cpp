#include "runtime/engine/hang_report.hpp"

#include <rondo/error.hpp>

#include "runtime/base/log.hpp"
#include "runtime/base/text_line.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/schedule/computation.hpp"

#include <dlfcn.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is not in <csignal>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace rondo::internal {
namespace {

/// Number of messages that a report names for each operation. For the rest it says only how many there are.
constexpr std::size_t kNamed = 8;

void write_line(TextLine& line) noexcept {
  line << "\n";
  std::string_view left = line.view();
  while (!left.empty()) {
    const ssize_t written = write(STDERR_FILENO, left.data(), left.size());
    if (written <= 0) return;  // nobody can read the report
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool is_first_of_its_execution(const Transport& transport, std::size_t place) noexcept {
  const Execution* execution = transport.in_flight_at(place).execution;
  for (std::size_t before = 0; before < place; ++before) {
    if (transport.in_flight_at(before).execution == execution) return false;
  }
  return execution != nullptr;
}

/// Calls visit(message) for the first messages of an execution that are in flight, and returns the number of the
/// rest.
template <typename Visit>
std::size_t for_each_waiting(const Transport& transport, const Execution& execution, Visit visit) {
  std::size_t found = 0;
  for (std::size_t place = 0; place < transport.in_flight(); ++place) {
    const InFlight it = transport.in_flight_at(place);
    if (it.execution == &execution && found++ < kNamed) visit(it);
  }
  return found - std::min(found, kNamed);
}

TextLine& append_progress(TextLine& line, const Execution& execution) noexcept {
  return line << execution.remaining() << " of " << execution.schedule().tasks().size() << " tasks are left";
}

}  // namespace

void write_hang_report(const HangStory& story, const char* why) noexcept {
  const Transport& transport = story.transport;
  const auto begin = [&] {
    TextLine line;
    line << "[rondo] rank " << story.rank << ": ";
    return line;
  };
  const bool nothing = transport.in_flight() == 0 && story.preparations.empty() && story.functions.empty() &&
                       story.functions.on_workers == 0 && story.computes == nullptr;
  TextLine title = begin() << why << ": " << (nothing ? "nothing is in flight" : "in flight:");
  write_line(title);
  if (story.activity != nullptr) {
    TextLine line = begin() << story.activity << "; " << story.seconds << " s";
    write_line(line);
  }
  for (const Preparation* preparation : story.preparations) {
    TextLine line = begin() << preparation->name() << ": has not begun, it waits for calls of the other ranks";
    write_line(line);
  }
  if (story.computes != nullptr && story.computes->running_function() != kNoTask) {
    TextLine line = begin() << story.computes->name() << ": it runs ";
    append_description(line, story.computes->schedule(), story.computes->running_function());
    write_line(line);
  }
  story.functions.for_each([&](const Execution& execution) {
    TextLine line = begin() << execution.name() << ": ";
    append_progress(line, execution) << "; functions are ready";
    write_line(line);
  });
  for (const Execution* it = story.functions.first_with_workers; it != nullptr; it = it->next_with_workers) {
    TextLine line = begin() << it->name() << ": ";
    append_progress(line, *it) << "; functions that workers have: " << it->on_workers();
    write_line(line);
  }
  for (std::size_t place = 0; place < transport.in_flight(); ++place) {
    if (!is_first_of_its_execution(transport, place)) continue;
    const Execution& execution = *transport.in_flight_at(place).execution;
    TextLine header = begin() << execution.name() << ": ";
    append_progress(header, execution) << "; its tags begin at " << execution.first_tag() << "; it is waiting for";
    write_line(header);
    const std::size_t rest = for_each_waiting(transport, execution, [&](const InFlight& it) {
      const Schedule& schedule = execution.schedule();
      const Task& task = schedule.tasks()[it.task];
      TextLine line = begin() << "  ";
      append_description(line, schedule, it.task) << ", " << task.bytes << " bytes";
      if (it.is_near) line << " through shared memory";
      for (const TaskId next : schedule.successors(task)) {
        if (schedule.tasks()[next].kind == TaskKind::compute) append_description(line << ", for ", schedule, next);
      }
      write_line(line);
    });
    if (rest == 0) continue;
    TextLine line = begin() << "  and " << rest << " more messages";
    write_line(line);
  }
  if (transport.in_flight() == 0) return;
  // All ranks number calls on a communicator with tags in the order of the calls. A rank can know no more about the
  // calls of other ranks.
  TextLine hint = begin() << "if another rank reports another call with the same tags on this communicator, the ranks "
                             "have made their calls in different orders";
  write_line(hint);
}

std::string describe_waiting(const Transport& transport, const Execution& execution) {
  TextLine line;
  append_progress(line, execution) << "; it is waiting for ";
  bool first = true;
  const std::size_t rest = for_each_waiting(transport, execution, [&](const InFlight& it) {
    append_description(line << (first ? "" : ", "), execution.schedule(), it.task);
    first = false;
  });
  if (rest > 0) line << " and " << rest << " more messages";
  return std::string(line.view());
}

namespace {

using Handler = void (*)(int);
/// The handlers that MPI had set for SIGUSR1 and SIGTERM, or null; written before Rondo's handler is installed.
std::array<Handler, 2> of_mpi{};

std::size_t index_of(int signal) noexcept { return signal == SIGTERM ? 1 : 0; }

extern "C" void rondo_signal_handler(int signal) {
  const int saved = errno;
  Engine::process().report_from_signal(signal == SIGTERM ? "SIGTERM" : "SIGUSR1");
  if (const Handler next = of_mpi[index_of(signal)]; next != nullptr) {
    next(signal);
  } else if (signal == SIGTERM) {
    // SIGTERM is blocked while its handler runs, and ends the process as soon as the handler returns.
    ::signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
  }
  errno = saved;
}

bool is_in_mpi(Handler handler) {
  Dl_info found{};
  return dladdr(reinterpret_cast<void*>(handler), &found) != 0 && found.dli_fname != nullptr &&
         std::string_view(found.dli_fname).find("libmpi") != std::string_view::npos;
}

void handle(int signal) {
  struct sigaction current = {};
  if (sigaction(signal, nullptr, &current) != 0) return;
  const bool simple = (current.sa_flags & SA_SIGINFO) == 0;
  if (!simple || (current.sa_handler != SIG_DFL && !is_in_mpi(current.sa_handler))) {
    log(LogLevel::debug, "the application handles signal ", signal, ": Rondo prints no report on it");
    return;
  }
  of_mpi[index_of(signal)] = current.sa_handler == SIG_DFL ? nullptr : current.sa_handler;
  struct sigaction ours = {};
  ours.sa_handler = rondo_signal_handler;
  ours.sa_flags = SA_RESTART;
  sigemptyset(&ours.sa_mask);
  sigaddset(&ours.sa_mask, SIGUSR1);  // one report at a time
  sigaddset(&ours.sa_mask, SIGTERM);
  sigaction(signal, &ours, nullptr);
}

}  // namespace

bool wants_reports_on_signals() {
  const char* wanted = std::getenv("RONDO_SIGNALS");
  if (wanted == nullptr || *wanted == '\0' || wanted == std::string_view("on")) return true;
  if (wanted == std::string_view("off")) return false;
  throw Error(MPI_ERR_INFO_VALUE, std::string("RONDO_SIGNALS: is ") + wanted + ", must be on or off");
}

void report_on_signals() {
  handle(SIGUSR1);
  handle(SIGTERM);
}

}  // namespace rondo::internal
