#include "tests/support/cases/simulation.hpp"

#include "tests/support/sanitizers.hpp"

#include <array>

namespace rondo::internal {

std::byte content(std::size_t operation, std::int32_t rank, std::int64_t offset, int repetition) {
  std::uint64_t hash = static_cast<std::uint64_t>(offset) * 0x9E3779B97F4A7C15U;
  hash ^= (static_cast<std::uint64_t>(rank) << 40U) + (operation << 20U) + static_cast<std::uint64_t>(repetition);
  hash *= 0xBF58476D1CE4E5B9U;
  return static_cast<std::byte>(hash >> 56U);
}

VirtualOperation::VirtualOperation(const CollectiveCase& collective, std::size_t number, int rank, Transport& transport,
                                   MPI_Comm comm, int first_tag)
    : number_(number),
      rank_(rank),
      in_place_(collective.schedules[static_cast<std::size_t>(rank)]->in_place()),
      send_(static_cast<std::size_t>(collective.send_bytes[static_cast<std::size_t>(rank)])),
      recv_(static_cast<std::size_t>(collective.recv_bytes[static_cast<std::size_t>(rank)])),
      op_(collective.op),
      execution_(collective.schedules[static_cast<std::size_t>(rank)], transport, comm, first_tag) {
  for (const Placement& line : collective.definition) {
    if (line.target == rank) definition_.push_back(line);
  }
  for (std::size_t i = 0; i < collective.combinations.size(); ++i) {
    if (collective.combinations[i].target != rank) continue;
    combinations_.push_back(collective.combinations[i]);
    if (!collective.associations.empty()) associations_.push_back(collective.associations[i]);
  }
  if (!collective.blocks.empty()) blocks_ = collective.blocks[static_cast<std::size_t>(rank)];
  execution_.bind(send_.data(), recv_.data());
}

void VirtualOperation::watch_blocks() {
  if (!blocks_ || oracle_) return;
  oracle_.emplace(*blocks_, execution_);
}

std::string VirtualOperation::look_at_blocks() {
  if (!oracle_ || !execution_.active()) return {};
  const std::string wrong =
      oracle_->look({.send = send_, .recv = recv_, .expected_send = expected_send_, .expected_recv = expected_});
  return wrong.empty() ? wrong : who(repetition_) + ": " + wrong;
}

void VirtualOperation::start() {
  for (std::size_t i = 0; i < send_.size(); ++i)
    send_[i] = content(number_, rank_, static_cast<std::int64_t>(i), repetition_);
  std::ranges::copy(untouched(repetition_), recv_.begin());  // the buffer stays where it is bound
  expected_send_.assign(send_.begin(), send_.end());
  expected_ = defined(repetition_);
  if (oracle_) oracle_->begin();
  execution_.set_first_tag(execution_.first_tag() + further_tags_);
  execution_.start();
}

std::string VirtualOperation::finish(bool may_fail) {
  const int repetition = repetition_++;
  if (execution_.failure()) {
    if (!may_fail) return who(repetition) + ": " + execution_.describe_failure();
    failed_.push_back(repetition);
    return {};
  }
  if (oracle_) {
    std::string wrong =
        oracle_->look({.send = send_, .recv = recv_, .expected_send = expected_send_, .expected_recv = expected_});
    if (wrong.empty()) wrong = oracle_->look_at_end();
    if (!wrong.empty()) return who(repetition) + ": " + wrong;
  }
  const auto wrong = std::ranges::mismatch(recv_, expected_).in1;
  if (wrong != recv_.end())
    return who(repetition) + ": receive byte " + std::to_string(wrong - recv_.begin()) + " is wrong";
  for (std::size_t i = 0; i < send_.size(); ++i) {
    if (send_[i] != expected_send_[i]) return who(repetition) + ": send byte " + std::to_string(i) + " was changed";
  }
  return {};
}

std::vector<std::byte> VirtualOperation::defined(int repetition) const {
  std::vector<std::byte> expected = untouched(repetition);
  for (const Placement& line : definition_) {
    for (std::int64_t i = 0; i < line.bytes; ++i) {
      expected[static_cast<std::size_t>(line.target_offset + i)] =
          content(number_, line.source, line.source_offset + i, repetition);
    }
  }
  for (std::size_t number = 0; number < combinations_.size(); ++number) {
    const Combination& line = combinations_[number];
    for (std::int64_t i = 0; i < line.bytes; ++i) {
      expected[static_cast<std::size_t>(line.target_offset + i)] =
          associations_.empty() ? combined(line, i, repetition) : combined(line, associations_[number], i, repetition);
    }
  }
  return expected;
}

std::string VirtualOperation::who(int repetition) const {
  return "operation " + std::to_string(number_) + ", rank " + std::to_string(rank_) + ", repetition " +
         std::to_string(repetition);
}

std::vector<std::byte> VirtualOperation::untouched(int repetition) const {
  std::vector<std::byte> bytes(recv_.size(), std::byte{0xEE});
  if (!in_place_) return bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = content(number_, rank_, static_cast<std::int64_t>(i), repetition);
  return bytes;
}

std::byte VirtualOperation::combined(const Combination& line, std::span<const int> association, std::int64_t i,
                                     int repetition) const {
  std::vector<std::byte> stack;
  for (const int entry : association) {
    if (entry != CollectiveCase::kCombine) {
      const Combination::Source& source = line.sources[static_cast<std::size_t>(entry)];
      stack.push_back(content(number_, source.rank, source.offset + i, repetition));
      continue;
    }
    const std::byte last = stack.back();
    stack.pop_back();
    stack.back() = op_->combine(last, stack.back());
  }
  return stack.front();
}

std::byte VirtualOperation::combined(const Combination& line, std::int64_t i, int repetition) const {
  std::byte value{};
  bool first = true;
  for (const Combination::Source& source : line.sources) {
    const std::byte next = content(number_, source.rank, source.offset + i, repetition);
    value = first ? next : op_->combine(next, value);
    first = false;
  }
  return value;
}

Simulation::Simulation(std::span<const CollectiveCase> collectives, std::uint64_t seed, int repetitions,
                       std::optional<LoopbackNetwork::Fault> fault, Ways ways)
    : collectives_(collectives),
      seed_(seed),
      repetitions_(repetitions),
      network_(collectives.front().ranks(), seed),
      ranks_(static_cast<std::size_t>(collectives.front().ranks())) {
  if (fault) network_.set_fault(*fault);
  if (ways != Ways::network) slots_.emplace(network_);
  if (ways == Ways::lanes || ways == Ways::mixed) lanes_.emplace(network_);
  int all_tags = 0;
  for (const CollectiveCase& collective : collectives)
    all_tags += static_cast<int>(collective.schedules.front()->tags());
  // Only compared. What lies in lanes for the one has the same tags as what lies there for the other.
  const std::array comms{MPI_COMM_NULL, MPI_COMM_WORLD};
  std::array<int, comms.size()> first_tags{};
  for (std::size_t number = 0; number < collectives.size(); ++number) {
    const CollectiveCase& collective = collectives[number];
    const std::size_t way = ways == Ways::mixed ? network_.draw(3) : 0;
    const std::size_t comm = lanes_ ? network_.draw(comms.size()) : 0;
    int& first_tag = first_tags[comm];
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      ranks_[rank].operations.push_back(std::make_unique<VirtualOperation>(
          collective, number, static_cast<int>(rank), transport(static_cast<int>(rank)), comms[comm], first_tag));
    }
    std::vector<Execution*> executions;
    for (const VirtualRank& rank : ranks_) executions.push_back(&rank.operations.back()->execution());
    if (lanes_ && way == 0) {
      lanes_->use(executions, 17 + comm);
      for (VirtualRank& rank : ranks_) rank.operations.back()->take_new_tags(all_tags);
    } else if (slots_ && way <= 1) {
      slots_->connect(executions);
    }
    first_tag += static_cast<int>(collective.schedules.front()->tags());
    to_start_ += ranks_.size() * static_cast<std::size_t>(repetitions);
  }
}

