#include "collectives/dense_reduction/partial_results.hpp"

#include <set>

namespace rondo::internal::dense_reduction {

Parts parts_in_a_row(int begin, int end, int parts) {
  Parts numbers;
  for (int i = begin; i < end; ++i) numbers.push_back(i % parts);
  return numbers;
}

std::vector<std::int64_t> cut_evenly(std::int64_t elements, int parts) {
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < parts; ++i) counts.push_back(elements / parts + (i < elements % parts ? 1 : 0));
  return counts;
}

bool has_few_counts(const Problem& problem) {
  return std::set<std::int64_t>(problem.counts.begin(), problem.counts.end()).size() < kMostCounts;
}

PartialResults::PartialResults(const Problem& problem, int parts, ScheduleBuilder& builder)
    : problem_(problem), builder_(builder) {
  if (problem.in_place) builder.set_in_place();
  if (problem.kind == Kind::allreduce)
    lay_out_vector(cut_evenly(problem.counts[0], parts));
  else
    lay_out_parts();
}

const std::shared_ptr<const Reduction>& PartialResults::reduction_of(std::int64_t count) {
  std::shared_ptr<const Reduction>& reduction = reductions_[count];
  if (reduction == nullptr) {
    reduction = problem_.op.of(count);
    builder_.set_reduction(reduction);  // the schedule keeps the reduction and its layout
  }
  return reduction;
}

/// Lays out the parts of an allreduce. In place, a partial result lies where the final one goes.
void PartialResults::lay_out_vector(std::span<const std::int64_t> counts) {
  const std::int64_t extent = problem_.op.element->extent();
  std::int64_t begin = 0;
  for (const std::int64_t count : counts) {
    Part& part = parts_.emplace_back();
    const std::int64_t offset = begin * extent;
    begin += count;
    if (count * problem_.op.element->size() == 0) continue;
    part.reduction = reduction_of(count);
    const Layout& layout = part.reduction->layout();
    part.has_result = true;
    part.result = builder_.block(Space::recv, problem_.recv.offset + offset, layout);
    if (problem_.in_place) {
      builder_.set_filled(part.result);
      part.at = part.result;
    } else {
      part.at = builder_.block(Space::send, problem_.send[0].offset + offset, layout);
    }
  }
}

/// Lays out the parts of a reduce-scatter. In place, the result goes where some parts lie, so all are copied first.
void PartialResults::lay_out_parts() {
  const auto own = static_cast<std::size_t>(problem_.rank);
  parts_.resize(problem_.send.size());
  const bool has_result = problem_.recv.layout->size() > 0;
  BlockId result{};
  if (has_result) {
    result = builder_.block(Space::recv, problem_.recv.offset, *problem_.recv.layout);
    if (problem_.in_place) builder_.set_filled(result);
    parts_[own].result = result;
    parts_[own].has_result = true;
  }
  std::vector<BlockId> from;
  std::vector<BlockId> to;
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    const BlockShape& shape = problem_.send[j];
    if (shape.layout->size() == 0) continue;
    parts_[j].reduction = reduction_of(problem_.counts[j]);
    if (!problem_.in_place) {
      parts_[j].at = builder_.block(Space::send, shape.offset, *shape.layout);
      continue;
    }
    from.push_back(builder_.view(shape.offset, *shape.layout, {&result, has_result ? std::size_t{1} : 0}));
    builder_.set_reduction(parts_[j].reduction);
    to.push_back(parts_[j].at = builder_.operand());
  }
  if (!from.empty()) builder_.copy(from, to);
}

void PartialResults::send_and_receive(const Exchange& exchange, std::span<const BlockId> incoming) {
  std::vector<BlockId> outgoing;
  for (const int number : exchange.sent) {
    if (part(number).reduction != nullptr) outgoing.push_back(part(number).at);
  }
  builder_.begin_exchange();
  if (!outgoing.empty()) builder_.send(exchange.target, exchange.tag, outgoing);
  if (!incoming.empty()) builder_.receive(exchange.source, exchange.tag, incoming);
  builder_.end_exchange();
}

void PartialResults::add(const Exchange& exchange, bool completes) {
  struct Pair {
    BlockId from;
    BlockId into;
    Part* part;
  };
  std::vector<BlockId> incoming;
  std::vector<Pair> pairs;
  for (const int number : exchange.received) {
    Part& it = part(number);
    if (it.reduction == nullptr) continue;
    builder_.set_reduction(it.reduction);
    const bool is_in_place = it.has_result && it.at.index == it.result.index;
    const bool goes_to_its_place = completes && it.has_result && !is_in_place;
    incoming.push_back(goes_to_its_place ? it.result : builder_.operand());
    if (completes && is_in_place)
      pairs.push_back({incoming.back(), it.at, &it});
    else
      pairs.push_back({it.at, incoming.back(), &it});
  }
  send_and_receive(exchange, incoming);
  for (std::size_t begin = 0; begin < pairs.size();) {
    std::vector<BlockId> from;
    std::vector<BlockId> into;
    std::size_t end = begin;
    for (; end < pairs.size() && pairs[end].part->reduction == pairs[begin].part->reduction; ++end) {
      from.push_back(pairs[end].from);
      into.push_back(pairs[end].into);
      pairs[end].part->at = pairs[end].into;
    }
    builder_.set_reduction(pairs[begin].part->reduction);
    builder_.reduce(from, into);
    begin = end;
  }
}

void PartialResults::replace(const Exchange& exchange) {
  std::vector<BlockId> incoming;
  for (const int number : exchange.received) {
    if (part(number).reduction != nullptr) incoming.push_back(part(number).result);
  }
  send_and_receive(exchange, incoming);
  for (const int number : exchange.received) part(number).at = part(number).result;
}

void PartialResults::finish(int number) {
  Part& it = part(number);
  if (it.reduction == nullptr || it.at.index == it.result.index) return;
  builder_.copy({&it.at, 1}, {&it.result, 1});
  it.at = it.result;
}

}  // namespace rondo::internal::dense_reduction
