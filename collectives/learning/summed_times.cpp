#include "collectives/learning/summed_times.hpp"

#include <rondo/error.hpp>

#include "runtime/base/at_finalize.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace rondo::internal::learning {
namespace {

struct One {
  std::unique_ptr<Times> words;
  std::unique_ptr<Operation> operation;
};

struct All {
  std::mutex mutex;
  std::vector<SummedTimes*> living;
  std::vector<One> late;  ///< sums whose requests were freed before the other ranks had come so far
};

/// Returns the sums of the process. They are never destroyed, because MPI may still write to their memory.
All& all() {
  static auto& its = *new All;
  return its;
}

/// Ends a complete operation. Returns whether it may be destroyed, because no message may arrive for it any more.
bool end_quietly(Operation& operation) noexcept {
  try {
    if (operation.started()) operation.finish();
  } catch (const Error&) {
    // Nobody needs the sums any more.
  }
  return !operation.refuses_start();
}

void complete_all() {
  std::vector<Operation*> started;
  {
    All& its = all();
    const std::scoped_lock lock(its.mutex);
    for (SummedTimes* one : its.living) {
      if (Operation* operation = one->under_way()) started.push_back(operation);
    }
    for (const One& one : its.late) started.push_back(one.operation.get());
  }
  for (Operation* operation : started) operation->wait();
}

}  // namespace

SummedTimes::SummedTimes() {
  static std::once_flag once;
  std::call_once(once, [] { at_finalize(AtFinalize::complete_messages, complete_all); });
  All& its = all();
  std::vector<One> over;  // destroyed without the lock
  const std::scoped_lock lock(its.mutex);
  // Removes sums that are over, and reserves memory for this object among the late ones.
  const auto is_over = [](const One& one) { return one.operation->complete() && end_quietly(*one.operation); };
  const auto from = std::stable_partition(its.late.begin(), its.late.end(), std::not_fn(is_over));
  over.assign(std::move_iterator(from), std::move_iterator(its.late.end()));
  its.late.erase(from, its.late.end());
  its.living.push_back(this);
  its.late.reserve(its.late.size() + its.living.size());
}

SummedTimes::~SummedTimes() {
  All& its = all();
  const std::scoped_lock lock(its.mutex);
  std::erase(its.living, this);
  if (operation_ == nullptr || (operation_->complete() && end_quietly(*operation_))) return;
  its.late.push_back({std::move(words_), std::move(operation_)});
}

Operation* SummedTimes::under_way() const noexcept {
  return operation_ != nullptr && operation_->started() && !operation_->complete() ? operation_.get() : nullptr;
}

void SummedTimes::begin(const Times& here) {
  *words_ = here;
  if (prologue_) {
    operation_->start_after(prologue_, FirstPass::later);
    prologue_ = nullptr;
  } else {
    operation_->start();
  }
}

void SummedTimes::begin_in_prologue(const Times& here) {
  *words_ = here;
  operation_->start_in_prologue();
}

const Times& SummedTimes::end() {
  operation_->finish();
  return *words_;
}

}  // namespace rondo::internal::learning
