#include "collectives/plugin/choice/call_report.hpp"

#include <mpi.h>

#include "datatypes/reading/mpi_running.hpp"
#include "runtime/base/at_finalize.hpp"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace rondo::internal::plugin {
namespace {

/// The ranks that print a report: rank 0 of MPI_COMM_WORLD, whose calls are most often those of all ranks, or all
/// ranks.
enum class Reporters : std::uint8_t { nobody, rank_0, all };

Reporters reporters() {
  const char* text = std::getenv("RONDO_REPORT");
  const std::string_view wanted = text == nullptr ? "" : text;
  if (wanted.empty() || wanted == "0") return Reporters::nobody;
  return wanted == "all" ? Reporters::all : Reporters::rank_0;
}

void print() {
  int rank = 0;
  if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return;
  if (rank != 0 && reporters() != Reporters::all) return;
  const std::string text = CallReport::wanted()->text(rank);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text + "  ";
}

std::string in_front_padded(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text + "  ";
}

constexpr std::size_t kNameWidth = 23;
constexpr std::size_t kNumberWidth = 10;
constexpr std::size_t kAlgorithmWidth = 22;

std::string microseconds(CallReport::Clock::duration time) {
  const auto us = std::chrono::duration<double, std::micro>(time).count();
  std::string text = std::to_string(us);
  return text.substr(0, text.find('.') + 2);
}

}  // namespace

CallReport* CallReport::wanted() {
  // Never destroyed, because MPI_Finalize may run in an exit handler, after the destructors of statics.
  static CallReport* report = [] {
    if (reporters() == Reporters::nobody || !mpi_runs()) return static_cast<CallReport*>(nullptr);
    at_finalize(AtFinalize::report, print);
    return new CallReport;
  }();
  return report;
}

void CallReport::took(ReplacedCall call, std::int64_t bytes, const std::string& algorithm, Clock::duration time) {
  const std::int64_t size =
      bytes <= 0 ? 0 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
  const std::scoped_lock lock(mutex_);
  Line& line = taken_[{call, size, algorithm}];
  ++line.calls;
  line.time += time;
}

void CallReport::left(ReplacedCall call, const char* why) {
  const std::scoped_lock lock(mutex_);
  ++left_[{call, why}];
}

std::string CallReport::text(int rank) const {
  const std::scoped_lock lock(mutex_);
  std::string text = "rondo_pmpi: calls of rank " + std::to_string(rank) + "\n" + padded("call", kNameWidth) +
                     in_front_padded("bytes <=", kNumberWidth) + in_front_padded("calls", kNumberWidth) +
                     padded("algorithm", kAlgorithmWidth) + "us a call\n";
  for (const auto& [key, line] : taken_) {
    const auto& [call, bytes, algorithm] = key;
    text += padded(std::string(name(call)), kNameWidth) + in_front_padded(std::to_string(bytes), kNumberWidth) +
            in_front_padded(std::to_string(line.calls), kNumberWidth) + padded(algorithm, kAlgorithmWidth) +
            microseconds(line.time / line.calls) + "\n";
  }
  for (const auto& [key, calls] : left_) {
    const auto& [call, why] = key;
    text += padded(std::string(name(call)), kNameWidth) + in_front_padded("", kNumberWidth) +
            in_front_padded(std::to_string(calls), kNumberWidth) + "left to MPI: " + why + "\n";
  }
  if (taken_.empty() && left_.empty()) text += "none\n";
  return text;
}

std::int64_t bytes_of(const CallSide& side, int blocks) noexcept {
  if (CallReport::wanted() == nullptr || !side.counts || !side.types) return 0;
  std::int64_t bytes = 0;
  for (int i = 0; i < blocks; ++i) {
    MPI_Count size = 0;
    if (side.count(i) > 0 && side.type(i) != MPI_DATATYPE_NULL && MPI_Type_size_x(side.type(i), &size) == MPI_SUCCESS)
      bytes += size * side.count(i);
  }
  return bytes;
}

}  // namespace rondo::internal::plugin
