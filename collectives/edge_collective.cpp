#include "collectives/edge_collective.hpp"

#include <rondo/error.hpp>

#include "collectives/agreement.hpp"
#include "collectives/cart_collective.hpp"
#include "collectives/direct_edges.hpp"
#include "collectives/persistent_operation.hpp"
#include "collectives/user_blocks.hpp"
#include "runtime/node.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace rondo {
namespace {

std::vector<char> flags_of(const std::vector<Edge>& edges) {
  if (std::ranges::none_of(edges, [](const Edge& edge) { return edge.rank == kNoRank; })) return {};
  std::vector<char> flags;
  for (const Edge& edge : edges) flags.push_back(edge.rank == kNoRank ? 0 : 1);
  return flags;
}

/// A call whose arguments were looked at. Throws Error that names the argument. Refers to the call and the context.
struct CheckedEdges {
  CheckedEdges(const EdgeCall& given, EdgeContext& of) : call(given), context(of) {
    const MPI_Comm probe = context.tags().comm()->get();
    send_layouts = check_side(call.send, sent_blocks(), existing_targets(), probe);
    recv_layouts = check_side(call.recv, received_blocks(), context.existing_sources(), probe);
  }

  [[nodiscard]] int sent_blocks() const {
    const auto targets = static_cast<int>(context.lists().targets.size());
    return call.gathers ? std::min(targets, 1) : targets;
  }
  [[nodiscard]] int received_blocks() const { return static_cast<int>(context.lists().sources.size()); }
  /// The one block of a gather is there whoever takes it.
  [[nodiscard]] ExistingBlocks existing_targets() const {
    return call.gathers ? ExistingBlocks() : ExistingBlocks(context.existing_targets());
  }

  const EdgeCall& call;
  EdgeContext& context;
  SideLayouts send_layouts;
  SideLayouts recv_layouts;
};

/// Both sides, block by block.
struct EdgeShapes {
  explicit EdgeShapes(const CheckedEdges& checked)
      : send(shapes_of(checked.call.send, checked.sent_blocks(), checked.existing_targets(), checked.send_layouts)),
        recv(shapes_of(checked.call.recv, checked.received_blocks(), checked.context.existing_sources(),
                       checked.recv_layouts)) {}

  SideShapes send;
  SideShapes recv;
};

/// Throws Error, MPI_ERR_TRUNCATE, where a block that stays on the process is sent and received with two sizes.
void check_sizes_to_self(const CheckedEdges& checked, const EdgeShapes& shapes) {
  const EdgeLists& lists = checked.context.lists();
  for (std::size_t i = 0; i < lists.targets.size(); ++i) {
    for (std::size_t j = 0; lists.targets[i].rank == lists.rank && j < lists.sources.size(); ++j) {
      if (lists.sources[j].rank != lists.rank || lists.sources[j].tag != lists.targets[i].tag) continue;
      const std::int64_t sent = shapes.send.blocks[checked.call.gathers ? 0 : i].layout->size();
      const std::int64_t received = shapes.recv.blocks[j].layout->size();
      if (sent == received) continue;
      throw Error(MPI_ERR_TRUNCATE, "send block " + std::to_string(i) + " and recv block " + std::to_string(j) +
                                        ": the process sends itself " + std::to_string(sent) + " bytes and receives " +
                                        std::to_string(received) + ", must be equal");
    }
  }
}

std::vector<std::int64_t> key_of(const CheckedEdges& checked) {
  const EdgeCall& call = checked.call;
  std::vector<std::int64_t> key{call.gathers ? 1 : 0, call.send.regular ? 1 : 0, call.send.type_per_block ? 1 : 0,
                                call.recv.regular ? 1 : 0, call.recv.type_per_block ? 1 : 0};
  append_key(call.send, checked.sent_blocks(), checked.existing_targets(), checked.send_layouts, key);
  append_key(call.recv, checked.received_blocks(), checked.context.existing_sources(), checked.recv_layouts, key);
  return key;
}

std::shared_ptr<const Chosen> lowered(const CheckedEdges& checked, const EdgeShapes& shapes) {
  const EdgeContext& context = checked.context;
  ScheduleBuilder builder(context.settings().ordering, context.settings().messages, context.costs().form_costs());
  build_direct_edges({context.lists(), shapes.send.blocks, shapes.recv.blocks, context.most_tags()}, builder);
  return std::make_shared<const Chosen>(
      Chosen{std::make_shared<const Schedule>(std::move(builder).build()), "direct", "as there is no other", {}, {}});
}

/// The schedule of a call, from the cache when the same call was made before.
CachedSchedule& schedule_for(const CheckedEdges& checked) {
  const EdgeCall& call = checked.call;
  std::vector<std::int64_t> key = key_of(checked);
  CachedSchedule* found = checked.context.cache().find(key);
  if (found == nullptr) {
    const auto shapes = std::make_shared<const EdgeShapes>(checked);
    check_sizes_to_self(checked, *shapes);
    CachedSchedule entry;
    entry.key = std::move(key);
    entry.send_layouts = checked.send_layouts;
    entry.recv_layouts = checked.recv_layouts;
    entry.send_range = range_of(shapes->send);
    entry.recv_range = range_of(shapes->recv);
    entry.blocks = user_blocks(shapes);
    entry.chosen = lowered(checked, *shapes);
    found = &checked.context.cache().add(std::move(entry));
  }
  check_buffer(call.send, found->send_range);
  check_buffer(call.recv, found->recv_range);
  check_disjoint(*found, call.send.buffer, call.recv.buffer, [&] {
    const EdgeShapes shapes(checked);
    check_aliases(call.send, shapes.send, call.recv, shapes.recv);
  });
  return *found;
}

/// In the background, or on this thread alone: a copy that waits for a worker would keep messages back.
ProgressMode progress_of(const EdgeContext& context) {
  const ProgressMode granted = Engine::process().provide(context.settings().progress);
  return granted == ProgressMode::async ? granted : ProgressMode::inlined;
}

}  // namespace

