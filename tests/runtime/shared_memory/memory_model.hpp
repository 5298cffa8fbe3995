/// @file
/// A model of memory and of threads in which protocols are explored: relacy's, under names of our own.
#ifndef RONDO_TESTS_RUNTIME_SHARED_MEMORY_MEMORY_MODEL_HPP
#define RONDO_TESTS_RUNTIME_SHARED_MEMORY_MEMORY_MODEL_HPP

#include "tests/support/test_scale.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include <relacy/relacy.hpp>
// It gives these names meanings that only code inside its threads can bear.
#undef assert
#undef calloc
#undef delete
#undef errno
#undef free
#undef malloc
#undef memory_order_acq_rel
#undef memory_order_acquire
#undef memory_order_consume
#undef memory_order_relaxed
#undef memory_order_release
#undef memory_order_seq_cst
#undef new
#undef realloc

namespace rondo::internal::memory_model {

/// Takes the place of SharedWord. A load may see a value that was replaced already, as far as the orders permit.
class Word {
 public:
  [[nodiscard]] std::uint64_t load(std::memory_order order) const { return value_.load(of(order), RL_INFO); }
  void store(std::uint64_t value, std::memory_order order) { value_.store(value, of(order), RL_INFO); }
  std::uint64_t fetch_add(std::uint64_t value, std::memory_order order) {
    return value_.fetch_add(value, of(order), RL_INFO);
  }
  /// May fail for no reason, in a search at random: it would multiply what there is to search otherwise.
  [[nodiscard]] bool compare_exchange_weak(std::uint64_t& expected, std::uint64_t value, std::memory_order success,
                                           std::memory_order failure) {
    return rl::ctx().is_random_sched()
               ? value_.compare_exchange(rl::bool_t<true>(), expected, value, of(success), of(failure), RL_INFO)
               : value_.compare_exchange(rl::bool_t<false>(), expected, value, of(success), of(failure), RL_INFO);
  }

 private:
  [[nodiscard]] static rl::memory_order of(std::memory_order order) {
    switch (order) {
      case std::memory_order::relaxed:
        return rl::mo_relaxed;
      case std::memory_order::consume:
        return rl::mo_consume;
      case std::memory_order::acquire:
        return rl::mo_acquire;
      case std::memory_order::release:
        return rl::mo_release;
      case std::memory_order::acq_rel:
        return rl::mo_acq_rel;
      case std::memory_order::seq_cst:
        break;
    }
    return rl::mo_seq_cst;
  }

  rl::atomic<std::uint64_t> value_{0};
};

/// A piece of memory without order: two threads that use it at once, one of them writing, are a race.
class Plain {
 public:
  Plain& operator=(std::uint64_t value) {
    value_(RL_INFO) = value;
    return *this;
  }
  // NOLINTNEXTLINE(google-explicit-constructor): stands for a number
  operator std::uint64_t() const { return value_(RL_INFO); }

 private:
  rl::var<std::uint64_t> value_{0};
};

/// What the threads of a model demand.
inline void demand(bool holds, const char* what) {
  if (!holds) rl::ctx().fail_test(what, rl::test_result_user_assert_failed, RL_INFO);
}

/// Nothing to do until another thread has taken a step.
inline void yield() { rl::yield(1, RL_INFO); }

/// How to go through what may happen.
struct Search {
  rl::scheduler_type_e kind = rl::sched_full;  ///< all interleavings, and in each the newest value or the one before it
  unsigned switches = 0;                       ///< with rl::sched_bound: of threads that could go on, at most so many
  std::uint64_t tries = 0;                     ///< with rl::sched_random, where a load may go back two values
};
[[nodiscard]] constexpr Search everything() { return {}; }
[[nodiscard]] constexpr Search few_switches(unsigned switches) { return {rl::sched_bound, switches, 0}; }
[[nodiscard]] inline Search at_random(std::uint64_t tries) { return {rl::sched_random, 0, scaled(tries)}; }

struct Finding {
  rl::test_result_e result = rl::test_result_success;
  std::uint64_t runs = 0;
  std::string story;  ///< what the threads did up to there

  [[nodiscard]] bool nothing() const { return result == rl::test_result_success; }
  /// Data that were read too early or written too early, as race or as wrong value: what a weak order leads to.
  [[nodiscard]] bool wrong_data() const {
    return result == rl::test_result_data_race || result == rl::test_result_user_assert_failed;
  }
};

/// Runs the threads of `Scene`, a rl::test_suite, in all ways of `search`, up to the first that goes wrong.
template <typename Scene>
[[nodiscard]] Finding explore(Search search) {
  // Relacy counts memory that is taken while it runs, so its streams take theirs apart.
  rl::ostringstream said;
  rl::ostringstream progress;
  rl::test_params params;
  params.search_type = search.kind;
  params.context_bound = search.switches;
  params.iteration_count = search.tries;
  params.output_stream = &said;
  params.progress_stream = &progress;
  rl::simulate<Scene>(params);
  return {params.test_result, params.stop_iteration, said.str().c_str()};
}

}  // namespace rondo::internal::memory_model

#endif
