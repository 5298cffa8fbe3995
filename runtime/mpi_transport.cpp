#include "runtime/mpi_transport.hpp"

#include <algorithm>
#include <functional>

namespace rondo {

void MpiTransport::reserve(std::size_t messages) {
  reserved_ += messages;
  if (reserved_ <= indices_.size()) return;
  const std::size_t room = std::max(reserved_, 2 * indices_.size());
  requests_.reserve(room);
  owners_.reserve(room);
  completions_.reserve(room);
  abandoned_.reserve(room);
  statuses_.resize(room);
  indices_.resize(room);
}

void MpiTransport::release(std::size_t messages) noexcept { reserved_ -= messages; }

int MpiTransport::keep(MPI_Request request, const Owner& owner) {
  requests_.push_back(request);
  owners_.push_back(owner);
  return MPI_SUCCESS;
}

int MpiTransport::send(const Message& message, Execution& execution, TaskId task) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int count = message.layout == nullptr ? static_cast<int>(message.bytes) : 1;
  const int code =
      MPI_Isend(message.address, count, message.wire_type, message.peer, message.tag, message.comm, &request);
  return code == MPI_SUCCESS ? keep(request, {&execution, task, false}) : code;
}

int MpiTransport::receive(const Message& message, Execution& execution, TaskId task) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int count = message.layout == nullptr ? static_cast<int>(message.bytes) : 1;
  const int code =
      MPI_Irecv(message.address, count, message.wire_type, message.peer, message.tag, message.comm, &request);
  return code == MPI_SUCCESS ? keep(request, {&execution, task, true}) : code;
}

void MpiTransport::close_hole(std::size_t slot) {
  requests_[slot] = requests_.back();
  owners_[slot] = owners_.back();
  requests_.pop_back();
  owners_.pop_back();
}

std::span<const Completion> MpiTransport::poll() {
  completions_.clear();
  if (!abandoned_.empty()) [[unlikely]]
    completions_.swap(abandoned_);
  if (requests_.empty()) return completions_;
  int count = 0;
  const int code =
      MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, indices_.data(), statuses_.data());
  if (count == MPI_UNDEFINED || count == 0) {
    if (code != MPI_SUCCESS) [[unlikely]] {
      // No request is named: all that are in flight are lost.
      for (const Owner& owner : owners_) completions_.push_back({owner.execution, owner.task, code});
      requests_.clear();
      owners_.clear();
    }
    return completions_;
  }
  const bool failed = code == MPI_ERR_IN_STATUS;
  const std::span<int> done(indices_.data(), static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < done.size(); ++i) {
    const Owner& owner = owners_[static_cast<std::size_t>(done[i])];
    completions_.push_back({owner.execution, owner.task, failed ? statuses_[i].MPI_ERROR : MPI_SUCCESS});
  }
  if (done.size() == requests_.size()) {
    requests_.clear();
    owners_.clear();
    return completions_;
  }
  // From the highest slot down, so that what moves into a hole is not itself a hole. MPI promises no order of indices.
  if (!std::ranges::is_sorted(done)) std::ranges::sort(done);
  for (std::size_t i = done.size(); i-- > 0;) close_hole(static_cast<std::size_t>(done[i]));
  return completions_;
}

void MpiTransport::cancel(Execution& execution) {
  for (std::size_t slot = requests_.size(); slot-- > 0;) {
    if (owners_[slot].execution != &execution) continue;
    if (owners_[slot].is_receive) {
      MPI_Cancel(&requests_[slot]);  // completes by itself now, and poll() reports it
      continue;
    }
    // A send whose receiver never comes would hold the waiter for ever, and MPI cannot cancel it reliably.
    abandoned_.push_back({owners_[slot].execution, owners_[slot].task, MPI_SUCCESS});
    MPI_Request_free(&requests_[slot]);
    close_hole(slot);
  }
}

}  // namespace rondo
