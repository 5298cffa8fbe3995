#include "collectives/comm_state/spare_comms.hpp"

#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/at_finalize.hpp"
#include "runtime/base/mix.hpp"

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

namespace rondo::internal {

SpareComms& SpareComms::of_process() noexcept {
  // Never destroyed: MPI_Finalize may run in an exit handler. Not constinit: Open MPI's null handles are casts.
  static SpareComms spares;
  static_assert(std::is_trivially_destructible_v<SpareComms>);
  return spares;
}

void SpareComms::keep_from_now_on(const char* (*ask)() noexcept) {
  if (keeps()) return;
  why_refused_ = ask;
  at_finalize(AtFinalize::free_communicators, [] { of_process().end(); });
  keeps_.store(true, std::memory_order_relaxed);  // relaxed: see keeps()
}

SpareComms::Offer::~Offer() {
  if (comm_ && !of_process().keep(*comm_)) PrivateComm::free(comm_->comm);
}

std::uint64_t SpareComms::Offer::word() const noexcept { return comm_ ? mix(comm_->name, comm_->history) | 1U : 0; }

SpareComms::Offer SpareComms::offer(MPI_Comm comm) {
  if (!keeps()) return {};
  // MPI is not asked with the lock held, as it may hold one of its own when it deletes a communicator's attributes.
  std::array<ReleasedComm, kMost> all;
  std::size_t count = 0;
  {
    const std::scoped_lock lock(mutex_);
    all = comms_;
    count = std::exchange(count_, 0);
  }
  const std::span spares(all.data(), count);
  int code = MPI_SUCCESS;
  const auto is_one_for = [&](const ReleasedComm& spare) {
    int result = MPI_UNEQUAL;
    if (code == MPI_SUCCESS) code = MPI_Comm_compare(spare.comm, comm, &result);
    return code == MPI_SUCCESS && result == MPI_CONGRUENT;
  };
  const auto found = std::find_if(spares.rbegin(), spares.rend(), is_one_for);
  Offer offer;
  if (found != spares.rend()) offer.comm_ = *found;
  for (const ReleasedComm& spare : spares)
    if (!offer.comm_ || spare.comm != offer.comm_->comm) keep(spare);
  check_mpi(code, "MPI_Comm_compare");
  return offer;
}

bool SpareComms::take_over(const ReleasedComm& released) noexcept { return of_process().keep(released); }

bool SpareComms::keep(const ReleasedComm& released) noexcept {
  if (!keeps()) return false;
  MPI_Comm oldest = MPI_COMM_NULL;
  {
    const std::scoped_lock lock(mutex_);
    if (count_ == kMost) {
      oldest = comms_.front().comm;
      std::shift_left(comms_.begin(), comms_.end(), 1);
      --count_;
    }
    comms_[count_++] = released;
  }
  if (oldest != MPI_COMM_NULL) PrivateComm::free(oldest);
  return true;
}

void SpareComms::end() noexcept {
  keeps_.store(false, std::memory_order_relaxed);  // relaxed: no other thread is in Rondo now
  for (const ReleasedComm& spare : std::span(comms_).first(std::exchange(count_, 0))) PrivateComm::free(spare.comm);
}

}  // namespace rondo::internal
