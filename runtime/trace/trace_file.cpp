#include "runtime/trace/trace_file.hpp"

#include <rondo/error.hpp>

#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/private_comm.hpp"
#include "runtime/trace/trace_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>

namespace rondo::internal {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;  // in bytes; counts are int

void send_text(const std::string& text, MPI_Comm comm) {
  const std::uint64_t size = text.size();
  check_mpi(MPI_Send(&size, 1, MPI_UINT64_T, 0, 0, comm), "MPI_Send");
  for (std::size_t at = 0; at < text.size(); at += kMostAtOnce) {
    const auto bytes = static_cast<int>(std::min(kMostAtOnce, text.size() - at));
    check_mpi(MPI_Send(text.data() + at, bytes, MPI_BYTE, 0, 0, comm), "MPI_Send");
  }
}

std::string receive_text(int rank, MPI_Comm comm) {
  std::uint64_t size = 0;
  check_mpi(MPI_Recv(&size, 1, MPI_UINT64_T, rank, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  std::string text(size, '\0');
  for (std::size_t at = 0; at < text.size(); at += kMostAtOnce) {
    const auto bytes = static_cast<int>(std::min(kMostAtOnce, text.size() - at));
    check_mpi(MPI_Recv(text.data() + at, bytes, MPI_BYTE, rank, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  }
  return text;
}

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(length)};
}

/// Returns the rank in `comm` of the first process of the job; MPI_UNDEFINED if `comm` does not have all processes.
int reference_in(MPI_Comm comm) {
  int ranks = 0;
  int of_job = 0;
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &of_job), "MPI_Comm_size");
  if (ranks != of_job) return MPI_UNDEFINED;
  MPI_Group ours = MPI_GROUP_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(comm, &ours), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &all), "MPI_Comm_group");
  const int first = 0;
  int found = MPI_UNDEFINED;
  const int code = MPI_Group_translate_ranks(all, 1, &first, ours, &found);
  MPI_Group_free(&ours);
  MPI_Group_free(&all);
  check_mpi(code, "MPI_Group_translate_ranks");
  return found;
}

void close(std::ofstream& out, const std::string& path) {
  out.close();
  if (!out) throw Error(MPI_ERR_FILE, path + ": cannot be written: " + std::strerror(errno));
}

}  // namespace

std::unique_ptr<TraceFile> TraceFile::from_environment() {
  const char* path = std::getenv("RONDO_TRACE");
  return path == nullptr || *path == '\0' ? nullptr : std::make_unique<TraceFile>(path);
}

void TraceFile::align(MPI_Comm comm) noexcept {
  if (first_offset_) return;
  try {
    const int reference = reference_in(comm);
    if (reference != MPI_UNDEFINED) first_offset_ = compare_clocks(clock_of_host(), comm, reference);
  } catch (const std::exception& error) {
    log(LogLevel::error, "RONDO_TRACE: clocks cannot be compared: ", error.what());
  }
}

void TraceFile::write(const Trace& trace) noexcept {
  try {
    int rank = 0;
    check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    if (first_offset_)
      write_for_all(trace, rank);
    else
      write_own(trace, rank);
  } catch (const std::exception& error) {
    log(LogLevel::error, "RONDO_TRACE: ", error.what());
  }
}

void TraceFile::write_for_all(const Trace& trace, int rank) {
  const PrivateComm comm(MPI_COMM_WORLD);
  const ClockOffset last = compare_clocks(clock_of_host(), comm.get(), 0);
  TraceOrigin origin{.rank = rank, .host = {}, .clock = {*first_offset_, last}};
  origin.zero = origin.clock.at_reference(trace.began());
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &origin.zero, 1, MPI_INT64_T, MPI_MIN, comm.get()), "MPI_Allreduce");

  TracePart part;
  try {
    origin.host = host_name();
    part = trace_part(trace, origin);
  } catch (const std::exception& error) {  // caught, because rank 0 waits for this part
    log(LogLevel::error, "RONDO_TRACE: this rank cannot tell what it did: ", error.what());
    part = {};
  }
  if (rank != 0) {
    send_text(part.events, comm.get());
    send_text(part.about, comm.get());
    return;
  }
  std::ofstream out(path_);
  TraceFileText text(out);
  text.add(part);
  int ranks = 0;
  check_mpi(MPI_Comm_size(comm.get(), &ranks), "MPI_Comm_size");
  for (int other = 1; other < ranks; ++other) {
    part.events = receive_text(other, comm.get());
    part.about = receive_text(other, comm.get());
    text.add(part);
  }
  text.end();
  close(out, path_);
}

void TraceFile::write_own(const Trace& trace, int rank) const {
  const std::filesystem::path path(path_);
  std::filesystem::path own = path;
  own.replace_filename(path.stem().string() + ".rank" + std::to_string(rank) + path.extension().string());
  write_trace_of_process(trace, rank, own.string());
}

void write_trace_of_process(const Trace& trace, int rank, const std::string& path) {
  std::ofstream out(path);
  TraceFileText text(out);
  text.add(trace_part(trace, {.rank = rank, .host = host_name()}));
  text.end();
  close(out, path);
}

}  // namespace rondo::internal
