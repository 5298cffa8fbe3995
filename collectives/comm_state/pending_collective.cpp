#include "collectives/comm_state/pending_collective.hpp"

#include "datatypes/reading/mpi_check.hpp"
#include "runtime/base/at_finalize.hpp"
#include "runtime/base/given_up.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/world.hpp"
#include "runtime/engine/engine.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <utility>

namespace rondo::internal {

/// The memory that MPI works on, in a list once no caller waits for it any more.
struct PendingCollective::Kept {
  MPI_Request request = MPI_REQUEST_NULL;
  std::unique_ptr<std::byte[]> bytes;
  std::unique_ptr<Kept> next;

  static std::unique_ptr<Kept> make(std::size_t size) noexcept {
    std::unique_ptr<Kept> made(new (std::nothrow) Kept);
    if (made != nullptr) made->bytes.reset(new (std::nothrow) std::byte[size]);
    return made != nullptr && made->bytes != nullptr ? std::move(made) : nullptr;
  }
  static void give_up(std::unique_ptr<Kept> one) noexcept;
  /// Frees the memory of those given-up collectives of this process that MPI has completed. Returns how many MPI has
  /// not completed yet. Thread-safe.
  static std::size_t look() noexcept;

 private:
  struct List {
    std::mutex mutex;
    std::unique_ptr<Kept> first;
    std::atomic<bool> begun = false;
  };
  static List& list() {
    static auto& all = *new List;  // never destroyed: MPI may write into its elements
    return all;
  }
};

void PendingCollective::Kept::give_up(std::unique_ptr<Kept> one) noexcept {
  List& all = list();
  const std::scoped_lock lock(all.mutex);
  one->next = std::move(all.first);
  all.first = std::move(one);
  if (all.begun.exchange(true)) return;
  try {
    at_finalize(AtFinalize::end_progress, [] {
      if (const std::size_t left = look(); left > 0)
        log(LogLevel::warning, "MPI_Finalize while MPI still has ", left, " collectives that were given up");
    });
  } catch (const std::exception&) {
    // The warning is lost then.
  }
}

std::size_t PendingCollective::Kept::look() noexcept {
  List& all = list();
  if (!all.begun.load(std::memory_order_relaxed)) return 0;  // relaxed: a missed one is freed next time
  const std::scoped_lock lock(all.mutex);
  std::size_t left = 0;
  for (std::unique_ptr<Kept>* place = &all.first; *place != nullptr;) {
    int complete = 0;
    // A collective whose test fails is kept.
    if (MPI_Test(&(*place)->request, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS && complete != 0) {
      *place = std::move((*place)->next);
    } else {
      ++left;
      place = &(*place)->next;
    }
  }
  return left;
}

void wait_for_duplicates_of(MPI_Comm comm) {
  if (!PrivateComm::has_duplicates_under_way()) return;
  const auto is_free = [comm] {
    const Engine::TokenScope turn(Engine::process());
    return PrivateComm::advance_duplicates_of(comm);
  };
  try {
    wait_until(std::ref(is_free), describe_comm(comm).view(), Patience::ends);
  } catch (const TimedOut&) {
    give_up_on(comm);
    throw;
  }
}

void wait_for_duplicate(PrivateComm& own, Patience patience) {
  const auto is_there = [&own] {
    const Engine::TokenScope turn(Engine::process());
    return own.advance_duplicate();
  };
  try {
    wait_until(std::ref(is_there), own.original(), patience);
  } catch (const TimedOut&) {
    const Engine::TokenScope turn(Engine::process());
    own.give_up();
    throw;
  }
}

PendingCollective::PendingCollective(std::span<std::byte> bytes, MPI_Comm comm) : bytes_(bytes), comm_(comm) {
  refuse_given_up(comm);
  wait_for_duplicates_of(comm);
  if (Engine::process().timeout_seconds() <= 0) return;
  Kept::look();
  kept_ = Kept::make(bytes.size());
  if (kept_ != nullptr) std::ranges::copy(bytes, kept_->bytes.get());
}

PendingCollective::~PendingCollective() {
  if (kept_ != nullptr && kept_->request != MPI_REQUEST_NULL) Kept::give_up(std::move(kept_));
}

void* PendingCollective::memory() const noexcept { return kept_ == nullptr ? bytes_.data() : kept_->bytes.get(); }

MPI_Request* PendingCollective::request() noexcept { return kept_ == nullptr ? &request_ : &kept_->request; }

void PendingCollective::wait() {
  const auto is_complete = [this] {
    int complete = 0;
    check_mpi(MPI_Test(request(), &complete, MPI_STATUS_IGNORE), "MPI_Test");
    return complete != 0;
  };
  if (is_complete()) return take();
  try {
    wait_until(std::ref(is_complete), describe_comm(comm_).view(),
               kept_ == nullptr ? Patience::endless : Patience::ends);
  } catch (const TimedOut&) {
    give_up_on(comm_);
    throw;
  }
  take();
}

void PendingCollective::take() noexcept {
  if (kept_ != nullptr) std::copy_n(kept_->bytes.get(), bytes_.size(), bytes_.begin());
}

}  // namespace rondo::internal
