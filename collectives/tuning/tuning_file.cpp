#include "collectives/tuning/tuning_file.hpp"

#include <mpi.h>
#include <unistd.h>
#include <rondo/error.hpp>

#include "collectives/tuning/shallow_json.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/this_mpi.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <tuple>

namespace rondo::internal {
namespace {

/// Calls visit(key, number) for every parameter, so that reading and writing cannot differ.
template <typename Parameters, typename Visit>
void for_each_parameter(Parameters& p, Visit visit) {
  visit("message", p.message);
  visit("byte", p.byte);
  visit("burst", p.burst);
  visit("long_byte", p.long_byte);
  visit("eager_limit", p.eager_limit);
  visit("rendezvous", p.rendezvous);
  visit("rendezvous_byte", p.rendezvous_byte);
  visit("copied_block", p.copied_block);
  visit("copied_byte", p.copied_byte);
  visit("phase", p.phase);
  visit("second_phase", p.second_phase);
}

[[noreturn]] void refuse(const std::string& what) { throw Error(MPI_ERR_FILE, "tuning file: " + what); }

/// Maximum time in a tuning file: eleven days. Sums and products of such times are still finite.
constexpr double kMostNanoseconds = 1e15;

template <typename Number>
void read_number(const Json& from, const char* key, Number& number) {
  const auto found = from.find(key);
  if (found == from.end()) refuse(std::string("\"") + key + "\" is missing");
  // Larger values would not fit in the numbers that are made of them.
  constexpr double kMost = sizeof(Number) < sizeof(double) ? std::numeric_limits<int>::max() : kMostNanoseconds;
  if (!found->is_number() || !(found->template get<double>() >= 0) || found->template get<double>() > kMost) {
    refuse(std::string("\"") + key + "\" is " + shown(*found) + ", must be a number from 0 to " +
           std::to_string(static_cast<std::int64_t>(kMost)));
  }
  number = found->template get<Number>();
}

const Json& member(const Json& from, const char* key) {
  const auto found = from.find(key);
  if (found == from.end()) refuse(std::string("\"") + key + "\" is missing");
  return *found;
}

std::string text(const Json& from, const char* key) {
  const Json& found = member(from, key);
  if (!found.is_string()) refuse(std::string("\"") + key + "\" is " + shown(found) + ", must be a string");
  return found.get<std::string>();
}

void read_times(const Json& json, MeasuredTimes& times) {
  if (!json.is_object()) refuse("\"times\" must hold a list for each plan");
  for (const auto& [plan, points] : json.items()) {
    std::int64_t before = 0;
    for (const Json& point : points) {
      const bool pair = point.is_array() && point.size() == 2 && point[0].is_number_integer() && point[1].is_number();
      if (!pair || point[0].get<std::int64_t>() <= before || point[1].get<double>() <= 0 ||
          point[1].get<double>() > kMostNanoseconds) {
        refuse(
            "\"times\" of " + plan + ": " + shown(point) +
            " must be [bytes, nanoseconds], with more bytes than the pair before and nanoseconds above 0 and at most "
            "1e15");
      }
      before = point[0].get<std::int64_t>();
      times.add(plan, before, point[1].get<double>());
    }
  }
}

/// Returns the medium of an entry of a tuning file. Files from before there were other media are of MPI.
Medium read_medium(const Json& entry) {
  if (!entry.contains("through")) return Medium::mpi;
  const std::string name = text(entry, "through");
  const auto found = std::ranges::find(kMedia, name, name_of);
  if (found == kMedia.end()) refuse("\"through\" is \"" + name + "\", must be \"mpi\", \"slots\" or \"lanes\"");
  return *found;
}

TuningEntry read_entry(const Json& json) {
  TuningEntry entry{0, 0, built_in_dense_costs(1.0)};  // costs that a file does not tune remain the built-in ones
  read_number(json, "ranks", entry.ranks);
  read_number(json, "ranks_per_core", entry.ranks_per_core);
  if (entry.ranks < 1 || entry.ranks_per_core < 1.0)
    refuse("an entry has " + std::to_string(entry.ranks) + " ranks, " + std::to_string(entry.ranks_per_core) +
           " per core, must have at least 1 of both");
  entry.costs = built_in_dense_costs(entry.ranks_per_core);
  const Json& parameters = member(json, "nanoseconds");
  for_each_parameter(entry.costs, [&](const char* key, auto& number) { read_number(parameters, key, number); });
  read_times(member(json, "times"), entry.times);
  entry.through = read_medium(json);
  return entry;
}

}  // namespace

std::string machine_name() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " cores";
}

std::string_view cores_of(std::string_view machine) {
  const std::size_t comma = machine.rfind(", ");
  return comma == std::string_view::npos ? machine : machine.substr(comma + 2);
}

std::string print_tuning(const TuningFile& tuning) {
  Json json;
  json["mpi"] = tuning.mpi;
  json["machine"] = tuning.machine;
  json["entries"] = Json::array();
  for (const TuningEntry& entry : tuning.entries) {
    Json one;
    one["ranks"] = entry.ranks;
    one["ranks_per_core"] = entry.ranks_per_core;
    one["through"] = name_of(entry.through);
    for_each_parameter(entry.costs, [&](const char* key, const auto& number) { one["nanoseconds"][key] = number; });
    one["times"] = Json::object();
    for (const auto& [plan, points] : entry.times.by_plan()) one["times"][plan] = points;
    json["entries"].push_back(std::move(one));
  }
  return json.dump(2) + "\n";
}

TuningFile parse_tuning(std::string_view json) {
  Json parsed;
  try {
    parsed = parse_shallow_json(json);
  } catch (const Error& error) {
    refuse(error.what());
  }
  TuningFile tuning{text(parsed, "mpi"), text(parsed, "machine"), {}};
  const Json& entries = member(parsed, "entries");
  if (!entries.is_array() || entries.empty()) refuse("\"entries\" must be a list with at least one entry");
  for (const Json& entry : entries) tuning.entries.push_back(read_entry(entry));
  return tuning;
}

TuningFile read_tuning(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw Error(MPI_ERR_NO_SUCH_FILE, "tuning file: " + path + " cannot be read");
  std::ostringstream content;
  content << stream.rdbuf();
  try {
    TuningFile tuning = parse_tuning(content.str());
    const std::string running = mpi_name();
    if (tuning.mpi != running) refuse("is for " + tuning.mpi + ", must be for the MPI in use, " + running);
    return tuning;
  } catch (const Error& error) {
    throw Error(error.error_class(), path + ": " + error.what());
  }
}

const TuningEntry* nearest_entry(const TuningFile& tuning, Medium through, int ranks, double ranks_per_core) {
  const auto distance = [&](const TuningEntry& entry) {
    return std::tuple(entry.through != through, std::abs(std::log(entry.ranks_per_core / ranks_per_core)),
                      std::abs(std::log(static_cast<double>(entry.ranks) / ranks)));
  };
  const auto nearest = std::ranges::min_element(tuning.entries, {}, distance);
  return nearest == tuning.entries.end() || nearest->through != through ? nullptr : &*nearest;
}

std::string_view name_of(Medium medium) noexcept {
  constexpr ByMedium<std::string_view> kNames{"mpi", "slots", "lanes"};
  return kNames[medium];
}

}  // namespace rondo::internal
