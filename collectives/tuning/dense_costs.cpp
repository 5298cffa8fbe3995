#include "collectives/tuning/dense_costs.hpp"

#include "datatypes/reading/this_mpi.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace rondo::internal {
namespace {

struct AtLoad {
  double ranks_per_core;
  CostParameters parameters;
};

// Fitted by bench/run.sh tune to its times on 2 cores, at 2 to 32 ranks: docs/tuning.md. At 2 ranks an alltoall has one
// phase, so that the fit says nothing of the cost of another: at one rank a core that cost is the one of the Cartesian
// costs.
constexpr std::array kOpenMpi = std::to_array<AtLoad>({
    {1,
     {.message = 433,
      .byte = 0.841,
      .burst = 512,
      .long_byte = 0.408,
      .eager_limit = 4000,
      .rendezvous = 2.7e+03,
      .rendezvous_byte = 0.0568,
      .copied_block = 0,
      .copied_byte = 0,
      .phase = 500,
      .second_phase = 0}},
    {2,
     {.message = 427,
      .byte = 0.656,
      .burst = 512,
      .long_byte = 0.235,
      .eager_limit = 4000,
      .rendezvous = 1.8e+03,
      .rendezvous_byte = 0.0819,
      .copied_block = 0,
      .copied_byte = 0.095,
      .phase = 10.8,
      .second_phase = 348}},
    {4,
     {.message = 297,
      .byte = 0.485,
      .burst = 512,
      .long_byte = 0.192,
      .eager_limit = 4000,
      .rendezvous = 1.26e+03,
      .rendezvous_byte = 0.141,
      .copied_block = 0,
      .copied_byte = 0.1,
      .phase = 551,
      .second_phase = 99.1}},
    {8,
     {.message = 354,
      .byte = 0.701,
      .burst = 512,
      .long_byte = 0.262,
      .eager_limit = 4000,
      .rendezvous = 1.79e+03,
      .rendezvous_byte = 0.254,
      .copied_block = 0,
      .copied_byte = 0.00531,
      .phase = 1.23e+03,
      .second_phase = 2.04e+03}},
    {16,
     {.message = 501,
      .byte = 1.6,
      .burst = 512,
      .long_byte = 0.478,
      .eager_limit = 4000,
      .rendezvous = 3.6e+03,
      .rendezvous_byte = 0.359,
      .copied_block = 0,
      .copied_byte = 0.0712,
      .phase = 1.13e+03,
      .second_phase = 4.29e+03}},
});
constexpr std::array kMpich = std::to_array<AtLoad>({
    {1,
     {.message = 473,
      .byte = 0.427,
      .burst = 512,
      .long_byte = 0.164,
      .eager_limit = 16000,
      .rendezvous = 2.24e+03,
      .rendezvous_byte = 0.0558,
      .copied_block = 0,
      .copied_byte = 0,
      .phase = 700,
      .second_phase = 0}},
    {2,
     {.message = 494,
      .byte = 0.565,
      .burst = 512,
      .long_byte = 0.136,
      .eager_limit = 64000,
      .rendezvous = 0,
      .rendezvous_byte = 0.106,
      .copied_block = 0,
      .copied_byte = 0.054,
      .phase = 0,
      .second_phase = 881}},
    {4,
     {.message = 535,
      .byte = 0.665,
      .burst = 512,
      .long_byte = 0.112,
      .eager_limit = 16000,
      .rendezvous = 1.03e+03,
      .rendezvous_byte = 0.171,
      .copied_block = 52.3,
      .copied_byte = 0.0726,
      .phase = 236,
      .second_phase = 79.4}},
    {8,
     {.message = 644,
      .byte = 1.47,
      .burst = 512,
      .long_byte = 0.332,
      .eager_limit = 16000,
      .rendezvous = 2.49e+03,
      .rendezvous_byte = 0.393,
      .copied_block = 0,
      .copied_byte = 0.0821,
      .phase = 1.76e+03,
      .second_phase = 3.59e+03}},
});

}  // namespace

CostParameters built_in_dense_costs(double ranks_per_core) {
  const std::span<const AtLoad> loads =
      this_mpi().kind == MpiKind::open_mpi ? std::span<const AtLoad>(kOpenMpi) : std::span<const AtLoad>(kMpich);
  const auto distance = [&](const AtLoad& load) { return std::abs(std::log(load.ranks_per_core / ranks_per_core)); };
  return std::ranges::min_element(loads, {}, distance)->parameters;
}

}  // namespace rondo::internal
