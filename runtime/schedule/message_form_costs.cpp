#include "runtime/schedule/message_form_costs.hpp"

#include "datatypes/reading/this_mpi.hpp"

#include <algorithm>
#include <limits>

namespace rondo::internal {
namespace {

constexpr FormCosts kOpenMpiOwnCores{.copied_piece = 0.2,
                                     .copied_byte = 0.03,
                                     .cache = 256 << 10,
                                     .uncached_byte = 0.055,
                                     .datatype_message = 200,
                                     .datatype_piece = 1.1,
                                     .datatype_byte = 0.05,
                                     .long_piece = 4096};
constexpr FormCosts kOpenMpiSharedCores{.copied_piece = 0.2,
                                        .copied_byte = 0.13,
                                        .cache = 32 << 10,
                                        .uncached_byte = 0.05,
                                        .datatype_message = 200,
                                        .datatype_piece = 0.65,
                                        .datatype_byte = 0.05,
                                        .long_piece = 4096};
constexpr FormCosts kMpich{.copied_piece = 0.2,
                           .copied_byte = 0.03,
                           .cache = 1 << 20,
                           .uncached_byte = 0.17,
                           .datatype_message = 2000,
                           .datatype_piece = 10,
                           .datatype_byte = 0.12,
                           .long_piece = std::numeric_limits<std::int64_t>::max()};

}  // namespace

const FormCosts& measured_form_costs(double ranks_per_core) {
  if (this_mpi().kind == MpiKind::mpich) return kMpich;
  return ranks_per_core <= 1.0 ? kOpenMpiOwnCores : kOpenMpiSharedCores;
}

double staged_nanoseconds(const FormCosts& costs, std::int64_t bytes, std::int64_t pieces) {
  const auto uncached = static_cast<double>(std::max<std::int64_t>(0, bytes - costs.cache));
  return costs.copied_piece * static_cast<double>(pieces) + costs.copied_byte * static_cast<double>(bytes) +
         costs.uncached_byte * uncached;
}

double datatype_nanoseconds(const FormCosts& costs, std::int64_t bytes, std::int64_t pieces) {
  return costs.datatype_message + costs.datatype_piece * static_cast<double>(pieces) +
         costs.datatype_byte * static_cast<double>(bytes);
}

bool datatype_is_cheaper(const FormCosts& costs, std::int64_t bytes, std::int64_t pieces) {
  return bytes <= costs.longest_in_memory || bytes / pieces >= costs.long_piece ||
         datatype_nanoseconds(costs, bytes, pieces) < staged_nanoseconds(costs, bytes, pieces);
}

}  // namespace rondo::internal