std::string Simulation::run() {
  const std::size_t slow = network_.draw(2 * ranks_.size());  // of half of the seeds, none
  std::string wrong;
  while (wrong.empty() && (active_ > 0 || to_start_ > 0)) {
    if (taken_ == 0 && !can_move() && !can_start()) {
      if (failures_expected() && lost_messages()) return end_by_giving_up();
      return tell("nothing can move any more, " + std::to_string(active_) + " operations are active");
    }
    const std::size_t rank = network_.draw(ranks_.size());
    if (rank == slow && network_.draw(16) != 0) continue;
    wrong = give_up_after_ == 0 ? give_up(rank) : whole_step(rank);
    if (give_up_after_ != kNever) give_up_after_ = give_up_after_ == 0 ? kNever : give_up_after_ - 1;
  }
  if (!wrong.empty()) return tell(wrong);
  if (network_.unmatched() > 0 && !lost_messages())
    return tell(std::to_string(network_.unmatched()) + " messages without partner");
  for (int rank = 0; rank < network_.ranks(); ++rank) {
    if (transport(rank).in_flight() > 0 && !lost_messages()) return tell("messages are left in flight");
  }
  return {};
}

std::set<std::pair<std::size_t, int>> Simulation::failures() const {
  std::set<std::pair<std::size_t, int>> all;
  for (const VirtualRank& rank : ranks_) {
    for (std::size_t number = 0; number < rank.operations.size(); ++number) {
      for (const int repetition : rank.operations[number]->failed_repetitions()) all.emplace(number, repetition);
    }
  }
  return all;
}

