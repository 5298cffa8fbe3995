#include "points.hpp"

#include <sstream>
#include <stdexcept>

namespace rondo::internal::smpi {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

int positive(const std::string& option, const std::string& value) {
  const int number = std::stoi(value);
  if (number < 1) throw std::invalid_argument(option + ": is " + value + ", must be at least 1");
  return number;
}

/// NAME or NAME:NUMBER, a radix for Bruck's algorithms and exchanges in flight for others.
Variant variant(const std::string& name) {
  const std::vector<std::string> parts = split(name, ':');
  Variant made{name, {}};
  made.options.algorithm = rondo::algorithm_from(parts.at(0));
  // Derived datatypes cost nothing under SMPI.
  made.options.messages = rondo::MessageForm::staged;
  if (parts.size() > 1) {
    const int number = positive("--algorithms: " + name, parts[1]);
    if (parts[0].ends_with("bruck"))
      made.options.dense.radix = number;
    else
      made.options.ports = number;
  }
  return made;
}

std::vector<Variant> variants(const std::vector<std::string>& names) {
  std::vector<Variant> all;
  for (const std::string& name : names) all.push_back(variant(name));
  return all;
}

std::vector<Points> tables(bool quick) {
  const std::vector<int> halo_blocks = quick ? std::vector{8, 8192} : std::vector{8, 512, 8192};
  const auto halo = variants({"direct", "combining"});
  return {{"shift", {8, 512, 8192, 65536}, variants({"direct"})},
          {"9-point", halo_blocks, halo},
          {"27-point", halo_blocks, halo},
          {"dense", quick ? std::vector{64} : std::vector{64, 4096},
           variants({"direct", "pairwise", "windowed:8", "bruck:2", "bruck:8", "randomized:8", "scatter"})}};
}

}  // namespace

Arguments parse(int argc, char** argv) {
  if (argc < 2) throw std::invalid_argument("no file for the figures is given");
  bool quick = false;
  Points wanted{"", {64}, {}};
  for (int i = 2; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--quick") {
      quick = true;
      continue;
    }
    if (++i == argc) throw std::invalid_argument(option + ": needs a value, or is not known");
    const std::string value = argv[i];
    if (option == "--collective") {
      wanted.collective = value;
    } else if (option == "--bytes") {
      wanted.bytes.clear();
      for (const std::string& part : split(value, ',')) wanted.bytes.push_back(positive(option, part));
    } else if (option == "--algorithms") {
      wanted.variants = variants(split(value, ','));
    } else {
      throw std::invalid_argument(option + ": is not known");
    }
  }
  if (wanted.collective.empty()) return {argv[1], tables(quick)};
  if (wanted.variants.empty()) wanted.variants = variants({"auto"});
  return {argv[1], {wanted}};
}

}  // namespace rondo::internal::smpi
