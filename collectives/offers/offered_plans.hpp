/// @file
/// OfferedToCall: the algorithms offered by the user, as plans for one call of a library collective.
#ifndef RONDO_COLLECTIVES_OFFERS_OFFERED_PLANS_HPP
#define RONDO_COLLECTIVES_OFFERS_OFFERED_PLANS_HPP

#include <rondo/own/offer.hpp>

#include "collectives/arguments/checked_call.hpp"
#include "collectives/communicators/dense_context.hpp"
#include "collectives/offers/offers.hpp"
#include "collectives/selection/selection.hpp"
#include "collectives/settings/settings.hpp"

#include <cstdint>
#include <memory>

namespace rondo::internal {

/// The algorithms offered to a communicator, as plans for one call. Refers to the call and its shapes, which choose()
/// gets, too.
class OfferedToCall {
 public:
  /// Makes the plans. `uniform`: all ranks know the sizes of the blocks; if not, no algorithm applies. Local. Throws
  /// Error, and whatever the user's functions throw.
  OfferedToCall(const DenseContext& context, const CheckedCall& checked, const CallShapes& shapes, bool uniform,
                const Settings& settings);
  OfferedToCall(const OfferedToCall&) = delete;
  OfferedToCall& operator=(const OfferedToCall&) = delete;
  ~OfferedToCall() = default;

  [[nodiscard]] const OfferedPlans& plans() const noexcept { return plans_; }
  /// Returns `chosen` with the offers, because it refers to their names.
  [[nodiscard]] Chosen kept(Chosen chosen) const {
    chosen.offers = offers_;
    return chosen;
  }

 private:
  std::shared_ptr<const Offers> offers_;
  DenseProblem problem_;
  OfferedPlans plans_;
};

/// Returns the maximum number of tags that any algorithm offered for a collective needs; 0 if there is none.
[[nodiscard]] std::uint32_t most_tags_of_offers(const DenseContext& context, Collective collective);

}  // namespace rondo::internal

#endif
