/// @file
/// What a schedule is expected to cost.
#ifndef RONDO_COLLECTIVES_COST_MODEL_HPP
#define RONDO_COLLECTIVES_COST_MODEL_HPP

#include "runtime/schedule.hpp"

#include <cstdint>

namespace rondo {

/// Measured costs, in nanoseconds of one rank's core. The paper's linear model (ICPP 2019, section 3.1) is the special
/// case of `message` = alpha, `byte` = beta and all else zero.
struct CostParameters {
  double message;            ///< sending and receiving one short message
  double byte;               ///< each byte of it
  std::int64_t eager_limit;  ///< bytes of the longest message that needs no handshake
  double rendezvous;         ///< the handshake of a longer one
  double rendezvous_byte;    ///< each byte of a longer one
  double copied_block;       ///< copying a block into or out of a combined message
  double copied_byte;
  double phase;         ///< a message that waits for another rank's
  double shared_phase;  ///< the same when ranks share cores: each phase is a turn of all of them
};

/// Predicts from what all ranks know alike (numbers and sizes of messages and blocks, never local datatypes), so that
/// predictions are the same everywhere.
class CostModel {
 public:
  /// `ranks_per_core` must be agreed on by the ranks; above 1 they share cores.
  CostModel(const CostParameters& parameters, double ranks_per_core)
      : parameters_(parameters), shared_(ranks_per_core > 1.0) {}
  /// With parameters measured for the MPI that Rondo was built with.
  explicit CostModel(double ranks_per_core);

  /// One message of `blocks` blocks, `bytes` bytes together, at both ends.
  [[nodiscard]] double message(std::int64_t bytes, std::int64_t blocks) const;
  [[nodiscard]] double schedule(const Schedule& schedule) const;

 private:
  CostParameters parameters_;
  bool shared_;
};

}  // namespace rondo

#endif
