#include "collectives/agreement/dense_agreement.hpp"

#include <rondo/error.hpp>

#include "collectives/comm_state/agreement.hpp"
#include "collectives/comm_state/waiting.hpp"
#include "collectives/dense_alltoall/algorithms.hpp"
#include "runtime/base/given_up.hpp"
#include "runtime/base/world.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::internal {
DenseSizes sizes_here(const CallShapes& shapes) {
  DenseSizes sizes{true, 0, shapes.send.blocks[0].layout->size()};
  for (const BlockShape& block : shapes.send.blocks) {
    sizes.largest = std::max(sizes.largest, block.layout->size());
    sizes.smallest = std::min(sizes.smallest, block.layout->size());
  }
  return sizes;
}

DenseAgreement::DenseAgreement(const Call& call, const DenseSizes& here, const Settings& settings,
                               const std::exception_ptr& trouble, MPI_Comm comm)
    : words(trouble, comm),
      regular_(call.recv.regular),
      in_place_(call.in_place()),
      largest_here_(here.largest),
      wanted_(words.same(settings.fingerprint())),
      largest_(words.greatest(static_cast<std::uint64_t>(here.largest))),
      smallest_(words.least(here.known ? static_cast<std::uint64_t>(here.smallest) : ~std::uint64_t{0})),
      places_(words.same(in_place_ ? 1 : 0)) {}

DenseSizes DenseAgreement::agreed() const {
  if (!words.holds(wanted_)) {
    throw Error(MPI_ERR_INFO_VALUE,
                "info: all ranks must ask for the same algorithm and other settings, but they did not");
  }
  if (!words.holds(places_)) {
    throw Error(MPI_ERR_BUFFER, "sendbuf: must be MPI_IN_PLACE on all ranks or on none, but is on some (here it is" +
                                    std::string(in_place_ ? "" : " not") + ")");
  }
  const DenseSizes sizes{true, static_cast<std::int64_t>(words.of(largest_)),
                         static_cast<std::int64_t>(words.of(smallest_))};
  if (regular_ && sizes.largest != sizes.smallest) {
    throw Error(MPI_ERR_COUNT, "recvcount: all ranks must exchange blocks of the same size, but they do not (here " +
                                   std::to_string(largest_here_) + " bytes, elsewhere from " +
                                   std::to_string(sizes.smallest) + " to " + std::to_string(sizes.largest) + ")");
  }
  return sizes;
}

dense::RoundSizes exchange_sizes(const dense::Problem& problem, std::string_view algorithm, double within,
                                 MPI_Comm comm, int tag) {
  if (problem.regular() || !problem.regular_enough()) return {};
  std::optional<dense::RoundSizeExchange> exchange;
  const std::exception_ptr trouble = trouble_in([&] {
    const int radix = dense::radix_to_exchange(problem, algorithm, within);
    if (radix == 0) return;
    std::vector<std::int64_t> own;
    for (const BlockShape& block : problem.send) own.push_back(block.layout->size());
    exchange.emplace(radix, own, comm, tag);
  });
  agree_that_all_is_well(trouble, comm);
  if (!exchange) return {};
  const auto advance = [&] { return exchange->advance(); };
  try {
    wait_until(std::ref(advance), describe_comm(comm).view(), Patience::ends);
  } catch (const TimedOut&) {
    give_up_on(comm);  // messages in flight keep their memory: see RoundSizeExchange
    throw;
  }
  return std::move(*exchange).take();
}

}  // namespace rondo::internal
