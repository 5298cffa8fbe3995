#include "collectives/cart_alltoall.hpp"

#include <rondo/error.hpp>

#include "collectives/agreement.hpp"
#include "collectives/alltoall_algorithms.hpp"
#include "collectives/check_at_init.hpp"
#include "collectives/comm_context.hpp"
#include "datatypes/mpi_check.hpp"
#include "runtime/log.hpp"

#include <algorithm>
#include <array>
#include <exception>
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
        recv_layouts(check_side(call.recv, t, context.tags().comm()->get())) {
    if (!context.grid().is_torus()) throw Error(MPI_ERR_TOPOLOGY, "comm: is a mesh, alltoall needs a torus so far");
  }

  const AlltoallCall& call;
  int t;
  SideLayouts send_layouts;
  SideLayouts recv_layouts;
};

/// Both sides of a call, block by block.
struct CallShapes {
  explicit CallShapes(const CheckedCall& checked)
      : send(shapes_of(checked.call.send, checked.t, checked.send_layouts)),
        recv(shapes_of(checked.call.recv, checked.t, checked.recv_layouts)) {
    for (const BlockShape& block : send.blocks) sizes.push_back(block.layout->size());
  }

  [[nodiscard]] AlltoallProblem problem(const CommContext& context, bool uniform) const {
    return {context.grid(), context.neighborhood(), send.blocks, recv.blocks, uniform, context.costs(), sizes};
  }

  SideShapes send;
  SideShapes recv;
  std::vector<std::int64_t> sizes;  ///< of the send blocks
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
    entry.chosen = choose_alltoall(problem, settings.algorithm, settings.ordering, settings.messages);
    if (!entry.chosen.note.empty() && context.says_first(entry.chosen.note) && context.grid().rank() == 0)
      log().warn("{}: {}", call.name, entry.chosen.note);
    log().debug("{}: {} neighbors, algorithm {}, {} sends and receives, {} phases", call.name, checked.t,
                entry.chosen.algorithm, entry.chosen.schedule->messages().size(), entry.chosen.schedule->phases());
    found = &context.cache().add(std::move(entry));
  }
  check_buffers(call, *found, checked);
  return *found;
}

/// What a rank has to say about its blocks before ranks decide on an algorithm.
struct BlockSizes {
  std::uint64_t sent = 0;        ///< a number that stands for the list of sizes
  bool received_as_sent = true;  ///< whether receive blocks are as long as send blocks
  std::string received;          ///< the first that is not, for people
};

BlockSizes sizes_of(const AlltoallProblem& problem) {
  BlockSizes sizes{.sent = problem.send.size(), .received_as_sent = true, .received = {}};
  for (std::size_t i = 0; i < problem.send.size(); ++i) {
    const std::int64_t sent = problem.send[i].layout->size();
    const std::int64_t received = problem.recv[i].layout->size();
    sizes.sent = mix(sizes.sent, static_cast<std::uint64_t>(sent));
    if (sent == received || !sizes.received_as_sent) continue;
    sizes.received_as_sent = false;
    sizes.received = "recv block " + std::to_string(i) + ": has " + std::to_string(received) +
                     " bytes, the neighbor sends " + std::to_string(sent);
  }
  return sizes;
}

/// Whether all ranks agree on the sizes of the blocks, found out by one small allreduce in which also bad arguments and
/// different settings are told to all.
bool agree_on_sizes(const AlltoallCall& call, const BlockSizes& sizes, const Settings& settings,
                    const std::exception_ptr& trouble, MPI_Comm comm) {
  const std::uint64_t wanted = settings.fingerprint();
  std::array words{rank_word(trouble != nullptr, comm),     sizes.sent, ~sizes.sent, wanted, ~wanted,
                   rank_word(!sizes.received_as_sent, comm)};
  take_greatest(words, comm);
  if (trouble) std::rethrow_exception(trouble);
  if (words[0] != 0)
    throw Error(MPI_ERR_ARG,
                "rank " + std::to_string(words[0] - 1) + " of cartcomm was given a bad argument, or ran out of memory");
  if (words[3] != ~words[4]) {
    throw Error(MPI_ERR_INFO_VALUE,
                "info: all ranks must ask for the same algorithm, schedule and messages, and they did not");
  }
  const bool uniform = words[1] == ~words[2];
  if (!uniform && call.send.regular) {
    throw Error(MPI_ERR_COUNT, "sendcount: all ranks must send blocks of the same size, and they do not (here " +
                                   std::to_string(call.send.counts[0]) + " elements)");
  }
  if (uniform && words[5] != 0) {
    throw Error(MPI_ERR_TRUNCATE, sizes.received_as_sent
                                      ? "rank " + std::to_string(words[5] - 1) +
                                            " of cartcomm receives a block of another size than its neighbor sends"
                                      : sizes.received);
  }
  return uniform;
}

