#include "collectives/operations/dense_collective.hpp"

#include <rondo/error.hpp>

#include "collectives/binding/learning_operation.hpp"
#include "collectives/binding/make_operation.hpp"
#include "collectives/blocks/type_probe.hpp"
#include "collectives/blocks/user_blocks.hpp"
#include "collectives/calls/call_to_operation.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/offers/offered_plans.hpp"
#include "collectives/operations/deferred_dense.hpp"
#include "collectives/operations/dense_problem.hpp"
#include "collectives/operations/known_dense.hpp"
#include "runtime/base/mix.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

namespace rondo::internal {
namespace {

/// Stands for the size of the largest block while that is unknown: then each block is a message by itself.
constexpr std::int64_t kAnySize = std::numeric_limits<std::int64_t>::max();

class DenseFamily final : public CollectiveFamily {
 public:
  explicit DenseFamily(DenseContext& context) : context_(context) {}

  [[nodiscard]] CallState& calls() override { return context_.calls(); }
  [[nodiscard]] BlockPattern pattern() override { return context_.pattern(); }

  [[nodiscard]] bool asks(const Settings& settings) const override { return !settings.assert_uniform; }
  void note(const CheckedCall& /*checked*/, const CallShapes& shapes, const Settings& settings) override {
    if (settings.tuning != context_.settings().tuning)
      throw Error(MPI_ERR_INFO_VALUE,
                  "rondo_tuning: applies to a communicator, not to one call: see Rondo_Comm_prepare");
    shapes_ = &shapes;
  }
  void wait_for_earlier_calls() override { context_.wait_for_numbers(); }
  void ask(const Call& call, const Settings& settings, const std::exception_ptr& trouble) override;
  /// Fills in the sizes of a regular call, whose blocks have one size everywhere.
  void take_as_known(const CheckedCall& checked, const CallShapes& /*shapes*/, const Settings& /*settings*/) override {
    told_ = true;
    if (sizes_.known || !checked.call.recv.regular) return;
    sizes_ = {true, checked.received_bytes(), checked.received_bytes()};
  }

  [[nodiscard]] OtherEnds other_ends() const override {
    std::vector<int> all(static_cast<std::size_t>(context_.size()));
    std::iota(all.begin(), all.end(), 0);
    return {all, all};
  }

  /// Returns an upper bound of a schedule's tags. If the ranks did not agree on sizes, those of an irregular call stay
  /// 0: each algorithm that is available then needs one tag.
  [[nodiscard]] std::uint32_t most_tags() const override {
    return std::max(dense::most_tags(context_.size(), told_ ? sizes_.largest : kAnySize),
                    most_tags_of_offers(context_, Collective::alltoall));
  }
  void append_key(const Settings& settings, std::vector<std::int64_t>& key) const override {
    key.insert(key.end(), {static_cast<std::int64_t>(seed_of(context_, settings)), sizes_.known ? sizes_.largest : -1,
                           sizes_.known ? sizes_.smallest : -1, passing_.radix});
    key.insert(key.end(), passing_.arriving.begin(), passing_.arriving.end());
  }
  [[nodiscard]] Chosen choose(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) override {
    dense::Problem problem = problem_of(context_, shapes, checked.call.in_place(), settings, sizes_,
                                        seed_of(context_, settings), knowledge_of(context_, settings));
    if (passing_.radix != 0) problem.passing = &passing_;
    const OfferedToCall offered(context_, checked, shapes, problem.regular(), settings);
    problem.offered = &offered.plans();
    return offered.kept(dense::choose(problem, algorithm_of_alltoall(settings), settings.ordering, settings.messages));
  }
  [[nodiscard]] std::unique_ptr<CollectiveFamily> make_another() const override {
    // Null if the user offers algorithms; see KnownDenseFamily.
    return context_.offers() != nullptr ? nullptr : std::make_unique<DenseFamily>(context_);
  }
  /// Returns whether no rank knows the sizes of the others' blocks, so that the algorithm does not depend on them, and
  /// the user offers no algorithms, which might cut blocks.
  [[nodiscard]] bool has_a_message_for_each_block(const Call& call) const override {
    return !call.recv.regular && !sizes_.known && context_.offers() == nullptr;
  }
  /// Returns whether a call may learn: an irregular one only if the ranks know the sizes, as no candidate needs more.
  [[nodiscard]] bool may_learn(const Call& call) const override { return call.recv.regular || sizes_.known; }
  [[nodiscard]] ArrivalsOfAll arrivals(const Call& call) const override {
    return {[](ByteWriter&) {},
            [p = context_.size(), &call](std::span<ByteReader>) { return dense_arrivals(p, call); }};
  }

