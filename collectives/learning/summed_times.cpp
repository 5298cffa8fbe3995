#include "collectives/learning/summed_times.hpp"

#include "runtime/base/at_finalize.hpp"
#include "runtime/base/log.hpp"

#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace rondo::internal::learning {
namespace {

/// Those whose request was freed before the other ranks had come so far.
struct Late {
  struct One {
    std::unique_ptr<Times> words;
    std::unique_ptr<Operation> operation;
  };
  std::mutex mutex;
  std::vector<One> all;
};

/// Never destroyed: MPI may still write what is in it.
Late& late() {
  static auto& all = *new Late;
  return all;
}

/// A rank that comes here has begun all of them, and so will the others before they leave MPI_Finalize.
void wait_for_late() {
  Late& kept = late();
  const std::scoped_lock lock(kept.mutex);
  for (const Late::One& one : kept.all) one.operation->wait();
  kept.all.clear();
}

void watch_late() {
  static std::once_flag once;
  std::call_once(once, [] { at_finalize(AtFinalize::complete_messages, wait_for_late); });
}

}  // namespace

SummedTimes::~SummedTimes() {
  if (operation_ == nullptr || operation_->complete()) return;
  Late& kept = late();
  try {
    watch_late();
    const std::scoped_lock lock(kept.mutex);
    std::erase_if(kept.all, [](const Late::One& one) { return one.operation->complete(); });
    kept.all.reserve(kept.all.size() + 1);
    kept.all.push_back({std::move(words_), std::move(operation_)});
  } catch (const std::exception& error) {
    log(LogLevel::error, "what ranks tell each other of times could not be kept: ", error.what());
    operation_->wait();
  }
}

void SummedTimes::begin(const Times& here) {
  *words_ = here;
  operation_->start();
}

const Times& SummedTimes::end() {
  operation_->finish();
  return *words_;
}

}  // namespace rondo::internal::learning