/// More tags than a schedule here ever needs: a combining one has a round for each residue and dimension.
std::uint32_t most_tags(const CommContext& context) {
  return static_cast<std::uint32_t>(context.neighborhood().size() * context.grid().dimensions());
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

std::unique_ptr<Operation> start_alltoall(const AlltoallCall& call, CommContext& context) {
  return named(call.name, [&] {
    const std::scoped_lock lock(context.mutex());
    const CheckedCall checked(call, context);
    // A regular call's blocks have one size everywhere, by its definition.
    const bool uniform = call.send.regular || context.settings().assert_uniform;
    const CachedSchedule& entry = schedule_for(checked, context, context.settings(), uniform);
    std::unique_ptr<Operation> operation = entry.pool->take();
    if (operation == nullptr) {
      operation = std::make_unique<Operation>(Engine::process(), entry.chosen.schedule, context.tags().comm(), 0,
                                              call.name, entry.chosen.algorithm, false);
    }
    operation->execution().bind(call.send.buffer, const_cast<void*>(call.recv.buffer));
    // Last of all that may fail: a call that does leaves the ranks in step when it is repeated.
    operation->execution().set_ticket(context.tags().nonblocking(entry.chosen.schedule->tags()));
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

void run_alltoall(const AlltoallCall& call, CommContext& context) {
  std::unique_ptr<Operation> operation = start_alltoall(call, context);
  operation->wait();
  retire(std::move(operation));
}

std::unique_ptr<Operation> init_alltoall(const char* name, CommContext& context, const InitSteps& steps) {
  return named(name, [&] {
    const std::scoped_lock lock(context.mutex());
    const MPI_Comm own = context.tags().comm()->get();
    AlltoallCall call{name, {}, {}};
    Settings settings;
    std::optional<CheckedCall> checked;
    BlockSizes sizes;
    std::exception_ptr trouble = trouble_in([&] {
      settings = context.settings();
      steps(call, settings);
      checked.emplace(call, context);
      const CallShapes shapes(*checked);
      check_sizes(shapes.problem(context, false), call.send.regular);
      check_buffer(call.send, range_of(shapes.send));
      check_buffer(call.recv, range_of(shapes.recv));
      check_aliases(call, shapes.send, shapes.recv);
      sizes = sizes_of(shapes.problem(context, false));
      context.tags().prepare_room(most_tags(context));
    });
    const bool agrees = !settings.assert_uniform;
    bool uniform = true;
    if (agrees)
      uniform = agree_on_sizes(call, sizes, settings, trouble, own);
    else if (trouble)
      std::rethrow_exception(trouble);

    context.tags().make_room(most_tags(context));
    std::unique_ptr<Operation> operation;
    trouble = trouble_in([&] {
      const CachedSchedule& entry = schedule_for(*checked, context, settings, uniform);
      const auto ticket = context.tags().next_persistent(entry.chosen.schedule->tags());
      operation = std::make_unique<Operation>(Engine::process(), entry.chosen.schedule, ticket.comm, ticket.first_tag,
                                              name, entry.chosen.algorithm, true);
      operation->execution().bind(call.send.buffer, const_cast<void*>(call.recv.buffer));
      operation->prepare();
    });
    if (agrees)
      agree_that_all_is_well(trouble, own);
    else if (trouble)
      std::rethrow_exception(trouble);
    context.tags().take_persistent(operation->execution().schedule().tags());
    if (settings.check) {
      const CallShapes shapes(*checked);
      check_at_init(operation->execution().schedule(), shapes.problem(context, uniform), call, own);
    }
    return operation;
  });
}

}  // namespace rondo
