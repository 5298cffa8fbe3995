#include "collectives/dense_collective.hpp"

#include <rondo/error.hpp>

#include "collectives/agreement.hpp"
#include "collectives/cart_collective.hpp"
#include "collectives/check_dense_at_init.hpp"
#include "collectives/dense_agreement.hpp"
#include "collectives/dense_choice.hpp"
#include "collectives/late_dense.hpp"
#include "collectives/persistent_operation.hpp"
#include "collectives/user_blocks.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace rondo {
namespace {

void check_buffers(const DenseCall& call, CachedSchedule& entry, const CheckedDense& checked) {
  check_buffer(call.recv, entry.recv_range);
  if (call.in_place()) return;
  check_buffer(call.send, entry.send_range);
  check_disjoint(entry, call.send.buffer, call.recv.buffer, [&] {
    const DenseShapes shapes(checked);
    check_aliases(call.send, shapes.send, call.recv, shapes.recv);
  });
}

/// What follows from the collective's definition: the blocks of a regular call have one size everywhere.
DenseSizes sizes_by_definition(const CheckedDense& checked) {
  if (!checked.call.regular()) return {};
  const std::int64_t bytes = checked.block_bytes();
  return {true, bytes, bytes};
}

/// The schedule of a call, from the cache when the same call was made before.
CachedSchedule& schedule_for(const CheckedDense& checked, const Settings& settings, const DenseSizes& sizes,
                             const RoundSizes& passing = {}) {
  const DenseCall& call = checked.call;
  DenseContext& context = checked.context;
  const std::uint64_t seed = seed_of(context, settings);
  std::vector<std::int64_t> key = checked.key();
  key.insert(key.end(),
             {static_cast<std::int64_t>(settings.fingerprint()), static_cast<std::int64_t>(settings.progress),
              static_cast<std::int64_t>(seed), sizes.known ? sizes.largest : -1, sizes.known ? sizes.smallest : -1});
  key.push_back(passing.radix);
  key.insert(key.end(), passing.arriving.begin(), passing.arriving.end());
  CachedSchedule* found = context.cache().find(key);
  if (found == nullptr) {
    const auto kept = std::make_shared<const DenseShapes>(checked);
    const DenseShapes& shapes = *kept;
    check_dense_sizes(checked, shapes);
    CachedSchedule entry;
    entry.key = std::move(key);
    entry.send_layouts = checked.send_layouts;
    entry.recv_layouts = checked.recv_layouts;
    entry.send_range = range_of(shapes.send);
    entry.recv_range = range_of(shapes.recv);
    entry.blocks = user_blocks(kept);
    DenseProblem problem = problem_of(context, shapes, call.in_place(), settings, sizes, seed);
    if (passing.radix != 0) problem.passing = &passing;
    entry.chosen = choose_and_log(call.name, context, problem, settings);
    found = &context.cache().add(std::move(entry));
  }
  check_buffers(call, *found, checked);
  return *found;
}

/// Of the largest block, where nobody knows yet: each is a message of its own.
constexpr std::int64_t kAnySize = std::numeric_limits<std::int64_t>::max();

/// A call's arguments after all checks that a rank can make by itself.
struct Checks {
  std::optional<CheckedDense> checked;
  std::optional<DenseShapes> blocks;

