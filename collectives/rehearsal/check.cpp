// Checks a user-defined collective: first what can be proven, then what can be tried.
#include <rondo/error.hpp>
#include <rondo/own/check.hpp>

#include "collectives/own/lowering.hpp"
#include "collectives/own/own_builder.hpp"
#include "collectives/own/own_schedule.hpp"
#include "collectives/rehearsal/rehearsal.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "runtime/check/schedule_checker.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <new>
#include <optional>

namespace rondo {
namespace {

using internal::Finding;
using internal::OwnBuilder;
using internal::OwnSchedule;
using internal::Schedule;

/// The options with which schedules are built.
struct Way {
  Ordering ordering;
  MessageForm form;
};

constexpr std::array kWays{
    Way{Ordering::dependencies, MessageForm::automatic}, Way{Ordering::dependencies, MessageForm::staged},
    Way{Ordering::dependencies, MessageForm::datatype},  Way{Ordering::phases, MessageForm::automatic},
    Way{Ordering::phases, MessageForm::staged},          Way{Ordering::phases, MessageForm::datatype}};

std::string describe(const Way& way) {
  return " (schedule " + std::string(name(way.ordering)) + ", messages " + name(way.form) + ")";
}

/// Runs `body` for a rank, and returns a description of what it throws; an empty text if it throws nothing.
template <typename Body>
std::string story_of(int rank, int size, const Body& body) {
  const std::string who = "rank " + std::to_string(rank) + " of " + std::to_string(size) + ": ";
  try {
    body();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return who + "the lowering throws: " + error.what();
  } catch (...) {
    return who + "the lowering throws what is no std::exception";
  }
  return {};
}

/// The schedules of all ranks, or the reason why there are none.
struct Lowered {
  std::vector<OwnSchedule> schedules;
  std::string story;
};

Lowered lower_all(const Lowering& lower, int size, const Way& way) {
  Lowered lowered;
  std::deque<OwnBuilder> builders;
  std::uint32_t tags = 0;
  for (int rank = 0; rank < size; ++rank) {
    OwnBuilder& builder = builders.emplace_back(rank, size, way.ordering, way.form, internal::measured_form_costs());
    lowered.story = story_of(rank, size, [&] { internal::lower_own(lower, builder); });
    if (!lowered.story.empty()) return lowered;
    tags = std::max(tags, builder.tags());
  }
  for (int rank = 0; rank < size; ++rank) {
    lowered.story = story_of(rank, size, [&] {
      lowered.schedules.push_back(std::move(builders[static_cast<std::size_t>(rank)]).build(tags));
    });
    if (!lowered.story.empty()) return lowered;
  }
  std::vector<const Schedule*> schedules;
  for (const OwnSchedule& made : lowered.schedules) schedules.push_back(made.schedule.get());
  if (const std::optional<Finding> finding = internal::check_without_definition(schedules))
    lowered.story = std::string(name(finding->flaw)) + ": " + finding->story;
  return lowered;
}

std::string beyond(const char* buffer, const internal::ByteRange& range, std::size_t bytes) {
  if (range.begin >= 0 && range.end <= static_cast<std::int64_t>(bytes)) return {};
  return std::string("its blocks of the ") + buffer + " buffer are bytes [" + std::to_string(range.begin) + ", " +
         std::to_string(range.end) + "), must be within [0, " + std::to_string(bytes) + ")";
}

std::string look_at_buffers(const std::vector<OwnSchedule>& schedules, const CheckedBytes& data) {
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    std::string wrong = beyond("send", schedules[rank].send, data.send);
    if (wrong.empty()) wrong = beyond("receive", schedules[rank].recv, data.recv);
    if (!wrong.empty()) return "rank " + std::to_string(rank) + ": " + wrong;
  }
  return {};
}

void check_arguments_of(int size) {
  internal::require_mpi("check");
  if (size < 1) throw Error(MPI_ERR_ARG, "check: size: is " + std::to_string(size) + ", must be at least 1");
}

}  // namespace

CheckResult check(const Lowering& lower, int size) {
  check_arguments_of(size);
  for (const Way& way : kWays) {
    const Lowered lowered = lower_all(lower, size, way);
    if (!lowered.story.empty()) return CheckResult(lowered.story + describe(way));
  }
  return {};
}

CheckResult check(const Lowering& lower, int size, const CheckedBytes& data, const CheckOptions& options) {
  check_arguments_of(size);
  if (options.seeds < 1)
    throw Error(MPI_ERR_ARG, "check: seeds: is " + std::to_string(options.seeds) + ", must be at least 1");
  std::array<Lowered, kWays.size()> ways;
  for (std::size_t way = 0; way < kWays.size(); ++way) {
    ways[way] = lower_all(lower, size, kWays[way]);
    std::string story = ways[way].story;
    if (story.empty()) story = look_at_buffers(ways[way].schedules, data);
    if (!story.empty()) return CheckResult(story + describe(kWays[way]));
  }
  for (int run = 0; run < options.seeds; ++run) {
    const std::uint64_t seed = options.first_seed + static_cast<std::uint64_t>(run);
    const std::size_t way = seed % kWays.size();
    const std::string story = internal::Rehearsal(ways[way].schedules, data, seed).run();
    if (!story.empty()) return CheckResult("seed " + std::to_string(seed) + ", " + story + describe(kWays[way]));
  }
  return {};
}

}  // namespace rondo
