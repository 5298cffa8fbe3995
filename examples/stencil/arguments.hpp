/// @file
/// What the command line asks for.
#ifndef RONDO_EXAMPLES_STENCIL_ARGUMENTS_HPP
#define RONDO_EXAMPLES_STENCIL_ARGUMENTS_HPP

#include <cstdint>
#include <string>

namespace stencil {

enum class Mode : std::uint8_t { overlap, blocking, nonblocking };

struct Arguments {
  std::string input;
  std::string output;
  std::string pictures;
  std::string kernel = "diffusion";
  Mode mode = Mode::overlap;
  int steps = 200;
  int images_every = 0;
  bool check = true;
  bool rival = true;
  bool help = false;
};

extern const char* const kUsage;

/// Throws InputError that names the argument, its value and what is allowed.
[[nodiscard]] Arguments parse(int argc, char** argv);

}  // namespace stencil

#endif
