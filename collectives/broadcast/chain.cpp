// Pipelined chain: Patarasuk, Yuan and Faraj, "Techniques for Pipelined Broadcast on Ethernet Switched Clusters", JPDC
// 68(6), 2008, section 3 (linear tree). Each rank passes part by part on to the next.
#include "collectives/broadcast/algorithms.hpp"

namespace rondo::internal::broadcast {

void build_chain(const Problem& problem, const Segments& segments, ScheduleBuilder& builder) {
  const int number = problem.number();
  const bool is_last = number + 1 == problem.size;
  builder.reserve_tasks(2 * static_cast<std::size_t>(segments.count));
  const Parts parts(problem, segments, is_last ? 0 : 1, builder);
  for (int part = 0; part < parts.count(); ++part) {
    const auto tag = static_cast<std::uint32_t>(part);
    if (!problem.is_root()) {
      builder.receive(problem.rank_of(number - 1), tag, {&parts[part], 1});
      parts.land({&part, 1}, builder);
    }
    if (!is_last) builder.send(problem.rank_of(number + 1), tag, {&parts[part], 1});
  }
  builder.reserve_tags(static_cast<std::uint32_t>(segments.count));
}

Prediction predict_chain(const Problem& problem, const Segments& segments) {
  Prediction prediction;
  for (int step = 1; step < problem.size && segments.count > 0; ++step) {
    problem.costs.add_phase(prediction);
    problem.costs.add_message(prediction, 1, segments.bytes, SentData::warm);
  }
  for (int part = 1; part < segments.count && problem.size > 1; ++part)
    problem.costs.add_message(prediction, 1, segments.bytes, SentData::warm);
  return prediction;
}

}  // namespace rondo::internal::broadcast
