#include "collectives/settings/settings.hpp"

#include <rondo/error.hpp>
#include <rondo/options.hpp>

#include "collectives/selection/selection.hpp"
#include "collectives/settings/algorithm_names.hpp"
#include "collectives/settings/unknown_names.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/mix.hpp"

#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace rondo::internal {
namespace {

/// The keys of all settings, assertions first.
const std::array<std::string, 17> kKeys{"rondo_assert_isomorphic",
                                        "rondo_assert_uniform",
                                        "rondo_check",
                                        "rondo_algorithm",
                                        "rondo_schedule",
                                        "rondo_messages",
                                        "rondo_ports",
                                        "rondo_progress",
                                        "rondo_queue",
                                        "rondo_radix",
                                        "rondo_segment",
                                        "rondo_seed",
                                        "rondo_regular_ratio",
                                        "rondo_tuning",
                                        "rondo_shm",
                                        "rondo_learn",
                                        "rondo_learn_again"};

[[noreturn]] void refuse(const std::string& key, const std::string& value, const char* allowed) {
  throw Error(MPI_ERR_INFO_VALUE, key + ": is \"" + value + "\", must be " + allowed);
}

bool parse_flag(const std::string& key, const std::string& value) {
  if (value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  refuse(key, value, "true or false");
}

/// Sets `flag` to what `value` says, or leaves it as it is if `value` is not valid: such values are refused elsewhere.
void take_flag(std::string_view value, bool& flag) noexcept {
  if (value == "true" || value == "1") flag = true;
  if (value == "false" || value == "0") flag = false;
}

template <typename Number>
Number parse_number(const std::string& key, const std::string& value, Number least, const char* allowed) {
  Number number{};
  const char* const end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(number >= least)) refuse(key, value, allowed);
  return number;
}

/// Returns the number of starts of each candidate for a value of rondo_learn; 0 for "off".
int starts_to_learn(const std::string& value) {
  constexpr int kAuto = 18;
  constexpr int kMost = 100000;
  if (value == "auto") return kAuto;
  if (value == "off") return 0;
  constexpr const char* kAllowed = "auto, off or a number of starts, at least 4 and at most 100000";
  const int starts = parse_number("rondo_learn", value, 4, kAllowed);
  if (starts > kMost) refuse("rondo_learn", value, kAllowed);
  return starts;
}

/// Returns the starts between two comparisons of the two fastest for a value of rondo_learn_again; 0 for "off".
int starts_to_learn_again(const std::string& value) {
  constexpr int kMost = 10000000;
  if (value == "auto") return Settings().learn_again;
  if (value == "off") return 0;
  constexpr const char* kAllowed = "auto, off or a number of starts, at least 100 and at most 10000000";
  const int starts = parse_number("rondo_learn_again", value, 100, kAllowed);
  if (starts > kMost) refuse("rondo_learn_again", value, kAllowed);
  return starts;
}

std::string in_capitals(std::string key) {
  for (char& letter : key) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return key;
}

}  // namespace

void Settings::set(const std::string& key, const std::string& value) {
  if (key == "rondo_algorithm") {
    AskedAlgorithms asked = parse_algorithms(value);
    algorithm = std::move(asked.of_others);
    algorithms_of_kinds = std::move(asked.of_kinds);
  } else if (key == "rondo_schedule") {
    ordering = ordering_from(value).value_or(ordering);
  } else if (key == "rondo_messages") {
    messages = message_form_from(value).value_or(messages);
  } else if (key == "rondo_ports") {
    ports = parse_number(key, value, 0, "a number of exchanges, or 0 for all at once");
  } else if (key == "rondo_progress") {
    const auto mode = progress_mode_from(value);
    if (!mode) refuse(key, value, kProgressModeNames);
    progress = *mode;
  } else if (key == "rondo_assert_isomorphic") {
    assert_isomorphic = parse_flag(key, value);
  } else if (key == "rondo_assert_uniform") {
    assert_uniform = parse_flag(key, value);
  } else if (key == "rondo_check") {
    check = parse_flag(key, value);
  } else if (key == "rondo_learn") {
    learn = starts_to_learn(value);
  } else if (key == "rondo_learn_again") {
    learn_again = starts_to_learn_again(value);
  } else if (key == "rondo_shm") {
    shm = shared_memory_from(value).value_or(shm);
  } else {
    set_dense(key, value);
  }
}

void Settings::set_dense(const std::string& key, const std::string& value) {
  if (key == "rondo_queue") {
    queue = queue_from(value).value_or(queue);
  } else if (key == "rondo_radix") {
    constexpr const char* kAllowed = "a number of at least 2, or 0 for the best";
    radix = parse_number(key, value, 0, kAllowed);
    if (radix == 1) refuse(key, value, kAllowed);
  } else if (key == "rondo_segment") {
    segment = parse_number(key, value, std::int64_t{1}, "a number of bytes, at least 1");
  } else if (key == "rondo_regular_ratio") {
    regular_ratio = parse_number(key, value, 1.0, "a number, at least 1");
  } else if (key == "rondo_tuning") {
    tuning = value;
  } else if (key == "rondo_seed") {
    if (value == "size") {
      seed = Seed::size;
    } else if (value == "calls") {
      seed = Seed::calls;
    } else {
      given_seed = parse_number(key, value, std::uint64_t{0}, "size, calls or a number");
      seed = Seed::given;
    }
  }
}

void Settings::take_assertions(MPI_Info info) noexcept {
  const auto take = [](const char* variable, bool& flag) {
    if (const char* value = std::getenv(variable)) take_flag(value, flag);
  };
  take("RONDO_ASSERT_ISOMORPHIC", assert_isomorphic);
  take("RONDO_ASSERT_UNIFORM", assert_uniform);
  take_given_assertions(info);
}

