/// @file
/// Algorithms of the user's own, as plans for a call of the library's.
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

/// What a communicator's offers are for one call. Refers to the call and its shapes, which choose() is given, too.
class OfferedToCall {
 public:
  /// `uniform`: all ranks know the sizes of the blocks; otherwise nothing applies. Local; throws Error, and what the
  /// user's functions throw.
  OfferedToCall(const DenseContext& context, const CheckedCall& checked, const CallShapes& shapes, bool uniform,
                const Settings& settings);
  OfferedToCall(const OfferedToCall&) = delete;
  OfferedToCall& operator=(const OfferedToCall&) = delete;
  ~OfferedToCall() = default;

  [[nodiscard]] const OfferedPlans& plans() const noexcept { return plans_; }
  /// What was chosen refers to names of theirs.
  [[nodiscard]] Chosen kept(Chosen chosen) const {
    chosen.offers = offers_;
    return chosen;
  }

 private:
  std::shared_ptr<const Offers> offers_;
  DenseProblem problem_;
  OfferedPlans plans_;
};

/// As many tags as any algorithm that is offered to a call may need; 0 where none is.
[[nodiscard]] std::uint32_t most_tags_of_offers(const DenseContext& context, Collective collective);

}  // namespace rondo::internal

#endif
