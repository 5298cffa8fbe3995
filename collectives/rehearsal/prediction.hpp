/// @file
/// What collectives of the user's own are predicted to take, by running all ranks on a simulated machine.
#ifndef RONDO_COLLECTIVES_REHEARSAL_PREDICTION_HPP
#define RONDO_COLLECTIVES_REHEARSAL_PREDICTION_HPP

#include <rondo/own/predict.hpp>

#include "collectives/own/own_builder.hpp"
#include "runtime/schedule/message_form_costs.hpp"

namespace rondo::internal {

/// How schedules are built.
struct BuiltAs {
  Ordering ordering;
  MessageForm form;
  const FormCosts& costs;
};

/// Lowers all ranks of `size` and runs them. Throws as predict().
[[nodiscard]] PredictedTime predict_own(const OwnLowering& lower, int size, const rondo::Machine& machine,
                                        const BuiltAs& as);

}  // namespace rondo::internal

#endif
