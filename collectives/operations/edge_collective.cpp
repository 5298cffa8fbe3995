#include "collectives/operations/edge_collective.hpp"

#include <rondo/error.hpp>

#include "collectives/calls/call_to_operation.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/edges/direct.hpp"

#include <utility>

namespace rondo::internal {
namespace {

class EdgeFamily final : public CollectiveFamily {
 public:
  explicit EdgeFamily(EdgeContext& context) : context_(context) {}

  [[nodiscard]] CallState& calls() override { return context_.calls(); }
  [[nodiscard]] BlockPattern pattern() override { return context_.pattern(); }

  /// Returns true: ranks always ask each other, but only whether one has failed, because blocks concern only the two
  /// ends of an edge.
  [[nodiscard]] bool asks(const Settings& /*settings*/) const override { return true; }
  void note(const CheckedCall& /*checked*/, const CallShapes& /*shapes*/, const Settings& /*settings*/) override {}
  void ask(const Call& /*call*/, const Settings& /*settings*/, const std::exception_ptr& trouble) override {
    Agreement words(trouble, calls().on()->comm());
    words.reach("comm");
  }
  void take_as_known(const CheckedCall& /*checked*/, const CallShapes& /*shapes*/,
                     const Settings& /*settings*/) override {}

  [[nodiscard]] OtherEnds other_ends() const override {
    OtherEnds ends;
    for (const edges::Edge& edge : context_.lists().sources) ends.sources.push_back(edge.rank);
    for (const edges::Edge& edge : context_.lists().targets) ends.targets.push_back(edge.rank);
    return ends;
  }

  [[nodiscard]] std::uint32_t most_tags() const override { return context_.most_tags(); }
  void append_key(const Settings& /*settings*/, std::vector<std::int64_t>& /*key*/) const override {}
  [[nodiscard]] Chosen choose(const CheckedCall& /*checked*/, const CallShapes& shapes,
                              const Settings& settings) override {
    ScheduleBuilder builder(settings.ordering, settings.messages, calls().costs(settings).form_costs());
    edges::build_direct({context_.lists(), shapes.send.blocks, shapes.recv.blocks, context_.most_tags()}, builder);
    return {
        std::make_shared<const Schedule>(std::move(builder).build()), "direct", "because there is no other", {}, {}};
  }
  [[nodiscard]] bool has_a_message_for_each_block(const Call& /*call*/) const override { return true; }
  /// Returns the progress mode: async or inlined only, because a copy that waits for a worker would hold messages back.
  [[nodiscard]] ProgressMode progress(const Settings& settings) const override {
    const ProgressMode granted = Engine::process().provide(settings.progress);
    return granted == ProgressMode::async ? granted : ProgressMode::inlined;
  }
  [[nodiscard]] ArrivalsOfAll arrivals(const Call& call) const override;

 private:
  EdgeContext& context_;
};

/// Returns functions by which rank 0 receives all edges, and finds the arrivals from them.
ArrivalsOfAll EdgeFamily::arrivals(const Call& call) const {
  const auto tell = [this](ByteWriter& writer) {
    writer.write(context_.lists().rank);
    writer.write_list(std::span<const edges::Edge>(context_.lists().targets));
    writer.write_list(std::span<const edges::Edge>(context_.lists().sources));
  };
  const auto find = [collective = call.collective](std::span<ByteReader> told) {
    std::vector<edges::Lists> lists;
    for (ByteReader& reader : told) {
      const int rank = reader.read<int>();
      auto targets = reader.read_list<edges::Edge>();
      lists.push_back({rank, std::move(targets), reader.read_list<edges::Edge>()});
    }
    return edge_arrivals(lists, collective);
  };
  return {tell, find};
}

}  // namespace

std::unique_ptr<Operation> start_edges(const Call& call, EdgeContext& context) {
  if (std::unique_ptr<Operation> operation = start_again(context.calls(), call, context.calls().settings()))
    return operation;
  EdgeFamily family(context);
  return start_collective(family, call, context.calls().settings());
}

std::unique_ptr<Operation> init_edges(const Call& call, EdgeContext& context, std::exception_ptr trouble) {
  EdgeFamily family(context);
  return init_collective(family, call, {}, std::move(trouble));
}

}  // namespace rondo::internal