 private:
  DenseContext& context_;
  const CallShapes* shapes_ = nullptr;  ///< needed until ask()
  bool told_ = false;
  DenseSizes sizes_;
  dense::RoundSizes passing_;
};

/// Makes the ranks agree on sizes by an allreduce, and sends sizes ahead of the blocks (zero-copy Bruck paper, section
/// 3.5).
void DenseFamily::ask(const Call& call, const Settings& settings, const std::exception_ptr& trouble) {
  const MPI_Comm comm = context_.calls().on()->comm();
  DenseAgreement agreement(call, trouble ? DenseSizes{} : sizes_here(*shapes_), settings, trouble, comm);
  agreement.words.reach("comm");
  sizes_ = agreement.agreed();
  told_ = true;
  if (call.recv.regular) return;
  TagSpace& tags = context_.calls().tags();
  const int tag = tags.next_nonblocking(1);
  tags.take_nonblocking(tag, 1);
  passing_ = exchange_sizes(
      problem_of(context_, *shapes_, call.in_place(), settings, sizes_, 0, knowledge_of(context_, settings)),
      algorithm_of_alltoall(settings), reach_of_contenders(context_.calls(), settings), comm, tag);
}

/// Starts an operation that finds out about sizes in passes of progress before it begins, and only then chooses:
/// section 3.5 of the zero-copy Bruck paper without waiting.
std::unique_ptr<Operation> start_deferred(const Call& call, const std::shared_ptr<DenseContext>& context,
                                          const Settings& settings) {
  CallState& calls = context->calls();
  const std::scoped_lock lock(calls.mutex());
  calls.on()->own()->require_usable();
  const CheckedCall checked(call, context->pattern(), type_probe());
  const auto blocks = std::make_shared<const CallShapes>(checked);
  check_sizes(checked, *blocks);
  check_buffers(call, *blocks);
  const auto nothing = std::make_shared<const Chosen>(
      Chosen{std::make_shared<const Schedule>(ScheduleBuilder().build()), "to be chosen", {}, {}});
  std::unique_ptr<Operation> operation =
      make_nonblocking(call.name, nothing, user_blocks(blocks, false, false), calls, settings.progress);
  const std::uint32_t tags = dense::most_tags(context->size(), kAnySize) + 1;
  const int first_tag = calls.tags().next_nonblocking(tags);
  const auto deferred = std::make_shared<DeferredDense>(call, settings, context, blocks, first_tag);
  operation->start_after([deferred, started = operation.get()] { return deferred->advance(*started); });
  // Nothing can fail after this line.
  calls.tags().take_nonblocking(first_tag, tags);
  calls.count_call();
  return operation;
}

/// Returns whether a call must find out about sizes because the algorithm that was asked for needs them. The same on
/// all ranks.
bool wants_agreement(const Call& call, const Settings& settings) {
  return call.collective == Collective::alltoall && !call.recv.regular && !settings.assert_uniform &&
         dense::needs_agreed_sizes(algorithm_of_alltoall(settings));
}

/// Calls `use` with the family that a call belongs to.
template <typename Use>
auto with_family_of(const Call& call, DenseContext& context, Use use) {
  if (call.collective != Collective::alltoall) {
    KnownDenseFamily family(context);
    return use(family);
  }
  DenseFamily family(context);
  return use(family);
}

}  // namespace

std::uint64_t seed_of(const DenseContext& context, const Settings& settings) {
  switch (settings.seed) {
    case Seed::calls:
      return mix(static_cast<std::uint64_t>(context.size()), context.calls().made());
    case Seed::given:
      return settings.given_seed;
    case Seed::size:
      break;
  }
  return static_cast<std::uint64_t>(context.size());
}

std::unique_ptr<Operation> start_dense(const Call& call, const std::shared_ptr<DenseContext>& context,
                                       const Settings& settings) {
  if (std::unique_ptr<Operation> operation = start_again(context->calls(), call, settings)) return operation;
  if (wants_agreement(call, settings)) return named(call.name, [&] { return start_deferred(call, context, settings); });
  return with_family_of(call, *context,
                        [&](CollectiveFamily& family) { return start_collective(family, call, settings); });
}

void run_dense(const Call& call, const std::shared_ptr<DenseContext>& context, const LookAtComplete& look,
               MpisTurn* mpis) {
  if (run_again(context->calls(), call, look, mpis)) return;
  const Settings& settings = context->settings();
  with_family_of(call, *context, [&](CollectiveFamily& family) {
    if (wants_agreement(call, settings)) {
      finish_blocking(ask_and_start(family, call, settings), look);
    } else {
      run_collective(family, call, look, mpis);
    }
  });
}

std::unique_ptr<Operation> init_dense(const Call& call, const std::shared_ptr<DenseContext>& context,
                                      const Asked& asked, std::exception_ptr trouble) {
  return with_family_of(call, *context, [&](CollectiveFamily& family) {
    return init_collective(family, call, asked, std::move(trouble));
  });
}

}  // namespace rondo::internal
