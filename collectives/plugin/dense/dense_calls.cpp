#include "collectives/plugin/dense/dense_calls.hpp"

#include "collectives/arguments/reduction_operator.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/operations/dense_collective.hpp"
#include "collectives/plugin/choice/block_size.hpp"
#include "collectives/plugin/choice/call_report.hpp"
#include "collectives/plugin/choice/decision.hpp"
#include "collectives/plugin/choice/frequent_comms.hpp"
#include "collectives/plugin/choice/left_comms.hpp"
#include "collectives/plugin/choice/where_mpi_is_better.hpp"
#include "collectives/plugin/choice/world_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace rondo::internal::plugin {
namespace {

/// Returns the side that tells all ranks alike how long the blocks are: for an allgather the receiving side.
CallSide told_side(const Call& call) { return call.collective == Collective::allgather ? call.recv : call.sent(); }

/// Returns the bytes of the largest block, negative if not all ranks know it. Wrong arguments are reported later.
std::int64_t largest_block(const Call& call, int processes) {
  const CallSide side = told_side(call);
  const bool is_known = side.regular || call.collective != Collective::alltoall;
  if (!is_known || !side.counts || side.type_per_block) return -1;
  std::int64_t most = 0;
  for (int i = 0; i < (side.regular ? 1 : processes); ++i) most = std::max(most, side.count(i));
  if (most == 0) return 0;  // with any datatype, even an invalid one
  MPI_Count size = 0;
  if (side.types[0] == MPI_DATATYPE_NULL || MPI_Type_size_x(side.types[0], &size) != MPI_SUCCESS) return -1;
  return size * most;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  return MPI_Comm_size(comm, &size) == MPI_SUCCESS ? size : 0;
}

/// Returns whether the user may free a user-defined operation before a request that uses it is complete: Rondo cannot
/// keep the operation. Does not count if MPI's own reduction is wrong.
bool may_lose_op(ReplacedCall what, const Call& call) {
  const bool outlives_its_call = is_nonblocking(what) || is_persistent(what);
  return call.reduces() && outlives_its_call && !is_wrong_in_mpi(what) && call.op != MPI_OP_NULL &&
         !reduction::is_predefined_op(call.op);
}

/// Returns whether a call's result depends on the order in which operands are combined, which differs from MPI's.
bool is_inexact(const Call& call) { return call.reduces() && !reduction::is_exact(call.op, call.recv.types[0]); }

constexpr Decision kMustNotChange =
    leave_to_mpi("a reduction whose result would change, as earlier ones were MPI's", Alike::arguments);

/// Returns the call with MPI_IN_PLACE if its send buffer is where it would be in place. MPI forbids such calls; Open
/// MPI accepts them, and old programs make them. One rank may do so alone.
Call recognize_in_place(const Call& call, const DenseContext& context) {
  const auto is_in_place = [&] {
    if (call.in_place() || call.send.buffer == nullptr) return false;
    if (call.reduces()) return call.send.buffer == call.recv.buffer;
    MPI_Aint begin = 0;
    MPI_Aint extent = 0;
    const int rank = context.rank();
    if (call.collective != Collective::allgather || !call.recv.counts || call.recv.type(0) == MPI_DATATYPE_NULL ||
        call.send.type(0) != call.recv.type(0) || call.send.count(0) != call.recv.count(rank) ||
        !(call.recv.regular || call.recv.displacements) ||
        MPI_Type_get_extent(call.recv.type(0), &begin, &extent) != MPI_SUCCESS)
      return false;
    const std::int64_t place = call.recv.regular ? rank * call.recv.count(0) : call.recv.displacements[rank];
    return static_cast<const std::byte*>(call.send.buffer) ==
           static_cast<const std::byte*>(call.recv.buffer) + place * extent;
  };
  Call same = call;
  if (is_in_place()) same.send.buffer = MPI_IN_PLACE;
  return same;
}

/// Returns a context's settings for persistent and nonblocking calls. With progress in the background all algorithms
/// remain. Otherwise all messages must be under way from the start: other ranks may wait for them while this one is in
/// a function of MPI, where no round of Rondo would begin, nor a start that waits for the times of other ranks.
Settings keeping_others_going(const DenseContext& context) {
  Settings settings = context.settings();
  if (in_background()) {
    settings.progress = ProgressMode::async;  // fixed rather than learned
    return settings;
  }
  settings.force("direct");
  settings.ports = 0;
  settings.learn = 0;
  settings.progress = ProgressMode::inlined;
  return settings;
}

}  // namespace

