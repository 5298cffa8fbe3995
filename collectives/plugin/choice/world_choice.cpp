#include "collectives/plugin/choice/world_choice.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/plugin/choice/where_mpi_is_better.hpp"
#include "collectives/settings/settings.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/mix.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/operation/operation.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdlib>
#include <exception>

namespace rondo::internal::plugin {
namespace {

// Reasons, or null. MPI_Init sets them.
const char* why_automatic_calls_are_left = nullptr;
const char* why_everything_is_left = nullptr;
/// The facts that know_world() was given; set by MPI_Init.
WorldFacts known_facts;

WantedCalls read_environment() {
  const char* text = std::getenv("RONDO_PMPI");
  try {
    return wanted_calls(text == nullptr ? "" : text);
  } catch (const Error& error) {
    log(LogLevel::error, error.what(), "; all calls are left to MPI");
    return wanted_calls("off");
  }
}

/// Returns what RONDO_PMPI asks for.
Wanted asked_for(ReplacedCall call) {
  static const WantedCalls calls = read_environment();
  return calls[call];
}

/// The settings in the environment, except RONDO_PMPI.
struct Environment {
  std::uint64_t fingerprint;
  bool background;  ///< whether operations advance in the background
};

/// Returns the settings in the environment, or nothing if they are wrong, which the log reports once.
const std::optional<Environment>& read_settings() {
  static const std::optional<Environment> environment = []() -> std::optional<Environment> {
    try {
      watch_for_finalize();
      Settings settings;
      settings.take_assertions(MPI_INFO_NULL);
      settings.take_environment();
      return Environment{settings.fingerprint(), Engine::process().provide(settings.progress) == ProgressMode::async};
    } catch (const std::exception& error) {
      log(LogLevel::error, error.what());
      return std::nullopt;
    }
  }();
  return environment;
}

}  // namespace

Wanted wanted(ReplacedCall call) {
  const Wanted asked = asked_for(call);
  return asked == Wanted::automatic && why_automatic_calls_are_left != nullptr ? Wanted::leave : asked;
}

const char* why_unwanted(ReplacedCall call) {
  return asked_for(call) == Wanted::automatic ? why_automatic_calls_are_left : "RONDO_PMPI";
}

void leave_automatic_calls_to_mpi(const char* why) { why_automatic_calls_are_left = why; }

bool asks_for_calls() {
  for (std::size_t i = 0; i < kReplacedCalls; ++i) {
    if (asked_for(static_cast<ReplacedCall>(i)) == Wanted::take) return true;
  }
  return false;
}

bool asks_for_persistent_calls() {
  for (std::size_t i = 0; i < kReplacedCalls; ++i) {
    const auto call = static_cast<ReplacedCall>(i);
    if (is_persistent(call) && asked_for(call) == Wanted::take) return true;
  }
  return false;
}

void leave_everything_to_mpi(const char* why) {
  int rank = 0;
  if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0)
    log(LogLevel::error, "all calls are left to MPI: ", why);
  why_everything_is_left = why;
}

const char* reason_to_leave_everything() noexcept { return why_everything_is_left; }

SharedMemory wanted_memory() {
  Settings settings;
  return trouble_in([&] { settings.take_environment(); }) ? SharedMemory::off : settings.shm;
}

bool in_background() {
  const std::optional<Environment>& environment = read_settings();
  return environment && environment->background;
}

std::uint64_t fingerprint_of_decisions() {
  std::uint64_t hash = in_background() ? 1 : 0;
  for (std::size_t i = 0; i < kReplacedCalls; ++i)
    hash = mix(hash, static_cast<std::uint64_t>(wanted(static_cast<ReplacedCall>(i))));
  return hash;
}

std::optional<std::uint64_t> fingerprint_of_settings() {
  const std::optional<Environment>& environment = read_settings();
  return environment ? std::optional(environment->fingerprint) : std::nullopt;
}

void know_world(WorldFacts facts) noexcept { known_facts = facts; }

const WorldFacts& world_facts() noexcept { return known_facts; }

std::int64_t longest_block_in_lanes() noexcept {
  return longest_block_in_lanes(known_facts.processes, known_facts.shares_cache);
}

bool may_be_worth_trying_mpi() noexcept { return this_mpi().kind != MpiKind::mpich || !known_facts.shares_cores; }

}  // namespace rondo::internal::plugin
