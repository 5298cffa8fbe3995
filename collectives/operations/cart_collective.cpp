#include "collectives/operations/cart_collective.hpp"
#include "collectives/settings/algorithm_names.hpp"

#include "collectives/agreement/cart_size_agreement.hpp"
#include "collectives/calls/blocking_call.hpp"
#include "collectives/calls/call_to_operation.hpp"
#include "collectives/cart_allgather/algorithms.hpp"
#include "collectives/cart_alltoall/algorithms.hpp"
#include "collectives/cart_reduction/algorithms.hpp"
#include "collectives/cart_reduction/near_contributions.hpp"

#include <utility>

namespace rondo::internal {
namespace {

class CartFamily final : public CollectiveFamily {
 public:
  explicit CartFamily(NeighborhoodContext& context) : context_(context) {}

  [[nodiscard]] CallState& calls() override { return context_.calls(); }
  [[nodiscard]] BlockPattern pattern() override { return context_.pattern(); }

  /// Returns whether ranks ask each other about their blocks: always on a mesh, because nobody can vouch there for
  /// blocks that only pass through a process.
  [[nodiscard]] bool asks(const Settings& settings) const override {
    return !settings.assert_uniform || !context_.grid().is_torus();
  }
  void note(const CheckedCall& checked, const CallShapes& shapes, const Settings& /*settings*/) override {
    agreement_.prepare(checked, shapes, context_.grid(), context_.neighborhood());
  }
  void ask(const Call& call, const Settings& settings, const std::exception_ptr& trouble) override {
    TagSpace& tags = calls().tags();
    const int tag = tags.next_nonblocking(1);
    tags.take_nonblocking(tag, 1);
    sizes_ = agreement_.agree(call, context_.grid(), settings, trouble, calls().on()->comm(), tag);
    told_ = !sizes_.bytes.empty();
  }
  void take_as_known(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) override {
    if (!told_) sizes_ = sizes_by_definition(checked, shapes, context_.grid(), settings);
    check_received(checked, shapes, sizes_, context_.grid(), context_.neighborhood());
  }

  /// Returns an upper bound of a schedule's tags: one tag for each round. A dimension or a group of them has at most as
  /// many rounds as neighbors or, if offsets are sums of powers of two, as bits.
  [[nodiscard]] std::uint32_t most_tags() const override {
    constexpr std::uint32_t kBits = 64;
    const auto t = static_cast<std::uint32_t>(context_.neighborhood().size());
    return (t + kBits) * static_cast<std::uint32_t>(context_.grid().dimensions()) + kBits;
  }
  void append_key(const Settings& /*settings*/, std::vector<std::int64_t>& key) const override {
    key.push_back(sizes_.known ? 1 : 0);
    if (told_) key.insert(key.end(), sizes_.bytes.begin(), sizes_.bytes.end());
  }
  [[nodiscard]] Chosen choose(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) override;
  [[nodiscard]] ArrivalsOfAll arrivals(const Call& call) const override {
    return {[](ByteWriter&) {},
            [this, &call](std::span<ByteReader>) {
              return cartesian_arrivals(context_.grid(), context_.neighborhood(), call);
            }};
  }

 private:
  NeighborhoodContext& context_;
  CartSizeAgreement agreement_;
  KnownSizes sizes_;
  bool told_ = false;  ///< whether other ranks told the sizes
};

Chosen CartFamily::choose(const CheckedCall& checked, const CallShapes& shapes, const Settings& settings) {
  static const Layout nothing;
  const Call& call = checked.call;
  const Grid& grid = context_.grid();
  const NeighborhoodFacts& facts = context_.facts();
  const CostModel& costs = context_.costs(settings);
  const NearOffsets* const near = context_.near();
  const NodeMembers* const nodes = context_.on()->state->node_members();
  const bool alone = context_.neighborhood().size() == 0;
  switch (call.collective) {
    case Collective::alltoall: {
      const alltoall::Problem problem{grid,         facts, shapes.send.blocks, shapes.recv.blocks,
                                      sizes_.known, costs, sizes_.bytes,       settings.ports,
                                      near,         nodes};
      return alltoall::choose(problem, settings.algorithm_of(kCartAlltoallKind), settings.ordering, settings.messages);
    }
    case Collective::allgather: {
      const BlockShape own = alone ? BlockShape{0, &nothing} : shapes.send.blocks[0];
      const allgather::Problem problem{grid,           facts, own,  shapes.recv.blocks, sizes_.bytes, costs,
                                       settings.ports, near,  nodes};
      return allgather::choose(problem, settings.algorithm_of(kCartAllgatherKind), settings.ordering,
                               settings.messages);
    }
    case Collective::reduce:
    case Collective::scatter_reduce:
    case Collective::broadcast:  // this and the next are no neighborhood collectives
    case Collective::barrier:
      break;
  }
  const reduction::Kind kind =
      call.collective == Collective::scatter_reduce ? reduction::Kind::scatter_reduce : reduction::Kind::reduce;
  const Layout element = alone ? nothing : *checked.recv_layouts[0];
  const reduction::Problem problem{
      grid,
      canonical_of(facts, kind),
      kind,
      shapes.send.blocks,
      alone ? BlockShape{0, &nothing} : shapes.recv.blocks[0],
      std::make_shared<const Reduction>(call.op, call.recv.types[0], call.recv.counts[0], element),
      costs,
      settings.ports,
      near,
      reduction::near_contributions(facts, kind, near),
      nodes};
  return reduction::choose(problem, settings.algorithm_of(kCartReduceKind), settings.ordering, settings.messages);
}

}  // namespace

void run_cart(const Call& call, NeighborhoodContext& context) {
  if (run_again(context.calls(), call)) return;
  CartFamily family(context);
  run_collective(family, call);
}

std::unique_ptr<Operation> start_cart(const Call& call, NeighborhoodContext& context) {
  if (std::unique_ptr<Operation> operation = start_again(context.calls(), call, context.calls().settings()))
    return operation;
  CartFamily family(context);
  return start_collective(family, call, context.settings());
}

std::unique_ptr<Operation> init_cart(const Call& call, NeighborhoodContext& context, const Asked& asked,
                                     std::exception_ptr trouble) {
  CartFamily family(context);
  return init_collective(family, call, asked, std::move(trouble));
}

}  // namespace rondo::internal
