/// @file
/// predict_own(): predicts the time of a user-defined collective, by running all ranks on a simulated machine.
#ifndef RONDO_COLLECTIVES_REHEARSAL_PREDICTION_HPP
#define RONDO_COLLECTIVES_REHEARSAL_PREDICTION_HPP

#include <rondo/own/predict.hpp>

#include "collectives/own/own_builder.hpp"
#include "runtime/schedule/message_form_costs.hpp"

namespace rondo::internal {

/// The options by which schedules are built.
struct BuiltAs {
  Ordering ordering;
  MessageForm form;
  const FormCosts& costs;
};

/// Returns the predicted time of a lowering: lowers all ranks of `size`, and runs them on the simulated `machine`.
/// Throws the errors of predict().
[[nodiscard]] PredictedTime predict_own(const OwnLowering& lower, int size, const rondo::Machine& machine,
                                        const BuiltAs& as);

}  // namespace rondo::internal

#endif