void Settings::take_given_assertions(MPI_Info info) noexcept {
  if (info == MPI_INFO_NULL) return;
  const auto take = [&](const char* key, bool& flag) {
    std::array<char, 16> value{};
    int given = 0;
    if (MPI_Info_get(info, key, static_cast<int>(value.size()) - 1, value.data(), &given) == MPI_SUCCESS && given != 0)
      take_flag(value.data(), flag);
  };
  take("rondo_assert_isomorphic", assert_isomorphic);
  take("rondo_assert_uniform", assert_uniform);
}

void Settings::take_assertions(const Settings& base, const Asked& asked) noexcept {
  const Settings& from = asked.instead == nullptr ? base : *asked.instead;
  assert_isomorphic = from.assert_isomorphic;
  assert_uniform = from.assert_uniform;
  take_given_assertions(asked.info);
  if (asked.options == nullptr) return;
  assert_isomorphic = assert_isomorphic || asked.options->assert_isomorphic;
  assert_uniform = assert_uniform || asked.options->assert_uniform;
}

void Settings::take(const Asked& asked, MPI_Comm comm) {
  if (asked.instead != nullptr) *this = *asked.instead;
  take(asked.info, comm);
  if (asked.options != nullptr) take(*asked.options);
}

void Settings::take_environment() {
  static const std::vector<std::string> variables = [] {
    std::vector<std::string> all;
    for (const std::string& key : kKeys) all.push_back(in_capitals(key));
    return all;
  }();
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const std::string& variable = variables[i];
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr || *value == '\0') continue;
    try {
      set(kKeys[i], value);
    } catch (const Error& error) {
      throw Error(error.error_class(), "environment variable " + variable + ": " + error.what());
    }
  }
  warn_of_unknown_variables(variables);
}

void Settings::take(MPI_Info info, MPI_Comm comm) {
  if (info == MPI_INFO_NULL) return;
  warn_of_unknown_keys(info, kKeys, comm);
  for (const std::string& key : kKeys) {
    int length = 0;
    int flag = 0;
    check_mpi(MPI_Info_get_valuelen(info, key.c_str(), &length, &flag), "MPI_Info_get_valuelen");
    if (flag == 0) continue;
    std::string value(static_cast<std::size_t>(length), '\0');
    check_mpi(MPI_Info_get(info, key.c_str(), length, value.data(), &flag), "MPI_Info_get");
    set(key, value);
  }
}

void Settings::take(const Options& options) {
  check = check || options.check;
  assert_isomorphic = assert_isomorphic || options.assert_isomorphic;
  assert_uniform = assert_uniform || options.assert_uniform;
  // Set by their names: a value that is no enumerator has no name, and is refused.
  if (options.algorithm) set("rondo_algorithm", name(*options.algorithm));
  if (options.schedule) set("rondo_schedule", name(*options.schedule));
  if (options.messages) set("rondo_messages", name(*options.messages));
  if (options.shm) set("rondo_shm", name(*options.shm));
  if (options.progress != ProgressMode::automatic) progress = options.progress;
  if (!options.learn.empty()) set("rondo_learn", options.learn);
  if (!options.learn_again.empty()) set("rondo_learn_again", options.learn_again);
  if (options.ports != 0) set("rondo_ports", std::to_string(options.ports));
  take(options.dense);
}

void Settings::take(const DenseOptions& options) {
  if (options.queue) set("rondo_queue", name(*options.queue));
  if (options.radix != 0) set("rondo_radix", std::to_string(options.radix));
  if (options.segment != 0) set("rondo_segment", std::to_string(options.segment));
  if (!options.seed.empty()) set("rondo_seed", options.seed);
  if (!options.tuning.empty()) set("rondo_tuning", options.tuning);
  if (!options.own_algorithm.empty()) set("rondo_algorithm", std::string(kOwnPrefix) + options.own_algorithm);
  if (options.regular_ratio != 0) {
    std::array<char, 32> digits{};  // as many as any double needs; std::to_string would use the locale
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), options.regular_ratio);
    set("rondo_regular_ratio", std::string(digits.data(), written.ptr));
  }
}

std::string_view Settings::algorithm_of(std::string_view kind) const noexcept {
  const std::string_view own = algorithm_in(algorithms_of_kinds, kind);
  return own.empty() ? std::string_view(algorithm) : own;
}

void Settings::force(std::string plan) noexcept {
  algorithm = std::move(plan);
  algorithms_of_kinds.clear();
}

std::uint64_t Settings::fingerprint() const {
  std::uint64_t hash = mix(1, static_cast<std::uint64_t>(ordering) | static_cast<std::uint64_t>(messages) << 8U);
  hash = mix(hash, static_cast<std::uint64_t>(ports));
  hash = mix(hash, static_cast<std::uint64_t>(learn));
  hash = mix(hash, static_cast<std::uint64_t>(learn_again));
  hash =
      mix(hash, (assert_uniform ? 1U : 0U) | (check ? 2U : 0U) | (through_slots ? 4U : 0U) | (through_mpi ? 8U : 0U));
  hash = mix(hash, static_cast<std::uint64_t>(queue) | static_cast<std::uint64_t>(seed) << 8U);
  hash = mix(hash, static_cast<std::uint64_t>(radix));
  hash = mix(hash, static_cast<std::uint64_t>(segment));
  hash = mix(hash, given_seed);
  hash = mix(hash, std::bit_cast<std::uint64_t>(regular_ratio));
  for (const std::string* text : {&algorithm, &algorithms_of_kinds, &tuning}) {
    hash = mix_text(hash, *text);
    hash = mix(hash, text->size());
  }
  return hash;
}

}  // namespace rondo::internal
