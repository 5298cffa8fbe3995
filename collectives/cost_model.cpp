#include "collectives/cost_model.hpp"

#include <mpi.h>

namespace rondo {
namespace {

// Fitted to figures of bench/run.sh halo and cartesian at 2 ranks (own cores) and 16 ranks (shared): docs/tuning.md.
#if defined(OPEN_MPI)
constexpr CostParameters kOwnCores{.short_limit = 256,
                                   .short_message = 90,
                                   .message = 200,
                                   .byte = 0.12,
                                   .eager_limit = 4000,
                                   .rendezvous = 700,
                                   .rendezvous_byte = 0.1,
                                   .copied_block = 2,
                                   .copied_byte = 0.05,
                                   .phase = 500};
constexpr CostParameters kSharedCores{.short_limit = 256,
                                      .short_message = 275,
                                      .message = 475,
                                      .byte = 0.2,
                                      .eager_limit = 4000,
                                      .rendezvous = 1600,
                                      .rendezvous_byte = 0.12,
                                      .copied_block = 4,
                                      .copied_byte = 0.05,
                                      .phase = 1900};
#else
constexpr CostParameters kOwnCores{.short_limit = 0,
                                   .short_message = 250,
                                   .message = 250,
                                   .byte = 0.12,
                                   .eager_limit = 8000,
                                   .rendezvous = 4000,
                                   .rendezvous_byte = 0.1,
                                   .copied_block = 2,
                                   .copied_byte = 0.05,
                                   .phase = 700};
constexpr CostParameters kSharedCores{.short_limit = 0,
                                      .short_message = 500,
                                      .message = 500,
                                      .byte = 0.2,
                                      .eager_limit = 8000,
                                      .rendezvous = 4000,
                                      .rendezvous_byte = 0.12,
                                      .copied_block = 4,
                                      .copied_byte = 0.05,
                                      .phase = 2000};
#endif

}  // namespace

CostModel::CostModel(double ranks_per_core) : CostModel(ranks_per_core > 1.0 ? kSharedCores : kOwnCores) {}

double CostModel::message(std::int64_t bytes, std::int64_t blocks) const {
  const auto length = static_cast<double>(bytes);
  double cost = 0;
  if (bytes > parameters_.eager_limit) {
    cost = parameters_.rendezvous + length * parameters_.rendezvous_byte;
  } else {
    cost = (bytes <= parameters_.short_limit ? parameters_.short_message : parameters_.message) +
           length * parameters_.byte;
  }
  if (blocks > 1) {
    cost += 2.0 * (static_cast<double>(blocks) * parameters_.copied_block + length * parameters_.copied_byte);
  }
  return cost;
}

double CostModel::schedule(const Schedule& schedule) const {
  double cost = parameters_.phase * schedule.phases();
  cost += static_cast<double>(schedule.staged_blocks()) * parameters_.copied_block +
          static_cast<double>(schedule.staged_bytes()) * parameters_.copied_byte;
  for (const Task& task : schedule.tasks()) {
    if (task.kind == TaskKind::send) cost += message(task.bytes, 1);
  }
  return cost;
}

}  // namespace rondo
