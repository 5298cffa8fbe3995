#include "runtime/execution/mpi_transport.hpp"

#include "datatypes/copying/packing.hpp"
#include "datatypes/reading/mpi_check.hpp"
#include "datatypes/reading/mpi_running.hpp"
#include "datatypes/reading/this_mpi.hpp"
#include "runtime/base/private_comm.hpp"
#include "runtime/execution/execution.hpp"
#include "runtime/routes/route.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <new>

namespace rondo::internal {
namespace {

/// Returns the minimum length, in bytes, of a message for which a persistent operation makes a persistent MPI request.
/// Measured (bench halo): in Open MPI 4.1 a plain MPI_Isend of up to 256 bytes goes out without a request and costs
/// half of a start; above that a start saves a tenth. In MPICH 4.0 there is no difference, and making a request costs 5
/// microseconds. Huge messages have no such request, as their transfer takes a million times as long as a start.
std::int64_t least_of_persistent_message() noexcept {
  return this_mpi().kind == MpiKind::open_mpi ? 257 : std::numeric_limits<std::int64_t>::max();
}

/// Returns the number of bytes of a received message, or -1 if MPI cannot count them.
std::int64_t bytes_received(const MPI_Status& status) {
#if defined(OPEN_MPI)                                // a member of Open MPI's MPI_Status
  return static_cast<std::int64_t>(status._ucount);  // a call of MPI_Get_count for each message is 2% of an alltoall
#else
  int bytes = 0;
  if (MPI_Get_count(&status, MPI_BYTE, &bytes) != MPI_SUCCESS) return -1;
  return bytes == MPI_UNDEFINED ? -1 : bytes;
#endif
}

/// Returns whether a receive of more bytes than an int counts got all its bytes.
[[gnu::cold]] bool is_whole(const Task& receive, const MPI_Status& status) {
  MPI_Count bytes = 0;
  return MPI_Get_elements_x(&status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes == receive.bytes;
}

}  // namespace

void MpiTransport::reserve(std::size_t messages) {
  if (reserved_ + messages > requests_.size()) {
    const std::size_t room = std::max(reserved_ + messages, 2 * requests_.size());
    owners_.resize(room);
    statuses_.resize(room);
    indices_.resize(room);
    completions_.reserve(room);
    to_report_.reserve(room);
    requests_.resize(room, MPI_REQUEST_NULL);  // last, because its size counts for all if one of the calls throws
  }
  reserved_ += messages;
}

void MpiTransport::release(std::size_t messages) noexcept { reserved_ -= messages; }

MPI_Request MpiTransport::prepare(const Message& message, MPI_Comm comm) {
  MPI_Request prepared = MPI_REQUEST_NULL;
  if (std::int64_t{message.size} < least_of_persistent_message()) return prepared;
  if (message.sends != 0) {
    check_mpi(
        MPI_Send_init(message.address, message.count(), message.wire_type, message.peer, message.tag, comm, &prepared),
        "MPI_Send_init");
  } else {
    check_mpi(
        MPI_Recv_init(message.address, message.count(), message.wire_type, message.peer, message.tag, comm, &prepared),
        "MPI_Recv_init");
  }
  return prepared;
}

void MpiTransport::discard(MPI_Request prepared) noexcept {
  if (prepared != MPI_REQUEST_NULL && mpi_runs()) MPI_Request_free(&prepared);
}

/// Posts messages with start(message, request), which calls MPI, until one fails.
template <typename Start>
Posted MpiTransport::post_each(Execution& execution, std::span<const Message> messages, Start start) {
  MPI_Request* request = requests_.data() + count_;
  Owner* owner = owners_.data() + count_;
  int code = MPI_SUCCESS;
  for (const Message& message : messages) {
    code = start(message, request);
    if (code != MPI_SUCCESS) [[unlikely]]
      break;
    *owner++ = {&execution, message.task, message.sends != 0 ? kSend : message.size};
    ++request;
  }
  const auto posted = static_cast<std::size_t>(request - requests_.data()) - count_;
  count_ += posted;
  return {posted, code};
}

[[gnu::hot]] Posted MpiTransport::post(Execution& execution, std::span<const Message> messages, const Route* routes) {
  const auto send_or_receive = [comm = execution.comm()](const Message& message, MPI_Request* request) {
    return message.sends != 0 ? MPI_Isend(message.address, message.count(), message.wire_type, message.peer,
                                          message.tag, comm, request)
                              : MPI_Irecv(message.address, message.count(), message.wire_type, message.peer,
                                          message.tag, comm, request);
  };
  if (routes == nullptr) return post_each(execution, messages, send_or_receive);
  return post_each(execution, messages, [&](const Message& message, MPI_Request* request) {
    const MPI_Request prepared = (routes++)->request;
    if (prepared == MPI_REQUEST_NULL) return send_or_receive(message, request);
    *request = prepared;
    return MPI_Start(request);
  });
}

/// Copies the data of a send. Returns the place of the copy in copies_. Throws std::bad_alloc.
std::size_t MpiTransport::make_copy(const Execution& execution, const Message& message) {
  // Ticks until a copy is reported as complete, half a millisecond or so: far longer than a receiver needs that is
  // about to come. The time doubles with each 32 MiB, or 1024 short messages, that receivers have not yet received, so
  // that a sender that is always ahead does not fill the memory.
  constexpr std::uint64_t kPatience = std::uint64_t{1} << 20U;
  constexpr std::size_t kBytesToDouble = std::size_t{32} << 20U;
  constexpr std::size_t kMostDoublings = 20;

  const std::size_t bytes = std::max(static_cast<std::size_t>(message.size), std::size_t{1});
  const auto is_free = [](const SentCopy& copy) { return copy.bytes == 0; };
  const auto place = static_cast<std::size_t>(std::ranges::find_if(copies_, is_free) - copies_.begin());
  if (place == copies_.size()) copies_.emplace_back();
  SentCopy& copy = copies_[place];
  if (copy.room < bytes) {
    copy.room = 0;
    copy.data = std::make_unique_for_overwrite<std::byte[]>(std::bit_ceil(bytes));
    copy.room = std::bit_ceil(bytes);
  }
  copy.bytes = bytes;
  if (message.scattered == 0) {
    std::memcpy(copy.data.get(), message.address, static_cast<std::size_t>(message.size));
  } else {
    const LaneCopy& pieces = execution.lane_copy(message);
    run_copies(pieces.program.runs(), pieces.base(message), copy.data.get());
  }
  copy.deadline = ticks() + (kPatience << std::min(copied_bytes_ / kBytesToDouble, kMostDoublings));
  copied_bytes_ += std::max(copy.bytes, kLeastCharge);
  ++unreported_copies_;
  return place;
}

void MpiTransport::free_copy(std::int32_t code) noexcept {
  const auto place = static_cast<std::size_t>(kFirstCopy - code);
  SentCopy& copy = copies_[place];
  copied_bytes_ -= std::max(copy.bytes, kLeastCharge);
  copy.bytes = 0;
  if (place < kMostKept) return;
  copy.data.reset();
  copy.room = 0;
}

Posted MpiTransport::post_copied(Execution& execution, const Message& message) {
  std::size_t place = 0;
  try {
    place = make_copy(execution, message);
  } catch (const std::bad_alloc&) {
    return post(execution, {&message, 1}, nullptr);
  }
  const int code = MPI_Isend(copies_[place].data.get(), message.size, MPI_BYTE, message.peer, message.tag,
                             execution.comm(), &requests_[count_]);
  owners_[count_] = {&execution, message.task, code_of_copy(place)};
  if (code != MPI_SUCCESS) {
    --unreported_copies_;
    free_copy(code_of_copy(place));
    return {0, code};
  }
  ++count_;
  return {1, MPI_SUCCESS};
}

/// Reports the sends whose receivers have not come in time. MPI keeps their requests and copies until they end.
[[gnu::cold]] void MpiTransport::report_late_copies() noexcept {
  const std::uint64_t now = ticks();
  for (std::size_t slot = 0; slot < count_; ++slot) {
    Owner& owner = owners_[slot];
    if (owner.execution == nullptr || !is_copy(owner.expected)) continue;
    if (copies_[static_cast<std::size_t>(kFirstCopy - owner.expected)].deadline > now) continue;
    try {
      reserve(1);  // the execution may post another message while MPI still has this one
    } catch (const std::bad_alloc&) {
      return;  // the next pass tries again
    }
    Owner& late = owners_[slot];
    to_report_.push_back({late.execution, late.task, MPI_SUCCESS});
    late = {nullptr, kNoTask, late.expected};
    ++abandoned_;
    --unreported_copies_;
  }
}

int MpiTransport::post_in_failure(Execution& execution, const Message& message, const Route*) {
  Message stand_in = message;
  if (message.sends != 0) {
    stand_in.size = 0;
    stand_in.scattered = 0;
  }
  return post(execution, {&stand_in, 1}, nullptr).code;
}

void MpiTransport::look(const Execution& execution) noexcept {
  // The probe never finds a message, because no operation has the highest tag (TagSpace). MPI tests everything that it
  // has before it says so. Open MPI would not if there were such a message, and MPICH does not if the communicator has
  // one rank.
  int found = 0;
  enter_mpi();
  if (unused_tag_ < 0) unused_tag_ = highest_tag();
  MPI_Iprobe(MPI_ANY_SOURCE, unused_tag_, execution.comm(), &found, MPI_STATUS_IGNORE);
  leave_mpi();
}

std::optional<std::int64_t> MpiTransport::find(const Execution& execution, const Message& message) noexcept {
  int found = 0;
  MPI_Status status{};
  enter_mpi();
  const int code = MPI_Iprobe(message.peer, message.tag, execution.comm(), &found, &status);
  leave_mpi();
  if (code != MPI_SUCCESS || found == 0) return std::nullopt;
  return bytes_received(status);
}

bool MpiTransport::end_receive(std::size_t place, int code) noexcept {
  if (MPI_Cancel(&requests_[place]) != MPI_SUCCESS) return false;
  // No message will come, so the wait is over as soon as MPI has taken the receive back. If the wait fails, poll()
  // finds out what became of the receive.
  if (MPI_Wait(&requests_[place], MPI_STATUS_IGNORE) != MPI_SUCCESS && requests_[place] != MPI_REQUEST_NULL)
    return true;
  to_report_.push_back({owners_[place].execution, owners_[place].task, code});
  close_hole(place);
  return true;
}

void MpiTransport::close_hole(std::size_t slot) {
  --count_;
  requests_[slot] = requests_[count_];
  owners_[slot] = owners_[count_];
}

/// Returns the code of a message that is complete. A receive must have got all the bytes that it expects.
[[gnu::hot]] int MpiTransport::outcome(std::size_t slot, const MPI_Status& status, bool failed) const {
  if (failed && status.MPI_ERROR != MPI_SUCCESS) [[unlikely]]
    return status.MPI_ERROR;
  const std::int32_t expected = owners_[slot].expected;
  if (expected == kSend) return MPI_SUCCESS;
  const std::int64_t bytes = bytes_received(status);
  if (bytes == expected) [[likely]]
    return MPI_SUCCESS;
  if (is_copy(expected)) return MPI_SUCCESS;
  const Owner& owner = owners_[slot];
  if (expected == Message::kHuge && is_whole(owner.execution->schedule().tasks()[owner.task], status))
    return MPI_SUCCESS;
  return bytes == 0 ? kPartnerFailed : kShortMessage;
}

void MpiTransport::report(std::vector<Completion>& to, std::size_t slot, int code) {
  const Owner& owner = owners_[slot];
  if (is_copy(owner.expected)) [[unlikely]] {
    free_copy(owner.expected);
    if (owner.execution != nullptr) --unreported_copies_;
  }
  if (owner.execution != nullptr) [[likely]] {
    to.push_back({owner.execution, owner.task, code});
    return;
  }
  if (requests_[slot] != MPI_REQUEST_NULL) MPI_Request_free(&requests_[slot]);  // a persistent request
  --reserved_;
  if (--abandoned_ == 0) kept_.clear();
}

/// Fails all executions, because MPI cannot report their messages. After the hundredth time in a row abandons them.
void MpiTransport::fail_all(int code) {
  constexpr unsigned kPatience = 100;
  const bool give_up = ++failed_polls_ >= kPatience;
  for (std::size_t slot = 0; slot < count_; ++slot) {
    if (owners_[slot].execution == nullptr) continue;
    if (give_up) {
      try {
        // The execution may own messages in later slots as well, which then have no owner any more.
        owners_[slot].execution->abandon(code, "given up, as MPI cannot report the state of its messages");
      } catch (const std::bad_alloc&) {
        return;  // the next poll tries again
      }
    } else {
      completions_.push_back({owners_[slot].execution, kNoTask, code});
    }
  }
}

[[gnu::hot]] std::span<const Completion> MpiTransport::poll() {
  completions_.clear();
  if (unreported_copies_ > 0) [[unlikely]]
    report_late_copies();
  if (!to_report_.empty()) [[unlikely]]
    completions_.swap(to_report_);
  if (count_ == 0) return completions_;
  int found = 0;
  enter_mpi();
  const int code = MPI_Testsome(static_cast<int>(count_), requests_.data(), &found, indices_.data(), statuses_.data());
  leave_mpi();
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) [[unlikely]] {
    fail_all(code);
    return completions_;
  }
  failed_polls_ = 0;
  if (found == MPI_UNDEFINED || found == 0) return completions_;
  const std::span<int> done(indices_.data(), static_cast<std::size_t>(found));
  for (std::size_t i = 0; i < done.size(); ++i) {
    const auto slot = static_cast<std::size_t>(done[i]);
    report(completions_, slot, outcome(slot, statuses_[i], code == MPI_ERR_IN_STATUS));
  }
  if (done.size() == count_) {
    count_ = 0;
    return completions_;
  }
  // From the highest slot down, so that a message moved into a hole is not complete. MPI promises no order of indices.
  if (!std::ranges::is_sorted(done)) std::ranges::sort(done);
  for (std::size_t i = done.size(); i-- > 0;) close_hole(static_cast<std::size_t>(done[i]));
  return completions_;
}

[[gnu::hot]] bool MpiTransport::wait_all(bool reporting, const std::atomic<bool>& stop) {
  // MPI would wait for the receivers of copied sends, which may never look for them while this rank waits.
  if (!to_report_.empty() || unreported_copies_ > 0) return false;
  int code = MPI_SUCCESS;
  int complete = 0;
  // Statuses cost memory accesses, but without them Open MPI does not say which request failed.
  enter_mpi();
  while (code == MPI_SUCCESS && complete == 0 &&
         !stop.load(std::memory_order_relaxed))  // relaxed: nothing else is read
    code = MPI_Testall(static_cast<int>(count_), requests_.data(), &complete, statuses_.data());
  leave_mpi();
  if (code == MPI_SUCCESS && complete == 0) return false;
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) return false;  // no state is known: poll() may find out
  const bool failed = code == MPI_ERR_IN_STATUS;
  bool all_well = !failed && !reporting;  // messages to be reported are tested below
  for (std::size_t slot = 0; slot < count_ && all_well; ++slot)
    all_well = outcome(slot, statuses_[slot], false) == MPI_SUCCESS;
  if (all_well) {
    count_ = 0;
    return true;
  }
  for (std::size_t slot = count_; slot-- > 0;) {
    const int own_code = outcome(slot, statuses_[slot], failed);
    if (own_code == MPI_ERR_PENDING) continue;  // MPI stopped because of another message: this one stays in flight
    report(to_report_, slot, own_code);
    close_hole(slot);
  }
  return false;
}

void MpiTransport::abandon(Execution& execution, ScratchMemory& scratch) {
  std::size_t given_up = 0;
  for (std::size_t slot = 0; slot < count_; ++slot) given_up += owners_[slot].execution == &execution ? 1 : 0;
  if (given_up > 0) {
    kept_.reserve(kept_.size() + 1);
    reserve(given_up);  // the execution will release its own reservation
    kept_.push_back(std::move(scratch));
  }
  abandoned_ += given_up;
  for (auto* list : {&to_report_, &completions_})
    std::erase_if(*list, [&](const Completion& completion) { return completion.execution == &execution; });
  for (std::size_t slot = 0; slot < count_; ++slot) {
    Owner& owner = owners_[slot];
    if (owner.execution != &execution) continue;
    execution.forget_prepared(owner.task);
    // MPI cannot cancel sends reliably. If a cancel fails, the message stays in flight, as it was.
    if (execution.schedule().tasks()[owner.task].kind == TaskKind::receive) MPI_Cancel(&requests_[slot]);
    if (is_copy(owner.expected)) --unreported_copies_;
    owner = {nullptr, kNoTask, is_copy(owner.expected) ? owner.expected : kSend};
  }
}

}  // namespace rondo::internal
