#include "collectives/dense_agreement.hpp"

#include <rondo/error.hpp>

#include "collectives/agreement.hpp"
#include "collectives/dense_algorithms.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo {
namespace {

/// Greater than any size.
constexpr std::uint64_t kTop = std::uint64_t{1} << 63U;

}  // namespace

DenseSizes sizes_here(const DenseShapes& shapes) {
  DenseSizes sizes{true, 0, shapes.send.blocks[0].layout->size()};
  for (const BlockShape& block : shapes.send.blocks) {
    sizes.largest = std::max(sizes.largest, block.layout->size());
    sizes.smallest = std::min(sizes.smallest, block.layout->size());
  }
  return sizes;
}

SizeWords::SizeWords(const DenseCall& call, const DenseSizes& here, const Settings& settings, std::uint64_t trouble)
    : regular_(call.regular()), in_place_(call.in_place()), largest_here_(here.largest) {
  const std::uint64_t wanted = settings.fingerprint();
  words_ = {trouble,
            wanted,
            ~wanted,
            static_cast<std::uint64_t>(here.largest),
            here.known ? kTop - static_cast<std::uint64_t>(here.smallest) : 0,
            in_place_ ? 1U : 0U,
            in_place_ ? 0U : 1U};
}

DenseSizes SizeWords::agreed(const std::exception_ptr& trouble) const {
  throw_trouble(trouble, words_[0], "comm");
  if (words_[1] != ~words_[2]) {
    throw Error(MPI_ERR_INFO_VALUE,
                "info: all ranks must ask for the same algorithm and other settings, and they did not");
  }
  if (words_[5] == words_[6]) {
    throw Error(MPI_ERR_BUFFER, "sendbuf: must be MPI_IN_PLACE on all ranks or on none, and is on some (here it is" +
                                    std::string(in_place_ ? "" : " not") + ")");
  }
  const DenseSizes sizes{true, static_cast<std::int64_t>(words_[3]), static_cast<std::int64_t>(kTop - words_[4])};
  if (regular_ && sizes.largest != sizes.smallest) {
    throw Error(MPI_ERR_COUNT, "recvcount: all ranks must exchange blocks of the same size, and they do not (here " +
                                   std::to_string(largest_here_) + " bytes, elsewhere from " +
                                   std::to_string(sizes.smallest) + " to " + std::to_string(sizes.largest) + ")");
  }
  return sizes;
}

DenseSizes agree_on_sizes(const DenseCall& call, const DenseSizes& here, const Settings& settings,
                          const std::exception_ptr& trouble, MPI_Comm comm) {
  SizeWords words(call, here, settings, rank_word(trouble != nullptr, comm));
  take_greatest(words.words(), comm);
  return words.agreed(trouble);
}

RoundSizes exchange_sizes(const DenseProblem& problem, std::string_view algorithm, MPI_Comm comm, int tag) {
  if (problem.regular() || !problem.regular_enough()) return {};
  std::optional<RoundSizeExchange> exchange;
  const std::exception_ptr trouble = trouble_in([&] {
    const int radix = radix_to_exchange(problem, algorithm);
    if (radix == 0) return;
    std::vector<std::int64_t> own;
    for (const BlockShape& block : problem.send) own.push_back(block.layout->size());
    exchange.emplace(radix, own, comm, tag);
  });
  agree_that_all_is_well(trouble, comm);
  if (!exchange) return {};
  const auto advance = [&] { return exchange->advance(); };
  wait_until(std::ref(advance));
  return std::move(*exchange).take();
}

}  // namespace rondo
