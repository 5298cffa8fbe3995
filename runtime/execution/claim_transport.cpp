#include "runtime/execution/claim_transport.hpp"

#include "datatypes/copying/copy_program.hpp"

#include <sched.h>

#include <chrono>
#include <vector>

namespace rondo::internal {
namespace {

/// Maximum time that abandon() waits for partners in the middle of a copy: a partner that was killed there never ends
/// it.
constexpr std::chrono::seconds kLongestCopy(2);

}  // namespace

[[gnu::hot]] void ClaimTransport::poll(std::vector<Completion>& completions) noexcept {
  for (std::size_t i = 0; i < in_flight_.size();) {
    const auto [execution, message, channel] = in_flight_[i];
    if (channel->end.try_take()) {
      run_copies(channel->program, channel->source, channel->target);
      channel->end.finish();
    }
    const ClaimState state = channel->end.look();
    if (state == ClaimState::none) {
      ++i;
      continue;
    }
    // As over MPI, a sender does not learn that its receiver has failed: nothing is wrong with its own data.
    const bool hears = state == ClaimState::failed && message->sends == 0;
    completions.push_back({execution, message->task, hears ? kPartnerFailed : MPI_SUCCESS});
    in_flight_[i] = in_flight_.back();
    in_flight_.pop_back();
  }
}

bool ClaimTransport::abandon(const Execution& execution) noexcept {
  const auto until = std::chrono::steady_clock::now() + kLongestCopy;
  bool all_over = true;
  std::erase_if(in_flight_, [&](const Claimed& it) {
    if (it.execution != &execution) return false;
    bool over = it.channel->end.withdraw();
    while (!over && std::chrono::steady_clock::now() < until) {
      static_cast<void>(::sched_yield());
      over = it.channel->end.withdraw();
    }
    all_over = all_over && over;
    return true;
  });
  return all_over;
}

}  // namespace rondo::internal