  void make(const DenseCall& call, DenseContext& context) {
    checked.emplace(call, context);
    const DenseShapes& shapes = blocks.emplace(*checked);
    check_dense_sizes(*checked, shapes);
    check_buffer(call.recv, range_of(shapes.recv));
    if (call.in_place()) return;
    check_buffer(call.send, range_of(shapes.send));
    check_aliases(call.send, shapes.send, call.recv, shapes.recv);
  }
};

/// What ranks tell each other of a call's blocks.
struct Agreed {
  DenseSizes sizes;
  RoundSizes passing;
};

/// Collective; throws on all ranks alike. `trouble`: why the checks failed here.
Agreed agree(const DenseCall& call, const Checks& checks, DenseContext& context, const Settings& settings,
             const std::exception_ptr& trouble) {
  const MPI_Comm own = context.tags().comm()->get();
  context.wait_for_turns();
  Agreed agreed;
  if (!trouble) agreed.sizes = sizes_here(*checks.blocks);
  agreed.sizes = agree_on_sizes(call, agreed.sizes, settings, trouble, own);
  if (call.regular()) return agreed;
  const int tag = context.tags().next_nonblocking(1);
  context.tags().take_nonblocking(tag, 1);
  agreed.passing = exchange_sizes(problem_of(context, *checks.blocks, call.in_place(), settings, agreed.sizes, 0),
                                  settings.algorithm, own, tag);
  return agreed;
}

std::unique_ptr<Operation> start(const DenseCall& call, const CachedSchedule& entry,
                                 const std::shared_ptr<DenseContext>& context, const Settings& settings) {
  std::unique_ptr<Operation> operation = entry.pool->take();
  if (operation == nullptr)
    operation =
        make_operation(call.name, entry.chosen, entry.blocks, {context->tags().comm(), 0}, settings.progress, false);
  operation->execution().bind(call.send_buffer(), call.recv_buffer());
  const std::uint32_t tags = entry.chosen->schedule->tags();
  const int first_tag = context->tags().next_nonblocking(tags);
  operation->execution().set_ticket(first_tag);
  operation->pool = entry.pool;
  if (context->has_comm())
    operation->start();
  else
    operation->start_after([context] { return context->look_for_comm(); });
  // Last of all: a call that fails takes nothing, and leaves the ranks in step when it is repeated.
  context->tags().take_nonblocking(first_tag, tags);
  context->count_call();
  return operation;
}

/// Section 3.5 of the zero-copy Bruck paper without waiting: the operation finds out about sizes before it begins, in
/// passes of progress, and chooses then.
std::unique_ptr<Operation> start_late(const DenseCall& call, const std::shared_ptr<DenseContext>& context) {
  Checks checks;
  checks.make(call, *context);
  const auto blocks = std::make_shared<const DenseShapes>(std::move(*checks.blocks));
  const auto nothing = std::make_shared<const Chosen>(
      Chosen{std::make_shared<const Schedule>(ScheduleBuilder().build()), "to be chosen", {}, {}});
  std::unique_ptr<Operation> operation = make_operation(
      call.name, nothing, user_blocks(blocks), {context->tags().comm(), 0}, context->settings().progress, false);
  const std::uint32_t tags = most_dense_tags(context->size(), kAnySize) + 1;
  const int first_tag = context->tags().next_nonblocking(tags);
  const auto late = std::make_shared<LateDense>(call, context, blocks, first_tag);
  operation->start_after([late, started = operation.get()] { return late->advance(*started); });
  // Nothing fails any more.
  context->tags().take_nonblocking(first_tag, tags);
  context->count_call();
  return operation;
}

/// Whether a call must find out about sizes because the algorithm that was asked for needs them. All ranks
/// tell alike.
bool wants_agreement(const DenseCall& call, const Settings& settings) {
  return !call.regular() && !settings.assert_uniform && needs_agreed_sizes(settings.algorithm);
}

/// Section 3.5 of the zero-copy Bruck paper: an allreduce, and sizes go ahead of the blocks, in every call.
std::unique_ptr<Operation> start_agreed(const DenseCall& call, const std::shared_ptr<DenseContext>& context) {
  return named(call.name, [&] {
    const std::scoped_lock lock(context->mutex());
    const Settings& settings = context->settings();
    Checks checks;
    const std::exception_ptr trouble = trouble_in([&] { checks.make(call, *context); });
    const Agreed agreed = agree(call, checks, *context, settings, trouble);
    const CachedSchedule* entry = nullptr;
    // A size that is not what comes is found here; nobody may start what others do not.
    const std::exception_ptr misfit =
        trouble_in([&] { entry = &schedule_for(*checks.checked, settings, agreed.sizes, agreed.passing); });
    agree_that_all_is_well(misfit, context->tags().comm()->get());
    return start(call, *entry, context, settings);
  });
}

}  // namespace

std::unique_ptr<Operation> start_dense(const DenseCall& call, const std::shared_ptr<DenseContext>& context,
                                       const Settings& settings) {
  return named(call.name, [&] {
    const std::scoped_lock lock(context->mutex());
    if (wants_agreement(call, settings)) return start_late(call, context);
    const CheckedDense checked(call, *context);
    return start(call, schedule_for(checked, settings, sizes_by_definition(checked)), context, settings);
  });
}

std::unique_ptr<Operation> start_dense(const DenseCall& call, const std::shared_ptr<DenseContext>& context) {
  return start_dense(call, context, context->settings());
}

void run_dense(const DenseCall& call, const std::shared_ptr<DenseContext>& context, const LookAtComplete& look) {
  std::unique_ptr<Operation> operation =
      wants_agreement(call, context->settings()) ? start_agreed(call, context) : start_dense(call, context);
  operation->wait();
  if (look) look(*operation);
  retire(std::move(operation));
}

std::unique_ptr<Operation> init_dense(const char* name, DenseContext& context, const DenseInitSteps& steps) {
  return named(name, [&] {
    const std::scoped_lock lock(context.mutex());
    const MPI_Comm own = context.tags().comm()->get();
    DenseCall call{name, {}, {}};
    Settings settings;
    Checks checks;
    settings.assert_uniform = context.settings().assert_uniform;  // also where there is no memory for the rest
    const std::exception_ptr trouble = trouble_in([&] {
      settings = context.settings();
      steps(call, settings);
      if (settings.tuning != context.settings().tuning)
        throw Error(MPI_ERR_INFO_VALUE,
                    "rondo_tuning: is for a communicator, not for one call: see Rondo_Comm_prepare");
      checks.make(call, context);
      context.tags().prepare_room(most_dense_tags(context.size(), kAnySize));
    });
    const bool agrees = !settings.assert_uniform;
    context.wait_for_turns();
    Agreed agreed;
    if (agrees)
      agreed = agree(call, checks, context, settings, trouble);
    else if (trouble)
      std::rethrow_exception(trouble);
    else
      agreed.sizes = sizes_by_definition(*checks.checked);
    const auto make = [&] {
      const CachedSchedule& entry = schedule_for(*checks.checked, settings, agreed.sizes, agreed.passing);
      return PersistentParts{entry.chosen, call.send_buffer(), call.recv_buffer(), entry.blocks, settings.progress};
    };
    // Without an agreement the sizes of an irregular call stay 0: what can be had then needs a tag.
    const std::uint32_t most_tags = most_dense_tags(context.size(), agreed.sizes.largest);
    std::unique_ptr<Operation> operation = make_persistent(name, context.tags(), agrees, most_tags, std::ref(make));
    context.count_call();
    if (settings.check) check_dense_at_init(operation->execution().schedule(), *checks.checked, own);
    return operation;
  });
}

}  // namespace rondo
