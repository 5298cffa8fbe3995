// The plug-in makes communicators ready for nonblocking calls while they are made. Making them is collective and may
// wait; a nonblocking call may not.
#include <rondo/error.hpp>

#include "collectives/blocks/type_probe.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/creation.hpp"
#include "collectives/comm_state/spare_comms.hpp"
#include "collectives/communicators/dense_context.hpp"
#include "collectives/faces/c/errors.hpp"
#include "collectives/plugin/choice/call_report.hpp"
#include "collectives/plugin/choice/left_comms.hpp"
#include "collectives/plugin/choice/topology.hpp"
#include "collectives/plugin/choice/where_mpi_is_better.hpp"
#include "collectives/plugin/choice/world_choice.hpp"
#include "collectives/plugin/comm_calls.hpp"
#include "collectives/plugin/original/original_mpi.hpp"
#include "collectives/plugin/requested_call.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/this_mpi.hpp"
#include "runtime/base/host_memory.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/node.hpp"
#include "runtime/base/world.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

using namespace rondo;
using namespace rondo::internal;
using namespace rondo::internal::plugin;

namespace {

bool is_intercommunicator(MPI_Comm comm) {
  int inter = 0;
  return MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0;
}

/// Returns whether a communicator has one process only, whose dense calls are left to MPI. Threads expect to make such
/// a communicator without waiting for others, and Open MPI lets no communicator be made while one waits that is made
/// from an older one.
bool is_alone(MPI_Comm comm) {
  int size = 0;
  return MPI_Comm_size(comm, &size) != MPI_SUCCESS || size == 1;
}

bool has_threads() {
  int level = MPI_THREAD_SINGLE;
  return MPI_Query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE;
}

/// Returns why buffers may be in a GPU's memory, which MPI may be able to access and Rondo is not; null if the user has
/// asked for Rondo's calls nevertheless.
const char* reason_to_expect_gpu_buffers() noexcept {
  return loaded_gpu_library() != nullptr && !asks_for_calls() ? "a GPU's library is loaded, and buffers may be there"
                                                              : nullptr;
}

/// Returns why Rondo should make no communicator now, in this thread; null if it may. In Open MPI, a communicator that
/// is made from a newer communicator waits for communicators that other threads make from older ones, which may wait
/// for it on other ranks.
const char* reason_to_make_no_comm() noexcept {
  if (const char* why = reason_to_expect_gpu_buffers()) return why;
  int main = 1;
  return this_mpi().kind == MpiKind::open_mpi && has_threads() && MPI_Is_thread_main(&main) == MPI_SUCCESS && main == 0
             ? "it is made in another thread than the main one, and Open MPI may block where several make some"
             : nullptr;
}

/// Leaves calls to MPI. Called on all ranks, while MPI is being started, if one of them expects buffers on a GPU.
void leave_gpu_buffers_to_mpi() {
  const char* const library = loaded_gpu_library();
  log(world_rank() == 0 ? LogLevel::warning : LogLevel::info, library == nullptr ? "another rank" : "this program",
      " has loaded ", library == nullptr ? "a GPU's library" : library,
      ", so all calls are left to MPI: buffers may be in a GPU's memory (RONDO_PMPI=all takes calls nevertheless)");
  leave_automatic_calls_to_mpi("a GPU's library is loaded");
}

/// Counts the ranks on each node if some rank's launcher has not said how many there are. Collective.
void count_ranks_on_nodes() {
  Agreement words(nullptr, MPI_COMM_WORLD);
  const auto untold = words.greatest(told_ranks_on_node() ? 0 : 1);
  words.reach("MPI_COMM_WORLD");
  if (words.of(untold) == 0) return;
  MPI_Comm node = MPI_COMM_NULL;
  int ranks = 0;
  check_mpi(original_mpi().comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_size(node, &ranks), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  know_ranks_on_node(ranks);
}

/// Returns whether a communicator with a topology is made ready for nonblocking neighborhood collectives when it is
/// made. This costs as much as making it, and so waits for the first blocking call or `_init` unless MPI's own
/// nonblocking calls may be wrong or far slower on it, the user asks for Rondo's, or several threads may call MPI: in
/// Open MPI one thread that makes a communicator may keep another from doing so. The same on all its ranks.
bool prepares_neighbor_calls(MPI_Comm comm) {
  const WorldFacts& world = world_facts();
  const bool is_mpich = this_mpi().kind == MpiKind::mpich;
  const bool wrong = are_neighbors_wrong_in_mpi() && (has_short_rings(comm) || (is_mpich && !is_cartesian(comm)));
  const bool bad_in_mpi = wrong || (is_mpich && world.shares_cores);  // MPICH's waits never yield
  for (std::size_t i = 0; i < kReplacedCalls; ++i) {
    const auto call = static_cast<ReplacedCall>(i);
    if (!is_neighborhood(call)) continue;
    if (wanted(call) == Wanted::take && is_nonblocking(call)) return true;
    if (wanted(call) != Wanted::automatic) continue;
    if (in_background() || world.has_threads || (bad_in_mpi && is_nonblocking(call))) return true;
  }
  return false;
}

/// Returns whether a communicator is made ready for nonblocking dense calls when it is made, because Rondo takes some
/// of them.
bool prepares_dense_calls(MPI_Comm comm) {
  const auto is_taken = [&](ReplacedCall call) {
    if (wanted(call) != Wanted::automatic) return wanted(call) == Wanted::take;
    if (in_background()) return true;
    const MadeReady ready = worth_making_ready(call, world_facts().shares_cores, world_facts().on_one_node);
    return ready == MadeReady::all || (ready == MadeReady::world && comm == MPI_COMM_WORLD);
  };
  for (std::size_t i = 0; i < kReplacedCalls; ++i) {
    const auto call = static_cast<ReplacedCall>(i);
    if (!is_neighborhood(call) && is_nonblocking(call) && is_taken(call)) return true;
  }
  return false;
}

/// Makes `comm` ready after a function that made it, if that succeeded.
int made(int code, const MPI_Comm* comm, MPI_Comm parent) {
  if (code == MPI_SUCCESS && comm != nullptr && !inside_tool) prepare_for_nonblocking(*comm, parent);
  return code;
}

/// After a function that made a graph. Open MPI 5.0 says of a graph made from a grid that it is a grid itself, and
/// crashes when asked for the grid's dimensions, so Rondo asks it nothing.
int made_graph(int code, const MPI_Comm* comm, MPI_Comm parent) {
  int topology = MPI_UNDEFINED;
  if (code == MPI_SUCCESS && comm != nullptr && *comm != MPI_COMM_NULL && !inside_tool &&
      reason_to_leave_everything() == nullptr && mpi_runs() && MPI_Topo_test(*comm, &topology) == MPI_SUCCESS &&
      topology == MPI_CART) {
    leave_comm_to_mpi(*comm, "MPI takes this graph for a grid");
    return code;
  }
  return made(code, comm, parent);
}

}  // namespace

namespace rondo::internal::plugin {

void prepare_for_nonblocking(MPI_Comm comm, MPI_Comm parent) {
  if (comm == MPI_COMM_NULL || reason_to_leave_everything() != nullptr || !mpi_runs() || is_intercommunicator(comm))
    return;
  try {
    const bool topology = has_topology(comm);
    const bool neighborhoods = topology && prepares_neighbor_calls(comm);
    const bool dense = prepares_dense_calls(comm) && !is_alone(comm);
    // A rank that has no memory for the grid reports that when the grid is searched.
    if (topology) static_cast<void>(trouble_in([&] { remember_grid(comm, parent); }));
    if ((!neighborhoods && !dense) || is_foreign(comm)) return;
    if (neighborhoods) {
      TopologyContext& context = TopologyContext::attach(comm);
      if (in_background()) context.look_for_neighborhood(comm);
    }
    if (dense) static_cast<void>(DenseContext::ready(comm, "a function that makes communicators"));
  } catch (const NoPrivateComm& none) {
    leave_comm_to_mpi(comm, none.what());
  } catch (const std::exception& error) {
    // This error is the same on all ranks. The first blocking call tries again, and reports it to the application.
    log(LogLevel::warning, describe_comm(comm).view(),
        " could not be made ready for nonblocking calls, which are left to MPI: ", error.what());
  }
}

void prepare_world() {
  count_ranks_on_nodes();  // this rank's choices depend on the count
  std::uint64_t decisions_here = 0;
  std::optional<std::uint64_t> settings_here;
  bool shares_cores = false;
  const std::exception_ptr trouble = trouble_in([&] {
    static_cast<void>(CallReport::wanted());  // so that a report appears even without calls
    decisions_here = fingerprint_of_decisions();
    settings_here = fingerprint_of_settings();
    shares_cores = ranks_per_core() > 1;
    SpareComms::of_process().keep_from_now_on(reason_to_make_no_comm);
    // These need local communicators, which MPI may be unable to make later.
    static_cast<void>(type_probe());
    RequestedCall::prepare();
  });
  Agreement words(trouble, MPI_COMM_WORLD);
  const auto decisions = words.same(decisions_here);
  const auto settings = words.same(settings_here.value_or(0));
  const auto wrong = words.greatest(settings_here ? 0 : 1);
  const auto shared_cores = words.greatest(shares_cores ? 1 : 0);
  const OneNode one_node(words, wanted_memory());
  const auto threads = words.greatest(has_threads() ? 1 : 0);
  const auto gpu = words.greatest(reason_to_expect_gpu_buffers() != nullptr ? 1 : 0);
  words.reach("MPI_COMM_WORLD");
  int processes = 1;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &processes), "MPI_Comm_size");
  know_world({.shares_cores = words.of(shared_cores) != 0,
              .on_one_node = one_node.is_agreed(words),
              .shares_cache = one_node.shares_cache(words),
              .has_threads = words.of(threads) != 0,
              .processes = processes});
  if (words.of(wrong) != 0) {
    leave_everything_to_mpi("a setting in the environment is wrong");
  } else if (!words.holds(decisions) || !words.holds(settings)) {
    leave_everything_to_mpi("the ranks differ in RONDO_PMPI or another setting");
  }
  if (words.of(gpu) != 0) leave_gpu_buffers_to_mpi();
  prepare_for_nonblocking(MPI_COMM_WORLD, MPI_COMM_NULL);
}

}  // namespace rondo::internal::plugin

