#include "collectives/comm_state/comm_state.hpp"

#include "runtime/base/at_finalize.hpp"

namespace rondo::internal {

struct CallState::All {
  std::mutex mutex;
  CallState* first = nullptr;

  static All& of_process() {
    // Never destroyed: see at_finalize().
    static All& all = *[] {
      at_finalize(AtFinalize::free_communicators, [] { of_process().forget(); });
      return new All;
    }();
    return all;
  }

 private:
  void forget() noexcept {
    for (CallState* one = first; one != nullptr;) {
      CallState* const next = one->after_;  // forget() may destroy `one`
      one->forget();
      one = next;
    }
  }
};

CallState::CallState(std::shared_ptr<CommState> on, const Settings& settings)
    : on_(std::move(on)), settings_(settings) {
  All& all = All::of_process();
  const std::scoped_lock lock(all.mutex);
  after_ = all.first;
  if (after_ != nullptr) after_->before_ = this;
  all.first = this;
}

CallState::~CallState() {
  All& all = All::of_process();
  const std::scoped_lock lock(all.mutex);
  (before_ == nullptr ? all.first : before_->after_) = after_;
  if (after_ != nullptr) after_->before_ = before_;
}

}  // namespace rondo::internal
