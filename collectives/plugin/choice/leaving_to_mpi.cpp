#include "collectives/plugin/choice/leaving_to_mpi.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/attribute_key.hpp"
#include "collectives/plugin/choice/frequent_comms.hpp"
#include "collectives/plugin/choice/where_mpi_is_better.hpp"
#include "collectives/settings/settings.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/mix.hpp"
#include "runtime/base/world.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/operation/operation.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>

namespace rondo::internal::plugin {
namespace {

WantedCalls read_environment() {
  const char* text = std::getenv("RONDO_PMPI");
  try {
    return wanted_calls(text == nullptr ? "" : text);
  } catch (const Error& error) {
    log(LogLevel::error, error.what(), "; all calls are left to MPI");
    return wanted_calls("off");
  }
}

}  // namespace

namespace {

/// Returns what RONDO_PMPI asks for.
Wanted asked_for(ReplacedCall call) {
  static const WantedCalls calls = read_environment();
  return calls[call];
}

/// The reason why automatic calls are left to MPI, or null; set by MPI_Init.
const char* reason_to_leave_automatic_calls = nullptr;

}  // namespace

Wanted wanted(ReplacedCall call) {
  const Wanted asked = asked_for(call);
  return asked == Wanted::automatic && reason_to_leave_automatic_calls != nullptr ? Wanted::leave : asked;
}

void leave_automatic_calls_to_mpi(const char* why) { reason_to_leave_automatic_calls = why; }

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

namespace {

/// The reason why all calls are left to MPI, or null; set by MPI_Init.
const char* reason_to_leave_everything = nullptr;
/// relaxed: whoever has a foreign communicator has seen it made
std::atomic<bool> foreign_communicators = false;
/// The facts that know_world() was given; set by MPI_Init.
WorldFacts world_facts;

constexpr const char* kOneProcess = "one process";

/// Returns why a call that is not wanted is left to MPI.
const char* why_unwanted(ReplacedCall call) {
  return asked_for(call) == Wanted::automatic ? reason_to_leave_automatic_calls : "RONDO_PMPI";
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

void leave_everything_to_mpi(const char* why) {
  int rank = 0;
  if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0)
    log(LogLevel::error, "all calls are left to MPI: ", why);
  reason_to_leave_everything = why;
}

bool leaves_everything_to_mpi() noexcept { return reason_to_leave_everything != nullptr; }

bool is_of_this_world(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group outside = MPI_GROUP_NULL;
  int size = 0;
  check_mpi(MPI_Comm_group(comm, &group), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  check_mpi(MPI_Group_difference(group, world, &outside), "MPI_Group_difference");
  check_mpi(MPI_Group_size(outside, &size), "MPI_Group_size");
  for (MPI_Group* made : {&group, &world}) check_mpi(MPI_Group_free(made), "MPI_Group_free");
  if (size != 0) check_mpi(MPI_Group_free(&outside), "MPI_Group_free");
  return size == 0;
}

void expect_foreign_communicators() { foreign_communicators.store(true, std::memory_order_relaxed); }

bool is_foreign(MPI_Comm comm) {
  return foreign_communicators.load(std::memory_order_relaxed) && !is_of_this_world(comm);
}

namespace {

/// Marks a communicator whose calls are all left to MPI. A duplicate begins anew.
struct LeftComm {};

/// relaxed: whoever has such a communicator has marked it
std::atomic<bool> some_comms_are_left = false;

const AttributeKey<LeftComm>& mark_of_left_comms() {
  static const AttributeKey<LeftComm> key;
  return key;
}

}  // namespace

void leave_comm_to_mpi(MPI_Comm comm, const char* why) noexcept {
  try {
    if (!some_comms_are_left.exchange(true, std::memory_order_relaxed)) {
      int rank = 0;
      static_cast<void>(MPI_Comm_rank(comm, &rank));
      log(rank == 0 ? LogLevel::warning : LogLevel::info, "there is no private communicator for ",
          describe_comm(comm).view(), " and perhaps others, whose calls are left to MPI: ", why);
    }
    mark_of_left_comms().attach(comm, std::make_unique<LeftComm>());
  } catch (const std::exception&) {
    // MPI has no memory for a mark: the next call on the communicator tries again to make a private one.
  }
}

const char* reason_to_leave_comm(MPI_Comm comm) {
  if (is_foreign(comm)) return "processes of several MPI_COMM_WORLDs";
  const bool is_left =
      some_comms_are_left.load(std::memory_order_relaxed) && mark_of_left_comms().find(comm) != nullptr;
  return is_left ? "no private communicator" : nullptr;
}

SharedMemory wanted_memory() {
  Settings settings;
  return trouble_in([&] { settings.take_environment(); }) ? SharedMemory::off : settings.shm;
}

void know_world(WorldFacts facts) noexcept { world_facts = facts; }

bool may_be_worth_trying_mpi() noexcept { return kThisMpi != MpiKind::mpich || !world_facts.shares_cores; }

std::int64_t longest_block_in_lanes() noexcept { return longest_block_in_lanes(world_facts.processes); }

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

bool in_background() {
  const std::optional<Environment>& environment = read_settings();
  return environment && environment->background;
}

const char* reason_to_leave_kind(ReplacedCall call) {
  if (reason_to_leave_everything != nullptr) return reason_to_leave_everything;
  switch (wanted(call)) {
    case Wanted::leave:
      return why_unwanted(call);
    case Wanted::take:
      return nullptr;
    case Wanted::automatic:
      break;
  }
  if (is_neighborhood(call) || in_background()) return nullptr;
  // Rondo may be better for some number of processes and size of blocks.
  if (may_be_better(call, world_facts.shares_cores, world_facts.on_one_node)) return nullptr;
  return why_mpi_is_better(call, DenseFacts{std::numeric_limits<int>::max(), BlockSize::large, world_facts.shares_cores,
                                            world_facts.on_one_node});
}

const char* reason_to_leave_dense(ReplacedCall call, MPI_Comm comm, BlockSize blocks) {
  int size = 1;
  if (const char* why = reason_to_leave_comm(comm)) return why;
  if (is_wrong_in_mpi(call)) return nullptr;
  if (MPI_Comm_size(comm, &size) != MPI_SUCCESS || size == 1) return kOneProcess;
  if (wanted(call) != Wanted::automatic || in_background()) return nullptr;
  return why_mpi_is_better(call, DenseFacts{size, blocks, world_facts.shares_cores, world_facts.on_one_node});
}

const char* reason_to_leave_for_now(ReplacedCall call, MPI_Comm comm, BlockSize blocks) {
  int size = 1;
  if (wanted(call) != Wanted::automatic || in_background() || !world_facts.on_one_node || is_persistent(call))
    return nullptr;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  if (why_mpi_is_better(call, DenseFacts{size, blocks, world_facts.shares_cores, false}) == nullptr) return nullptr;
  // In Open MPI one thread that makes a communicator may keep another from doing so.
  if (world_facts.has_threads) return "several threads may make communicators";
  return is_frequent(comm) ? nullptr : "few calls on the communicator so far";
}

const char* reason_to_leave(ReplacedCall call, const DenseContext& context, BlockSize blocks) {
  const Wanted how = wanted(call);
  if (how == Wanted::leave) return why_unwanted(call);
  if (!is_wrong_in_mpi(call) && context.size() == 1) return kOneProcess;
  if (how == Wanted::take || in_background()) return nullptr;
  const CommState& state = *context.calls().on();
  // Never null if it was not null before the communicator was ready: some ranks may still remember that they left the
  // call to MPI.
  return why_mpi_is_better(call,
                           DenseFacts{context.size(), blocks, world_facts.shares_cores && state.ranks_per_core() > 1,
                                      world_facts.on_one_node && state.counts_on_lanes()});
}

const char* reason_to_leave(ReplacedCall call, const TopologyContext& context) {
  const Wanted how = wanted(call);
  if (how == Wanted::leave) return why_unwanted(call);
  if (how == Wanted::take || in_background()) return nullptr;
  const EdgeContext& edges = context.edges;
  // Only these calls search for a neighborhood, before they come here: what is remembered of a call must not change.
  const bool may_be_cartesian = call == ReplacedCall::neighbor_alltoall || call == ReplacedCall::neighbor_allgather;
  return why_mpi_is_better(call, TopologyFacts{edges.most_edges(), edges.has_parallel_edges(),
                                               may_be_cartesian && context.neighborhood() != nullptr,
                                               edges.ranks_per_core() > 1, edges.is_all_in_lanes()});
}

bool prepares_neighbor_calls(MPI_Comm comm) {
  // MPICH is wrong on some graphs, too, and its waits never yield if ranks share cores.
  const bool bad_in_mpi =
      has_short_rings(comm) || (kThisMpi == MpiKind::mpich && (world_facts.shares_cores || !is_cartesian(comm)));
  for (std::size_t i = 0; i < kReplacedCalls; ++i) {
    const auto call = static_cast<ReplacedCall>(i);
    if (!is_neighborhood(call)) continue;
    if (wanted(call) == Wanted::take && is_nonblocking(call)) return true;
    if (wanted(call) != Wanted::automatic) continue;
    if (in_background() || world_facts.has_threads || (bad_in_mpi && is_nonblocking(call))) return true;
  }
  return false;
}

bool prepares_dense_calls(MPI_Comm comm) {
  const auto is_taken = [&](ReplacedCall call) {
    if (wanted(call) != Wanted::automatic) return wanted(call) == Wanted::take;
    if (in_background()) return true;
    const MadeReady ready = worth_making_ready(call, world_facts.shares_cores, world_facts.on_one_node);
    return ready == MadeReady::all || (ready == MadeReady::world && comm == MPI_COMM_WORLD);
  };
  for (std::size_t i = 0; i < kReplacedCalls; ++i) {
    const auto call = static_cast<ReplacedCall>(i);
    if (!is_neighborhood(call) && is_nonblocking(call) && is_taken(call)) return true;
  }
  return false;
}

bool leave_kind_to_mpi(ReplacedCall call) {
  const char* why = reason_to_leave_kind(call);
  if (why != nullptr && CallReport::wanted() == nullptr)
    unchecked_kinds[static_cast<std::size_t>(call)].store(true,
                                                          std::memory_order_relaxed);  // see goes_unchecked_to_mpi()
  return leave_to_mpi(call, why);
}

bool leave_to_mpi(ReplacedCall call, const char* why) {
  if (why == nullptr) return false;
  if (CallReport* report = CallReport::wanted()) report->left(call, why);
  return true;
}

bool leave_to_mpi_on(ReplacedCall call, MPI_Comm comm, const char* why) {
  if (!leave_to_mpi(call, why)) return false;
  if (CallReport::wanted() == nullptr) remember_left(call, comm);
  return true;
}

}  // namespace rondo::internal::plugin
