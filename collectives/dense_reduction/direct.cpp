// Direct communication, as in isomorphic collectives (EuroMPI 2015, section 5.1) if all ranks are neighbors: in round i
// every rank sends to the rank i after it and receives from the rank i before it. Then V_0 OP (V_1 OP (... OP V_(p-1)))
// is combined from the right, as by MPI_Reduce_local: in the order of the ranks, the same on all of them.
#include "collectives/dense_reduction/algorithms.hpp"
#include "collectives/dense_reduction/contribution.hpp"

#include <vector>

namespace rondo::internal::dense_reduction {
namespace {

/// Minimum length in bytes of vectors that are combined one by one, as they arrive; shorter ones are combined together.
constexpr std::int64_t kLongVector = 4096;

/// Combines the vectors of all ranks. The last one must be in the result already.
void combine(const std::vector<BlockId>& vectors, BlockId result, ScheduleBuilder& builder) {
  if (vectors.size() < 2) return;
  const std::vector<BlockId> from(vectors.rbegin() + 1, vectors.rend());
  if (builder.bytes(result) < kLongVector) {
    builder.reduce(from, std::vector<BlockId>(from.size(), result));
    return;
  }
  for (const BlockId vector : from) builder.reduce(vector, result);
}

}  // namespace

void build_direct(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve_tags(1);
  if (problem.is_done()) return;
  if (problem.ports > 0) builder.set_window(static_cast<std::uint32_t>(problem.ports));
  const int last = problem.size - 1;
  const Contribution mine(problem, builder);
  const bool has_result = builder.bytes(mine.result) > 0;
  // In an allreduce in place, the result on the last rank holds the last vector from the start.
  const bool is_there = problem.in_place && problem.kind == Kind::allreduce;
  std::vector<BlockId> vectors(static_cast<std::size_t>(problem.size), mine.own);
  for (int i = 1; i < problem.size; ++i) {
    const int target = problem.rank_at(i);
    const int source = problem.rank_at(-i);
    const std::size_t part = problem.kind == Kind::allreduce ? 0 : static_cast<std::size_t>(target);
    builder.begin_exchange();
    if (problem.send[part].layout->size() > 0) builder.send(target, 0, {&mine.send[part], 1});
    if (!has_result) continue;
    const BlockId incoming = source == last ? mine.result : builder.operand();
    vectors[static_cast<std::size_t>(source)] = incoming;
    builder.receive(source, 0, {&incoming, 1});
  }
  builder.end_exchange();
  if (!has_result) return;
  if (problem.rank == last && !is_there) builder.copy({&mine.own, 1}, {&mine.result, 1});
  combine(vectors, mine.result, builder);
}

Prediction predict_direct(const Problem& problem) {
  Prediction prediction;
  const CostModel& costs = problem.costs;
  const std::int64_t bytes = problem.bytes();
  if (bytes == 0) return prediction;
  // Parts of a reduce-scatter may differ in size; the prediction assumes that they do not.
  const std::int64_t each = problem.kind == Kind::allreduce ? bytes : bytes / problem.size;
  const std::int64_t others = problem.size - 1;
  // A vector that goes through slots is packed once for all ranks, and combined from where it was packed.
  const FormCosts& forms = costs.form_costs();
  const bool is_published = problem.kind == Kind::allreduce && forms.across_spaces && each <= forms.longest_in_memory;
  for (std::int64_t i = 1; i <= others; ++i) {
    const Nearness nearness = i <= problem.fewest_near ? Nearness::near : Nearness::far;
    const std::int64_t packed = is_published && i > 1 ? 0 : each;
    ++prediction.rounds;
    ++prediction.blocks;
    prediction.bytes += each;
    prediction.nanoseconds += costs.message(packed, 1, SentData::warm, nearness);
  }
  costs.add_windows(prediction, problem.ports);
  costs.add_reductions(prediction, others, others * each);
  return prediction;
}

}  // namespace rondo::internal::dense_reduction
