#include "runtime/mpi_transport.hpp"

#include "datatypes/mpi_check.hpp"
#include "runtime/execution.hpp"

#include <algorithm>
#include <limits>

namespace rondo {
namespace {

/// Shortest message for which a persistent MPI request is made, where the operation is persistent. Measured (bench
/// halo): in Open MPI 4.1 a plain MPI_Isend of up to 256 bytes goes out without a request and costs half of a start,
/// above that a start saves a tenth. In MPICH 4.0 there is no difference, and making one costs 5 microseconds.
#if defined(OPEN_MPI)
constexpr std::int64_t kPersistentMessage = 257;
#else
constexpr std::int64_t kPersistentMessage = std::numeric_limits<std::int64_t>::max();
#endif

int count_of(const Message& message) { return message.layout == nullptr ? static_cast<int>(message.bytes) : 1; }

}  // namespace

void MpiTransport::reserve(std::size_t messages) {
  reserved_ += messages;
  if (reserved_ <= requests_.size()) return;
  const std::size_t room = std::max(reserved_, 2 * requests_.size());
  requests_.resize(room, MPI_REQUEST_NULL);
  owners_.resize(room);
  statuses_.resize(room);
  indices_.resize(room);
  completions_.reserve(room);
  to_report_.reserve(room);
}

void MpiTransport::release(std::size_t messages) noexcept { reserved_ -= messages; }

MPI_Request MpiTransport::prepare(const Message& message, TaskKind kind) {
  MPI_Request prepared = MPI_REQUEST_NULL;
  if (message.bytes < kPersistentMessage) return prepared;
  if (kind == TaskKind::send) {
    check_mpi(MPI_Send_init(message.address, count_of(message), message.wire_type, message.peer, message.tag,
                            message.comm, &prepared),
              "MPI_Send_init");
  } else {
    check_mpi(MPI_Recv_init(message.address, count_of(message), message.wire_type, message.peer, message.tag,
                            message.comm, &prepared),
              "MPI_Recv_init");
  }
  return prepared;
}

void MpiTransport::discard(MPI_Request prepared) noexcept {
  int finalized = 0;
  if (prepared == MPI_REQUEST_NULL || MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  MPI_Request_free(&prepared);
}

[[gnu::hot]] int MpiTransport::keep(int code, Execution& execution, TaskId task) {
  if (code != MPI_SUCCESS) [[unlikely]]
    return code;
  owners_[count_++] = {&execution, task};
  return MPI_SUCCESS;
}

[[gnu::hot]] int MpiTransport::send(const Message& message, Execution& execution, TaskId task) {
  MPI_Request& request = requests_[count_];
  if (message.prepared != MPI_REQUEST_NULL) {
    request = message.prepared;
    return keep(MPI_Start(&request), execution, task);
  }
  return keep(MPI_Isend(message.address, count_of(message), message.wire_type, message.peer, message.tag, message.comm,
                        &request),
              execution, task);
}

[[gnu::hot]] int MpiTransport::receive(const Message& message, Execution& execution, TaskId task) {
  MPI_Request& request = requests_[count_];
  if (message.prepared != MPI_REQUEST_NULL) {
    request = message.prepared;
    return keep(MPI_Start(&request), execution, task);
  }
  return keep(MPI_Irecv(message.address, count_of(message), message.wire_type, message.peer, message.tag, message.comm,
                        &request),
              execution, task);
}

void MpiTransport::close_hole(std::size_t slot) {
  --count_;
  requests_[slot] = requests_[count_];
  owners_[slot] = owners_[count_];
}

[[gnu::hot]] std::span<const Completion> MpiTransport::poll() {
  completions_.clear();
  if (!to_report_.empty()) [[unlikely]]
    completions_.swap(to_report_);
  if (count_ == 0) return completions_;
  int found = 0;
  const int code = MPI_Testsome(static_cast<int>(count_), requests_.data(), &found, indices_.data(), statuses_.data());
  if (found == MPI_UNDEFINED || found == 0) {
    if (code != MPI_SUCCESS) [[unlikely]] {
      // No request is named: all that are in flight are lost.
      for (std::size_t slot = 0; slot < count_; ++slot) report(completions_, slot, code);
      count_ = 0;
    }
    return completions_;
  }
  const std::span<int> done(indices_.data(), static_cast<std::size_t>(found));
  for (std::size_t i = 0; i < done.size(); ++i) {
    report(completions_, static_cast<std::size_t>(done[i]),
           code == MPI_ERR_IN_STATUS ? statuses_[i].MPI_ERROR : MPI_SUCCESS);
  }
  if (done.size() == count_) {
    count_ = 0;
    return completions_;
  }
  // From the highest slot down, so that what moves into a hole is not itself a hole. MPI promises no order of indices.
  if (!std::ranges::is_sorted(done)) std::ranges::sort(done);
  for (std::size_t i = done.size(); i-- > 0;) close_hole(static_cast<std::size_t>(done[i]));
  return completions_;
}

[[gnu::hot]] bool MpiTransport::wait_all(bool reporting) {
  if (!to_report_.empty()) return false;
  const int code = MPI_Waitall(static_cast<int>(count_), requests_.data(), statuses_.data());
  const bool quiet = code == MPI_SUCCESS && !reporting;
  for (std::size_t slot = 0; slot < count_ && !quiet; ++slot) {
    report(to_report_, slot, code == MPI_ERR_IN_STATUS ? statuses_[slot].MPI_ERROR : code);
  }
  count_ = 0;
  return quiet;
}

void MpiTransport::cancel(Execution& execution) {
  const auto tasks = execution.schedule().tasks();
  for (std::size_t slot = count_; slot-- > 0;) {
    if (owners_[slot].execution != &execution) continue;
    if (tasks[owners_[slot].task].kind == TaskKind::receive) {
      MPI_Cancel(&requests_[slot]);  // completes by itself now, and poll() reports it
      continue;
    }
    // A send whose receiver never comes would hold the waiter for ever, and MPI cannot cancel it reliably.
    report(to_report_, slot, MPI_SUCCESS);
    execution.forget_prepared(owners_[slot].task);
    MPI_Request_free(&requests_[slot]);
    close_hole(slot);
  }
}

}  // namespace rondo