std::size_t Simulation::failures_of(int rank) const {
  std::size_t count = 0;
  for (const auto& operation : ranks_[static_cast<std::size_t>(rank)].operations)
    count += operation->failed_repetitions().size();
  return count;
}

std::string Simulation::tell(const std::string& what) const {
  std::string text = "RONDO_SEED=" + std::to_string(seed_) + ": " + what;
  for (const CollectiveCase& collective : collectives_) text += "\n  " + collective.name;
  return text;
}

std::string Simulation::look_at_end(VirtualOperation& operation) {
  if (operation.execution().active()) return {};
  --active_;
  return operation.finish(failures_expected());
}

std::string Simulation::whole_step(std::size_t number) {
  did_ = SlottedNetwork::Did::nothing;
  std::string wrong;
  if (!slots_ || slots_->may_step(static_cast<int>(number))) wrong = step_with_watch(number);
  if (slots_) slots_->step(static_cast<int>(number), did_);
  if (lanes_) lanes_->step(static_cast<int>(number), did_);
  return wrong;
}

/// Whether a rank will find a message in the network that has found no room in a lane.
bool Simulation::has_detours() {
  for (int rank = 0; rank < ranks(); ++rank) {
    const Transport& node = transport(rank);
    for (std::size_t place = 0; place < node.in_flight(); ++place) {
      const InFlight it = node.in_flight_at(place);
      const Execution* const execution = it.execution;
      if (execution == nullptr) continue;
      const Message& message = execution->message(execution->schedule().tasks()[it.task].message);
      if (message.sends == 0 && message.in_lane != 0 && network_.transport(rank).find(*execution, message)) return true;
    }
  }
  return false;
}

std::string Simulation::step_with_watch(std::size_t number) {
  if (!watches_blocks_) return step(number);
  for (const auto& operation : ranks_[number].operations) {
    const auto is_its = [&](const Completion& it) { return it.execution == &operation->execution(); };
    // What was taken from the network and not worked off is neither in flight nor complete.
    if (!operation->watched() && network_.draw(4) == 0 && std::ranges::none_of(ranks_[number].taken, is_its))
      operation->watch_blocks();
  }
  std::string wrong = step(number);
  for (const auto& operation : ranks_[number].operations) {
    if (wrong.empty()) wrong = operation->look_at_blocks();
  }
  return wrong;
}

