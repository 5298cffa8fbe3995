#include "arguments.hpp"

#include "domain.hpp"

#include <charconv>
#include <string>
#include <system_error>

namespace stencil {
namespace {

int number(const char* name, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw InputError(std::string(name) + ": is \"" + text + "\", must be a number of at least 0");
  }
  return value;
}

Mode mode_named(const std::string& name) {
  if (name == "overlap") return Mode::overlap;
  if (name == "nonblocking") return Mode::nonblocking;
  if (name == "blocking") return Mode::blocking;
  throw InputError("--mode: is \"" + name + "\", must be overlap, nonblocking or blocking");
}

}  // namespace

// run-stencil.sh shows the lines from INPUT on as its own help, out of this file: it has nothing built then.
const char* const kUsage = R"(usage: mpirun -np N stencil INPUT [options]

  INPUT                image (.pgm, .ppm) or NumPy array (.npy), any size; its edges are joined
  --kernel NAME        diffusion (default) or life (cells above half of white are alive)
  --steps N            number of steps (default 200)
  --mode NAME          overlap: persistent halo exchange beside the interior (default)
                       nonblocking: the same with a new nonblocking exchange each step
                       blocking: exchange first, then compute
  --pictures PREFIX    write PREFIX-before.png, PREFIX-after.png and PREFIX-timeline.svg
  --output FILE        write the result (.pgm, .ppm, .png or .npy)
  --images-every K     write FILE-0000K.EXT every K steps as well
  --no-rival           do not run the same steps with MPI_Neighbor_alltoallw in turns, to compare
  --no-check           do not compare with a serial run
  --help               this text
)";

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw InputError(name + ": lacks a value");
      return argv[++i];
    };
    if (name == "--help")
      arguments.help = true;
    else if (name == "--kernel")
      arguments.kernel = value();
    else if (name == "--steps")
      arguments.steps = number("--steps", value());
    else if (name == "--images-every")
      arguments.images_every = number("--images-every", value());
    else if (name == "--output")
      arguments.output = value();
    else if (name == "--pictures")
      arguments.pictures = value();
    else if (name == "--no-check")
      arguments.check = false;
    else if (name == "--no-rival")
      arguments.rival = false;
    else if (name == "--mode")
      arguments.mode = mode_named(value());
    else if (name.starts_with("--"))
      throw InputError(name + ": is not an option, see --help");
    else
      arguments.input = name;
  }
  if (arguments.kernel != "diffusion" && arguments.kernel != "life") {
    throw InputError("--kernel: is \"" + arguments.kernel + "\", must be diffusion or life");
  }
  if (arguments.images_every > 0 && arguments.output.empty()) {
    throw InputError("--images-every: needs --output to name the images after");
  }
  if (arguments.input.empty() && !arguments.help) throw InputError("no input file, see --help");
  return arguments;
}

}  // namespace stencil