Decision DenseCalls::decide(ReplacedCall what, const Call& call, MPI_Comm comm, Context& context) {
  context = DenseContext::find_ready(comm);
  const bool is_ready = context != nullptr;
  if (!is_ready) {
    int inter = 0;
    if (const char* why = reason_to_leave_kind(what)) return leave_to_mpi(why, Alike::kind);
    if (comm == MPI_COMM_NULL || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
      return leave_to_mpi("no communicator");
    if (inter != 0) return leave_to_mpi("intercommunicator", Alike::comm);
  }
  if (may_lose_op(what, call)) return leave_to_mpi("an operation of the application's");
  if (is_ready && context->leaves_inexact() && is_inexact(call)) return kMustNotChange;
  const int processes = is_ready ? context->size() : size_of(comm);
  const BlockSize blocks = block_size(largest_block(call, processes), longest_block_in_lanes());
  const Decision decision = decide_on_blocks(what, comm, processes, blocks, context.get());
  if (is_ready || !decision.takes()) return decision;
  if (const char* why = reason_to_leave_comm(comm)) return leave_to_mpi(why, Alike::comm);
  const bool inexact = is_inexact(call);
  if (inexact && leaves_inexact(comm)) return kMustNotChange;
  if (is_nonblocking(what)) {  // waits for nobody, and so cannot make the communicator ready
    if (inexact) leave_inexact(comm);
    return leave_until_ready("no earlier blocking call on the communicator");
  }
  if (const char* why = reason_to_wait(what, comm, processes, blocks)) {
    if (!inexact) return leave_until_ready(why);
    leave_inexact(comm);
    return kMustNotChange;
  }
  context = DenseContext::ready(comm, "the first dense collective");
  if (leaves_inexact(comm)) context->leave_inexact();
  return decide_on_blocks(what, comm, processes, blocks, context.get());
}

std::int64_t DenseCalls::sent_bytes(const Call& call, const DenseContext& context) {
  return bytes_of(call.sent(), call.sent_blocks(context.size()));
}

void DenseCalls::run(const Call& call, const Context& context, const LookAtComplete& look, MpisTurn& mpis) {
  MpisTurn* const try_mpi = may_be_worth_trying_mpi() ? &mpis : nullptr;
  if (!run_again(context->calls(), call, look, try_mpi))
    run_dense(recognize_in_place(call, *context), context, look, try_mpi);
}

std::unique_ptr<Operation> DenseCalls::start(const Call& call, const Context& context) {
  const Settings& settings = context->calls().other_settings([&] { return keeping_others_going(*context); });
  return start_dense(recognize_in_place(call, *context), context, settings);
}

std::unique_ptr<Operation> DenseCalls::init(const Call& call, const Context& context,
                                            const std::exception_ptr& trouble) {
  Settings settings;
  const std::exception_ptr here = trouble_in([&] { settings = keeping_others_going(*context); });
  return init_dense(recognize_in_place(call, *context), context, {.instead = &settings}, trouble ? trouble : here);
}

int rank_in(MPI_Comm comm) noexcept {
  int rank = 0;
  if (comm == MPI_COMM_NULL || MPI_Comm_rank(comm, &rank) != MPI_SUCCESS) return 0;
  return rank;
}

}  // namespace rondo::internal::plugin