EdgeContext::EdgeContext(MPI_Comm comm) : costs_(1.0) {
  std::shared_ptr<PrivateComm> own;
  bool parallel = false;
  std::exception_ptr trouble = trouble_in([&] {
    watch_for_finalize();
    own = std::make_shared<PrivateComm>();
    lists_ = edges_of(comm);
    parallel = lists_.has_parallel_edges();
    existing_targets_ = flags_of(lists_.targets);
    existing_sources_ = flags_of(lists_.sources);
    settings_.take_assertions(MPI_INFO_NULL);
    settings_.take_environment();
  });
  std::array words{rank_word(trouble != nullptr, comm), std::uint64_t{lists_.tags()},
                   std::uint64_t{std::max(lists_.targets.size(), lists_.sources.size())},
                   std::uint64_t{parallel ? 1U : 0U}, static_cast<std::uint64_t>(rondo::ranks_per_core() * 1000.0)};
  take_greatest(words, comm);
  throw_trouble(trouble, words[0], "comm");
  own->duplicate(comm);
  most_tags_ = static_cast<std::uint32_t>(words[1]);
  most_edges_ = words[2];
  parallel_edges_ = words[3] != 0;
  ranks_per_core_ = std::max(1.0, static_cast<double>(words[4]) / 1000.0);
  trouble = trouble_in([&] {
    costs_ = CostModel(ranks_per_core_);
    tags_.emplace(own);
  });
  agree_that_all_is_well(trouble, own->get());
}

std::unique_ptr<Operation> start_edges(const EdgeCall& call, EdgeContext& context) {
  return named(call.name, [&] {
    const std::scoped_lock lock(context.mutex());
    const CheckedEdges checked(call, context);
    const CachedSchedule& entry = schedule_for(checked);
    std::unique_ptr<Operation> operation = entry.pool->take();
    if (operation == nullptr) {
      operation = make_operation(call.name, entry.chosen, entry.blocks, {context.tags().comm(), 0},
                                 progress_of(context), false);
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

std::unique_ptr<Operation> init_edges(const EdgeCall& call, EdgeContext& context) {
  return named(call.name, [&] {
    const std::scoped_lock lock(context.mutex());
    std::optional<CheckedEdges> checked;
    const CachedSchedule* entry = nullptr;
    const std::exception_ptr trouble = trouble_in([&] {
      checked.emplace(call, context);
      entry = &schedule_for(*checked);
      context.tags().prepare_room(context.most_tags());
    });
    agree_that_all_is_well(trouble, context.tags().comm()->get());
    const auto make = [&] {
      return PersistentParts{entry->chosen, call.send.buffer, const_cast<void*>(call.recv.buffer), entry->blocks,
                             progress_of(context)};
    };
    return make_persistent(call.name, context.tags(), true, context.most_tags(), std::ref(make));
  });
}

}  // namespace rondo
