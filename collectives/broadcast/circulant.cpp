// The round-optimal broadcast of n parts on a circulant graph: Träff, "Round-optimal n-Block Broadcast Schedules in
// Logarithmic Time", arXiv 2312.11236, algorithm 1. In n - 1 + q rounds, q = ceil(log2 p), a rank sends one part and
// receives one in each. Rounds before the first that has a part are left out, so that the last one is a multiple of q.
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/broadcast/circulant_schedule.hpp"
#include "collectives/topology/circulant_graph.hpp"

#include <algorithm>

namespace rondo::internal::broadcast {
namespace {

/// Returns the number of first rounds that are left out because they have no part: x of the paper.
int rounds_before(int n, int q) { return (q - (n - 1 + q) % q) % q; }

}  // namespace

void build_circulant(const Problem& problem, const Segments& segments, ScheduleBuilder& builder) {
  const int p = problem.size;
  const int n = segments.count;
  builder.reserve_tags(static_cast<std::uint32_t>(n));
  if (n == 0 || p == 1) return;
  const int number = problem.number();
  const CirculantSchedule schedule = circulant_schedule(p, number);
  const int q = schedule.rounds();
  builder.reserve_tasks(2 * static_cast<std::size_t>(n + q));
  const Parts parts(problem, segments, n + q, builder);
  const int first = rounds_before(n, q);
  for (int round = first; round < first + n - 1 + q; ++round) {
    const auto k = static_cast<std::size_t>(round % q);
    const int later = round / q * q - first;
    const int sent = std::min(schedule.send[k] + later, n - 1);
    const int received = std::min(schedule.receive[k] + later, n - 1);
    const int to = (number + schedule.skips[k]) % p;
    builder.begin_exchange();
    // The root has everything, so nobody sends it anything.
    if (sent >= 0 && to != 0) builder.send(problem.rank_of(to), static_cast<std::uint32_t>(sent), {&parts[sent], 1});
    if (received < 0 || problem.is_root()) continue;
    const int from = (number - schedule.skips[k] + p) % p;
    builder.receive(problem.rank_of(from), static_cast<std::uint32_t>(received), {&parts[received], 1});
    parts.land({&received, 1}, builder);
  }
}

Prediction predict_circulant(const Problem& problem, const Segments& segments) {
  Prediction prediction;
  if (segments.count == 0) return prediction;
  const auto q = static_cast<int>(circulant_skips(problem.size).size()) - 1;
  for (int phase = 0; phase < q; ++phase) problem.costs.add_phase(prediction);
  for (int round = 0; round < segments.count - 1 + q && q > 0; ++round)
    problem.costs.add_message(prediction, 1, segments.bytes, SentData::warm);
  return prediction;
}

}  // namespace rondo::internal::broadcast
