#include "collectives/selection/cost_model.hpp"

#include "datatypes/reading/this_mpi.hpp"

#include <algorithm>

namespace rondo::internal {
namespace {

// Fitted to figures of bench/run.sh halo and cartesian on 2 cores, at 2 ranks (separate cores), 4 to 16 ranks (shared)
// and 27 ranks (crowded): docs/tuning.md.
constexpr CostParameters kOpenMpiOwnCores{.message = 90,
                                          .byte = 0.3,
                                          .burst = 512,
                                          .long_byte = 0.12,
                                          .eager_limit = 4000,
                                          .rendezvous = 700,
                                          .rendezvous_byte = 0.1,
                                          .copied_block = 2,
                                          .copied_byte = 0.05,
                                          .phase = 500};
constexpr CostParameters kOpenMpiSharedCores{.message = 275,
                                             .byte = 1.5,
                                             .burst = 512,
                                             .long_byte = 0.4,
                                             .eager_limit = 4000,
                                             .rendezvous = 3400,
                                             .rendezvous_byte = 0.12,
                                             .copied_block = 1.2,
                                             .copied_byte = 0.15,
                                             .phase = 1000,
                                             .second_phase = 1400,
                                             .warm = 0.37};
constexpr CostParameters kOpenMpiCrowdedCores{.message = 190,
                                              .byte = 1.5,
                                              .burst = 512,
                                              .long_byte = 0.02,
                                              .eager_limit = 4000,
                                              .rendezvous = 3000,
                                              .rendezvous_byte = 0.06,
                                              .copied_block = 0.05,
                                              .copied_byte = 0.24,
                                              .phase = 725,
                                              .second_phase = 1000,
                                              .warm = 0.37};
constexpr CostParameters kMpichOwnCores{.message = 250,
                                        .byte = 0.12,
                                        .burst = 512,
                                        .long_byte = 0.12,
                                        .eager_limit = 8000,
                                        .rendezvous = 4000,
                                        .rendezvous_byte = 0.1,
                                        .copied_block = 2,
                                        .copied_byte = 0.05,
                                        .phase = 700,
                                        .reduction = 120};
constexpr CostParameters kMpichSharedCores{.message = 270,
                                           .byte = 1.05,
                                           .burst = 512,
                                           .long_byte = 0.02,
                                           .eager_limit = 4000,
                                           .rendezvous = 1600,
                                           .rendezvous_byte = 0.03,
                                           .copied_block = 0.05,
                                           .copied_byte = 0.18,
                                           .phase = 1800,
                                           .reduction = 120};

const CostParameters& parameters_for(double ranks_per_core) {
  if (this_mpi().kind == MpiKind::mpich) return ranks_per_core <= 1.0 ? kMpichOwnCores : kMpichSharedCores;
  if (ranks_per_core <= 1.0) return kOpenMpiOwnCores;
  // Above, the data that the ranks of a core touch for their messages no longer stays in its cache between their time
  // slices.
  return ranks_per_core <= 10.0 ? kOpenMpiSharedCores : kOpenMpiCrowdedCores;
}

/// Returns the part of a message's time that does not depend on its exact length.
double overhead(const CostParameters& costs, std::int64_t bytes) {
  return bytes > costs.eager_limit ? costs.rendezvous : costs.message;
}

double time_of_bytes(const CostParameters& costs, std::int64_t bytes, SentData data) {
  if (bytes > costs.eager_limit) return static_cast<double>(bytes) * costs.rendezvous_byte;
  const std::int64_t first = std::min(bytes, costs.burst);
  const double byte = data == SentData::warm ? costs.warm * costs.byte : costs.byte;
  return static_cast<double>(first) * byte + static_cast<double>(bytes - first) * costs.long_byte;
}

const std::shared_ptr<const std::string>& origin_of_network() {
  static const auto text = std::make_shared<const std::string>("between nodes as timed on this communicator");
  return text;
}

}  // namespace

Prediction& Prediction::operator+=(const Prediction& next) {
  phases += next.phases;
  rounds += next.rounds;
  blocks += next.blocks;
  bytes += next.bytes;
  copied_blocks += next.copied_blocks;
  copied_bytes += next.copied_bytes;
  reductions += next.reductions;
  reduced_bytes += next.reduced_bytes;
  nanoseconds += next.nanoseconds;
  return *this;
}

CostModel::CostModel(double ranks_per_core)
    : parameters_(parameters_for(ranks_per_core)), form_costs_(measured_form_costs(ranks_per_core)) {}

CostModel CostModel::through_slots(double ranks_per_core, bool one_cache) {
  CostModel model = through_memory(ranks_per_core, ranks_per_core > 1.0 ? 45 : 30, kLongestInSlot, one_cache);
  model.form_costs_.across_spaces = true;
  return model;
}

CostModel CostModel::through_lanes(double ranks_per_core, bool one_cache) {
  return through_memory(ranks_per_core, ranks_per_core > 1.0 ? 75 : 40, kLongestInLane, one_cache);
}

CostModel CostModel::over_network(const NetworkTimes& times) const noexcept {
  if (is_measured()) return *this;
  CostModel model = *this;
  CostParameters& costs = model.parameters_;
  model.least_ = parameters_;
  costs.message = times.message;
  costs.byte = costs.long_byte = costs.rendezvous_byte = times.byte;
  costs.warm = 1;
  costs.phase = std::max(costs.phase, times.latency);
  costs.eager_limit = NetworkTimes::kEagerLimit;
  // Assumes the time of two more messages if `rendezvous` was not timed.
  costs.rendezvous = std::max(costs.rendezvous, times.rendezvous > 0 ? times.rendezvous : 3 * costs.message);
  model.origin_ = origin_of_network();
  return model;
}

void CostModel::prepare_for_network() { static_cast<void>(origin_of_network()); }

CostModel CostModel::through_memory(double ranks_per_core, double message, std::int64_t longest, bool one_cache) {
  if (!one_cache) longest = kLongestBetweenCaches;
  CostParameters parameters = parameters_for(ranks_per_core);
  const bool shared = ranks_per_core > 1.0;
  parameters.message = message;
  parameters.byte = shared ? 0.12 : 0.1;
  parameters.long_byte = parameters.byte;
  parameters.eager_limit = longest;
  parameters.copied_block = 2;
  parameters.copied_byte = 0.02;
  parameters.phase = shared ? 1000 : 70;
  parameters.second_phase = shared ? 400 : 0;
  parameters.warm = 1;
  FormCosts forms = measured_form_costs(ranks_per_core);
  forms.longest_in_memory = longest;
  return {parameters, forms,
          one_cache ? "through shared memory" : "through shared memory, between cores that share no cache"};
}

CostModel CostModel::with_near(const CostModel& other) const noexcept {
  CostModel model = *this;
  model.near_ = other.parameters_;
  model.near_origin_ = other.origin_;
  return model;
}

std::string CostModel::origin() const {
  std::string text = origin_ == nullptr ? "" : *origin_;
  if (near_origin_ != nullptr) text += (text.empty() ? "on a node " : "; on a node ") + *near_origin_;
  return text;
}

double CostModel::message(std::int64_t bytes, std::int64_t blocks, SentData data, Nearness nearness) const {
  const CostParameters& costs = parameters(nearness);
  double cost = overhead(costs, bytes) + time_of_bytes(costs, bytes, data);
  if (least_ && nearness == Nearness::far)
    cost = std::max(cost, overhead(*least_, bytes) + time_of_bytes(*least_, bytes, data));
  if (blocks > 1) {
    cost += 2.0 * (static_cast<double>(blocks) * costs.copied_block + static_cast<double>(bytes) * costs.copied_byte);
  }
  return cost;
}

double CostModel::on_core(std::int64_t bytes) const {
  if (!least_) return message(bytes, 1);
  return std::max(overhead(parameters_, bytes),
                  overhead(*least_, bytes) + time_of_bytes(*least_, bytes, SentData::cold));
}

double CostModel::on_port(std::int64_t bytes) const {
  return least_ ? time_of_bytes(parameters_, bytes, SentData::cold) : 0;
}

void CostModel::add_phase(Prediction& prediction, Nearness nearness) const {
  ++prediction.phases;
  prediction.nanoseconds += parameters(nearness).phase;
  if (prediction.phases == 2) prediction.nanoseconds += parameters_.second_phase;
}

void CostModel::add_windows(Prediction& prediction, int ports) const {
  const std::int64_t together = ports == 0 ? prediction.rounds : ports;
  while (prediction.phases * together < prediction.rounds) add_phase(prediction);
}

void CostModel::add_message(Prediction& prediction, std::int64_t blocks, std::int64_t bytes, SentData data,
                            Nearness nearness) const {
  ++prediction.rounds;
  prediction.blocks += blocks;
  prediction.bytes += bytes;
  prediction.nanoseconds += message(bytes, 1, data, nearness);
}

void CostModel::add_copies(Prediction& prediction, std::int64_t blocks, std::int64_t bytes, Nearness nearness) const {
  const CostParameters& costs = parameters(nearness);
  prediction.copied_blocks += blocks;
  prediction.copied_bytes += bytes;
  prediction.nanoseconds +=
      static_cast<double>(blocks) * costs.copied_block + static_cast<double>(bytes) * costs.copied_byte;
}

void CostModel::add_reductions(Prediction& prediction, std::int64_t vectors, std::int64_t bytes) const {
  prediction.reductions += vectors;
  prediction.reduced_bytes += bytes;
  prediction.nanoseconds +=
      static_cast<double>(vectors) * parameters_.reduction + static_cast<double>(bytes) * parameters_.reduced_byte;
}

double CostModel::of_part(const Prediction& part) const {
  return part.phases < 2 ? part.nanoseconds : part.nanoseconds - parameters_.second_phase;
}

Prediction CostModel::schedule(const Schedule& schedule) const {
  Prediction prediction;
  for (std::uint32_t phase = 0; phase < schedule.phases(); ++phase) add_phase(prediction);
  for (const Task& task : schedule.tasks()) {
    if (task.kind == TaskKind::send) add_message(prediction, task.part_count, task.bytes);
  }
  add_copies(prediction, schedule.staged_blocks(), schedule.staged_bytes());
  return prediction;
}

}  // namespace rondo::internal
