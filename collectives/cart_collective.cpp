#include "collectives/cart_collective.hpp"

#include <rondo/error.hpp>

#include "collectives/agreement.hpp"
#include "collectives/allgather_algorithms.hpp"
#include "collectives/alltoall_algorithms.hpp"
#include "collectives/check_cart_at_init.hpp"
#include "collectives/checked_call.hpp"
#include "collectives/persistent_operation.hpp"
#include "collectives/reduction_algorithms.hpp"
#include "collectives/size_agreement.hpp"
#include "collectives/user_blocks.hpp"
#include "runtime/log.hpp"

#include <cstring>
#include <exception>
#include <optional>
#include <string>

namespace rondo {
namespace {

void check_buffers(const CartCall& call, CachedSchedule& entry, const CheckedCall& checked) {
  check_buffer(call.send, entry.send_range);
  check_buffer(call.recv, entry.recv_range);
  check_disjoint(entry, call.send.buffer, call.recv.buffer, [&] {
    const CallShapes shapes(checked);
    check_aliases(call.send, shapes.send, call.recv, shapes.recv);
  });
}

/// A handle of MPI's, which is a pointer or a number, as a word of a cache key.
template <typename Handle>
std::int64_t word_of(Handle handle) {
  std::int64_t word = 0;
  std::memcpy(&word, &handle, sizeof handle);
  return word;
}

std::vector<std::int64_t> key_of(const CheckedCall& checked, const Settings& settings, const KnownSizes& agreed) {
  const CartCall& call = checked.call;
  std::vector<std::int64_t> key{static_cast<std::int64_t>(settings.fingerprint()),
                                static_cast<std::int64_t>(call.collective),
                                agreed.known ? 1 : 0,
                                call.send.regular ? 1 : 0,
                                call.send.type_per_block ? 1 : 0,
                                call.recv.regular ? 1 : 0,
                                call.recv.type_per_block ? 1 : 0};
  if (call.reduces()) {
    key.push_back(word_of(call.op));
    key.push_back(word_of(call.recv.types[0]));  // two basic types may share a layout
  }
  key.insert(key.end(), agreed.bytes.begin(), agreed.bytes.end());
  append_key(call.send, checked.sent_blocks(), checked.existing_targets(), checked.send_layouts, key);
  append_key(call.recv, checked.received_blocks(), checked.existing_sources(), checked.recv_layouts, key);
  return key;
}

Chosen choose(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings, const KnownSizes& sizes) {
  static const Layout nothing;
  CommContext& context = checked.context;
  const CartCall& call = checked.call;
  switch (call.collective) {
    case CartCollective::alltoall: {
      const AlltoallProblem problem{context.grid(), context.neighborhood(), shapes.send.blocks, shapes.recv.blocks,
                                    sizes.known,    context.costs(),        sizes.bytes,        settings.ports};
      return choose_alltoall(problem, settings.algorithm, settings.ordering, settings.messages);
    }
    case CartCollective::allgather: {
      const BlockShape own = checked.t == 0 ? BlockShape{0, &nothing} : shapes.send.blocks[0];
      const AllgatherProblem problem{context.grid(), context.neighborhood(), own,           shapes.recv.blocks,
                                     sizes.bytes,    context.costs(),        settings.ports};
      return choose_allgather(problem, settings.algorithm, settings.ordering, settings.messages);
    }
    case CartCollective::reduce:
    case CartCollective::scatter_reduce:
      break;
  }
  const bool scatters = call.collective == CartCollective::scatter_reduce;
  const ReductionKind kind = scatters ? ReductionKind::scatter_reduce : ReductionKind::reduce;
  const Layout element = checked.t == 0 ? nothing : *checked.recv_layouts[0];
  const ReductionProblem problem{
      context.grid(),
      context.neighborhood(),
      kind,
      shapes.send.blocks,
      checked.t == 0 ? BlockShape{0, &nothing} : shapes.recv.blocks[0],
      std::make_shared<const Reduction>(call.op, call.recv.types[0], call.recv.counts[0], element),
      context.costs(),
      context.canonical_reduction(kind),
      settings.ports};
  return choose_reduction(problem, settings.algorithm, settings.ordering, settings.messages);
}

/// The schedule of a call, from the cache when the same call was made before. `agreed`: what the ranks found out about
/// their sizes; nothing, and they know what follows from the call.
CachedSchedule& schedule_for(const CheckedCall& checked, const Settings& settings, const KnownSizes& agreed) {
  const CartCall& call = checked.call;
  CommContext& context = checked.context;
  std::vector<std::int64_t> key = key_of(checked, settings, agreed);
  CachedSchedule* found = context.cache().find(key);
  if (found == nullptr) {
    const auto kept = std::make_shared<const CallShapes>(checked);
    const CallShapes& shapes = *kept;
    check_sizes(checked, shapes);
    CachedSchedule entry;
    entry.key = std::move(key);
    entry.send_layouts = checked.send_layouts;
    entry.recv_layouts = checked.recv_layouts;
    entry.send_range = range_of(shapes.send);
    entry.recv_range = range_of(shapes.recv);
    const KnownSizes sizes = agreed.bytes.empty() ? sizes_by_definition(checked, shapes, settings) : agreed;
    check_received(checked, shapes, sizes);
    entry.blocks = user_blocks(kept);
    entry.chosen = std::make_shared<const Chosen>(choose(checked, shapes, settings, sizes));
    if (!entry.chosen->note.empty() && context.says_first(entry.chosen->note) && context.grid().rank() == 0)
      log().warn("{}: {}", call.name, entry.chosen->note);
    log().debug("{}: {} neighbors, algorithm {}, {} sends and receives, {} phases", call.name, checked.t,
                entry.chosen->algorithm, entry.chosen->schedule->messages().size(), entry.chosen->schedule->phases());
    found = &context.cache().add(std::move(entry));
  }
  check_buffers(call, *found, checked);
  return *found;
}

/// At least as many tags as any schedule here needs: one for each round, of which a dimension or a group of them has no
/// more than neighbors or, where offsets are sums of powers of two, than bits.
std::uint32_t most_tags(const CommContext& context) {
  constexpr std::uint32_t kBits = 64;
  const auto t = static_cast<std::uint32_t>(context.neighborhood().size());
  return (t + kBits) * static_cast<std::uint32_t>(context.grid().dimensions()) + kBits;
}

}  // namespace

std::unique_ptr<Operation> start_collective(const CartCall& call, CommContext& context) {
  return named(call.name, [&] {
    const std::scoped_lock lock(context.mutex());
    const CheckedCall checked(call, context);
    const CachedSchedule& entry = schedule_for(checked, context.settings(), {});
    std::unique_ptr<Operation> operation = entry.pool->take();
    if (operation == nullptr) {
      operation = make_operation(call.name, entry.chosen, entry.blocks, {context.tags().comm(), 0},
                                 context.settings().progress, false);
    }
    operation->execution().bind(call.send.buffer, const_cast<void*>(call.recv.buffer));
    const std::uint32_t tags = entry.chosen->schedule->tags();
    const int first_tag = context.tags().next_nonblocking(tags);
    operation->execution().set_ticket(first_tag);
    operation->pool = entry.pool;
    operation->start();
    // Last of all: a call that fails takes nothing, and leaves the ranks in step when it is repeated.
    context.tags().take_nonblocking(first_tag, tags);
    return operation;
  });
}

void retire(std::unique_ptr<Operation> operation) {
  const std::shared_ptr<OperationPool> pool = std::move(operation->pool);
  operation->finish();  // throws for a failed operation, which is then not used again
  if (pool != nullptr) pool->give(std::move(operation));
}

void run_collective(const CartCall& call, CommContext& context) {
  std::unique_ptr<Operation> operation = start_collective(call, context);
  operation->wait();
  retire(std::move(operation));
}

std::unique_ptr<Operation> init_collective(const char* name, CommContext& context, const InitSteps& steps) {
  return named(name, [&] {
    const std::scoped_lock lock(context.mutex());
    const MPI_Comm own = context.tags().comm()->get();
    CartCall call{name, CartCollective::alltoall, {}, {}};
    Settings settings;
    std::optional<CheckedCall> checked;
    SizeAgreement agreement;
    const std::exception_ptr trouble = trouble_in([&] {
      settings = context.settings();
      steps(call, settings);
      checked.emplace(call, context);
      const CallShapes shapes(*checked);
      check_sizes(*checked, shapes);
      check_buffer(call.send, range_of(shapes.send));
      check_buffer(call.recv, range_of(shapes.recv));
      check_aliases(call.send, shapes.send, call.recv, shapes.recv);
      agreement.prepare(*checked, shapes);
      context.tags().prepare_room(most_tags(context));
    });
    // On a mesh nobody can vouch for blocks that only pass through a process.
    const bool agrees = !settings.assert_uniform || !context.grid().is_torus();
    KnownSizes agreed;
    if (agrees)
      agreed = agreement.agree(call, context, settings, trouble, own);
    else if (trouble)
      std::rethrow_exception(trouble);
    const auto make = [&] {
      const CachedSchedule& entry = schedule_for(*checked, settings, agreed);
      return PersistentParts{entry.chosen, call.send.buffer, const_cast<void*>(call.recv.buffer), entry.blocks,
                             settings.progress};
    };
    std::unique_ptr<Operation> operation =
        make_persistent(name, context.tags(), agrees, most_tags(context), std::ref(make));
    if (settings.check) check_cart_at_init(operation->execution().schedule(), *checked, own);
    return operation;
  });
}

}  // namespace rondo
