// Measures times, page faults and system calls of MPI_Init, of the first hundred calls of one kind and of MPI_Finalize.
// A process makes its first call once, and so there is one for each figure.
// Usage: start CSV mpi|plugin|library KIND BYTES; for `plugin` with librondo_pmpi.so in LD_PRELOAD. Appends a line.
#include <linux/perf_event.h>
#include <mpi.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <rondo/rondo.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

[[nodiscard]] double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Counts the system calls of this thread, but for yields of the core, of which a rank that waits makes many.
class SystemCalls {
 public:
  SystemCalls() {
    std::uint64_t number = 0;
    std::ifstream("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id") >> number;
    if (number == 0) return;
    perf_event_attr event{};
    event.type = PERF_TYPE_TRACEPOINT;
    event.size = sizeof event;
    event.config = number;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
    const std::string others = "id != " + std::to_string(SYS_sched_yield);
    if (file_ >= 0 && ioctl(file_, PERF_EVENT_IOC_SET_FILTER, others.c_str()) != 0) file_ = -1;
  }
  /// -1: the system does not tell, as to users that may not trace.
  [[nodiscard]] double count() const {
    std::uint64_t calls = 0;
    return file_ >= 0 && read(file_, &calls, sizeof calls) == sizeof calls ? static_cast<double>(calls) : -1;
  }

 private:
  int file_ = -1;
};

struct Counted {
  double us = 0;
  double faults = 0;
  double system_calls = 0;
};

/// How long `work` takes, with how many page faults and system calls.
template <typename Work>
[[nodiscard]] Counted count(const SystemCalls& calls, const Work& work) {
  const auto faults = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_minflt + usage.ru_majflt);
  };
  const double faults_before = faults();
  const double calls_before = calls.count();
  const double begin = now_us();
  work();
  const double us = now_us() - begin;
  const double made = calls.count();
  return {us, faults() - faults_before, made < 0 ? -1 : made - calls_before - 1};  // its own read
}

/// The calls of a kind, with memory of their own.
class Calls {
 public:
  Calls(std::string_view way, std::string_view kind, int bytes) : bytes_(bytes) {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    send_.resize(static_cast<std::size_t>(ranks_) * static_cast<std::size_t>(bytes), std::byte{1});
    recv_ = send_;
    call_ = way == "library" ? of_library(kind) : of_mpi(kind);
  }
  explicit operator bool() const { return call_ != nullptr; }
  void operator()() const { call_(); }

 private:
  using Call = std::function<void()>;
  [[nodiscard]] Call of_mpi(std::string_view kind) {
    void* const send = send_.data();
    void* const recv = recv_.data();
    if (kind == "bcast") return [=, this] { MPI_Bcast(recv, bytes_, MPI_BYTE, 0, MPI_COMM_WORLD); };
    if (kind == "allreduce")
      return [=, this] { MPI_Allreduce(send, recv, bytes_ / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD); };
    if (kind == "alltoall")
      return [=, this] { MPI_Alltoall(send, bytes_, MPI_BYTE, recv, bytes_, MPI_BYTE, MPI_COMM_WORLD); };
    if (kind == "ialltoall") {
      return [=, this] {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ialltoall(send, bytes_, MPI_BYTE, recv, bytes_, MPI_BYTE, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      };
    }
    if (kind == "persistent alltoall") return of_mpi("ialltoall");  // not every MPI has persistent collectives
    return nullptr;
  }
  [[nodiscard]] Call of_library(std::string_view kind) {
    if (kind == "bcast") return [this] { comm().bcast(recv_.data(), bytes_, MPI_BYTE, 0); };
    if (kind == "allreduce")
      return [this] { comm().allreduce(send_.data(), recv_.data(), bytes_ / 4, MPI_INT, MPI_SUM); };
    if (kind == "alltoall") return [this] { comm().alltoall(send_.data(), recv_.data(), bytes_, MPI_BYTE); };
    if (kind == "ialltoall") return [this] { comm().ialltoall(send_.data(), recv_.data(), bytes_, MPI_BYTE).wait(); };
    if (kind == "persistent alltoall") {
      return [this] {
        if (!request_) request_.emplace(comm().alltoall_init(send_.data(), recv_.data(), bytes_, MPI_BYTE));
        request_->start();
        request_->wait();
      };
    }
    return nullptr;
  }
  /// Makes the communicator in the first call, as that is part of what a first call takes.
  [[nodiscard]] rondo::Comm& comm() {
    if (!comm_) comm_.emplace(MPI_COMM_WORLD);
    return *comm_;
  }

  int bytes_;
  int ranks_ = 1;
  std::vector<std::byte> send_;
  std::vector<std::byte> recv_;
  std::optional<rondo::Comm> comm_;
  std::optional<rondo::Request> request_;
  Call call_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: start CSV mpi|plugin|library KIND BYTES\n");
    return 2;
  }
  const SystemCalls system_calls;
  std::array<Counted, 102> all;  // MPI_Init, the calls, MPI_Finalize
  all.front() = count(system_calls, [&] { MPI_Init(&argc, &argv); });
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    const Calls call(argv[2], argv[3], std::stoi(argv[4]));
    if (!call) {
      std::fprintf(stderr, "start: no kind is called %s\n", argv[3]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (std::size_t i = 1; i + 1 < all.size(); ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      for (const double begin = now_us(); now_us() - begin < 20;) {  // as a program that computes
      }
      all[i] = count(system_calls, call);
    }
  }
  all.back() = count(system_calls, [] { MPI_Finalize(); });
  if (rank != 0) return 0;
  std::ofstream csv(argv[1], std::ios::app);
  csv << ranks << ',' << argv[2] << ',' << argv[3] << ',' << argv[4];
  // The first, the second, the mean of calls 3 to 10 and that of calls 11 to 100.
  for (const auto& [from, to] : {std::pair{0, 1}, {1, 2}, {2, 3}, {3, 11}, {11, 101}, {101, 102}}) {
    Counted sum;
    for (int i = from; i < to; ++i) {
      const Counted& one = all[static_cast<std::size_t>(i)];
      sum.us += one.us / (to - from);
      sum.faults += one.faults;
      sum.system_calls += one.system_calls;
    }
    csv << ',' << sum.us << ',' << sum.faults << ',' << sum.system_calls;
  }
  csv << '\n';
}
