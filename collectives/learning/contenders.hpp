/// @file
/// Contenders: the plans among which a persistent operation finds out the fastest.
#ifndef RONDO_COLLECTIVES_LEARNING_CONTENDERS_HPP
#define RONDO_COLLECTIVES_LEARNING_CONTENDERS_HPP

#include "collectives/selection/selection.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace rondo::internal::learning {

struct Contender {
  std::string name;       ///< by which choose() builds it
  double predicted = 0;   ///< ns
  double measured = 0;    ///< ns, the mean over all ranks, as they last agreed on it; 0: never
  bool outsider = false;  ///< beyond the factor of two; the last one, if any
};

/// Those that the model puts within a factor of two of the best: the chosen one first, then the best plans of other
/// algorithms, and after these further plans of the same ones. With an `outsider` the best one of another algorithm
/// within a factor of three comes last. Of those that are alike to the model, one. At most `most`; the same on all
/// ranks. None where nothing was compared.
[[nodiscard]] std::vector<Contender> contenders(const Chosen& chosen, std::size_t most, bool outsider);

}  // namespace rondo::internal::learning

#endif
