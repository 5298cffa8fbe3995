#include "collectives/tuning/shallow_json.hpp"

#include <mpi.h>
#include <rondo/error.hpp>

namespace rondo::internal {

Json parse_shallow_json(std::string_view text) {
  constexpr int kDeepest = 16;
  const auto check_depth = [](int depth, Json::parse_event_t /*event*/, const Json& /*value*/) {
    if (depth > kDeepest)
      throw Error(MPI_ERR_FILE, "has more than " + std::to_string(kDeepest) + " lists and objects inside each other");
    return true;
  };
  try {
    return Json::parse(text, check_depth);
  } catch (const Json::exception& error) {
    throw Error(MPI_ERR_FILE, std::string("is not JSON: ") + error.what());
  }
}

std::string shown(const Json& value) {
  constexpr std::size_t kLongest = 100;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kLongest) text.replace(kLongest, std::string::npos, "...");
  return text;
}

}  // namespace rondo::internal
