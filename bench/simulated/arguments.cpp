#include "arguments.hpp"

#include <sstream>
#include <stdexcept>

namespace rondo::internal::simulated {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

int positive(const std::string& option, const std::string& value) {
  const int number = std::stoi(value);
  if (number < 1) throw std::invalid_argument(option + ": is " + value + ", must be at least 1");
  return number;
}

}  // namespace

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  if (argc < 2) throw std::invalid_argument("no file for the figures is given");
  arguments.csv = argv[1];
  for (int i = 2; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--quick") {
      arguments.quick = true;
      continue;
    }
    if (++i == argc) throw std::invalid_argument(option + ": needs a value, or is not known");
    const std::string value = argv[i];
    if (option == "--ranks") {
      arguments.ranks = positive(option, value);
    } else if (option == "--nodes") {
      arguments.nodes = positive(option, value);
    } else if (option == "--collective") {
      arguments.collective = value;
    } else if (option == "--operation") {
      arguments.operation = value;
    } else if (option == "--bytes") {
      arguments.bytes.clear();
      for (const std::string& part : split(value)) arguments.bytes.push_back(positive(option, part));
    } else if (option == "--platform") {
      arguments.platform = value;
    } else if (option == "--network") {
      arguments.network = value;
    } else if (option == "--mapping") {
      arguments.mapping = value;
    } else if (option == "--rails") {
      arguments.rails = positive(option, value);
    } else if (option == "--binding") {
      arguments.binding = value;
    } else if (option == "--algorithms") {
      arguments.algorithms = split(value);
    } else {
      throw std::invalid_argument(option + ": is not known");
    }
  }
  if (arguments.operation != "alltoall" && arguments.ranks == 0)
    throw std::invalid_argument("--operation: needs --ranks; the tables have all of them");
  if (arguments.binding != Arguments().binding && arguments.rails == 1)
    throw std::invalid_argument("--binding: needs --rails");
  if (arguments.rails > 1 && arguments.ranks == 0)
    throw std::invalid_argument("--rails: needs --ranks; machines of the tables have one");
  return arguments;
}

}  // namespace rondo::internal::simulated
