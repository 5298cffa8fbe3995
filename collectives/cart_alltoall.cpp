#include "collectives/cart_alltoall.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_context.hpp"
#include "datatypes/mpi_check.hpp"
#include "runtime/log.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace rondo {
namespace {

/// A call with its arguments checked.
struct CheckedCall {
  CheckedCall(const AlltoallCall& given, CommContext& context)
      : call(given),
        t(context.neighborhood().size()),
        send_layouts(check_side(call.send, t, context.tags().comm()->get())),
        recv_layouts(check_side(call.recv, t, context.tags().comm()->get())) {}

  const AlltoallCall& call;
  int t;
  SideLayouts send_layouts;
  SideLayouts recv_layouts;
};

/// Both sides of a call, block by block.
struct CallShapes {
  explicit CallShapes(const CheckedCall& checked)
      : send(shapes_of(checked.call.send, checked.t, checked.send_layouts)),
        recv(shapes_of(checked.call.recv, checked.t, checked.recv_layouts)) {}

  [[nodiscard]] AlltoallProblem problem(const CommContext& context, bool uniform) const {
    return {context.torus(), context.neighborhood(), send.blocks, recv.blocks, uniform, context.costs()};
  }

  SideShapes send;
  SideShapes recv;
};

void check_buffers(const AlltoallCall& call, CachedSchedule& entry, const CheckedCall& checked) {
  check_buffer(call.send, entry.send_range);
  check_buffer(call.recv, entry.recv_range);
  const auto send = reinterpret_cast<std::intptr_t>(call.send.buffer);
  const auto recv = reinterpret_cast<std::intptr_t>(call.recv.buffer);
  // Whether blocks share bytes depends on the distance between the buffers only.
  if (entry.disjoint_at == recv - send) return;
  if (send + entry.send_range.begin < recv + entry.recv_range.end &&
      recv + entry.recv_range.begin < send + entry.send_range.end) {
    const CallShapes shapes(checked);
    check_aliases(call, shapes.send, shapes.recv);
  }
  entry.disjoint_at = recv - send;
}

/// The schedule of a call, from the cache when the same call was made before.
CachedSchedule& schedule_for(const CheckedCall& checked, CommContext& context, const Settings& settings, bool uniform) {
  const AlltoallCall& call = checked.call;
  std::vector<std::int64_t> key{static_cast<std::int64_t>(settings.fingerprint()), uniform ? 1 : 0,
                                call.send.regular ? 1 : 0, call.send.type_per_block ? 1 : 0};
  append_key(call.send, checked.t, checked.send_layouts, key);
  append_key(call.recv, checked.t, checked.recv_layouts, key);
  CachedSchedule* found = context.cache().find(key);
  if (found == nullptr) {
    const CallShapes shapes(checked);
    const AlltoallProblem problem = shapes.problem(context, uniform);
    check_sizes(problem, call.send.regular);
    CachedSchedule entry;
    entry.key = std::move(key);
    entry.send_layouts = checked.send_layouts;
    entry.recv_layouts = checked.recv_layouts;
    entry.send_range = range_of(shapes.send);
    entry.recv_range = range_of(shapes.recv);
    entry.chosen = choose_alltoall(problem, settings.algorithm, settings.ordering);
    if (!entry.chosen.note.empty() && context.torus().rank() == 0) log().warn("{}: {}", call.name, entry.chosen.note);
    log().debug("{}: {} neighbors, algorithm {}, {} messages, {} phases", call.name, checked.t, entry.chosen.algorithm,
                entry.chosen.schedule->messages().size(), entry.chosen.schedule->phases());
    found = &context.cache().add(std::move(entry));
  }
  check_buffers(call, *found, checked);
  return *found;
}

/// Whether all ranks agree on the sizes of the blocks, found out by one small allreduce in which also bad arguments and
/// different settings are told to all. `bad`: what was wrong here, if anything.
bool agree_on_sizes(const AlltoallCall& call, const CommContext& context, std::span<const BlockShape> send,
                    const Settings& settings, const std::optional<Error>& bad, MPI_Comm comm) {
  std::uint64_t sizes = send.size();
  for (const BlockShape& block : send) sizes = mix(sizes, static_cast<std::uint64_t>(block.layout->size()));
  const std::uint64_t wanted = settings.fingerprint();
  const std::array<std::uint64_t, 5> local{bad ? 1U : 0U, sizes, ~sizes, wanted, ~wanted};
  std::array<std::uint64_t, 5> most{};
  check_mpi(MPI_Allreduce(local.data(), most.data(), 5, MPI_UINT64_T, MPI_MAX, comm), "MPI_Allreduce");
  if (bad) throw *bad;
  if (most[0] != 0)
    throw Error(MPI_ERR_ARG, std::string(call.name) + ": another rank of comm was given a bad argument");
  if (most[3] != ~most[4]) {
    throw Error(MPI_ERR_INFO_VALUE, std::string(call.name) +
                                        ": info: all ranks must ask for the same algorithm and "
                                        "schedule, and they did not");
  }
  const bool uniform = most[1] == ~most[2];
  if (!uniform && call.send.regular && context.neighborhood().size() > 0) {
    throw Error(MPI_ERR_COUNT, "sendcount: all ranks must send blocks of the same size, and they do not (here " +
                                   std::to_string(send.front().layout->size()) + " bytes)");
  }
  return uniform;
}

/// Runs `body` and names the function in what it throws.
template <typename Body>
auto named(const char* function, Body body) {
  try {
    return body();
  } catch (const Error& error) {
    const std::string text = error.what();
    throw Error(error.error_class(), text.starts_with(function) ? text : std::string(function) + ": " + text);
  }
}

}  // namespace

