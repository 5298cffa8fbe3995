/// @file
/// JSON of files that users give: lists and objects that are not deeply inside each other.
#ifndef RONDO_COLLECTIVES_TUNING_SHALLOW_JSON_HPP
#define RONDO_COLLECTIVES_TUNING_SHALLOW_JSON_HPP

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rondo::internal {

/// Keeps the order of an object's members.
using Json = nlohmann::ordered_json;

/// Reads JSON. Throws Error, MPI_ERR_FILE, unless `text` is JSON of at most 16 lists and objects inside each other:
/// what is done with a value, such as printing it, takes stack for each of them.
[[nodiscard]] Json parse_shallow_json(std::string_view text);

/// Returns a value as an error shows it: its first 100 characters.
[[nodiscard]] std::string shown(const Json& value);

}  // namespace rondo::internal

#endif