extern "C" {

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return made(original_mpi().comm_dup(comm, newcomm), newcomm, comm);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return made(original_mpi().comm_dup_with_info(comm, info, newcomm), newcomm, comm);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return made(original_mpi().comm_split(comm, color, key, newcomm), newcomm, comm);
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  return made(original_mpi().comm_split_type(comm, split_type, key, info, newcomm), newcomm, comm);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  return made(original_mpi().comm_create(comm, group, newcomm), newcomm, comm);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  return made(original_mpi().comm_create_group(comm, group, tag, newcomm), newcomm, comm);
}

int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  const int code = original_mpi().intercomm_merge(intercomm, high, newintracomm);
  if (code != MPI_SUCCESS || inside_tool || !mpi_runs()) return code;
  return guarded(intercomm, "MPI_Intercomm_merge", [&] {
    if (!is_of_this_world(*newintracomm)) expect_foreign_communicators();
    prepare_for_nonblocking(*newintracomm, MPI_COMM_NULL);
  });
}

int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm* comm_cart) {
  return made(original_mpi().cart_create(comm_old, ndims, dims, periods, reorder, comm_cart), comm_cart, comm_old);
}

int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  return made(original_mpi().cart_sub(comm, remain_dims, newcomm), newcomm, comm);
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* comm_graph) {
  return made_graph(original_mpi().graph_create(comm_old, nnodes, index, edges, reorder, comm_graph), comm_graph,
                    comm_old);
}

int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
                          const int weights[], MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
  return made_graph(original_mpi().dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info,
                                                     reorder, comm_dist_graph),
                    comm_dist_graph, comm_old);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
                                   int outdegree, const int destinations[], const int destweights[], MPI_Info info,
                                   int reorder, MPI_Comm* comm_dist_graph) {
  return made_graph(
      original_mpi().dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree, destinations,
                                                destweights, info, reorder, comm_dist_graph),
      comm_dist_graph, comm_old);
}
}
