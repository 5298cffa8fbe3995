#include "arguments.hpp"

#include "../stencil/domain.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace stencil {
namespace {

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const std::string& name, const std::string& text, const std::string& allowed) {
  throw InputError(name + ": is \"" + text + "\", must be " + allowed);
}

int number_from(const std::string& name, const std::string& text, int least, int most) {
  const std::optional<int> value = number(text);
  if (!value || *value < least || *value > most)
    refuse(name, text, "a number from " + std::to_string(least) + " to " + std::to_string(most));
  return *value;
}

void read_size(const std::string& text, Arguments& arguments) {
  const std::size_t cross = text.find('x');
  const std::optional<int> rows = number(std::string_view(text).substr(0, cross));
  const std::optional<int> columns =
      cross == std::string::npos ? std::nullopt : number(std::string_view(text).substr(cross + 1));
  // With its halo, what a rank has is addressed by int.
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (!rows || !columns || *rows < 1 || *columns < 1 ||
      (*rows + std::int64_t{2}) > kMost / (*columns + std::int64_t{2}))
    refuse("--size", text, "ROWSxCOLUMNS, for one 1024x2048, each at least 1, fewer than 2^31 cells");
  arguments.rows = *rows;
  arguments.columns = *columns;
}

std::vector<Variant> read_variant(const std::string& text) {
  if (text == "all") return {kVariants.begin(), kVariants.end()};
  for (const Variant variant : kVariants) {
    if (text == name(variant)) return {variant};
  }
  refuse("--variant", text, "blocking, nonblocking, async, tasks, async-tasks, graph, tile-graph or all");
}

}  // namespace

const char* const kUsage = R"(usage: mpirun -np N stencil_overlap [options]

A 5-point stencil on a periodic grid. Every rank has several tiles, which oneTBB's tasks compute; the halo comes
  blocking     first, then all cells are computed
  nonblocking  beside the interior, as far as it comes without calls to MPI; each edge is computed as its halo arrives
  async        the same, and a worker of Rondo's makes progress meanwhile
  tasks        tile by tile: each tile starts its own exchange, and its task is suspended until that is complete;
               workers make progress between tiles
  async-tasks  the same, and a worker of Rondo's makes progress meanwhile
  graph        to each part of a tile for itself: messages and computation are tasks of one graph, two steps at once,
               all on one thread
  tile-graph   the same with a function for each tile, which waits for all that the tile needs
All are timed in turns and compared with a serial run, bit for bit.

  --variant NAME       one of these, or all (default)
  --size ROWSxCOLUMNS  of the whole grid (default 1024x1024)
  --tiles N            N x N tiles a rank (default 4)
  --steps N            steps a turn (default 20)
  --repetitions N      turns of each variant, after one that is not timed (default 9)
  --workers N          threads of a rank that compute (default: the node's cores divided by its ranks)
  --contrary           of tasks, odd ranks begin with their last tile, so that tiles wait for some that have not started
  --help               this text

RONDO_TRACE=FILE.json writes a timeline of it.
)";

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw InputError(option + ": lacks a value");
      return argv[++i];
    };
    if (option == "--help")
      arguments.help = true;
    else if (option == "--contrary")
      arguments.contrary = true;
    else if (option == "--variant")
      arguments.variants = read_variant(value());
    else if (option == "--size")
      read_size(value(), arguments);
    else if (option == "--tiles")
      arguments.tiles = number_from(option, value(), 1, 100);
    else if (option == "--steps")
      arguments.steps = number_from(option, value(), 1, 1000000);
    else if (option == "--repetitions")
      arguments.repetitions = number_from(option, value(), 1, 10000);
    else if (option == "--workers")
      arguments.workers = number_from(option, value(), 1, 1024);
    else
      throw InputError(option + ": is not an option, see --help");
  }
  return arguments;
}

}  // namespace stencil
