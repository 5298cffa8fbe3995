#include "runtime/trace/trace.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

#include "runtime/base/log.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace rondo::internal {
namespace {

/// Factor by which the driver's ring is larger than a thread's: threads make fewer events than their tasks.
constexpr std::size_t kThreadsShare = 8;

bool is_wanted() noexcept {
  const char* path = std::getenv("RONDO_TRACE");
  return path != nullptr && *path != '\0';
}

/// Returns the number of events that RONDO_TRACE_EVENTS requests, the default if it is unset or empty, or nothing if
/// its value is not a valid number.
std::optional<std::size_t> events_from_environment() noexcept {
  const char* text = std::getenv("RONDO_TRACE_EVENTS");
  if (text == nullptr || *text == '\0') return Trace::kDefaultEvents;
  const std::string_view all(text);
  std::size_t events = 0;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), events);
  if (error != std::errc() || end != all.data() + all.size() || events == 0 || events > Trace::kMostEvents)
    return std::nullopt;
  return events;
}

}  // namespace

Trace::Trace(std::size_t events)
    : began_(clock_.read()),
      of_driver_(std::bit_ceil(events)),
      of_threads_(std::bit_ceil(std::max(events / kThreadsShare, std::size_t{1}))) {}

std::unique_ptr<Trace> Trace::from_environment() noexcept {
  if (!is_wanted()) return nullptr;
  const std::optional<std::size_t> events = events_from_environment();
  if (!events) return nullptr;
  try {
    return std::make_unique<Trace>(*events);
  } catch (const std::bad_alloc&) {
    log(LogLevel::error, "RONDO_TRACE: no memory for ", *events, " events, so nothing is traced");
    return nullptr;
  }
}

void Trace::check_environment() {
  if (!is_wanted() || events_from_environment()) return;
  throw Error(MPI_ERR_INFO_VALUE, std::string("RONDO_TRACE_EVENTS: is ") + std::getenv("RONDO_TRACE_EVENTS") +
                                      ", must be a number of events from 1 to " + std::to_string(kMostEvents));
}

std::uint32_t Trace::add_operation(const std::string& title) {
  const std::scoped_lock guard(titles_mutex_);
  const auto [it, is_new] = number_of_title_.try_emplace(title, static_cast<std::uint32_t>(titles_.size()));
  if (is_new) titles_.push_back(title);
  title_of_operation_.push_back(it->second);
  return static_cast<std::uint32_t>(title_of_operation_.size() - 1);
}

void Trace::set_ways(std::uint32_t operation, MessageWays ways) {
  const std::scoped_lock guard(titles_mutex_);
  ways_[operation] = std::move(ways);
}

void Trace::set_function_names(std::uint32_t operation, std::unordered_map<TaskId, std::string> names) {
  const std::scoped_lock guard(titles_mutex_);
  function_names_[operation] = std::move(names);
}

std::string Trace::function_name(std::uint32_t operation, TaskId task) const {
  const std::scoped_lock guard(titles_mutex_);
  const auto found = function_names_.find(operation);
  return found == function_names_.end() ? "compute" : found->second.at(task);
}

MessageWay Trace::way_of(std::uint32_t operation, TaskId message) const {
  const std::scoped_lock guard(titles_mutex_);
  const auto found = ways_.find(operation);
  return found == ways_.end() ? MessageWay::mpi : found->second.of(message);
}

std::string Trace::title(std::uint32_t operation) const {
  const std::scoped_lock guard(titles_mutex_);
  return titles_[title_of_operation_[operation]];
}

}  // namespace rondo::internal
