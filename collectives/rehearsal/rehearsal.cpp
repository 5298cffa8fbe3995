#include "collectives/rehearsal/rehearsal.hpp"

#include "runtime/base/count_of.hpp"

#include <algorithm>

namespace rondo::internal {

Rehearsal::Rehearsal(std::span<const OwnSchedule> schedules, const CheckedBytes& data, std::uint64_t seed)
    : schedules_(schedules), data_(data), network_(static_cast<int>(schedules.size()), seed), ranks_(schedules.size()) {
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    const int rank = static_cast<int>(number);
    VirtualRank& virtual_rank = ranks_[number];
    const bool in_place = schedules[number].schedule->in_place();
    virtual_rank.send.resize(in_place ? 0 : data.send);
    virtual_rank.recv.resize(data.recv);
    for (int start = 0; start < kStarts; ++start) {
      Given& given = given_[static_cast<std::size_t>(start)];
      Bytes& sent = given.send.emplace_back(virtual_rank.send.size());
      Bytes& before = given.recv.emplace_back(data.recv);
      data.fill(rank, start, sent, before);
      if (in_place) sent = before;
    }
    virtual_rank.execution =
        std::make_unique<Execution>(schedules[number].schedule, network_.transport(rank), MPI_COMM_NULL, 0);
    virtual_rank.execution->bind(in_place ? nullptr : virtual_rank.send.data(), virtual_rank.recv.data());
  }
}

bool Rehearsal::can_start(const VirtualRank& rank) const { return !rank.execution->active() && rank.starts < kStarts; }

std::string Rehearsal::run() {
  const auto may_start = [&](const VirtualRank& rank) { return can_start(rank); };
  for (;;) {
    const bool someone_starts = std::ranges::any_of(ranks_, may_start);
    if (active_ == 0 && !someone_starts) break;
    const bool someone_computes =
        std::ranges::any_of(ranks_, [](const VirtualRank& rank) { return rank.execution->has_ready_functions(); });
    if (taken_ == 0 && !network_.can_move() && !someone_starts && !someone_computes) return tell_who_waits();
    if (std::string wrong = step(network_.draw(ranks_.size())); !wrong.empty()) return wrong;
  }
  if (network_.unmatched() > 0) return "without a partner: " + count_of(network_.unmatched(), "message");
  return {};
}

std::string Rehearsal::step(std::size_t number) {
  VirtualRank& rank = ranks_[number];
  if (can_start(rank) && network_.draw(2) == 0) return start(number);
  if (rank.execution->has_ready_functions() && network_.draw(2) == 0) {
    static_cast<void>(rank.execution->run_functions(nullptr));
    return look_at_end(number);
  }
  if (rank.taken.empty() || network_.draw(2) == 0) {
    const auto completions = network_.transport(static_cast<int>(number)).poll();
    rank.taken.insert(rank.taken.end(), completions.begin(), completions.end());
    taken_ += completions.size();
    return {};
  }
  const auto chosen = rank.taken.begin() + static_cast<std::ptrdiff_t>(network_.draw(rank.taken.size()));
  const Completion completion = *chosen;
  rank.taken.erase(chosen);
  --taken_;
  completion.execution->complete(completion.task, completion.code);
  return look_at_end(number);
}

std::string Rehearsal::start(std::size_t number) {
  VirtualRank& rank = ranks_[number];
  const Given& given = given_[static_cast<std::size_t>(rank.starts)];
  if (!rank.send.empty()) std::ranges::copy(given.send[number], rank.send.begin());
  std::ranges::copy(given.recv[number], rank.recv.begin());
  ++rank.starts;
  ++active_;
  rank.execution->start();
  return look_at_end(number);
}

std::string Rehearsal::look_at_end(std::size_t number) {
  VirtualRank& rank = ranks_[number];
  if (rank.execution->active()) return {};
  --active_;
  const Given& given = given_[static_cast<std::size_t>(rank.starts - 1)];
  const std::string who = "rank " + std::to_string(number) + ", start " + std::to_string(rank.starts) + ": ";
  if (rank.execution->failure()) return who + rank.execution->describe_failure();
  if (!rank.send.empty() && rank.send != given.send[number]) return who + "the send buffer was changed";
  const std::string wrong = data_.compare(static_cast<int>(number), given.send, given.recv[number], rank.recv);
  return wrong.empty() ? wrong : who + wrong;
}

std::string Rehearsal::tell_who_waits() const {
  std::string text = "nothing can move any more; active:";
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    if (ranks_[number].execution->active()) text += " rank " + std::to_string(number);
  }
  return text;
}

}  // namespace rondo::internal
