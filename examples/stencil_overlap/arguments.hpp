/// @file
/// The command line.
#ifndef RONDO_EXAMPLES_STENCIL_OVERLAP_ARGUMENTS_HPP
#define RONDO_EXAMPLES_STENCIL_OVERLAP_ARGUMENTS_HPP

#include "variants.hpp"

#include <vector>

namespace stencil {

struct Arguments {
  std::vector<Variant> variants{kVariants.begin(), kVariants.end()};
  int rows = 1024;
  int columns = 1024;
  int tiles = 4;
  int steps = 20;
  int repetitions = 9;
  int workers = 0;  ///< 0: this rank's share of the cores
  bool contrary = false;
  bool help = false;
};

extern const char* const kUsage;

/// Throws InputError, alike on all ranks.
[[nodiscard]] Arguments parse(int argc, char** argv);

}  // namespace stencil

#endif
