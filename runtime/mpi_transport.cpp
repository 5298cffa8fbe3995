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

MPI_Request MpiTransport::prepare(const Message& message, MPI_Comm comm) {
  MPI_Request prepared = MPI_REQUEST_NULL;
  if (message.bytes() < kPersistentMessage) return prepared;
  if (message.kind == TaskKind::send) {
    check_mpi(
        MPI_Send_init(message.address, message.count, message.wire_type, message.peer, message.tag, comm, &prepared),
        "MPI_Send_init");
  } else {
    check_mpi(
        MPI_Recv_init(message.address, message.count, message.wire_type, message.peer, message.tag, comm, &prepared),
        "MPI_Recv_init");
  }
  return prepared;
}

void MpiTransport::discard(MPI_Request prepared) noexcept {
  int finalized = 0;
  if (prepared == MPI_REQUEST_NULL || MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  MPI_Request_free(&prepared);
}

[[gnu::hot]] Posted MpiTransport::post(Execution& execution, std::span<const Message> messages,
                                       const MPI_Request* prepared) {
  const MPI_Comm comm = execution.comm();
  MPI_Request* request = requests_.data() + count_;
  Owner* owner = owners_.data() + count_;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    int code = MPI_SUCCESS;
    if (prepared != nullptr && prepared[i] != MPI_REQUEST_NULL) {
      *request = prepared[i];
      code = MPI_Start(request);
    } else if (message.kind == TaskKind::send) {
      code = MPI_Isend(message.address, message.count, message.wire_type, message.peer, message.tag, comm, request);
    } else {
      code = MPI_Irecv(message.address, message.count, message.wire_type, message.peer, message.tag, comm, request);
    }
    if (code != MPI_SUCCESS) [[unlikely]]
      return {i, code};
    *owner++ = {&execution, message.task};
    ++request;
    ++count_;
  }
  return {messages.size(), MPI_SUCCESS};
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
  // With statuses, though they are memory to touch: without them Open MPI does not say which request failed.
  const int code = MPI_Waitall(static_cast<int>(count_), requests_.data(), statuses_.data());
  if (code == MPI_SUCCESS && !reporting) {
    count_ = 0;
    return true;
  }
  for (std::size_t slot = count_; slot-- > 0;) {
    const int own_code = code == MPI_ERR_IN_STATUS ? statuses_[slot].MPI_ERROR : code;
    if (own_code == MPI_ERR_PENDING) continue;  // MPI gave up waiting because of another: it stays in flight
    report(to_report_, slot, own_code);
    close_hole(slot);
  }
  return false;
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
