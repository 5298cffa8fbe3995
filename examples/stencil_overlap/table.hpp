/// @file
/// The table of results.
#ifndef RONDO_EXAMPLES_STENCIL_OVERLAP_TABLE_HPP
#define RONDO_EXAMPLES_STENCIL_OVERLAP_TABLE_HPP

#include "variants.hpp"

#include <rondo/rondo.hpp>

#include <vector>

namespace stencil {

struct Row {
  Variant variant;
  rondo::ProgressMode progress;  ///< granted on all ranks
  std::vector<double> us;        ///< microseconds a step, one for each turn
  bool right;
};

/// Medians and quartiles, and those of the ratios to `blocking` in the same repetition where that was run as well.
void print_table(const std::vector<Row>& rows);

}  // namespace stencil

#endif