std::unique_ptr<Operation> start_alltoall(const AlltoallCall& call, MPI_Comm comm) {
  return named(call.name, [&] {
    CommContext& context = CommContext::of(comm);
    const std::scoped_lock lock(context.mutex());
    const CheckedCall checked(call, context);
    // A regular call's blocks have one size everywhere, by its definition.
    const bool uniform = call.send.regular || context.settings().assert_uniform;
    const CachedSchedule& entry = schedule_for(checked, context, context.settings(), uniform);
    const auto ticket = context.tags().nonblocking(entry.chosen.schedule->tags());
    std::unique_ptr<Operation> operation = entry.pool->take();
    if (operation == nullptr) {
      operation = std::make_unique<Operation>(Engine::process(), entry.chosen.schedule, ticket.comm, ticket.first_tag,
                                              call.name, entry.chosen.algorithm, false);
    }
    operation->execution().set_ticket(ticket.first_tag);
    operation->execution().bind(call.send.buffer, const_cast<void*>(call.recv.buffer));
    operation->pool = entry.pool;
    operation->start();
    return operation;
  });
}

void retire(std::unique_ptr<Operation> operation) {
  const std::shared_ptr<OperationPool> pool = std::move(operation->pool);
  operation->finish();  // throws for a failed operation, which is then not used again
  pool->give(std::move(operation));
}

void run_alltoall(const AlltoallCall& call, MPI_Comm comm) {
  std::unique_ptr<Operation> operation = start_alltoall(call, comm);
  operation->wait();
  retire(std::move(operation));
}

std::unique_ptr<Operation> init_alltoall(const AlltoallCall& call, MPI_Comm comm, const SettingsOf& settings_of) {
  return named(call.name, [&] {
    CommContext& context = CommContext::of(comm);
    const std::scoped_lock lock(context.mutex());
    std::optional<Error> bad;
    Settings settings = context.settings();
    std::optional<CheckedCall> checked;
    std::optional<CallShapes> shapes;
    try {
      settings = settings_of(settings);
      checked.emplace(call, context);
      shapes.emplace(*checked);
      check_sizes(shapes->problem(context, false), call.send.regular);
      check_buffer(call.send, range_of(shapes->send));
      check_buffer(call.recv, range_of(shapes->recv));
      check_aliases(call, shapes->send, shapes->recv);
    } catch (const Error& error) {
      bad = error;
    }
    bool uniform = true;
    if (!settings.assert_uniform) {
      uniform = agree_on_sizes(call, context, bad ? std::span<const BlockShape>{} : std::span(shapes->send.blocks),
                               settings, bad, context.tags().comm()->get());
    } else if (bad) {
      throw *bad;
    }
    const CachedSchedule& entry = schedule_for(*checked, context, settings, uniform);
    const auto ticket = context.tags().persistent(entry.chosen.schedule->tags());
    auto operation = std::make_unique<Operation>(Engine::process(), entry.chosen.schedule, ticket.comm,
                                                 ticket.first_tag, call.name, entry.chosen.algorithm, true);
    operation->execution().bind(call.send.buffer, const_cast<void*>(call.recv.buffer));
    operation->prepare();
    return operation;
  });
}

}  // namespace rondo
