/// @file
/// parse_shallow_json(): reads JSON in files that users give, with lists and objects that are not deeply nested.
#ifndef RONDO_COLLECTIVES_TUNING_SHALLOW_JSON_HPP
#define RONDO_COLLECTIVES_TUNING_SHALLOW_JSON_HPP

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rondo::internal {

/// A JSON value that keeps the order of an object's members.
using Json = nlohmann::ordered_json;

/// Reads JSON. Throws Error (MPI_ERR_FILE) unless `text` is JSON with at most 16 nested lists and objects: working with
/// a value, such as printing it, takes stack for each of them.
[[nodiscard]] Json parse_shallow_json(std::string_view text);

/// Returns a value as texts of errors show it: the first 100 characters of its JSON.
[[nodiscard]] std::string shown(const Json& value);

}  // namespace rondo::internal

#endif
