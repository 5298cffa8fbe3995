#include "reduce_exchange.hpp"

#include "collectives/cart_reduction/near_contributions.hpp"

namespace rondo::internal::simulated {

ReduceExchange::ReduceExchange(const machine::Machine& machine, std::span<const int> sizes,
                               const rondo::Neighborhood& neighborhood, int doubles, int ports)
    : torus_(machine, sizes, neighborhood),
      canonical_(reduction::make_canonical(torus_.facts, reduction::Kind::reduce)),
      near_contributions_(reduction::near_contributions(torus_.facts, reduction::Kind::reduce, &torus_.near)),
      vector_(1, doubles * static_cast<std::int64_t>(sizeof(double))),
      reduction_(std::make_shared<const Reduction>(*vector_.shapes().front().layout, alignof(double))),
      ports_(ports) {}

}  // namespace rondo::internal::simulated
