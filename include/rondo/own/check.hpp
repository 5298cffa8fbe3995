/// @file
/// Proof for user-defined collectives: all ranks in one process, for tests.
#ifndef RONDO_OWN_CHECK_HPP
#define RONDO_OWN_CHECK_HPP

#include <rondo/basics/cpp20.hpp>

#include <mpi.h>
#include <rondo/error.hpp>
#include <rondo/options.hpp>
#include <rondo/schedule.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo {

/// The result of a check(): no error, or a report of the error.
class CheckResult {
 public:
  /// Makes the result of a check that found no error.
  CheckResult() = default;
  /// Makes the result of a check that found the error that `story` describes.
  explicit CheckResult(std::string story) : story_(std::move(story)) {}

  /// Whether the check found no error.
  [[nodiscard]] bool ok() const noexcept { return story_.empty(); }
  /// The report of the error: the flaw, the ranks, the tasks and the bytes. Empty when ok().
  [[nodiscard]] const std::string& story() const noexcept { return story_; }
  /// Prints the result, for GoogleTest: EXPECT_TRUE(result.ok()) << result.
  friend std::ostream& operator<<(std::ostream& out, const CheckResult& result) {
    return out << (result.ok() ? std::string("nothing is wrong") : result.story_);
  }

 private:
  std::string story_;
};

/// Settings of a check().
struct CheckOptions {
  int seeds = 24;                ///< number of runs with data, each with another order of completions; at least 1
  std::uint64_t first_seed = 0;  ///< seed of the first run, the others count up: to repeat a run that a report names
};

/// Lowers all `size` ranks in this process, and proves of their schedules, or refutes with a report: each message has
/// its receive, of the same size; no order of completions hangs, even if every send waits for its receive; no two tasks
/// race; nothing is read that was not written. Checks both orderings and all forms of messages (Options::schedule,
/// Options::messages). An exception of the lowering, for any rank, becomes a report, too. Uses the runtime's schedule
/// checker, which RONDO_CHECK runs as well.
///
/// Local; MPI must run (a single process will do, without mpirun). Throws Error: MPI_ERR_OTHER if MPI does not run,
/// MPI_ERR_ARG if `size` is less than 1; std::bad_alloc.
[[nodiscard]] CheckResult check(const Lowering& lower, int size);

/// The buffers of all ranks, in bytes, and their required final values; check<T>() makes one from elements.
struct CheckedBytes {
  std::size_t send;  ///< bytes of each rank's send buffer; not used in place
  std::size_t recv;  ///< bytes of each rank's receive buffer
  /// Writes the values of the buffers of `rank` before its start number `start`.
  std::function<void(int rank, int start, std::span<std::byte> sent, std::span<std::byte> recv)> fill;
  /// Returns a report of the error in the receive buffer of `rank`, `found`, after start number `start`; empty if there
  /// is none. `sent` are all ranks' send buffers (in place: their buffers before the start), and `before` is this
  /// rank's receive buffer before the start.
  std::function<std::string(int rank, std::span<const std::vector<std::byte>> sent, std::span<const std::byte> before,
                            std::span<const std::byte> found)>
      compare;
};

/// Checks the schedules as check(lower, size) does, and then runs all ranks with data: in one process, over a network
/// in which an adversary decides the order of completions, with two starts one after the other on each rank, once for
/// each seed, in all orderings and forms in turn. Reports blocks beyond a buffer, changed send buffers, failures, and
/// errors that `data.compare` finds. Throws as check(lower, size), and the exceptions of the functions of `data`.
[[nodiscard]] CheckResult check(const Lowering& lower, int size, const CheckedBytes& data,
                                const CheckOptions& options = {});

/// A type of elements that check() can move as bytes and compare; bool is not one, as its std::vector has no bytes.
template <typename T>
concept CheckedElement = std::is_trivially_copyable_v<T> && std::equality_comparable<T> && !std::same_as<T, bool>;

/// A type of elements that check() can also make of small whole numbers.
template <typename T>
concept CheckedNumber = CheckedElement<T> && std::is_arithmetic_v<T>;

/// A number of elements, from any type of integers. Throws Error, MPI_ERR_COUNT, for a negative number.
class ElementCount {
 public:
  /// Makes the number `count`.
  template <std::integral Integer>
  constexpr ElementCount(Integer count) : count_(static_cast<std::size_t>(count)) {
    if (std::cmp_less(count, 0))
      throw Error(MPI_ERR_COUNT, "elements: is " + std::to_string(count) + ", must be at least 0");
  }
  /// The number as a std::size_t.
  [[nodiscard]] constexpr operator std::size_t() const noexcept { return count_; }

