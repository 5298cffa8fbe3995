#include "collectives/cost_model.hpp"

#include <mpi.h>

namespace rondo {
namespace {

// Measured on two cores with 2 to 27 ranks over shared memory: docs/tuning.md says how.
#if defined(OPEN_MPI)
constexpr CostParameters kMeasured{.message = 110,
                                   .byte = 0.12,
                                   .eager_limit = 4000,
                                   .rendezvous = 2500,
                                   .rendezvous_byte = 0.1,
                                   .copied_block = 2,
                                   .copied_byte = 0.05,
                                   .phase = 500,
                                   .shared_phase = 1500};
#else
constexpr CostParameters kMeasured{.message = 250,
                                   .byte = 0.12,
                                   .eager_limit = 8000,
                                   .rendezvous = 4000,
                                   .rendezvous_byte = 0.1,
                                   .copied_block = 2,
                                   .copied_byte = 0.05,
                                   .phase = 700,
                                   .shared_phase = 2000};
#endif

}  // namespace

CostModel::CostModel(double ranks_per_core) : CostModel(kMeasured, ranks_per_core) {}

double CostModel::message(std::int64_t bytes, std::int64_t blocks) const {
  const auto length = static_cast<double>(bytes);
  double cost = parameters_.message;
  cost += bytes <= parameters_.eager_limit ? length * parameters_.byte
                                           : parameters_.rendezvous + length * parameters_.rendezvous_byte;
  if (blocks > 1) {
    cost += 2.0 * (static_cast<double>(blocks) * parameters_.copied_block + length * parameters_.copied_byte);
  }
  return cost;
}

double CostModel::schedule(const Schedule& schedule) const {
  double cost = (shared_ ? parameters_.shared_phase : parameters_.phase) * schedule.phases();
  for (const Task& task : schedule.tasks()) {
    if (task.kind == TaskKind::send) cost += message(task.bytes, task.part_count);
  }
  return cost;
}

}  // namespace rondo
