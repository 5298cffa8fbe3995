#include "collectives/offers/offering.hpp"

#include <rondo/error.hpp>

#include "collectives/barrier/algorithms.hpp"
#include "collectives/binding/make_operation.hpp"
#include "collectives/broadcast/algorithms.hpp"
#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "collectives/dense_allgather/algorithms.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "collectives/dense_reduction/algorithms.hpp"
#include "runtime/base/mix.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace rondo::internal {
namespace {

constexpr int kMostMessages = 1024;

template <typename Problem>
bool has(const Registry<Problem>& registry, std::string_view name) {
  return std::ranges::any_of(registry.algorithms, [&](const auto& row) { return row.name == name; });
}

bool is_the_librarys(DenseCollective collective, std::string_view name) {
  switch (collective) {
    case DenseCollective::barrier:
      return has(barrier::registry(), name);
    case DenseCollective::broadcast:
      return has(broadcast::registry(), name);
    case DenseCollective::allgather:
      return has(dense_allgather::registry(), name);
    case DenseCollective::alltoall:
      return has(dense::registry(), name);
    case DenseCollective::allreduce:
    case DenseCollective::reduce_scatter:
      break;
  }
  return has(dense_reduction::registry(), name);
}

void check_offer(DenseCollective collective, const OfferedAlgorithm& algorithm, const Offers* before) {
  const std::string& name = algorithm.name;
  if (name.empty()) throw Error(MPI_ERR_ARG, "algorithm.name: is empty, must have at least 1 character");
  if (name.find_first_of(" \t\n:,") != std::string::npos)
    throw Error(MPI_ERR_ARG, "algorithm.name: is \"" + name + "\", must have no blanks, colons and commas");
  bool is_taken = name == "auto" || is_the_librarys(collective, name);
  if (before != nullptr) {
    before->for_each_of(collective, [&](const OfferedAlgorithm& other) { is_taken |= other.name == name; });
  }
  if (is_taken)
    throw Error(MPI_ERR_ARG, "algorithm.name: is \"" + name + "\", must be no other algorithm's of this collective");
  if (!algorithm.lower) throw Error(MPI_ERR_ARG, "algorithm.lower: is empty, must be a function");
  if (algorithm.messages < 1 || algorithm.messages > kMostMessages) {
    throw Error(MPI_ERR_ARG, "algorithm.messages: is " + std::to_string(algorithm.messages) + ", must be in [1, " +
                                 std::to_string(kMostMessages) + "]");
  }
}

std::uint64_t hash_of(DenseCollective collective, const OfferedAlgorithm& algorithm) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(collective), algorithm.name.size());
  hash = mix_text(hash, algorithm.name);
  hash = mix(hash, static_cast<std::uint64_t>(algorithm.messages));
  return mix(hash, (algorithm.applies ? 1U : 0U) + (algorithm.predict ? 2U : 0U));
}

}  // namespace

void take_offer(DenseContext& context, DenseCollective collective, const OfferedAlgorithm& algorithm) {
  constexpr const char* kFunction = "rondo::offer";
  named(kFunction, [&] {
    CallState& calls = context.calls();
    const std::scoped_lock lock(calls.mutex());
    calls.on()->own()->require_usable();
    const Making making(kFunction);
    std::shared_ptr<Offers> offers;
    const std::exception_ptr trouble = trouble_in([&] {
      check_offer(collective, algorithm, context.offers().get());
      offers = context.offers() == nullptr ? std::make_shared<Offers>() : std::make_shared<Offers>(*context.offers());
      offers->all.push_back({collective, algorithm});
    });
    context.wait_for_numbers();
    Agreement words(trouble, calls.on()->comm());
    const Agreement::Same same = words.same(hash_of(collective, algorithm));
    words.reach("comm");
    if (!words.holds(same)) {
      throw Error(MPI_ERR_ARG,
                  "algorithm: all ranks must offer the same (collective, name, messages, and which functions are "
                  "there), but another one does not offer this \"" +
                      algorithm.name + "\"");
    }
    context.set_offers(std::move(offers));
  });
}

}  // namespace rondo::internal
