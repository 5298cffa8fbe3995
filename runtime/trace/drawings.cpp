#include "runtime/trace/drawings.hpp"

#include "runtime/base/log.hpp"
#include "runtime/schedule/dot.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>

namespace rondo::internal {
namespace {

/// Returns `text` with every character but letters, digits, '_' and '-' replaced by a dash.
std::string for_file_name(std::string_view text) {
  std::string name(text);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-'; }, '-');
  return name;
}

}  // namespace

std::unique_ptr<Drawings> Drawings::from_environment() {
  const char* path = std::getenv("RONDO_DOT");
  return path == nullptr || *path == '\0' ? nullptr : std::make_unique<Drawings>(path);
}

void Drawings::draw(const Schedule& schedule, std::string_view operation, std::string_view algorithm, int rank,
                    const MessageWays& ways) noexcept {
  try {
    const std::string text = to_dot(
        schedule, std::string(operation) + " (" + std::string(algorithm) + "), rank " + std::to_string(rank), ways);
    const std::filesystem::path path(path_);
    std::filesystem::path file = path;
    std::string name = path.stem().string() + "." + for_file_name(operation) + "." + for_file_name(algorithm) +
                       ".rank" + std::to_string(rank);
    const std::scoped_lock lock(mutex_);
    std::set<std::size_t>& drawn = drawn_[name];
    if (!drawn.insert(std::hash<std::string>{}(text)).second) return;
    if (drawn.size() > 1) name += "." + std::to_string(drawn.size());
    file.replace_filename(name + path.extension().string());
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out) log(LogLevel::error, "RONDO_DOT: ", file.string(), " cannot be written");
  } catch (const std::exception& error) {
    log(LogLevel::error, "RONDO_DOT: a schedule could not be drawn: ", error.what());
  }
}

}  // namespace rondo::internal
