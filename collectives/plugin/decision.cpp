#include "collectives/plugin/decision.hpp"

#include <rondo/error.hpp>

#include "collectives/plugin/comparison.hpp"
#include "collectives/settings.hpp"
#include "runtime/engine.hpp"
#include "runtime/log.hpp"
#include "runtime/operation.hpp"

#include <cstdlib>
#include <limits>

namespace rondo::plugin {
namespace {

WantedCalls read_environment() {
  const char* text = std::getenv("RONDO_PMPI");
  try {
    return wanted_calls(text == nullptr ? "" : text);
  } catch (const Error& error) {
    log().error("{}; all calls are left to MPI", error.what());
    return wanted_calls("off");
  }
}

}  // namespace

Wanted wanted(ReplacedCall call) {
  static const WantedCalls calls = read_environment();
  return calls[call];
}

bool in_background() {
  static const bool background = [] {
    try {
      watch_for_finalize();
      Settings settings;
      settings.take_environment();
      return Engine::process().provide(settings.progress) == ProgressMode::async;
    } catch (const std::exception& error) {
      log().error("{}", error.what());  // the first call that Rondo takes fails with it
      return false;
    }
  }();
  return background;
}

const char* reason_to_pass(ReplacedCall call) {
  switch (wanted(call)) {
    case Wanted::pass:
      return "RONDO_PMPI";
    case Wanted::take:
      return nullptr;
    case Wanted::automatic:
      break;
  }
  if (is_neighborhood(call) || is_persistent(call) || in_background()) return nullptr;
  // Where nothing could make it the better choice.
  constexpr DenseFacts kBest{std::numeric_limits<int>::max(), 1, true};
  return why_mpi_is_better(call, kBest);
}

const char* reason_to_pass_dense(ReplacedCall call, MPI_Comm comm) {
  int inter = 0;
  int size = 1;
  if (comm == MPI_COMM_NULL || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return "no communicator";
  if (inter != 0) return "intercommunicator";
  if (wanted(call) == Wanted::automatic && !is_persistent(call) && MPI_Comm_size(comm, &size) == MPI_SUCCESS &&
      size == 1)
    return "one process";
  return nullptr;
}

const char* reason_to_pass(ReplacedCall call, const DenseContext& context, std::int64_t block_bytes) {
  if (wanted(call) != Wanted::automatic || in_background()) return nullptr;
  return why_mpi_is_better(call, DenseFacts{context.size(), block_bytes, context.ranks_per_core() > 1});
}

const char* reason_to_pass(ReplacedCall call, const TopologyContext& context) {
  if (wanted(call) != Wanted::automatic || in_background()) return nullptr;
  const EdgeContext& edges = context.edges;
  return why_mpi_is_better(call, TopologyFacts{edges.most_edges(), edges.has_parallel_edges(),
                                               context.neighborhood != nullptr, edges.ranks_per_core() > 1});
}

bool prepares_dense_calls(bool shares_cores) {
  const auto is_taken = [&](ReplacedCall call) {
    return wanted(call) == Wanted::take ||
           (wanted(call) == Wanted::automatic && (in_background() || prepares_dense(shares_cores)));
  };
  return is_taken(ReplacedCall::ialltoall) || is_taken(ReplacedCall::ialltoallv) || is_taken(ReplacedCall::ialltoallw);
}

void note_passed(ReplacedCall call, const char* why, bool always) {
  if (CallReport* report = CallReport::wanted())
    report->passed(call, why);
  else if (always)
    passed_unseen[static_cast<std::size_t>(call)].store(true, std::memory_order_relaxed);  // see passes_unseen()
}

}  // namespace rondo::plugin