std::string Simulation::step(std::size_t number) {
  VirtualRank& rank = ranks_[number];
  if (to_start_ > 0 && network_.draw(2) == 0) {
    VirtualOperation& operation = *rank.operations[network_.draw(rank.operations.size())];
    if (operation.execution().active() || operation.repetition() == repetitions_) return {};
    if (!operation.execution().usable()) return skip(operation);
    --to_start_;
    ++active_;
    did_ = SlottedNetwork::Did::something;
    operation.start();
    return look_at_end(operation);
  }
  if (rank.taken.empty() || network_.draw(2) == 0) {
    const auto completions = transport(static_cast<int>(number)).poll();
    did_ = completions.empty() ? SlottedNetwork::Did::empty_poll : SlottedNetwork::Did::something;
    rank.taken.insert(rank.taken.end(), completions.begin(), completions.end());
    taken_ += completions.size();
    return {};
  }
  const auto chosen = rank.taken.begin() + static_cast<std::ptrdiff_t>(network_.draw(rank.taken.size()));
  const Completion completion = *chosen;
  rank.taken.erase(chosen);
  --taken_;
  did_ = SlottedNetwork::Did::something;
  completion.execution->complete(completion.task, completion.code);
  for (const auto& operation : rank.operations) {
    if (&operation->execution() == completion.execution) return look_at_end(*operation);
  }
  return "a completion belongs to no operation";
}

std::string Simulation::skip(VirtualOperation& operation) {
  --to_start_;
  return operation.finish(true);
}

bool Simulation::can_start() const {
  return std::ranges::any_of(ranks_, [&](const VirtualRank& rank) {
    return std::ranges::any_of(
        rank.operations, [&](const auto& it) { return !it->execution().active() && it->repetition() < repetitions_; });
  });
}

bool Simulation::lost_messages() const {
  return std::ranges::any_of(ranks_, [](const VirtualRank& rank) {
    return std::ranges::any_of(rank.operations, [](const auto& it) { return !it->execution().usable(); });
  });
}

std::string Simulation::give_up(std::size_t number) {
  VirtualRank& rank = ranks_[number];
  if (slots_) slots_->end_copies_with(static_cast<int>(number));
  for (const auto& operation : rank.operations) {
    if (!operation->execution().active()) continue;
    gave_up_ = true;
    taken_ -= std::erase_if(
        rank.taken, [&](const Completion& completion) { return completion.execution == &operation->execution(); });
    operation->execution().abandon(MPI_ERR_OTHER, "timeout");
    if (const std::string wrong = look_at_end(*operation); !wrong.empty()) return wrong;
  }
  if (slots_) slots_->step(static_cast<int>(number), SlottedNetwork::Did::something);
  return {};
}

std::string Simulation::end_by_giving_up() {
  for (std::size_t number = 0; number < ranks_.size(); ++number) {
    if (const std::string wrong = give_up(number); !wrong.empty()) return tell(wrong);
  }
  for (int rank = 0; rank < network_.ranks(); ++rank) {
    if (transport(rank).in_flight() > 0) return tell("messages in flight after all were given up");
  }
  return {};
}

std::string simulate(std::span<const CollectiveCase> collectives, std::uint64_t seed, int repetitions,
                     Simulation::Ways ways) {
  return Simulation(collectives, seed, repetitions, std::nullopt, ways).run();
}

std::uint64_t test_stride() { return static_cast<std::uint64_t>(std::max(1.0, 1.0 / test_scale())); }

/// Under the address sanitizer each takes six times as long: where time is short, a third of them.
std::vector<std::uint64_t> seeds(std::uint64_t count) {
  if (const char* only = std::getenv("RONDO_SEED")) return {std::strtoull(only, nullptr, 10)};
  const double share = test::kAddressSanitizer && test_scale() < 1 ? 1.0 / 3 : 1.0;
  const auto scaled = static_cast<std::uint64_t>(static_cast<double>(count) * test_scale() * share);
  count = std::max(scaled, std::min<std::uint64_t>(count, 10));
  std::vector<std::uint64_t> all(count);
  for (std::uint64_t seed = 0; seed < count; ++seed) all[seed] = seed;
  return all;
}

}  // namespace rondo::internal