 private:
  std::size_t count_;
};

/// The lengths of each rank's buffers in elements, the same on all ranks: those of the rank that needs most.
struct CheckedElements {
  ElementCount send;  ///< elements of the send buffer; 0 in place
  ElementCount recv;  ///< elements of the receive buffer; all of the buffer, in place
};

namespace internal {

/// Returns a number as text for reports; a whole number has no decimals.
template <CheckedNumber T>
[[nodiscard]] std::string story_of(T number) {
  if constexpr (std::integral<T>) {
    return std::to_string(number);
  } else {
    std::array<char, 64> text{};
    const int length = std::snprintf(text.data(), text.size(), "%.17Lg", static_cast<long double>(number));
    return {text.data(), static_cast<std::size_t>(length)};
  }
}

}  // namespace internal

/// Checks a collective with data of type T: `define(rank, sent, recv)` is the definition of the collective. `sent[r]`
/// is the send buffer of rank r (in place: its buffer at the start), and `recv` the receive buffer of `rank` at the
/// start, which the function changes into its required final value. For an allgather of one element:
///
///     const auto define = [](int, std::span<const std::vector<int>> sent, std::vector<int>& recv) {
///       for (std::size_t r = 0; r < sent.size(); ++r) recv[r] = sent[r][0];
///     };
///     for (int p = 1; p <= 17; ++p) {
///       const rondo::CheckResult result = rondo::check<int>(lower, p, {.send = 1, .recv = p}, define);
///       EXPECT_TRUE(result.ok()) << result;
///     }
///
/// Elements are compared with ==. Their values are small whole numbers, so that sums are exact in any order; for a T
/// that is no arithmetic type, `make(number)` makes an element of such a number.
template <CheckedElement T, std::invocable<int> Make>
[[nodiscard]] CheckResult check(
    const Lowering& lower, int size, const CheckedElements& elements,
    const std::function<void(int rank, std::span<const std::vector<T>> sent, std::vector<T>& recv)>& define, Make make,
    const CheckOptions& options = {}) {
  const auto elements_of = [](std::span<const std::byte> bytes) {
    std::vector<T> made(bytes.size() / sizeof(T));
    if (!made.empty()) std::memcpy(made.data(), bytes.data(), bytes.size());
    return made;
  };
  CheckedBytes data{elements.send * sizeof(T), elements.recv * sizeof(T), {}, {}};
  data.fill = [&](int rank, int start, std::span<std::byte> sent, std::span<std::byte> recv) {
    const auto fill = [&](std::span<std::byte> bytes, std::size_t salt) {
      for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
        std::uint64_t word = (i + salt) * 0x9E3779B97F4A7C15U;
        word ^= (static_cast<std::uint64_t>(rank) << 40U) + static_cast<std::uint64_t>(start);
        word = (word ^ word >> 29U) * 0xBF58476D1CE4E5B9U;
        const T value = make(static_cast<int>((word >> 32U) % 100));
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
      }
    };
    fill(sent, 0);
    fill(recv, 1000);
  };
  data.compare = [&](int rank, std::span<const std::vector<std::byte>> sent, std::span<const std::byte> before,
                     std::span<const std::byte> found) {
    std::vector<std::vector<T>> all;
    for (const std::vector<std::byte>& of_rank : sent) all.push_back(elements_of(of_rank));
    std::vector<T> wanted = elements_of(before);
    define(rank, all, wanted);
    const std::vector<T> is = elements_of(found);
    if (wanted.size() != is.size()) {
      return "the definition leaves " + std::to_string(wanted.size()) + " elements, must leave " +
             std::to_string(is.size());
    }
    for (std::size_t i = 0; i < is.size(); ++i) {
      if (is[i] == wanted[i]) continue;
      std::string text = "element " + std::to_string(i) + " of the receive buffer";
      if constexpr (std::is_arithmetic_v<T>)
        return text + " is " + internal::story_of(is[i]) + ", must be " + internal::story_of(wanted[i]);
      else
        return text + " is wrong";
    }
    return std::string();
  };
  return check(lower, size, data, options);
}

/// Checks a collective with data of an arithmetic type, whose elements are converted from whole numbers.
template <CheckedNumber T>
[[nodiscard]] CheckResult check(
    const Lowering& lower, int size, const CheckedElements& elements,
    const std::function<void(int rank, std::span<const std::vector<T>> sent, std::vector<T>& recv)>& define,
    const CheckOptions& options = {}) {
  return check<T>(
      lower, size, elements, define, [](int number) { return static_cast<T>(number); }, options);
}

}  // namespace rondo

#endif
